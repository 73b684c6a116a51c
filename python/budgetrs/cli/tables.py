"""Rows of Parquet and Arrow files, and of NumPy files."""

import io
import math
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._errors import ParameterError
from .._frames import arrow_column
from .advice import distinct, listed
from .batch import Batch, Labels, Table, array_labels, place, text_labels
from .bytes import Source
from .columns import Columns, Layout, Rows
from .errors import DataError, need_pyarrow, reading

# The size of a batch in bytes.
_BATCH = 1 << 20

_CONVERT = "; convert numbers by astype(float), labels by astype(str), and write tables as CSV with a header"


def _targets(name: str, task: str, values: np.ndarray | Labels, first: int) -> Any:
    """Return labels or targets as the task needs them."""
    where = place(name, first)
    if task == "unlabelled":
        return None
    if task == "classification":
        labels = values if isinstance(values, Labels) else array_labels(values)
        numbers = [(at, label) for at, label in enumerate(labels.names) if isinstance(label, float)]
        wrong = [at for at, label in numbers if not math.isfinite(label)]
        if wrong or (labels.codes < 0).any():
            row = int(np.argmax(np.isin(labels.codes, [-1, *wrong])))
            raise DataError.at(where(row), "expected a label, got none; remove the rows without a label")
        return labels
    if isinstance(values, Labels) or values.dtype.kind not in "fiub":
        got = values.names[0] if isinstance(values, Labels) else values[0]
        raise DataError.at(where(0), f"expected a number as the target, got `{got}`")
    with np.errstate(over="ignore"):
        numbers = values.astype(np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise DataError.at(
            where(row),
            f"expected a finite number as the target, got {numbers[row]}; remove the rows without a target",
        )
    return numbers


class ArrowTable(Rows):
    """The rows of a Parquet or Arrow (Feather) file."""

    def __init__(self, source: Source, layout: Layout, columns: Columns, form: str) -> None:
        super().__init__(source, layout, columns, form)
        if not source.rewindable or source.compressed:
            raise DataError(
                f"{self.name}: {form} must be a file that is not compressed as a whole; decompress it first"
            )
        need_pyarrow(self.name, form)
        with reading(self.name):
            self._file, schema, n_rows = (_parquet if form == "parquet" else _arrow)(source.path)
            self.n_rows: Any = n_rows
            index = (schema.pandas_metadata or {}).get("index_columns", [])
            skipped = {each for each in index if isinstance(each, str)} - {layout.target} - set(columns.known)
            fields = [each for each in schema.names if each not in skipped]
        distinct(fields, self.name)
        texts = {name for name in fields if not _is_number(schema.field(name).type)}
        at = columns.target_place(fields, len(fields), texts)
        self.target: str | None = None if at is None else fields[at]
        self.labelled: bool = at is not None
        self.names: Any = [each for i, each in enumerate(fields) if i != at]
        columns.check_width(len(self.names), target=False)

    def batches(self, *, whole: bool) -> Iterator[Batch]:  # noqa: D102
        import pyarrow

        rows = max(16, _BATCH // (8 * max(1, len(self.names))))
        read = self._file(rows)
        first = 1
        with reading(self.name):
            for batch in [pyarrow.Table.from_batches(read)] if whole else read:
                yield self._batch(batch, first)
                first += batch.num_rows

    def _batch(self, batch: Any, first: int) -> Batch:
        try:
            # Values too large for the type become infinite, which raises later.
            columns = [arrow_column(name, batch.column(name)) for name in self.names]
            target: Any = None if self.target is None else batch.column(self.target)
            y: Any = None if target is None else arrow_column(self.target or "", target)
        except ParameterError as error:
            raise DataError(f"{self.name}: {str(error).replace('X must have', 'expected')}") from error
        if isinstance(y, tuple):
            y = text_labels(*y)
        elif target is not None and not target.null_count and target.type in _exact(target):
            y = target.to_numpy() if hasattr(target, "chunks") else target.to_numpy(zero_copy_only=False)
        y = None if y is None else _targets(self.name, self.layout.task, y, first)
        X = Table(self.names, columns, dtype=self.layout.dtype, n_rows=batch.num_rows)
        fraction = (first - 1 + batch.num_rows) / max(1, self.n_rows)
        return Batch(X, y, place(self.name, first), fraction)


def _is_number(kind: Any) -> bool:
    """Return whether a type of a column is a number or a bool."""
    import pyarrow

    types = pyarrow.types
    return (
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_boolean(kind)
    )


def _exact(column: Any) -> list[Any]:
    """Return the type of a column of integers or booleans, which floats would round."""
    import pyarrow

    is_exact = pyarrow.types.is_integer(column.type) or pyarrow.types.is_boolean(column.type)
    return [column.type] if is_exact else []


def _parquet(path: str) -> tuple[Any, Any, int]:
    from pyarrow import parquet

    # With pre_buffer, all row groups stay in memory until the end.
    file = parquet.ParquetFile(path, pre_buffer=False)
    return lambda rows: file.iter_batches(batch_size=rows), file.schema_arrow, file.metadata.num_rows


def _arrow(path: str) -> tuple[Any, Any, int]:
    from pyarrow import ipc, memory_map

    file = ipc.open_file(memory_map(path))

    def batches(rows: int) -> Iterator[Any]:
        for batch in map(file.get_batch, range(file.num_record_batches)):
            batch.validate(full=True)  # offsets of a damaged file may point anywhere
            yield from (batch.slice(start, rows) for start in range(0, batch.num_rows, rows))

    # The sizes are known without reading: the file is mapped.
    return batches, file.schema, sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))


