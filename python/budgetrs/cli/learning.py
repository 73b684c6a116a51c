"""Training on a file or a stream, batch by batch: after a scan, or during the scan of a file."""

import time
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from .. import _core
from .._column_warnings import ColumnWarning
from . import report
from .batch import Batch
from .cardinality import CardinalityCheck
from .errors import DataError, UsageError, message, row_error
from .kernel_values import SimilarityCheck
from .layout import Layout, reading
from .parameters import algorithm, given_parameters, is_fixed, missing_numbers, task
from .progress import Progress, progress
from .report import Line
from .rows import Rows
from .scan import Scan, scan_file, scan_start
from .shuffled import Shuffled
from .single_pass import SinglePass
from .task import TargetEncoder, Task
from .wide_rows import wide_rows_warning

DTYPE = "float32"
"""The default dtype of a new model."""

SCAN_ROWS = 10_000
"""The default number of rows of a stream that are scanned before training."""


def layout(args: Namespace) -> Layout:
    """Return how the data are read."""
    given = {**_core.parameters(algorithm(args)), **given_parameters(args)}
    needed = [] if given.get("scaling") == "online" else ["--scaling online"]
    needed += [] if given.get("missing") == "mean" else ["--set missing=mean"]
    is_hashed = given.get("hash_features") is not None
    hint = "" if is_hashed or not needed else f"; {' '.join(needed)} replaces missing values by the mean"
    return Layout(
        **reading(args),
        dtype=args.dtype or DTYPE,
        task=task(args).name,
        missing=not needed and not is_hashed,
        missing_hint=hint,
        missing_numbers=missing_numbers(args),
        classes=frozenset() if args.classes is None else frozenset(map(str, args.classes.tolist())),
        categorical=args.categorical or (),
        sample=args.scan_rows or SCAN_ROWS,
    )


