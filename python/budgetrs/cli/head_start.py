"""Learning while the file is looked through, in the expectation that its first rows have all the classes."""

from argparse import Namespace
from typing import Any, Protocol, Self

from .batch import Batch
from .errors import CommandError
from .parameters import parameters
from .progress import Progress, progress
from .rows import Rows
from .survey import Survey
from .task import Task


class Job(Protocol):
    """What learns the rows."""

    args: Namespace
    learner: Any

    @property
    def task(self) -> Task:
        """The task."""
        ...

    def check(self, like: Any, /) -> None:
        """Check, before the first row is learned, what else the columns found must go with."""
        ...

    def title(self) -> str:
        """Return what a display of progress calls the pass."""
        ...

    def begin_whole(self, found: Survey, name: str) -> None:
        """Create the learner for all rows of a file."""
        ...

    def learn_batch(self, shown: Progress, rows: Rows, batch: Batch, done: int) -> None:
        """Learn a batch, with which so many rows are done, and show the progress."""
        ...


class HeadStart:
    """Learns each batch as soon as it was looked through, so that the file need not be read again.

    The model is then the one that would be learned afterwards. It is dropped where the file turns out to be
    another than expected, or where a row cannot be learned: all rows are looked through first then, which
    says what is wrong in the order of the file.
    """

    def __init__(self, job: Job, rows: Rows) -> None:
        self._job, self._rows = job, rows
        self._shown = progress(job.title(), quiet=job.args.quiet)
        self._labels = 0
        self.is_on: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.__exit__()

    def add(self, found: Survey, batch: Batch) -> bool:
        """Learn a batch that was looked through; return whether all rows so far are learned."""
        is_first = found.n_rows == len(batch)
        if is_first:
            self.is_on = self._can_begin() and self._begin(found)
        elif len(found.labels) > self._labels:
            self._drop()
        if not self.is_on:
            return False
        try:
            self._job.learn_batch(self._shown, self._rows, batch, found.n_rows)
        except CommandError:
            self._drop()
        return self.is_on

    def _can_begin(self) -> bool:
        """Return whether nothing but the classes has to be known before the first row is learned."""
        args = self._job.args
        return (
            self._rows.has_one_width and not args.standardize and parameters(args, 1) == parameters(args, 2)
        )

    def _begin(self, found: Survey) -> bool:
        job = self._job
        if job.task.advice(job.args, found) is not None:
            return False
        self._labels = len(found.labels)
        try:
            job.check(self._rows.columns.like)
            job.begin_whole(found, self._rows.name)
        except CommandError:
            return False
        return True

    def _drop(self) -> None:
        self._job.learner = None
        self.is_on = False
