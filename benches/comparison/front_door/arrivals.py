"""test accuracy in %, where a new class comes every 500 rows, told all classes before and told none.

The first 500 rows are drawn from the rows of one class, the next 500 from those of two, and so on; then all
training rows follow, mixed. Each run has its own order of rows and of classes.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

from .cells import Record, Table, n_runs
from .classification import accuracy
from .data import Rows, rows
from .models import ours

SETS = ("letter",)
MEASURES = ("accuracy",)
EACH = 500  # rows before the next class comes
SETTINGS = ("told all classes", "told none")


def by_arrival(data: Rows, run: int) -> np.ndarray:
    """The order of the rows: stages of one class, of two and so on, then all rows."""
    order = np.random.default_rng(run)
    classes = order.permutation(np.unique(data.y))
    seen = [np.flatnonzero(np.isin(data.y, classes[: stage + 1])) for stage in range(len(classes))]
    return np.concatenate([*(order.choice(rows, EACH) for rows in seen), np.arange(len(data.y))])


def learn(name: str, budget: int, setting: str, options: argparse.Namespace, run: int) -> Record:
    data = rows(name, run, options.rows)
    order, d = by_arrival(data, run), data.x.shape[1]
    classes = data.classes if setting == "told all classes" else None
    model = ours("classification", budget, d, classes, algorithm=options.algorithm, seed=run)
    model.learn(data.x[order], data.y[order])
    return {"accuracy": accuracy(model.predict(data.x_test), data.y_test)}


def run(name: str, table: Table, options: argparse.Namespace) -> None:
    for budget in options.budgets:
        for setting in SETTINGS:
            go = partial(learn, name, budget, setting, options)
            table.cell(name, options.algorithm, go, n_runs(name, options), budget, setting)
