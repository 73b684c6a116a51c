"""How well calibrated are the probabilities of `BSGDClassifier(loss="log_loss")`?

A9A (who earns more than 50,000 dollars a year) and IJCNN (first 35,000 training rows, 30,000 test rows),
attributes standardised by the training rows. One pass in float32 with 500 support vectors, merged or
projected; gamma from {1/4, 1, 4, 16}/d and alpha from {1e-3, ..., 1e-6} by the log loss on a fifth of 10,000
training rows, for each model. "-average" is the mean of the models of the last half in place of the last
model, "unbounded" keeps every support vector. Beside them scikit-learn's LogisticRegression on all
training rows, and its SVC on 8,000 of them, with the sigmoid that CalibratedClassifierCV fits to its scores.

Test rows are put into ten bins by the predicted probability: where it is calibrated, the share of positive
rows in a bin is the mean probability there. Brier score and log loss are means over the test rows; ECE is the
mean distance of share and probability over the bins, weighted by rows; "slope" is that of a logistic
regression of the label on the logit of the probability: 1 is right, below it the model is overconfident.
All probabilities are of the second class, and clipped to 1e-6 .. 1 - 1e-6 for the log loss.

Each finished model is one line of results/calibration.csv; report.py prints and draws what is there.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common import Arguments, Stopwatch, load, main, standardise
from .report import BINS, MODELS, OURS, PROBLEMS, key_of

WIDTHS = (0.25, 1, 4, 16)  # gamma times d
ALPHAS = (1e-3, 1e-4, 1e-5, 1e-6)
BUDGET = 500
CHOICE_ROWS = 10_000  # a fifth of them held out
SVC_ROWS = 8_000
SVC_COSTS = (0.25, 1.0, 4.0)
TINY = 1e-6

Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Cell:
    """One model of one set."""

    problem: str
    model: str
    most: int | None  # rows at most, of each part


@functools.lru_cache(maxsize=1)
def rows(name: str, most: int | None) -> tuple[Rows, Rows]:
    """Training rows in a random order and test rows, standardised; labels 0 and 1."""
    d, *limits = PROBLEMS[name]
    parts = []
    for part, limit in zip(("train", "test"), limits, strict=True):
        x, y = load(f"{name}.{part}", d)
        order = np.random.default_rng(0).permutation(limit)[:most]
        parts.append((x[order], (y[order] > 0).astype(np.int64)))
    standardise(parts[0][0], parts[1][0])
    return parts[0], parts[1]


def log_loss(p: np.ndarray, y: np.ndarray) -> float:
    p = np.clip(p, TINY, 1 - TINY)
    return float(-np.where(y == 1, np.log(p), np.log1p(-p)).mean())


def new_model(cell: Cell, gamma: float, cost: float) -> Any:
    """An estimator; `cost` is alpha for ours and C for the SVC."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.svm import SVC

    from budgetrs import BSGDClassifier

    if cell.model == "svc":
        return CalibratedClassifierCV(SVC(gamma=gamma, C=cost), method="sigmoid", cv=5, ensemble=False)
    budget = None if cell.model == "unbounded" else BUDGET
    own = OURS[cell.model]
    return BSGDClassifier(budget, loss="log_loss", alpha=cost, gamma=gamma, random_state=0, **own)


def choose(cell: Cell, train: Rows) -> tuple[float, float]:
    """gamma and cost of the least log loss on held-out training rows."""
    rows_of_choice = SVC_ROWS // 4 if cell.model == "svc" else CHOICE_ROWS
    x, y = (part[:rows_of_choice] for part in train)
    at = len(x) * 4 // 5
    found = {}
    for width, cost in itertools.product(WIDTHS, SVC_COSTS if cell.model == "svc" else ALPHAS):
        model = new_model(cell, width / x.shape[1], cost).fit(x[:at], y[:at])
        found[width / x.shape[1], cost] = log_loss(model.predict_proba(x[at:])[:, 1], y[at:])
    return min(found, key=found.__getitem__)


def run(cell: Cell) -> dict:
    """Trains a model, and compares its probabilities with the labels of the test rows."""
    from sklearn.linear_model import LogisticRegression

    train, (x_test, y_test) = rows(cell.problem, cell.most)
    x, y = (part[:SVC_ROWS] for part in train) if cell.model == "svc" else train
    if cell.model == "logistic":
        gamma = cost = None
        model = LogisticRegression(max_iter=1_000)
    else:
        gamma, cost = choose(cell, train)
        model = new_model(cell, gamma, cost)
    watch = Stopwatch(time.process_time)
    with watch:
        model.fit(x, y)
    p = np.asarray(model.predict_proba(x_test), np.float64)[:, 1]
    bins = np.minimum((BINS * p).astype(int), BINS - 1)
    counts = np.bincount(bins, minlength=BINS)
    totals = [np.bincount(bins, values, BINS) for values in (p, y_test)]
    return {
        "set": cell.problem,
        "model": cell.model,
        "rows": len(x),
        "gamma": gamma,
        "cost": cost,
        "size": getattr(model, "n_support_vectors_", None),
        "seconds": watch.seconds,
        "accuracy": 100.0 * float(((p > 0.5) == y_test).mean()),
        "brier": float(((p - y_test) ** 2).mean()),
        "log_loss": log_loss(p, y_test),
        "ece": float(np.abs(totals[0] - totals[1]).sum() / len(p)),
        "slope": slope(p, y_test),
        "counts": counts.tolist(),
        "sums": [total.tolist() for total in totals],
    }


def slope(p: np.ndarray, y: np.ndarray) -> float:
    """Of the logistic regression of the labels on the logits."""
    from sklearn.linear_model import LogisticRegression

    p = np.clip(p, TINY, 1 - TINY)
    logits = np.log(p / (1 - p))[:, None]
    return float(LogisticRegression(C=1e6).fit(logits, y).coef_[0, 0])


def line(record: dict) -> str:
    """Summarise a finished model."""
    return f"{record['set']} {record['model']}: Brier {record['brier']:.4f}, ECE {record['ece']:.4f}"


def parse() -> argparse.Namespace:
    parser = Arguments(__file__, __doc__)
    parser.add_choice("--sets", PROBLEMS)
    parser.add_choice("--models", MODELS)
    parser.set_defaults(most=None)
    return parser.parsed("1,000 rows", most=1_000)


def plan(options: argparse.Namespace) -> list[Cell]:
    """All cells that the options ask for."""
    return [Cell(name, model, options.most) for name in options.sets for model in options.models]


if __name__ == "__main__":
    options = parse()
    main(run, plan(options), "calibration.csv", options, key_of=key_of, line=line)
