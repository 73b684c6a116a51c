"""The cells of a table: run, kept in a CSV file, printed beside their floor."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from experiments.common import MissingDataError, deviation
from experiments.common.cells import read_records, write_records

from .floor import Floor, floor_of

DECIMALS = {"accuracy": 2, "last": 3, "alarms": 1, "r2": 3, "ece": 2, "brier": 2}
DECIMALS |= {"rows_per_second": 0, "ratio": 2}
LOWER_IS_BETTER = ("ece", "brier")
LARGE = ("covertype", "waveform", "mnist", "friedman", "easy")  # names begin so; fewer runs suffice

Record = dict[str, Any]


class LeftOutError(Exception):
    """Why a cell is not run."""


def n_runs(name: str, options: argparse.Namespace) -> int:
    """The runs of each cell of a set."""
    return options.permutations or (3 if name.startswith(LARGE) else 5)


def reaches(mean: float, slack: float, floor: Floor, measure: str) -> bool:
    """Whether a mean is as good as the floor, as far as the floor has digits."""
    if measure in LOWER_IS_BETTER:
        return round(mean - slack, floor.digits) <= floor.mean
    return round(mean + slack, floor.digits) >= floor.mean


class Table:
    """One table, of the same measures in each cell; `failed` counts the cells that raised an error."""

    def __init__(self, title: str, measures: tuple[str, ...], options: argparse.Namespace) -> None:
        self.title = title
        self.measures = measures
        self.rows = options.rows
        self.path = options.output / f"{title}.csv"
        self.records = read_records(self.path)
        self.failed = 0
        names = "".join(f"{name.replace('_per_', '/'):>19}" for name in measures)
        print(f"{'set':34}{'model':24}{'B':>5}{'runs':>6}{names}   floor")

    def cell(
        self,
        name: str,
        model: str,
        run: Callable[[int], Record],
        runs: int,
        budget: int | None = None,
        setting: str = "-",
    ) -> list[Record]:
        """Run what the file lacks of a cell, print its line, and return its records.

        `run` takes the number of the run, from 0 on, and returns the measures and what else is worth keeping.
        """
        label = name if setting == "-" else f"{name}, {setting}"
        key = {"set": name, "setting": setting, "model": model, "budget": budget, "rows": self.rows}
        try:
            found = [self._record(key | {"run": seed}, run) for seed in range(runs)]
        except MissingDataError:
            raise
        except (LeftOutError, ModuleNotFoundError) as error:
            missing = isinstance(error, ModuleNotFoundError)
            reason = f"{error.name} is not installed" if missing else error
            print(f"{label:34}{model:24} left out: {reason}", flush=True)
            return []
        except Exception as error:  # the other cells are still worth running
            print(f"{label:34}{model:24} {error!r}", flush=True)
            self.failed += 1
            return []
        self._print(label, model, budget, found)
        return found

    def _record(self, key: Record, run: Callable[[int], Record]) -> Record:
        for record in self.records:
            if all(record.get(name) == value for name, value in key.items()):
                return record
        record = key | run(key["run"])
        self.records.append(record)
        write_records(self.records, self.path)
        return record

    def _print(self, label: str, model: str, budget: int | None, found: list[Record]) -> None:
        """Means and standard deviations, but medians of speeds, which others on the machine disturb."""
        centre = np.median if self.title == "speed" else np.mean
        cells, floors = "", ""
        for measure in self.measures:
            values = [record[measure] for record in found if measure in record]
            if not values:
                cells += f"{'-':>19}"
                continue
            mean, spread, digits = float(centre(values)), deviation(values), DECIMALS[measure]
            cells += f"{mean:{10 if len(values) > 1 else 19}.{digits}f}"
            cells += f" ±{spread:7.{digits}f}" if len(values) > 1 else ""
            floor = floor_of(self.title, measure, label, budget)
            if floor is not None:
                floors += f"   {floor.text}"
                if self.rows is None:
                    slack = 2 * (spread if len(values) > 1 else floor.deviation) / len(values) ** 0.5
                    floors += " ok" if reaches(mean, slack, floor, measure) else " BELOW"
        print(f"{label:34}{model:24}{budget or '-':>5}{len(found):>6}{cells}{floors}", flush=True)
