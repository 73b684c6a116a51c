"""The scan before training: number of features, classes and, for fixed scaling, mean and deviation."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from .._column_warnings import ColumnWarning
from .batch import Batch, Csr
from .labels import Labels
from .rows import Rows

NO_DEVIATION = 1e-7
"""Deviations up to this fraction of the mean count as rounding errors of single precision."""


class Moments:
    """Mean and variance of each column over all rows so far, in float64, by Chan's method."""

    def __init__(self) -> None:
        self.count: int = 0
        self.mean: np.ndarray = np.zeros(0)
        self._squares = np.zeros(0)

    def add(self, X: Any) -> None:
        """Add a block of rows; columns that appear for the first time were zero before."""
        mean, squares = _sparse_moments(X) if isinstance(X, Csr) else _dense_moments(X)
        width = max(len(mean), len(self.mean))
        mean, squares = _widened(mean, width), _widened(squares, width)
        self.mean, self._squares = _widened(self.mean, width), _widened(self._squares, width)
        total = self.count + X.shape[0]
        delta = mean - self.mean
        self.mean = self.mean + delta * (X.shape[0] / total)
        self._squares = self._squares + squares + delta**2 * (self.count * X.shape[0] / total)
        self.count = total

    def variance(self) -> np.ndarray:
        """Return the variance of each column."""
        return self._squares / max(1, self.count)

    def scaling(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and standard deviation of `width` columns; columns never seen are zero in all rows."""
        mean = _widened(self.mean, width)
        deviation = np.sqrt(_widened(self.variance(), width))
        # The deviation of a constant column is a rounding error.
        return mean, np.where(deviation <= NO_DEVIATION * np.abs(mean), 0.0, deviation)


def _widened(values: np.ndarray, width: int) -> np.ndarray:
    return np.concatenate([values, np.zeros(width - len(values))]) if len(values) < width else values


def _dense_moments(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = X.mean(axis=0, dtype=np.float64)
    return mean, ((X - mean) ** 2).sum(axis=0)


def _sparse_moments(X: Csr) -> tuple[np.ndarray, np.ndarray]:
    rows, width = X.shape
    values = X.data.astype(np.float64)
    mean = np.bincount(X.indices, weights=values, minlength=width) / rows
    stored = np.bincount(X.indices, minlength=width)
    squares = np.bincount(X.indices, weights=(values - mean[X.indices]) ** 2, minlength=width)
    return mean, squares + (rows - stored) * mean**2


@dataclass
class Scan:
    """The facts found in the rows so far."""

    n_rows: int = 0
    n_features: int = 0
    labels: list[Any] = field(default_factory=list)
    moments: Moments | None = None
    index: ColumnWarning | None = None
    """A warning about a column that counts the rows."""

    def add(self, batch: Batch) -> None:
        """Add a batch."""
        if self.n_rows == 0:
            self.index = batch.index_warning()
        self.n_rows += len(batch)
        self.n_features = max(self.n_features, batch.X.shape[1])
        if isinstance(batch.y, Labels):
            highest = int(batch.y.codes.max())
            self.labels += batch.y.names[len(self.labels) : highest + 1]
        if self.moments is not None:
            self.moments.add(batch.X)


def scan_file(rows: Rows, *, moments: bool, report: Callable[[Scan, Batch], None]) -> Scan:
    """Scan all rows of a file."""
    found = Scan(moments=Moments() if moments else None)
    for batch in rows:
        found.add(batch)
        report(found, batch)
    return found


def scan_start(batches: Iterable[Batch], *, limit: int, moments: bool) -> tuple[Scan, Iterator[Batch]]:
    """Scan the first `limit` rows of a stream; return the scan and all rows, including those scanned."""
    found = Scan(moments=Moments() if moments else None)
    stream = iter(batches)
    held = []
    for batch in stream:
        # Cut at the limit, so that the scan does not depend on how the bytes arrived.
        head, rest = batch.split(min(len(batch), limit - found.n_rows))
        held.append(head)
        found.add(head)
        if found.n_rows == limit:
            held += [rest] if len(rest) else []
            break
    return found, chain(held, stream)
