"""``budgetrs train``: learn a model from a file or a stream."""

import os
import time
from argparse import Namespace
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from . import modelfile, report
from .apply import accuracy
from .errors import OK, DataError, InterruptionError, UsageError, row_error
from .labels import ClassTable, class_array
from .progress import progress
from .rows import Batch, Layout, Rows
from .signals import shielded
from .source import Source, is_rewindable, name_of, status_of
from .survey import Survey, survey_file, survey_start
from .target import refuse_sources

PARAMETERS = (
    "budget",
    "maintenance",
    "n_neighbors",
    "newcomer_may_leave",
    "loss",
    "alpha",
    "ball",
    "C",
    "margin",
    "eta",
    "eta0",
    "clip",
    "kernel",
    "gamma",
    "degree",
    "coef0",
    "seed",
)


def run(args: Namespace) -> int:
    """Train, save, and print what came out."""
    _check_files(args)
    layout = Layout(args.format, args.label_column, args.delimiter, args.dtype)
    # Only what was given: the defaults are those of the named algorithm.
    params = {name: getattr(args, name) for name in PARAMETERS if hasattr(args, name)}
    _new_model(args.algorithm, params)

    job = _Training(args, layout, params)
    start = time.perf_counter()
    try:
        job.learn()
        modelfile.save(job.model, args.output)
    except KeyboardInterrupt as stop:
        with shielded():
            saved = job.save_part()
        _report(job, time.perf_counter() - start)
        raise InterruptionError(stop, saved) from stop
    _report(job, time.perf_counter() - start, args.test)
    return OK


def _report(job: "_Training", seconds: float, test: str | None = None) -> None:
    """Print what came out of training; the model is in its file by now."""
    rows, model = job.rows_learned(), job.model
    if rows == 0:
        return
    report.line("rows read", rows)
    if job.note:
        report.line("warm-up", job.note)
    if job.late:
        report.line("features that came later", job.late)
    report.line("support vectors", model.n_support_vectors_)
    report.line("progressive accuracy", report.percent(model.n_seen_ - model.n_mistakes_, model.n_seen_))
    try:
        if test:
            accuracy(model, test, job.layout, quiet=job.args.quiet).print()
    except KeyboardInterrupt as stop:
        raise InterruptionError(stop, f"the test was not finished, {job.args.output} is saved") from stop
    finally:
        report.line("rows/s", report.rate(rows, seconds))
        report.line("seconds", f"{seconds:.2f}")
        report.line("peak memory", report.peak_memory())
        report.line("model", report.file_with_size(job.args.output))


def _check_files(args: Namespace) -> None:
    """Refuse before anything is read what could only fail, or destroy a file, in the end."""
    modelfile.check_target(args.output)
    refuse_sources(args.output, args.data, args.test)
    once = not is_rewindable(args.data)
    if once and args.passes > 1:
        raise UsageError(f"--passes {args.passes}: expected a file to read again, got {name_of(args.data)}")
    if args.test is None:
        return
    if is_rewindable(args.test):
        Source(args.test).close()
    elif once and os.path.samestat(status_of(args.data), status_of(args.test)):
        raise UsageError(f"--test {args.test}: expected other input than DATA, which can be read only once")


def _new_model(algorithm: str, params: dict[str, Any], classes: np.ndarray | None = None) -> _core.Classifier:
    try:
        return _core.Classifier(algorithm, classes=classes, **params)
    except (ValueError, TypeError, OverflowError) as error:
        raise UsageError(str(error)) from error


