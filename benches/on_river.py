"""The models for River beside River's own, all with their defaults: predict a row, then learn it.

    python benches/on_river.py [--rows N]

Accuracy, rows per second (predicting and learning) and memory of the model after the stream (pickled). The
streams are those that River generates or brings along; Elec2 has to be downloaded and is left out where it is
not there. Needs the extra `river`.
"""

from __future__ import annotations

import argparse
import pickle
import time
from itertools import islice
from pathlib import Path
from typing import Any

from budgetrs.river import Classifier
from river import base, compose, datasets, forest, linear_model, preprocessing, tree


def logistic_regression() -> base.Classifier:
    from river import multiclass

    return compose.Pipeline(
        preprocessing.StandardScaler(), multiclass.OneVsRestClassifier(linear_model.LogisticRegression())
    )


MODELS = {
    "budgetrs, B = 100": lambda: Classifier(budget=100),
    "budgetrs, B = 500": lambda: Classifier(budget=500),
    "HoeffdingAdaptiveTree": lambda: tree.HoeffdingAdaptiveTreeClassifier(seed=1),
    "ARFClassifier": lambda: forest.ARFClassifier(seed=1),
    "LogisticRegression, scaled": logistic_regression,
}


def streams() -> dict[str, Any]:
    """The streams that are there."""
    found: dict[str, Any] = {
        "Phishing": datasets.Phishing(),
        "ImageSegments": datasets.ImageSegments(),
        "Bananas": datasets.Bananas(),
        "SEA": datasets.synth.SEA(seed=1, noise=0.1),
    }
    elec2 = datasets.Elec2()
    if Path(elec2.path).exists():
        found["Elec2"] = elec2
    return found


def run(model: base.Classifier, rows: list[tuple[dict[str, Any], Any]]) -> tuple[float, float, int]:
    """Accuracy, rows per second and bytes."""
    right, began = 0, time.process_time()
    for x, y in rows:
        right += model.predict_one(x) == y
        model.learn_one(x, y)
    seconds = time.process_time() - began
    return right / len(rows), len(rows) / seconds, len(pickle.dumps(model))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000, help="of each stream at most (10000)")
    rows = parser.parse_args().rows
    found = streams()
    print(f"{'stream':16} {'rows':>7} {'model':28} {'accuracy':>8} {'rows/s':>9} {'memory':>10}")
    for name, stream in found.items():
        data = list(islice(stream, rows))
        for title, make in MODELS.items():
            accuracy, speed, memory = run(make(), data)
            print(
                f"{name:16} {len(data):7,} {title:28} {accuracy:8.1%} {speed:9,.0f} {memory / 1024:8,.0f} kB"
            )
    if "Elec2" not in found:
        print("missing: Elec2, which river.datasets.Elec2().download() fetches")


if __name__ == "__main__":
    main()
