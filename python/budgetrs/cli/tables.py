"""Rows of Parquet and Arrow files and of CSV with categorical columns, read in batches by pyarrow."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, Protocol

import numpy as np

from .._errors import ParameterError
from .._frames import arrow_column
from .array_targets import Where
from .arrays import place
from .columns import Columns
from .errors import CommandError, DataError, need_pyarrow
from .layout import Layout, missing_label, reject_too_many
from .source import PIECE, Source

# Rows of the first piece of a file with categorical columns.
_FIRST = 1024

MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
"""The first bytes of the formats."""


class TableFile(Protocol):
    """A file of record batches of pyarrow."""

    schema: Any
    n_rows: int | None

    def batches(self, rows: int) -> Iterator[tuple[Any, Where]]:
        """Yield batches of about `rows` rows, each with the function that names its rows."""
        ...


class Table:
    """The rows of a Parquet or Arrow (Feather) file or of CSV with categories, with their labels if any."""

    def __init__(self, name: str, file: TableFile, layout: Layout, columns: Columns) -> None:
        import pyarrow

        self._arrow: Any = pyarrow
        self.name = name
        with _reading(name):
            names = file.schema.names
            index = _index_of_pandas(file.schema) - {layout.target} - set(columns.known or ())
        self._columns, self._layout = columns, layout
        places = [i for i, column in enumerate(names) if column not in index]
        label = columns.label([names[i] for i in places], layout.target)
        self._label: int | None = None if label is None else places[label]
        self._reads_labels: bool = self._label is not None and layout.task != "unlabelled"
        self._features: list[int] = [i for i in places if i != self._label]
        self.names: list[str] = [names[i] for i in self._features]
        self._target: str = "" if self._label is None else names[self._label]
        # The features of a model are always accepted.
        self._most: int = max(layout.max_features, columns.width)
        if columns.count is None:
            reject_too_many(name, len(self._features), self._most)
        for i in self._features:
            if pyarrow.types.is_temporal(kind := file.schema.field(i).type):
                raise DataError(
                    f"{name}: expected numbers or categories in column {names[i]}, got {kind}; convert the "
                    "column to numbers, or to strings to take each value as a category"
                )
        types = pyarrow.types
        numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
        kinds = [file.schema.field(i).type for i in self._features]
        self._has_categories: bool = not all(any(is_kind(kind) for is_kind in numeric) for kind in kinds)
        width = max(1, len(self._features))
        self._batches: Iterator[tuple[Any, Where]] = file.batches(max(1, PIECE // (8 * width)))
        self.n_rows: int | None = file.n_rows
        self.labelled: bool = self._label is not None

    @property
    def target(self) -> str | None:
        """The name of the label or target column; None before the names are known, or without the column."""
        return None if self._columns.known is None or self._label is None else self._target

    def pieces(self) -> Iterator[tuple[Any, np.ndarray | None, Where]]:
        """Yield rows, their labels, and a function of their positions, in pieces of about 1 MiB.

        Rows are `NamedRows`, or an array for a model without named columns; missing values are NaN. A piece
        with new categories is larger, at most by as many features as it has rows.
        """
        with _reading(self.name):
            for batch, where in self._batches:
                for start, piece in self._cut(batch):
                    here = _behind(where, start)
                    y = self._labels(piece.column(self._label), here) if self._reads_labels else None
                    yield self._rows(piece), y, here

    def collect_categories(self, rows: int) -> None:
        """Read the next `rows` rows in advance, so that their categories are known before the first row."""
        held, known = [], 0
        with _reading(self.name):
            for batch, where in self._batches:
                first = batch.slice(0, rows)
                for _, piece in self._cut(first):
                    self._rows(piece)
                held += [(first, where), (batch.slice(rows), _behind(where, rows))]
                known += first.num_rows
                rows -= first.num_rows
                if rows == 0:
                    break
        self._batches = chain(held, self._batches)
        self._columns.known_rows = known

    def _cut(self, batch: Any) -> Iterator[tuple[int, Any]]:
        """Yield pieces of a batch, each with the index of its first row."""
        start = 0
        while start < batch.num_rows:
            piece = batch.slice(start, self._length())
            yield start, piece
            start += piece.num_rows

    def _length(self) -> int:
        """Return the number of rows per piece, by the known number of features."""
        width = max(self._columns.width, len(self._features))
        most = PIECE // (8 * max(1, width))
        return max(16, most if self._columns.width or not self._has_categories else min(most, _FIRST))

    def _rows(self, batch: Any) -> Any:
        try:
            pairs = zip(self.names, self._features, strict=True)
            columns = [arrow_column(name, batch.column(i)) for name, i in pairs]
        except ParameterError as error:
            raise DataError(f"{self.name}: {str(error).replace('X must have', 'expected')}") from error
        named = self._columns.arranged(self.names, columns)
        if named is not None:
            reject_too_many(self.name, self._columns.width, self._most)
            return named
        X = np.empty((batch.num_rows, len(columns)))
        for i, column in enumerate(columns):
            if isinstance(column, tuple):
                raise DataError(
                    f"{self.name}: expected numbers in column {self.names[i]}, got text; text columns need "
                    "distinct names, and a model that was trained with column names"
                )
            X[:, i] = column
        return X

    def _labels(self, column: Any, where: Where) -> np.ndarray:
        if column.null_count:
            row = int(column.is_null().to_numpy(zero_copy_only=False).argmax())
            raise missing_label(where(row), self._layout)
        if self._arrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        types = self._arrow.types
        if types.is_decimal(column.type):
            column = self._arrow.array(arrow_column(self._target, column))
        if types.is_string(column.type) or types.is_large_string(column.type):
            return np.array(column.to_pylist(), dtype=np.str_)
        if not (
            types.is_integer(column.type) or types.is_floating(column.type) or types.is_boolean(column.type)
        ):
            raise DataError(
                f"{self.name}: expected text or numbers in the target {self._target}, got {column.type}; "
                "convert the column, or choose another one by --target NAME"
            )
        return column.to_numpy(zero_copy_only=False)


def _index_of_pandas(schema: Any) -> set[str]:
    """Return the columns that hold the index of a data frame of pandas."""
    stored = (schema.pandas_metadata or {}).get("index_columns", [])
    return {column for column in stored if isinstance(column, str)}


def table_file(source: Source, form: str) -> TableFile:
    """Open a Parquet or Arrow file."""
    if not source.rewindable or source.compressed:
        raise DataError(
            f"{source.name}: {form} must be a file that is not compressed as a whole; decompress it first"
        )
    need_pyarrow(source.name, form)
    with _reading(source.name):
        return (_Parquet if form == "parquet" else _Arrow)(source)


def _behind(where: Where, start: int) -> Where:
    return lambda row: where(start + row)


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Add the file name to an error; damaged data raise many kinds of errors in pyarrow."""
    try:
        yield
    except CommandError:
        raise
    except Exception as error:
        raise DataError(f"{name}: cannot be read ({str(error) or type(error).__name__})") from error


