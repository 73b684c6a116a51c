"""The command line: train, compare, predict, evaluate, info, demo."""

import io
import os
import sys
from collections.abc import Sequence

from .arguments import parser
from .errors import DATA, OK, CommandError, DataError, InterruptionError, forget, reason
from .signals import stoppable

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; errors go to standard error in one line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments without the program's name; those of the process by default.

    Returns
    -------
    int
        The exit code: 0 done, 1 wrong data, 2 wrong arguments, 3 wrong model file, 130 or 143 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the locale cannot show is no failure
    with stoppable():
        return _flushed(_run(argv))


def _flushed(code: int) -> int:
    """Write what is still buffered, where a failure can be told; the exit code."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        forget(sys.stdout)
        if code == OK and not isinstance(error, BrokenPipeError):
            code = _told(DataError(f"standard output: {reason(error)}"))
    return code


def _run(argv: Sequence[str] | None) -> int:
    """Run a command; whatever it raises becomes one line and an exit code."""
    try:
        args = parser().parse_args(argv)
        return args.run(args)
    except SystemExit as stop:  # how argparse ends after help and wrong arguments
        return int(stop.code or OK)
    except CommandError as error:
        return _told(error)
    except KeyboardInterrupt as stop:
        return _told(InterruptionError(stop))
    except BrokenPipeError:
        # The reader has what it wanted (`| head`). What is still buffered has nowhere to go.
        forget(sys.stdout)
        return OK
    except MemoryError:
        _say("budgetrs: there is not enough memory")
        return DATA
    except Exception as error:
        if os.environ.get("BUDGETRS_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        _say(f"budgetrs: {what} (BUDGETRS_TRACEBACK=1 shows where)")
        return DATA


def _told(error: CommandError) -> int:
    _say(str(error) if error.located else f"budgetrs: {error}")
    return error.code


def _say(message: str) -> None:
    try:
        if sys.stderr is not None:
            print(message, file=sys.stderr, flush=True)
    except OSError:
        forget(sys.stderr)
