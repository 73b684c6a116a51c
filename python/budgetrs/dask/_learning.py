"""Learning from a collection: the client's side."""

from __future__ import annotations

import logging
import operator
import time
import uuid
from collections import deque
from os import PathLike
from pathlib import Path
from typing import Any

import distributed
from dask._task_spec import Task, TaskRef
from dask.config import get as configured
from dask.utils import parse_bytes, parse_timedelta
from distributed.scheduler import KilledWorker

from ..cli.progress import Lines, Progress
from ..cli.progress import progress as shown_progress
from ..cli.report import Line
from . import _learner
from ._batches import Partitions, partitions
from ._checkpoints import Folder, Memory, contents, described
from ._learner import LearnerLostError, Plan, Report
from ._models import is_estimator, is_regressor, refuse_other_models

_LOG = logging.getLogger(__name__)
_POLL = 1.0  # seconds after which the client looks whether the learner's worker is still there
_PAUSE = 0.1  # seconds between looks for a worker while there is none
_LONG = 10.0  # seconds without a worker after which the log says so
_AT_ONCE = 2  # partitions that are submitted for each that was learned: while many are, the learner waits
_MOST_AHEAD = 100  # partitions, however small
_MOST_LOSSES = 10  # of workers, without a partition more in between


def learn(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    classes: Any = None,
    client: distributed.Client | None = None,
    checkpoint: str | PathLike[str] | None = None,
    every: int = 1_000_000,
    prefetch: int | str = "256 MiB",
    progress: bool | None = None,
) -> Any:
    """Learn the partitions of a collection in order, on one worker, while the others load and parse them.

    The model that is returned is that of a loop over the partitions, ``model.learn(part, y)``, or
    `partial_fit` of an estimator, bit for bit. A worker that is lost costs time and no rows: where it
    learned, another one goes on from the last checkpoint. Partitions without rows are skipped.

    Parameters
    ----------
    model : Classifier, Regressor or an estimator of budgetrs
        The model to start from, which may have learned before. It is not changed.
    X : dask array of shape (n, d), dask data frame, bag of dicts, or list of delayed partitions
        The rows. Partitions must fit in the memory of a worker. Those that depend on one another, as after a
        shuffle, should be persisted before. Of a bag, the first rows say what columns there are; a name that
        a row lacks is a missing value. A delayed partition is a frame, or ``(X, y)``, or
        ``(X, y, sample_weight)``.
    y : str, dask series or dask array of shape (n,), optional
        Labels or targets: the name of their column in a frame, or a series with its partitions; the name in
        the rows of a bag; with an array X an array. Delayed partitions that bring them have none.
    sample_weight : str, dask series or dask array of shape (n,), optional
        Weights of the rows, given as `y` is.
    classes : sequence, optional
        All labels of the stream. By default classes come as they come; an estimator needs them, unless the
        first partition with rows has them all. They are given to the model with the first rows, so one that
        has learned before takes those that it has, or none.
    client : distributed.Client, optional
        By default the current one.
    checkpoint : path, optional
        A folder that this process and all workers reach. Model files are written there, of which the last
        two stay; ``partitions-00000042.safetensors`` has learned 42 partitions. A later call with the same
        arguments goes on from there, or returns the model if it has learned all. Compared are the model, the
        number of partitions, the names of `y` and `sample_weight`, the classes, and the columns and values of
        the first partition, which is loaded for that. By default the last checkpoint is in the memory of
        this process.
    every : int, default=1_000_000
        Rows after which a checkpoint is made, at the end of a partition. One more is made at the end of all.
    prefetch : int or str, default="256 MiB"
        How many bytes of partitions are loaded ahead, at most 100 partitions and at least one.
    progress : bool, optional
        Whether to show a line of progress on standard error; by default, if that is a terminal. The tasks are
        ``budgetrs-load``, ``budgetrs-fetch`` and ``budgetrs-learn`` in Dask's dashboard.

    Returns
    -------
    model
        A model of the same class.

    Raises
    ------
    TypeError, ValueError
        If an argument is not legal, the folder is of another run, or a partition is refused; a note at the
        error says which partition.
    KilledWorker, RuntimeError
        If workers were lost ten times without that one partition more was learned, or there was none for as
        long as ``distributed.scheduler.no-workers-timeout`` says; by default Dask waits for ever.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> import budgetrs
    >>> X = np.random.default_rng(0).uniform(-1, 1, (1000, 2))
    >>> rows, labels = da.from_array(X, chunks=(250, 2)), da.from_array(X[:, 0] > 0, chunks=250)
    >>> with Client(processes=False, dashboard_address=":0"):
    ...     model = budgetrs.dask.learn(budgetrs.Classifier(budget=50), rows, labels)
    >>> model.n_seen_
    1000
    """
    refuse_other_models(model)
    every, bytes_ahead = _rows(every), _bytes(prefetch)
    if classes is not None and is_regressor(model):
        raise TypeError(f"classes are for classifiers, got a {type(model).__name__}")
    parts = partitions(X, y, sample_weight)
    folder = None if checkpoint is None else Folder(Path(checkpoint).absolute())
    client = _client(client)
    quiet = progress is False
    with shown_progress("learning", quiet=quiet) as shown:
        if progress is None and isinstance(shown, Lines):
            shown = Progress("learning")
        run = _Run(client, model, parts, Plan(folder, every, classes), bytes_ahead, shown)
        return run.learned()


