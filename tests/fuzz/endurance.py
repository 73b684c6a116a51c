"""Long streams: memory stays, the budget holds, and scores follow from the shown support vectors.

``python -m tests.fuzz.endurance --rows 100000000 --seconds 120`` runs every algorithm that removes, merges or
projects for so many rows, or for so long.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from budgetrs import Classifier, ParameterError, Regressor
from budgetrs._core import REQUIRED
from budgetrs._modelfile import read

from .cases import Draw, expect
from .drawn import TASKS, Model, within

SECONDS = 60.0
ROWS = 200_000
BUDGET, WIDTH, CHUNK = 20, 4, 50_000
# By how much the memory of the process may grow.
DRIFT = 0.01
# Of scores, to the sum of the absolute coefficients.
NEAR = 1e-6
LINEAR_CLIP = 40.0  # standard deviations, beyond which the linear term of regression sees no difference


def resident() -> int:
    """Return the bytes of memory of the process, without the files that it maps, such as its code."""
    _, whole, shared, *_ = map(int, Path("/proc/self/statm").read_text().split())
    return (whole - shared) * os.sysconf("SC_PAGE_SIZE")


def made(name: str, regression: bool) -> Model | None:
    """Return an empty model, or None where nothing leaves it."""
    given: dict[str, Any] = {"gamma": 0.5}
    if REQUIRED.get(name):
        given |= {"rate": 15.0, "budget": BUDGET - 5, "max_size": BUDGET}
    else:
        given |= {"budget": BUDGET}
    try:
        model = (Regressor if regression else Classifier)(name, **given)
    except ParameterError:
        return None
    return None if model.params.get("maintenance") in (None, "none", "stop") else model


BOUNDED = [task for task in TASKS if made(*task) is not None]


def chunks(rng: np.random.Generator, regression: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """Draw rows of three classes that overlap, or targets with noise: no model is ever done with them."""
    found = []
    for _ in range(4):
        X = rng.normal(size=(CHUNK, WIDTH))
        clean = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 2]
        noisy = clean + 0.3 * rng.normal(size=CHUNK)
        found.append((X, noisy if regression else np.digitize(noisy, [-0.5, 0.5])))
    return found


def recomputed(model: Model, X: np.ndarray) -> tuple[np.ndarray, float]:
    """Compute scores of rows from what a model shows of itself, and the sum of its absolute coefficients."""
    shown = read(model)
    excess = np.zeros_like(X)
    if shown.scaling is not None:
        X = (X - shown.scaling.shift) * shown.scaling.factor
        if shown.scaling.clips:
            X, excess = np.clip(X, -3, 3), np.clip(X, -LINEAR_CLIP, LINEAR_CLIP) - np.clip(X, -3, 3)
    z = X
    if shown.metric is not None:
        z = X @ shown.metric.T if len(shown.metric) > 1 else X * shown.metric
    squares = ((z[:, None, :] - shown.vectors[None, :, :]) ** 2).sum(axis=2)
    match shown.params["kernel"]:
        case "rbf":
            values = np.exp(-shown.gamma * squares)
        case "rational-quadratic":
            power = shown.params["alpha_rq"]
            values = (1 + shown.gamma * squares / power) ** -power
        case other:
            raise NotImplementedError(other)
    scores, size = values @ shown.coefficients, np.abs(shown.coefficients).sum()
    if shown.linear is not None:
        scores = scores + X @ shown.linear[0] + shown.linear[1]
        size += np.abs(shown.linear[0]).sum()
    if shown.tail is not None:
        scores = scores + excess @ shown.tail
    return scores, float(size)


def endure(draw: Draw, name: str, regression: bool, rows: int, seconds: float) -> str:
    """Learn so many rows, or for so long; return a line that says what was seen."""
    model = made(name, regression)
    assert model is not None
    parts = chunks(draw.rng, regression)
    queries = draw.rng.normal(size=(64, WIDTH))
    start, first, done, worst = time.monotonic(), 0, 0, 0.0
    while done < rows and (time.monotonic() - start < seconds or not first):
        X, y = parts[done // CHUNK % len(parts)]
        model.learn(X, y)
        done += CHUNK
        within(model)
        # A few pieces are short, so that the budget is looked at in between.
        for at in range(0, 1000, 50):
            model.learn(X[at : at + 50], y[at : at + 50])
            within(model)
        settled = not first and (done >= rows // 4 or time.monotonic() - start > seconds / 4)
        if settled or done % (CHUNK * 20) == 0 or done >= rows:
            expected, size = recomputed(model, queries)
            got = model.predict(queries) if isinstance(model, Regressor) else model.decision_function(queries)
            far = np.abs(expected - got.reshape(expected.shape)).max() / max(size, 1.0)
            expect(far <= NEAR, f"scores follow from the support vectors, but differ by {far:.1e}")
            worst = max(worst, far)
        # Memory is looked at after every call was made once, so that what a call loads is in it.
        if settled:
            first = resident()
    drift = resident() / first - 1
    took = time.monotonic() - start
    expect(drift < DRIFT, f"memory stays: {first:,} bytes became {resident():,}")
    kind = "regression" if regression else "classification"
    return (
        f"{name:26} {kind:14} {model.n_samples_seen_:>11,} rows in {took:6.1f} s, "
        f"{model.n_maintenances_:>11,} "
        f"maintenances, memory {drift:+.3%}, scores {worst:.0e}"
    )


def case(draw: Draw) -> None:
    name, regression = BOUNDED[draw.index % len(BOUNDED)]
    draw.note(endure(draw, name, regression, ROWS, 10.0))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.endurance", description="Learn long streams.")
    parser.add_argument(
        "--rows", type=int, default=10_000_000, help="rows for each algorithm (default: 10 million)"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="the most time for each (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="the seed (default: 0)")
    given = parser.parse_args()
    for index, (name, regression) in enumerate(BOUNDED):
        print(
            endure(Draw("endurance", given.seed, index), name, regression, given.rows, given.seconds),
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
