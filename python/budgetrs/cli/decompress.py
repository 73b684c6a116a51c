"""Decompression of files of one or more streams, without data after the last stream."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .errors import need_pyarrow

DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error)
"""The exceptions raised for damaged or truncated data."""

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Container:
    """A compression format: magic bytes, decompressor, and the unit of zero padding between streams."""

    name: str
    magic: bytes
    decompressor: Callable[[], Any]
    padding: int = 0


_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_CONTAINERS = (
    Container("xz", b"\xfd7zXZ\x00", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), padding=4),
    Container("bzip2", b"BZh", bz2.BZ2Decompressor),
)


def decompressed(raw: Any, start: bytes, name: str) -> Any:
    """Return a reader of a compressed file that begins with `start`; None if it is not compressed."""
    if start.startswith(_GZIP):
        return gzip.GzipFile(fileobj=raw)
    if start.startswith(_ZSTD):
        need_pyarrow(name, "zstd")
        import pyarrow

        return pyarrow.CompressedInputStream(pyarrow.PythonFile(_Pieces(raw), "r"), "zstd")
    for container in _CONTAINERS:
        if start.startswith(container.magic):
            return io.BufferedReader(_Streams(raw, container))
    return None


class _Pieces(io.RawIOBase):
    """A reader that returns the bytes available, since pyarrow asks for more than have arrived."""

    def __init__(self, raw: Any) -> None:
        super().__init__()
        self._raw = raw

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._raw.read1(size)


class _Streams(io.RawIOBase):
    """The contents of all streams of a file, concatenated.

    `lzma.LZMAFile` and `bz2.BZ2File` are not used, because they silently ignore trailing data.
    """

    def __init__(self, raw: Any, container: Container) -> None:
        super().__init__()
        self._raw = raw
        self._container = container
        self._packed = b""
        self._ended = False
        self._stream = container.decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data:
            if self._ended:
                return 0
            if self._stream.eof:
                self._packed = self._stream.unused_data
                self._ended = not self._another()
                self._stream = self._container.decompressor()
            elif self._stream.needs_input and not self._packed and not self._fetch():
                raise EOFError(f"the {self._container.name} stream is truncated")
            packed, self._packed = self._packed, b""
            data = self._stream.decompress(packed, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _another(self) -> bool:
        """Skip the padding; return whether another stream follows."""
        zeros = 0
        while True:
            if self._container.padding:
                rest = self._packed.lstrip(b"\0")
                zeros += len(self._packed) - len(rest)
                self._packed = rest
            if len(self._packed) >= len(self._container.magic) or not self._fetch():
                break
        padded = zeros % (self._container.padding or 1) == 0
        if padded and not self._packed:
            return False
        if padded and self._packed.startswith(self._container.magic):
            return True
        raise OSError(f"expected the end or another {self._container.name} stream after the last one")

    def _fetch(self) -> bool:
        """Read more of the file; return whether there was more."""
        piece = self._raw.read1(_CHUNK)
        self._packed += piece
        return bool(piece)
