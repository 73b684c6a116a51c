"""Ridge regression on the basis functions of a trained model: the last step of a regression fit."""

from typing import Any

import numpy as np

_MAX_ROWS = 20_000
"""The largest number of rows that the ridge is computed from."""

_MAX_BASIS = 2000
"""The largest number of basis functions."""

_PENALTIES = 0.1 * 3.0 ** np.arange(13)
"""The penalties from which generalised cross-validation chooses; the largest is 5e4."""

_FREEDOM_FACTOR = 1.2
"""How often a degree of freedom counts, because the rows have chosen the basis functions too."""

_SAMPLE = 2048
"""The number of rows whose basis functions are computed together. The first ones are kept."""

_MAX_RESIDUAL = 10.0
"""The largest residual, as a multiple of the residual that nine of ten rows stay below: squares of outliers
would outweigh all other rows."""

_SHARES = np.linspace(0.0, 1.0, 11)
"""The shares of a change of the model whose absolute errors are compared."""

_SHARE_OF_SQUARES = 0.6
"""The weight of squared errors where a change of the model improves them, but not absolute errors."""


class BasisRows:
    """The basis functions of a model at rows, for ridge regressions on them.

    The basis functions are the inputs of the linear term and the kernel functions of the support vectors.

    Parameters
    ----------
    model : Regressor
        The model.
    X, y, weight
        The rows as `fit` has them.
    kept : ndarray of int, optional
        Indices of the rows to use; by default all rows.
    rng : Generator
        Draws 20,000 of more rows, in random order.

    Attributes
    ----------
    theta : ndarray
        The coefficients of the model.
    n_linear : int
        The number of inputs of the linear term.
    values, y, weights : ndarray
        The basis functions of some rows, their targets and their weights relative to the mean.
    limits : (float, float)
        The smallest and the largest target of all rows.
    """

    def __init__(
        self, model: Any, X: Any, y: np.ndarray, weight: np.ndarray | None, kept: np.ndarray | None, rng: Any
    ) -> None:
        self.theta = np.array(model._basis_coef())
        count = len(y) if kept is None else len(kept)
        rows = rng.choice(count, min(count, _MAX_ROWS), replace=False)
        rows = rows if kept is None else kept[rows]
        self.n_linear = len(self.theta) - model.n_support_vectors_
        weights = np.ones(len(rows)) if weight is None else weight[rows] / weight[rows].mean()
        targets = y if kept is None else y[kept]
        self.limits = float(targets.min()), float(targets.max())
        self.values = model._basis(X, order=rows[:_SAMPLE])
        self.y, self.weights = y[rows[:_SAMPLE]], weights[:_SAMPLE]
        residuals = self.y - self.values @ self.theta
        limit = _MAX_RESIDUAL * float(np.quantile(abs(residuals), 0.9)) or np.inf
        self._sums = _Sums(len(self.theta))
        self._sums.add(self.values, residuals.clip(-limit, limit), self.weights)
        for first in range(_SAMPLE, len(rows), _SAMPLE):
            chunk = slice(first, first + _SAMPLE)
            basis = model._basis(X, order=rows[chunk])
            residuals = y[rows[chunk]] - basis @ self.theta
            self._sums.add(basis, residuals.clip(-limit, limit), weights[chunk])

    @classmethod
    def fits(cls, model: Any) -> bool:
        """Return whether the model has few enough basis functions."""
        return len(model._basis_coef()) <= _MAX_BASIS

    def ridge(self) -> tuple[np.ndarray, float]:
        """Return the ridge solution of the residuals, and its degrees of freedom per row."""
        return self._sums.ridge()

    def share(self, change: np.ndarray, freedom: float) -> float:
        """Return which share of a ridge solution to add to the model: all of it unless absolute errors rise.

        The ridge regression follows the mean of skewed targets, and the model their median. The share is
        three fifths of the way from that with the smallest mean absolute error to 1. The error is divided by
        the share of the rows that are not used up, as in generalised cross-validation.
        """
        before, moved = self.values @ self.theta, self.values @ change
        errors = [
            self.weights
            @ abs(self.y - np.clip(before + share * moved, *self.limits))
            / max(1e-3, 1.0 - _FREEDOM_FACTOR * share * freedom)
            for share in _SHARES
        ]
        best = float(_SHARES[np.argmin(errors)])
        return best + _SHARE_OF_SQUARES * (1.0 - best)


class _Sums:
    """The sums ``P'P``, ``P'r`` and ``r'r`` of basis functions P and residuals r."""

    def __init__(self, m: int) -> None:
        self.n = 0
        self.gram, self.products, self.square = np.zeros((m, m)), np.zeros(m), 0.0

    def add(self, values: np.ndarray, residuals: np.ndarray, weights: np.ndarray) -> None:
        """Add rows."""
        values, residuals = np.sqrt(weights)[:, None] * values, np.sqrt(weights) * residuals
        self.n += len(residuals)
        self.gram += values.T @ values
        self.products += values.T @ residuals
        self.square += residuals @ residuals

    def ridge(self) -> tuple[np.ndarray, float]:
        """Return the ridge solution and its degrees of freedom per row.

        The penalty has the smallest error of generalised cross-validation (Golub, Heath and Wahba 1979), in
        which each degree of freedom counts 1.2 times.
        """
        values, vectors = np.linalg.eigh(self.gram)
        values = np.maximum(values, 0.0)
        rotated = vectors.T @ self.products
        found = []
        for penalty in _PENALTIES + 1e-6 * self.n:
            inverse = 1.0 / (values + penalty)
            rss = self.square - (rotated**2 * inverse * (2.0 - values * inverse)).sum()
            freedom = float((values * inverse).sum() / self.n)
            error = max(rss, 0.0) / max(1e-3, 1.0 - _FREEDOM_FACTOR * freedom) ** 2
            found.append((error, freedom, inverse))
        _, freedom, inverse = min(found, key=lambda each: each[0])
        return vectors @ (rotated * inverse), freedom


def refit(model: Any, rows: BasisRows) -> np.ndarray:
    """Improve a regressor by ridge regression of its residuals; return its coefficients after it."""
    change, freedom = rows.ridge()
    change *= rows.share(change, freedom)
    if change.any():
        model._add_to_function(change)
    return rows.theta + change
