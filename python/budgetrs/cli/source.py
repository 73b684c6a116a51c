"""Bytes from a file or standard input, decompressed on the way."""

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from .decompress import DAMAGE, decompressed
from .errors import DataError, data_error
from .prefetch import Prefetch
from .signals import Pipe

PIECE = 1 << 20

# The longest line that the reader of text accepts.
_LONGEST_LINE = 1 << 24

_SUFFIXES = (".gz", ".xz", ".bz2", ".zst")


def status_of(path: str) -> os.stat_result:
    """Return the status of a data file without opening it; ``-`` is standard input."""
    try:
        return os.fstat(_standard_input().fileno()) if path == "-" else Path(path).stat()
    except (OSError, ValueError) as error:
        raise data_error(name_of(path), error) from error


def is_rewindable(path: str, status: os.stat_result | None = None) -> bool:
    """Return whether the data can be read again: not standard input, a pipe or a device."""
    return path != "-" and stat.S_ISREG((status or status_of(path)).st_mode)


def name_of(path: str) -> str:
    """Return the name of a data file for messages; bytes that are not UTF-8 are escaped."""
    return "<stdin>" if path == "-" else os.fsencode(path).decode("utf-8", "backslashreplace")


def _standard_input() -> Any:
    if sys.stdin is None or sys.stdin.closed:
        raise OSError("standard input is closed")
    return sys.stdin.buffer


class Source:
    """An open data file; ``-`` is standard input. Compression is recognised by the first bytes."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name: str = name_of(path)
        self._pipe: Pipe | None = None
        try:
            raw: Any = _standard_input() if path == "-" else Path(path).open("rb")
            self._opened = raw
            status = os.fstat(raw.fileno())
            self.rewindable: bool = is_rewindable(path, status)
            if not self.rewindable:
                self._pipe = Pipe(raw.fileno())
                raw = io.BufferedReader(self._pipe)
            start = raw.peek(8)[:8]
        except (OSError, ValueError) as error:
            raise data_error(self.name, error) from error
        self.size: int | None = status.st_size if self.rewindable else None
        self._raw = raw
        self.compressed: bool = False
        self._pending = b""
        self._returns = False
        try:
            unpacking = decompressed(raw, start, self.name)
        except DataError:
            self.close()
            raise
        self.compressed = unpacking is not None
        self._stream: Any = unpacking or raw

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.compressed:
            self._stream.close()
        if self._pipe is not None:
            self._pipe.close()
        if self.path != "-":
            self._opened.close()

    def interrupt(self) -> None:
        """End a read of another thread that waits for a pipe."""
        if self._pipe is not None:
            self._pipe.interrupt()

    def head(self) -> bytes:
        """Return the first piece without consuming it."""
        self._pending = self._pending or self._read(PIECE)
        return self._pending

    def take_returns(self) -> None:
        """Take carriage returns as line ends, if the first piece has no other line ends."""
        head = self.head()
        if b"\r" in head[:-1] and b"\n" not in head:
            self._returns, self._pending = True, head.replace(b"\r", b"\n")

    def lines(self, least: int) -> Iterator[bytes]:
        """Yield the first lines without consuming them.

        The first `least` lines are waited for; more lines follow only if they have been read. At most 16 MiB
        are read.
        """
        self.head()
        start = count = 0
        while True:
            end = self._pending.find(b"\n", start)
            if end < 0 and count < least and len(self._pending) < _LONGEST_LINE:
                more = self._read(PIECE)  # a pipe may have sent a part of the line
                self._pending += more
                if more:
                    continue
            if end < 0:
                if start < len(self._pending):
                    yield self._pending[start:]
                return
            yield self._pending[start:end].removesuffix(b"\r")
            start, count = end + 1, count + 1

    def first_line(self) -> bytes:
        """Return the first line that is not blank without consuming it; at most 16 MiB are read for it."""
        line = next((line for line in self.lines(_LONGEST_LINE) if line.strip()), b"")
        if not line:
            raise DataError(f"{self.name}: expected rows, got an empty file")
        return line

    def blocks(self) -> Iterator[tuple[bytes, bool]]:
        """Yield blocks of whole lines, each with whether it is the last; lines of a pipe are not delayed.

        A line that is too long is yielded in parts.
        """
        rest = b""
        with ExitStack() as stack:
            for piece in self._pieces(stack):
                cut = piece.rfind(b"\n") + 1
                if cut:
                    yield b"".join([rest, memoryview(piece)[:cut]]), False
                    rest = piece[cut:]
                else:
                    rest += piece
                if len(rest) > _LONGEST_LINE:
                    yield rest, False
                    rest = b""
        yield rest, True

    def _pieces(self, stack: ExitStack) -> Iterable[bytes]:
        """Return the pieces of the file; a separate thread decompresses a compressed file."""
        pieces = iter(lambda: self.read(PIECE), b"")
        return stack.enter_context(Prefetch(pieces)) if self.compressed else pieces

    def read(self, size: int) -> bytes:
        """Read at most `size` bytes; fewer at the end, or if a pipe has no more at the moment."""
        if not self._pending:
            return self._read(size)
        piece, self._pending = self._pending[:size], self._pending[size:]
        return piece

    def read_at(self, position: int, size: int) -> bytes:
        """Read at a position of an uncompressed file."""
        self._pending = b""
        self._raw.seek(position)
        return self._read(size)

    def fraction(self) -> float | None:
        """Return the fraction of the file read so far; None if its size is unknown."""
        return min(1.0, self._raw.tell() / self.size) if self.size else None

    def stem_suffix(self) -> str:
        """Return the suffix before the suffix of the compression: ``.csv`` for ``a.csv.gz``."""
        path = Path(self.path)
        return Path(path.stem).suffix.lower() if path.suffix.lower() in _SUFFIXES else path.suffix.lower()

    def _read(self, size: int) -> bytes:
        try:
            # A pipe is read as data arrive, so that rows of a slow producer are learned without delay.
            piece = self._stream.read(size) if self.rewindable else self._stream.read1(size)
            return piece.replace(b"\r", b"\n") if self._returns else piece
        except DAMAGE as error:
            if self.compressed:
                raise DataError(f"{self.name}: damaged or truncated compressed data ({error})") from error
            raise data_error(self.name, error) from error
