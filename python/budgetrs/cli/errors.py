"""What can go wrong on the command line, and with which exit code."""

OK = 0
DATA = 1
USAGE = 2
MODEL = 3
INTERRUPTED = 130


class CommandError(Exception):
    """An error for the user: printed without a traceback, and the program ends with `code`."""

    code = DATA

    def __init__(self, message: str, *, located: bool = False) -> None:
        super().__init__(message)
        # A located message begins with FILE:LINE and stands alone, as editors and compilers have it.
        self.located = located


class DataError(CommandError):
    """The data cannot be read, or do not fit the model."""


class UsageError(CommandError):
    """The arguments do not make sense."""

    code = USAGE


class ModelFileError(CommandError):
    """The model file cannot be read or written."""

    code = MODEL


def data_error(name: str, error: Exception) -> DataError:
    """Turn what a parser or a decompressor raised into a `DataError` about the file `name`."""
    message = str(error) or type(error).__name__
    if message.startswith(f"{name}:"):
        return DataError(message, located=True)
    if isinstance(error, OSError) and error.strerror:
        message = error.strerror
    return DataError(f"{name}: {message}")
