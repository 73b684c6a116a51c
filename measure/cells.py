"""Output that can be kept, tables of text, and cells: measured in processes, stored in a CSV file.

A cell is a dict, for example of a data set, a method and a budget; its record is the cell and its results,
one line of the file. Lists and dicts are JSON; "none" is None; a field that a record does not have is empty.
"""

import argparse
import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from .clock import LeftOutError
from .data import REPOSITORY, MissingDataError

RESULTS = REPOSITORY / "measure" / "results"
Options = argparse.Namespace
Record = dict[str, Any]
Columns = Sequence[tuple[str, int, str]]  # title, width (negative: on the left) and template of each column


class Output:
    """Prints lines and remembers them, and what was left out."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []
        self.missing: list[str] = []
        self.failed = 0

    def __call__(self, line: str = "") -> None:
        print(line, flush=True)
        self.lines.append(line.rstrip(" "))

    def print(self, lines: Iterable[str]) -> None:
        for line in lines:
            self(line)

    def attempt(self, work: Callable, *given: Any) -> Any:
        """The result of a call; None if its data or its package are missing."""
        try:
            return work(*given)
        except (MissingDataError, ModuleNotFoundError) as error:
            self.missing.append(str(error))
            return None

    def save(self, variant: str = "") -> None:
        """Write the command and the lines to results/NAME.txt or results/NAME-VARIANT.txt."""
        options = (option for option in sys.argv[1:] if option != "--keep")
        text = "\n".join([" ".join(["$ python -m measure", *options]), *self.lines]) + "\n"
        replace(RESULTS / f"{'-'.join(filter(None, (self.name, variant)))}.txt", text)


def replace(path: Path, text: str) -> None:
    """Write a file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(text)
    new.replace(path)


def table(columns: Columns, records: Iterable[Record]) -> Iterator[str]:
    """The title line and a line for each record; "-" for what a record does not have."""
    yield "".join(_justified(title, width) for title, width, _ in columns)
    for record in records:
        yield "".join(_justified(_filled(template, record), width) for _, width, template in columns)


def _justified(text: str, width: int) -> str:
    return text.rjust(width) if width > 0 else text.ljust(-width)


def _filled(template: str, record: Record) -> str:
    try:
        return template.format(**record)
    except (KeyError, TypeError):  # not measured, or None
        return "-"


def run_cells(
    output: Output, run: Callable[[Record], Record], cells: list[Record], path: Path, jobs: int, again: bool
) -> list[Record]:
    """Measure the cells that the file lacks, or all of them, in `jobs` processes; return the cells' records.

    The file is written after each cell, so an interrupted measurement continues.
    """
    found = [None if again else matching(read_records(path), cell) for cell in cells]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(run, cell): i for i, cell in enumerate(cells) if found[i] is None}
        for number, future in enumerate(as_completed(futures), 1):
            cell, error = cells[futures[future]], future.exception()
            at = f"[{number}/{len(futures)}] {' '.join(str(value) for value in cell.values())}"
            if isinstance(error, MissingDataError):
                output.missing.append(str(error))
            elif isinstance(error, LeftOutError | ModuleNotFoundError):
                print(f"{at} is left out: {error}", flush=True)
            elif error is not None:
                print(f"{at} failed: {error!r}", flush=True)
                output.failed += 1
            else:
                found[futures[future]] = {**cell, **future.result()}
                merge([found[futures[future]]], [cell], path)
                print(at, flush=True)
    return [record for record in found if record is not None]


def matching(records: list[Record], cell: Record) -> Record | None:
    """The record of a cell, if there is one."""
    return next((r for r in records if all(r.get(name) == value for name, value in cell.items())), None)


def merge(records: list[Record], cells: list[Record], path: Path) -> None:
    """Replace or add the records of the cells in a file."""
    others = [r for r in read_records(path) if not any(matching([r], cell) for cell in cells)]
    write_records([*others, *records], path)


def write_records(records: list[Record], path: Path) -> None:
    """Write all records, one line each, as CSV or as lines of JSON."""
    if path.suffix == ".jsonl":
        replace(path, "".join(f"{json.dumps(record)}\n" for record in records))
        return
    names = list(dict.fromkeys(name for record in records for name in record))
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_text(record[n]) if n in record else "" for n in names] for record in records)
    replace(path, file.getvalue())


def read_records(path: Path) -> list[Record]:
    """The records of a file, or no records if there is no file."""
    if not path.is_file():
        return []
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    with path.open(newline="") as file:
        lines = csv.DictReader(file)
        return [{name: _value(text) for name, text in line.items() if text != ""} for line in lines]


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
    return {key: _rounded(each) for key, each in value.items()} if isinstance(value, dict) else value


def _value(text: str) -> Any:
    try:
        return None if text == "none" else json.loads(text)
    except ValueError:
        return text
