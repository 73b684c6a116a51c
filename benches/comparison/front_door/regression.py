"""R2 on test rows, after one pass over raw rows with nothing tuned.

Each run is a split of 80/20. Behind it the mean of the training targets, and peers on rows and targets
standardised beforehand, tuned on a fifth of the training rows held out.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .cells import Record, Table, n_runs
from .data import REGRESSION, rows
from .models import ours
from .peers import PEERS, Task

MEASURES = ("r2",)
SETS = REGRESSION


def r2(predicted: Any, y: np.ndarray) -> float:
    return 1.0 - float(((np.asarray(predicted) - y) ** 2).mean() / y.var())


def learn(name: str, budget: int, options: argparse.Namespace, run: int) -> Record:
    data = rows(name, run, options.rows)
    model = ours("regression", budget, data.x.shape[1], None, algorithm=options.algorithm, seed=run)
    began = time.process_time()
    model.learn(data.x, data.y)
    seconds = time.process_time() - began
    return {"r2": r2(model.predict(data.x_test), data.y_test), "seconds": seconds}


def mean(name: str, options: argparse.Namespace, run: int) -> Record:
    data = rows(name, run, options.rows)
    return {"r2": r2(data.y.mean(), data.y_test)}


def compete(peer: str, name: str, options: argparse.Namespace, run: int) -> Record:
    data = rows(name, run, options.rows).standardised()
    centre, spread = data.y.mean(), data.y.std()
    scaled = replace(data, y=(data.y - centre) / spread)
    predicted, chosen = PEERS[peer](Task(scaled, True, run, options.svm_rows, options.svm_seconds))
    return {"r2": r2(predicted * spread + centre, data.y_test), "parameters": chosen}


def run(name: str, table: Table, options: argparse.Namespace) -> None:
    runs = n_runs(name, options)
    for budget in options.budgets:
        table.cell(name, options.algorithm, partial(learn, name, budget, options), runs, budget)
    if options.peers:
        table.cell(name, "mean", partial(mean, name, options), runs)
    for peer in PEERS if options.peers else ():
        table.cell(name, peer, partial(compete, peer, name, options), runs)
