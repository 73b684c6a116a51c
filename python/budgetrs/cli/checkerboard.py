"""The first part of the demonstration: two models learn a generated checkerboard as a stream."""

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
TEST_SEED = 2**32  # larger than the seeds of all chunks
# The board is [-sqrt(3), sqrt(3)] in each coordinate: there a uniform one has standard deviation 1.
HALF = 3.0**0.5
# The units of both features for the default model, which scales rows itself.
UNITS = np.array([1000.0, 1.0], dtype=np.float32)
STANDARDISED = np.ones(2, dtype=np.float32)


@dataclass
class Course:
    """The model, its accuracy along the stream for each chunk, and the seconds of learning."""

    model: _core.Classifier
    rows: list[int] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)
    seconds: float = 0.0


def default_model() -> _core.Classifier:
    """Create the default: it has a budget, and nothing is tuned."""
    return _core.Classifier(budget=BUDGET, classes=[0, 1])


def paper_model() -> _core.Classifier:
    """Create the model of Wang, Crammer and Vucetic (2010), with parameters for this board."""
    return _core.Classifier("bsgd-merge", budget=BUDGET, gamma=GAMMA, alpha=ALPHA, classes=[0, 1])


def learn_stream(model: _core.Classifier, rows: int, units: np.ndarray, *, quiet: bool) -> Course:
    """Learn generated chunks in these units."""
    course, mistakes = Course(model), 0
    with progress("training", quiet=quiet) as shown:
        chunk = max(1, rows // CHUNKS)
        for number, begin in enumerate(range(0, rows, chunk)):
            X, y = _core.checkerboard(min(chunk, rows - begin), seed=number)
            X = X * units
            start = time.perf_counter()
            model.learn(X, y)
            course.seconds += time.perf_counter() - start
            seen = model.n_samples_seen_
            course.rows.append(seen)
            course.accuracy.append(1 - (model.n_mistakes_ - mistakes) / len(y))
            mistakes = model.n_mistakes_
            right = report.percent(seen - mistakes, seen)
            progressive = report.Line("progressive accuracy", f"{right} progressive", {})
            shown.update(seen / rows, seen, progressive, report.support_vectors(model))
    return course


def show(course: Course, units: np.ndarray) -> None:
    """Print the accuracies and the speed."""
    model = course.model
    X, y = _core.checkerboard(TEST_ROWS, seed=TEST_SEED)
    seen = model.n_samples_seen_
    report.line("rows read", seen)
    report.line("support vectors", model.n_support_vectors_)
    report.line("progressive accuracy", report.percent(seen - model.n_mistakes_, seen))
    report.line("test accuracy", report.percent(int((model.predict(X * units) == y).sum()), TEST_ROWS))
    report.pace(seen, course.seconds)
