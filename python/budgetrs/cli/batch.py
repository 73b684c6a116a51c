"""Rows of a data file as `learn` takes them, with their labels and their lines."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._frames import Frame


@dataclass(frozen=True)
class Table(Frame):
    """Columns with names, for a model of this dtype."""

    dtype: str = "float32"

    @property
    def is_single(self) -> bool:
        """Whether a new model computes in single precision."""
        return self.dtype == "float32"

    def take(self, rows: np.ndarray) -> "Table":
        """Return some rows in the given order."""
        if self.matrix is not None:
            matrix = self.matrix[rows]
            return Table(self.names, list(matrix.T), matrix, dtype=self.dtype)
        columns = [
            (each[0][rows], each[1]) if isinstance(each, tuple) else each[rows] for each in self.columns
        ]
        return Table(self.names, columns, dtype=self.dtype)


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
        """Return consecutive rows."""
        return self.take(np.arange(*rows.indices(self.shape[0])))

    def take(self, rows: np.ndarray) -> "Csr":
        """Return some rows in the given order."""
        lengths = self.indptr[rows + 1] - self.indptr[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.repeat(self.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Csr(indptr, self.indices[entries], self.data[entries], (len(rows), self.shape[1]))

    def toarray(self) -> np.ndarray:
        """Return a dense matrix."""
        X = np.zeros(self.shape, self.data.dtype)
        X[np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices] = self.data
        return X


class Labels(NamedTuple):
    """The labels of rows: the place of each row's label in a list of distinct labels."""

    codes: np.ndarray
    names: list[Any]

    def array(self, classes: np.ndarray | None) -> np.ndarray:
        """Return the labels, as text if there is a text or if the classes of the model are text."""
        as_text = any(isinstance(name, str) for name in self.names)
        if as_text and classes is not None and classes.dtype.kind != "U":
            return np.array(self.names, object)[self.codes]  # the model raises for the text
        if as_text or (classes is not None and classes.dtype.kind == "U"):
            return np.array([str(name) for name in self.names], dtype=np.str_)[self.codes]
        dtype = np.float64 if classes is not None and classes.dtype.kind == "f" else None
        return np.array(self.names, dtype)[self.codes]


def label_of(text: str) -> int | float | str:
    """Read a label: `+1`, `1` and `1.0` are one label, the integer 1."""
    try:
        value = float(text)
    except ValueError:
        return text
    # 1_000 is text here, unlike in Python. So are integers beyond 64 bits, which rounding could make equal.
    if "_" in text or not np.isfinite(value):
        return text
    if not value.is_integer():
        return value
    exact = int(text) if text.lstrip("+-").isdigit() else int(value)
    return exact if -(2**63) <= exact < 2**63 else text


def text_labels(codes: np.ndarray, texts: Sequence[str]) -> Labels:
    """Return labels that were read as text."""
    names: dict[Any, int] = {}
    places = np.array([names.setdefault(label_of(text), len(names)) for text in texts], np.int64)
    return Labels(places[codes], list(names))


def array_labels(values: np.ndarray) -> Labels:
    """Return the labels of an array of numbers or text."""
    if values.dtype.kind in "US":
        names, codes = np.unique(values.astype(np.str_), return_inverse=True)
        return text_labels(codes.reshape(-1), names.tolist())
    names, codes = np.unique(values, return_inverse=True)
    is_whole = (
        values.dtype.kind == "f" and bool(np.all(np.mod(names, 1) == 0)) and np.abs(names).max() < 2**63
    )
    return Labels(codes.reshape(-1), (names.astype(np.int64) if is_whole else names).tolist())


@dataclass
class Batch:
    """Consecutive rows: an array, a `Table` or a `Csr`; their labels or targets, or None."""

    X: Any
    y: Labels | np.ndarray | None
    where: Callable[[int], str] = field(repr=False)
    """Returns FILE:LINE of a row."""
    fraction: float | None = None
    """The fraction of the file that was read up to the end of these rows."""

    def __len__(self) -> int:
        return len(self.X) if isinstance(self.X, np.ndarray | Table) else self.X.shape[0]

    @property
    def width(self) -> int:
        """The number of columns, or of features of sparse rows."""
        return len(self.X.names) if isinstance(self.X, Table) else self.X.shape[1]

    def take(self, rows: np.ndarray) -> "Batch":
        """Return some rows in the given order."""
        X = self.X[rows] if isinstance(self.X, np.ndarray) else self.X.take(rows)
        y = self.y
        y = Labels(y.codes[rows], y.names) if isinstance(y, Labels) else None if y is None else y[rows]
        return Batch(X, y, lambda row: self.where(int(rows[row])))

    def targets(self, classes: np.ndarray | None = None) -> Any:
        """Return the labels or targets as `learn` takes them, for a model with these classes."""
        return self.y.array(classes) if isinstance(self.y, Labels) else self.y

    def missing_in(self, row: int) -> str | None:
        """Return the column of the first missing value in a row; None if there is none."""
        if isinstance(self.X, Table):
            values = [c[0][row] == -1 if isinstance(c, tuple) else np.isnan(c[row]) for c in self.X.columns]
            return self.X.names[values.index(True)] if True in values else None
        values = self.X[row : row + 1].toarray()[0] if isinstance(self.X, Csr) else self.X[row]
        gaps = np.flatnonzero(np.isnan(values))
        return str(gaps[0] + 1) if len(gaps) else None


def place(name: str, first: int) -> Callable[[int], str]:
    """Return the function that names a row of a batch, whose first row is row `first` of the file."""
    return lambda row: f"{name}:row {first + row}"
