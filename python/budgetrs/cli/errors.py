"""The errors of the command line with their exit codes, and the signals that become one of them."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

OK = 0
DATA = 1
USAGE = 2
MODEL = 3
INTERRUPTED = 130
TERMINATED = 143


class CommandError(Exception):
    """An error printed without a traceback, after "budgetrs: "; the program exits with `code`."""

    code = DATA


class DataError(CommandError):
    """The data cannot be read or do not fit the model, or the output cannot be written."""

    @classmethod
    def at(cls, where: str, message: str) -> "DataError":
        """Return an error about a place of a file, FILE:LINE."""
        return cls(f"{where}: {message}")


class UsageError(CommandError):
    """The arguments are invalid."""

    code = USAGE


class ModelFileError(CommandError):
    """The model file cannot be read or written."""

    code = MODEL


class Terminated(KeyboardInterrupt):
    """SIGTERM was received; it is handled like Ctrl-C, so work is saved and temporary files are removed."""


class InterruptionError(CommandError):
    """The program was stopped; the message says what was saved."""

    def __init__(self, stop: KeyboardInterrupt, message: str = "") -> None:
        super().__init__(f"interrupted; {message}" if message else "interrupted")
        self.code = TERMINATED if isinstance(stop, Terminated) else INTERRUPTED


def data_error(name: str, error: Exception) -> DataError:
    """Convert an error of a decompressor or the system into a `DataError` about the file `name`."""
    if isinstance(error, FileNotFoundError):
        is_url = name.partition("://")[0] in ("http", "https", "ftp", "s3", "gs")
        advice = "download it, and pipe it to -" if is_url else "check the path, or give - for standard input"
        return DataError(f"{name}: no such file; {advice}")
    return DataError(f"{name}: {reason(error)}")


def reason(error: Exception) -> str:
    """Return the message of an error, without the error number of the system."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


@contextmanager
def reading(name: str, what: str = "cannot be read") -> Iterator[None]:
    """Add the file name to an error; damaged data raise many kinds of errors in pyarrow and NumPy."""
    try:
        yield
    except (CommandError, MemoryError):
        raise
    except Exception as error:
        raise DataError(f"{name}: {what} ({str(error) or type(error).__name__})") from error


def need_pyarrow(name: str, what: str) -> None:
    """Raise unless pyarrow, which reading the file needs, is installed."""
    try:
        import pyarrow

        pyarrow.array([0])  # the first array imports pandas if it is installed: before the clock starts
    except ImportError as error:
        raise DataError(f"{name}: {what} needs pyarrow: pip install 'budgetrs[arrow]'") from error


def discard_output(stream: TextIO | None) -> None:
    """Discard buffered output, so that the interpreter does not try to write it at exit."""
    if stream is not None:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def stoppable() -> Iterator[None]:
    """Make SIGTERM raise `Terminated`, unless it has a handler."""

    def stop(*_: Any) -> None:
        raise Terminated

    is_free = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    with _handled({signal.SIGTERM: stop} if is_free else {}):
        yield


@contextmanager
def shielded() -> Iterator[None]:
    """Ignore signals while output is being written."""
    with _handled(dict.fromkeys((signal.SIGINT, signal.SIGTERM), signal.SIG_IGN)):
        yield


@contextmanager
def _handled(handlers: dict[signal.Signals, Any]) -> Iterator[None]:
    is_main = threading.current_thread() is threading.main_thread()  # no other thread can set handlers
    old = {number: signal.signal(number, handler) for number, handler in handlers.items() if is_main}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
