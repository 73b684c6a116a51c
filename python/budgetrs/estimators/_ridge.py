"""Ridge regression on the basis functions of a trained model: the last step of a regression fit."""

from functools import cached_property
from typing import Any

import numpy as np

_MAX_ROWS = 20_000
"""The largest number of rows that the ridge is computed from."""

_ROWS_PER_BASIS = 10
"""The smallest number of rows for each basis function; with fewer the ridge would fit noise."""

_MAX_BASIS = _MAX_ROWS // _ROWS_PER_BASIS
"""The largest number of basis functions."""

_LINEAR_SCALE = 0.3
"""The scale of the inputs of the linear term, which weakens the penalty of their coefficients."""

_PENALTIES = 1e-4 * 3.0 ** np.arange(19)
"""The penalties from which generalised cross-validation chooses; the largest is 4e4."""

_CHUNK = 1024
"""The number of rows whose basis functions are computed together."""

_SAMPLE = 2 * _CHUNK
"""The number of rows whose basis functions are kept."""


class BasisRows:
    """The basis functions of a model at rows, and the sums that ridge regressions on them need.

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
    residuals, targets : (ndarray, float)
        The products of the basis functions with the residuals of the model, or with the centred targets, and
        the sum of squares.
    values, y, weights : ndarray
        The basis functions of some rows, scaled, their targets and their weights relative to the mean.
    """

    def __init__(
        self, model: Any, X: Any, y: np.ndarray, weight: np.ndarray | None, kept: np.ndarray | None, rng: Any
    ) -> None:
        self.theta = theta = np.array(model._basis_coef())
        count = len(y) if kept is None else len(kept)
        rows = rng.choice(count, min(count, _MAX_ROWS), replace=False)
        rows = rows if kept is None else kept[rows]
        self.n, self.n_linear = len(rows), len(theta) - model.n_support_vectors_
        # Each degree of freedom counts more than once, because the rows have chosen the basis functions too.
        budget = model.params["budget"]
        self._factor = 1.2 if budget is not None and budget <= 200 else 1.4
        self.scale = np.where(np.arange(len(theta)) < self.n_linear, _LINEAR_SCALE, 1.0)
        weights = np.ones(len(rows)) if weight is None else weight[rows] / weight[rows].mean()
        centred = y[rows] - np.average(y[rows], weights=weights)
        self._gram, products = np.zeros((len(theta),) * 2), np.zeros((len(theta), 2))
        squares, some = np.zeros(2), []
        for first in range(0, len(rows), _CHUNK):
            chunk = slice(first, first + _CHUNK)
            basis = model._basis(X, order=rows[chunk]).astype(float)
            errors = np.stack([y[rows[chunk]] - basis @ theta, centred[chunk]], axis=1)
            basis *= self.scale
            if first < _SAMPLE:
                some.append(basis)
            root = np.sqrt(weights[chunk])[:, None]
            basis, errors = root * basis, root * errors
            self._gram += basis.T @ basis
            products += basis.T @ errors
            squares = squares + (errors**2).sum(axis=0)
        self.residuals, self.targets = zip(products.T, squares, strict=True)
        self.values, self.y, self.weights = np.concatenate(some), y[rows[:_SAMPLE]], weights[:_SAMPLE]

    @classmethod
    def fits(cls, model: Any) -> bool:
        """Return whether the model has few enough basis functions."""
        return len(model._basis_coef()) <= _MAX_BASIS

    @cached_property
    def eigen(self) -> tuple[np.ndarray, np.ndarray]:
        """The eigenvalues and eigenvectors of the basis functions' products."""
        values, vectors = np.linalg.eigh(self._gram)
        return np.maximum(values, 0.0), vectors

    def ridge(self, products: np.ndarray, square: float) -> tuple[np.ndarray, float]:
        """Return the ridge solution of targets, and its penalty.

        The penalty has the smallest error of generalised cross-validation (Golub, Heath and Wahba 1979).
        `products` are ``P'r`` of n rows P of basis functions and their targets r, and `square` is ``r'r``.
        """
        values, vectors = self.eigen
        rotated = vectors.T @ products
        best, found, chosen = np.inf, np.zeros_like(products), np.inf
        for penalty in _PENALTIES + 1e-6 * self.n:
            inverse = 1.0 / (values + penalty)
            rss = square - (rotated**2 * inverse * (2.0 - values * inverse)).sum()
            freedom = (values * inverse).sum()
            error = max(rss, 0.0) / self.n / max(1e-3, 1.0 - self._factor * freedom / self.n) ** 2
            if error < best:
                best, found, chosen = error, rotated * inverse, penalty
        return vectors @ found, chosen


def refit(model: Any, rows: BasisRows) -> np.ndarray:
    """Improve a regressor by ridge regression of its residuals; return the changes of its coefficients."""
    if rows.n < _ROWS_PER_BASIS * len(rows.theta):
        return np.zeros_like(rows.theta)
    change = rows.scale * rows.ridge(*rows.residuals)[0]
    model._add_to_function(change)
    return change
