"""Batches of rows from a data file of any format: what learning, predicting and surveying read."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from .. import _core
from .arrays import Matrix
from .errors import DataError, data_error
from .source import PIECE, Source

# Beyond this the reader refuses a line.
_LONGEST_LINE = 1 << 24

FORMATS = ("libsvm", "csv", "npy")
_BY_SUFFIX = {
    ".csv": "csv",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".npy": "npy",
    ".npz": "npy",
}


@dataclass(frozen=True)
class Layout:
    """How to read the data."""

    format: str | None = None
    label_column: int = 0
    delimiter: str = ","
    dtype: str = "float32"


@dataclass(frozen=True)
class Csr:
    """A sparse matrix in compressed rows, with what the native model looks at in scipy's."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    shape: tuple[int, int]
    # The reader refuses indices that do not increase.
    has_canonical_format: bool = True

    def tocsr(self) -> "Csr":
        """Give itself."""
        return self

    @property
    def dtype(self) -> np.dtype:
        """Type of the values."""
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """Number of stored values."""
        return len(self.data)

    def head(self, rows: int) -> "Csr":
        """Give the first rows."""
        end = int(self.indptr[rows])
        return Csr(self.indptr[: rows + 1], self.indices[:end], self.data[:end], (rows, self.shape[1]))


@dataclass
class Batch:
    """Consecutive rows: a matrix, and for each row the index of its label in `labels` (which grows)."""

    X: Any
    codes: np.ndarray | None
    labels: list[Any]
    where: Any = field(repr=False)  # row index -> "FILE:LINE"

    def __len__(self) -> int:
        return self.X.shape[0]

    def matrix(self, n_features: int) -> Any:
        """Give the matrix with that many columns; a sparse one may be widened."""
        if isinstance(self.X, Csr):
            return Csr(self.X.indptr, self.X.indices, self.X.data, (len(self), n_features))
        return self.X


