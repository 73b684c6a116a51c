"""The command line: train, compare, predict, evaluate, info, plot, demo."""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .. import _core
from .arguments import parse
from .errors import DATA, OK, CommandError, DataError, InterruptionError, discard_output, reason, stoppable
from .report import results

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; an error is printed to standard error as one line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments without the program's name; by default the arguments of the process.

    Returns
    -------
    int
        The exit code: 0 success, 1 invalid data, 2 invalid arguments, 3 invalid model file, 130 or 143
        interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names that the locale cannot encode are escaped
    with stoppable():
        return _flushed(_run(argv))


def _flushed(code: int) -> int:
    """Flush standard output while an error can still be reported; return the exit code."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except OSError as error:
        discard_output(sys.stdout)
        is_new = code == OK and not isinstance(error, BrokenPipeError)
        return _reported(DataError(f"standard output: {reason(error)}")) if is_new else code


def _run(argv: Sequence[str] | None) -> int:
    """Run a command; any exception becomes one line and an exit code."""
    try:
        args = parse(argv)
        with (
            results(as_json=getattr(args, "json", False), command=args.command),
            _limited(getattr(args, "max_memory", None)),
        ):
            return args.run(args)
    except SystemExit as stop:  # how argparse ends after help
        return int(stop.code or OK)
    except CommandError as error:
        return _reported(error)
    except KeyboardInterrupt as stop:
        return _reported(InterruptionError(stop))
    except BrokenPipeError:
        # The reader has closed the pipe (`| head`): drop the buffered output.
        discard_output(sys.stdout)
        return OK
    except MemoryError:
        _print("budgetrs: not enough memory; try a smaller --budget")
        return DATA
    except Exception as error:
        if os.environ.get("BUDGETRS_TRACEBACK"):
            raise
        what = str(error) or type(error).__name__
        _print(f"budgetrs: internal error: {what}; BUDGETRS_TRACEBACK=1 shows the traceback")
        return DATA


@contextmanager
def _limited(max_memory: int | None) -> Iterator[None]:
    """Set the memory limit of models while a command runs; None keeps the present limit."""
    before = None if max_memory is None else _core.set_memory_limit(max_memory)
    try:
        yield
    finally:
        if before is not None:
            _core.set_memory_limit(before)


def _reported(error: CommandError) -> int:
    _print(f"budgetrs: {error}")
    return error.code


def _print(message: str) -> None:
    try:
        if sys.stderr is not None:
            print(message, file=sys.stderr, flush=True)
    except OSError:
        discard_output(sys.stderr)
