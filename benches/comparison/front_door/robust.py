"""test accuracy in % where something is not as it should be.

The starting gamma is a quarter, one and eight times 8 / n_features instead of what the first rows say; 15%
of the training labels are replaced by another; and rows are raw, or standardised beforehand, which should
make no difference.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial

import numpy as np

from .cells import Record, Table, n_runs
from .classification import learn
from .data import Rows, rows

WIDTHS = {"gamma x 1/4": 0.25, "gamma x 1": 1.0, "gamma x 8": 8.0}
NOISE = 0.15
NOISY = f"{NOISE:.0%} label noise"
SCALED = "standardised"
OF_WIDTH = ("letter", "covertype-50k", "waveform", "ijcnn1", "usps", "a9a")
OF_NOISE = ("letter", "ijcnn1")
OF_SCALING = ("letter", "covertype-50k", "skin", "shuttle")
SETS = tuple(dict.fromkeys(OF_WIDTH + OF_NOISE + OF_SCALING))
MEASURES = ("accuracy",)


def noisy(data: Rows, run: int) -> Rows:
    """Some training labels become any of the others."""
    rng, classes = np.random.default_rng([run, 1]), data.classes
    others = np.searchsorted(classes, data.y) + rng.integers(1, len(classes), len(data.y))
    wrong = rng.random(len(data.y)) < NOISE
    return replace(data, y=np.where(wrong, classes[others % len(classes)], data.y))


def settings(name: str) -> list[str]:
    """The settings that are compared on a set."""
    tried = list(WIDTHS) if name in OF_WIDTH else []
    return tried + ([NOISY] if name in OF_NOISE else []) + (["raw", SCALED] if name in OF_SCALING else [])


def learn_changed(name: str, setting: str, budget: int, options: argparse.Namespace, run: int) -> Record:
    data = rows(name, run, options.rows)
    if setting == NOISY:
        data = noisy(data, run)
    if setting == SCALED:
        data = data.standardised()
    return learn(data, budget, run, options, width=WIDTHS.get(setting))


def run(name: str, table: Table, options: argparse.Namespace) -> None:
    runs = n_runs(name, options)
    for budget in options.budgets:
        for setting in settings(name):
            go = partial(learn_changed, name, setting, budget, options)
            table.cell(name, options.algorithm, go, runs, budget, setting)
