"""A warning where the kernel cannot tell rows apart: its values are nearly all 0, or nearly all 1."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .batch import Batch, Csr

ROWS = 1024
"""The rows after which the values are looked at, or after all rows where there are fewer."""

LEAST = 10
"""The rows of which something can be said."""

_LOW, _HIGH, _MOST = 1e-3, 0.999, 0.95
_SAMPLE = 256
# Numbers that a sample may have: of wider rows none is taken.
_NUMBERS = 1 << 24


def _distances(rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return the squared distances."""
    squares = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1) - 2 * rows @ vectors.T
    return np.maximum(squares, 0)


def _absolute(rows: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.stack([np.abs(vectors - row).sum(axis=1) for row in rows])


# The kernels with values from 0 to 1 that gamma decides, and the distance that each is of.
_KERNELS: dict[str, Callable[..., np.ndarray]] = {
    "rbf": _distances,
    "laplacian": _absolute,
    "matern32": _distances,
    "matern52": _distances,
    "rational-quadratic": _distances,
}


class Watch:
    """Keeps some of the first rows, and looks once at their kernel values with the support vectors.

    Models whose kernel sees other rows than those of the file are left alone: with `scale="online"` or a
    learned metric, as `online-kernel` has, or with hashed columns. So are very wide rows.
    """

    def __init__(self, model: Any, deviation: np.ndarray | None = None) -> None:
        self._model = model
        params = model.params
        is_seen = params.get("scale") is None and params.get("metric", "none") == "none"
        is_seen = is_seen and params.get("hash_features") is None
        self._is_done = params["kernel"] not in _KERNELS or not is_seen
        self._deviation = None if deviation is None else np.where(deviation > 0, deviation, 1.0)
        self._rows: list[np.ndarray] = []
        self._before = getattr(model, "n_seen_", 0)

    def add(self, batch: Batch) -> str | None:
        """Take some rows of a batch that was learned; return the warning, once, if there is one."""
        if self._is_done:
            return None
        wanted = _SAMPLE - len(self._rows)
        if wanted > 0:
            places = dict.fromkeys(
                np.linspace(0, len(batch) - 1, min(wanted, len(batch))).astype(int).tolist()
            )
            if batch.X.shape[1] * _SAMPLE <= _NUMBERS:
                self._rows += [_dense_row(batch.X, at) for at in places]
        return self._look() if self._rows_learned() >= ROWS else None

    def end(self) -> str | None:
        """Return the warning of fewer rows, when all of them were learned, if there is one."""
        enough = not self._is_done and self._rows_learned() >= LEAST
        self._is_done = True
        return self._look() if enough else None

    def _rows_learned(self) -> int:
        return getattr(self._model, "n_seen_", 0) - self._before

    def _look(self) -> str | None:
        self._is_done = True
        values, distances = self._values()
        return _warning(values, distances, self._model, is_scaled=self._deviation is not None)

    def _values(self) -> tuple[np.ndarray, np.ndarray]:
        """Return kernel values and distances of all pairs that are not equal."""
        model, width = self._model, self._model.n_features_in_
        none = np.empty(0)
        wide = max(width, _SAMPLE) * model.n_support_vectors_ > _NUMBERS
        if not self._rows or not model.n_support_vectors_ or wide:
            return none, none
        rows = np.stack([np.pad(row, (0, width - len(row))) for row in self._rows])
        some = slice(None, None, -(-model.n_support_vectors_ // _SAMPLE))
        values = model._kernel_values(rows)[:, some].ravel()
        if self._deviation is not None:
            rows /= np.pad(self._deviation, (0, width - len(self._deviation)), constant_values=1.0)
        vectors = model.support_vectors_[some].astype(np.float64)
        # Sums of squares are exact enough near the origin alone.
        centre = vectors.mean(axis=0)
        distances = _KERNELS[model.params["kernel"]](rows - centre, vectors - centre).ravel()
        others = distances > 1e-9 * distances.max()
        return values[others], distances[others]


def _dense_row(X: Any, at: int) -> np.ndarray:
    if not isinstance(X, Csr):
        return X[at].astype(np.float64)
    part = slice(int(X.indptr[at]), int(X.indptr[at + 1]))
    row = np.zeros(X.shape[1])
    row[X.indices[part]] = X.data[part]
    return row


def _warning(values: np.ndarray, distances: np.ndarray, model: Any, *, is_scaled: bool) -> str | None:
    """Return the warning that the values call for."""
    if not len(values):
        return None
    low, high = float(np.mean(values < _LOW)), float(np.mean(values > _HIGH))
    if max(low, high) < _MOST:
        return None
    about, share = (f"below {_LOW:g}", low) if low > high else (f"above {_HIGH:g}", high)
    what = "no row is like another" if low > high else "all rows look alike"
    # There the kernel is about 1/e at the usual distance.
    better = 1 / float(np.median(distances))
    scaling = "" if is_scaled else ", --standardize"
    return (
        f"{100 * share:.0f}% of the kernel values of the first rows with support vectors are {about}: with "
        f"gamma = {model.gamma_:.4g} {what}; try --gamma {better:.2g}{scaling}, or --algorithm "
        "online-kernel, which scales rows itself"
    )
