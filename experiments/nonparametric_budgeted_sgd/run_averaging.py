"""What averaging the models of a pass gains on a budget (Le et al. 2016, Algorithms 2 and 3).

One pass over 100,000 rows of the noisy checkerboard (15% of the training labels switched, tested on clean
rows) and of waveform, hinge loss, alpha = 1e-4, B = 100, attributes standardised by the training rows, fresh
rows in each of 10 runs. gamma is the one from {1, 4, 16, 64}/d with the best last model on a stream of its
own, for each set and maintenance.

The last model, the mean of the models of the last half (average=True), of the last tenth, of all, and one
drawn at random from the last half ("random", the paper's Theorems 6 and 12). The budget is that of every
model: the mean has coefficients for the support vectors of the last model, no others. What is merged or
projected is merged or projected along in the mean; what is removed is lost there, and with it most of the
mean. "200 models" is the mean that is meant, of the scores of 200 models on the way through the last half,
which no budget could keep; "off" is how far the scores of the served mean of the last half lie from it, as a
share of its length.

"gain" is that over the last model in the same run, with its standard error. The claim: where vectors are
merged or projected, the mean of the last half is at least as accurate as the last model; and no model exceeds
the budget.

Each finished cell is one line of results/averaging.csv; report_averaging.py prints and draws what is there.
"""

from __future__ import annotations

import argparse
import itertools
import time
from dataclasses import dataclass

import numpy as np

from budgetrs._core import checkerboard, waveform

from ..common import Arguments, Stopwatch, main, standardise
from .report_averaging import BUDGET, KINDS, METHODS, PROBLEMS, SNAPSHOTS, key_of

ALPHA = 1e-4
WIDTHS = (1, 4, 16, 64)  # gamma times d
NOISE = 0.15
TEST_ROWS = 20_000
CHOICE_SEED = 10_000

Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Cell:
    """All runs of a set with one maintenance."""

    problem: str
    method: str
    length: int
    runs: int


def rows(name: str, length: int, seed: int) -> tuple[Rows, Rows]:
    """Training and test rows of a run."""
    if name == "checkerboard":
        train, test = checkerboard(length, NOISE, 2 * seed), checkerboard(TEST_ROWS, seed=2 * seed + 1)
    else:
        train, test = waveform(length, 2 * seed), waveform(TEST_ROWS, 2 * seed + 1)
    standardise(train[0], test[0])
    return train, test


def new_model(cell: Cell, gamma: float, kind: str, seed: int, train: Rows):
    """The native learner of such a stream."""
    from budgetrs import Classifier

    return Classifier(
        METHODS[cell.method],
        budget=BUDGET,
        alpha=ALPHA,
        gamma=gamma,
        seed=seed,
        classes=sorted(set(train[1].tolist())),
        average=KINDS[kind],
        stream_length=len(train[0]),
    )


def learned(cell: Cell, gamma: float, kind: str, seed: int, train: Rows):
    """The native learner after the pass, and the seconds of processor time."""
    model = new_model(cell, gamma, kind, seed, train)
    watch = Stopwatch(time.process_time)
    with watch:
        model.learn(*train)
    return model, watch.seconds


def accuracy(model, test: Rows) -> float:
    return 100.0 * float((np.asarray(model.predict(test[0])) == test[1]).mean())


def meant(cell: Cell, gamma: float, seed: int, train: Rows, test: Rows) -> np.ndarray:
    """The mean of the scores of models on the way through the last half of the rows."""
    x, y = train
    model, scores = new_model(cell, gamma, "last", seed, train), 0.0
    ends = np.linspace(len(x) // 2, len(x), SNAPSHOTS + 1).astype(int)
    model.learn(x[: ends[0]], y[: ends[0]])
    for start, end in itertools.pairwise(ends):
        scores = scores + np.asarray(model.decision_function(test[0]), np.float64) / SNAPSHOTS
        model.learn(x[start:end], y[start:end])
    return np.asarray(scores)


def beside_meant(scores: np.ndarray, served: np.ndarray, test: Rows) -> tuple[float, float]:
    """The accuracy of the mean that is meant, and how far the one that is served is from it."""
    best = scores.argmax(axis=1) if scores.ndim > 1 else scores > 0
    off = np.linalg.norm(np.asarray(served, np.float64) - scores) / np.linalg.norm(scores)
    return 100.0 * float((best == test[1]).mean()), float(off)


def run(cell: Cell) -> dict:
    """Chooses gamma, and learns every run with each kind of average."""
    d = PROBLEMS[cell.problem]
    train, test = rows(cell.problem, cell.length, CHOICE_SEED)
    choice = {width / d: accuracy(learned(cell, width / d, "last", 0, train)[0], test) for width in WIDTHS}
    gamma = max(choice, key=choice.__getitem__)
    found: dict[str, list[dict]] = {kind: [] for kind in KINDS}
    beside = []
    for seed in range(cell.runs):
        train, test = rows(cell.problem, cell.length, seed)
        for kind, results in found.items():
            model, seconds = learned(cell, gamma, kind, seed, train)
            size = max(model.n_support_vectors_, len(model.support_vectors_))
            results.append({"accuracy": accuracy(model, test), "size": size, "seconds": seconds})
            if kind == "last half":
                scores = meant(cell, gamma, seed, train, test)
                beside.append(beside_meant(scores, model.decision_function(test[0]), test))
    return {
        "set": cell.problem,
        "method": cell.method,
        "length": cell.length,
        "runs": cell.runs,
        "gamma": gamma,
        "choice": {f"{g:.4g}": round(score, 2) for g, score in choice.items()},
        "meant": [round(score, 3) for score, _ in beside],
        "off": float(np.mean([off for _, off in beside])),
        "kinds": {
            kind: {key: [result[key] for result in results] for key in results[0]}
            for kind, results in found.items()
        },
    }


def line(record: dict) -> str:
    """Summarise a finished cell."""
    means = (f"{kind} {np.mean(results['accuracy']):.2f}%" for kind, results in record["kinds"].items())
    return f"{record['set']} {record['method']}: " + ", ".join(means)


def parse() -> argparse.Namespace:
    parser = Arguments(__file__, __doc__)
    parser.add_choice("--sets", PROBLEMS)
    parser.add_choice("--methods", METHODS)
    parser.add_argument("--length", type=int, default=100_000, help="training rows (100,000)")
    parser.add_argument("--runs", type=int, default=10, help="streams (10)")
    return parser.parsed("5,000 rows, two runs", length=5_000, runs=2)


def plan(options: argparse.Namespace) -> list[Cell]:
    """All cells that the options ask for."""
    return [
        Cell(name, method, options.length, options.runs)
        for name in options.sets
        for method in options.methods
    ]


if __name__ == "__main__":
    options = parse()
    main(run, plan(options), "averaging.csv", options, key_of=key_of, line=line)
