"""Consecutive rows of a data file."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from .._column_warnings import ColumnWarning, index_warning


@dataclass(frozen=True)
class Csr:
    """A CSR matrix with the attributes of SciPy's that the native model reads."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    shape: tuple[int, int]
    # The reader accepts only increasing indices.
    has_canonical_format: bool = True

    def tocsr(self) -> "Csr":
        """Return itself."""
        return self

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the values."""
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """The number of stored values."""
        return len(self.data)

    def __getitem__(self, rows: slice) -> "Csr":
        """Return consecutive rows with the same number of columns."""
        start, stop, _ = rows.indices(self.shape[0])
        begin, end = int(self.indptr[start]), int(self.indptr[stop])
        entries = slice(begin, end)
        indptr = self.indptr[start : stop + 1] - begin
        return Csr(indptr, self.indices[entries], self.data[entries], (stop - start, self.shape[1]))

    def take(self, rows: np.ndarray) -> "Csr":
        """Return some rows in the given order."""
        lengths = self.indptr[rows + 1] - self.indptr[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.repeat(self.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Csr(indptr, self.indices[entries], self.data[entries], (len(rows), self.shape[1]))

    @staticmethod
    def joined(parts: "list[Csr]") -> "Csr":
        """Return the rows of several matrices, as wide as the widest."""
        ends = np.cumsum([0, *(part.nnz for part in parts)])
        starts = [part.indptr[:-1].astype(np.int64) + end for part, end in zip(parts, ends, strict=False)]
        return Csr(
            np.concatenate([*starts, ends[-1:]]),
            np.concatenate([part.indices for part in parts]),
            np.concatenate([part.data for part in parts]),
            (sum(part.shape[0] for part in parts), max(part.shape[1] for part in parts)),
        )

    def first_wider(self, n_features: int) -> int:
        """Return the first row that has a feature beyond this number."""
        entry = int(np.argmax(self.indices >= n_features))
        return int(np.searchsorted(self.indptr, entry, side="right")) - 1

    def split(self, rows: int) -> "tuple[Csr, Csr]":
        """Return the first rows, as narrow as possible, and the others."""
        end = int(self.indptr[rows])
        width = int(self.indices[:end].max(initial=-1)) + 1
        head = Csr(self.indptr[: rows + 1], self.indices[:end], self.data[:end], (rows, width))
        others = (self.shape[0] - rows, self.shape[1])
        return head, Csr(self.indptr[rows:] - end, self.indices[end:], self.data[end:], others)


@dataclass
class Batch:
    """Consecutive rows, as an array, `Csr` or `NamedRows`; their `Labels`, targets or None."""

    rows: Any
    y: Any
    where: Any = field(repr=False)  # row index -> "FILE:LINE"

    def __len__(self) -> int:
        return self.rows.shape[0]

    @property
    def X(self) -> Any:  # noqa: N802
        """The rows as a matrix."""
        return self.rows.array if isinstance(self.rows, _core.NamedRows) else self.rows

    def index_warning(self) -> ColumnWarning | None:
        """Return a warning if the first column of the first rows of a file is a row number."""
        rows = self.rows
        if not isinstance(rows, _core.NamedRows) or rows.shape[1] == 0 or rows.column_of(0) != rows.names[0]:
            return None
        return index_warning(rows.names[0], rows.array[:, 0])

    def split(self, count: int) -> "tuple[Batch, Batch]":
        """Return the first rows and the others."""
        rows, y, where = self.rows, self.y, self.where
        heads, others = rows.split(count) if isinstance(rows, Csr) else (rows[:count], rows[count:])
        first, last = (None, None) if y is None else (y[:count], y[count:])
        return Batch(heads, first, where), Batch(others, last, lambda row: where(count + row))

    def take(self, order: np.ndarray) -> "Batch":
        """Return some rows in the given order."""
        rows, where = self.rows, self.where
        if isinstance(rows, _core.NamedRows):
            rows = rows.with_array(rows.array[order])
        else:
            rows = rows.take(order) if isinstance(rows, Csr) else rows[order]
        return Batch(rows, self.y[order], lambda row: where(int(order[row])))

    def matrix(self, n_features: int) -> Any:
        """Return the rows for a model with `n_features` features; a sparse matrix may be widened."""
        if isinstance(self.rows, Csr):
            return Csr(self.rows.indptr, self.rows.indices, self.rows.data, (len(self), n_features))
        return self.rows
