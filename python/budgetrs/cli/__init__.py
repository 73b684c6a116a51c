"""The command line: train, predict, evaluate, info, demo."""

import os
import sys
from collections.abc import Sequence

from .arguments import parser
from .errors import DATA, INTERRUPTED, OK, CommandError

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
        The exit code: 0 done, 1 wrong data, 2 wrong arguments, 3 wrong model file, 130 interrupted.
    """
    try:
        args = parser().parse_args(argv)
        code = args.run(args)
        sys.stdout.flush()
        return code
    except CommandError as error:
        print(str(error) if error.located else f"budgetrs: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("budgetrs: interrupted; nothing was saved", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has what it wanted (`| head`). What is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        if os.environ.get("BUDGETRS_TRACEBACK"):
            raise
        reason = f"{type(error).__name__}: {error}".rstrip(": ")
        print(f"budgetrs: {reason} (BUDGETRS_TRACEBACK=1 shows where)", file=sys.stderr)
        return DATA
