"""Measure one question: ``python -m measure QUESTION``, from the root of the repository.

``python -m measure QUESTION --help`` explains a question and lists its options, ``--quick`` measures a small
part to see that it runs, and ``--keep`` records the result in measure/results. ``--report`` prints recorded
records. Files of real data are in the folder BUDGETRS_DATA (default: ../shared/data); missing files and
packages are listed at the end, and the exit code is then 77. Everything runs in one thread.
"""

import argparse
import ast
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

MISSING = 77
HERE = Path(__file__).resolve().parent
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
PATHS = {path.stem: path for folder in ("questions", "papers") for path in (HERE / folder).glob("[a-z]*.py")}


def overview() -> str:
    """The help, with the first line of each question."""
    first = {name: ast.get_docstring(ast.parse(PATHS[name].read_text())) for name in sorted(PATHS)}
    return "\n".join([__doc__, *(f"{name:18}{(text or '').splitlines()[0]}" for name, text in first.items())])


def add(parser: argparse.ArgumentParser, name: str, default: Any, text: str) -> None:
    """Add an option by its default: a value, a type (no default), numbers, or names to choose from."""
    option = f"--{name.replace('_', '-')}"
    if isinstance(default, bool):
        action: Any = argparse.BooleanOptionalAction if default else "store_true"
        parser.add_argument(option, action=action, default=default, help=text)
    elif isinstance(default, tuple):
        choices = list(default) if isinstance(default[0], str) else None
        kind, metavar = type(default[0]), name[:-1].upper()
        many: dict[str, Any] = {"nargs": "+", "choices": choices, "metavar": metavar, "type": kind}
        shown = f"{text} ({', '.join(map(str, default))})"
        parser.add_argument(option, **many, default=list(default), help=shown)
    elif isinstance(default, type):
        parser.add_argument(option, type=default, metavar="N", help=text)
    else:
        parser.add_argument(option, type=type(default), default=default, help=f"{text} (%(default)s)")


def parse(name: str, module: ModuleType) -> argparse.Namespace:
    """The options of a question; with --quick, the values of QUICK are the defaults."""
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        f"python -m measure {name}", description=module.__doc__, formatter_class=style
    )
    for option, (default, text) in getattr(module, "OPTIONS", {}).items():
        add(parser, option, default, text)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--keep", action="store_true", help="record the result in measure/results")
    how.add_argument("--quick", action="store_true", help="a small part: does it run?")
    if hasattr(module, "cells"):
        add(parser, "jobs", 1, "processes")
        add(parser, "again", False, "also measure cells that out/measure has already")
        add(parser, "report", False, "print the recorded results")
    if hasattr(module, "draw"):
        parser.add_argument("--pictures", type=Path, metavar="DIR", help="draw the figure into DIR")
    if "--quick" in sys.argv:
        parser.set_defaults(**module.QUICK)
    return parser.parse_args(sys.argv[2:])


def measure(name: str, module: ModuleType, options: argparse.Namespace, output: Any) -> None:
    """Measure the cells of a question or print what was recorded; report, draw and record them."""
    from .cells import RESULTS, merge, read_records, run_cells
    from .data import REPOSITORY

    recorded, cells = RESULTS / getattr(module, "RECORDS", f"{name}.csv"), module.cells(options)
    if options.report:
        records = read_records(recorded)
    else:
        path = REPOSITORY / "out" / ("quick" if options.quick else "measure") / f"{name}.csv"
        records = run_cells(output, module.run, cells, path, options.jobs, options.again or options.quick)
    if records:
        module.report(records, output)
    if getattr(options, "pictures", None) is not None:
        options.pictures.mkdir(parents=True, exist_ok=True)
        module.draw(records, options.pictures)
    if options.keep and hasattr(module, "RECORDS"):
        merge(records, cells, recorded)


def main() -> None:
    """Measure a question."""
    name = sys.argv[1].replace("-", "_") if len(sys.argv) > 1 else ""
    if name not in PATHS:
        print(overview())
        sys.exit(name not in ("", "__help", "_h"))
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    from .cells import Output

    module = importlib.import_module(f"measure.{PATHS[name].parent.name}.{name}")
    options, output = parse(name, module), Output(name)
    if hasattr(module, "cells"):
        measure(name, module, options, output)
    else:
        module.main(options, output)
    for reason in dict.fromkeys(output.missing):
        print(f"missing: {reason}")
    if output.failed:
        sys.exit(f"{output.failed} cells failed")
    if options.keep and PATHS[name].parent.name == "questions":
        output.save(getattr(module, "variant", lambda _: "")(options))
    sys.exit(MISSING if output.missing else 0)


if __name__ == "__main__":
    main()
