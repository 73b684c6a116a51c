"""What averaging the models of a pass gains on a budget (Le et al. 2016, Algorithms 2 and 3)."""

import itertools
from typing import Any

import numpy as np

from ..cells import Options, Output, Record, table
from ..clock import deviation, seconds
from ..data import standardise
from ._common import Part, accuracy

RECORDS = "le2016_averaging.csv"
BUDGET, ALPHA, NOISE, TEST_ROWS = 100, 1e-4, 0.15, 20_000
SNAPSHOTS = 200  # models in the exact mean
WIDTHS, CHOICE_SEED = (1, 4, 16, 64), 10_000  # gamma times d, and the rows on which it is chosen
KINDS = {  # the model that is measured, by the value of `average`
    "last": False,
    "last half": True,
    "last tenth": 0.1,
    "all": 1.0,
    "random": "random",
}
METHODS = {"merge": "bsgd-merge", "projection": "bsgd-project", "removal": "bsgd-smallest"}
OPTIONS = {
    "methods": (tuple(METHODS), "methods"),
    "length": (100_000, "training rows"),
    "runs": (10, "streams"),
}
QUICK = {"methods": ["merge"], "length": 2_000, "runs": 2}
COLUMNS = (
    *(("set", -13, "{set}"), ("maintenance", -12, "{method}"), ("served", -11, "{kind}")),
    *(("accuracy", 15, "{mean:8.2f} ±{sd:5.2f}"), ("least", 8, "{least:.2f}"), ("gain", 15, "{gain}")),
    *(("SVs", 6, "{size}"), ("seconds", 9, "{seconds}"), ("gamma", 8, "{gamma}")),
)


def rows(length: int, seed: int) -> tuple[Part, Part]:
    """Training rows of a run, with wrong labels, and clean test rows."""
    from budgetrs._core import checkerboard

    train, test = checkerboard(length, NOISE, 2 * seed), checkerboard(TEST_ROWS, seed=2 * seed + 1)
    standardise(train[0], test[0])
    return train, test


def new_model(cell: Record, gamma: float, kind: str, seed: int, train: Part) -> Any:
    from budgetrs import Classifier

    known = {"classes": [0, 1], "stream_length": len(train[0])}
    options = {"budget": BUDGET, "alpha": ALPHA, "average": KINDS[kind], **known}
    return Classifier(METHODS[cell["method"]], **options, gamma=gamma, seed=seed)


def exact_mean(cell: Record, gamma: float, seed: int, train: Part, test: Part) -> np.ndarray:
    """The mean of the scores of models along the last half of the rows."""
    (x, y), scores = train, 0.0
    ends = np.linspace(len(x) // 2, len(x), SNAPSHOTS + 1).astype(int)
    model = new_model(cell, gamma, "last", seed, train).learn(x[: ends[0]], y[: ends[0]])
    for start, end in itertools.pairwise(ends):
        scores = scores + np.asarray(model.decision_function(test[0]), np.float64) / SNAPSHOTS
        model.learn(x[start:end], y[start:end])
    return np.asarray(scores)


def cells(options: Options) -> list[Record]:
    return [
        {"set": "checkerboard", "method": method, "length": options.length, "runs": options.runs}
        for method in options.methods
    ]


def run(cell: Record) -> Record:
    """Choose gamma, and learn every run with each kind of average."""
    train, test = rows(cell["length"], CHOICE_SEED)
    gammas = [width / 2 for width in WIDTHS]
    choice = {g: accuracy(new_model(cell, g, "last", 0, train).learn(*train), test) for g in gammas}
    gamma = max(choice, key=choice.__getitem__)
    kinds: Record = {kind: {"accuracy": [], "size": [], "seconds": []} for kind in KINDS}
    exact, off = [], []
    for seed in range(cell["runs"]):
        train, test = rows(cell["length"], seed)
        for kind, found in kinds.items():
            model = new_model(cell, gamma, kind, seed, train)
            found["seconds"].append(seconds(model.learn, *train))
            found["size"].append(max(model.n_support_vectors_, len(model.support_vectors_)))
            found["accuracy"].append(accuracy(model, test))
            if kind == "last half":
                scores = exact_mean(cell, gamma, seed, train, test)
                exact.append(round(100.0 * float(((scores > 0) == test[1]).mean()), 3))
                served = np.asarray(model.decision_function(test[0]), np.float64)
                off.append(float(np.linalg.norm(served - scores) / np.linalg.norm(scores)))
    choices = {f"{g:.4g}": round(score, 2) for g, score in choice.items()}
    return {"gamma": gamma, "choice": choices, "meant": exact, "off": float(np.mean(off)), "kinds": kinds}


def report(records: list[Record], output: Output) -> None:
    """One line for each kind of average; then whether the claim holds."""
    lines = []
    for record in sorted(records, key=lambda r: list(METHODS).index(r["method"])):
        last = np.array(record["kinds"]["last"]["accuracy"])
        exact = {"accuracy": record["meant"], "size": ["-"]}
        for kind, found in {**record["kinds"], f"{SNAPSHOTS} models": exact}.items():
            scores, is_kept = np.array(found["accuracy"]), kind in KINDS
            gain = scores - last
            error = deviation(list(gain)) / len(gain) ** 0.5
            line = {"kind": kind, "mean": scores.mean(), "sd": deviation(list(scores)), "least": scores.min()}
            line["gain"] = "" if kind == "last" else f"{gain.mean():+8.2f} ±{error:.2f}"
            line["seconds"] = f"{np.mean(found['seconds']):.3f}" if is_kept else "off"
            line["gamma"] = f"{record['gamma']:.4g}" if is_kept else f"{100 * record['off']:.1f}%"
            lines.append(
                {"set": record["set"], "method": record["method"], **line, "size": max(found["size"])}
            )
    output.print(("", *table(COLUMNS, lines), "\nthe mean of the last half against the last model:"))
    for record in records:
        half, last = (np.mean(record["kinds"][kind]["accuracy"]) for kind in ("last half", "last"))
        words = "at least as accurate" if half >= last else "LESS accurate"
        output(f"  {record['set']}, {record['method']}: {words} ({half - last:+.2f})")
    is_kept = all(max(found["size"]) <= BUDGET for r in records for found in r["kinds"].values())
    output(f"no model has more than {BUDGET} support vectors: {'yes' if is_kept else 'NO'}")
