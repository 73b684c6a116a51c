"""A thread that does the jobs of many requests at once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException

LOG = logging.getLogger("service")
GROUP = 64  # jobs of one commit
SILENT_SECONDS = 30.0  # without a step


class Worker:
    """Takes up to 64 jobs from its queue, so that they share a commit; without jobs it steps each second."""

    def __init__(self, name: str) -> None:
        self.on_failure: Callable[[], None] = lambda: None
        self.ended = self.failed = False
        self.stepped_at = time.monotonic()
        self._queue: queue.SimpleQueue[tuple[Any, asyncio.Future] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._error = HTTPException(503, f"the thread {name!r} has ended: restart the service")

    def work(self, jobs: list[Any]) -> list[Any]:
        """Return the result of each job, or an exception."""
        return [None] * len(jobs)

    def after(self, is_last: bool) -> None:
        """Do what may wait until the jobs are answered."""

    async def do(self, job: Any) -> Any:
        """Hand a job to the thread and wait for its result."""
        done = asyncio.get_running_loop().create_future()
        self._queue.put((job, done))
        if self.ended:  # checked last: a thread that ends now still answers what is in the queue
            raise self._error
        return await done

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Do the jobs in the queue, and end the thread."""
        if self._thread.ident:
            self._queue.put(None)
            self._thread.join()

    def trouble(self) -> str | None:
        if self.ended:
            return self._error.detail
        silent = time.monotonic() - self.stepped_at > SILENT_SECONDS
        return f"the thread {self._thread.name!r} is silent" if silent else None

    def _run(self) -> None:
        taken: list[tuple[Any, asyncio.Future] | None] = []
        try:
            while None not in taken:
                taken = self._take()
                jobs = [entry for entry in taken if entry]
                _answer(jobs, self.work([job for job, _ in jobs]))
                self.after(is_last=None in taken)
                self.stepped_at = time.monotonic()
        except BaseException:
            LOG.exception("a thread has failed, and the service ends")
            self.failed = True
            self.on_failure()
        finally:
            self.ended = True
            while not self._queue.empty():
                taken.append(self._queue.get())
            jobs = [entry for entry in taken if entry]
            _answer(jobs, [self._error] * len(jobs))

    def _take(self) -> list[tuple[Any, asyncio.Future] | None]:
        found = []
        with contextlib.suppress(queue.Empty):
            found.append(self._queue.get(timeout=1.0))
            while len(found) < GROUP and found[-1]:
                found.append(self._queue.get_nowait())
        return found


def _answer(jobs: list[tuple[Any, asyncio.Future]], results: list[Any]) -> None:
    """Wake the event loop once, which is cheaper than once per request."""

    def finish() -> None:
        for (_, done), result in zip(jobs, results, strict=True):
            if not done.done():  # it is if the client has gone
                is_error = isinstance(result, Exception)
                done.set_exception(result) if is_error else done.set_result(result)

    if jobs:
        jobs[0][1].get_loop().call_soon_threadsafe(finish)
