"""Cells of an experiment: run in several processes, kept in a CSV file, reported from it.

A cell is one combination of data set, method, budget and so on; its record is one line of the file. A field
that is a list or an object is JSON; "none" is None; an empty field is one that the record does not have.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
from collections.abc import Callable, Sequence
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
    """Run cells in `jobs` processes and put each record into the file as soon as it is there.

    A record replaces an older one of the same key, so that a run may be cut into several. Cells whose data
    are missing are left out and listed in the end; the number of those that failed is returned.
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
    """The records of a file; none where there is no file."""
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
    """Floats with the six digits that a reader can use."""
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


def add_options(parser: argparse.ArgumentParser, module_file: str, quick: str) -> None:
    """Add what every run has: --quick, --jobs and --out."""
    parser.add_argument("--quick", action="store_true", help=f"{quick}: does it run? Writes to out/quick")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (2)")
    parser.add_argument(
        "--out",
        type=Path,
        default=results_of(module_file),
        metavar="DIR",
        help="where the CSV file is kept; cells that it has already are replaced (default: results/)",
    )


def quick_folder(module_file: str) -> Path:
    """Where --quick writes."""
    return REPOSITORY / "out" / "quick" / Path(module_file).resolve().parent.name


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
    parser.add_argument("--if-any", action="store_true", help="print nothing where there are no results")
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
    """Matplotlib for files alone; None, and a word, where it is missing."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no figures: matplotlib is missing")
        return None
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    return plt
