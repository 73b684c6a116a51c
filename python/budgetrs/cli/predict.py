"""``budgetrs predict``: the predictions, scores or probabilities of rows."""

import csv
import io
import time
from argparse import Namespace
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _core
from . import modelfile, report, target
from .errors import OK, UsageError
from .evaluate import print_unseen, scores
from .layout import layout_of
from .progress import progress
from .rows import Rows
from .task import task_of


def predict(args: Namespace) -> int:
    """Write the prediction, the scores or the probabilities of each row."""
    output = None if args.output == "-" else args.output
    if args.json and output is None:
        raise UsageError("--json: expected -o OUT too, because predictions go to standard output without it")
    target.refuse_sources(output, args.model, args.data)
    model = modelfile.load_fitted(args.model)
    header, method, written = _form(args, model)
    layout = layout_of(args, model, "unlabelled")
    count, width = 0, model.n_features_in_
    with (
        target.writing(output) as out,
        Rows(args.data, layout, like=model, learns=False) as rows,
        progress("predicting", quiet=args.quiet or output is None) as shown,
    ):
        start = time.perf_counter()
        for batch in rows:
            found = scores(model, method, batch)
            if count == 0:
                out.write(header)
            lines = "\n".join(written(found))
            out.write(f"{lines}\n")
            count += len(batch)
            shown.update(rows.fraction(), count)
    if output is not None:
        report.line("rows read", count, rows_read=count)
        print_unseen(model.n_features_in_ - width)
        report.pace(count, time.perf_counter() - start)
        report.file("predictions", output)
    return OK


def _form(args: Namespace, model: Any) -> tuple[str, str, Callable[[Any], Iterable[str]]]:
    """Return the first line of the output, the model's method, and the function that formats its result."""
    digits = "%.9g" if model.dtype == np.float32 else "%.17g"
    for option in ("decision", "proba"):
        if getattr(args, option) and not isinstance(model, _core.Classifier):
            raise UsageError(
                f"--{option}: expected a classification model, {args.model} is a regression model"
            )
    if args.decision:
        return "", "decision_function", lambda found: _rows(found, digits, " ")
    if args.proba:
        if not model.has_probabilities:
            loss = f" with --loss {model.params['loss']}" if "loss" in model.params else ""
            raise UsageError(
                "--proba: expected a model with probabilities, of --algorithm online-kernel or of --loss "
                f"{' or '.join(_core.PROBABILITIES)}; {args.model} is a model of {model.algorithm}{loss}"
            )
        return _header(model.classes_.tolist()), "predict_proba", lambda found: _rows(found, digits, ",")
    return "", "predict", lambda found: task_of(model).predictions(found, digits)


def _rows(found: np.ndarray, digits: str, separator: str) -> Iterable[str]:
    columns = found[:, None] if found.ndim == 1 else found
    return (separator.join(digits % number for number in row) for row in columns.tolist())


def _header(classes: list[Any]) -> str:
    """Return the line of CSV with the names of the classes."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(classes)
    return line.getvalue()
