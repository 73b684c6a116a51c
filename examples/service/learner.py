"""The writer: one thread that learns labelled rows, logs them and saves the model.

The model equals the log: a row is learned, committed to the log and only then acknowledged. The name of a
model file is the position of the last row that it has learned, so one rename replaces both. A start loads the
newest file and learns the rows of the log after it.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import sqlite3
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from budgetrs import Classifier

from .settings import Settings
from .storage import Label, Log, Row, Waiting

LOG = logging.getLogger("service")
INVALID = (ValueError, TypeError)  # what budgetrs raises for a row or a file
GROUP = 64  # labels of one commit
CLEAN_SECONDS = 10.0
ENDED = "the writer has ended: restart the service"


class RefusedError(Exception):
    """A request that changes nothing, with the status of its answer."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class Job:
    """A label that waits for the writer; `done` becomes its position in the log."""

    id: str
    row: Row | None
    label: Label
    done: Future[int] = field(default_factory=Future)


class Learner:
    """The model used for prediction, and the thread that changes it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.model = Classifier(budget=settings.budget)
        self.position = self.saved_position = self.failed_saves = 0
        self.saved_at = self._cleaned_at = time.monotonic()
        self.queue: queue.Queue[Job | None] = queue.Queue(settings.queue)
        self.thread = threading.Thread(target=self._run, name="writer")
        self._lock = threading.Lock()  # held while the model and the log may differ

    def start(self) -> None:
        """Load the newest model, learn the rest of the log, and start the thread."""
        self.settings.data.mkdir(parents=True, exist_ok=True)
        self._log, self._waiting = Log(self.settings.data), Waiting(self.settings.data)
        self._restore()
        self.thread.start()

    def stop(self) -> None:
        """Learn the labels in the queue, save the model, and end the thread."""
        if self.thread.is_alive():
            self.queue.put(None)
        self.thread.join()

    def predict(self, rows: list[Row]) -> list[dict[Label, float]]:
        """Return the probability of each class for each row; empty before the first row is learned."""
        model = self.model
        if not model.n_samples_seen_:
            return [{} for _ in rows]
        probabilities = []
        for at, row in enumerate(rows):
            try:
                probabilities.append(model.predict_proba_one(row))
            except INVALID as error:
                raise RefusedError(422, f"row {at}: {error}") from None
        return probabilities

    def submit(self, id_: str, row: Row | None, label: Label) -> Future[int]:
        """Ask the writer to learn a row."""
        job = Job(id_, row, label)
        if not self.thread.is_alive():
            raise RefusedError(503, ENDED)
        try:
            self.queue.put_nowait(job)
        except queue.Full:
            raise RefusedError(503, f"{self.settings.queue} labels are waiting already") from None
        return job.done

    def swap(self, data: bytes) -> int:
        """Replace the model by the model of a file, which learns the rows after the returned position."""
        try:
            new = Classifier.from_bytes(data)
            if not (hasattr(new, "feature_names_in_") and new.has_probabilities):
                raise ValueError("the model must have learned rows with column names, and have predict_proba")
        except INVALID as error:
            raise RefusedError(422, str(error)) from None
        with self._lock:
            try:
                self._save(new)
            except (OSError, ValueError) as error:
                raise RefusedError(503, f"the model was not saved: {error}") from None
            self.model = new
            LOG.info("model replaced", extra={"fields": {"position": self.position}})
            return self.position

    def _run(self) -> None:
        try:
            while self._step():
                pass
        except BaseException:
            LOG.exception("the writer has failed")  # GET /health says so
            raise
        finally:
            self._log.close()
            self._waiting.close()
            while not self.queue.empty():
                if job := self.queue.get():
                    job.done.set_exception(RefusedError(503, ENDED))

    def _step(self) -> bool:
        """Learn the labels in the queue, or wait a second for one; return False at the end."""
        jobs: list[Job | None] = []
        with contextlib.suppress(queue.Empty):
            jobs.append(self.queue.get(timeout=1.0))
            while len(jobs) < GROUP and jobs[-1]:
                jobs.append(self.queue.get_nowait())
        last = None in jobs
        with self._lock:
            self._learn([job for job in jobs if job and job.done.set_running_or_notify_cancel()])
            new_rows, age = self.position - self.saved_position, time.monotonic() - self.saved_at
            if new_rows and (
                last or new_rows >= self.settings.save_rows or age >= self.settings.save_seconds
            ):
                self._try_to_save()
        if time.monotonic() - self._cleaned_at > CLEAN_SECONDS:
            with contextlib.suppress(sqlite3.Error):  # later, then
                self._waiting.clean(self.settings.keep_days)
            self._cleaned_at = time.monotonic()
        return not last

    def _learn(self, jobs: list[Job]) -> None:
        """Learn and log rows in one transaction, then answer."""
        stored = True
        try:
            with self._log.file:
                outcomes = [self._learn_one(job) for job in jobs]
        except Exception as error:  # of SQLite, such as a full disk
            LOG.exception("the log could not be written")
            stored, outcomes = False, [RefusedError(503, f"the label was not stored: {error}")] * len(jobs)
        for job, outcome in zip(jobs, outcomes, strict=True):
            if isinstance(outcome, RefusedError):
                job.done.set_exception(outcome)
            else:
                job.done.set_result(outcome)
        if not stored:  # the model has learned rows that are not in the log
            self._restore()

    def _learn_one(self, job: Job) -> int | RefusedError:
        earlier = self._log.position_of(job.id)
        if earlier is not None:
            return RefusedError(409, f"the id {job.id!r} has its label already, at position {earlier}")
        if job.row is None:
            return RefusedError(404, f"no features wait under the id {job.id!r}")
        try:
            self.model.learn_one(job.row, job.label)
        except INVALID as error:
            return RefusedError(422, str(error))
        self._log.append(self.position + 1, job.id, job.row, job.label)
        self.position += 1
        return self.position

    def _restore(self) -> None:
        path = max(self.settings.data.glob("model-*.safetensors"), key=_position, default=None)
        model = Classifier.load(path) if path else Classifier(budget=self.settings.budget)
        self.position = self.saved_position = _position(path) if path else 0
        for position, row, label in self._log.after(self.position):
            model.learn_one(row, label)
            self.position = position
        self.model = model
        LOG.info("model loaded", extra={"fields": {"file": path, "position": self.position}})

    def _try_to_save(self) -> None:
        try:
            self._save(self.model)
        except (OSError, ValueError):  # no row is lost: all are in the log
            self.failed_saves += 1
            self.saved_at = time.monotonic()
            LOG.exception("the model could not be saved")

    def _save(self, model: Classifier) -> None:
        path = self.settings.data / f"model-{self.position:012}.safetensors"
        model.save(path)  # atomic, and on the disk when it returns
        self.saved_position, self.saved_at = self.position, time.monotonic()
        for old in self.settings.data.glob("model-*.safetensors"):
            if old != path:
                with contextlib.suppress(OSError):
                    old.unlink()


def _position(path: Path) -> int:
    return int(path.stem.removeprefix("model-"))
