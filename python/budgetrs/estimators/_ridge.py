"""Ridge regression on the basis functions of a trained model: the last step of a regression fit."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import get_lapack_funcs, solve_triangular

_MAX_ROWS = 20_000
"""The largest number of rows that the ridge is computed from."""

_ROWS_PER_BASIS = 10
"""The smallest number of rows for each basis function; with fewer the ridge would fit noise."""

_MAX_BASIS = _MAX_ROWS // _ROWS_PER_BASIS
"""The largest number of basis functions."""

_LINEAR_SCALE = 0.3
"""The scale of the inputs of the linear term, which weakens the penalty of their coefficients."""

_PENALTIES = 0.1 * 3.0 ** np.arange(13)
"""The penalties from which generalised cross-validation chooses; the largest is 5e4."""

_LEVERAGE_PENALTY = 0.1
"""The penalty of the ridge regression whose leverages are computed."""

_CHUNK = 1024
"""The number of rows whose basis functions are computed together."""

_SAMPLE = 2 * _CHUNK
"""The number of rows whose basis functions are kept."""

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
    n, n_linear : int
        The numbers of rows and of inputs of the linear term.
    scale : ndarray
        The scales of the basis functions.
    values, y, weights : ndarray
        The basis functions of some rows, scaled, their targets and their weights relative to the mean.
    limits : (float, float)
        The smallest and the largest target of all rows.
    """

    def __init__(
        self, model: Any, X: Any, y: np.ndarray, weight: np.ndarray | None, kept: np.ndarray | None, rng: Any
    ) -> None:
        self.theta = np.array(model._basis_coef())
        count = len(y) if kept is None else len(kept)
        self.n = min(count, _MAX_ROWS)
        enough = self.n >= _ROWS_PER_BASIS * len(self.theta)
        rows = rng.choice(count, self.n if enough else min(self.n, _SAMPLE), replace=False)
        rows = rows if kept is None else kept[rows]
        self.n_linear = len(self.theta) - model.n_support_vectors_
        # Each degree of freedom counts more than once, because the rows have chosen the basis functions too.
        budget = model.params["budget"]
        self._factor = 1.2 if budget is not None and budget <= 200 else 1.4
        self.scale = np.where(np.arange(len(self.theta)) < self.n_linear, _LINEAR_SCALE, 1.0)
        weights = np.ones(len(rows)) if weight is None else weight[rows] / weight[rows].mean()
        targets = y if kept is None else y[kept]
        self.limits = float(targets.min()), float(targets.max())
        some, sums = [], _Sums(len(self.theta)) if enough else None
        for first in range(0, len(rows), _CHUNK):
            chunk = slice(first, first + _CHUNK)
            basis = self.scale * model._basis(X, order=rows[chunk])
            if first < _SAMPLE:
                some.append(basis)
            if sums is not None:
                sums.add(basis, self._residuals(basis, y[rows[chunk]]), weights[chunk])
        self.values, self.y, self.weights = np.concatenate(some), y[rows[:_SAMPLE]], weights[:_SAMPLE]
        self._sums = sums

    @classmethod
    def fits(cls, model: Any) -> bool:
        """Return whether the model has few enough basis functions."""
        return len(model._basis_coef()) <= _MAX_BASIS

    def _residuals(self, values: np.ndarray, y: np.ndarray) -> np.ndarray:
        return y - values @ (self.theta / self.scale)

    def ridge(self) -> tuple[np.ndarray, float]:
        """Return the ridge solution of the residuals, and its degrees of freedom per row.

        With fewer than ten rows for each basis function it uses the rows `values`, and either only the inputs
        of the linear term, or also as many of the newest support vectors as leave ten rows for each function,
        whichever has the smaller error of cross-validation. Without ten rows for each input it is 0.
        """
        if self._sums is not None:
            return self._sums.ridge(self._factor)[1:]
        m, linear, solution = len(self.theta), np.arange(self.n_linear), np.zeros(len(self.theta))
        others = len(self.y) // _ROWS_PER_BASIS - self.n_linear
        if others < 0:
            return solution, 0.0
        newest = np.arange(max(self.n_linear, m - others), m)
        residuals, found = self._residuals(self.values, self.y), []
        for functions in (linear, np.r_[linear, newest]):
            sums = _Sums(len(functions))
            sums.add(self.values[:, functions], residuals, self.weights)
            found.append((*sums.ridge(self._factor), functions))
        _, coef, freedom, functions = min(found, key=lambda each: each[0])
        solution[functions] = coef
        return solution, freedom

    def share(self, change: np.ndarray, freedom: float) -> float:
        """Return which share of a ridge solution to add to the model: all of it unless absolute errors rise.

        The ridge regression follows the mean of skewed targets, and the model their median. The share is
        three fifths of the way from that with the smallest mean absolute error to 1. The error is divided by
        the share of the rows that are not used up, as in generalised cross-validation.
        """
        residuals, moved = self._residuals(self.values, self.y), self.values @ change
        before = self.y - residuals
        errors = [
            self.weights
            @ abs(self.y - np.clip(before + share * moved, *self.limits))
            / max(1e-3, 1.0 - self._factor * share * freedom)
            for share in _SHARES
        ]
        best = float(_SHARES[np.argmin(errors)])
        return best + _SHARE_OF_SQUARES * (1.0 - best)

    def leverages(self) -> np.ndarray:
        """Return how much each of the rows `values` determines its prediction in a ridge regression."""
        penalty = _LEVERAGE_PENALTY + 1e-6 * self.n
        n, m = self.values.shape
        if self._sums is not None:
            return self._sums.leverages(self.values, self.weights, penalty)
        weighted = np.sqrt(self.weights)[:, None] * self.values
        if n < m:
            factor = np.linalg.cholesky(weighted @ weighted.T + penalty * np.eye(n))
            (inverted,) = get_lapack_funcs(("trtri",), (factor,))
            return 1.0 - penalty * np.square(inverted(factor, lower=1)[0]).sum(axis=0)
        factor = np.linalg.cholesky(self.n / n * (weighted.T @ weighted) + penalty * np.eye(m))
        # Single precision is exact enough, and faster.
        factor, weighted = factor.astype(np.float32), weighted.astype(np.float32)
        return np.square(solve_triangular(factor, weighted.T, lower=True, check_finite=False)).sum(axis=0)


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

    @cached_property
    def eigen(self) -> tuple[np.ndarray, np.ndarray]:
        """The eigenvalues and eigenvectors of ``P'P``."""
        values, vectors = np.linalg.eigh(self.gram)
        return np.maximum(values, 0.0), vectors

    def ridge(self, factor: float) -> tuple[float, np.ndarray, float]:
        """Return the error of the ridge solution, the solution and its degrees of freedom per row.

        The penalty has the smallest error of generalised cross-validation (Golub, Heath and Wahba 1979), in
        which each degree of freedom counts `factor` times.
        """
        values, vectors = self.eigen
        rotated = vectors.T @ self.products
        found = []
        for penalty in _PENALTIES + 1e-6 * self.n:
            inverse = 1.0 / (values + penalty)
            rss = self.square - (rotated**2 * inverse * (2.0 - values * inverse)).sum()
            freedom = float((values * inverse).sum() / self.n)
            error = max(rss, 0.0) / max(1e-3, 1.0 - factor * freedom) ** 2
            found.append((error, freedom, inverse))
        error, freedom, inverse = min(found, key=lambda each: each[0])
        return error, vectors @ (rotated * inverse), freedom

    def leverages(self, values: np.ndarray, weights: np.ndarray, penalty: float) -> np.ndarray:
        """Return the leverages of rows in the ridge regression with a penalty."""
        squares, vectors = self.eigen
        # Single precision is exact enough, and faster.
        rotated = values.astype(np.float32) @ (vectors / np.sqrt(squares + penalty)).astype(np.float32)
        return weights * np.einsum("ij,ij->i", rotated, rotated)


def refit(model: Any, rows: BasisRows) -> np.ndarray:
    """Improve a regressor by ridge regression of its residuals; return the changes of its coefficients."""
    change, freedom = rows.ridge()
    if not change.any():
        return change
    change *= rows.share(change, freedom) * rows.scale
    model._add_to_function(change)
    return change
