"""Learning from a file or a stream: first a survey, then batch by batch."""

from argparse import Namespace
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .errors import DataError, UsageError, row_error
from .parameters import algorithm, parameters
from .progress import progress
from .rows import Batch, Layout, Rows
from .survey import Survey, survey_file, survey_start
from .task import TASKS, TargetEncoder


def layout(args: Namespace) -> Layout:
    """Return how the data are read."""
    given = {**_core.parameters(algorithm(args)), **parameters(args)}
    missing = given.get("missing") == "mean"
    return Layout(args.format, args.label_column, args.delimiter, args.dtype, args.task, missing)


@dataclass
class Learning:
    """Passes over a file or stream.

    `begin` creates the learner, a native model or several trained together, from the classes, if the task has
    any, and the number of rows found. `status` returns short strings on its progress, the most important
    first.
    """

    args: Namespace
    layout: Layout
    begin: Callable[[np.ndarray | None, int], Any]
    status: Callable[[Any], list[str]]
    passes: int = 1
    learner: Any = None
    note: str = ""
    late: str = ""
    late_classes: str = ""
    _width: int = 0
    _pass: int = 0

    def rows_learned(self) -> int:
        """Return the number of rows learned; an interrupted call may have learned a part of its batch."""
        return getattr(self.learner, "n_seen_", 0)

    def learn(self) -> None:
        """Learn all rows."""
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
            targets = TASKS[self.args.task].targets(
                self.args, found, rows.name, is_whole=rows.source.rewindable
            )
            if not rows.source.rewindable:
                self.note = self._warm_up_note(targets, found)
            self._begin(targets, found)
            self._learn_pass(rows, batches, targets, found)
        for _ in range(1, self.passes):
            with Rows(self.args.data, self.layout) as rows:
                self._learn_pass(rows, rows, targets, found)

    def _survey(self, rows: Rows) -> Survey:
        with progress("looking through", quiet=self.args.quiet) as shown:
            return survey_file(
                rows,
                moments=self.args.standardize,
                report=lambda found: shown.update(rows.fraction(), found.n_rows),
            )

    def _warm_up_note(self, targets: TargetEncoder, found: Survey) -> str:
        """Describe what was determined from the first rows of a stream."""
        are_found = targets.classes is not None and self.args.classes is None
        classes = "classes and " if are_found else ""
        moments = ", mean and deviation" if self.args.standardize else ""
        are = "are those" if classes or moments else "is that"
        return f"{classes}width{moments} {are} of the first {found.n_rows} rows (--warmup-rows)"

    def _begin(self, targets: TargetEncoder, found: Survey) -> None:
        """Create the learner for the data found."""
        self._width = found.n_features
        self.learner = self.begin(targets.classes, found.n_rows)
        if found.moments is not None:
            try:
                self.learner.set_scaling(*found.moments.scaling(self._width))
            except ValueError as error:
                raise UsageError(f"--standardize: {error}") from error

    def _learn_pass(
        self, rows: Rows, batches: Iterable[Batch], targets: TargetEncoder, found: Survey
    ) -> None:
        self._pass += 1
        title = "learning" if self.passes == 1 else f"pass {self._pass} of {self.passes}"
        done = 0
        with progress(title, quiet=self.args.quiet) as shown:
            for batch in batches:
                self._learn_batch(batch, targets, found)
                done += len(batch)
                shown.update(rows.fraction(), done, *self.status(self.learner))

    def _learn_batch(self, batch: Batch, targets: TargetEncoder, found: Survey) -> None:
        # Surveyed rows are as wide as the widest of them; wider rows can only come later in a stream.
        if batch.X.shape[1] > self._width:
            before, batch = batch.split(batch.X.first_wider(self._width))
            if len(before):
                self._learn_batch(before, targets, found)
            self._widen(batch, found)
        y = targets.of(batch)
        if targets.late:
            self.learner._open_classes()
            self.late_classes = ", ".join(map(str, targets.late))
        try:
            self.learner.learn(batch.matrix(self._width), y)
        except ValueError as error:
            raise row_error(batch.where, error) from error

    def _widen(self, batch: Batch, found: Survey) -> None:
        """Append the features that first appear in this batch."""
        try:
            self.learner.widen(batch.X.shape[1])
        except ValueError as error:
            raise DataError(
                f"{batch.where(0)}: expected at most {self._width} features, as in the first {found.n_rows} "
                f"rows, got more: {error}; give --gamma as a number, or --warmup-rows 1024 or more",
                located=True,
            ) from error
        self._width = batch.X.shape[1]
        frozen = self.learner.params.get("gamma") == "scale"
        others = ", gamma is that of the others" if frozen else ""
        self.late = f"{self._width - found.n_features} of {self._width}{others}"
