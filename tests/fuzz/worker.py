"""The process that runs cases: numbers of cases come in, one line of JSON for each goes out.

A path in place of a number is a file that was kept.
"""

import json
import os
import sys
import traceback
import warnings
from pathlib import Path

from .cases import Draw, module


def used() -> int:
    """Return the bytes of address space in use."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def limit(more: int) -> None:
    """Bound the address space to what is in use now and so many bytes more."""
    if sys.platform == "linux":
        import resource

        bound = used() + more
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))


def main() -> None:
    part, seed, keep = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    # What cases print goes to the errors: the answers have the first output for themselves.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    run = module(part)
    if run.MEMORY:
        limit(run.MEMORY)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        asked = line.rstrip("\n")
        index, path = (int(asked), None) if asked.isdigit() else (0, Path(asked))
        draw = Draw(part, seed, index, Path(keep) if keep else None)
        try:
            if path is None:
                run.case(draw)
            else:
                run.again(draw, path)
            answer = {"ok": True}
        except BaseException as error:
            answer = {"ok": False, "error": traceback.format_exc(), "notes": draw.notes}
            answer["kind"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
