"""Bytes from a file or standard input, decompressed on the way."""

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Self

from .errors import DataError, data_error

PIECE = 1 << 20

_CONTAINERS: tuple[tuple[bytes, Callable[[BinaryIO], Any]], ...] = (
    (b"\x1f\x8b", lambda raw: gzip.GzipFile(fileobj=raw)),
    (b"\xfd7zXZ\x00", lambda raw: lzma.LZMAFile(raw)),
    (b"BZh", lambda raw: bz2.BZ2File(raw)),
)
_SUFFIXES = (".gz", ".xz", ".bz2")
_DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error)


class Source:
    """An open data file; ``-`` is standard input. What it is compressed with is told by its first bytes."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        try:
            raw: Any = sys.stdin.buffer if path == "-" else Path(path).open("rb")
            status = os.fstat(raw.fileno())
        except OSError as error:
            raise data_error(self.name, error) from error
        self.rewindable = path != "-" and stat.S_ISREG(status.st_mode)
        self._size = status.st_size if self.rewindable else None
        self._raw = raw
        self._stream = raw
        try:
            start = raw.peek(8)[:8]
        except OSError as error:
            raise data_error(self.name, error) from error
        self.compressed = False
        for magic, unpack in _CONTAINERS:
            if start.startswith(magic):
                self._stream = unpack(raw)
                self.compressed = True
        self._pending = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._raw is not sys.stdin.buffer:
            if self._stream is not self._raw:
                self._stream.close()
            self._raw.close()

    def head(self) -> bytes:
        """Look at the first piece without consuming it."""
        self._pending = self._pending or self._read(PIECE)
        return self._pending

    def read(self, size: int) -> bytes:
        """Read at most `size` bytes; fewer come at the end, or from a pipe that has no more at the moment."""
        if not self._pending:
            return self._read(size)
        piece, self._pending = self._pending[:size], self._pending[size:]
        return piece

    def fraction(self) -> float | None:
        """Tell which part of the file has been read; None when its size is unknown."""
        return min(1.0, self._raw.tell() / self._size) if self._size else None

    def stem_suffix(self) -> str:
        """Give the suffix of the name without that of the compression: ``.csv`` for ``a.csv.gz``."""
        path = Path(self.path)
        return Path(path.stem).suffix.lower() if path.suffix.lower() in _SUFFIXES else path.suffix.lower()

    def _read(self, size: int) -> bytes:
        # A pipe is read as it comes, so that a slow producer is learned from at once.
        direct = isinstance(self._stream, io.BufferedReader) and not self.rewindable
        try:
            return self._stream.read1(size) if direct else self._stream.read(size)
        except _DAMAGE as error:
            if self.compressed:
                raise DataError(f"{self.name}: damaged or cut compressed data ({error})") from error
            raise data_error(self.name, error) from error
