"""Whether a model predicts worse than a constant: its progressive error beside that of the simplest guess."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

LEAST = 1000
"""Rows that are compared at least."""

_DEVIATIONS = 3.0
"""Standard errors by which a model must be worse: what is due to chance is no reason to warn."""


class MostFrequent:
    """Always the class that was the most frequent one so far; the loss is the number of wrong predictions."""

    def __init__(self) -> None:
        self._counts: dict[Any, int] = {}

    def __getstate__(self) -> dict[str, list[Any]]:
        """Return the counts as lists: as the keys of JSON, labels would become strings."""
        return {"labels": list(self._counts), "counts": list(self._counts.values())}

    def __setstate__(self, state: dict[str, list[Any]]) -> None:
        self._counts = dict(zip(state["labels"], state["counts"], strict=True))

    def losses(self, y: np.ndarray) -> np.ndarray:
        """Return the loss of the guess on these rows, of which it knows nothing; then add them."""
        labels, counts = np.unique(y, return_counts=True)
        found = dict(zip(labels.tolist(), counts.tolist(), strict=True))
        # Where there were no rows before, it is the best guess for these.
        known = self._counts or found
        guess = max(known, key=lambda label: known[label])
        for label, count in found.items():
            self._counts[label] = self._counts.get(label, 0) + count
        return np.array([len(y) - found.get(guess, 0)], dtype=float)

    @staticmethod
    def of(model: Any) -> np.ndarray:
        """Return the same loss of a model's predictions so far."""
        return np.array([model.n_mistakes_], dtype=float)

    @staticmethod
    def is_better(guess: np.ndarray, model: np.ndarray, rows: int) -> bool:  # noqa: ARG004
        """Whether the model is wrong so often that it is no chance: only rows where they differ can count."""
        return bool(model[0] - guess[0] > _DEVIATIONS * sqrt(model[0] + guess[0]))

    @staticmethod
    def error(losses: Sequence[float], rows: int) -> str:
        """Return the error of a model with these losses in words."""
        return f"progressive error {losses[0] / rows:.4f}"

    @staticmethod
    def found(guess: np.ndarray, model: np.ndarray, rows: int) -> str:
        """Say what was seen."""
        return (
            f"predicted {model[0]:,.0f} of the last {rows:,} rows wrongly just before it learned them, where "
            f"always predicting the most frequent class is wrong on {guess[0]:,.0f}"
        )


class MeanSoFar:
    """Always the mean of the targets so far; the losses are the sums of squared and of absolute errors."""

    def __init__(self) -> None:
        self._rows = 0
        self._mean = 0.0

    def losses(self, y: np.ndarray) -> np.ndarray:
        """Return the losses of the guess on these rows, of which it knows nothing; then add them."""
        mean = float(np.mean(y, dtype=float))
        residuals = y - (self._mean if self._rows else mean)
        self._rows += len(y)
        self._mean += (mean - self._mean) * len(y) / self._rows
        return np.array([residuals @ residuals, np.abs(residuals).sum()], dtype=float)

    @staticmethod
    def of(model: Any) -> np.ndarray:
        """Return the same losses of a model's predictions so far."""
        return model.n_seen_ * np.array([model.mean_squared_error_, model.mean_absolute_error_])

    @staticmethod
    def is_better(guess: np.ndarray, model: np.ndarray, rows: int) -> bool:
        """Whether the model is worse by both errors: one of a median may well be by the first alone."""
        return bool((model > guess * (1 + _DEVIATIONS / sqrt(rows))).all())

    @staticmethod
    def error(losses: Sequence[float], rows: int) -> str:
        """Return the error of a model with these losses in words."""
        return f"progressive RMSE {sqrt(max(losses[0], 0.0) / rows):.4g}"

    @staticmethod
    def found(guess: np.ndarray, model: np.ndarray, rows: int) -> str:
        """Say what was seen."""
        return (
            f"predicted the last {rows:,} rows, just before it learned them, with a mean squared error of "
            f"{model[0] / rows:.3g}, where always predicting the mean has one of {guess[0] / rows:.3g}"
        )


Guess = MostFrequent | MeanSoFar


@dataclass
class Watch:
    """Compares a model with a guess, over the rows since `begin` or since the last look."""

    guess: Guess
    _rows: int = 0
    _model: Any = 0.0
    _guess: Any = 0.0
    _next: int = LEAST
    _said: bool = False
    _waiting: list[np.ndarray] = field(default_factory=list)
    _held: int = 0

    def begin(self, rows: int, losses: np.ndarray) -> None:
        """Compare from here on: the rows so far, and the model's losses on them, do not count."""
        self._rows, self._model, self._guess = rows, losses, 0.0

    def look(self, model: Any, y: np.ndarray) -> str | None:
        """Return what was found to say, if anything, after the model has learned rows with these targets.

        A stream is looked at after 1000 rows and whenever it has become twice as long; it is told once. Its
        first rows do not count: squared errors may be beyond all measure there.
        """
        if self._said:
            return None
        # Many small batches are counted together. The array may be the caller's.
        self._waiting.append(y.copy() if len(y) < LEAST else y)
        self._held += len(y)
        if self._held < LEAST:
            return None
        self._guess = self._guess + self.guess.losses(np.concatenate(self._waiting))
        self._waiting, self._held = [], 0
        rows = model.n_seen_ - self._rows
        if model.n_seen_ < self._next:
            return None
        starts = self._rows == 0
        losses, others = self.guess.of(model) - self._model, self._guess
        self.begin(model.n_seen_, self.guess.of(model))
        self._next = 2 * model.n_seen_
        if starts or not self.guess.is_better(others, losses, rows):
            return None
        self._said = True
        return self.guess.found(others, losses, rows)
