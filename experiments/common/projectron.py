"""Projectron++ on the terms of both papers: a threshold eta such that it ends with B support vectors.

Neither paper says which of its models is tested. The last one depends on its last few steps, and on noisy
rows is far worse than the mean of the models on the way, which the public code of the algorithm's authors
keeps as well. So both are reported.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .measure import Stopwatch

COLD = 0.3  # the first threshold tried, where none is known
REACH = 40.0  # of log(eta / (1 - eta)): up to 1 to rounding, and the rbf kernel has no residual longer than 1
ATTEMPTS = 20
SLICES = 100  # into which a stream is cut, to stop a model that has grown too large
MODELS = 20  # in the mean


@dataclass(frozen=True)
class Found:
    """A model that has learned all rows, its threshold if it has one, and the seconds of its pass."""

    model: Any
    eta: float | None
    seconds: float


def bisect(
    new_model: Callable[[float], Any], x: np.ndarray, y: np.ndarray, budget: int, start: float | None = None
) -> Found:
    """Try thresholds until one leaves `budget` support vectors, to 1%.

    `new_model` makes a model without a budget from a threshold; `start` is one that suits similar rows. Where
    no threshold fits, as where the mistakes are too few, the model with the most of those below `budget`.
    """
    slack = max(budget // 100, 1)
    low, high = -REACH, REACH  # of log(eta / (1 - eta)): leave too many, too few
    at, step = (logit(COLD), 1.0) if start is None else (logit(start), 0.05)
    best, most = None, -1
    for _ in range(ATTEMPTS):
        eta = 1.0 / (1.0 + math.exp(-at))
        found = attempt(new_model(eta), eta, x, y, budget + slack)
        n = budget + slack + 1 if found is None else found.model.n_support_vectors_
        if found is not None and n > most:
            best, most = found, n
        if abs(n - budget) <= slack or abs(at) == REACH:
            break
        low, high = (at, high) if n > budget else (low, at)
        # Faster and faster while one side is open, then halving.
        if low == -REACH:
            at = max(at - step, low)
        elif high == REACH:
            at = min(at + step, high)
        else:
            at = (low + high) / 2
        step *= 2
    if best is None:
        raise RuntimeError(f"no threshold up to {eta} leaves as few as {budget} support vectors")
    return best


def logit(eta: float) -> float:
    return max(-REACH, min(REACH, math.log(eta / (1.0 - eta)))) if eta < 1.0 else REACH


def attempt(model, eta: float, x: np.ndarray, y: np.ndarray, limit: int) -> Found | None:
    """Learn all rows; None as soon as there are more than `limit` support vectors, for none ever leaves."""
    watch, step = Stopwatch(), -(-len(x) // SLICES)
    for i in range(0, len(x), step):
        with watch:
            model.learn(x[i : i + step], y[i : i + step])
        if model.n_support_vectors_ > limit:
            return None
    return Found(model, eta, watch.seconds)


def mean_scores(model, x: np.ndarray, y: np.ndarray, x_test: np.ndarray) -> np.ndarray:
    """Learn all rows; return the sum of the scores of the models after each twentieth of them."""
    ends = np.linspace(0, len(x), MODELS + 1).astype(int)
    scores = 0.0
    for start, end in itertools.pairwise(ends):
        model.learn(x[start:end], y[start:end])
        scores = scores + np.asarray(model.decision_function(x_test))
    return np.asarray(scores)


def with_means(records: list[dict]) -> list[dict]:
    """The cells, and those of Projectron++ once more with the mean of its models in place of the last one."""
    means = [
        {
            **record,
            "method": record["method"] + "-mean",
            "accuracy": record["mean_accuracy"],
            "sd": record["mean_sd"],
        }
        for record in records
        if "mean_accuracy" in record
    ]
    return [*records, *means]
