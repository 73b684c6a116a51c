"""The models for River compared with River's models: predict a row, then learn it.

Parameters are the defaults, except that the step of LogisticRegression and C of the SVC are the best of a few
for each stream. "Refitted" models of scikit-learn and LightGBM are fitted every 250 rows (at first more
often) to the last 2,000. "Last labels": the labels of the last ten rows are features, one-hot encoded.
"""

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from budgetrs.river import Classifier
from river import (
    base,
    datasets,
    dummy,
    ensemble,
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
from ..models import named

OPTIONS = {"rows": (20_000, "rows of each stream at most")}
QUICK = {"rows": 200}
OURS = "budgetrs, B = 100"
STEPS = (0.001, 0.01, 0.1, 1.0)
COSTS = (1.0, 10.0)
LAST, ELEC2_DAY = 10, 49  # labels that are features; prices whose mean decides the label of Elec2


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
            end = min(2 * start, start + self.every)  # often at first
            predicted: Any = y[seen][0]
            if (y[seen] != predicted).any():  # an SVC needs two classes
                predicted = self.estimator.fit(X[seen], y[seen]).predict(X[start:end])
            right += int((predicted == y[start:end]).sum())
            if end >= len(y):
                return right


class LastLabels:
    """A model whose rows have the last labels as features, the newest first."""

    def __init__(self, model: base.Classifier) -> None:
        self.model, self.classes = model, set[Any]()
        self.last: deque = deque(maxlen=LAST)

    def _row(self, x: dict) -> dict:
        last = {
            f"label {i} {c}": float(label == c) for i, label in enumerate(self.last) for c in self.classes
        }
        return x | last

    def predict_one(self, x: dict) -> Any:
        return self.model.predict_one(self._row(x))

    def learn_one(self, x: dict, y: Any) -> None:
        self.model.learn_one(self._row(x), y)
        self.classes.add(y)
        self.last.appendleft(y)


def one_by_one(model: Any, rows: list[tuple[dict, Any]]) -> int:
    """The rows that are predicted correctly, each before the model learns it."""
    right = 0
    for x, y in rows:
        right += model.predict_one(x) == y
        model.learn_one(x, y)
    return right


# The best of several models in a list is shown.
MODELS: dict[str, Callable[[], Any]] = {
    OURS: lambda: Classifier(budget=100),
    "budgetrs, B = 500": lambda: Classifier(budget=500),
    "budgetrs, last labels": lambda: LastLabels(Classifier(budget=100)),
    "previous label": dummy.NoChangeClassifier,
    "most frequent label": dummy.PriorClassifier,
    "PAClassifier, scaled": lambda: scaled(multiclass.OneVsRestClassifier(linear_model.PAClassifier())),
    "LogisticRegression, scaled": lambda: [logistic(step) for step in STEPS],
    "logistic, last labels": lambda: [LastLabels(logistic(step)) for step in STEPS],
    "KNNClassifier, scaled": lambda: scaled(
        neighbors.KNNClassifier(engine=neighbors.LazySearch(window_size=1_000))
    ),
    "HoeffdingAdaptiveTree": lambda: tree.HoeffdingAdaptiveTreeClassifier(seed=1),
    "ARFClassifier": lambda: forest.ARFClassifier(seed=1),
    "SRPClassifier": lambda: ensemble.SRPClassifier(seed=1),
    "decision tree, refitted": lambda: Refitted(DecisionTreeClassifier(random_state=0)),
    "random forest, refitted": lambda: Refitted(RandomForestClassifier(random_state=0)),
    "LightGBM, refitted": lambda: Refitted(
        named("lightgbm.LGBMClassifier", n_jobs=1, verbose=-1, random_state=0)
    ),
    "SVC, scaled, refitted": lambda: [Refitted(make_pipeline(StandardScaler(), SVC(C=c))) for c in COSTS],
}
# The columns of the table: of each group the most accurate model on each stream.
GROUPS = {
    **{title: [title] for title in list(MODELS)[:5]},
    "linear models": ["PAClassifier, scaled", "LogisticRegression, scaled"],
    "logistic, last labels": ["logistic, last labels"],
    "nearest neighbours": ["KNNClassifier, scaled"],
    "trees and forests": [
        *("HoeffdingAdaptiveTree", "ARFClassifier", "SRPClassifier"),
        *("decision tree, refitted", "random forest, refitted", "LightGBM, refitted"),
    ],
    "SVC, refitted": ["SVC, scaled, refitted"],
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


def elec2_rule(rows: list[tuple[dict, Any]]) -> float:
    """The accuracy of "the price is above its mean of a day", by which Elec2 was labelled."""
    prices = np.array([x["nswprice"] for x, _ in rows])
    means = [prices[max(0, i + 1 - ELEC2_DAY) : i + 1].mean() for i in range(len(prices))]
    return float(np.mean((prices > means) == np.array([y for _, y in rows])))


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
    titles = [title for title, make in MODELS.items() if output.attempt(make) is not None]
    lengths, found, rule = {}, {}, None
    for name, load in STREAMS.items():
        rows = output.attempt(lambda load=load: list(islice(load(), options.rows)))
        if rows is None:
            continue
        lengths[name] = len(rows)
        rule = elec2_rule(rows) if name == "Elec2" else rule
        for title in titles:
            accuracy, speed, memory = found[name, title] = measure(MODELS[title](), rows)
            kilobytes = f"{memory / 1024:8,.0f} kB"
            output(f"{name:16} {len(rows):7,} {title:28} {accuracy:8.1%} {speed:9,.0f} {kilobytes}")
    output("\nAccuracy, with the best model of each group, and the best of each stream in bold:\n")
    output("| " + " | ".join(["stream", "rows", *GROUPS, f"{OURS}, minus the best other"]) + " |")
    output("|---" + "|---:" * (len(GROUPS) + 2) + "|")
    for name, n_rows in lengths.items():
        by_title = {title: found[name, title][0] for title in titles}
        accuracy = {group: max(by_title.get(title, 0) for title in of) for group, of in GROUPS.items()}
        best = max(accuracy.values())
        shown = [f"**{value:.1%}**" if value == best else f"{value:.1%}" for value in accuracy.values()]
        others = max(value for group, value in accuracy.items() if not group.startswith("budgetrs"))
        margin = f"{100 * (accuracy[OURS] - others):+.1f} points"
        output("| " + " | ".join([name, f"{n_rows:,}", *shown, margin]) + " |")
    output(f"\n| all streams | rows/s | memory | mean accuracy | {OURS}, is ahead on | behind on |")
    output("|---|---:|---:|---:|---:|---:|")
    rounded = {key: round(accuracy, 3) for key, (accuracy, _, _) in found.items()}
    for title in titles:
        ahead, behind = (
            sum(sign * rounded[name, OURS] > sign * rounded[name, title] for name in lengths)
            for sign in (1, -1)
        )
        accuracies, speeds, sizes = zip(*(found[name, title] for name in lengths), strict=True)
        speed = sum(lengths.values()) / sum(n / s for n, s in zip(lengths.values(), speeds, strict=True))
        memory = max(sizes) / 1024
        figures = f"{speed:,.0f} | {memory:,.0f} kB | {np.mean(accuracies):.1%}"
        output(f"| {title} | {figures} | {ahead} | {behind} |")
    if rule:
        output(f"\nElec2, the price is above the mean of the last {ELEC2_DAY} prices: {rule:.2%}")
