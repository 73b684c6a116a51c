"""The warning about kernel values that cannot tell rows apart: nearly all of them are 0, or 1."""

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core

LOW, HIGH = 1e-3, 0.999
"""Kernel values below and above these count as 0 and 1."""

MIN_VECTORS = 10
"""Fewer support vectors may be far from most rows although the model is good."""

_MIN_SHARE = 0.95
_MIN_ROWS = 30


def _squared(rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    distances = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1) - 2 * rows @ vectors.T
    return np.maximum(distances, 0)


def _absolute(rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.stack([np.abs(vectors - row).sum(axis=1) for row in rows])


DISTANCES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "|x - x'|^2": _squared,
    "|x - x'|_1": _absolute,
}
"""The distances by name. A kernel falls from 1 to 0 as its distance grows, and gamma scales the distance."""


def compares_raw_rows(model: Any) -> bool:
    """Whether the kernel is a function of the distance of raw rows: no scaling, hashing or learned metric."""
    params = model.params
    are_raw = params.get("scaling", "none") == params.get("metric_learning", "none") == "none"
    return are_raw and params.get("hash_features") is None and _core.KERNELS[params["kernel"]] in DISTANCES


def distances(model: Any, rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return the distances of all pairs of rows and vectors, in the distance that the kernel is based on."""
    # Squared distances by squared norms are precise near the origin only.
    centre = vectors.mean(axis=0)
    return DISTANCES[_core.KERNELS[model.params["kernel"]]](rows - centre, vectors - centre)


def warning(model: Any, low: np.ndarray, high: np.ndarray, subject: str) -> str | None:
    """Return the text of the warning up to its advice, if one is due.

    `low` and `high` tell which items have kernel values near 0 and near 1; `subject` says what the items are,
    with a place for their share.
    """
    shares = float(np.mean(low)), float(np.mean(high))
    if max(shares) < _MIN_SHARE:
        return None
    is_low = shares[0] > shares[1]
    about = f"below {LOW:g}" if is_low else f"above {HIGH:g}"
    size = "large" if is_low else "small"
    share = f"{100 * max(shares):.0f}%"
    return f"{subject.format(share)} are {about}: gamma = {model.gamma_:.4g} is too {size}; try"


def sample(model: Any, rows: int) -> list[int]:
    """Return the rows of a batch to check: few enough to take a few hundredths of the training time.

    The list is empty if the batch or the model is too small, or if the kernel does not compare raw rows.
    """
    if rows < _MIN_ROWS or model.n_support_vectors_ < MIN_VECTORS or not compares_raw_rows(model):
        return []
    count = min(max(rows // 32, _MIN_ROWS // 4), 128)
    return np.linspace(0, rows - 1, count).astype(int).tolist()


def rows_warning(model: Any, rows: Any) -> str | None:
    """Return the text of the warning up to its advice, if it is due for nearly all rows of a batch."""
    some = sample(model, rows.shape[0])
    return _values_warning(model, model._kernel_values(rows[some])) if some else None


def basis_warning(model: Any, basis: np.ndarray) -> str | None:
    """Return the text of the warning by the basis functions of the model at a sample of the rows.

    There is no warning if gamma is computed from the rows: such a gamma is too small only if the rows are
    nearly equal, and then no other gamma helps.
    """
    if isinstance(model.params["gamma"], str):
        return None
    # The inputs of the linear term and its constant come first.
    inputs = 0 if model.params.get("linear_weight") is None else model.n_features_encoded_ + 1
    message = _values_warning(model, basis[:, inputs:])
    return message and f'{type(model).__name__}: {message} gamma="scale" or scaling="online"'


def _values_warning(model: Any, values: np.ndarray) -> str | None:
    """Return the text of the warning for kernel values of rows with the support vectors."""
    nearest, farthest = values.max(axis=1), values.min(axis=1)
    # The largest value of a row may belong to the row itself as a support vector.
    own = nearest > HIGH
    nearest[own] = np.partition(values[own], -2, axis=1)[:, -2]
    subject = "of {} of the rows all kernel values with other support vectors"
    return warning(model, nearest < LOW, farthest > HIGH, subject)
