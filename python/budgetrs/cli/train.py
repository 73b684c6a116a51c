"""``budgetrs train``: learn a model from a file or a stream."""

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
from .errors import INTERRUPTED, OK, DataError, UsageError
from .labels import ClassTable, class_array
from .progress import progress
from .rows import Batch, Layout, Rows
from .source import Source
from .survey import Survey, survey_file, survey_start

PARAMETERS = ("budget", "maintenance", "alpha", "ball", "kernel", "gamma", "degree", "coef0", "seed")


def run(args: Namespace) -> int:
    """Train, save, and print what came out."""
    modelfile.check_target(args.output)
    if args.test:
        Source(args.test).close()
    layout = Layout(args.format, args.label_column, args.delimiter, args.dtype)
    # Only what was given: the defaults are those of the named algorithm.
    params = {name: getattr(args, name) for name in PARAMETERS if hasattr(args, name)}
    _new_model(args.algorithm, params)

    start = time.perf_counter()
    job = _Training(args, layout, params)
    interrupted = False
    try:
        job.learn()
    except KeyboardInterrupt:
        interrupted = True
        if job.rows_learned() == 0:
            raise
    seconds = time.perf_counter() - start
    model, rows = job.model, job.rows_learned()
    modelfile.save(model, args.output)

    if interrupted:
        report.line("interrupted", f"the {rows} rows learned so far are in the model")
    report.line("rows read", rows)
    if job.note:
        report.line("warm-up", job.note)
    report.line("support vectors", model.n_support_vectors_)
    report.line("progressive accuracy", report.percent(model.n_seen_ - model.n_mistakes_, model.n_seen_))
    if args.test and not interrupted:
        tested = accuracy(model, args.test, layout, quiet=args.quiet)
        report.line("test accuracy", tested.percent())
        tested.print_unknown()
    report.line("rows/s", report.rate(rows, seconds))
    report.line("seconds", f"{seconds:.2f}")
    report.line("peak memory", report.peak_memory())
    report.line("model", report.file_with_size(args.output))
    return INTERRUPTED if interrupted else OK


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
    _width: int = 0
    _rows: int = 0

    def rows_learned(self) -> int:
        """Count the rows in the model; an interrupted call may have learned a part of its batch."""
        return getattr(self.model, "n_seen_", 0)

    def learn(self) -> None:
        with ExitStack() as stack:
            rows = stack.enter_context(Rows(self.args.data, self.layout))
            if rows.source.rewindable:
                found = self._survey(rows)
                rows = stack.enter_context(Rows(self.args.data, self.layout))
                batches: Iterable[Batch] = rows
            elif self.args.passes > 1:
                raise UsageError(f"--passes {self.args.passes} needs a file, {rows.name} is read once")
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
        if found.n_rows == 0:
            raise DataError(f"{rows.name}: expected rows, got none")
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
        with progress("learning", quiet=self.args.quiet) as shown:
            for batch in batches:
                self._learn_batch(batch, table, found)
                self._rows += len(batch)
                seen = self.model.n_seen_
                right = report.percent(seen - self.model.n_mistakes_, seen)
                status = f"{right} progressive  {self.model.n_support_vectors_} support vectors"
                shown.update(rows.fraction(), self._rows, status)

    def _learn_batch(self, batch: Batch, table: ClassTable, found: Survey) -> None:
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
        # The first batch is made as wide as all that were looked at, so this comes later in a stream.
        if batch.X.shape[1] > self._width:
            self._width = batch.X.shape[1]
            self.model.widen(self._width)
        try:
            self.model.learn(batch.matrix(self._width), table.classes[indices])
        except ValueError as error:
            raise DataError(f"{batch.where(0)}: {error}", located=True) from error
