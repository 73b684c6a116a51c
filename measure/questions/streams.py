"""Processor time per message of the consumers of a log in examples/streams, and of their saves."""

import contextlib
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from examples.streams import consumer, keyed_consumer, late_labels

from budgetrs import Classifier, KeyedModels

from ..cells import Options, Output
from ..clock import seconds

FEATURES, POLL, SAVE_ROWS = 10, 1000, 10_000
NAMES = tuple(f"x{j}" for j in range(FEATURES))
OPTIONS = {
    "messages": (200_000, "messages"),
    "keys": (1000, "keys of models by key"),
    "runs": (3, "runs, of which the median counts"),
}
QUICK = {"messages": 20_000, "runs": 1}
DAY = 10**8  # messages


class Memory:
    """A log in memory, read in lists of POLL messages."""

    def __init__(self, values: list[bytes], keys: list[bytes]) -> None:
        self.messages = [("rows-0", i, *pair) for i, pair in enumerate(zip(keys, values, strict=True))]

    def read(self, _: Any) -> Any:
        for first in range(0, len(self.messages), POLL):
            yield self.messages[first : first + POLL]


class OneByOne(Memory):
    def read(self, models: keyed_consumer.Partitions) -> Any:
        models.assigned("rows-0")
        yield from self.messages
        models.revoked("rows-0")


def rows(count: int) -> list[dict]:
    rng = random.Random(0)
    drawn = [{name: rng.uniform(-1, 1) for name in NAMES} for _ in range(count)]
    return [{"label": "yes" if row["x0"] * row["x1"] > 0 else "no", **row} for row in drawn]


def batches(values: list[bytes]) -> None:
    model = Classifier(budget=100)
    for first in range(0, len(values), POLL):
        some = [json.loads(value) for value in values[first : first + POLL]]
        labels = [row.pop("label") for row in some]
        model.learn(np.array([list(row.values()) for row in some]), labels)


def predict_and_learn(values: list[bytes]) -> None:
    model = Classifier(budget=100)
    for value in values:
        row = json.loads(value)
        label = row.pop("label")
        if model.n_samples_seen_:
            model.predict_one(row)
        model.learn_one(row, label)


def late(examples: list[dict], folder: Path) -> None:
    """Each label comes 1,000 examples after its features."""
    values: list[bytes] = []
    for i, example in enumerate([*examples, *([{}] * POLL)]):
        if example:
            row = {name: example[name] for name in NAMES}
            values.append(json.dumps({"id": i, "time": i, "row": row}).encode())
        if i >= POLL:
            label = examples[i - POLL]["label"]
            values.append(json.dumps({"id": i - POLL, "time": i, "label": label}).encode())
    log = Memory(values, [b""] * len(values))
    join = late_labels.Join(folder / "state.db", send=lambda *_: None)
    timed.append(seconds(late_labels.run, log, join, SAVE_ROWS, 1e9))
    join.db.close()
    expect_all(join.model, len(examples))


timed: list[float] = []


def expect_all(model: Any, count: int) -> None:
    if model.n_samples_seen_ != count:
        raise AssertionError(f"{model.n_samples_seen_} rows were learned, not {count}")


def keyed(log: OneByOne, folder: Path) -> None:
    timed.append(seconds(keyed_consumer.run, log, keyed_consumer.Partitions(folder), SAVE_ROWS, 1e9))
    models = KeyedModels.load(folder / "rows-0.budgetrs")
    if sum(models[key].n_samples_seen_ for key in models) != len(log.messages):
        raise AssertionError("not all rows were learned")


def one(log: Memory, folder: Path) -> None:
    timed.append(seconds(consumer.run, log, folder / "model", SAVE_ROWS, 1e9))
    expect_all(Classifier.load(folder / "model"), len(log.messages))


def measured(runs: int, work: Callable[[Path], None]) -> float:
    """The median processor time; a function that sets up its work appends to `timed` itself."""
    found = []
    for _ in range(runs):
        timed.clear()
        with tempfile.TemporaryDirectory() as name:
            whole = seconds(work, Path(name))
        found.append(timed[0] if timed else whole)
    return median(found)


def saves(output: Output, some: list[dict], keys: list[bytes]) -> None:
    """One save after SAVE_ROWS more rows."""
    X, y = np.array([[row[name] for name in NAMES] for row in some]), [row["label"] for row in some]
    of = [key.decode() for key in keys]
    kinds = {
        "one model": (Classifier(budget=100), ()),
        f"{len(set(of)):,} models by key, all changed": (
            KeyedModels(Classifier("bsgd-merge", budget=20)),
            of,
        ),
    }
    output(f"\n{'a save':<44}{'ms processor':>14}{'ms wall':>10}{'kB':>9}")
    with tempfile.TemporaryDirectory() as name:
        for kind, (model, given) in kinds.items():
            path, spent, wall = Path(name) / "saved", [], []
            path.unlink(missing_ok=True)
            for first in range(0, len(X) - SAVE_ROWS + 1, SAVE_ROWS):
                part = slice(first, first + SAVE_ROWS)
                model.learn(X[part], y[part], *([given[part]] if given else []))
                began = time.perf_counter()
                spent.append(seconds(model.save, path))
                wall.append(time.perf_counter() - began)
            size = path.stat().st_size / 1e3
            output(f"{kind:<44}{1e3 * median(spent):>14.1f}{1e3 * median(wall):>10.1f}{size:>9,.0f}")


def main(options: Options, output: Output) -> None:
    rng, some = random.Random(1), rows(options.messages)
    values = [json.dumps(row).encode() for row in some]
    keys = [b"%d" % rng.randrange(options.keys) for _ in some]
    log, by_key = Memory(values, keys), OneByOne(values, keys)
    keyed_consumer.FEATURES = NAMES
    programs: dict[str, Callable[[Path], None]] = {
        "json.loads alone": lambda _: [json.loads(value) for value in values] and None,
        "JSON, learn in batches of 1,000": lambda _: batches(values),
        "consumer.py: JSON, learn_one": lambda folder: one(log, folder),
        "JSON, predict_one, learn_one": lambda _: predict_and_learn(values),
        f"keyed_consumer.py: JSON, {options.keys:,} keys": lambda folder: keyed(by_key, folder),
        "late_labels.py: features and label, joined": lambda folder: late(some, folder),
    }
    output(f"{FEATURES} features, budget 100 (by key: 20); the programs save every {SAVE_ROWS:,} messages\n")
    output(f"{'processor time':<44}{'us a row':>10}{'minutes for 10^8':>18}")
    for name, work in programs.items():
        with contextlib.redirect_stderr(None):
            took = measured(options.runs, work) / options.messages
        output(f"{name:<44}{1e6 * took:>10.1f}{took * DAY / 60:>18.0f}")
    saves(output, some, keys)
