"""calibration error and Brier score in %, of the probabilities for the second half of a stream.

Ours are those just before each row is learned. The peers are fitted to the first half, in standardised rows.
ECE: the mean distance of confidence and accuracy over 15 bins of the highest probability, weighted by rows;
Brier: the squared error, summed over the classes. noaa is in the order of time, the others are permuted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .cells import Record, Table, n_runs
from .data import ORDERED, stream
from .models import ours

SETS = ("a9a", "letter", "covertype-50k", "noaa")
MEASURES = ("ece", "brier")
BINS = 15


def scores(p: np.ndarray, y: np.ndarray) -> Record:
    """Of probabilities of shape (n, classes) and the indices of the right classes."""
    best, confidence = p.argmax(axis=1), p.max(axis=1)
    bins = np.minimum((BINS * confidence).astype(int), BINS - 1)
    gaps = np.bincount(bins, confidence - (best == y))
    squares = ((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1)
    return {"ece": 100.0 * float(np.abs(gaps).sum() / len(y)), "brier": 100.0 * float(squares.mean())}


def logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1_000)


def calibrated() -> Any:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.svm import LinearSVC

    return CalibratedClassifierCV(LinearSVC())


PEERS: dict[str, Callable[[], Any]] = {"LogisticRegression": logistic, "calibrated LinearSVC": calibrated}


def learn(name: str, budget: int, options: argparse.Namespace, run: int) -> Record:
    x, y = stream(name, run, options.rows)
    half, classes = len(x) // 2, np.unique(y)
    model = ours("classification", budget, x.shape[1], classes, algorithm=options.algorithm, seed=run)
    model.learn(x[:half], y[:half])
    p = np.empty((len(x) - half, len(classes)))
    for i, label in enumerate(y[half:].tolist()):
        row = x[half + i]
        p[i] = model.predict_proba(row[None])[0]
        model.learn_one(row, label)
    return scores(p, np.searchsorted(classes, y[half:]))


def compete(peer: str, name: str, options: argparse.Namespace, run: int) -> Record:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = stream(name, run, options.rows)
    half, classes = len(x) // 2, np.unique(y)
    model = make_pipeline(StandardScaler(), PEERS[peer]()).fit(x[:half], y[:half])
    p = np.zeros((len(x) - half, len(classes)))
    p[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(x[half:])
    return scores(p, np.searchsorted(classes, y[half:]))


def run(name: str, table: Table, options: argparse.Namespace) -> None:
    runs = 1 if name in ORDERED else n_runs(name, options)
    for budget in options.budgets:
        table.cell(name, options.algorithm, partial(learn, name, budget, options), runs, budget)
    for peer in PEERS if options.peers else ():
        table.cell(name, peer, partial(compete, peer, name, options), runs)
