"""test accuracy in % after several passes over the same raw rows, in a new order each."""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

from .cells import Record, Table, n_runs
from .classification import accuracy
from .data import rows
from .models import ours

SETS = ("letter", "covertype-50k", "usps", "dna", "ijcnn1", "a9a")
MEASURES = ("accuracy",)
PASSES = (1, 2, 3, 5)


def learn(name: str, passes: int, budget: int, options: argparse.Namespace, run: int) -> Record:
    data, order = rows(name, run, options.rows), np.random.default_rng(run)
    d, n = data.x.shape[1], len(data.x)
    model = ours("classification", budget, d, data.classes, algorithm=options.algorithm, seed=run)
    model.learn(data.x, data.y)
    for _ in range(1, passes):
        model.learn(data.x, data.y, order=order.permutation(n))
    return {"accuracy": accuracy(model.predict(data.x_test), data.y_test)}


def run(name: str, table: Table, options: argparse.Namespace) -> None:
    runs = n_runs(name, options)
    for budget in options.budgets:
        for passes in PASSES:
            go = partial(learn, name, passes, budget, options)
            table.cell(
                name, options.algorithm, go, runs, budget, f"{passes} passes" if passes > 1 else "1 pass"
            )
