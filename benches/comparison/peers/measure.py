"""The measurement of one model on the rows of a folder, which `runs.py` starts with a task in JSON."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from experiments.common import Stopwatch, peak_memory

from .models import CHUNK, ENTRANTS, SVM_TUNING_ROWS, Entrant, Given

PASSES = 5  # whose median is the rate of learning, at most
SECONDS = 2.0  # after which there is no other pass

Record = dict[str, Any]


def load(folder: Path, part: str, sparse: bool) -> Any:
    if not sparse:
        return np.load(folder / f"{part}.npy")
    from scipy.sparse import load_npz

    return load_npz(folder / f"{part}.npz")


def choose(entrant: Entrant, given: Given, x: Any, y: np.ndarray) -> dict[str, float]:
    """The parameters that do best on the last fifth of some rows, after the others."""
    grid = entrant.grid or {}
    if entrant.whole:
        x, y = x[:SVM_TUNING_ROWS], y[:SVM_TUNING_ROWS]
    cut = len(y) * 4 // 5

    def held_out(parameters: dict[str, float]) -> float:
        model = entrant.make(replace(given, parameters=parameters)).fit(x[:cut], y[:cut])
        return float((model.predict(x[cut:]) == y[cut:]).mean())

    candidates = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    for candidate in candidates:
        if "gamma" in candidate:
            candidate["gamma"] /= x.shape[1]
    return max(candidates, key=held_out)


def reset_peak() -> None:
    """Forget the highest memory so far, where the system can."""
    path = Path("/proc/self/clear_refs")
    if path.exists():
        path.write_text("5")


def chunks(model: Any, x: Any, y: np.ndarray) -> Any:
    """The rows in the form of the model, some at a time."""
    for start in range(0, len(y), CHUNK):
        yield model.rows(x[start : start + CHUNK]), y[start : start + CHUNK]


def timed(call: Callable, *arguments: Any) -> float:
    """Microseconds by the clock on the wall."""
    began = time.perf_counter_ns()
    call(*arguments)
    return (time.perf_counter_ns() - began) / 1e3


def latencies(name: str, microseconds: list[float]) -> Record:
    return {
        f"{name}_p50": float(np.median(microseconds)),
        f"{name}_p99": float(np.quantile(microseconds, 0.99)),
    }


def learn(model: Any, entrant: Entrant, x: Any, y: np.ndarray) -> float:
    """Seconds of the processor for one pass."""
    learning = Stopwatch(time.process_time)
    for rows, labels in [(x, y)] if entrant.whole else chunks(model, x, y):
        with learning:
            model.learn(rows, labels)
    return learning.seconds


def of_set(entrant: Entrant, given: Given, task: Record, load_part: Callable[[str], Any]) -> Record:
    """A pass over training rows in chunks, test rows in chunks, rows one at a time; then other passes."""
    n = task["slow_rows"] if entrant.slow else None
    x, y = load_part("x")[:n], np.load(Path(task["folder"], "y.npy"))[:n]
    x_test, y_test = load_part("x_test"), np.load(Path(task["folder"], "y_test.npy"))
    model = entrant.make(given)  # imports its package
    before, predicting = start_memory(), Stopwatch(time.process_time)
    seconds = [learn(model, entrant, x, y)]
    right = 0
    for rows, labels in chunks(model, x_test, y_test):
        with predicting:
            predicted = model.predict(rows)
        right += int((predicted == labels).sum())
    found = {
        "rows": len(y),
        "accuracy": 100 * right / len(y_test),
        "predicted": len(y_test) / predicting.seconds,
        "before": before,
        "peak": peak_memory(),
        "size": model.size(),
    }
    found |= one_by_one(model, entrant, x_test, y_test, min(task["singles"], len(y_test) // 2))
    while not entrant.once and len(seconds) < PASSES and sum(seconds) < SECONDS:
        seconds.append(learn(entrant.make(given), entrant, x, y))
    return found | {"learned": len(y) / float(np.median(seconds))}


def one_by_one(model: Any, entrant: Entrant, x: Any, y: np.ndarray, n: int) -> Record:
    """Rows that are new to the model, one at a time: n for each latency, and before them n for the rate."""
    rows, labels = [model.row(x, i) for i in range(2 * n)], y[: 2 * n].tolist()
    found = latencies("predict", [timed(model.predict_one, row) for row in rows[:n]])
    if entrant.whole:
        return found
    learning = Stopwatch(time.process_time)
    with learning:
        for row, label in zip(rows[:n], labels[:n], strict=True):
            model.learn_one(row, label)
    each = [timed(model.learn_one, row, label) for row, label in zip(rows[n:], labels[n:], strict=True)]
    return found | {"singles": n / learning.seconds} | latencies("learn", each)


def of_stream(entrant: Entrant, given: Given, task: Record, load_part: Callable[[str], Any]) -> Record:
    """Each row after the first chunk is predicted, then learned, one by one; the first chunk is learned."""
    x, y = load_part("x"), np.load(Path(task["folder"], "y.npy"))
    model = entrant.make(given)  # imports its package
    before = start_memory()
    model.learn(model.rows(x[:CHUNK]), y[:CHUNK])
    right, predicting, learning = 0, [], []
    whole = Stopwatch(time.process_time)
    for i, label in enumerate(y[CHUNK:].tolist(), CHUNK):
        row = model.row(x, i)
        with whole:
            start = time.perf_counter_ns()
            predicted = model.predict_one(row)
            middle = time.perf_counter_ns()
            model.learn_one(row, label)
            end = time.perf_counter_ns()
        predicting.append((middle - start) / 1e3)
        learning.append((end - middle) / 1e3)
        right += bool(predicted == label)
    n = len(learning)
    return {
        "rows": n,
        "accuracy": 100 * right / n,
        "singles": n / whole.seconds,
        "before": before,
        "peak": peak_memory(),
        "size": model.size(),
        **latencies("learn", learning),
        **latencies("predict", predicting),
    }


def start_memory() -> float:
    reset_peak()
    return peak_memory()


def main() -> None:
    task = json.loads(sys.argv[1])
    entrant, folder = ENTRANTS[task["title"]], Path(task["folder"])
    sparse = task["sparse"] and not entrant.dense

    def load_part(part: str) -> Any:
        return load(folder, part, sparse)

    y = np.load(folder / "y.npy")
    given = Given(np.unique(y), sparse, task["parameters"] or {})
    if task["parameters"] is None:  # in a process of its own, so that its memory is not counted
        n = task["tuning_rows"]
        print(json.dumps(choose(entrant, given, load_part("x")[:n], y[:n])))
        return
    measure = of_stream if task["stream"] else of_set
    print(json.dumps(measure(entrant, given, task, load_part)))


if __name__ == "__main__":
    main()
