"""The writer: one thread that learns labelled rows, logs them and saves the model.

The model equals the log: a row is learned, committed to the log and only then acknowledged. The name of a
model file is the position of the last row that it has learned, so one rename replaces both. A start loads the
newest file and learns the rows of the log after it.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import signal
import sqlite3
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from starlette.exceptions import HTTPException

from budgetrs import Classifier

from .settings import Settings
from .storage import Label, Log, Row, Waiting

LOG = logging.getLogger("service")
INVALID = (ValueError, TypeError)  # what budgetrs raises for a row or a file
GROUP = 64  # labels of one commit
CLEAN_SECONDS = 10.0
BEST = 10  # classes of one answer
ENDED = "the writer has ended: restart the service"


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
        self.thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self.ended = False
        self._lock = threading.Lock()  # held while the model and the log may differ

    def start(self) -> None:
        """Load the newest model, learn the rest of the log, and start the thread."""
        self.settings.data.mkdir(parents=True, exist_ok=True)
        self._log, self._waiting = Log(self.settings.data), Waiting(self.settings.data)
        self._restore()
        self._remove_other_files()
        self.thread.start()

    def stop(self) -> None:
        """Learn the labels in the queue, save the model, and end the thread."""
        if not self.ended:
            self.queue.put(None)
        self.thread.join()

    def predict(self, rows: list[Row]) -> list[dict[Label, float]]:
        """Return the best classes of each row with their probabilities; none before the first learned row."""
        model = self.model
        if not model.n_samples_seen_:
            return [{} for _ in rows]
        probabilities = []
        for at, row in enumerate(rows):
            try:
                best = sorted(model.predict_proba_one(row).items(), key=lambda pair: -pair[1])
            except INVALID as error:
                raise HTTPException(422, f"row {at}: {error}") from None
            probabilities.append(dict(best[:BEST]))
        return probabilities

    def submit(self, id_: str, row: Row | None, label: Label) -> Future[int]:
        """Ask the writer to learn a row."""
        job = Job(id_, row, label)
        try:
            self.queue.put_nowait(job)
        except queue.Full:
            raise HTTPException(503, f"{self.settings.queue} labels are waiting already") from None
        if self.ended:  # checked last: a writer that ends now still answers what is in the queue
            raise HTTPException(503, ENDED)
        return job.done

    def swap(self, data: bytes) -> int:
        """Replace the model by the model of a file, which learns the rows after the returned position."""
        try:
            new = Classifier.from_bytes(data)
            if not (hasattr(new, "feature_names_in_") and new.has_probabilities and new.params["budget"]):
                raise ValueError("the model needs learned rows with column names, predict_proba and a budget")
        except INVALID as error:
            raise HTTPException(422, str(error)) from None
        with self._lock:
            if self.ended:
                raise HTTPException(503, ENDED)
            try:
                self._save(new)
            except (OSError, ValueError) as error:
                self.failed_saves += 1
                raise HTTPException(503, f"the model was not saved: {error}") from None
            self.model = new
            LOG.info("model replaced", extra={"fields": {"position": self.position}})
            return self.position

    def _run(self) -> None:
        try:
            while self._step():
                pass
        except BaseException:
            LOG.exception("the writer has failed, and the service ends")
            signal.raise_signal(signal.SIGTERM)
        finally:
            self.ended = True
            self._log.close()
            self._waiting.close()
            while not self.queue.empty():
                if job := self.queue.get():
                    job.done.set_exception(HTTPException(503, ENDED))

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
            due = last or new_rows >= self.settings.save_rows or age >= self.settings.save_seconds
            if new_rows and due:
                self._try_to_save()
        if time.monotonic() - self._cleaned_at > CLEAN_SECONDS:
            with contextlib.suppress(sqlite3.Error):  # later, then
                self._waiting.clean(self.settings.keep_days)
            self._cleaned_at = time.monotonic()
        return not last

    def _learn(self, jobs: list[Job]) -> None:
        """Learn and log rows in one transaction, then answer."""
        before, outcomes = self.position, []
        try:
            with self._log.file:
                outcomes = [self._learn_one(job) for job in jobs]
        except Exception as error:  # of SQLite, such as a full disk
            LOG.exception("the log could not be written")
            outcomes = [HTTPException(503, f"the label was not stored: {error}")] * len(jobs)
            self.position = before
            self._restore()  # the model has learned rows that are not in the log
        finally:
            for job, outcome in zip(jobs, outcomes, strict=True):
                if isinstance(outcome, HTTPException):
                    job.done.set_exception(outcome)
                else:
                    job.done.set_result(outcome)

    def _learn_one(self, job: Job) -> int | HTTPException:
        earlier = self._log.position_of(job.id)
        if earlier is not None:
            return HTTPException(409, f"the id {job.id!r} has its label already, at position {earlier}")
        if job.row is None:
            return HTTPException(404, f"no features wait under the id {job.id!r}")
        classes = self.model.classes_ if self.model.n_samples_seen_ else ()
        if len(classes) >= self.settings.max_classes and job.label not in list(classes):
            return HTTPException(422, f"the model has {len(classes)} classes already, without {job.label!r}")
        try:
            self.model.learn_one(job.row, job.label)
        except INVALID as error:
            return HTTPException(422, str(error))
        self._log.append(self.position + 1, job.id, job.row, job.label)
        self.position += 1
        return self.position

    def _restore(self) -> None:
        path = max(self.settings.data.glob("model-*.safetensors"), key=_position, default=None)
        model = Classifier.load(path) if path else Classifier(budget=self.settings.budget)
        saved = position = _position(path) if path else 0
        for found, row, label in self._log.after(position):
            if found != position + 1:
                raise RuntimeError(f"log.db has no row {position + 1}: restore it, or the model file")
            model.learn_one(row, label)
            position = found
        self.model, self.position, self.saved_position = model, position, saved
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
        self._remove_other_files()

    def _remove_other_files(self) -> None:
        """Remove older model files; a kill before it leaves one until the next start."""
        for path in self.settings.data.glob("model-*.safetensors"):
            if _position(path) != self.saved_position:
                with contextlib.suppress(OSError):
                    path.unlink()


def _position(path: Path) -> int:
    return int(path.stem.removeprefix("model-"))
