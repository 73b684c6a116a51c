"""Ridge regression on the basis functions of a trained model: the last step of a regression fit."""

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

_LEVERAGE_PENALTY = 0.1
"""The penalty of the ridge regression whose leverages are computed."""

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
    n : int
        The number of rows that the sums stand for.
    has_ridge : bool
        Whether there are enough rows for a ridge regression.
    gram, products, square : (ndarray, ndarray, float)
        The sums ``P'P``, ``P'r`` and ``r'r`` of the scaled basis functions P and the model's residuals r.
        Without a ridge regression they come from some rows, and the first is multiplied to stand for all.
    values, y, weights : ndarray
        The basis functions of some rows, scaled, their targets and their weights relative to the mean.
    """

    def __init__(
        self, model: Any, X: Any, y: np.ndarray, weight: np.ndarray | None, kept: np.ndarray | None, rng: Any
    ) -> None:
        self.theta = theta = np.array(model._basis_coef())
        count = len(y) if kept is None else len(kept)
        self.n = min(count, _MAX_ROWS)
        self.has_ridge = self.n >= _ROWS_PER_BASIS * len(theta)
        used = self.n if self.has_ridge else min(self.n, _SAMPLE)
        rows = rng.choice(count, used, replace=False)
        rows = rows if kept is None else kept[rows]
        self.n_linear = len(theta) - model.n_support_vectors_
        # Each degree of freedom counts more than once, because the rows have chosen the basis functions too.
        budget = model.params["budget"]
        self._factor = 1.2 if budget is not None and budget <= 200 else 1.4
        self.scale = np.where(np.arange(len(theta)) < self.n_linear, _LINEAR_SCALE, 1.0)
        weights = np.ones(used) if weight is None else weight[rows] / weight[rows].mean()
        self.gram, self.products, self.square = np.zeros((len(theta),) * 2), np.zeros(len(theta)), 0.0
        some = []
        for first in range(0, used, _CHUNK):
            chunk = slice(first, first + _CHUNK)
            basis = model._basis(X, order=rows[chunk]).astype(float)
            residuals = np.sqrt(weights[chunk]) * (y[rows[chunk]] - basis @ theta)
            basis *= self.scale
            if first < _SAMPLE:
                some.append(basis)
            basis = np.sqrt(weights[chunk])[:, None] * basis
            self.gram += basis.T @ basis
            self.products += basis.T @ residuals
            self.square += residuals @ residuals
        self.gram *= self.n / used
        self.values, self.y, self.weights = np.concatenate(some), y[rows[:_SAMPLE]], weights[:_SAMPLE]

    @classmethod
    def fits(cls, model: Any) -> bool:
        """Return whether the model has few enough basis functions."""
        return len(model._basis_coef()) <= _MAX_BASIS

    def ridge(self) -> np.ndarray:
        """Return the ridge solution of the residuals.

        The penalty has the smallest error of generalised cross-validation (Golub, Heath and Wahba 1979).
        """
        values, vectors = np.linalg.eigh(self.gram)
        values = np.maximum(values, 0.0)
        rotated = vectors.T @ self.products
        best, found = np.inf, np.zeros_like(self.products)
        for penalty in _PENALTIES + 1e-6 * self.n:
            inverse = 1.0 / (values + penalty)
            rss = self.square - (rotated**2 * inverse * (2.0 - values * inverse)).sum()
            freedom = (values * inverse).sum()
            error = max(rss, 0.0) / self.n / max(1e-3, 1.0 - self._factor * freedom / self.n) ** 2
            if error < best:
                best, found = error, rotated * inverse
        return vectors @ found

    def leverages(self) -> np.ndarray:
        """Return how much each of the rows `values` determines its prediction in a ridge regression."""
        penalty = _LEVERAGE_PENALTY + 1e-6 * self.n
        # Single precision is exact enough, and faster.
        inverse = np.linalg.inv(self.gram + penalty * np.eye(len(self.gram))).astype(np.float32)
        values = self.values.astype(np.float32)
        return self.weights * np.einsum("ij,ij->i", values @ inverse, values)


def refit(model: Any, rows: BasisRows) -> np.ndarray:
    """Improve a regressor by ridge regression of its residuals; return the changes of its coefficients."""
    if not rows.has_ridge:
        return np.zeros_like(rows.theta)
    change = rows.scale * rows.ridge()
    model._add_to_function(change)
    return change
