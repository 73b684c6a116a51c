"""One attempt to learn a collection: its tasks, and what is heard of them, until a worker is lost."""

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
_POLL = 1.0  # seconds after which the client looks whether the learner's worker is still there
_PAUSE = 0.1  # seconds between looks for a worker while there is none
_LONG = 10.0  # seconds without a worker after which the log says so
_LOOK = 0.25  # seconds between looks at what was learned, while there is more to learn
_BACK = 3  # how many tasks back one of the learner refers


class Attempt:
    """The tasks from a checkpoint on, until the end or until the learner's worker is lost."""

    def __init__(self, client: distributed.Client, plan: Plan, parts: Partitions, packs: bool) -> None:
        self._client, self._plan, self._parts, self._packs = client, plan, parts, packs
        self._name = uuid.uuid4().hex[:12]
        self._tasks: dict[int, distributed.Future] = {}
        self._held: list[distributed.Future] = []

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
        self._first = self._next = self._heard = self._reported = done
        try:
            model = self._client.scatter(model, workers=[self._where], hash=False)
        except (OSError, KeyError) as error:  # it is gone, or no longer known
            raise LearnerLostError(f"the worker {self._where} was lost") from error
        self._learner = self._submit("start", _learner.start, model, done, self._plan)
        self._held = [model, self._learner]

    @property
    def submitted(self) -> int:
        """How many partitions were submitted, counted from the first of all."""
        return self._next

    def submit_to(self, end: int) -> None:
        """Submit the partitions before `end` that were not submitted yet, in one graph."""
        numbers = range(self._next, end)
        if not numbers:
            return
        # Of what several partitions need, the last layer says how urgent it is: that of the first of them.
        loads = dict(map(self._load, reversed(numbers)))
        learns = dict(map(self._learn, numbers))
        graph = HighLevelGraph({**loads, **learns}, {layer: set() for layer in (*loads, *learns)})
        futures: Any = self._client.get(graph, list(learns), sync=False)
        self._tasks.update(zip(numbers, futures, strict=True))
        self._next = end
        self._let_go()

    def _load(self, number: int) -> tuple[str, MaterializedLayer]:
        """Return the tasks that load a partition."""
        key = self._key("load", number)
        tasks = self._parts.load(number, key, packs=self._packs)
        where = {"workers": self._loaders or [self._where], "allow_other_workers": True}
        return key, MaterializedLayer(tasks, {**where, "priority": -number})

    def _learn(self, number: int) -> tuple[str, MaterializedLayer]:
        """Return the task that learns a partition, once all but the one just before it are learned.

        That takes two of their tasks, as one may have come early. So the next partition can be at the worker
        while one is learned, and no more than that.
        """
        key, load = self._key("learn", number), TaskRef(self._key("load", number))
        last = range(max(self._first, number - _BACK), number - 1)
        before = [TaskRef(self._key("learn", at)) for at in last]
        task = Task(key, _learner.learn, TaskRef(self._learner.key), number, load, *before)
        return key, MaterializedLayer({key: task}, self._at_learner(number))

    def next_reports(self) -> list[Report]:
        """Wait for what is learned next; an error has a note that says which partition it is of."""
        tasks = [self._tasks[number] for number in range(self._heard, self._next)]
        # While the learner has the second half before it, there is time.
        with suppress(TimeoutError, distributed.CancelledError), self._client.as_current():
            distributed.wait(tasks[(len(tasks) - 1) // 2], timeout=_LOOK)
        finished = list(takewhile(_is_finished, tasks)) or tasks[:1]
        try:
            results = self._results_of(finished)
        except (LearnerLostError, KilledWorker):
            raise
        except Exception as error:
            self._note(error, self._heard)
            raise
        reports = [report for result in results for report in result]
        self._heard += len(finished)
        self._reported += len(reports)
        if self._reported < self._heard:  # one waits for another that never comes
            raise LearnerLostError(f"the learner has learned no more than {self._reported} partitions")
        self._let_go()
        return reports

    def result(self) -> Any:
        """Wait for the model."""
        model = self._submit("finish", _learner.finish, self._learner, self._reported)
        self._held.append(model)
        return self._results_of([model])[0]

    def end(self) -> None:
        """Give up what is not done yet."""
        for future in (*self._tasks.values(), *self._held):
            future.release()

    def _let_go(self) -> None:
        """Give up the tasks that were heard of and that no other one will refer to."""
        for number in range(min(self._tasks, default=0), min(self._heard, self._next - _BACK)):
            self._tasks.pop(number).release()

    def _note(self, error: Exception, number: int) -> None:
        """Say which partition an error is of, unless the learner has: of this one or the one after it."""
        notes = [_learner.place_of(at, len(self._parts)) for at in (number, number + 1)]
        if set(notes).isdisjoint(getattr(error, "__notes__", ())):
            error.add_note(notes[0])

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

    def _key(self, what: str, number: int | None = None) -> str:
        return f"budgetrs-{what}-{self._name}" + ("" if number is None else f"-{number}")

    def _at_learner(self, number: int = 0) -> dict[str, Any]:
        """Say where a task of the learner runs: there only, before all loads, and in order."""
        return {"workers": [self._where], "priority": len(self._parts) - number}

    def _submit(self, what: str, function: Any, *args: Any) -> distributed.Future:
        """Submit a task to the worker that learns."""
        return self._client.submit(function, *args, key=self._key(what), pure=False, **self._at_learner())

    def _results_of(self, futures: list[distributed.Future]) -> list[Any]:
        """Wait for all, or for the first error."""

        async def gathered() -> Any:
            found: Any = self._client.gather(futures, asynchronous=True)
            return await found

        patience = _POLL
        while True:
            try:
                found: Any = self._client.sync(gathered, callback_timeout=patience)
            except TimeoutError:
                for future in futures:
                    if future.status == "error":  # it may be the task's own
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
                patience *= 2  # what is there may be large


def _is_finished(future: distributed.Future) -> bool:
    return future.status == "finished"
