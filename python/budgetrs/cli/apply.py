"""``budgetrs predict``, ``evaluate`` and ``info``: using a trained model."""

import time
from argparse import Namespace
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _core
from . import modelfile, report, target
from .errors import OK, DataError, ModelFileError, UsageError, row_error
from .progress import progress
from .rows import Batch, Csr, Layout, Rows
from .task import TASKS, Score, task_of


@dataclass
class Tested:
    """The result of a test, its duration, and the number of features that are new to the model."""

    score: Score
    seconds: float
    unseen: int

    def print(self) -> None:
        """Print how well the rows were predicted."""
        for key, value in self.score.lines():
            report.line(key, value)
        _print_unseen(self.unseen)


def tested(model: Any, path: str, layout: Layout, *, quiet: bool) -> Tested:
    """Predict all rows of a labelled file and compare them with the labels; wide rows widen the model."""
    score, start, width = TASKS[layout.task].score(model), time.perf_counter(), model.n_features_in_
    with Rows(path, layout, expected=model.n_features_in_) as rows:
        if not rows.labelled:
            raise DataError(
                f"{rows.name}: expected labels to compare with, got {model.n_features_in_} columns"
            )
        with progress("testing", quiet=quiet) as shown:
            for batch in rows:
                score.add(batch, _scores(model, "predict", batch))
                shown.update(rows.fraction(), score.rows, score.status())
    return Tested(score, time.perf_counter() - start, model.n_features_in_ - width)


def evaluate(args: Namespace) -> int:
    """Print how well a model predicts a labelled file."""
    model = _load_fitted(args.model)
    test = tested(model, args.data, _layout(args, model, task_of(model).name), quiet=args.quiet)
    report.line("rows read", test.score.rows)
    report.line("support vectors", model.n_support_vectors_)
    test.print()
    report.line("rows/s", report.rate(test.score.rows, test.seconds))
    report.line("seconds", f"{test.seconds:.2f}")
    report.line("peak memory", report.peak_memory())
    return OK


def predict(args: Namespace) -> int:
    """Write the prediction, or the scores, of each row."""
    output = None if args.output == "-" else args.output
    target.refuse_sources(output, args.model, args.data)
    model = _load_fitted(args.model)
    if args.decision and not isinstance(model, _core.Classifier):
        raise UsageError(f"--decision: expected a classification model, {args.model} is a regression model")
    layout = _layout(args, model, "unlabelled")
    method = "decision_function" if args.decision else "predict"
    digits = "%.9g" if model.dtype == np.float32 else "%.17g"
    count, start, width = 0, time.perf_counter(), model.n_features_in_
    with (
        target.writing(output) as out,
        Rows(args.data, layout, expected=model.n_features_in_) as rows,
        progress("predicting", quiet=args.quiet or output is None) as shown,
    ):
        for batch in rows:
            found = _scores(model, method, batch)
            if not args.decision:
                lines = task_of(model).predictions(found, digits)
            elif found.ndim == 1:
                lines = (digits % score for score in found.tolist())
            else:
                lines = (" ".join(digits % score for score in row) for row in found.tolist())
            out.writelines(f"{line}\n" for line in lines)
            count += len(batch)
            shown.update(rows.fraction(), count)
    if output is not None:
        seconds = time.perf_counter() - start
        report.line("rows read", count)
        _print_unseen(model.n_features_in_ - width)
        report.line("rows/s", report.rate(count, seconds))
        report.line("seconds", f"{seconds:.2f}")
        report.line("predictions", report.file_with_size(output))
    return OK


def info(args: Namespace) -> int:
    """Print the contents of a model file."""
    model = modelfile.load(args.model)
    task = task_of(model)
    report.line("model", report.file_with_size(args.model))
    report.line("task", task.name)
    report.line("algorithm", model.algorithm)
    for name, value in model.params.items():
        if name not in ("algorithm", "classes"):
            report.line(name, "none" if value is None else value)
    for key, value in task.described(model):
        report.line(key, value)
    if hasattr(model, "n_features_in_"):
        report.line("features", model.n_features_in_)
        report.line("computed in", model.dtype)
        if hasattr(model, "gamma_"):
            report.line("gamma in use", f"{model.gamma_:.6g}")
        report.line("support vectors", model.n_support_vectors_)
        report.line("rows learned", model.n_seen_)
        report.line("updates", model.n_updates_)
        report.line("maintenances", model.n_maintenances_)
        if model.params.get("forget") == "auto":
            report.line("changes of the stream", model.n_drifts_)
        for key, value in task.progressive(model):
            report.line(key, value)
        report.line("mean weight degradation", f"{model.mean_weight_degradation_:.6g}")
    else:
        report.line("rows learned", 0)
    report.line("version", f"{_core.__version__} ({_core.isa()})")
    return OK


def _load_fitted(path: str) -> _core.NativeModel:
    model = modelfile.load(path)
    if not hasattr(model, "n_features_in_"):
        raise ModelFileError(f"{path}: the model has not learned anything yet")
    return model


def _layout(args: Namespace, model: _core.NativeModel, task: str) -> Layout:
    dtype, missing = str(np.dtype(model.dtype)), model.params.get("missing") == "mean"
    return Layout(args.format, args.label_column, args.delimiter, dtype, task, missing)


def _print_unseen(features: int) -> None:
    if features:
        report.line("features that the model has not seen", features)


def _scores(model: _core.NativeModel, method: Literal["predict", "decision_function"], batch: Batch) -> Any:
    """Predict or score a batch. Features that are new to the model were zero in all rows it has learned."""
    try:
        if isinstance(batch.X, Csr) and batch.X.shape[1] > model.n_features_in_:
            model.widen(batch.X.shape[1], keep_gamma=True)
        return getattr(model, method)(batch.matrix(model.n_features_in_))
    except ValueError as error:
        raise row_error(batch.where, error) from error
