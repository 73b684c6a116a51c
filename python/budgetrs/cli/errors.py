"""What can go wrong on the command line, and with which exit code."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

OK = 0
DATA = 1
USAGE = 2
MODEL = 3
INTERRUPTED = 130
TERMINATED = 143


class CommandError(Exception):
    """An error for the user: printed without a traceback, and the program ends with `code`."""

    code = DATA

    def __init__(self, message: str, *, located: bool = False) -> None:
        super().__init__(message)
        # A located message begins with FILE:LINE and stands alone, as editors and compilers have it.
        self.located = located


class DataError(CommandError):
    """The data cannot be read, or do not fit the model, or what came out cannot be written."""


class UsageError(CommandError):
    """The arguments do not make sense."""

    code = USAGE


class ModelFileError(CommandError):
    """The model file cannot be read or written."""

    code = MODEL


class Terminated(KeyboardInterrupt):
    """SIGTERM came; it is treated like Ctrl-C, so that work is saved and temporary files go."""


class InterruptionError(CommandError):
    """The program was stopped; the message says what became of its output."""

    def __init__(self, stop: KeyboardInterrupt, message: str = "") -> None:
        super().__init__(f"interrupted; {message}" if message else "interrupted")
        self.code = TERMINATED if isinstance(stop, Terminated) else INTERRUPTED


def data_error(name: str, error: Exception) -> DataError:
    """Turn what a parser, a decompressor or the system raised into a `DataError` about the file `name`."""
    message = str(error) or type(error).__name__
    if message.startswith(f"{name}:"):
        return DataError(message, located=True)
    return DataError(f"{name}: {reason(error)}")


def reason(error: Exception) -> str:
    """Say what happened, without the number that the system gives it."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def forget(stream: TextIO | None) -> None:
    """Let what is buffered go nowhere, so that the interpreter does not try to write it in the end."""
    if stream is None:
        return
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def row_error(where: Callable[[int], str], error: Exception) -> DataError:
    """Turn what the model said of one row of a batch into a `DataError` about its place in the file."""
    found = re.search(r" at row (\d+)", str(error))
    if found is None:
        return DataError(f"{where(0)}: {error}", located=True)
    message = str(error).replace(found[0], "", 1)
    return DataError(f"{where(int(found[1]))}: {message}", located=True)
