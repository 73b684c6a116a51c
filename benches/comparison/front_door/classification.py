"""test accuracy in %, after one pass over raw rows with nothing tuned.

Behind it peers on rows standardised beforehand. Those of one pass, with gamma and alpha tuned on a fifth of
the training rows held out, learn the same permutations; LightGBM with its defaults and the SVM, with gamma
and C tuned, do not depend on the order, and learn once.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import Any

import numpy as np

from .cells import Record, Table, n_runs
from .data import Rows, rows
from .models import ours
from .peers import IN_ANY_ORDER, PEERS, Task

MEASURES = ("accuracy",)
SETS = (
    *("letter", "covertype-200k", "covertype-500k", "mnist", "waveform", "shuttle", "a9a", "noaa"),
    *("usps", "dna", "ijcnn1"),
)


def accuracy(predicted: Any, y: np.ndarray) -> float:
    return 100.0 * float((np.asarray(predicted) == y).mean())


def learn(data: Rows, budget: int, run: int, options: argparse.Namespace, **changes: Any) -> Record:
    """Our model after one pass: its accuracy, and the processor's seconds of learning."""
    d, classes = data.x.shape[1], data.classes
    model = ours("classification", budget, d, classes, algorithm=options.algorithm, seed=run, **changes)
    began = time.process_time()
    model.learn(data.x, data.y)
    seconds = time.process_time() - began
    return {"accuracy": accuracy(model.predict(data.x_test), data.y_test), "seconds": seconds}


def permuted(name: str, budget: int, options: argparse.Namespace, run: int) -> Record:
    return learn(rows(name, run, options.rows), budget, run, options)


def compete(peer: str, name: str, options: argparse.Namespace, run: int) -> Record:
    data = rows(name, run, options.rows).standardised()
    predicted, chosen = PEERS[peer](Task(data, False, run, options.svm_rows, options.svm_seconds))
    return {"accuracy": accuracy(predicted, data.y_test), "parameters": chosen}


def run(name: str, table: Table, options: argparse.Namespace) -> None:
    runs = n_runs(name, options)
    for budget in options.budgets:
        table.cell(name, options.algorithm, partial(permuted, name, budget, options), runs, budget)
    for peer in PEERS if options.peers else ():
        times = 1 if peer in IN_ANY_ORDER else runs
        table.cell(name, peer, partial(compete, peer, name, options), times)
