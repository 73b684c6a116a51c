"""Batches of rows from a data file of any format."""

import re
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from shlex import quote
from typing import Any, Self

import numpy as np

from .. import _core
from .array_targets import ARRAY_TARGETS
from .arrays import Matrix, has_label
from .errors import DataError, UsageError, data_error
from .header import header_names, is_header
from .labels import Labels
from .source import PIECE, Source
from .tables import MAGIC, Table

# The longest line that the reader accepts.
_LONGEST_LINE = 1 << 24

# The number of columns that a message lists.
_SHOWN = 20

FORMATS = ("libsvm", "csv", "npy", "parquet", "arrow")
_TABLES = ("parquet", "arrow")
_ARRAYS = ("npy", *_TABLES)
_BY_SUFFIX = {
    ".csv": "csv",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".npy": "npy",
    ".npz": "npy",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}


@dataclass(frozen=True)
class Layout:
    """How to read the data. Labels are read according to the task; with "unlabelled" they are ignored."""

    format: str | None = None
    # A number, or the name of a column of CSV with a header, Parquet or Arrow.
    label_column: int | str = -1
    delimiter: str = ","
    dtype: str = "float32"
    task: str = "classification"
    # Whether features may be missing, as NaN.
    missing: bool = False


def layout_of(args: Namespace, model: Any, task: str) -> Layout:
    """Return how the data for a model are read."""
    dtype, missing = str(np.dtype(model.dtype)), model.params.get("missing") == "mean"
    return Layout(args.format, args.label_column, args.delimiter, dtype, task, missing)


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
    """Consecutive rows: a matrix, and their `Labels`, targets or None."""

    X: Any
    y: Any
    where: Any = field(repr=False)  # row index -> "FILE:LINE"

    def __len__(self) -> int:
        return self.X.shape[0]

    def split(self, rows: int) -> "tuple[Batch, Batch]":
        """Return the first rows and the others."""
        heads, others = self.X.split(rows) if isinstance(self.X, Csr) else (self.X[:rows], self.X[rows:])
        y = (None, None) if self.y is None else (self.y[:rows], self.y[rows:])
        where = self.where
        return Batch(heads, y[0], where), Batch(others, y[1], lambda row: where(rows + row))

    def matrix(self, n_features: int) -> Any:
        """Return the matrix with that many columns; a sparse one may be widened."""
        if isinstance(self.X, Csr):
            return Csr(self.X.indptr, self.X.indices, self.X.data, (len(self), n_features))
        return self.X