class Matrix(Rows):
    """The rows of an ``.npy`` or ``.npz`` file.

    An ``.npz`` contains arrays named X and, for labels, y. An ``.npy`` has the label in one of its columns.
    """

    def __init__(self, source: Source, layout: Layout, columns: Columns) -> None:
        super().__init__(source, layout, columns, "npy")
        self._y: np.ndarray | None = None
        if source.head().startswith(b"PK"):
            self._open_archive(source)
        else:
            path = source.path if _is_plain(source) else ""
            self._X = _array(source, self.name, layout.max_memory, path)
        if len(self._X.shape) != 2 or self._X.dtype.kind not in "fiub":
            raise DataError(
                f"{self.name}: expected a matrix of numbers, got shape {self._X.shape} of {self._X.dtype}"
                f"{_CONVERT if self._X.dtype.kind in 'US' else ''}"
            )
        self.n_rows: Any = self._X.shape[0]
        width = self._X.shape[1]
        self._place: int | None = None
        if self._y is None:
            self._place = columns.target_place(None, width)
        elif columns.is_known and width != columns.width:
            raise DataError(f"{self.name}: expected {columns.width:,} columns, got {width:,}")
        self.labelled: bool = self._y is not None or self._place is not None
        columns.check_width(width, target=self._place is not None)

    def _open_archive(self, source: Source) -> None:
        if not _is_plain(source):
            raise DataError(f"{self.name}: .npz must be an uncompressed file")
        with reading(self.name, "damaged .npz file"):
            archive = source.closing(zipfile.ZipFile(source.path))
            names = archive.namelist()
            if "X.npy" not in names:
                hint = "save it by numpy.savez('data.npz', X=..., y=...)"
                if "indptr.npy" in names:
                    hint = (
                        "convert it in Python: "
                        "sklearn.datasets.dump_svmlight_file(scipy.sparse.load_npz(FILE), y, "
                        "'data.libsvm', zero_based=False)"
                    )
                got = listed(names, 10) or "none"
                raise DataError(f"{self.name}: expected an array named X, got {got}; {hint}")
            self._X = _array(source.closing(archive.open("X.npy")), f"{self.name}[X]", self.layout.max_memory)
            if "y.npy" not in names:
                return
            self._y = _array(source.closing(archive.open("y.npy")), f"{self.name}[y]", self.layout.max_memory)
        if self._y.shape != self._X.shape[:1]:
            raise DataError(f"{self.name}: expected y of shape {self._X.shape[:1]}, got {self._y.shape}")

    def batches(self, *, whole: bool) -> Iterator[Batch]:  # noqa: D102
        row_bytes = self._X.shape[1] * self._X.itemsize
        step = max(1, self.n_rows if whole else _BATCH // max(row_bytes, 1))
        for start in range(0, self.n_rows, step):
            rows = slice(start, start + step)
            X, y = self._X[rows], None if self._y is None else self._y[rows]
            if self._place is not None:
                X, y = np.delete(X, self._place, axis=1), X[:, self._place]
            with np.errstate(over="ignore"):  # values too large become infinite, which raises later
                X = np.ascontiguousarray(X, self.layout.dtype)
            y = None if y is None else _targets(self.name, self.layout.task, y, start + 1)
            yield Batch(X, y, place(self.name, start + 1), (start + len(X)) / self.n_rows)


def _is_plain(source: Source) -> bool:
    return source.rewindable and not source.compressed


def _array(stream: Any, name: str, max_memory: int, path: str = "") -> np.ndarray:
    """Read an array in ``.npy`` format: mapped if it is a plain file, else whole."""
    with reading(name, "expected an array in .npy format"):
        version = np.lib.format.read_magic(stream)
        read: Any = getattr(np.lib.format, "read_array_header_{}_{}".format(*version))
        shape, by_columns, dtype = read(stream)
    if dtype.hasobject or dtype.kind not in "fiubUS" or dtype.itemsize == 0:
        raise DataError(f"{name}: expected an array of numbers, got dtype {dtype}{_CONVERT}")
    if any(type(length) is not int or length < 0 for length in shape):  # bool is a subclass of int
        raise DataError(f"{name}: expected the shape of an array, got {shape}")
    size, data = math.prod(shape) * dtype.itemsize, io.BytesIO()
    if path and shape and size:
        with reading(name, "damaged or truncated file"):
            return np.load(path, mmap_mode="r", allow_pickle=False)
    if size > max_memory:
        need = f"--max-memory must be at least {size:,} bytes for an array that is read whole"
        raise DataError(f"{name}: {need}, got {max_memory:,}")
    with reading(name, "damaged or truncated file"):
        while data.tell() < size:
            piece = stream.read(min(size - data.tell(), _BATCH))
            if not piece:
                raise EOFError(f"expected {size - data.tell():,} bytes more")
            data.write(piece)
        return np.frombuffer(data.getbuffer(), dtype).reshape(shape, order="F" if by_columns else "C")
