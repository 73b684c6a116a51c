"""``budgetrs predict`` and ``budgetrs evaluate``: what a trained model says about rows."""

import csv
import io
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _core
from . import measures, output, report
from .batch import Batch, Csr
from .columns import Layout, layout_of
from .errors import OK, DataError, UsageError
from .files import Data
from .measures import Score
from .parameters import located, option, task_of, warnings_shown
from .progress import progress


def evaluate_file(model: Any, score: Score, path: str, layout: Layout, *, quiet: bool) -> tuple[float, int]:
    """Score the predictions of a model for a labelled file; return the seconds, and the new features.

    Wider rows add features to the model.
    """
    width = model.n_features_encoded_
    with Data(path, layout, like=model) as data:
        start = time.perf_counter()
        reject_unlabelled(data)
        with progress("testing", quiet=quiet) as shown:
            warned: set[str] = set()
            for batch in data:
                with warnings_shown(shown, warned):
                    found = [_predicted(data.name, model, method, batch) for method in score.methods]
                try:
                    score.add(batch, *found)
                except ValueError as error:
                    raise located(data.name, batch, error, model) from error
                shown.update(batch.fraction, score.rows, *score.status())
    return time.perf_counter() - start, model.n_features_encoded_ - width


def reject_unlabelled(data: Data) -> None:
    """Raise if a file has no labels."""
    if not data.labelled:
        raise DataError(f"{data.name}: expected labels to compare with, got only feature columns")


def report_score(score: Score | None, unseen: int) -> None:
    """Print a score, if there is one, and the number of features that are new to the model."""
    report.lines(score.lines() if score else [])
    if unseen:
        report.line("unseen features", unseen, unseen_features=unseen)


def _predicted(name: str, model: Any, method: str, batch: Batch, **options: Any) -> np.ndarray:
    """Predict or score a batch. Features that are new to the model are zero in all rows it has learned."""
    try:
        if isinstance(batch.X, Csr) and batch.width > model.n_features_encoded_:
            model.add_features(batch.width, keep_gamma=True)
        return getattr(model, method)(batch.X, **options)
    except (ValueError, TypeError) as error:
        raise located(name, batch, error, model) from error


def evaluate(args: Namespace) -> int:
    """Print the score of a model on a labelled file."""
    model = output.load_fitted(args.model)
    layout = layout_of(args, task=task_of(model), model=model)
    score = measures.score_of(model)
    seconds, unseen = evaluate_file(model, score, args.data, layout, quiet=args.quiet)
    report.line("rows read", score.rows, rows_read=score.rows)
    report.line("support vectors", model.n_support_vectors_, support_vectors=model.n_support_vectors_)
    report_score(score, unseen)
    report.pace(score.rows, seconds)
    report.memory()
    return OK


def predict(args: Namespace) -> int:
    """Write the prediction, scores, probabilities, prediction interval or set of each row."""
    path = None if args.output == "-" else args.output
    if args.json and path is None:
        raise UsageError("--json: expected -o OUT too, because predictions go to standard output without it")
    output.reject_sources(path, args.model, args.data)
    model = output.load_fitted(args.model)
    header, methods, written = _form(args, model)
    layout = layout_of(args, task="unlabelled", model=model)
    count, width = 0, model.n_features_encoded_
    with (
        output.writing(path) as write,
        Data(args.data, layout, like=model) as data,
        progress("predicting", quiet=args.quiet or (path is None and not _is_bar_alone())) as shown,
    ):
        start = time.perf_counter()
        warned: set[str] = set()
        for batch in data:
            with warnings_shown(shown, warned):
                found = [
                    _predicted(data.name, model, method, batch, **options)
                    for method, options in methods.items()
                ]
            lines = "\n".join(written(found[0] if len(found) == 1 else np.column_stack(found)))
            write(f"{header if count == 0 else ''}{lines}\n")
            if path is None:
                sys.stdout.flush()
            count += len(batch)
            shown.update(batch.fraction, count)
    if path is not None:
        report.line("rows read", count, rows_read=count)
        report_score(None, model.n_features_encoded_ - width)
        report.pace(count, time.perf_counter() - start)
        report.file("predictions", path)
    return OK


def _is_bar_alone() -> bool:
    """Whether standard error is a terminal to which standard output writes no predictions."""
    return all(stream is not None for stream in (sys.stdout, sys.stderr)) and (
        sys.stderr.isatty() and not sys.stdout.isatty()
    )


def _form(
    args: Namespace, model: Any
) -> tuple[str, dict[str, dict[str, float]], Callable[[np.ndarray], Iterable[str]]]:
    """Return the header of the output, the methods that predict with their options, and the formatter."""
    _check_task(args, model)
    digits = "%.9g" if model.dtype == np.float32 else "%.17g"
    if args.scores:
        return "", {"decision_function": {}}, lambda found: _rows(found, digits, " ")
    if args.interval is not None:
        methods = {"predict": {}, "predict_interval": {"coverage": args.interval}}
        return "prediction,lower,upper\n", methods, lambda found: _rows(found, digits, ",")
    if args.proba or args.prediction_set is not None:
        header = io.StringIO()
        csv.writer(header, lineterminator="\n").writerow(model.classes_.tolist())
        form = digits if args.proba else "%d"
        methods = {"predict_proba": {}} if args.proba else {"predict_set": {"coverage": args.prediction_set}}
        return header.getvalue(), methods, lambda found: _rows(found, form, ",")
    if isinstance(model, _core.Regressor):
        return "", {"predict": {}}, lambda found: _rows(found, digits, "")
    return "", {"predict": {}}, lambda found: map(str, found.tolist())


def _check_task(args: Namespace, model: Any) -> None:
    """Raise for an option of another task, or of another algorithm."""
    given = [name for name in ("scores", "proba", "interval", "prediction_set") if getattr(args, name)]
    for name in given:
        expected = ""
        if name == "interval" and isinstance(model, _core.Classifier):
            expected = f"a regression model, {args.model} is a classification model: use --prediction-set"
        elif name != "interval" and isinstance(model, _core.Regressor):
            expected = f"a classification model, {args.model} is a regression model"
        elif name == "proba" and not model.has_probabilities:
            loss = f" with loss={model.params['loss']}" if "loss" in model.params else ""
            losses = " or loss=".join(_core.PROBABILISTIC_LOSSES)
            expected = (
                f"a model with probabilities, of --algorithm online-kernel or --set loss={losses}; "
                f"{args.model} is {model.algorithm}{loss}"
            )
        elif name in ("interval", "prediction_set") and model.algorithm != "online-kernel":
            expected = f"a model of --algorithm online-kernel, {args.model} is {model.algorithm}"
        elif name == "interval" and model.params["average"] == "random":
            expected = f"a model without --set average=random, got {args.model}"
        if expected:
            raise UsageError(f"{option(name)}: expected {expected}")


def _rows(found: np.ndarray, digits: str, separator: str) -> Iterable[str]:
    columns = found[:, None] if found.ndim == 1 else found
    return (separator.join(digits % number for number in row) for row in columns.tolist())
