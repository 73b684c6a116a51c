"""``budgetrs predict``: the predictions, scores, probabilities, prediction intervals or sets of rows."""

import csv
import io
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from .. import _core
from . import modelfile, report, target
from .batch import Batch
from .errors import OK, UsageError
from .evaluate import print_unseen, scores
from .layout import layout_of
from .parameters import option
from .progress import progress
from .rows import Rows
from .task import task_of


def predict(args: Namespace) -> int:
    """Write the prediction, scores, probabilities, prediction interval or set of each row."""
    output = None if args.output == "-" else args.output
    if args.json and output is None:
        raise UsageError("--json: expected -o OUT too, because predictions go to standard output without it")
    target.reject_sources(output, args.model, args.data)
    model = modelfile.load_fitted(args.model)
    header, predicted, written = _form(args, model)
    layout = layout_of(args, model, "unlabelled")
    count, width = 0, model.n_features_encoded_
    with (
        target.writing(output) as out,
        Rows(args.data, layout, like=model, learns=False) as rows,
        progress("predicting", quiet=args.quiet or (output is None and not _is_bar_alone())) as shown,
    ):
        start = time.perf_counter()
        for batch in rows:
            found = predicted(batch)
            if count == 0:
                out.write(header)
            lines = "\n".join(written(found))
            out.write(f"{lines}\n")
            count += len(batch)
            shown.update(rows.fraction(), count)
    if output is not None:
        report.line("rows read", count, rows_read=count)
        print_unseen(model.n_features_encoded_ - width)
        report.pace(count, time.perf_counter() - start)
        report.file("predictions", output)
    return OK


def _is_bar_alone() -> bool:
    """Whether standard error is a terminal to which standard output writes no predictions."""
    return all(stream is not None for stream in (sys.stdout, sys.stderr)) and (
        sys.stderr.isatty() and not sys.stdout.isatty()
    )


def _form(args: Namespace, model: Any) -> tuple[str, Callable[[Batch], Any], Callable[[Any], Iterable[str]]]:
    """Return the header of the output, the function that predicts a batch, and the formatter."""
    digits = "%.9g" if model.dtype == np.float32 else "%.17g"
    _check_task(args, model)
    if args.scores:
        return "", partial(scores, model, "decision_function"), lambda found: _rows(found, digits, " ")
    if args.proba:
        if not model.has_probabilities:
            loss = f" with loss={model.params['loss']}" if "loss" in model.params else ""
            raise UsageError(
                "--proba: expected a model with probabilities, of --algorithm online-kernel or --set "
                f"loss={' or loss='.join(_core.PROBABILISTIC_LOSSES)}; "
                f"{args.model} is {model.algorithm}{loss}"
            )
        probabilities = partial(scores, model, "predict_proba")
        return _header(model.classes_.tolist()), probabilities, lambda found: _rows(found, digits, ",")
    if args.interval is not None:
        interval = partial(_with_interval, model, args.interval)
        return "prediction,lower,upper\n", interval, lambda found: _rows(found, digits, ",")
    if args.prediction_set is not None:
        members = partial(_members, model, args.prediction_set)
        return _header(model.classes_.tolist()), members, lambda found: _rows(found, "%d", ",")
    return "", partial(scores, model, "predict"), lambda found: task_of(model).predictions(found, digits)


def _check_task(args: Namespace, model: Any) -> None:
    """Raise for an option of another task, or of another algorithm."""
    is_classifier = isinstance(model, _core.Classifier)
    for name in ("scores", "proba", "prediction_set"):
        if getattr(args, name) and not is_classifier:
            raise UsageError(
                f"{option(name)}: expected a classification model, {args.model} is a regression model"
            )
    if args.interval is not None and is_classifier:
        raise UsageError(
            f"--interval: expected a regression model, {args.model} is a classification model: use "
            "--prediction-set"
        )
    name = "interval" if args.interval is not None else "prediction_set"
    if (args.interval is not None or args.prediction_set is not None) and model.algorithm != "online-kernel":
        raise UsageError(
            f"{option(name)}: expected a model of --algorithm online-kernel, {args.model} is "
            f"{model.algorithm}"
        )
    if args.interval is not None and model.params["average"] == "random":
        raise UsageError(f"--interval: expected a model without --set average=random, got {args.model}")


def _with_interval(model: Any, coverage: float, batch: Batch) -> np.ndarray:
    predictions = scores(model, "predict", batch)
    return np.column_stack([predictions, scores(model, "predict_interval", batch, coverage)])


def _members(model: Any, coverage: float, batch: Batch) -> np.ndarray:
    return scores(model, "predict_set", batch, coverage)


def _rows(found: np.ndarray, digits: str, separator: str) -> Iterable[str]:
    columns = found[:, None] if found.ndim == 1 else found
    return (separator.join(digits % number for number in row) for row in columns.tolist())


def _header(classes: list[Any]) -> str:
    """Return the line of CSV with the names of the classes."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(classes)
    return line.getvalue()
