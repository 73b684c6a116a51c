"""The comparison of a model's progressive error with the error of a constant prediction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

_WORSE = 3.0
"""Standard errors by which a model is worse than a constant whatever the number of mistakes."""

_BETTER = 1.0
"""Standard errors by which classes must be predicted better. The bound of the standard error is too large:
measured, 95% of the models of 500 rows without information do not reach it."""

_BETTER_ERROR = 0.5
"""The share, times the square root of the rows, by which one error of a regressor must be smaller: measured,
no model of 500 to 5000 rows without information reaches it."""

Counters = tuple[int, int, tuple[int, float, float]]
"""Rows seen, updates, and sums of mistakes, squared and absolute errors of a model."""

_MIN_SHARE = 0.25
"""The share of mistakes of the constant from which chance level causes a warning. With a rarer class that
overlaps with the others, a model may rank rows well and still never predict this class."""


class MostFrequent:
    """The baseline that predicts the most frequent class so far; its loss is the number of mistakes."""

    # Weighted rows have another objective than the number of mistakes.
    allows_weights = False

    def __init__(self) -> None:
        self._counts: dict[Any, int] = {}

    def __getstate__(self) -> dict[str, list[Any]]:
        """Return the counts as lists: as the keys of JSON, labels would become strings."""
        return {"labels": list(self._counts), "counts": list(self._counts.values())}

    def __setstate__(self, state: dict[str, list[Any]]) -> None:
        self._counts = dict(zip(state["labels"], state["counts"], strict=True))

    def losses(self, y: np.ndarray) -> np.ndarray:
        """Return the losses of the baseline on rows with these labels, and then count the labels."""
        labels, counts = np.unique(y, return_counts=True)
        new = dict(zip(labels.tolist(), counts.tolist(), strict=True))
        # Before the first rows, the best constant for these rows is the fairest baseline.
        known = self._counts or new
        prediction = max(known, key=lambda label: known[label])
        for label, count in new.items():
            self._counts[label] = self._counts.get(label, 0) + count
        return np.array([len(y) - new.get(prediction, 0)], dtype=float)

    @staticmethod
    def of(counters: Counters) -> np.ndarray:
        """Return the losses of a model's progressive predictions."""
        mistakes, _, _ = counters[2]
        return np.array([mistakes], dtype=float)

    @staticmethod
    def is_as_good(baseline: np.ndarray, model: np.ndarray, rows: int) -> bool:
        """Return whether the model does not make significantly fewer mistakes than the baseline.

        The variance of the difference is at most the sum of both counts.
        """
        deviation = sqrt(model[0] + baseline[0])
        is_worse = model[0] - baseline[0] > _WORSE * deviation
        is_chance = baseline[0] >= _MIN_SHARE * rows and baseline[0] - model[0] <= _BETTER * deviation
        return bool(is_worse or is_chance)

    @staticmethod
    def error(losses: Sequence[float], rows: int) -> str:
        """Return the error of a model with these losses as text."""
        return f"progressive error {losses[0] / rows:.4f}"

    @staticmethod
    def message(baseline: np.ndarray, model: np.ndarray, rows: int) -> str:
        """Return the text of the warning."""
        return (
            "is not better than always predicting the most frequent class: it predicted "
            f"{model[0]:,.0f} of the last {rows:,} rows wrongly just before it learned them, and the most "
            f"frequent class is wrong on {baseline[0]:,.0f}"
        )


