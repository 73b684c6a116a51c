"""Consecutive rows of a data file."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


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
    """Consecutive rows: a matrix, their `Labels`, targets or None, and `NamedRows` if columns have names."""

    X: Any
    y: Any
    where: Any = field(repr=False)  # row index -> "FILE:LINE"
    named: Any = None

    def __len__(self) -> int:
        return self.X.shape[0]

    def split(self, rows: int) -> "tuple[Batch, Batch]":
        """Return the first rows and the others."""
        heads, others = self.X.split(rows) if isinstance(self.X, Csr) else (self.X[:rows], self.X[rows:])
        y = (None, None) if self.y is None else (self.y[:rows], self.y[rows:])
        named = (None, None) if self.named is None else (self.named[:rows], self.named[rows:])
        where = self.where
        return (
            Batch(heads, y[0], where, named[0]),
            Batch(others, y[1], lambda row: where(rows + row), named[1]),
        )

    def matrix(self, n_features: int) -> Any:
        """Return the rows for a model of so many features; a sparse matrix may be widened."""
        if self.named is not None:
            return self.named
        if isinstance(self.X, Csr):
            return Csr(self.X.indptr, self.X.indices, self.X.data, (len(self), n_features))
        return self.X
