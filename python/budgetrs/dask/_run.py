"""One run of the tasks that learn a collection, until the end or until a worker is lost."""

from __future__ import annotations

import logging
import time
import uuid
from contextlib import suppress
from itertools import takewhile
from typing import Any

import distributed
from dask._task_spec import Task, TaskRef
from dask.config import get as configured
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from dask.utils import parse_timedelta
from distributed.scheduler import KilledWorker

from . import _learner
from ._batches import Partitions
from ._checkpoints import contents
from ._learner import LearnerLostError, Plan, Report

_LOG = logging.getLogger(__name__)
_POLL = 1.0  # seconds after which the client checks that the learner's worker still exists
_PAUSE = 0.1  # seconds between checks for a worker while there is none
_LONG = 10.0  # seconds without a worker after which a warning is logged
_LOOK = 0.25  # seconds between checks for reports, while there are more partitions to learn
_BACK = 3  # a learn task depends on up to this many tasks before it


class Run:
    """The tasks after a checkpoint, until the end or until the learner's worker is lost."""

    def __init__(self, client: distributed.Client, plan: Plan, parts: Partitions, packs: bool) -> None:
        self._client, self._plan, self._parts, self._packs = client, plan, parts, packs
        self._name = uuid.uuid4().hex[:12]
        self._tasks: dict[int, distributed.Future] = {}
        self._held: list[distributed.Future] = []

    def first_contents(self) -> dict[str, Any]:
        """Load the first partition on a worker, and return the facts by which it is recognised."""
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
        self._first = self._next = self._n_fetched = self._n_reported = done
        try:
            model = self._client.scatter(model, workers=[self._where], hash=False)
        except (OSError, KeyError) as error:  # the worker is gone, or unknown to the scheduler
            raise LearnerLostError(f"the worker {self._where} was lost") from error
        self._learner = self._submit("start", _learner.start, model, done, self._plan)
        self._held = [model, self._learner]

    @property
    def submitted(self) -> int:
        """The number of partitions submitted, counted from the first partition of the collection."""
        return self._next

    def submit_to(self, end: int) -> None:
        """Submit all partitions before `end` that were not submitted yet, in one graph."""
        numbers = range(self._next, end)
        if not numbers:
            return
        # A task that several partitions need gets its priority from the last layer: the first partition's.
        loads = dict(map(self._load, reversed(numbers)))
        learns = dict(map(self._learn, numbers))
        graph = HighLevelGraph({**loads, **learns}, {layer: set() for layer in (*loads, *learns)})
        futures: Any = self._client.get(graph, list(learns), sync=False)
        self._tasks.update(zip(numbers, futures, strict=True))
        self._next = end
        self._release()

    def _load(self, number: int) -> tuple[str, MaterializedLayer]:
        """Return the tasks that load a partition."""
        key = self._key("load", number)
        tasks = self._parts.load(number, key, packs=self._packs)
        where = {"workers": self._loaders or [self._where], "allow_other_workers": True}
        return key, MaterializedLayer(tasks, {**where, "priority": -number})

    def _learn(self, number: int) -> tuple[str, MaterializedLayer]:
        """Return the task that learns a partition, after all earlier partitions except the last one.

        The task depends on two earlier tasks, since one of them may have run early. So the worker holds at
        most one partition in addition to the one that it learns.
        """
        key, load = self._key("learn", number), TaskRef(self._key("load", number))
        last = range(max(self._first, number - _BACK), number - 1)
        before = [TaskRef(self._key("learn", at)) for at in last]
        task = Task(key, _learner.learn, TaskRef(self._learner.key), number, load, *before)
        return key, MaterializedLayer({key: task}, self._at_learner(number))

    def next_reports(self) -> list[Report]:
        """Wait for the next reports; an error has a note that names its partition."""
        tasks = [self._tasks[number] for number in range(self._n_fetched, self._next)]
        # Waiting for the middle task leaves the second half for the learner to work on.
        with suppress(TimeoutError, distributed.CancelledError), self._client.as_current():
            distributed.wait(tasks[(len(tasks) - 1) // 2], timeout=_LOOK)
        finished = list(takewhile(_is_finished, tasks)) or tasks[:1]
        try:
            results = self._results_of(finished)
        except (LearnerLostError, KilledWorker):
            raise
        except Exception as error:
            self._note(error, self._n_fetched)
            raise
        reports = [report for result in results for report in result]
        self._n_fetched += len(finished)
        self._n_reported += len(reports)
        if self._n_reported < self._n_fetched:  # an early partition waits for one that never arrives
            raise LearnerLostError(f"the learner has learned no more than {self._n_reported} partitions")
        self._release()
        return reports

    def result(self) -> Any:
        """Wait for the model."""
        model = self._submit("finish", _learner.finish, self._learner, self._n_reported)
        self._held.append(model)
        return self._results_of([model])[0]

    def end(self) -> None:
        """Release all tasks; those that are not done are cancelled."""
        for future in (*self._tasks.values(), *self._held):
            future.release()

    def _release(self) -> None:
        """Release the tasks whose reports were fetched and on which no later task depends."""
        for number in range(min(self._tasks, default=0), min(self._n_fetched, self._next - _BACK)):
            self._tasks.pop(number).release()

    def _note(self, error: Exception, number: int) -> None:
        """Add a note with the partition of an error, unless the learner has noted this or the next one."""
        notes = [_learner.partition_label(at, len(self._parts)) for at in (number, number + 1)]
        if set(notes).isdisjoint(getattr(error, "__notes__", ())):
            error.add_note(notes[0])

    def _wait_for_workers(self) -> list[str]:
        """Wait for a worker, which a nanny may be about to start, up to Dask's `no-workers-timeout`."""
        most = parse_timedelta(configured("distributed.scheduler.no-workers-timeout"))
        start, has_warned = time.monotonic(), False
        while not (workers := self._workers()):
            seconds = time.monotonic() - start
            if most is not None and seconds > most:
                raise RuntimeError(f"no worker came within {most:g} seconds (no-workers-timeout)")
            if seconds > _LONG and not has_warned:
                _LOG.warning("the cluster has no worker; waiting for one")
                has_warned = True
            time.sleep(_PAUSE)
        return workers

    def _workers(self) -> list[str]:
        known: Any = self._client.nthreads()
        return sorted(known)

    def _key(self, what: str, number: int | None = None) -> str:
        return f"budgetrs-{what}-{self._name}" + ("" if number is None else f"-{number}")

    def _at_learner(self, number: int = 0) -> dict[str, Any]:
        """Return worker and priority of a task of the learner: before all loads, and in order."""
        return {"workers": [self._where], "priority": len(self._parts) - number}

    def _submit(self, what: str, function: Any, *args: Any) -> distributed.Future:
        """Submit a task to the worker that learns."""
        return self._client.submit(function, *args, key=self._key(what), pure=False, **self._at_learner())

    def _results_of(self, futures: list[distributed.Future]) -> list[Any]:
        """Wait for all results, or for the first error."""

        async def gathered() -> Any:
            found: Any = self._client.gather(futures, asynchronous=True)
            return await found

        patience = _POLL
        while True:
            try:
                found: Any = self._client.sync(gathered, callback_timeout=patience)
            except TimeoutError:
                for future in futures:
                    if future.status == "error":  # the TimeoutError may be an error of the task
                        future.result()
            except distributed.CancelledError as error:
                raise LearnerLostError(f"the worker {self._where} was lost") from error
            else:
                return found
            workers = self._workers()
            if self._where not in workers:
                raise LearnerLostError(f"the worker {self._where} was lost")
            self._loaders = [worker for worker in workers if worker != self._where]
            if all(map(_is_finished, futures)):
                patience *= 2  # the results may be large


def _is_finished(future: distributed.Future) -> bool:
    return future.status == "finished"