@dataclass
class Learning:
    """Training in one or more passes over a file or stream.

    `begin` creates the learner, which is a native model or several models trained together, from the classes
    (None for regression) and the number of rows found. `status` returns short lines on its progress, the most
    important first.
    """

    args: Namespace
    layout: Layout
    begin: Callable[[np.ndarray | None, int], Any]
    status: Callable[[Any], list[Line]]
    passes: int | Literal["auto"] = 1
    """A number, or "auto" for `fit`."""
    fits: bool = False
    """Whether the rows are learned by `fit`, in memory and in random order."""
    learner: Any = None
    one: Callable[[Any], Any] = lambda learner: learner
    """Returns one model of the learner."""
    check: Callable[[Any], None] = lambda like: None  # noqa: ARG005
    """Checks the columns of the data before the first row is learned."""
    note: str = ""
    targets: TargetEncoder = field(init=False)
    _similarity: SimilarityCheck | None = None
    _cardinality: CardinalityCheck = field(default_factory=CardinalityCheck)
    _warned: set[str] = field(default_factory=set)
    _warned_of_width: bool = False
    _width: int = 0
    _known_width: int = 0
    _known: str = ""
    _advice: str = "; give --set gamma=NUMBER, or --scan-rows 1024 or more"
    _pass: int = 0
    _started: float = 0.0
    _columns: Any = None
    """The columns of the data, if they have names."""

    @property
    def task(self) -> Task:
        """The task."""
        return task(self.args)

    def rows_learned(self) -> int:
        """Return the number of rows learned, including a part of a batch in an interrupted call."""
        return getattr(self.learner, "n_samples_seen_", 0)

    def seconds(self) -> float:
        """Return the seconds since the data were opened, after the import of packages that read them."""
        return time.perf_counter() - self._started

    def learn(self) -> None:
        """Learn all rows."""
        with ExitStack() as stack:
            rows = stack.enter_context(self._opened())
            self._started = time.perf_counter()
            rows, batches = self._start(rows, stack)
            self.check(rows.columns.like)
            if self.args.shuffle:
                rows = batches = self._shuffled(rows)
            if isinstance(rows, Shuffled) and self.fits:
                self._fit(rows)
                return
            self._learn_pass(rows, batches)
        for _ in range(1, int(self.passes)):
            if isinstance(rows, Shuffled):
                self._learn_pass(rows, rows)
                continue
            with self._opened() as rows:
                self._learn_pass(rows, rows)

    def _shuffled(self, rows: Rows) -> Shuffled:
        """Read all rows into memory."""
        with progress("reading", quiet=self.args.quiet) as shown:

            def read() -> Iterator[Batch]:
                count = 0
                for batch in rows:
                    count += len(batch)
                    shown.update(rows.fraction(), count)
                    yield batch

            seed = getattr(self.args, "seed", 0)
            return Shuffled(rows, read(), seed=seed, max_memory=self.layout.max_memory)

    def _opened(self) -> Rows:
        # In later passes all categories are known.
        rows = Rows(self.args.data, self.layout, like=self._columns, learns=self._columns is None)
        self._read_alike(rows)
        is_classified = self.task.name == "classification"
        if is_classified and rows.classes is not None and self.args.classes is None:
            self.args.classes, self.args.classes_from = rows.classes, f"the header of {rows.name}"
        return rows

    def _read_alike(self, rows: Rows) -> None:
        """Read the other passes and the test file as the first pass."""
        if self.layout.zero_based is None and rows.zero_based:
            self._warn(
                Progress(""),
                [
                    f"the indices of {rows.name} start at 0, which the model does not store: give "
                    "--zero-based yes with each later file"
                ],
            )
        self.layout = replace(self.layout, zero_based=rows.zero_based)

    def _start(self, rows: Rows, stack: ExitStack) -> tuple[Rows, Iterable[Batch]]:
        """Create the learner; return the rows, or the rows of the file opened again, and all batches."""
        if rows.source.rewindable:
            found, is_learned = self._scan(rows)
            self._columns = rows.columns.like
            if is_learned:
                return rows, ()
            rows = stack.enter_context(self._opened())
            self._warn(Progress(""), [self.task.advice(self.args, found, rows.name)])
            self.begin_whole(found, rows.name)
            return rows, rows
        limit = self.args.scan_rows or SCAN_ROWS
        rows.collect_categories(limit)
        found, batches = scan_start(rows, limit=limit, moments=is_fixed(self.args))
        self.targets = self.task.targets(self.args, found, rows.name, is_whole=False)
        self._warn(Progress(""), [found.index, self.task.advice(self.args, found, rows.name)])
        self.note = self._scan_note(found)
        self._begin(found)
        return rows, batches

    def begin_whole(self, found: Scan, name: str) -> None:
        """Create the learner for all rows of a file."""
        self.targets = self.task.targets(self.args, found, name, is_whole=True)
        self._begin(found)

    def _scan(self, rows: Rows) -> tuple[Scan, bool]:
        """Scan a file; return the scan, and whether its rows were learned during the scan."""
        display = progress("scanning", quiet=self.args.quiet)
        with display as shown, SinglePass(self, rows) as single_pass:

            def report(found: Scan, batch: Batch) -> None:
                self._warn(shown, [found.index, *self._cardinality.add(batch.rows)])
                if not single_pass.is_active:
                    shown.update(rows.fraction(), found.n_rows)
                single_pass.add(found, batch)

            found = scan_file(rows, moments=is_fixed(self.args), report=report)
        return found, single_pass.is_active

    def _warn(self, shown: Progress, messages: Iterable[str | Warning | None]) -> None:
        for given in filter(None, messages):
            is_of_column = isinstance(given, ColumnWarning)
            warning = given.shell if is_of_column else str(given)
            about = (is_of_column and given.column) or warning
            if warning and about not in self._warned:
                self._warned.add(about)
                shown.warn(warning)

    def _scan_note(self, found: Scan) -> str:
        """Return a note about the facts that were determined from the first rows of a stream."""
        are_found = self.targets.classes is not None and self.args.classes is None
        facts = [*(["classes"] if are_found else []), "feature count"]
        facts += ["mean", "standard deviation"] if is_fixed(self.args) else []
        listed = f"{', '.join(facts[:-1])} and {facts[-1]}" if len(facts) > 1 else facts[0]
        return f"{listed} taken from the first {found.n_rows:,} rows (--scan-rows)"

    def _begin(self, found: Scan) -> None:
        """Create the learner for the scanned data."""
        if found.moments is not None and given_parameters(self.args).get("hash_features") is not None:
            raise UsageError(
                "--scaling fixed cannot be combined with --set hash_features, because it scales the columns "
                "before they are hashed; use --scaling online"
            )
        self._width = self._known_width = found.n_features
        self._known = f"in the first {found.n_rows:,} rows"
        self.learner = self.begin(self.targets.classes, found.n_rows)
        deviation = None
        if found.moments is not None:
            try:
                mean, deviation = found.moments.scaling(self._width)
                self.learner.set_scaling(mean, deviation)
            except ValueError as error:
                raise UsageError(f"--scaling fixed: {message(error)}") from error
        self._similarity = SimilarityCheck(self.one(self.learner), deviation)

    def _learn_pass(self, rows: Rows | Shuffled, batches: Iterable[Batch]) -> None:
        done = 0
        with progress(self.title(), quiet=self.args.quiet) as shown:
            for batch in batches:
                done += len(batch)
                self.learn_batch(shown, rows, batch, done)
            if self._similarity is not None:
                self._warn(shown, [self._similarity.end()])
        self._pass += 1

    def title(self) -> str:
        """Return the title of the progress display."""
        return "training" if self.passes == 1 else f"pass {self._pass + 1} of {self.passes}"

    def _fit(self, rows: Shuffled) -> None:
        """Learn all rows as `fit` of the native model does."""
        with progress("training", quiet=self.args.quiet) as shown:

            def show(number: int, passes: int, *_: object) -> None:
                shown.update(number / passes, number * len(rows))

            def fit(batch: Batch) -> None:
                X, y = batch.matrix(self._width), self.targets.of(batch)
                more = {"sample_weight": None, "passes": self.passes, "shuffle": True, "on_pass": show}
                try:
                    self.learner._fit(X, y, **more)
                except ValueError as error:
                    raise row_error(batch.where, error) from error

            self._learn_by(fit, shown, rows, rows.all)
            if self._similarity is not None:
                self._warn(shown, [self._similarity.end()])

    def learn_batch(self, shown: Progress, rows: Rows | Shuffled, batch: Batch, done: int) -> None:
        """Learn a batch and show the progress; `done` counts all rows up to the end of the batch."""
        self._learn_by(self._learn_batch, shown, rows, batch)
        shown.update(rows.fraction(), done, *self.status(self.learner))

    def _learn_by(
        self, learn: Callable[[Batch], None], shown: Progress, rows: Rows | Shuffled, batch: Batch
    ) -> None:
        """Learn a batch, and show the warnings about it."""
        if not self._warned_of_width:  # before the rows are learned, which may take long
            warning = wide_rows_warning(self.one(self.learner), batch, rows.name, self._width)
            self._warned_of_width = warning is not None
            self._warn(shown, [warning])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            learn(batch)
        self._warn(shown, [warning.message for warning in caught if isinstance(warning.message, Warning)])
        if rows.target is not None and (model := self.one(self.learner)).target_name is None:
            model.target_name = rows.target
        if self._similarity is not None:
            self._warn(shown, [self._similarity.add(batch)])

    def _learn_batch(self, batch: Batch) -> None:
        # Scanned rows are as wide as the widest of them; wider rows can only follow in a stream.
        if not isinstance(batch.rows, _core.NamedRows) and batch.X.shape[1] > self._width:
            before, batch = batch.split(batch.X.first_wider(self._width))
            if len(before):
                self._learn_batch(before)
            self._widen(batch)
        y = self.targets.of(batch)
        if self.targets.new:
            self.learner._open_classes()
        # The rows of later passes are known, so they count for no progressive error.
        repeated = {"repeated": True} if self._pass else {}
        try:
            self.learner.learn(batch.matrix(self._width), y, **repeated)
        except ValueError as error:
            raise row_error(batch.where, error) from error
        self._width = max(self._width, batch.X.shape[1])

    def _widen(self, batch: Batch) -> None:
        """Add the features that first appear in this batch to the learner."""
        try:
            self.learner.add_features(batch.X.shape[1])
        except ValueError as error:
            raise DataError(
                f"{batch.where(0)}: expected at most {self._width:,} features, as {self._known}, "
                f"got more: {message(error)}{self._advice}",
                located=True,
            ) from error
        self._width = batch.X.shape[1]

    def print_stream(self) -> None:
        """Print the note about the first rows of a stream, and features and classes that appeared later."""
        if self.note:
            report.line("scan", self.note, scan=self.note)
        if new := self._width - self._known_width:
            params = self.learner.params
            frozen = params.get("gamma") == "scale" and params["hash_features"] is None
            note = ", gamma unchanged" if frozen else ""
            report.line("new features", f"{new:,} of {self._width:,}{note}", new_features=new)
        if classes := self.targets.new:
            report.line("new classes", ", ".join(map(str, classes)), new_classes=classes)