def _rows(every: Any) -> int:
    rows = _integer(every)
    if rows is None or rows < 1:
        raise ValueError(f"every must be an integer >= 1, got {every!r}")
    return rows


def _bytes(prefetch: Any) -> int:
    try:
        size = parse_bytes(prefetch) if isinstance(prefetch, str) else _integer(prefetch)
    except ValueError:
        size = None
    if size is None or size < 0:
        raise ValueError(f"prefetch must be a number of bytes >= 0 or a size as '256 MiB', got {prefetch!r}")
    return size


def _integer(value: Any) -> int | None:
    """Return an integer, also one of numpy; None for all else."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _client(client: Any) -> distributed.Client:
    """Return the client, by default the current one."""
    if client is None:
        try:
            return distributed.get_client()
        except ValueError as error:
            error.add_note("start distributed.Client() first, or pass client=")
            raise
    if not isinstance(client, distributed.Client):
        kind = f"{type(client).__module__}.{type(client).__qualname__}"
        raise TypeError(f"client must be a distributed.Client, got {kind}")
    return client


class _Run:
    """One call of `learn`."""

    def __init__(
        self,
        client: distributed.Client,
        model: Any,
        parts: Partitions,
        plan: Plan,
        prefetch: int,
        shown: Progress,
    ) -> None:
        self._client, self._model, self._parts, self._plan = client, model, parts, plan
        self._kept = plan.folder or Memory()
        self._prefetch, self._shown = prefetch, shown
        self._packs = not is_estimator(model)
        self._largest = self._rows = self._furthest = 0

    def learned(self) -> Any:
        """Learn until the end, from the last checkpoint whenever workers are lost."""
        self._begin()
        losses = 0
        while True:
            before = self._furthest
            attempt = self._attempt()
            try:
                return self._go_on(attempt)
            except (LearnerLostError, KilledWorker) as error:
                losses = losses + 1 if self._furthest == before else 1
                if losses == _MOST_LOSSES:
                    error.add_note(f"at partition {self._furthest} of {len(self._parts)}, {losses} times")
                    raise
            finally:
                attempt.end()

    def _begin(self) -> None:
        """Note in the folder which run this is, or refuse the folder of another one."""
        folder = self._plan.folder
        if folder is not None:
            run = described(self._model, self._parts, self._plan.classes)
            folder.begin({**run, **self._attempt().first_contents()})

    def _attempt(self) -> _Attempt:
        return _Attempt(self._client, self._plan, self._parts, self._packs)

    def _go_on(self, attempt: _Attempt) -> Any:
        model, done = self._kept.last(self._model) or (self._model, 0)
        attempt.begin(model, done)
        while done < len(self._parts):
            ahead = min(max(1, self._prefetch // self._largest), _MOST_AHEAD) if self._largest else 1
            attempt.submit_to(min(done + 1 + ahead, attempt.submitted + _AT_ONCE, len(self._parts)))
            self._heard(attempt.next_report(), done + 1)
            done += 1
        return attempt.result()

    def _heard(self, report: Report, done: int) -> None:
        self._largest = max(self._largest, report.n_bytes)
        if done > self._furthest:
            self._furthest = done
            self._rows += report.rows
        if report.checkpoint is not None and isinstance(self._kept, Memory):
            self._kept.keep(report.checkpoint, done)
        vectors = Line("support vectors", f"{report.n_support_vectors} support vectors", {})
        self._shown.update(done / len(self._parts), self._rows, vectors)


class _Attempt:
    """The tasks from a checkpoint on, until the end or until the learner's worker is lost."""

    def __init__(self, client: distributed.Client, plan: Plan, parts: Partitions, packs: bool) -> None:
        self._client, self._plan, self._parts, self._packs = client, plan, parts, packs
        self._name = uuid.uuid4().hex[:12]
        self._reports: deque[distributed.Future] = deque()
        self._held: list[distributed.Future] = []
        self._last: distributed.Future | None = None

    def first_contents(self) -> dict[str, Any]:
        """Load the first partition on a worker, and return what it is recognised by."""
        self._wait_for_workers()
        load, key = f"budgetrs-load-{self._name}-first", f"budgetrs-digest-{self._name}"
        graph = {**self._parts.load(0, load, packs=False), key: Task(key, contents, TaskRef(load))}
        try:
            found: Any = self._client.get(graph, [key])
        except KilledWorker:
            raise
        except Exception as error:
            self._note(error, 0)
            raise
        return found[0]

    def begin(self, model: Any, done: int) -> None:
        """Choose the worker that learns, and send it the model."""
        self._where, *self._loaders = self._wait_for_workers()
        self._next = done
        try:
            model = self._client.scatter(model, workers=[self._where], hash=False)
        except (OSError, KeyError) as error:  # it is gone, or no longer known
            raise LearnerLostError(f"the worker {self._where} was lost") from error
        self._learner = self._submit("start", _learner.start, model, done)
        self._held = [model, self._learner]

    @property
    def submitted(self) -> int:
        """How many partitions were submitted, counted from the first of all."""
        return self._next

    def submit_to(self, end: int) -> None:
        """Submit the partitions before `end` that were not submitted yet."""
        for number in range(self._next, end):
            key = f"budgetrs-load-{self._name}-{number}"
            loads: Any = self._client.get(
                self._parts.load(number, key, packs=self._packs),
                [key],
                sync=False,
                workers=self._loaders or [self._where],
                allow_other_workers=True,
                priority=-number,
            )
            batch = self._submit("fetch", _learner.fetch, *loads, number=number)
            self._last = self._submit(
                "learn", _learner.learn, self._learner, self._last, number, batch, self._plan, number=number
            )
            self._reports.append(self._last)
        self._next = max(self._next, end)

    def next_report(self) -> Report:
        """Wait for the next partition; an error of it has a note that says which one it was."""
        number = self._next - len(self._reports)
        try:
            return self._result_of(self._reports.popleft())
        except (LearnerLostError, KilledWorker):
            raise
        except Exception as error:
            self._note(error, number)
            raise

    def result(self) -> Any:
        """Wait for the model."""
        done = self._next
        return self._result_of(
            self._submit("finish", _learner.finish, self._learner, self._last, done, self._plan)
        )

    def end(self) -> None:
        """Give up what is not done yet."""
        for future in (*self._reports, *self._held):
            future.release()

    def _note(self, error: Exception, number: int) -> None:
        error.add_note(f"in partition {number} of {len(self._parts)}, counted from 0")

    def _wait_for_workers(self) -> list[str]:
        """Wait for a worker, which a nanny may be about to start, for as long as Dask is told to."""
        most = parse_timedelta(configured("distributed.scheduler.no-workers-timeout"))
        begun, said = time.monotonic(), False
        while not (workers := self._workers()):
            seconds = time.monotonic() - begun
            if most is not None and seconds > most:
                raise RuntimeError(f"no worker came within {most:g} seconds (no-workers-timeout)")
            if seconds > _LONG and not said:
                _LOG.warning("the cluster has no worker; waiting for one")
                said = True
            time.sleep(_PAUSE)
        return workers

    def _workers(self) -> list[str]:
        known: Any = self._client.nthreads()
        return sorted(known)

    def _submit(self, what: str, function: Any, *args: Any, number: int | None = None) -> distributed.Future:
        """Submit a task to the worker that learns, and to no other."""
        key = f"budgetrs-{what}-{self._name}" + ("" if number is None else f"-{number}")
        # Before all loads, and in order.
        priority = len(self._parts) - (number or 0)
        return self._client.submit(
            function, *args, key=key, workers=[self._where], priority=priority, pure=False
        )

    def _result_of(self, future: distributed.Future) -> Any:
        patience = _POLL
        while True:
            try:
                return future.result(timeout=patience)
            except TimeoutError:
                if future.status == "error":  # it may be the task's own
                    future.result()
            except distributed.CancelledError as error:
                raise LearnerLostError(f"the worker {self._where} was lost") from error
            workers = self._workers()
            if self._where not in workers:
                raise LearnerLostError(f"the worker {self._where} was lost")
            self._loaders = [worker for worker in workers if worker != self._where]
            if future.status == "finished":
                patience *= 2  # what is there may be large
