"""rows per second of one pass, and their ratio to those of bsgd-merge: medians of pairs.

Both learn the same raw rows with the same budget in one process, one after the other, in turns first; the
time is the processor's, of `learn` alone.
"""

from __future__ import annotations

import argparse
from functools import partial

from . import classification
from .cells import Record, Table, n_runs
from .data import rows

SETS = classification.SETS
MEASURES = ("rows_per_second", "ratio")
REFERENCE = "bsgd-merge"
ROWS = 20_000  # at most


def pair(name: str, budget: int, options: argparse.Namespace, run: int) -> Record:
    data = rows(name, run, min(ROWS, options.rows or ROWS))
    seconds = {}
    for algorithm in (options.algorithm, REFERENCE)[:: -1 if run % 2 else 1]:
        mine = argparse.Namespace(algorithm=algorithm)
        seconds[algorithm] = classification.learn(data, budget, run, mine)["seconds"]
    own = seconds[options.algorithm]
    return {"rows_per_second": len(data.x) / own, "ratio": seconds[REFERENCE] / own}


def run(name: str, table: Table, options: argparse.Namespace) -> None:
    for budget in options.budgets:
        go = partial(pair, name, budget, options)
        table.cell(name, options.algorithm, go, n_runs(name, options), budget)
