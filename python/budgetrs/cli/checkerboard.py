"""The checkerboard part of the demonstration: a generated stream, and the model that learns it."""

import time
from dataclasses import dataclass, field

import numpy as np

from .. import _core
from . import report
from .progress import progress

BUDGET = 100
GAMMA = 4.0
ALPHA = 1e-4
CHUNKS = 200
TEST_ROWS = 20_000
# A uniform coordinate has standard deviation 1 when it lies in [-sqrt(3), sqrt(3)].
HALF = 3.0**0.5


@dataclass
class Course:
    """How the accuracy went along the stream: for each chunk, predicted before it was learned."""

    rows: list[int] = field(default_factory=list)
    chunk_accuracy: list[float] = field(default_factory=list)
    mean_accuracy: list[float] = field(default_factory=list)


def points(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw points uniform in a 4 x 4 board (each coordinate has deviation 1); label: parity of the cell."""
    X = rng.uniform(-HALF, HALF, (rows, 2)).astype(np.float32)
    cell = np.clip(((X + HALF) * (2 / HALF)).astype(np.int64), 0, 3)
    return X, cell.sum(axis=1) % 2


def learn_stream(rows: int, *, quiet: bool) -> tuple[_core.Classifier, Course, float]:
    """Learn generated chunks as they come; the seconds are those of learning alone."""
    model = _core.Classifier("bsgd-merge", budget=BUDGET, gamma=GAMMA, alpha=ALPHA, classes=[0, 1])
    rng = np.random.default_rng(0)
    course, seconds, mistakes = Course(), 0.0, 0
    with progress("learning", quiet=quiet) as shown:
        chunk = max(1, rows // CHUNKS)
        for begin in range(0, rows, chunk):
            X, y = points(rng, min(chunk, rows - begin))
            start = time.perf_counter()
            model.learn(X, y)
            seconds += time.perf_counter() - start
            seen = model.n_seen_
            course.rows.append(seen)
            course.chunk_accuracy.append(1 - (model.n_mistakes_ - mistakes) / len(y))
            course.mean_accuracy.append(1 - model.n_mistakes_ / seen)
            mistakes = model.n_mistakes_
            right = report.percent(seen - mistakes, seen)
            vectors = f"{model.n_support_vectors_} support vectors"
            shown.update(seen / rows, seen, f"{right} progressive", vectors)
    return model, course, seconds
