"""Table 1 of "Multi-Class Pegasos on a Budget" (Wang, Crammer and Vucetic 2010): USPS and Letter."""

import functools
import statistics
from typing import Any

import numpy as np

from ..cells import Options, Output, Record, table
from ..data import load, standardise
from ._common import Part, best, held_out, judge, means, measured, verdict, with_paper

RECORDS = "wang2010_bsgd.csv"
METHODS = ("random", "smallest", "project", "project-best", "merge")
SETS = {"usps": 10, "letter": 26}  # classes
WIDTHS, ALPHA, CUTS = (1, 4, 16, 64), 1e-4, 5  # gamma times d, lambda, and cuts of a choice
OPTIONS = {
    "sets": (tuple(SETS), "sets"),
    "methods": (METHODS, "methods"),
    "budgets": ((100, 500), "budgets"),
    "reps": (5, "permutations, of random and smallest four times as many"),
    "length": (16_000, "training rows at most"),
}
QUICK = {"sets": ["letter"], "methods": ["merge"], "budgets": [100], "reps": 1, "length": 500}
COLUMNS = (
    *(("set", -13, "{set}"), ("B", 5, "{budget:d}"), (" method", -19, " {method}")),
    *(("accuracy", 13, "{accuracy:7.2f} ±{sd:5.2f}"), ("paper", 12, "{paper}"), ("diff", 7, "{diff}")),
    *(("sds", 7, "{sds}"), ("", -6, " {mark}"), ("gamma", 8, "{gamma:.4g}"), ("alpha", 7, "{alpha:.0e}")),
    *(("rows", 10, "{n_seen:.0f}"), ("SVs", 7, "{n_support_vectors:.0f}"), ("seconds", 9, "{seconds:.2f}")),
    *(("mean WD", 9, "{mean_weight_degradation:.4f}"), ("grad err", 9, "{gradient_error:.5f}")),
)


@functools.lru_cache(maxsize=6)
def rows(name: str, seed: int, length: int) -> tuple[Part, Part]:
    """The training and test rows of a permutation, standardised by the former; classes from 0."""
    (x, y), (x_test, y_test) = (load(f"{name}.{part}") for part in ("train", "test"))
    if name == "letter":
        x, y, n = np.concatenate([x, x_test]), np.concatenate([y, y_test]), len(x_test)
        order = np.random.default_rng(seed).permutation(len(x))
        x_test, y_test, order = x[order[:n]], y[order[:n]], order[n:][:length]
    else:
        x_test, order = x_test.copy(), np.random.default_rng(seed).permutation(len(x))[:length]
    x, y = x[order], y[order] - 1
    standardise(x, x_test)
    return (x, y), (x_test, y_test - 1)


def new_model(cell: Record, gamma: float, seed: int) -> Any:
    from budgetrs import Classifier

    known = {"alpha": ALPHA, "seed": seed, "classes": list(range(SETS[cell["set"]]))}
    return Classifier(
        f"bsgd-{cell['method']}", budget=cell["budget"], gamma=gamma, project_to_ball=False, **known
    )


def choose(cell: Record, seed: int, x: np.ndarray, y: np.ndarray) -> float:
    """The gamma of the highest accuracy on held-out training rows."""
    cuts, gammas = [held_out(x, y, [seed, i]) for i in range(CUTS)], [width / x.shape[1] for width in WIDTHS]
    return best(judge(gammas, cuts, lambda gamma, _, *rows: new_model(cell, gamma, seed).learn(*rows)))


def cells(options: Options) -> list[Record]:
    lengths = {name: min(7_291 if name == "usps" else 16_000, options.length) for name in options.sets}
    reps = {
        method: options.reps * (4 if method in ("random", "smallest") else 1) for method in options.methods
    }
    return [
        {"variant": "paper", "set": name, "method": method, "budget": budget}
        | {"length": length, "reps": reps[method]}
        for name, length in lengths.items()
        for method in options.methods
        for budget in options.budgets
    ]


def run(cell: Record) -> Record:
    """Choose gamma in each permutation; train and test."""
    gammas, results = [], []
    for seed in range(cell["reps"]):
        train, test = rows(cell["set"], seed, cell["length"])
        gammas.append(choose(cell, seed, *train))
        model = new_model(cell, gammas[-1], seed)
        counts = ("n_support_vectors", "n_updates", "mean_weight_degradation")
        found, n = measured(model, train, test, *counts), model.n_samples_seen_
        # Theorem 1: the mean of |E_t| = |Delta w_t| / eta_t over all rows, with maintenance or not.
        error = found["mean_weight_degradation"] * model.n_maintenances_ / n
        results.append({**found, "n_seen": n, "gradient_error": error})
    return {"gamma": statistics.mode(gammas), "alpha": ALPHA, **means(results)}


def order_of(record: Record) -> tuple:
    return list(SETS).index(record["set"]), record["budget"], METHODS.index(record["method"])


def report(records: list[Record], output: Output) -> None:
    found = with_paper(sorted(records, key=order_of), "wang2010_bsgd")
    output.print(("\npaper: alpha = 1e-4, ball off", *table(COLUMNS, found), verdict(found)))
