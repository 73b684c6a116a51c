"""Table 1 of "Online Passive-Aggressive Algorithms on a Budget" (Wang and Vucetic 2010): checkerboards."""

import itertools
from typing import Any

import numpy as np

from ..cells import Options, Output, Record, table
from ..data import standardise
from ._common import Part, best, held_out, judge, means, measured, verdict, with_paper

RECORDS = "wang2010_bpa.csv"
SETS = {"checkerboard": 0.0, "ncheckerboard": 0.15}  # share of wrong training labels
UNBOUNDED = ("perceptron", "pa", "pa-ramp")
METHODS = (
    *UNBOUNDED,
    *("stoptron", "rbp", "forgetron", "pa-random", "bpa-s", "bpa-s-ramp", "bpa-nn", "bpa-nn-ramp"),
    *("bpa-p", "bpa-p-ramp", "pa-merge", "pa-ramp-merge"),
)
WIDTHS, CAPS = [4.0**i for i in range(-3, 5)], [4.0**i for i in range(-4, 2)]  # gamma times d, and C
FEATURES, ROWS, SEED = 2, 10_000, 2010
Candidate = tuple[float, float | None]  # gamma and C
OPTIONS = {
    "sets": (tuple(SETS), "sets"),
    "methods": (METHODS, "methods"),
    "budgets": ((100, 200), "budgets"),
    "reps": (10, "shuffles"),
    "rows": (ROWS, "training rows"),
}
QUICK = {"sets": ["checkerboard"], "methods": ["bpa-s"], "budgets": [100], "reps": 1, "rows": 500}
COLUMNS = (
    *(("set", -14, "{set}"), ("B", 4, "{budget:d}"), (" method", -19, " {method}")),
    *(("accuracy", 14, "{accuracy:8.2f} ±{sd:4.2f}"), ("paper", 13, "{paper}"), ("diff", 7, "{diff}")),
    *(("sds", 7, "{sds}"), ("", -5, " {mark}"), ("errors", 7, "{errors}"), ("gamma*d", 9, "{width:.4g}")),
    *(("C", 10, "{C:.4g}"), ("SVs", 7, "{n_support_vectors:.0f}"), ("updates", 9, "{n_updates:.0f}")),
    *(("queries", 9, "{n_queries:.0f}"), ("seconds", 9, "{seconds:.3f}")),
)


def new_model(cell: Record, candidate: Candidate, seed: int) -> Any:
    from budgetrs import Classifier

    options = {"budget": cell["budget"], "C": candidate[1]}
    known = {name: value for name, value in options.items() if value is not None}
    return Classifier(cell["method"], **known, gamma=candidate[0], seed=seed, classes=[0, 1])


def choose(cell: Record, x: np.ndarray, y: np.ndarray) -> Candidate:
    """The candidate of the highest accuracy on held-out rows: coarse, then around the best ones."""
    from budgetrs._core import parameters

    def learned(candidate: Candidate, cut: int, x: np.ndarray, y: np.ndarray) -> Any:
        return new_model(cell, candidate, cut).learn(x, y)

    cuts = [held_out(x, y, [SEED, i]) for i in range(12)]
    caps = CAPS if "C" in parameters(cell["method"]) else (None,)
    coarse = judge([(width / FEATURES, c) for width in WIDTHS for c in caps], cuts[:3], learned)
    (gamma, c), *others = sorted(coarse, key=coarse.__getitem__, reverse=True)[:5]
    near = itertools.product((gamma, gamma / 2, gamma * 2), (None,) if c is None else (c, c / 2, c * 2))
    return best(judge([*near, *others], cuts, learned))


def cells(options: Options) -> list[Record]:
    return [
        {"set": name, "method": method, "budget": budget, "reps": options.reps, "rows": options.rows}
        for name in options.sets
        for method in options.methods
        for budget in ((None,) if method in UNBOUNDED else options.budgets)
    ]


def run(cell: Record) -> Record:
    """Choose the parameters of a cell on the first shuffle; train and test it on all."""
    from budgetrs._core import checkerboard

    def shuffled(seed: int) -> Part:
        order = np.random.default_rng([seed, 1]).permutation(ROWS)[: cell["rows"]]
        return train[0][order], train[1][order]

    train, test = checkerboard(ROWS, SETS[cell["set"]], seed=SEED), checkerboard(20_000, seed=SEED + 1)
    standardise(train[0], test[0])
    chosen, results = choose(cell, *shuffled(0)), []
    for seed in range(cell["reps"]):
        model = new_model(cell, chosen, seed)
        results.append(measured(model, shuffled(seed), test, "n_support_vectors", "n_updates", "n_queries"))
    return {"gamma": chosen[0], "C": chosen[1], **means(results)}


def order_of(record: Record) -> tuple:
    return list(SETS).index(record["set"]), record["budget"] or 0, METHODS.index(record["method"])


def report(records: list[Record], output: Output) -> None:
    widths = [{**record, "width": record["gamma"] * FEATURES} for record in sorted(records, key=order_of)]
    found = with_paper(widths, "wang2010_bpa")
    output.print(("", *table(COLUMNS, found), verdict(found)))
