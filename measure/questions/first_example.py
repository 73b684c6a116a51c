"""The stream of the readme's first example: a spiral whose arms swap their labels.

Each batch of 5,000 rows is predicted, then learned. All models have their defaults. "Refitted" models
learn the last batch only, so that a swap costs them one batch. River's models predict and learn row by row,
only on the rows around the swap.
"""

import time
from collections.abc import Iterator
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
