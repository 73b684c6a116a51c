"""Seconds until the example service answers after a long log, with and without a model file."""

import tempfile
import time
from pathlib import Path

import numpy as np
from examples.service.storage import Answer, Log, Row

from budgetrs import Classifier

from ..cells import Options, Output
from ..service_process import Service

FEATURES = 10
OPTIONS = {"rows": (1_000_000, "rows in the log"), "starts": (3, "starts")}
QUICK = {"rows": 10_000, "starts": 1}


def write(folder: Path, rows: int, saved: int) -> None:
    """Write the log of a stream, and the model that has learned its first rows."""
    X = np.random.default_rng(0).uniform(-1, 1, (rows, FEATURES))
    labels = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no").tolist()
    features = [{f"x{j}": value for j, value in enumerate(row)} for row in X.tolist()]
    log = Log(folder)
    with log.file:
        for at, (row, label) in enumerate(zip(features, labels, strict=True), 1):
            log.append(at, f"{at:032x}", Row(0.0, row, [Answer("main", label, 0.9, at - 1, True)]), label)
    log.close()
    if saved:
        model = Classifier(budget=100)
        for row, label in zip(features[:saved], labels[:saved], strict=True):
            model.learn_one(row, label)
        (folder / "models").mkdir()
        model.save(folder / "models" / "main.safetensors", metadata={"position": saved})


def main(options: Options, output: Output) -> None:
    median = f"median of {options.starts} starts"
    output(f"{FEATURES} features, budget 100; seconds until the service answers, {median}\n")
    output(f"{'rows in the log':>16}{'rows in the model file':>24}{'seconds':>9}")
    n = options.rows
    for rows, saved in ((0, 0), (n, n), (n, n - n // 100), (n // 10, 0)):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), rows, saved)
            took = []
            for _ in range(options.starts):
                start = time.perf_counter()
                with Service(Path(folder)):  # killed, so nothing is saved
                    took.append(time.perf_counter() - start)
        output(f"{rows:>16,}{saved:>24,}{sorted(took)[len(took) // 2]:>9.2f}")
