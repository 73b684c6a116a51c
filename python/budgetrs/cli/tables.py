"""Rows of Parquet and Arrow files, read in batches by pyarrow."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .arrays import has_label
from .errors import CommandError, DataError
from .source import PIECE, Source

MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
"""The first bytes of the formats."""


class Table:
    """The rows of a Parquet or Arrow (Feather) file, with labels if there are any."""

    def __init__(self, source: Source, form: str, label_column: int | str, n_features: int | None) -> None:
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
        self._label: int | None = self._place(names, label_column, n_features)
        self._features: list[int] = [i for i in range(len(names)) if i != self._label]
        for i in self._features:
            self._refuse_other_than_numbers(self._file.schema.field(i))
        self.n_rows: int = self._file.n_rows
        self.n_features: int = len(self._features)
        self.labelled: bool = self._label is not None

    def _place(self, names: list[str], column: int | str, n_features: int | None) -> int | None:
        """Find the column of the label; a file to predict may have only the features."""
        if isinstance(column, str):
            if names.count(column) == 1:
                return names.index(column)
            if column not in names and len(names) == n_features:
                return None
            raise DataError(
                f"{self.name}: expected one column named {column} (--label-column), got "
                f"{', '.join(names[:20])}{', ...' if len(names) > 20 else ''}"
            )
        if n_features is not None and not has_label(len(names), n_features, self.name):
            return None
        if not -len(names) <= column < len(names):
            raise DataError(f"{self.name}: expected a label in column {column}, got {len(names)} columns")
        return column % len(names)

    def _refuse_other_than_numbers(self, field: Any) -> None:
        types = self._arrow.types
        kinds = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
        if not any(is_kind(field.type) for is_kind in kinds):
            raise DataError(f"{self.name}: expected numbers in the column {field.name}, got {field.type}")

    def pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        """Yield the rows and their labels in pieces of about 1 MiB; a missing value is NaN."""
        rows, first = max(1, PIECE // (8 * max(1, self.n_features))), 1
        with self._reading():
            for batch in self._file.batches(rows):
                X = np.empty((batch.num_rows, self.n_features))
                for to, i in enumerate(self._features):
                    numbers = batch.column(i).cast(self._arrow.float64(), safe=False)
                    X[:, to] = numbers.to_numpy(zero_copy_only=False)
                yield X, None if self._label is None else self._labels(batch.column(self._label), first)
                first += batch.num_rows

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
