"""``budgetrs predict``, ``evaluate`` and ``info``: what is done with a trained model."""

import time
from argparse import Namespace
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _core
from . import modelfile, report, target
from .errors import OK, DataError, ModelFileError, row_error
from .labels import ClassTable
from .progress import progress
from .rows import Batch, Csr, Layout, Rows


@dataclass
class Tested:
    """How many rows were predicted rightly."""

    rows: int = 0
    right: int = 0
    unknown: int = 0
    unseen: int = 0
    seconds: float = 0.0

    def percent(self) -> str:
        """Format the accuracy."""
        return report.percent(self.right, self.rows)

    def print(self) -> None:
        """Say how many rows were right, and how many had labels that the model cannot know."""
        report.line("test accuracy", self.percent())
        if self.unknown:
            report.line("rows of unknown classes, counted as wrong", self.unknown)
        _tell_unseen(self.unseen)


def accuracy(model: _core.Classifier, path: str, layout: Layout, *, quiet: bool) -> Tested:
    """Predict all rows of a labelled file and count the right ones; wide rows widen the model."""
    tested, start, width = Tested(), time.perf_counter(), model.n_features_in_
    table = ClassTable(model.classes_)
    with Rows(path, layout, expected=model.n_features_in_) as rows:
        if not rows.labelled:
            raise DataError(
                f"{rows.name}: expected labels to compare with, got {model.n_features_in_} columns"
            )
        with progress("testing", quiet=quiet) as shown:
            for batch in rows:
                truth = table.indices(batch)
                found = _score(model, "predict", batch)
                known = truth >= 0
                tested.rows += len(batch)
                tested.unknown += int((~known).sum())
                tested.right += int((found[known] == table.classes[truth[known]]).sum())
                shown.update(rows.fraction(), tested.rows, f"{tested.percent()} right")
    tested.unseen = model.n_features_in_ - width
    tested.seconds = time.perf_counter() - start
    return tested


def evaluate(args: Namespace) -> int:
    """Print the accuracy of a model on a labelled file."""
    model = _load_fitted(args.model)
    tested = accuracy(model, args.data, _layout(args, model), quiet=args.quiet)
    report.line("rows read", tested.rows)
    report.line("support vectors", model.n_support_vectors_)
    tested.print()
    report.line("rows/s", report.rate(tested.rows, tested.seconds))
    report.line("seconds", f"{tested.seconds:.2f}")
    report.line("peak memory", report.peak_memory())
    return OK


def predict(args: Namespace) -> int:
    """Write one label, or the scores, for each row."""
    output = None if args.output == "-" else args.output
    target.refuse_sources(output, args.model, args.data)
    model = _load_fitted(args.model)
    layout = _layout(args, model)
    method = "decision_function" if args.decision else "predict"
    digits = "%.9g" if model.dtype == np.float32 else "%.17g"
    count, start, width = 0, time.perf_counter(), model.n_features_in_
    with (
        target.writing(output) as out,
        Rows(args.data, layout, expected=model.n_features_in_, labels=False) as rows,
        progress("predicting", quiet=args.quiet or output is None) as shown,
    ):
        for batch in rows:
            found = _score(model, method, batch)
            if not args.decision:
                lines = map(str, found.tolist())
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
        _tell_unseen(model.n_features_in_ - width)
        report.line("rows/s", report.rate(count, seconds))
        report.line("seconds", f"{seconds:.2f}")
        report.line("predictions", report.file_with_size(output))
    return OK


def info(args: Namespace) -> int:
    """Print what a model file holds."""
    model = modelfile.load_any(args.model)
    report.line("model", report.file_with_size(args.model))
    report.line("algorithm", model.algorithm)
    for name, value in model.params.items():
        if name not in ("algorithm", "classes"):
            report.line(name, "none" if value is None else value)
    if isinstance(model, _core.Classifier) and hasattr(model, "classes_"):
        report.line("classes", ClassTable(model.classes_).named())
    if hasattr(model, "n_features_in_"):
        report.line("features", model.n_features_in_)
        report.line("computed in", model.dtype)
        if hasattr(model, "gamma_"):
            report.line("gamma in use", f"{model.gamma_:.6g}")
        report.line("support vectors", model.n_support_vectors_)
        report.line("rows learned", model.n_seen_)
        report.line("updates", model.n_updates_)
        report.line("maintenances", model.n_maintenances_)
        if isinstance(model, _core.Classifier):
            right = model.n_seen_ - model.n_mistakes_
            report.line("progressive accuracy", report.percent(right, model.n_seen_))
        if isinstance(model, _core.Regressor):
            report.line("progressive mean absolute error", f"{model.mean_absolute_error_:.6g}")
            report.line("progressive mean squared error", f"{model.mean_squared_error_:.6g}")
        report.line("mean weight degradation", f"{model.mean_weight_degradation_:.6g}")
    else:
        report.line("rows learned", 0)
    report.line("version", f"{_core.__version__} ({_core.isa()})")
    return OK


def _load_fitted(path: str) -> _core.Classifier:
    model = modelfile.load(path)
    if not hasattr(model, "n_features_in_"):
        raise ModelFileError(f"{path}: the model has not learned anything yet")
    return model


def _layout(args: Namespace, model: _core.Classifier) -> Layout:
    return Layout(args.format, args.label_column, args.delimiter, str(np.dtype(model.dtype)))


def _tell_unseen(features: int) -> None:
    if features:
        report.line("features that the model has not seen", features)


def _score(model: _core.Classifier, method: Literal["predict", "decision_function"], batch: Batch) -> Any:
    """Score a batch. Features that the model has not seen were zero in all it learned, so it is widened."""
    try:
        if isinstance(batch.X, Csr) and batch.X.shape[1] > model.n_features_in_:
            model.widen(batch.X.shape[1], keep_gamma=True)
        return getattr(model, method)(batch.matrix(model.n_features_in_))
    except ValueError as error:
        raise row_error(batch.where, error) from error
