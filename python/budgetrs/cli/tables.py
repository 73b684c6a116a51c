"""Rows of Parquet and Arrow files, read in batches by pyarrow."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._frames import arrow_column
from .columns import Columns
from .errors import CommandError, DataError
from .source import PIECE, Source

# Rows of the first piece of a file with words.
_FIRST = 1024

MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
"""The first bytes of the formats."""


class Table:
    """The rows of a Parquet or Arrow (Feather) file, with labels if there are any."""

    def __init__(self, source: Source, form: str, label_column: int | str, columns: Columns) -> None:
        self.name: str = source.name
        if not source.rewindable or source.compressed:
            raise DataError(f"{self.name}: {form} is read from a file that is not compressed as a whole")
        try:
            import pyarrow
        except ImportError as error:
            raise DataError(f"{self.name}: {form} needs pyarrow: pip install 'budgetrs[arrow]'") from error
        self._arrow: Any = pyarrow
        with self._reading():
            self._file: Any = _Parquet(source.path) if form == "parquet" else _Arrow(source.path)
        names = self._file.schema.names
        self._columns = columns
        self._label: int | None = columns.label(names, label_column)
        self._features: list[int] = [i for i in range(len(names)) if i != self._label]
        self._names: list[str] = [names[i] for i in self._features]
        numeric = (pyarrow.types.is_integer, pyarrow.types.is_floating, pyarrow.types.is_boolean)
        kinds = [self._file.schema.field(i).type for i in self._features]
        self._has_words: bool = not all(any(is_kind(kind) for is_kind in numeric) for kind in kinds)
        self.n_rows: int = self._file.n_rows
        self.labelled: bool = self._label is not None

    def pieces(self) -> Iterator[tuple[Any, np.ndarray | None]]:
        """Yield the rows and their labels in pieces of about 1 MiB; a missing value is NaN.

        Rows are `NamedRows`, or an array for a model that knows no names. A piece whose words are new is
        larger: by as many features as it has rows, at most.
        """
        first, width = 1, max(1, len(self._features))
        with self._reading():
            for batch in self._file.batches(max(1, PIECE // (8 * width))):
                start = 0
                while start < batch.num_rows:
                    piece = batch.slice(start, self._length())
                    y = None if self._label is None else self._labels(piece.column(self._label), first)
                    yield self._rows(piece), y
                    first, start = first + piece.num_rows, start + piece.num_rows

    def _length(self) -> int:
        """Return how many rows of the known features make a piece; of the first words it is not known."""
        width = max(self._columns.width, len(self._features))
        most = PIECE // (8 * max(1, width))
        return max(16, most if self._columns.width or not self._has_words else min(most, _FIRST))

    def _rows(self, batch: Any) -> Any:
        try:
            pairs = zip(self._names, self._features, strict=True)
            columns = [arrow_column(name, batch.column(i)) for name, i in pairs]
        except TypeError as error:
            raise DataError(f"{self.name}: {str(error).replace('X must hold', 'expected', 1)}") from error
        named = self._columns.arranged(self._names, columns)
        if named is not None:
            return named
        X = np.empty((batch.num_rows, len(columns)))
        for i, column in enumerate(columns):
            if isinstance(column, tuple):
                reason = "as the rows that were learned, or names that are distinct"
                raise DataError(
                    f"{self.name}: expected numbers in the column {self._names[i]}, {reason}, got words"
                )
            X[:, i] = column
        return X

    def _labels(self, column: Any, first: int) -> np.ndarray:
        if column.null_count:
            row = first + column.is_null().to_numpy(zero_copy_only=False).argmax()
            raise DataError(f"{self.name}:row {row}: expected a label, got none")
        if self._arrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        types = self._arrow.types
        if types.is_string(column.type) or types.is_large_string(column.type):
            return np.array(column.to_pylist(), dtype=np.str_)
        if not (
            types.is_integer(column.type) or types.is_floating(column.type) or types.is_boolean(column.type)
        ):
            raise DataError(f"{self.name}: expected text or numbers as labels, got {column.type}")
        return column.to_numpy(zero_copy_only=False)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Add the file to an error; on damaged data pyarrow raises many kinds."""
        try:
            yield
        except (CommandError, MemoryError):
            raise
        except Exception as error:
            raise DataError(f"{self.name}: cannot be read ({str(error) or type(error).__name__})") from error


class _Parquet:
    def __init__(self, path: str) -> None:
        from pyarrow import parquet

        # Buffered in advance, all row groups would stay in memory until the end.
        self._file = parquet.ParquetFile(path, pre_buffer=False)
        self.schema: Any = self._file.schema_arrow
        self.n_rows: int = self._file.metadata.num_rows

    def batches(self, rows: int) -> Iterator[Any]:
        yield from self._file.iter_batches(batch_size=rows)


class _Arrow:
    def __init__(self, path: str) -> None:
        from pyarrow import ipc, memory_map

        self._file = ipc.open_file(memory_map(path))
        self.schema: Any = self._file.schema
        # The sizes are known without reading: the file is mapped.
        self.n_rows: int = sum(batch.num_rows for batch in self._whole())

    def _whole(self) -> Iterator[Any]:
        return (self._file.get_batch(i) for i in range(self._file.num_record_batches))

    def batches(self, rows: int) -> Iterator[Any]:
        for batch in self._whole():
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)
