"""Output files: checked before the work, then written completely or left unchanged."""

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from .. import _core
from .errors import DataError, InterruptionError, UsageError, reason


def reject_sources(output: str | None, *sources: str | None) -> None:
    """Raise if the output is one of the input files, under any name; None is standard output."""
    written = _status(output, sys.stdout)
    for source in filter(None, sources):
        read = _status(source, sys.stdin)
        if written and read and stat.S_ISREG(read.st_mode) and os.path.samestat(written, read):
            shown = "standard output" if output is None else output
            raise UsageError(f"{shown}: expected an output file, got the input {source}")


def _status(path: str | None, standard: TextIO | None) -> os.stat_result | None:
    try:
        if path in (None, "-"):
            return os.fstat(standard.fileno()) if standard else None
        return Path(path or "").stat()
    except (OSError, ValueError):
        return None


def check(path: str) -> None:
    """Check that a file can be written atomically.

    Raises
    ------
    OSError
        If it cannot; the message gives the reason.
    """
    _draft(path).discard()


@contextmanager
def writing(path: str | None) -> Iterator[TextIO]:
    """Open a text file that replaces the old one when it is complete; None is standard output.

    Devices and pipes are written directly.
    """
    name = "standard output" if path is None else path
    try:
        if path is None:
            if sys.stdout is None:
                raise OSError("it is closed")
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(encoding="utf-8")  # as in a file, whatever the locale
            yield sys.stdout
            sys.stdout.flush()
        elif _is_device(path):
            with Path(path).open("w", encoding="utf-8") as out:
                yield out
        else:
            with _replacing(path) as out:
                yield out
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"{name}: {reason(error)}") from error


def check_file(option: str, path: str, *read: str | None) -> None:
    """Check in advance that `write` can succeed and that the file is no input."""
    if path == "-":
        raise UsageError(f"{option}: expected a file, got - (standard output)")
    reject_sources(path, *read)
    try:
        if not _is_device(path):
            check(path)
    except OSError as error:
        raise DataError(f"{path}: {reason(error)}") from error


def write(path: str, content: bytes) -> None:
    """Replace a file atomically; devices and pipes are written directly."""
    try:
        if _is_device(path):
            Path(path).write_bytes(content)
        else:
            with _replacing(path, binary=True) as out:
                out.write(content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"{path}: {reason(error)}") from error


def _is_device(path: str) -> bool:
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()


@contextmanager
def _replacing(path: str, *, binary: bool = False) -> Iterator[Any]:
    draft = _draft(path)
    content = io.BufferedWriter(_Content(draft))
    try:
        out = content if binary else io.TextIOWrapper(content, encoding="utf-8")
        yield out
        out.flush()
        draft.commit()
    except KeyboardInterrupt as stop:
        raise InterruptionError(stop, f"{path} was not written") from None
    finally:
        draft.discard()
        # Closing the raw stream drops buffered output.
        content.raw.close()


class _Content(io.RawIOBase):
    """The bytes of a draft."""

    def __init__(self, draft: _core.AtomicFile) -> None:
        super().__init__()
        self._draft = draft

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._draft.write(bytes(data))
        return len(data)


def _draft(path: str) -> _core.AtomicFile:
    """Return a draft of the file, with its permissions; links are followed."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OSError(f"expected a file, got the directory {target}")
    if not target.parent.is_dir():
        raise OSError(f"no such directory {target.parent}")
    old = target.stat().st_mode if target.exists() else None
    if old is not None and not stat.S_ISREG(old):
        raise OSError("expected a regular file, got a device or a pipe")
    if old is not None and not old & 0o222:
        raise OSError("the file is read-only")
    try:
        return _core.AtomicFile(target)
    except OSError as error:
        raise OSError(f"cannot create a file in {target.parent}: {reason(error)}") from error
