"""The errors of the command line, with their exit codes."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from .._errors import ParameterError

ENCODING_HINT = "convert the file: iconv -f WINDOWS-1252 -t UTF-8 FILE > data.csv"
"""Advice on text that is not UTF-8; most such files are from Windows."""

OK = 0
DATA = 1
USAGE = 2
MODEL = 3
INTERRUPTED = 130
TERMINATED = 143


class CommandError(Exception):
    """An error printed without a traceback; the program exits with `code`."""

    code = DATA

    def __init__(self, message: str, *, located: bool = False) -> None:
        super().__init__(message)
        # A located message begins with FILE:LINE, as compilers print it, and gets no prefix.
        self.located = located


class DataError(CommandError):
    """The data cannot be read or do not fit the model, or the output cannot be written."""


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
    """Convert an error of a parser, a decompressor or the system into a `DataError` about the file `name`."""
    if isinstance(error, FileNotFoundError):
        return DataError(f"{name}: no such file; check the path, or give - for standard input")
    message = str(error) or type(error).__name__
    if message.startswith(f"{name}:"):
        return DataError(message, located=True)
    return DataError(f"{name}: {reason(error)}")


def reason(error: Exception) -> str:
    """Return the message of an error, without the error number of the system."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def forget(stream: TextIO | None) -> None:
    """Discard buffered output, so that the interpreter does not try to write it at exit."""
    if stream is None:
        return
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def message(error: Exception) -> str:
    """Return the message of an error; the memory limit is named by its option."""
    is_limit = isinstance(error, ParameterError) and error.parameter == "max_memory"
    return f"--{str(error).replace('_', '-', 1)}" if is_limit else str(error)


def row_error(where: Callable[[int], str], error: Exception) -> DataError:
    """Convert an error about a row of a batch into a `DataError` with the row's position in the file."""
    row = error.row if isinstance(error, ParameterError) else None
    if row is None:
        return DataError(f"{where(0)}: {message(error)}", located=True)
    # The position in the file replaces the row number within the batch.
    text = str(error).replace(f" at row {row}", "", 1)
    return DataError(f"{where(row)}: {text}", located=True)


def need_pyarrow(name: str, what: str) -> None:
    """Raise unless pyarrow, which reading the file needs, is installed."""
    try:
        import pyarrow

        pyarrow.array([0])  # the first array imports pandas if it is installed: before the clock starts
    except ImportError as error:
        raise DataError(f"{name}: {what} needs pyarrow: pip install 'budgetrs[arrow]'") from error
