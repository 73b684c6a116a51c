"""The errors of several budgets along one stream, and the choice of a budget."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import _core


class Snapshot(NamedTuple):
    """The state of all models after some rows: one entry per budget in each list."""

    rows: int
    loss: list[float]
    square: list[float]
    mistakes: list[int]
    vectors: list[int]
    updates: list[int]
    seconds: list[float]

    @staticmethod
    def of(rows: int, models: Mapping[int | None, Any], seconds: Mapping[int | None, float]) -> "Snapshot":
        """Read the counters of all models."""
        every = models.values()
        mistakes = [getattr(model, "n_mistakes_", 0) for model in every]
        if any(isinstance(model, _core.Regressor) for model in every):
            loss = [model.mean_absolute_error_ for model in every]
            square = [model.mean_squared_error_ for model in every]
        else:
            # The zero-one loss equals its square.
            loss = square = [wrong / rows for wrong in mistakes]
        vectors = [model.n_support_vectors_ for model in every]
        updates = [model.n_updates_ for model in every]
        return Snapshot(rows, loss, square, mistakes, vectors, updates, [seconds[b] for b in models])


@dataclass(frozen=True, eq=False, repr=False)
class Curves:
    """The numbers of a `BudgetComparison`, which documents them."""

    algorithm: str
    budgets: tuple[int | None, ...]
    rows: np.ndarray
    error: np.ndarray
    standard_error: np.ndarray
    n_mistakes: np.ndarray | None
    root_mean_squared_error: np.ndarray | None
    n_support_vectors: np.ndarray
    n_updates: np.ndarray
    seconds: np.ndarray

    @property
    def best_budget(self) -> int | None:
        """The budget with the lowest final error; if several budgets have it, the smallest of them."""
        return self.budgets[self._best()]

    @property
    def sufficient_budget(self) -> int | None:
        """The smallest budget whose final error is within one standard error of the lowest final error.

        This is a rule of thumb. The models make many of their errors on the same rows, so a difference
        smaller than one standard error may be significant; such a difference is still small.
        """
        best = self._best()
        limit = self.error[best, -1] + self.standard_error[best, -1]
        near = [
            budget for budget, error in zip(self.budgets, self.error[:, -1], strict=True) if error <= limit
        ]
        return min(near, key=_size)

    def _best(self) -> int:
        """Return the position of the best budget."""
        last = self.error[:, -1]
        return min(range(len(last)), key=lambda at: (last[at], _size(self.budgets[at])))


def named(budget: int | None) -> str:
    """Write a budget as on the command line."""
    return "none" if budget is None else str(budget)


def _size(budget: int | None) -> float:
    return float("inf") if budget is None else budget
