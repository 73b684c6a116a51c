"""Matrices in NumPy files, read piece by piece."""

import math
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from .array_targets import Where
from .errors import CommandError, DataError
from .layout import Layout, reject_too_many
from .source import PIECE, Source

# A column-major matrix is read in blocks of rows, large enough that each column's part is worth a seek.
_BLOCK_PIECES = 16

# The names of an archive that a message lists.
_SHOWN = 10


_CONVERT = "; convert numbers by astype(float), labels by astype(str), and write tables as CSV with a header"


class ArrayStream:
    """An ``.npy`` array read from a byte stream on demand; it may be larger than memory."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __init__(self, stream: Any, name: str, max_memory: int) -> None:
        self._stream = stream
        self._position = 0
        self._max_memory = max_memory
        self.name = name
        with _reading(name, "expected an array in .npy format"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about files written by Python 2, which can be read
            read_header = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }[np.lib.format.read_magic(self)]
            self.shape, self._by_columns, self.dtype = read_header(self)
        if self.dtype.hasobject or self.dtype.kind not in "fiubUS" or self.dtype.itemsize == 0:
            raise DataError(f"{name}: expected an array of numbers, got dtype {self.dtype}{_CONVERT}")
        # bool is a subclass of int.
        if any(type(length) is not int or length < 0 for length in self.shape):
            raise DataError(f"{name}: expected the shape of an array, got {self.shape}")
        self.n_rows: int = self.shape[0] if self.shape else 0
        self.row_bytes: int = math.prod(self.shape[1:]) * self.dtype.itemsize
        self._reject_more(self.row_bytes, "one row of the array")
        self._file = stream if isinstance(stream, Source) and not stream.compressed else None
        if self._file is not None and self._file.size is not None:
            found, expected = self._file.size - self._position, self.n_rows * self.row_bytes
            if self.shape and found != expected:
                raise DataError(f"{name}: expected {expected:,} bytes of numbers, got {found:,}")

    def read(self, size: int = PIECE) -> bytes:
        """Read at most that many bytes."""
        with _reading(self.name, "damaged or truncated file"):
            piece = self._stream.read(min(size, PIECE))
        self._position += len(piece)
        return piece

    def pieces(self, rows: int) -> Iterator[np.ndarray]:
        """Yield the array in pieces of that many rows."""
        if self._by_columns and len(self.shape) > 1:
            for columns in self._blocks(_BLOCK_PIECES * rows):
                block = np.ascontiguousarray(columns.T)
                yield from (block[start : start + rows] for start in range(0, len(block), rows))
            return
        for start in range(0, self.n_rows, rows):
            count = min(rows, self.n_rows - start)
            piece = np.frombuffer(self._exactly(count * self.row_bytes), self.dtype)
            yield piece.reshape(count, *self.shape[1:])
        self._end()

    def _blocks(self, rows: int) -> Iterator[np.ndarray]:
        """Yield blocks of rows of a column-major matrix, each as its columns."""
        width = self.shape[1]
        if self._file is None or not self._file.rewindable:
            # The first row is complete only when the last column has been read.
            whole = np.frombuffer(self._whole(), self.dtype).reshape(width, self.n_rows)
            for start in range(0, self.n_rows, rows):
                # Read row by row, each number would cost a cache line.
                yield whole[:, start : start + rows].copy()
            return
        begin, size = self._position, self.dtype.itemsize
        for start in range(0, self.n_rows, rows):
            count = min(rows, self.n_rows - start)
            block = np.empty((width, count), self.dtype)
            for column in range(width):
                at = begin + (column * self.n_rows + start) * size
                part = self._file.read_at(at, count * size)
                if len(part) < count * size:
                    raise DataError(f"{self.name}: the file became shorter during reading")
                block[column] = np.frombuffer(part, self.dtype)
            yield block

    def _whole(self) -> bytearray:
        """Read the whole array, within the memory limit."""
        size = self.n_rows * self.row_bytes
        self._reject_more(size, "a column-major array, which is read whole")
        data = self._exactly(size)
        self._end()
        return data

    def _reject_more(self, size: int, what: str) -> None:
        if size > self._max_memory:
            raise DataError(
                f"{self.name}: --max-memory must be at least {size:,} bytes for {what}, "
                f"got {self._max_memory:,}"
            )

    def _exactly(self, size: int) -> bytearray:
        """Read that many bytes, allocating no more than has been received."""
        data = bytearray()
        while len(data) < size:
            piece = self.read(size - len(data))
            if not piece:
                raise DataError(
                    f"{self.name}: expected {size:,} bytes more, the file ends after {len(data):,}"
                )
            data += piece
        return data

    def _end(self) -> None:
        # Reading to the end also makes zipfile verify the checksum.
        if self.read(1):
            raise DataError(f"{self.name}: expected the end of the file after the array, got more bytes")


class Matrix:
    """The rows of an ``.npy`` or ``.npz`` file, with labels if there are any.

    An ``.npz`` contains arrays named X and, for labels, y. An ``.npy`` has the label in one of its columns.
    """

    def __init__(self, source: Source, layout: Layout, n_features: int | None) -> None:
        column = layout.target
        assert isinstance(column, int)
        self.name: str = source.name
        self._column: int | None = None
        self._open = ExitStack()
        self._y: ArrayStream | None = None
        if source.head().startswith(b"PK"):
            self._open_archive(source, layout.max_memory)
        else:
            self._X = ArrayStream(source, self.name, layout.max_memory)
        if len(self._X.shape) != 2 or self._X.dtype.kind not in "fiub":
            raise DataError(
                f"{self.name}: expected a matrix of numbers, got shape {self._X.shape} of {self._X.dtype}"
                f"{_CONVERT if self._X.dtype.kind in 'US' else ''}"
            )
        self.n_rows: int
        self.n_rows, width = self._X.shape
        if self._y is None and (n_features is None or has_label(width, n_features, self.name)):
            if not -width <= column < width:
                raise DataError(
                    f"{self.name}: expected the target in column {column} (--target), got {width:,} columns"
                )
            self._column = column % width
            width -= 1
        elif n_features not in (None, width):
            raise DataError(f"{self.name}: expected {n_features:,} columns, got {width:,}")
        if n_features is None:
            reject_too_many(self.name, width, layout.max_features)
        self.n_features = width
        self.labelled: bool = self._y is not None or self._column is not None

    def _open_archive(self, source: Source, max_memory: int) -> None:
        if not source.rewindable or source.compressed:
            raise DataError(f"{self.name}: .npz must be an uncompressed file")
        with _reading(self.name, "damaged .npz file"):
            archive = self._open.enter_context(zipfile.ZipFile(source.path))
            names = archive.namelist()
            if "X.npy" not in names:
                is_npz = any(name.endswith(".npy") for name in names)
                hint = (
                    "; save it by numpy.savez('data.npz', X=..., y=...)"
                    if is_npz
                    else "; unpack zip archives first"
                )
                if "indptr.npy" in names:
                    hint = (
                        "; convert it in Python: sklearn.datasets.dump_svmlight_file("
                        "scipy.sparse.load_npz(FILE), y, 'data.libsvm', zero_based=False)"
                    )
                raise DataError(f"{self.name}: expected an array named X, got {_listed(names)}{hint}")
            opened = self._open.enter_context
            self._X = ArrayStream(opened(archive.open("X.npy")), f"{self.name}[X]", max_memory)
            if "y.npy" not in names:
                return
            self._y = ArrayStream(opened(archive.open("y.npy")), f"{self.name}[y]", max_memory)
        if self._y.shape != self._X.shape[:1]:
            raise DataError(f"{self.name}: expected y of shape {self._X.shape[:1]}, got {self._y.shape}")

    def pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray | None, Where]]:
        """Yield rows, their labels, and a function of their positions, in pieces of about 1 MiB."""
        first = 1
        for X, y in self._pairs():
            yield X, y, place(self.name, first)
            first += len(X)

    def _pairs(self) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        longest = max(self._X.row_bytes, self._y.row_bytes if self._y else 1)
        rows = max(1, PIECE // max(1, longest))
        with self._open:
            if self._y is not None:
                yield from zip(self._X.pieces(rows), self._y.pieces(rows), strict=True)
                return
            for X in self._X.pieces(rows):
                if self._column is None:
                    yield X, None
                else:
                    yield np.delete(X, self._column, axis=1), X[:, self._column]


def _listed(names: list[str]) -> str:
    """Return the first names of an archive, and their number."""
    more = f", ... ({len(names):,} in all)" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more or "none"


@contextmanager
def _reading(name: str, what: str) -> Iterator[None]:
    """Add the file name to an error; damaged data raise many kinds of errors in NumPy and zipfile."""
    try:
        yield
    except (CommandError, MemoryError):
        raise
    except Exception as error:
        raise DataError(f"{name}: {what} ({str(error) or type(error).__name__})") from error


def place(name: str, first: int) -> Where:
    """Return the function that names a row of a piece, whose first row is row `first` of the file."""
    return lambda row: f"{name}:row {first + row}"


def has_label(columns: int, n_features: int, name: str) -> bool:
    """Return whether one column is the label: a file to predict may have only the features."""
    if columns not in (n_features, n_features + 1):
        raise DataError(
            f"{name}: expected {n_features:,} columns, or {n_features + 1:,} with the target, got {columns:,}"
        )
    return columns != n_features