@dataclass
class _Training:
    """One training: the passes, the model, and what was held for the warm-up."""

    args: Namespace
    layout: Layout
    params: dict[str, Any]
    model: Any = None
    note: str = ""
    late: str = ""
    _width: int = 0
    _pass: int = 0

    def rows_learned(self) -> int:
        """Count the rows in the model; an interrupted call may have learned a part of its batch."""
        return getattr(self.model, "n_seen_", 0)

    def save_part(self) -> str:
        """Save what was learned before an interruption, and say what became of the model."""
        rows, path = self.rows_learned(), self.args.output
        if rows == 0:
            return f"nothing was learned yet, {path} was not written"
        modelfile.save(self.model, path)
        return f"the {rows} rows learned so far are saved in {path}"

    def learn(self) -> None:
        with ExitStack() as stack:
            rows = stack.enter_context(Rows(self.args.data, self.layout))
            if rows.source.rewindable:
                found = self._survey(rows)
                rows = stack.enter_context(Rows(self.args.data, self.layout))
                batches: Iterable[Batch] = rows
            else:
                found, batches = survey_start(
                    rows, limit=self.args.warmup_rows, moments=self.args.standardize
                )
                self.note = f"classes and width{', mean and deviation' if self.args.standardize else ''} "
                self.note += f"are those of the first {found.n_rows} rows (--warmup-rows)"
            table = self._begin(rows, found)
            self._learn_pass(rows, batches, table, found)
        for _ in range(1, self.args.passes):
            with Rows(self.args.data, self.layout) as rows:
                self._learn_pass(rows, rows, table, found)

    def _survey(self, rows: Rows) -> Survey:
        with progress("looking through", quiet=self.args.quiet) as shown:
            return survey_file(
                rows,
                moments=self.args.standardize,
                report=lambda found: shown.update(rows.fraction(), found.n_rows),
            )

    def _begin(self, rows: Rows, found: Survey) -> ClassTable:
        """Make the model that fits what was found."""
        classes = class_array(found.labels) if self.args.classes is None else self.args.classes
        if len(classes) < 2:
            raise DataError(
                f"{rows.name}: expected at least two classes in {found.n_rows} rows, "
                f"got only {', '.join(map(str, classes.tolist()))}; --classes a,b,... names all there will be"
            )
        self.model = _new_model(self.args.algorithm, self.params, classes)
        self._width = found.n_features
        if found.moments is not None:
            try:
                self.model.set_scaling(*found.moments.scaling(self._width))
            except ValueError as error:
                raise UsageError(f"--standardize: {error}") from error
        return ClassTable(classes)

    def _learn_pass(self, rows: Rows, batches: Iterable[Batch], table: ClassTable, found: Survey) -> None:
        self._pass += 1
        title = "learning" if self.args.passes == 1 else f"pass {self._pass} of {self.args.passes}"
        done = 0
        with progress(title, quiet=self.args.quiet) as shown:
            for batch in batches:
                self._learn_batch(batch, table, found)
                done += len(batch)
                seen = self.model.n_seen_
                right = report.percent(seen - self.model.n_mistakes_, seen)
                vectors = f"{self.model.n_support_vectors_} support vectors"
                shown.update(rows.fraction(), done, f"{right} progressive", vectors)

    def _learn_batch(self, batch: Batch, table: ClassTable, found: Survey) -> None:
        # The rows that were looked at are all as wide as the widest, so this comes later in a stream.
        if batch.X.shape[1] > self._width:
            before, batch = batch.split(batch.X.first_wider(self._width))
            if len(before):
                self._learn_batch(before, table, found)
            self._widen(batch, found)
        indices = table.indices(batch)
        if (indices < 0).any():
            row = int(np.argmax(indices < 0))
            label = batch.labels[batch.codes[row]] if batch.codes is not None else None
            known = "--classes" if self.args.classes is not None else f"the first {found.n_rows} rows"
            raise DataError(
                f"{batch.where(row)}: expected one of the classes {table.named()} ({known}), got {label}; "
                "--classes a,b,... names all there will be",
                located=True,
            )
        try:
            self.model.learn(batch.matrix(self._width), table.classes[indices])
        except ValueError as error:
            raise row_error(batch.where, error) from error

    def _widen(self, batch: Batch, found: Survey) -> None:
        """Give the model the features that appear in the first row of this batch for the first time."""
        try:
            self.model.widen(batch.X.shape[1])
        except ValueError as error:
            raise DataError(
                f"{batch.where(0)}: expected at most {self._width} features, as in the first {found.n_rows} "
                f"rows, got more: {error}; give --gamma as a number, or --warmup-rows 1024 or more",
                located=True,
            ) from error
        self._width = batch.X.shape[1]
        if self.model.params["gamma"] == "scale" and hasattr(self.model, "gamma_"):
            self.late = f"{self._width - found.n_features} of {self._width}, gamma is that of the others"
