"""``budgetrs demo``: one pass over a million generated examples, then real digits, and a picture."""

import sys
import time
from argparse import Namespace
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import _core
from . import modelfile, report
from .errors import OK, CommandError, DataError, UsageError
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


def checkerboard(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw points uniform in a 4 x 4 board (each coordinate has deviation 1); label: parity of the cell."""
    X = rng.uniform(-HALF, HALF, (rows, 2)).astype(np.float32)
    cell = np.clip(((X + HALF) * (2 / HALF)).astype(np.int64), 0, 3)
    return X, cell.sum(axis=1) % 2


def run(args: Namespace) -> int:
    """Run the whole demonstration."""
    try:
        from . import digits, figure
    except ImportError as error:
        raise UsageError(f"the demo needs {error.name or error}: pip install 'budgetrs[demo]'") from error

    out = Path(args.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{out}: {error.strerror or error}") from error
    model_path, picture_path = out / "checkerboard.safetensors", out / "demo.png"

    print(f"Checkerboard: {args.rows:,} examples, one pass, at most {BUDGET} support vectors")
    model, course, seconds = learn_stream(args.rows, quiet=args.quiet)
    X_test, y_test = checkerboard(np.random.default_rng(1), TEST_ROWS)
    report.line("rows read", model.n_seen_)
    report.line("support vectors", model.n_support_vectors_)
    report.line("progressive accuracy", report.percent(model.n_seen_ - model.n_mistakes_, model.n_seen_))
    report.line("test accuracy", report.percent(int((model.predict(X_test) == y_test).sum()), TEST_ROWS))
    report.line("rows/s", report.rate(model.n_seen_, seconds))
    report.line("seconds", f"{seconds:.2f}")
    report.line("peak memory", report.peak_memory())

    modelfile.save(model, str(model_path))
    again = modelfile.load(str(model_path))
    if not np.array_equal(again.decision_function(X_test), model.decision_function(X_test)):
        raise CommandError(f"{model_path}: the loaded model predicts differently from the saved one")
    print("the model was saved and loaded again: all scores are equal, bit for bit")

    print("\nDigits: scikit-learn's 8 x 8 images, 10 classes")
    digits.run()

    figure.draw(picture_path, model, course, GAMMA)
    print("\nFiles")
    report.line("model", report.file_with_size(str(model_path)))
    report.line("picture", report.file_with_size(str(picture_path)))
    print(f"try: {sys.executable} -m budgetrs info {model_path}")
    return OK


def learn_stream(rows: int, *, quiet: bool) -> tuple[_core.Classifier, Course, float]:
    """Learn generated chunks as they come; the seconds are those of learning alone."""
    model = _core.Classifier("bsgd-merge", budget=BUDGET, gamma=GAMMA, alpha=ALPHA, classes=[0, 1])
    rng = np.random.default_rng(0)
    course, seconds, mistakes = Course(), 0.0, 0
    with progress("learning", quiet=quiet) as shown:
        chunk = max(1, rows // CHUNKS)
        for begin in range(0, rows, chunk):
            X, y = checkerboard(rng, min(chunk, rows - begin))
            start = time.perf_counter()
            model.learn(X, y)
            seconds += time.perf_counter() - start
            seen = model.n_seen_
            course.rows.append(seen)
            course.chunk_accuracy.append(1 - (model.n_mistakes_ - mistakes) / len(y))
            course.mean_accuracy.append(1 - model.n_mistakes_ / seen)
            mistakes = model.n_mistakes_
            right = report.percent(seen - mistakes, seen)
            status = f"{right} progressive  {model.n_support_vectors_} support vectors"
            shown.update(seen / rows, seen, status)
    return model, course, seconds