class _Parquet:
    def __init__(self, source: Source) -> None:
        from pyarrow import parquet

        self._name = source.name
        # With pre_buffer, all row groups stay in memory until the end.
        self._file = parquet.ParquetFile(source.path, pre_buffer=False)
        self.schema: Any = self._file.schema_arrow
        self.n_rows: int | None = self._file.metadata.num_rows

    def batches(self, rows: int) -> Iterator[tuple[Any, Where]]:
        return _counted(self._name, self._file.iter_batches(batch_size=rows))


class _Arrow:
    def __init__(self, source: Source) -> None:
        from pyarrow import ipc, memory_map

        self._name = source.name
        self._file = ipc.open_file(memory_map(source.path))
        self.schema: Any = self._file.schema
        # The sizes are known without reading: the file is mapped.
        self.n_rows: int | None = sum(batch.num_rows for batch in self._mapped())

    def _mapped(self) -> Iterator[Any]:
        return (self._file.get_batch(i) for i in range(self._file.num_record_batches))

    def batches(self, rows: int) -> Iterator[tuple[Any, Where]]:
        return _counted(self._name, self._parts(rows))

    def _parts(self, rows: int) -> Iterator[Any]:
        for batch in self._mapped():
            # Offsets of a damaged file may point anywhere.
            batch.validate(full=True)
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


def _counted(name: str, batches: Iterable[Any]) -> Iterator[tuple[Any, Where]]:
    first = 1
    for batch in batches:
        yield batch, place(name, first)
        first += batch.num_rows
