"""The models for River compared with River's models: predict a row, then learn it.

Parameters are the defaults, except that the step of LogisticRegression is the best of three for each stream.
"Refitted" models of scikit-learn are fitted every 250 rows (at first more often) to the last 2,000.
"""

import pickle
import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from budgetrs.river import Classifier
from river import (
    base,
    datasets,
    dummy,
    forest,
    linear_model,
    multiclass,
    neighbors,
    optim,
    preprocessing,
    tree,
)

from ..cells import Options, Output
from ..data import elec2, stream

OPTIONS = {"rows": (20_000, "rows of each stream at most")}
QUICK = {"rows": 200}
OURS = "budgetrs, B = 100"
STEPS = (0.01, 0.1, 1.0)


def scaled(model: base.Classifier) -> base.Classifier:
    return preprocessing.StandardScaler() | model


def logistic(step: float) -> base.Classifier:
    linear = linear_model.LogisticRegression(optim.SGD(step), intercept_lr=step)
    return scaled(multiclass.OneVsRestClassifier(linear))


class Refitted:
    """An estimator of scikit-learn that learns the last rows anew, again and again."""

    def __init__(self, estimator: Any, every: int = 250, window: int = 2_000) -> None:
        self.estimator, self.every, self.window = estimator, every, window

    def right(self, rows: list[tuple[dict, Any]]) -> int:
        """The rows that are predicted correctly, a block before the model learns it."""
        X, y = np.array([list(x.values()) for x, _ in rows], float), np.array([label for _, label in rows])
        right, end = 0, 10
        while True:
            seen, start = slice(max(0, end - self.window), end), end
            self.estimator.fit(X[seen], y[seen])
            end = min(2 * start, start + self.every)  # often at first
            right += int((self.estimator.predict(X[start:end]) == y[start:end]).sum())
            if end >= len(y):
                return right


def one_by_one(model: base.Classifier, rows: list[tuple[dict, Any]]) -> int:
    """The rows that are predicted correctly, each before the model learns it."""
    right = 0
    for x, y in rows:
        right += model.predict_one(x) == y
        model.learn_one(x, y)
    return right


MODELS: dict[str, Callable[[], Any]] = {
    OURS: lambda: Classifier(budget=100),
    "budgetrs, B = 500": lambda: Classifier(budget=500),
    "previous label": dummy.NoChangeClassifier,
    "most frequent label": dummy.PriorClassifier,
    "PAClassifier, scaled": lambda: scaled(multiclass.OneVsRestClassifier(linear_model.PAClassifier())),
    "LogisticRegression, scaled": lambda: [logistic(step) for step in STEPS],
    "KNNClassifier, scaled": lambda: scaled(
        neighbors.KNNClassifier(engine=neighbors.LazySearch(window_size=1_000))
    ),
    "HoeffdingAdaptiveTree": lambda: tree.HoeffdingAdaptiveTreeClassifier(seed=1),
    "ARFClassifier": lambda: forest.ARFClassifier(seed=1),
    "decision tree, refitted": lambda: Refitted(DecisionTreeClassifier(random_state=0)),
    "random forest, refitted": lambda: Refitted(RandomForestClassifier(random_state=0)),
}


def from_file(name: str) -> Iterable:
    x, y = stream(name, 0)
    return ((dict(enumerate(row.tolist())), label) for row, label in zip(x, y.tolist(), strict=True))


def flights() -> Iterable:
    """Flights from New York, and whether they arrive late."""
    import pandas as pd

    from ..package_tables import load

    frame, label = load("flights_late")
    return zip(pd.get_dummies(frame, dtype=float).to_dict("records"), label.tolist(), strict=True)


STREAMS: dict[str, Callable[[], Iterable]] = {
    "Phishing": datasets.Phishing,
    "ImageSegments": datasets.ImageSegments,
    "Bananas": datasets.Bananas,
    "SEA": lambda: datasets.synth.SEA(seed=1, noise=0.1).take(10_000),
    "Elec2": elec2,
    "NOAA": lambda: from_file("noaa"),
    "covertype": lambda: from_file("covertype-ordered"),
    "moving clusters": lambda: datasets.synth.RandomRBFDrift(
        seed_model=1, seed_sample=1, n_classes=5, n_features=10, n_centroids=50, change_speed=0.001
    ),
    "hyperplane": lambda: datasets.synth.Hyperplane(seed=1, n_drift_features=10, mag_change=0.001),
    "flights": flights,
}


def measure(model: Any, rows: list[tuple[dict, Any]]) -> tuple[float, float, int]:
    """Accuracy, rows per second and bytes; of several models, the figures of the most accurate."""
    if isinstance(model, list):
        return max(measure(one, rows) for one in model)
    began = time.process_time()
    right = model.right(rows) if isinstance(model, Refitted) else one_by_one(model, rows)
    seconds = time.process_time() - began
    return right / len(rows), len(rows) / seconds, len(pickle.dumps(model))


def main(options: Options, output: Output) -> None:
    output(f"{'stream':16} {'rows':>7} {'model':28} {'accuracy':>8} {'rows/s':>9} {'memory':>10}")
    lengths, found = {}, {}
    for name, load in STREAMS.items():
        rows = output.attempt(lambda load=load: list(islice(load(), options.rows)))
        if rows is None:
            continue
        lengths[name] = len(rows)
        for title, make in MODELS.items():
            accuracy, speed, memory = found[name, title] = measure(make(), rows)
            kilobytes = f"{memory / 1024:8,.0f} kB"
            output(f"{name:16} {len(rows):7,} {title:28} {accuracy:8.1%} {speed:9,.0f} {kilobytes}")
    output("\nAccuracy, with the best of each stream in bold:\n")
    output("| " + " | ".join(["stream", "rows", *MODELS, f"{OURS}, minus the best other"]) + " |")
    output("|---" + "|---:" * (len(MODELS) + 2) + "|")
    for name, n_rows in lengths.items():
        accuracy = {title: found[name, title][0] for title in MODELS}
        best = max(accuracy.values())
        shown = [f"**{value:.1%}**" if value == best else f"{value:.1%}" for value in accuracy.values()]
        others = max(value for title, value in accuracy.items() if not title.startswith("budgetrs"))
        margin = f"{100 * (accuracy[OURS] - others):+.1f} points"
        output("| " + " | ".join([name, f"{n_rows:,}", *shown, margin]) + " |")
    seconds = {title: sum(n / found[name, title][1] for name, n in lengths.items()) for title in MODELS}
    speeds = [f"{sum(lengths.values()) / seconds[title]:,.0f}" for title in MODELS]
    memory = [f"{max(found[name, title][2] for name in lengths) / 1024:,.0f} kB" for title in MODELS]
    output("| " + " | ".join(["rows/s", "", *speeds, ""]) + " |")
    output("| " + " | ".join(["memory", "", *memory, ""]) + " |")
