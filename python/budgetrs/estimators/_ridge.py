"""Ridge regression on the basis functions of a trained model: the last step of a regression fit."""

from typing import Any

import numpy as np

_MAX_ROWS = 20_000
"""The largest number of rows that the ridge is computed from."""

_ROWS_PER_BASIS = 10
"""The smallest number of rows for each basis function; with fewer the ridge would fit noise."""

_LINEAR_SCALE = 0.3
"""The scale of the inputs of the linear term, which weakens the penalty of their coefficients."""

_PENALTIES = 1e-4 * 3.0 ** np.arange(19)
"""The penalties from which generalised cross-validation chooses; the largest is 4e4."""

_CHUNK = 2048


def refit(
    model: Any,
    X: Any,
    y: np.ndarray,
    weight: np.ndarray | None,
    kept: np.ndarray | None,
    rng: np.random.Generator,
) -> None:
    """Improve a regressor by ridge regression of its residuals on its basis functions.

    The basis functions are the kernel functions of the support vectors and the inputs of the linear term. The
    penalty is chosen by generalised cross-validation (Golub, Heath and Wahba 1979).

    Parameters
    ----------
    model : Regressor
        The model, whose function changes.
    X, y, weight
        The rows as `fit` has them.
    kept : ndarray of int, optional
        Indices of the rows to use; by default all rows.
    rng : Generator
        Draws 20,000 of more rows.
    """
    theta = np.array(model._basis_coef())
    count = len(y) if kept is None else len(kept)
    if min(count, _MAX_ROWS) < _ROWS_PER_BASIS * len(theta):
        return
    rows = rng.choice(count, _MAX_ROWS, replace=False) if count > _MAX_ROWS else np.arange(count)
    rows = rows if kept is None else kept[rows]
    n_linear = len(theta) - model.n_support_vectors_
    scale = np.where(np.arange(len(theta)) < n_linear, _LINEAR_SCALE, 1.0)
    gram, moments, square = np.zeros((len(theta),) * 2), np.zeros(len(theta)), 0.0
    weights = np.ones(len(rows)) if weight is None else weight[rows] / weight[rows].mean()
    for first in range(0, len(rows), _CHUNK):
        chunk = slice(first, first + _CHUNK)
        basis = model._basis(X, order=rows[chunk]).astype(float)
        residuals = np.sqrt(weights[chunk]) * (y[rows[chunk]] - basis @ theta)
        basis *= np.sqrt(weights[chunk])[:, None] * scale
        gram += basis.T @ basis
        moments += basis.T @ residuals
        square += residuals @ residuals
    model._add_to_function(scale * solution(gram, moments, square, len(rows), model.params["budget"]))


def solution(gram: np.ndarray, moments: np.ndarray, square: float, n: int, budget: int | None) -> np.ndarray:
    """Return the ridge solution with the penalty of the smallest generalised cross-validation error.

    `gram` and `moments` are ``P'P`` and ``P'r`` of n rows P of basis functions and their residuals r, and
    `square` is ``r'r``.
    """
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    rotated = vectors.T @ moments
    # Each degree of freedom counts more than once, because the rows have chosen the basis functions too.
    factor = 1.2 if budget is not None and budget <= 200 else 1.4
    best, found = np.inf, np.zeros_like(moments)
    for penalty in _PENALTIES + 1e-6 * n:
        inverse = 1.0 / (values + penalty)
        rss = square - (rotated**2 * inverse * (2.0 - values * inverse)).sum()
        freedom = (values * inverse).sum()
        error = max(rss, 0.0) / n / max(1e-3, 1.0 - factor * freedom / n) ** 2
        if error < best:
            best, found = error, rotated * inverse
    return vectors @ found
