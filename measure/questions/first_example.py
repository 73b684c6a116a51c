"""The stream of the readme's first example: a spiral whose arms swap their labels.

Each batch of 5,000 rows is predicted, then learned. All models have their defaults. "Refitted" models
learn the last batch only, so that a swap costs them one batch. The tuned SVC is fitted to all rows, each time
that their number doubles, and starts again after a block of 250 rows of which more than a quarter are wrong;
gamma and C are chosen on the first batch, which is not timed. River's models predict and learn row by row,
only on the rows around the swap.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .. import models
from ..cells import Options, Output, table
from ..models import Facts

ROWS, BATCHES, RIVER_ROWS = 5_000, 200, 10_000
OPTIONS = {
    "batches": (BATCHES, "batches of 5,000 rows"),
    "river_rows": (2 * RIVER_ROWS, "rows of River's models"),
}
QUICK = {"batches": 4, "river_rows": 200}
FACTS = Facts(np.array([False, True]))
REFITTED = {
    "most frequent label": models.MOST_FREQUENT,
    "decision tree": models.TREE,
    "random forest": models.FOREST,
    "5 nearest neighbours": models.NEIGHBOURS,
    "SVC": models.SVM,
    "LightGBM": models.LIGHTGBM,
}
GRID = {"gamma": (0.25, 1.0, 4.0, 16.0), "C": (1.0, 100.0, 1e4, 1e6)}
BLOCK, MOST = 250, (16_000, 64_000)  # rows predicted at a time, and fitted at most, by the tuned SVC
COLUMNS = (("model", -46, "{model}"), ("wrong", 8, "{wrong:.2%}"), ("rows/s", 12, "{speed:,.0f}"))


def stream(batches: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    for batch in range(batches):
        X = rng.uniform(-1, 1, (ROWS, 2))
        arm = np.sin(6 * np.hypot(*X.T) + np.arctan2(*X.T)) > 0
        yield X * [1000, 0.001], arm ^ (batch >= batches // 2)


class LastBatch:
    """A new model for each batch."""

    def __init__(self, make: Any) -> None:
        self.make, self.model = make, None

    def learn(self, X: np.ndarray, y: np.ndarray) -> None:
        self.model = self.make(FACTS)
        self.model.learn(X, y)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.zeros(len(X), bool) if self.model is None else self.model.predict(X)


def by_batch(model: Any, batches: list) -> dict[str, float]:
    wrong, began = 0, time.process_time()
    for number, (X, y) in enumerate(batches):
        predicted = model.predict(X) if number or isinstance(model, LastBatch) else np.zeros(len(X), bool)
        wrong += int((predicted != y).sum())
        model.learn(X, y)
    return figures(wrong, ROWS * len(batches), began)


def by_block(make: Any, facts: Facts, most: int, batches: list) -> dict[str, float]:
    """A model of all rows since the last drift, fitted anew each time that their number doubles."""
    X, y = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    wrong, first, due, model, began = 0, 0, BLOCK, None, time.process_time()
    for start in range(0, len(y), BLOCK):
        end = start + BLOCK
        predicted = model.predict(X[start:end]) if model else np.zeros(BLOCK, bool)
        errors = int((predicted != y[start:end]).sum())
        wrong += errors
        if model and errors > BLOCK / 4:
            first, due = start, BLOCK
        if end - first == due <= most:
            model, due = make(facts).fit(X[first:end], y[first:end]), 2 * due
    return figures(wrong, len(y), began)


def by_row(model: Any, rows: list) -> dict[str, float]:
    wrong, began = 0, time.process_time()
    for x, y in rows:
        wrong += (model.predict_one(x) or False) != y
        model.learn_one(x, y)
    return figures(wrong, len(rows), began)


def figures(wrong: int, rows: int, began: float) -> dict[str, float]:
    return {"wrong": wrong / rows, "speed": rows / (time.process_time() - began)}


def main(options: Options, output: Output) -> None:
    import budgetrs.river
    from budgetrs import Classifier
    from river import dummy, forest, tree

    batches = list(stream(options.batches))
    found = []
    for budget in (100, 500):
        model, began = Classifier(budget=budget, n_jobs=1), time.process_time()
        for X, y in batches:
            model.learn(X, y)
        own = figures(model.progressive_error_ * ROWS * len(batches), ROWS * len(batches), began)
        size = len(model.to_bytes()) / 1000
        found.append({"model": f"budgetrs, B = {budget}, {size:.0f} kB, drift at {model.drift_rows_}", **own})
    steps = {"SGDClassifier": None, "RBFSampler-500 + SGDClassifier, gamma 4": "RBFSampler"}
    for name, features in steps.items():
        facts = Facts(FACTS.classes, parameters={"gamma": 4.0} if features else {})
        found.append({"model": name, **by_batch(models.OnePass(facts, features), batches)})
    for name, make in REFITTED.items():
        found.append({"model": f"{name}, refitted", **by_batch(LastBatch(make), batches)})
    tuned = replace(FACTS, parameters=models.choose(models.SVM, FACTS, GRID, *batches[0]))
    for most in MOST:
        title = f"SVC, tuned, fitted to at most {most:,} rows"
        found.append({"model": title, **by_block(models.SVM, tuned, most, batches)})
    swap, half = len(batches) // 2, options.river_rows // 2
    X, y = (np.concatenate(parts) for parts in zip(*batches[max(swap - 2, 0) : swap + 2], strict=True))
    middle = len(y) // 2
    near = slice(middle - half, middle + half)
    rows = [(dict(enumerate(x)), label) for x, label in zip(X[near].tolist(), y[near].tolist(), strict=True)]
    by_rows = {
        "budgetrs, B = 100": budgetrs.river.Classifier(budget=100),
        "previous label": dummy.NoChangeClassifier(),
        "HoeffdingAdaptiveTree": tree.HoeffdingAdaptiveTreeClassifier(seed=1),
        "ARFClassifier": forest.ARFClassifier(seed=1),
    }
    found += [{"model": f"{name}, near the swap", **by_row(model, rows)} for name, model in by_rows.items()]
    output.print(table(COLUMNS, found))
