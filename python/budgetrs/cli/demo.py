"""``budgetrs demo``: one pass over a million generated rows, then digits, and a picture."""

import shlex
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np

from .. import _core
from . import modelfile, report, target
from .checkerboard import BUDGET, TEST_ROWS, TEST_SEED, learn_stream
from .errors import OK, CommandError, UsageError, data_error


def run(args: Namespace) -> int:
    """Run the whole demonstration."""
    try:
        from . import digits, figure
    except ImportError as error:
        raise UsageError(f"the demo needs {error.name or error}: pip install 'budgetrs[demo]'") from error

    out = Path(args.out)
    model_path, picture_path = out / "checkerboard.safetensors", out / "demo.png"
    try:
        out.mkdir(parents=True, exist_ok=True)
        target.check(str(picture_path))
    except OSError as error:
        raise data_error(str(out), error) from error
    modelfile.check_target(str(model_path))

    report.text(f"Checkerboard: {args.rows:,} rows, one pass, at most {BUDGET} support vectors")
    model, course, seconds = learn_stream(args.rows, quiet=args.quiet)
    X_test, y_test = _core.checkerboard(TEST_ROWS, seed=TEST_SEED)
    report.line("rows read", model.n_samples_seen_)
    report.line("support vectors", model.n_support_vectors_)
    report.line(
        "progressive accuracy",
        report.percent(model.n_samples_seen_ - model.n_mistakes_, model.n_samples_seen_),
    )
    report.line("test accuracy", report.percent(int((model.predict(X_test) == y_test).sum()), TEST_ROWS))
    report.pace(model.n_samples_seen_, seconds)
    report.memory()

    modelfile.save(model, str(model_path))
    again = modelfile.load(str(model_path))
    if not isinstance(again, _core.Classifier) or not np.array_equal(
        again.decision_function(X_test), model.decision_function(X_test)
    ):
        raise CommandError(f"{model_path}: the loaded model and the saved model predict differently")
    report.text("the model was saved and loaded: all scores are bit-identical")

    report.text("\nDigits: scikit-learn's 8 x 8 images, 10 classes, one pass, default parameters")
    digits.run()

    try:
        figure.draw(picture_path, model, course)
    except OSError as error:
        raise data_error(str(picture_path), error) from error
    report.text("\nFiles")
    report.file("model", str(model_path))
    report.file("picture", str(picture_path))
    report.text(f"try: {shlex.join([sys.executable, '-m', 'budgetrs', 'info', str(model_path)])}")
    return OK
