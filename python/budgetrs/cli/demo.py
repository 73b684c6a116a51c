"""``budgetrs demo``: one pass over a million generated rows, then real digits; or an example file."""

import math
import shlex
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from . import output, report
from .errors import OK, CommandError, UsageError, data_error
from .plot import draw_model
from .progress import progress

_BUDGET = 100
_CHUNKS = 200
_TEST_ROWS = 20_000
_TEST_SEED = 2**32  # larger than the seeds of all chunks
# The units of both features: the model scales rows itself.
_UNITS = np.array([1000.0, 1.0], dtype=np.float32)


def run(args: Namespace) -> int:
    """Write the example file that ``--csv`` names, or run the whole demonstration."""
    if args.csv is not None:
        return _write_wave(args.csv)
    try:
        import matplotlib.figure  # noqa: F401  missing packages are reported before the work
        import sklearn  # noqa: F401
    except ImportError as error:
        raise UsageError(f"the demo needs {error.name or error}: pip install 'budgetrs[demo]'") from error
    out = Path(args.out)
    model_path, picture_path = str(out / "checkerboard.safetensors"), str(out / "demo.png")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise data_error(str(out), error) from error
    output.check_file("-o", picture_path)
    output.check_model(model_path)

    report.text(
        f"online-kernel, the default: {args.rows:,} rows of a checkerboard in one pass, nothing tuned"
    )
    model = _core.Classifier(budget=_BUDGET, classes=[0, 1])
    _learn_stream(model, args.rows, quiet=args.quiet)
    output.save_model(model, model_path)
    if output.load_model(model_path).to_bytes() != model.to_bytes():
        raise CommandError(f"{model_path}: the loaded model differs from the saved one")
    report.text("the model was saved, loaded again and compared: both are bit-identical")

    report.text("\nonline-kernel on scikit-learn's digits: 8 x 8 images, 10 classes, nothing tuned")
    _learn_digits()
    report.memory()
    output.write_picture(picture_path, draw_model(model))
    report.text("\nFiles")
    report.file("model", model_path)
    report.file("picture", picture_path)
    report.text(f"try: {shlex.join([sys.executable, '-m', 'budgetrs', 'info', model_path])}")
    return OK


def _write_wave(path: str) -> int:
    """Write 4,000 rows of x and sin(x): x takes 200 values from 0 to 9.95, in steps of 0.35 modulo 10."""
    values = (number * 7 % 200 / 20 for number in range(1, 4001))
    output.check_file("--csv", path)
    output.write(path, "".join(f"{x:g},{math.sin(x):.6f}\n" for x in values).encode())
    report.file("example", path)
    return OK


def _learn_stream(model: Any, rows: int, *, quiet: bool) -> None:
    """Learn generated chunks, and print the accuracies and the speed."""
    seen, seconds = 0, 0.0
    with progress("training", quiet=quiet) as shown:
        chunk = max(1, rows // _CHUNKS)
        for number, begin in enumerate(range(0, rows, chunk)):
            X, y = _core.checkerboard(min(chunk, rows - begin), seed=number)
            start = time.perf_counter()
            model.learn(X * _UNITS, y)
            seconds += time.perf_counter() - start
            seen = model.n_samples_seen_
            right = report.percent(seen - model.n_mistakes_, seen)
            line = report.Line("progressive accuracy", f"{right} progressive", {})
            shown.update(seen / rows, seen, line, report.support_vectors(model))
    X, y = _core.checkerboard(_TEST_ROWS, seed=_TEST_SEED)
    report.line("rows read", seen)
    report.line("support vectors", model.n_support_vectors_)
    report.line("progressive accuracy", report.percent(seen - model.n_mistakes_, seen))
    report.line("test accuracy", report.percent(int((model.predict(X * _UNITS) == y).sum()), _TEST_ROWS))
    report.pace(seen, seconds)


def _learn_digits() -> None:
    """Learn scikit-learn's digits with the default estimator, and print the results."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    from ..estimators import OnlineKernelClassifier

    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    start = time.perf_counter()
    classifier = OnlineKernelClassifier(budget=200, random_state=0).fit(X_train, y_train)
    seconds = time.perf_counter() - start
    report.line("rows read", classifier.n_samples_seen_)
    report.line("support vectors", classifier.n_support_vectors_)
    report.line("test accuracy", f"{100 * classifier.score(X_test, y_test):.2f}%")
    report.line("rows/s", report.rate(classifier.n_samples_seen_, seconds))