class Rows:
    """The rows of one data file, in order; iterate once.

    `expected` is the number of features of the model used for prediction. The rows of CSV and NumPy files
    must then have as many features, and need no labels.
    """

    def __init__(self, path: str, layout: Layout, *, expected: int | None = None) -> None:
        self._layout = layout
        self._expected = expected
        self._open = ExitStack()
        self.source: Source = self._open.enter_context(Source(path))
        self.name: str = self.source.name
        with self._open:
            self.format: str = layout.format or self._guess()
            self.labelled: bool = True
            if self.format not in _ARRAYS and self.source.head().startswith((b"\xff\xfe", b"\xfe\xff")):
                raise DataError(f"{self.name}: expected text in UTF-8, got UTF-16")
            self._header: bool | None = None
            if self.format in _TABLES:
                self._matrix = Table(self.source, self.format, layout.label_column, expected)
                self.labelled = self._matrix.labelled
            else:
                self._open_plain(layout.label_column)
            self._open = self._open.pop_all()
        self._done = 0

    def _open_plain(self, column: int | str) -> None:
        """Find the label of text and NumPy files."""
        if isinstance(column, str):
            column, self._header = self._named_column(column)
        self._label_column = column
        if self.format == "npy":
            self._matrix = Matrix(self.source, column, self._expected)
            self.labelled = self._matrix.labelled
        elif self.format == "csv":
            self._names = header_names(self._first_line(), self._layout.delimiter)
            self.labelled = self._csv_has_labels()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __iter__(self) -> Iterator[Batch]:
        with self._open:
            batches = self._array_batches() if self.format in _ARRAYS else self._text_batches()
            for batch in batches:
                self._done += len(batch)
                yield batch
            if self._done == 0:
                raise self._no_rows()

    def fraction(self) -> float | None:
        """Return the fraction read so far; None if it is unknown."""
        if self.format in _ARRAYS:
            return self._done / max(1, self._matrix.n_rows)
        return self.source.fraction()

    def _guess(self) -> str:
        head = self.source.head()
        if head.startswith((b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06")):
            return "npy"
        for magic, form in MAGIC.items():
            if head.startswith(magic):
                return form
        known = _BY_SUFFIX.get(self.source.stem_suffix())
        if known is not None:
            return known
        line = self._first_line()
        if not line:
            raise self._no_rows()
        tokens = line.split()
        if len(tokens) > 1 and all(b":" in token for token in tokens[1:]):
            return "libsvm"
        if self._layout.delimiter.encode() in line:
            return "csv"
        raise DataError(
            f"{self.name}: the format is not clear from the file; give --format {'|'.join(FORMATS)}"
        )

    def _first_line(self) -> bytes:
        return self.source.first_line()

    def _named_column(self, name: str) -> tuple[int, bool | None]:
        """Find the label in the header; a file to predict may have only the features."""
        if self.format != "csv":
            raise UsageError(
                f"--label-column {name}: expected CSV with a header, Parquet or Arrow, the format of "
                f"{self.name} is {self.format}"
            )
        line = self._first_line()
        if not line:
            raise self._no_rows()
        names = header_names(line, self._layout.delimiter)
        if names.count(name) == 1:
            return names.index(name), True
        if name not in names and len(names) == self._expected:
            return -1, None
        shown = ", ".join([*names[:_SHOWN], *(["..."] if len(names) > _SHOWN else [])])
        raise DataError(
            f"{self.name}: expected one column named {name} (--label-column) in the header, got {shown}"
        )

    def _no_rows(self) -> DataError:
        return DataError(f"{self.name}: expected rows, the file holds none")

    def _csv_has_labels(self) -> bool:
        if self._expected is None or self._header:
            return True
        line = self._first_line()
        if not line:
            raise self._no_rows()
        names = _core.Reader("csv", task="unlabelled", delimiter=self._layout.delimiter, header=True)
        try:
            names.feed(line + b"\n")
        except ValueError:
            return True  # the reader of the rows says what is wrong, and where
        return has_label(names.n_columns, self._expected, self.name)

    def _reader(self, header: bool | None) -> _core.Reader:
        return _core.Reader(
            self.format,
            name=self.name,
            task=self._layout.task if self.labelled else "unlabelled",
            dtype=self._layout.dtype,
            n_features=self._expected if self.format == "csv" else None,
            label_column=self._label_column if self.labelled else None,
            delimiter=self._layout.delimiter,
            header=header,
            missing=self._layout.missing,
        )

    def _text_batches(self) -> Iterator[Batch]:
        reader = self._reader(self._header)
        rest, ended = b"", False
        while not ended:
            piece = self.source.read(PIECE)
            ended = not piece
            rest += piece
            # Whole lines only, so that the line of any row can be found again. A line that is too long goes
            # to the reader, which reports it.
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
                raise data_error(self.name, ValueError(f"{error}{self._label_hint(error)}")) from error
            if taken is None:
                continue
            if taken[0] == "csr":
                _, indptr, indices, data, y, width = taken
                X: Any = Csr(indptr, indices, data, (len(indptr) - 1, width))
            else:
                _, X, y = taken
            if y is not None and self._layout.task == "classification":
                y = Labels(y, reader.labels)
            yield Batch(X, y, self._locator(text, before))

    def _label_hint(self, error: ValueError) -> str:
        """Return what to try where the first field of a line of CSV is no number: it may be the label."""
        # In bytes; the second where the field is quoted.
        is_first = re.search(r":\d+:[12]: expected a (finite )?number", str(error))
        if not is_first or self.format != "csv" or not self.labelled or self._label_column != -1:
            return ""
        column = self._names[0] if is_header(self._names) else "0"
        return f"; if the first column is the label: --label-column {quote(column)}"

    def _locator(self, text: bytes, before: int) -> Any:
        def where(row: int) -> str:
            reader = self._reader(self._header if before == 0 else False)
            for number, line in enumerate(text.split(b"\n"), before + 1):
                reader.feed(line + b"\n")
                if reader.n_rows > row:
                    return f"{self.name}:{number}"
            return self.name

        return where

    def _array_batches(self) -> Iterator[Batch]:
        targets = ARRAY_TARGETS[self._layout.task]()
        first = 1
        for X, y in self._matrix.pieces():
            start = first

            def where(row: int, start: int = start) -> str:
                return f"{self.name}:row {start + row}"

            # Values too large for the type become infinite and are rejected below.
            with np.errstate(over="ignore"):
                dense = np.ascontiguousarray(X, dtype=self._layout.dtype)
            _refuse_infinite(dense, self._layout, where)
            yield Batch(dense, None if y is None else targets.read(y, where), where)
            first += len(dense)


def _refuse_infinite(X: np.ndarray, layout: Layout, where: Any) -> None:
    """Reject infinity, including numbers too large for the type, and NaN unless values may be missing."""
    bad = np.isinf(X) if layout.missing else ~np.isfinite(X)
    if not bad.any():
        return
    row, column = divmod(int(np.flatnonzero(bad)[0]), X.shape[1])
    raise DataError(
        f"{where(row)}: expected finite numbers of {layout.dtype}, got {X[row, column]} in feature "
        f"{column + 1}",
        located=True,
    )
