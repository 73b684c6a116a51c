"""Cells of an experiment: run in several processes, kept in a CSV file, reported from it.

A cell is one combination of data set, method, budget and so on; its record is one line of the file. Fields
that are lists or objects are JSON; "none" is None; a field that the record does not have is empty.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from .data import REPOSITORY, MissingDataError

Record = dict[str, Any]


def run_cells(
    run: Callable[[Any], Record],
    cells: Sequence[Any],
    path: Path,
    jobs: int,
    *,
    key_of: Callable[[Record], tuple],
    line: Callable[[Record], str],
) -> int:
    """Run cells in `jobs` processes, and write each record to the file as soon as its cell is done.

    A record replaces an older record with the same key, so that a run may be cut into several. Cells whose
    data are missing are skipped and listed in the end. Returns the number of failed cells.
    """
    found = {key_of(record): record for record in read_records(path)}
    failed, missing = 0, {}
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(run, cell): cell for cell in cells}
        for number, future in enumerate(as_completed(futures), 1):
            at = f"[{number}/{len(cells)}]"
            error = future.exception()
            if isinstance(error, MissingDataError):
                missing[str(error)] = missing.get(str(error), 0) + 1
            elif error is not None:
                print(f"{at} {futures[future]}: {error!r}", flush=True)
                failed += 1
            else:
                record = future.result()
                found[key_of(record)] = record
                write_records(list(found.values()), path)
                print(f"{at} {line(record)}", flush=True)
    for reason, count in missing.items():
        print(f"{count} cells were left out: {reason}", flush=True)
    return failed


def write_records(records: list[Record], path: Path) -> None:
    """Write all records, one line each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(name for record in records for name in record))
    new = path.with_suffix(".new")
    with new.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_text(record[n]) if n in record else "" for n in names] for record in records)
    new.replace(path)


def read_records(path: Path) -> list[Record]:
    """The records of a file, or no records if there is no file."""
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return [
            {name: _value(text) for name, text in line.items() if text != ""} for line in csv.DictReader(file)
        ]


def _text(value: Any) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(_rounded(value))


def _rounded(value: Any) -> Any:
    """The value with floats of six digits."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return value


def _value(text: str) -> Any:
    if text == "none":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def results_of(module_file: str) -> Path:
    """The folder of committed results beside a module."""
    return Path(module_file).resolve().parent / "results"


class Arguments(argparse.ArgumentParser):
    """The command line of a run: parts of the experiment, --quick, --jobs and --out."""

    def __init__(self, module_file: str, description: str | None, *, parallel: bool = True) -> None:
        super().__init__(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        self._folder, self._parallel = Path(module_file).resolve().parent, parallel

    def add_choice(self, option: str, names: Iterable[str]) -> None:
        """Add an option for some of these names; all are the default."""
        names = list(names)
        shown = ", ".join(names)
        self.add_argument(option, nargs="+", metavar="NAME", choices=names, default=names, help=shown)

    def parsed(self, quick: str, **small: Any) -> argparse.Namespace:
        """Parse the arguments; with --quick, which `quick` describes, the options have the values `small`."""
        self.add_argument("--quick", action="store_true", help=f"{quick}: does it run? Writes to out/quick")
        if self._parallel:
            self.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (2)")
        self.add_argument(
            "--out",
            type=Path,
            default=self._folder / "results",
            metavar="DIR",
            help="where the CSV file is kept; cells that it has already are replaced (default: results/)",
        )
        options = self.parse_args()
        if options.quick:
            vars(options).update(small, out=REPOSITORY / "out" / "quick" / self._folder.name)
        return options


def main(
    run: Callable[[Any], Record],
    cells: Sequence[Any],
    name: str,
    options: argparse.Namespace,
    *,
    key_of: Callable[[Record], tuple],
    line: Callable[[Record], str],
) -> None:
    """Run the cells of an experiment, whose results are in the file `name`; exit with 1 if any fails."""
    if run_cells(run, cells, options.out / name, options.jobs, key_of=key_of, line=line):
        raise SystemExit("some cells failed")


def report(
    module_file: str,
    description: str | None,
    name: str,
    show: Callable[[list[Record]], None],
    draw: Callable[[list[Record], Path], None] | None = None,
) -> None:
    """The program of a report: print the tables of a CSV file, and draw its pictures if asked to."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = results_of(module_file) / name
    parser.add_argument("file", nargs="?", type=Path, default=default, help=f"default: results/{name}")
    if draw is not None:
        parser.add_argument("--pictures", type=Path, metavar="DIR", help="draw the figures into DIR")
    parser.add_argument("--if-any", action="store_true", help="print nothing if there are no results")
    options = parser.parse_args()
    records = read_records(options.file)
    if not records:
        raise SystemExit(0 if options.if_any else f"{options.file} holds no results")
    print(f"\n{Path(module_file).resolve().parent.name}, {options.file.name}")
    show(records)
    if draw is not None and options.pictures is not None:
        options.pictures.mkdir(parents=True, exist_ok=True)
        draw(records, options.pictures)


def pyplot() -> Any:
    """Return pyplot with the style of the package, to draw files; None, with a message, if it is missing."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no figures: matplotlib is missing")
        return None
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    from budgetrs._style import COLOURS, SETTINGS

    mpl.rcParams.update({**SETTINGS, "axes.prop_cycle": mpl.cycler(color=COLOURS)})

    return plt
