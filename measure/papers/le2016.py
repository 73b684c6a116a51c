"""Table 3 of "Nonparametric Budgeted Stochastic Gradient Descent" (Le et al. 2016): DNA."""

import csv
import functools
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np

from ..cells import Options, Output, Record, table
from ..data import load
from ._common import Part, best, judge, means, measured

RECORDS = "le2016.csv"
OTHERS = ("rbp", "forgetron", "projectron++", "bpa-s", "bogd")
METHODS = dict(zip(OTHERS, OTHERS, strict=True))  # and the algorithm of each
METHODS |= {"sgd": "pegasos", "nbsgd-removal": "nbsgd", "nbsgd-projection": "nbsgd-project"}
GRID = (2.0**-8, 2.0**-4, 1.0, 2.0**4, 2.0**10)  # of gamma and of lambda
BETA, FOLDS = 0.6, 5  # BETA times the training rows is what rate="auto" is
ROWS, CHOICE_SEED = 2_000, 10_000  # training rows, and the order in which they are cut into folds
OPTIONS = {
    "methods": (tuple(METHODS), "methods"),
    "runs": (5, "permutations"),
    "rows": (ROWS, "training rows"),
}
QUICK = {"methods": ["rbp", "nbsgd-removal"], "runs": 1, "rows": 300}
COLUMNS = (
    *(("method", -17, "{method}"), ("loss", -9, "{loss}"), ("B", 6, "{budget:d}")),
    *(("ours", 14, "{score:8.2f} ±{sd:.2f}"), ("paper", 12, "{paper}"), ("", -5, " {mark}")),
    *(("seconds", 9, "{seconds:.2f}"), ("paper", 8, "{paper_seconds:.4g}")),
    *(("SVs", 9, "{n_support_vectors:.0f}"), ("paper", 8, "{paper_size:.0f}")),
    *(("inserted", 9, "{inserted:.1f}%"), ("gamma", 9, "{gamma:.4g}"), ("lambda", 9, "{alpha:.4g}")),
)


@functools.cache
def printed() -> dict[tuple[str, str], dict[str, str]]:
    """The lines of the paper by method and loss."""
    with (Path(__file__).parent / "le2016.csv").open() as file:
        return {(line["method"], line["loss"]): line for line in csv.DictReader(file)}


def new_model(
    cell: Record, budget: int | None, gamma: float, alpha: float | None, length: int, seed: int
) -> Any:
    """The native learner for a stream of that length."""
    from budgetrs import Classifier

    options = {"budget": budget, "alpha": alpha, "loss": "log_loss" if cell["loss"] == "logistic" else None}
    known = {name: value for name, value in options.items() if value is not None}
    if cell["method"].startswith("nbsgd"):
        known |= {"rate": "auto", "stream_length": length, "average": False}
    return Classifier(METHODS[cell["method"]], **known, gamma=gamma, seed=seed, classes=[1, 2, 3])


def choose(cell: Record, budget: int | None, x: np.ndarray, y: np.ndarray) -> tuple[float, float | None]:
    """The gamma and lambda of the best mean accuracy over the folds."""

    def learned(chosen: tuple[float, float | None], seed: int, x: np.ndarray, y: np.ndarray) -> Any:
        cut = None if budget is None else max(round(budget * len(x) / n), 2)
        return new_model(cell, cut, *chosen, len(x), seed).learn(x, y)

    alphas: tuple = (None,) if cell["method"] in ("rbp", "forgetron", "projectron++", "bpa-s") else GRID
    if cell["method"] == "bogd":
        alphas = tuple(value for value in GRID if value <= 1)
    n, order = len(x), np.random.default_rng(CHOICE_SEED).permutation(len(x))
    cuts = []
    for held in np.array_split(order, FOLDS):
        kept = order[~np.isin(order, held)]
        cuts.append(((x[kept], y[kept]), (x[held], y[held])))
    return best(judge(itertools.product(GRID, alphas), cuts, learned))


def settle(cell: Record, x: np.ndarray, y: np.ndarray) -> tuple[int | None, float | None, Any, Any]:
    """Budget, for NBSGD the B that is expected to end with the paper's model size, gamma and lambda.

    The second value is the share of the rows after beta that are inserted, from which B is derived.
    """
    length, beta = len(x), math.floor(BETA * len(x))
    # Fewer rows than in the paper have a smaller budget.
    size = max(round(float(printed()[cell["method"], cell["loss"]]["size"]) * length / ROWS), 2)
    if not cell["method"].startswith("nbsgd"):
        budget = cell["asked"] and max(round(cell["asked"] * length / ROWS), 2)
        return budget, None, *choose(cell, budget, x, y)
    chosen = choose(cell, size // 2, x, y)
    pilot = new_model(cell, size // 2, *chosen, length, 0).learn(x[:beta], y[:beta])
    before = pilot.n_updates_
    share = (pilot.learn(x[beta:], y[beta:]).n_updates_ - before) / (length - beta)
    growth = share * (length - beta - beta * math.log(length / beta))
    return max(round(size - growth), round(size / 4), 2), share, *chosen


def cells(options: Options) -> list[Record]:
    fixed = {"variant": "paper", "table": 3, "set": "dna"}
    return [
        {**fixed, "method": method, "loss": loss, "asked": int(line["budget"]) if line["budget"] else None}
        | {"runs": options.runs, "rows": options.rows}
        for (method, loss), line in printed().items()
        if method in options.methods
    ]


def run(cell: Record) -> Record:
    """Choose the parameters of a cell on the rows of the first run; train and test it in all runs."""

    def shuffled(seed: int) -> Part:
        order = np.random.default_rng(seed).permutation(len(x))[: cell["rows"]]
        return x[order], y[order]

    (x, y), test = load("dna.train"), load("dna.test")
    (budget, share, *chosen), results = settle(cell, *shuffled(0)), []
    for seed in range(cell["runs"]):
        model = new_model(cell, budget, *chosen, cell["rows"], seed)
        counts = ("n_support_vectors", "n_updates", "n_maintenances")
        results.append(measured(model, shuffled(seed), test, *counts, score="score"))
    settled = {"budget": budget, "share": share, "gamma": chosen[0], "alpha": chosen[1]}
    return {**settled, **means(results, "score", "scores")}


def compared(record: Record) -> Record:
    """The record and the paper's figures; LOW is worse by two standard deviations, the paper's if printed."""
    line = printed()[record["method"], record["loss"]]
    mean, sd = float(line["accuracy"]), line["sd"]
    is_low = mean - record["score"] - 0.05 > 2 * (float(sd) if sd else record["sd"])
    paper = {"paper": f"{mean} ±{sd}" if sd else str(mean), "mark": "LOW" if is_low else ""}
    paper |= {"paper_seconds": float(line["seconds"]), "paper_size": float(line["size"])}
    return {**record, **paper, "inserted": 100 * record["n_updates"] / record["rows"]}


def report(records: list[Record], output: Output) -> None:
    order = list(printed())
    found = [compared(r) for r in sorted(records, key=lambda r: order.index((r["method"], r["loss"])))]
    output(f"\nTable 3, DNA: {found[0]['rows']:,} training rows, accuracy in %")
    output.print(table(COLUMNS, found))
    low = sum(record["mark"] == "LOW" for record in found)
    output(f"\n{low} of {len(found)} cells are more than two standard deviations worse than the paper")