class Constants:
    """The baselines that predict the mean target so far, and the median of the rows before.

    The losses are the squared errors of the first and the absolute errors of the second.
    """

    # Weights change which rows matter, but not that a constant should predict them worse.
    allows_weights = True

    def __init__(self) -> None:
        self._rows = 0
        self._mean = 0.0
        self._median = 0.0

    def losses(self, y: np.ndarray) -> np.ndarray:
        """Return the losses of the baselines on rows with these targets, and then update both."""
        mean, median = float(np.mean(y, dtype=float)), float(np.median(y))
        residuals = y - (self._mean if self._rows else mean)
        deviations = np.abs(y - (self._median if self._rows else median))
        self._rows += len(y)
        self._mean += (mean - self._mean) * len(y) / self._rows
        self._median = median
        return np.array([residuals @ residuals, deviations.sum()], dtype=float)

    @staticmethod
    def of(counters: Counters) -> np.ndarray:
        """Return the losses of a model's progressive predictions."""
        _, squared, absolute = counters[2]
        return np.array([squared, absolute])

    @staticmethod
    def is_as_good(baseline: np.ndarray, model: np.ndarray, rows: int) -> bool:
        """Return whether the model is worse by one of the errors, or better by none of them."""
        is_better = baseline - model > baseline * _BETTER_ERROR / sqrt(rows)
        return bool(_worse(baseline, model, rows).any() or not is_better.any())

    @staticmethod
    def error(losses: Sequence[float], rows: int) -> str:
        """Return the error of a model with these losses as text."""
        return f"progressive RMSE {sqrt(max(losses[0], 0.0) / rows):.4g}"

    @staticmethod
    def message(baseline: np.ndarray, model: np.ndarray, rows: int) -> str:
        """Return the text of the warning."""
        which = int(np.argmax(model / np.maximum(baseline, np.finfo(float).tiny)))
        error, constant = (("squared", "mean"), ("absolute", "median"))[which]
        return (
            f"is not better than always predicting the {constant}: it predicted the last {rows:,} rows, just "
            f"before it learned them, with a mean {error} error of {model[which] / rows:.3g}, and the "
            f"{constant} has a mean {error} error of {baseline[which] / rows:.3g}"
        )


def _worse(baseline: np.ndarray, model: np.ndarray, rows: int) -> np.ndarray:
    """Return, for each loss, whether the model has a significantly larger one."""
    return model > baseline * (1 + _WORSE / sqrt(rows))


Baseline = MostFrequent | Constants


@dataclass
class BaselineMonitor:
    """Compares a model with a baseline, over the rows since `begin` or since the last comparison.

    At least `min_rows` rows are compared.
    """

    baseline: Baseline
    min_rows: int
    _rows: int = 0
    _model_losses: Any = 0.0
    _baseline_losses: Any = 0.0
    _next: int = 0
    _has_warned: bool = False
    _waiting: list[np.ndarray] = field(default_factory=list)
    _n_waiting: int = 0

    def begin(self, counters: Counters) -> None:
        """Start the comparison from these counters of the model."""
        self._rows, self._model_losses, self._baseline_losses = counters[0], self.baseline.of(counters), 0.0

    def update(self, counters: Counters, y: np.ndarray) -> str | None:
        """Return the text of a warning, if any, after rows with these targets, from the model's counters.

        The models of a stream are compared after `min_rows` rows and whenever the number of rows has doubled,
        with at most one warning. The first `min_rows` rows do not count: first squared errors can be huge.
        """
        if self._has_warned:
            return None
        # Small batches are collected. The array may be the caller's, who may change it.
        self._waiting.append(y.copy() if len(y) < self.min_rows else y)
        self._n_waiting += len(y)
        if self._n_waiting < self.min_rows:
            return None
        self._baseline_losses = self._baseline_losses + self.baseline.losses(np.concatenate(self._waiting))
        self._waiting, self._n_waiting = [], 0
        rows = counters[0] - self._rows
        if counters[0] < max(self._next, self.min_rows):
            return None
        is_first = self._rows == 0
        losses = self.baseline.of(counters) - self._model_losses
        model_losses, baseline_losses = losses, self._baseline_losses
        self.begin(counters)
        self._next = 2 * counters[0]
        if is_first or not self.baseline.is_as_good(baseline_losses, model_losses, rows):
            return None
        self._has_warned = True
        return self.baseline.message(baseline_losses, model_losses, rows)
