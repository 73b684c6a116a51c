"""A warning where the kernel cannot tell rows apart: its values are nearly all 0, or nearly all 1."""

from typing import Any

import numpy as np

from ._columns import numbers

LEAST = 30
"""The rows of which something can be said."""

_LOW, _HIGH, _MOST = 1e-3, 0.999, 0.95
# The kernels with values from 0 to 1 that gamma decides.
_KERNELS = ("rbf", "laplacian", "matern32", "matern52", "rational-quadratic")


def found_alike(model: Any, X: Any) -> str | None:
    """Return what is to be said of the kernel values of rows that a model has learned, if anything.

    Nothing of models that scale rows, fold their columns or learn a metric.
    """
    params = model.params
    is_raw = params["scale"] is None and params["hash_features"] is None and params["metric"] == "none"
    rows = numbers(X)
    if (
        not is_raw
        or params["kernel"] not in _KERNELS
        or rows.shape[0] < LEAST
        or model.n_support_vectors_ < 2
    ):
        return None
    # A sixteenth of the rows: it takes a few hundredths of the time to learn them.
    count = min(max(rows.shape[0] // 16, LEAST // 4), 256)
    some = np.unique(np.linspace(0, rows.shape[0] - 1, count).astype(int))
    # The largest value of a row may be that with itself.
    values = np.sort(model._kernel_values(rows[some]), axis=1)[:, :-1]
    low, high = float(np.mean(values < _LOW)), float(np.mean(values > _HIGH))
    if max(low, high) < _MOST:
        return None
    about, share = (f"below {_LOW:g}", low) if low > high else (f"above {_HIGH:g}", high)
    what = "no row is like another" if low > high else "all rows look alike"
    return (
        f"{100 * share:.0f}% of the kernel values of rows with support vectors are {about}: with gamma = "
        f"{model.gamma_:.4g} {what}; try"
    )
