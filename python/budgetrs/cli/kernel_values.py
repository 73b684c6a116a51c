"""The warning about kernel values of the first rows of a file."""

from typing import Any

import numpy as np

from .._kernel_values import HIGH, LOW, compares_raw_rows, distances, warning
from .batch import Batch, Csr

ROWS = 1024
"""The number of rows after which kernel values are checked, or after all rows of a shorter file."""

MIN_ROWS = 10
"""The smallest number of rows that are checked."""

_SAMPLE = 256
# The largest size of a matrix of the check; wider rows are not checked.
_MAX_SIZE = 1 << 24


class SimilarityCheck:
    """Samples the first rows, and checks their kernel values with the support vectors once."""

    def __init__(self, model: Any, deviation: np.ndarray | None = None) -> None:
        self._model = model
        model._checks.done.add("kernel values")
        self._is_done = not compares_raw_rows(model)
        self._deviation = None if deviation is None else np.where(deviation > 0, deviation, 1.0)
        self._rows: list[np.ndarray] = []
        self._before = getattr(model, "n_samples_seen_", 0)

    def add(self, batch: Batch) -> str | None:
        """Sample rows of a batch that was learned; return the warning, once, if one is due."""
        if self._is_done:
            return None
        wanted = _SAMPLE - len(self._rows)
        if wanted > 0 and batch.X.shape[1] * _SAMPLE <= _MAX_SIZE:
            places = np.linspace(0, len(batch) - 1, min(wanted, len(batch))).astype(int)
            self._rows += [_dense_row(batch.X, at) for at in dict.fromkeys(places.tolist())]
        return self._check() if self._rows_learned() >= ROWS else None

    def end(self) -> str | None:
        """Return the warning after the last row of a short file, if one is due."""
        enough = not self._is_done and self._rows_learned() >= MIN_ROWS
        self._is_done = True
        return self._check() if enough else None

    def _rows_learned(self) -> int:
        return getattr(self._model, "n_samples_seen_", 0) - self._before

    def _check(self) -> str | None:
        """Return the warning, with the gamma at which the kernel is about 1/e at the median distance."""
        self._is_done = True
        values, lengths = self._pairs()
        if not len(values):
            return None
        subject = "{} of the kernel values of the first rows with support vectors"
        text = warning(self._model, values < LOW, values > HIGH, subject)
        if text is None:
            return None
        scaling = ", --scaling fixed" if self._deviation is None else ""
        return (
            f"{text} --set gamma={1 / float(np.median(lengths)):.2g}{scaling}, or --algorithm online-kernel, "
            "which scales features itself"
        )

    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return kernel values and distances of all pairs of sampled rows and support vectors that differ."""
        model, width = self._model, self._model.n_features_encoded_
        is_wide = max(width, _SAMPLE) * model.n_support_vectors_ > _MAX_SIZE
        if not self._rows or not model.n_support_vectors_ or is_wide:
            return np.empty(0), np.empty(0)
        rows = np.stack([np.pad(row, (0, width - len(row))) for row in self._rows])
        some = slice(None, None, -(-model.n_support_vectors_ // _SAMPLE))
        values = model._kernel_values(rows)[:, some].ravel()
        if self._deviation is not None:
            rows /= np.pad(self._deviation, (0, width - len(self._deviation)), constant_values=1.0)
        lengths = distances(model, rows, model.support_vectors_[some].astype(np.float64)).ravel()
        differ = lengths > 1e-9 * lengths.max()
        return values[differ], lengths[differ]


def _dense_row(X: Any, at: int) -> np.ndarray:
    if not isinstance(X, Csr):
        return X[at].astype(np.float64)
    part = slice(int(X.indptr[at]), int(X.indptr[at + 1]))
    row = np.zeros(X.shape[1])
    row[X.indices[part]] = X.data[part]
    return row
