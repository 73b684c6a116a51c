"""Learning during the scan of a file, if its first rows seem to have all classes."""

from argparse import Namespace
from typing import Any, Protocol, Self

from .batch import Batch
from .errors import CommandError
from .parameters import is_fixed, parameters
from .progress import Progress, progress
from .rows import Rows
from .scan import Scan
from .task import Task


class Job(Protocol):
    """The training that a single pass is part of."""

    args: Namespace
    learner: Any

    @property
    def task(self) -> Task:
        """The task."""
        ...

    def check(self, like: Any, /) -> None:
        """Check the columns before the first row is learned."""
        ...

    def title(self) -> str:
        """Return the title of the progress display."""
        ...

    def begin_whole(self, found: Scan, name: str) -> None:
        """Create the learner for all rows of a file."""
        ...

    def learn_batch(self, shown: Progress, rows: Rows, batch: Batch, done: int) -> None:
        """Learn a batch and show the progress; `done` counts all rows up to the end of the batch."""
        ...


class SinglePass:
    """Learns each batch right after it was scanned, so that the file is read once.

    The model equals the model of a second pass. If a new class appears or a row cannot be learned, the model
    is dropped and only the scan continues, so that errors are reported in the order of the file.
    """

    def __init__(self, job: Job, rows: Rows) -> None:
        self._job, self._rows = job, rows
        self._shown = progress(job.title(), quiet=job.args.quiet)
        self._labels = 0
        self.is_active: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.__exit__()

    def add(self, found: Scan, batch: Batch) -> bool:
        """Learn a batch that was scanned; return whether all rows so far are learned."""
        is_first = found.n_rows == len(batch)
        if is_first:
            self.is_active = self._can_begin() and self._begin(found)
        elif len(found.labels) > self._labels:
            self._drop()
        if not self.is_active:
            return False
        try:
            self._job.learn_batch(self._shown, self._rows, batch, found.n_rows)
        except CommandError:
            self._drop()
        return self.is_active

    def _can_begin(self) -> bool:
        """Return whether learning needs no fact about the whole file except the classes."""
        args = self._job.args
        is_ordered = self._rows.has_one_width and not args.shuffle
        return is_ordered and not is_fixed(args) and parameters(args, 1) == parameters(args, 2)

    def _begin(self, found: Scan) -> bool:
        job = self._job
        self._labels = len(found.labels)
        try:
            if job.task.advice(job.args, found, self._rows.name) is not None:
                return False
            job.check(self._rows.columns.like)
            job.begin_whole(found, self._rows.name)
        except CommandError:
            return False
        return True

    def _drop(self) -> None:
        self._job.learner = None
        self.is_active = False
