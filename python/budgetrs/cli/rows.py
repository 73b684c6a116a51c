"""Batches of rows from a data file of any format."""

import re
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from shlex import quote
from typing import Any, Self

import numpy as np

from .. import _core
from .array_targets import ARRAY_TARGETS
from .arrays import Matrix, has_label
from .batch import Batch, Csr
from .columns import Columns
from .errors import DataError, UsageError, data_error
from .header import header_names, is_header
from .labels import Labels
from .source import PIECE, Source
from .tables import MAGIC, Table

# The longest line that the reader accepts.
_LONGEST_LINE = 1 << 24

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


class Rows:
    """The rows of one data file, in order; iterate once.

    `like` is the model that the rows are for, or the named rows that came before. The rows of CSV and NumPy
    files and of tables must then have as many features, and those for a model need no labels. Columns with
    names are put in the order that it knows; where it `learns` them, their words may be new.
    """

    def __init__(self, path: str, layout: Layout, *, like: Any = None, learns: bool = True) -> None:
        self._layout = layout
        self._open = ExitStack()
        self.source: Source = self._open.enter_context(Source(path))
        self.name: str = self.source.name
        self.columns: Columns = Columns(self.name, like, layout.dtype, learns=learns)
        self._expected = self.columns.count
        with self._open:
            self.format: str = layout.format or self._guess()
            self.labelled: bool = True
            if self.format not in _ARRAYS and self.source.head().startswith((b"\xff\xfe", b"\xfe\xff")):
                raise DataError(f"{self.name}: expected text in UTF-8, got UTF-16")
            self._header: bool | None = None
            if self.format in _TABLES:
                self._matrix = Table(self.source, self.format, layout.label_column, self.columns)
                self.labelled = self._matrix.labelled
            else:
                self._open_plain(layout.label_column)
            self._open = self._open.pop_all()
        self._done = 0

    def _open_plain(self, column: int | str) -> None:
        """Find the label of text and NumPy files."""
        if self.format == "csv":
            self._open_csv(column)
            return
        if isinstance(column, str):
            raise UsageError(
                f"--label-column {column}: expected CSV with a header, Parquet or Arrow, the format of "
                f"{self.name} is {self.format}"
            )
        self._label_column: int = column
        if self.format == "npy":
            self._matrix = Matrix(self.source, column, self._expected)
            self.labelled = self._matrix.labelled

    def _open_csv(self, column: int | str) -> None:
        self._names = names = self._first_names()
        known = self.columns.known
        if isinstance(column, str):
            label = self.columns.label(names, column)
            # Without the label's name the first line may be a row.
            self._header = None if label is None else True
        elif known is not None and not set(known).isdisjoint(names):
            label, self._header = self.columns.label(names, column), True
        else:
            self.labelled = self._csv_has_labels()
            label = column
        self._label_column = -1 if label is None else label
        self.labelled = self.labelled and label is not None
        if self._header and known is not None:
            # The columns are compared by name.
            self._expected = len(names) - self.labelled

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

    def _first_names(self) -> list[str]:
        line = self._first_line()
        if not line:
            raise self._no_rows()
        return header_names(line, self._layout.delimiter)

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
                named = None
            else:
                _, X, y = taken
                named = self._named(reader.names, X)
            if y is not None and self._layout.task == "classification":
                y = Labels(y, reader.labels)
            yield Batch(X if named is None else named.array, y, self._locator(text, before), named)

    def _named(self, names: list[str] | None, X: np.ndarray) -> Any:
        return None if names is None else self.columns.arranged(names, list(X.T), X)

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
            named = None
            if not isinstance(X, np.ndarray):
                named, X = X, X.array

            def where(row: int, start: int = start) -> str:
                return f"{self.name}:row {start + row}"

            # Values too large for the type become infinite and are rejected below.
            with np.errstate(over="ignore"):
                dense = np.ascontiguousarray(X, dtype=self._layout.dtype)
            _refuse_infinite(dense, self._layout, where, named)
            yield Batch(dense, None if y is None else targets.read(y, where), where, named)
            first += len(dense)


def _refuse_infinite(X: np.ndarray, layout: Layout, where: Any, named: Any) -> None:
    """Reject infinity, including numbers too large for the type, and NaN unless values may be missing."""
    bad = np.isinf(X) if layout.missing else ~np.isfinite(X)
    if not bad.any():
        return
    row, column = divmod(int(np.flatnonzero(bad)[0]), X.shape[1])
    place = f"feature {column + 1}" if named is None else f"the column {named.column_of(column)}"
    raise DataError(
        f"{where(row)}: expected finite numbers of {layout.dtype}, got {X[row, column]} in {place}",
        located=True,
    )
