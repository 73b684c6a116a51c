"""How long the example service takes to start after a long log, with and without a model file."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from examples.service.storage import Log

from budgetrs import Classifier

from ..kept import Shown
from .running import Service

FEATURES = 10
ROWS = 1_000_000
REPEATS = 3


def write(folder: Path, rows: int, saved: int) -> None:
    """Write the log of a stream, and the model that has learned its first rows."""
    X = np.random.default_rng(0).uniform(-1, 1, (rows, FEATURES))
    labels = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no").tolist()
    names = [f"x{j}" for j in range(FEATURES)]
    features = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    log = Log(folder)
    with log.file:
        for at, (row, label) in enumerate(zip(features, labels, strict=True), 1):
            log.append(at, f"{at:032x}", row, label)
    log.close()
    if saved:
        model = Classifier(budget=100)
        for row, label in zip(features[:saved], labels[:saved], strict=True):
            model.learn_one(row, label)
        model.save(folder / f"model-{saved:012}.safetensors")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.comparison.service.startup", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write the output to benches/comparison/results")
    given = parser.parse_args()
    shown = Shown()
    shown(f"{FEATURES} features, budget 100; seconds until the service answers, median of {REPEATS} starts")
    shown()
    shown(f"{'rows in the log':>16}{'rows in the model file':>24}{'seconds':>9}")
    for rows, saved in ((0, 0), (ROWS, ROWS), (ROWS, ROWS - 10_000), (ROWS // 10, 0)):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), rows, saved)
            took = []
            for _ in range(REPEATS):
                start = time.perf_counter()
                with Service(Path(folder)):  # killed, so nothing is saved
                    took.append(time.perf_counter() - start)
        shown(f"{rows:>16,}{saved:>24,}{sorted(took)[REPEATS // 2]:>9.2f}")
    if given.keep:
        shown.keep("service.startup")


if __name__ == "__main__":
    main()
