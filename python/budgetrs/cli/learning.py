"""Learning from a file or a stream: what is looked at first, then batch by batch."""

from argparse import Namespace
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import DataError, UsageError, row_error
from .labels import ClassTable, class_array
from .progress import progress
from .rows import Batch, Layout, Rows
from .survey import Survey, survey_file, survey_start

PARAMETERS = (
    "budget",
    "maintenance",
    "n_neighbors",
    "newcomer_may_leave",
    "loss",
    "alpha",
    "ball",
    "grad_tol",
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


def parameters(args: Namespace) -> dict[str, Any]:
    """Give the parameters of the model that were given: the others' defaults are those of the algorithm."""
    return {name: getattr(args, name) for name in PARAMETERS if hasattr(args, name)}


def layout(args: Namespace) -> Layout:
    """Say how the data are to be read."""
    return Layout(args.format, args.label_column, args.delimiter, args.dtype)


@dataclass
class Learning:
    """Some passes over one file or stream, and what was held for the warm-up.

    What learns is made by `begin` from the classes: a native model, or several that learn as if they
    were one. `status` tells how it does, the most important first.
    """

    args: Namespace
    layout: Layout
    begin: Callable[[np.ndarray], Any]
    status: Callable[[Any], list[str]]
    passes: int = 1
    learner: Any = None
    note: str = ""
    late: str = ""
    _width: int = 0
    _pass: int = 0

    def rows_learned(self) -> int:
        """Count the rows that were learned; an interrupted call may have learned a part of its batch."""
        return getattr(self.learner, "n_seen_", 0)

    def learn(self) -> None:
        """Learn all there is."""
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
        for _ in range(1, self.passes):
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
        """Make what learns, to fit what was found."""
        classes = class_array(found.labels) if self.args.classes is None else self.args.classes
        if len(classes) < 2:
            raise DataError(
                f"{rows.name}: expected at least two classes in {found.n_rows} rows, "
                f"got only {', '.join(map(str, classes.tolist()))}; --classes a,b,... names all there will be"
            )
        self.learner = self.begin(classes)
        self._width = found.n_features
        if found.moments is not None:
            try:
                self.learner.set_scaling(*found.moments.scaling(self._width))
            except ValueError as error:
                raise UsageError(f"--standardize: {error}") from error
        return ClassTable(classes)

    def _learn_pass(self, rows: Rows, batches: Iterable[Batch], table: ClassTable, found: Survey) -> None:
        self._pass += 1
        title = "learning" if self.passes == 1 else f"pass {self._pass} of {self.passes}"
        done = 0
        with progress(title, quiet=self.args.quiet) as shown:
            for batch in batches:
                self._learn_batch(batch, table, found)
                done += len(batch)
                shown.update(rows.fraction(), done, *self.status(self.learner))

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
            self.learner.learn(batch.matrix(self._width), table.classes[indices])
        except ValueError as error:
            raise row_error(batch.where, error) from error

    def _widen(self, batch: Batch, found: Survey) -> None:
        """Append the features that appear in the first row of this batch for the first time."""
        try:
            self.learner.widen(batch.X.shape[1])
        except ValueError as error:
            raise DataError(
                f"{batch.where(0)}: expected at most {self._width} features, as in the first {found.n_rows} "
                f"rows, got more: {error}; give --gamma as a number, or --warmup-rows 1024 or more",
                located=True,
            ) from error
        self._width = batch.X.shape[1]
        if self.learner.params["gamma"] == "scale" and hasattr(self.learner, "gamma_"):
            self.late = f"{self._width - found.n_features} of {self._width}, gamma is that of the others"
