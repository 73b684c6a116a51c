"""``budgetrs predict``, ``evaluate`` and ``info``: what is done with a trained model."""

import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from .. import _core
from . import modelfile, report
from .errors import OK, DataError, ModelFileError
from .labels import ClassTable
from .progress import progress
from .rows import Layout, Rows


@dataclass
class Tested:
    """How many rows were predicted rightly."""

    rows: int = 0
    right: int = 0
    unknown: int = 0
    seconds: float = 0.0

    def percent(self) -> str:
        """Format the accuracy."""
        return report.percent(self.right, self.rows)

    def print_unknown(self) -> None:
        """Say how many rows had labels that the model cannot know."""
        if self.unknown:
            report.line("rows of unknown classes, counted as wrong", self.unknown)


def accuracy(model: _core.Classifier, path: str, layout: Layout, *, quiet: bool) -> Tested:
    """Predict all rows of a labelled file and count the right ones."""
    tested, start = Tested(), time.perf_counter()
    table = ClassTable(model.classes_)
    with Rows(path, layout, expected=model.n_features_in_) as rows:
        if not rows.labelled:
            raise DataError(
                f"{rows.name}: expected labels to compare with, got {model.n_features_in_} columns"
            )
        with progress("testing", quiet=quiet) as shown:
            for batch in rows:
                truth = table.indices(batch)
                found = _call(model.predict, batch.matrix(model.n_features_in_), batch.where)
                known = truth >= 0
                tested.rows += len(batch)
                tested.unknown += int((~known).sum())
                tested.right += int((found[known] == table.classes[truth[known]]).sum())
                shown.update(rows.fraction(), tested.rows, f"{tested.percent()} right")
    if tested.rows == 0:
        raise DataError(f"{rows.name}: expected rows, got none")
    tested.seconds = time.perf_counter() - start
    return tested


def evaluate(args: Namespace) -> int:
    """Print the accuracy of a model on a labelled file."""
    model = _load_fitted(args.model)
    tested = accuracy(model, args.data, _layout(args, model), quiet=args.quiet)
    report.line("rows read", tested.rows)
    report.line("support vectors", model.n_support_vectors_)
    report.line("test accuracy", tested.percent())
    tested.print_unknown()
    report.line("rows/s", report.rate(tested.rows, tested.seconds))
    report.line("seconds", f"{tested.seconds:.2f}")
    report.line("peak memory", report.peak_memory())
    return OK


def predict(args: Namespace) -> int:
    """Write one label, or the scores, for each row."""
    model = _load_fitted(args.model)
    layout = _layout(args, model)
    method = model.decision_function if args.decision else model.predict
    digits = "%.9g" if model.dtype == np.float32 else "%.17g"
    count, start = 0, time.perf_counter()
    to_file = args.output is not None
    with (
        Rows(args.data, layout, expected=model.n_features_in_, labels=False) as rows,
        _output(args.output) as out,
        progress("predicting", quiet=args.quiet or not to_file) as shown,
    ):
        for batch in rows:
            found = _call(method, batch.matrix(model.n_features_in_), batch.where)
            if not args.decision:
                lines = map(str, found.tolist())
            elif found.ndim == 1:
                lines = (digits % score for score in found.tolist())
            else:
                lines = (" ".join(digits % score for score in row) for row in found.tolist())
            out.writelines(f"{line}\n" for line in lines)
            count += len(batch)
            shown.update(rows.fraction(), count)
    if to_file:
        seconds = time.perf_counter() - start
        report.line("rows read", count)
        report.line("rows/s", report.rate(count, seconds))
        report.line("seconds", f"{seconds:.2f}")
        report.line("predictions", report.file_with_size(args.output))
    return OK


def info(args: Namespace) -> int:
    """Print what a model file holds."""
    model = modelfile.load(args.model)
    report.line("model", report.file_with_size(args.model))
    report.line("algorithm", model.algorithm)
    for name, value in model.params.items():
        if name not in ("algorithm", "classes"):
            report.line(name, "none" if value is None else value)
    if hasattr(model, "classes_"):
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
        report.line("progressive accuracy", report.percent(model.n_seen_ - model.n_mistakes_, model.n_seen_))
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


def _call(method: Callable[[Any], np.ndarray], matrix: Any, where: Callable[[int], str]) -> np.ndarray:
    try:
        return method(matrix)
    except ValueError as error:
        raise DataError(f"{where(0)}: {error}", located=True) from error


@contextmanager
def _output(path: str | None) -> Iterator[TextIO]:
    if path is None:
        yield sys.stdout
        return
    try:
        with Path(path).open("w", encoding="utf-8") as out:
            yield out
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from error
