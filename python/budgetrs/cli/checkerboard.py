"""The first part of the demonstration: budgeted SGD learns the checkerboard of its paper, as a stream."""

import time
from dataclasses import dataclass, field

from .. import _core
from . import report
from .progress import progress

BUDGET = 100
GAMMA = 4.0
ALPHA = 1e-4
CHUNKS = 200
TEST_ROWS = 20_000
TEST_SEED = 2**32  # larger than the seeds of all chunks
# The board is [-sqrt(3), sqrt(3)] in each coordinate: there a uniform one has standard deviation 1.
HALF = 3.0**0.5


@dataclass
class Course:
    """The progressive accuracy along the stream, for each chunk and so far."""

    rows: list[int] = field(default_factory=list)
    chunk_accuracy: list[float] = field(default_factory=list)
    mean_accuracy: list[float] = field(default_factory=list)


def learn_stream(rows: int, *, quiet: bool) -> tuple[_core.Classifier, Course, float]:
    """Train on generated chunks; return the model, its accuracy and the seconds of training."""
    model = _core.Classifier("bsgd-merge", budget=BUDGET, gamma=GAMMA, alpha=ALPHA, classes=[0, 1])
    course, seconds, mistakes = Course(), 0.0, 0
    with progress("training", quiet=quiet) as shown:
        chunk = max(1, rows // CHUNKS)
        for number, begin in enumerate(range(0, rows, chunk)):
            X, y = _core.checkerboard(min(chunk, rows - begin), seed=number)
            start = time.perf_counter()
            model.learn(X, y)
            seconds += time.perf_counter() - start
            seen = model.n_samples_seen_
            course.rows.append(seen)
            course.chunk_accuracy.append(1 - (model.n_mistakes_ - mistakes) / len(y))
            course.mean_accuracy.append(1 - model.n_mistakes_ / seen)
            mistakes = model.n_mistakes_
            right = report.percent(seen - mistakes, seen)
            progressive = report.Line("progressive accuracy", f"{right} progressive", {})
            shown.update(seen / rows, seen, progressive, report.support_vectors(model))
    return model, course, seconds
