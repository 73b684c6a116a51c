"""A warning where the kernel cannot tell rows apart: all values of nearly all rows are 0, or 1."""

from typing import Any

import numpy as np

from ._columns import numbers

LEAST = 30
"""The rows of which something can be said."""

_LOW, _HIGH, _MOST = 1e-3, 0.999, 0.95
# So few support vectors may be far from most rows although the model is good.
_VECTORS = 10
# The kernels with values from 0 to 1 that gamma decides.
_KERNELS = ("rbf", "laplacian", "matern32", "matern52", "rational-quadratic")


def found_alike(model: Any, X: Any) -> str | None:
    """Return what is to be said of the kernel values of rows that a model has learned, if anything.

    Nothing of models that scale rows, fold their columns or learn a metric.
    """
    params = model.params
    is_raw = params["scale"] is None and params["hash_features"] is None and params["metric"] == "none"
    rows = numbers(X)
    is_little = rows.shape[0] < LEAST or model.n_support_vectors_ < _VECTORS
    if not is_raw or params["kernel"] not in _KERNELS or is_little:
        return None
    # So few of the rows that it takes a few hundredths of the time to learn them.
    count = min(max(rows.shape[0] // 32, LEAST // 4), 128)
    some = np.linspace(0, rows.shape[0] - 1, count).astype(int)
    values = model._kernel_values(rows[some])
    nearest, farthest = values.max(axis=1), values.min(axis=1)
    # The largest value of a row may be that with itself.
    own = nearest > _HIGH
    nearest[own] = np.partition(values[own], -2, axis=1)[:, -2]
    low, high = float(np.mean(nearest < _LOW)), float(np.mean(farthest > _HIGH))
    if max(low, high) < _MOST:
        return None
    about, share = (f"below {_LOW:g}", low) if low > high else (f"above {_HIGH:g}", high)
    what = "no row is like another" if low > high else "all rows look alike"
    return (
        f"of {100 * share:.0f}% of the rows all kernel values with other support vectors are {about}: "
        f"with gamma = {model.gamma_:.4g} {what}; try"
    )
