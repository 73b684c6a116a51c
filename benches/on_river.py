"""The models for River beside River's own, all with their defaults: predict a row, then learn it.

    python benches/on_river.py [--rows N] [--markdown]

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


def show(name: str, title: str, n_rows: int, found: tuple[float, float, int]) -> None:
    """One line of the long table."""
    accuracy, speed, memory = found
    print(
        f"{name:16} {n_rows:7,} {title:28} {accuracy:8.1%} {speed:9,.0f} {memory / 1024:8,.0f} kB", flush=True
    )


def show_markdown(lengths: dict[str, int], cells: dict[tuple[str, str], tuple[float, float, int]]) -> None:
    """A line for each model, with the rows per second over all streams together and the largest memory."""
    columns = [f"{name} ({n_rows:,} rows)" for name, n_rows in lengths.items()]
    print("| " + " | ".join(["model", *columns, "rows/s", "memory"]) + " |")
    print("|---" + "|---:" * (len(columns) + 2) + "|")
    for title in MODELS:
        mine = {name: cells[name, title] for name in lengths}
        seconds = sum(lengths[name] / speed for name, (_, speed, _) in mine.items())
        shown = [f"{accuracy:.1%}" for accuracy, _, _ in mine.values()]
        shown.append(f"{sum(lengths.values()) / seconds:,.0f}")
        shown.append(f"{max(memory for _, _, memory in mine.values()) / 1024:,.0f} kB")
        print("| " + " | ".join([title, *shown]) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000, help="of each stream at most (10000)")
    parser.add_argument("--markdown", action="store_true", help="print the short table of the readme")
    options = parser.parse_args()
    found = {name: list(islice(stream, options.rows)) for name, stream in streams().items()}
    if not options.markdown:
        print(f"{'stream':16} {'rows':>7} {'model':28} {'accuracy':>8} {'rows/s':>9} {'memory':>10}")
    cells = {}
    for name, data in found.items():
        for title, make in MODELS.items():
            cells[name, title] = run(make(), data)
            if not options.markdown:
                show(name, title, len(data), cells[name, title])
    if options.markdown:
        show_markdown({name: len(data) for name, data in found.items()}, cells)
    elif "Elec2" not in found:
        print("missing: Elec2, which river.datasets.Elec2().download() fetches")


if __name__ == "__main__":
    main()
