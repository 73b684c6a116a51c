"""progressive accuracy in %: each row is predicted, then learned.

Ours as it is for rows of any order ("static") and with forgetting, and the number of its alarms; River's
adaptive tree, and its logistic regression of each class against the rest on scaled rows, in the first run
alone. letter, a9a, covertype-200k, easy and easy-sharp do not drift; the easy ones have a million rows, few
of which are predicted wrongly, and "last" is the accuracy of the last 100,000. The accuracy along the first
run is drawn in OUTPUT/drift-SET.svg.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from experiments.common import pyplot

from .cells import LeftOutError, Record, Table, n_runs
from .data import ORDERED, stream
from .models import can_forget, ours

SETS = (
    *("sea", "hyperplane", "checkerboard", "letter-permuted", "noaa", "covertype-ordered"),
    *("letter", "a9a", "covertype-200k", "easy", "easy-sharp"),
)
MEASURES = ("accuracy", "last", "alarms")
POINTS = 100  # of a curve
LAST = 100_000  # rows that "last" counts, of longer streams
LONG = ("easy", "easy-sharp")  # too long for River's models
SETTINGS = {"static": "static", "forgetting": "classification"}  # and the task of our model


def progressive(model: Any, rows: Iterable, y: np.ndarray) -> Record:
    """The share of right predictions, of all rows but the first, and of each hundredth of them."""
    right = []
    for row, label in zip(rows, y.tolist(), strict=True):
        right.append(bool(right) and model.predict_one(row) == label)
        model.learn_one(row, label)
    parts = np.array_split(np.array(right[1:]), min(POINTS, len(right) - 1))
    found = {
        "accuracy": 100.0 * float(np.mean(right[1:])),
        "curve": [100.0 * float(part.mean()) for part in parts],
        "length": len(y),
    } | ({"last": 100.0 * float(np.mean(right[-LAST:]))} if len(y) > LAST else {})
    return found | ({"alarms": model.n_drifts_} if hasattr(model, "n_drifts_") else {})


def tree() -> Any:
    from river.tree import HoeffdingAdaptiveTreeClassifier

    return HoeffdingAdaptiveTreeClassifier(seed=0)


def linear() -> Any:
    from river.linear_model import LogisticRegression
    from river.multiclass import OneVsRestClassifier
    from river.preprocessing import StandardScaler

    return StandardScaler() | OneVsRestClassifier(LogisticRegression())


PEERS: dict[str, Callable[[], Any]] = {"Hoeffding adaptive tree": tree, "logistic regression": linear}


def learn(name: str, budget: int, setting: str, options: argparse.Namespace, run: int) -> Record:
    task = SETTINGS[setting]
    if setting == "forgetting" and not can_forget(options.algorithm):
        raise LeftOutError(f"{options.algorithm} has no forget")
    x, y = stream(name, run, options.rows)
    classes = np.unique(y)
    return progressive(ours(task, budget, x.shape[1], classes, algorithm=options.algorithm, seed=run), x, y)


def compete(peer: str, name: str, options: argparse.Namespace, run: int) -> Record:
    x, y = stream(name, run, options.rows)
    return progressive(PEERS[peer](), (dict(enumerate(row.tolist())) for row in x), y)


def run(name: str, table: Table, options: argparse.Namespace) -> None:
    curves, runs = {}, 1 if name in ORDERED else n_runs(name, options)
    for budget in options.budgets:
        for setting in SETTINGS:
            go = partial(learn, name, budget, setting, options)
            found = table.cell(name, options.algorithm, go, runs, budget, setting)
            curves[f"{options.algorithm}, {setting}, B = {budget}"] = found
    for peer in PEERS if options.peers and name not in LONG else ():
        curves[peer] = table.cell(name, peer, partial(compete, peer, name, options), 1)
    draw(name, {label: found[0] for label, found in curves.items() if found}, options)


def draw(name: str, curves: dict[str, Record], options: argparse.Namespace) -> None:
    plt = pyplot()
    if plt is None or not curves:
        return
    figure, axes = plt.subplots(figsize=(9, 5))
    for label, record in curves.items():
        n = len(record["curve"])
        axes.plot((np.arange(n) + 0.5) * record["length"] / n, record["curve"], label=label, linewidth=1)
    axes.set(title=name, xlabel="rows", ylabel="accuracy in % of each hundredth")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(options.output / f"drift-{name}.svg")
    plt.close(figure)
