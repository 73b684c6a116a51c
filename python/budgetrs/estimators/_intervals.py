"""Half widths of prediction intervals after several passes over the rows."""

from typing import Any

import numpy as np

from .. import _core
from ._ridge import BasisRows

_MIN_ROWS = 50
"""The smallest number of rows whose residuals determine half widths."""

_SHARE_OF_WAY = 2 / 3
"""How far errors move to the late error, on a logarithmic scale."""


def recalibrate(
    model: Any, rows: BasisRows, expected: tuple[list[float], float], theta: np.ndarray, late_error: float
) -> None:
    """Set the half widths of prediction intervals for rows that are new to a model fitted in several passes.

    While a model learns, its half widths follow the errors of rows before they were learned. At the end of
    `fit` these errors are too large, since the model was worse then, and the residuals of its rows are too
    small. So the residuals are moved two thirds of the way to the late error, on a logarithmic scale. (With
    half of the way 80% intervals of tables with few rows cover too little, with all of it smooth targets are
    covered too often.) The half widths are the quantiles of the result over the expected errors. With fewer
    than 50 rows they stay as they are.

    Parameters
    ----------
    model : Regressor
        The model, whose half widths change.
    rows : BasisRows
        Its basis functions.
    expected : (list of float, float)
        The expected errors near the support vectors, and the mean error.
    theta : ndarray
        The coefficients of the model now.
    late_error : float
        The mean absolute error of the second half of the first pass, each row before it was learned.
    """
    if len(rows.y) < _MIN_ROWS:
        return
    predicted = np.clip(rows.values @ theta, rows.y.min(), rows.y.max())
    errors = abs(rows.y - predicted)
    if 0.0 < errors.mean() < late_error:
        errors *= (late_error / errors.mean()) ** _SHARE_OF_WAY
    near, mean = expected
    weights = rows.values[:, rows.n_linear :] ** 2
    scales = (weights @ np.array(near) + 0.05 * mean) / (weights.sum(axis=1) + 0.05)
    scores = np.sort(np.divide(errors, scales, out=np.zeros_like(errors), where=scales > 0))
    ranks = np.ceil((len(scores) + 1) * np.array(_core.COVERAGES)).astype(int) - 1
    model._set_half_widths(scores[np.minimum(ranks, len(scores) - 1)])
