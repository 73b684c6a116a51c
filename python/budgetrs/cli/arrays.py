"""Matrices in NumPy's own files, read piece by piece."""

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from .errors import DataError
from .source import PIECE, Source


class ArrayStream:
    """An ``.npy`` array that is read from a byte stream as it is needed; it may be larger than memory."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream = stream
        self.name = name
        try:
            version = np.lib.format.read_magic(stream)
            read_header = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }[version]
            shape, self._by_columns, self.dtype = read_header(stream)
        except (ValueError, KeyError, EOFError) as error:
            raise DataError(f"{name}: expected an array in .npy format ({error})") from error
        self.shape: tuple[int, ...] = shape
        self.n_rows = shape[0] if shape else 0
        if self.dtype.hasobject or self.dtype.kind not in "fiubUS":
            raise DataError(f"{name}: expected an array of numbers, got dtype {self.dtype}")

    def pieces(self, rows: int) -> Iterator[np.ndarray]:
        """Give the array in pieces of that many rows."""
        if self._by_columns and len(self.shape) > 1:
            # Stored column by column there is no first row before the last column has come.
            whole = np.frombuffer(self._exactly(self._bytes(self.n_rows)), self.dtype)
            matrix = whole.reshape(self.shape[::-1]).T
            yield from (matrix[start : start + rows] for start in range(0, self.n_rows, rows))
            return
        for start in range(0, self.n_rows, rows):
            count = min(rows, self.n_rows - start)
            piece = np.frombuffer(self._exactly(self._bytes(count)), self.dtype)
            yield piece.reshape(count, *self.shape[1:])

    def _bytes(self, rows: int) -> int:
        return rows * int(np.prod(self.shape[1:], dtype=np.int64)) * self.dtype.itemsize

    def _exactly(self, size: int) -> bytes:
        parts, missing = [], size
        while missing:
            part = self._stream.read(missing)
            if not part:
                raise DataError(
                    f"{self.name}: expected {size} bytes more, the file ends after {size - missing}"
                )
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)


class Matrix:
    """The rows of an ``.npy`` or ``.npz`` file, with their labels if they have any.

    An ``.npz`` holds arrays named X and (for labels) y; an ``.npy`` has the label in one of its columns.
    """

    def __init__(self, source: Source, label_column: int, n_features: int | None) -> None:
        self.name = source.name
        self._column: int | None = None
        self._open = ExitStack()
        self._y: ArrayStream | None = None
        if source.head().startswith(b"PK"):
            self._open_archive(source)
        else:
            self._X = ArrayStream(source, self.name)
        if len(self._X.shape) != 2 or self._X.dtype.kind not in "fiub":
            raise DataError(
                f"{self.name}: expected a matrix of numbers, got shape {self._X.shape} of {self._X.dtype}"
            )
        self.n_rows, width = self._X.shape
        # A file to predict for may come without labels: it then has exactly the columns of the model.
        if self._y is None and width != n_features:
            if not -width <= label_column < width:
                raise DataError(
                    f"{self.name}: expected a label in column {label_column}, got {width} columns"
                )
            self._column = label_column % width
            width -= 1
        self.n_features = width
        self.labelled = self._y is not None or self._column is not None

    def _open_archive(self, source: Source) -> None:
        if not source.rewindable or source.compressed:
            raise DataError(f"{self.name}: an .npz is read from an uncompressed file only")
        try:
            archive = self._open.enter_context(zipfile.ZipFile(source.path))
            names = archive.namelist()
            if "X.npy" not in names:
                raise DataError(f"{self.name}: expected an array named X, got {', '.join(names) or 'none'}")
            self._X = ArrayStream(self._open.enter_context(archive.open("X.npy")), f"{self.name}[X]")
            if "y.npy" not in names:
                return
            self._y = ArrayStream(self._open.enter_context(archive.open("y.npy")), f"{self.name}[y]")
        except zipfile.BadZipFile as error:
            raise DataError(f"{self.name}: damaged .npz file ({error})") from error
        if self._y.shape != self._X.shape[:1]:
            raise DataError(f"{self.name}: expected y of shape {self._X.shape[:1]}, got {self._y.shape}")

    def pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        """Give the rows and their labels in pieces of about 1 MiB."""
        rows = max(1, PIECE // max(1, self._X.dtype.itemsize * self._X.shape[1]))
        with self._open:
            if self._y is not None:
                yield from zip(self._X.pieces(rows), self._y.pieces(rows), strict=True)
                return
            for X in self._X.pieces(rows):
                if self._column is None:
                    yield X, None
                else:
                    yield np.delete(X, self._column, axis=1), X[:, self._column]