class Rows:
    """The rows of one data file, in order; iterate once.

    `expected` is the number of features of the model to predict with: then wider rows are refused, and CSV
    and NumPy files may come without labels. Without `labels` they are passed over where there are any.
    """

    def __init__(
        self, path: str, layout: Layout, *, expected: int | None = None, labels: bool = True
    ) -> None:
        self._layout = layout
        self._expected = expected
        self._want_labels = labels
        self._open = ExitStack()
        self.source = self._open.enter_context(Source(path))
        self.name = self.source.name
        with self._open:
            self.format = layout.format or self._guess()
            self.labelled = True
            if self.format == "npy":
                self._matrix = Matrix(self.source, layout.label_column, expected)
                self.labelled = self._matrix.labelled
            elif self.format == "csv":
                self.labelled = self._csv_has_labels()
            self._open = self._open.pop_all()
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __iter__(self) -> Iterator[Batch]:
        with self._open:
            batches = self._array_batches() if self.format == "npy" else self._text_batches()
            for batch in batches:
                self._done += len(batch)
                yield batch

    def fraction(self) -> float | None:
        """Tell which part has been read; None when that is unknown."""
        if self.format == "npy":
            return self._done / max(1, self._matrix.n_rows)
        return self.source.fraction()

    def _guess(self) -> str:
        head = self.source.head()
        if head.startswith((b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06")):
            return "npy"
        known = _BY_SUFFIX.get(self.source.stem_suffix())
        if known is not None:
            return known
        line = self._first_line()
        tokens = line.split()
        if len(tokens) > 1 and all(b":" in token for token in tokens[1:]):
            return "libsvm"
        if self._layout.delimiter.encode() in line:
            return "csv"
        raise DataError(
            f"{self.name}: the format is not clear from the file; give --format {'|'.join(FORMATS)}"
        )

    def _first_line(self) -> bytes:
        return next((line for line in self.source.head().splitlines() if line.strip()), b"")

    def _csv_has_labels(self) -> bool:
        if self._expected is None:
            return True
        columns = self._first_line().count(self._layout.delimiter.encode()) + 1
        if columns not in (self._expected, self._expected + 1):
            raise DataError(
                f"{self.name}: expected {self._expected} columns, or {self._expected + 1} with the label, "
                f"got {columns}"
            )
        return columns == self._expected + 1

    def _reader(self, header: bool | None) -> _core.Reader:
        return _core.Reader(
            self.format,
            name=self.name,
            task="classification" if self._want_labels and self.labelled else "unlabelled",
            dtype=self._layout.dtype,
            n_features=self._expected,
            label_column=self._layout.label_column if self.labelled else None,
            delimiter=self._layout.delimiter,
            header=header,
        )

    def _text_batches(self) -> Iterator[Batch]:
        reader = self._reader(None)
        rest, ended = b"", False
        while not ended:
            piece = self.source.read(PIECE)
            ended = not piece
            rest += piece
            # Whole lines only, so that the line of any row can be found again. One that does not end goes to
            # the reader all the same, which says so.
            cut = rest.rfind(b"\n") + 1
            if ended or (not cut and len(rest) > _LONGEST_LINE):
                cut = len(rest)
            text, rest = rest[:cut], rest[cut:]
            before = reader.line
            try:
                reader.feed(text)
                if ended:
                    reader.finish()
                taken = reader.take()
            except ValueError as error:
                raise data_error(self.name, error) from error
            if taken is None:
                continue
            if taken[0] == "csr":
                _, indptr, indices, data, y, width = taken
                X: Any = Csr(indptr, indices, data, (len(indptr) - 1, width))
            else:
                _, X, y = taken
            yield Batch(X, y, reader.labels, self._locator(text, before))

    def _locator(self, text: bytes, before: int) -> Any:
        def where(row: int) -> str:
            reader = self._reader(None if before == 0 else False)
            for number, line in enumerate(text.split(b"\n"), before + 1):
                reader.feed(line + b"\n")
                if reader.n_rows > row:
                    return f"{self.name}:{number}"
            return self.name

        return where

    def _array_batches(self) -> Iterator[Batch]:
        labels: list[Any] = []
        index: dict[Any, int] = {}
        first = 1
        for X, y in self._matrix.pieces():
            start = first

            def where(row: int, start: int = start) -> str:
                return f"{self.name}:row {start + row}"

            # Values too large for the type become infinite and are refused just below.
            with np.errstate(over="ignore"):
                dense = np.ascontiguousarray(X, dtype=self._layout.dtype)
            _refuse_infinite(dense, self._layout.dtype, where)
            codes = None if y is None or not self._want_labels else _encode(y, labels, index, where)
            yield Batch(dense, codes, labels, where)
            first += len(dense)


def _refuse_infinite(X: np.ndarray, dtype: str, where: Any) -> None:
    """Refuse NaN and infinity, also where a number of the file was too large for the type."""
    if np.isfinite(X).all():
        return
    row, column = divmod(int(np.flatnonzero(~np.isfinite(X))[0]), X.shape[1])
    raise DataError(
        f"{where(row)}: expected finite numbers of {dtype}, got {X[row, column]} in feature {column + 1}",
        located=True,
    )


def _encode(y: np.ndarray, labels: list[Any], index: dict[Any, int], where: Any) -> np.ndarray:
    """Give each label its number in order of appearance, as the text reader does."""
    values, first, inverse = np.unique(y, return_index=True, return_inverse=True)
    numbers = np.empty(len(values), dtype=np.int64)
    for position in np.argsort(first):
        label = values[position].item()
        if isinstance(label, bytes):
            label = label.decode("utf-8", "replace")
        if isinstance(label, float):
            if not np.isfinite(label):
                raise DataError(f"{where(int(first[position]))}: expected a label, got {label}", located=True)
            label = int(label) if label.is_integer() else label
        if label not in index:
            index[label] = len(labels)
            labels.append(label)
        numbers[position] = index[label]
    return numbers[inverse.reshape(-1)]
