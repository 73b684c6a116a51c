"""Bytes from a file or standard input, decompressed on the way, and a thread that reads ahead."""

import bz2
import gzip
import io
import lzma
import os
import select
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, Self, TypeVar

from .errors import DataError, data_error, need_pyarrow

PIECE = 1 << 18
"""The number of bytes that are read at once."""

_SUFFIXES = (".gz", ".xz", ".bz2", ".zst")
# The exceptions raised for damaged or truncated data.
_DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error)


def status_of(path: str) -> os.stat_result:
    """Return the status of a data file without opening it; ``-`` is standard input."""
    try:
        return os.fstat(_standard_input().fileno()) if path == "-" else Path(path).stat()
    except (OSError, ValueError) as error:
        raise data_error(name_of(path), error) from error


def is_rewindable(path: str) -> bool:
    """Return whether the data can be read again: not standard input, a pipe or a device."""
    return path != "-" and not _is_stream(status_of(path))


def name_of(path: str) -> str:
    """Return the name of a data file for messages; bytes that are not UTF-8 are escaped."""
    return "<stdin>" if path == "-" else os.fsencode(path).decode("utf-8", "backslashreplace")


def _is_stream(status: os.stat_result) -> bool:
    return not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def _standard_input() -> Any:
    if sys.stdin is None or sys.stdin.closed:
        raise OSError("standard input is closed")
    return sys.stdin.buffer


class Source:
    """An open data file; ``-`` is standard input. Compression is recognised by the first bytes."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name: str = name_of(path)
        self._pipe: _Pipe | None = None
        try:
            with ExitStack() as files:
                raw: Any = _standard_input() if path == "-" else files.enter_context(Path(path).open("rb"))
                status = os.fstat(raw.fileno())
                self.rewindable: bool = path != "-" and not _is_stream(status)
                if not self.rewindable:
                    self._pipe = _Pipe(raw.fileno())
                    raw = io.BufferedReader(self._pipe)
                stream = _decompressed(raw, raw.peek(8)[:8], self.name)
                self._files = files.pop_all()
        except IsADirectoryError as error:
            raise DataError(
                f"{self.name}: expected a file, got a directory; train --resume learns file by file"
            ) from error
        except (OSError, ValueError) as error:
            raise data_error(self.name, error) from error
        self._raw = raw
        self._size = status.st_size if self.rewindable else 0
        self.compressed: bool = stream is not None
        self._stream: Any = self.closing(stream) if self.compressed else raw
        self._head = b""
        self._has_old_line_ends = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file; standard input stays open."""
        self._files.close()

    def closing(self, other: Any) -> Any:
        """Return another open file, which is closed with this one."""
        self._files.callback(other.close)
        return other

    def interrupt(self) -> None:
        """End a read of another thread that waits for a pipe."""
        if self._pipe is not None:
            self._pipe.interrupt()

    def head(self, *, lines: int = 1) -> bytes:
        """Return the first piece without consuming it; of a pipe what has arrived, at least that many lines.

        Carriage returns count as line ends if the piece has no others.
        """
        while len(self._head) < PIECE and self._head.lstrip().count(b"\n") < lines:
            piece = self._read(PIECE - len(self._head))
            if not piece:
                break
            self._head += piece
        if b"\r" in self._head[:-1] and b"\n" not in self._head:
            self._has_old_line_ends = True
            self._head = self._head.replace(b"\r", b"\n")
        return self._head

    def read(self, size: int) -> bytes:
        """Read at most `size` bytes; fewer at the end, or if a pipe has no more at the moment."""
        if not self._head:
            return self._read(size)
        piece, self._head = self._head[:size], self._head[size:]
        return piece

    def fraction(self) -> float | None:
        """Return the fraction of the file read so far; None if its size is unknown."""
        return min(1.0, self._raw.tell() / self._size) if self._size else None

    def suffix(self) -> str:
        """Return the suffix before the suffix of the compression: ``.csv`` for ``a.csv.gz``."""
        path = Path(self.path)
        return Path(path.stem).suffix.lower() if path.suffix.lower() in _SUFFIXES else path.suffix.lower()

    def _read(self, size: int) -> bytes:
        try:
            # A pipe is read as data arrive, so that rows of a slow producer are predicted without delay.
            piece = self._stream.read(size) if self.rewindable else self._stream.read1(size)
            return piece.replace(b"\r", b"\n") if self._has_old_line_ends else piece
        except _DAMAGE as error:
            if self.compressed:
                raise DataError(f"{self.name}: damaged or truncated compressed data ({error})") from error
            raise data_error(self.name, error) from error


def _decompressed(raw: Any, start: bytes, name: str) -> Any:
    """Return a reader of a compressed file that begins with `start`; None if it is not compressed."""
    if start.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=raw)
    if start.startswith(b"BZh"):
        return bz2.BZ2File(raw)
    if start.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(raw)
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        need_pyarrow(name, "zstd")
        import pyarrow

        return pyarrow.CompressedInputStream(pyarrow.PythonFile(_Pieces(raw), "r"), "zstd")
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


# Seconds after which a wait looks for signals: a signal just before the wait does not end it.
_WAIT = 0.1


class _Pipe(io.RawIOBase):
    """An unbuffered pipe that waits for data in short steps, so that signals and `interrupt` end a read."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._is_ended = False

    def readable(self) -> bool:
        return True

    def interrupt(self) -> None:
        """End a read of another thread that waits for data, and all later ones, as if the data ended."""
        self._is_ended = True

    def readinto(self, buffer: Any) -> int:
        # On Windows `select` does not support pipes.
        while sys.platform != "win32" and not select.select([self._descriptor], [], [], _WAIT)[0]:
            if self._is_ended:
                return 0
        data = os.read(self._descriptor, len(buffer))
        buffer[: len(data)] = data
        return len(data)


# How many items the thread is ahead: while the caller works on one, one waits and one is being produced.
_LEAD = 2

Item = TypeVar("Item")


class Prefetch(Generic[Item]):
    """Iterates over items that a thread produces a few ahead, in order, and then raises the thread's error.

    `interrupt` ends the thread's wait for input. Two queues, of items and of permits to produce more, replace
    locks, which an interruption could leave locked.
    """

    def __init__(self, items: Iterable[Item], interrupt: Callable[[], object] = lambda: None) -> None:
        self._interrupt = interrupt
        self._made: SimpleQueue[tuple[Item | None, BaseException | None]] = SimpleQueue()
        self._permits: SimpleQueue[bool] = SimpleQueue()
        for _ in range(_LEAD):
            self._permits.put(True)
        # On Windows a read of a pipe cannot be interrupted, so the process does not wait for the thread.
        self._waits = sys.platform != "win32"
        self._thread = Thread(target=self._make, args=(iter(items),), daemon=not self._waits)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread; items that were not consumed are dropped."""
        self._permits.put(False)
        self._interrupt()
        if self._waits:
            self._thread.join()

    def __iter__(self) -> Iterator[Item]:
        while True:
            try:
                item, end = self._made.get(timeout=_WAIT)
            except Empty:
                continue
            if isinstance(end, StopIteration):
                return
            if end is not None:
                raise end
            self._permits.put(True)
            yield item  # pyright: ignore[reportReturnType]

    def _make(self, items: Any) -> None:
        try:
            while self._permits.get():
                self._made.put((next(items), None))
        except BaseException as end:
            self._made.put((None, end))
        finally:
            if hasattr(items, "close"):
                items.close()
