"""The writer: one thread that learns labelled rows, logs them and saves the model.

The model equals the log: a row is learned, committed to the log and only then acknowledged. The name of a
model file is the position of the last row that it has learned, so one rename replaces both. A start loads the
newest file and learns the rows of the log after it.
"""

from __future__ import annotations

import contextlib
import math
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from starlette.exceptions import HTTPException

from budgetrs import Classifier

from .metrics import LOG, Metrics
from .settings import Settings
from .storage import GROUP, Answer, Features, Label, Log, Row, Waiting, seconds_since, take

INVALID = (ValueError, TypeError)  # what budgetrs raises for a row or a file
BEST = 10  # classes of one answer
RECENT_SECONDS = 10.0  # in which a failed commit makes the service unready
CHECKPOINT_SECONDS = 10.0  # between two checkpoints of waiting.db
SILENT_SECONDS = 30.0  # without a step of a thread
MODELS = f"model-{12 * '[0-9]'}.safetensors"
ENDED = "the writer has ended: restart the service"


@dataclass
class Job:
    """A label that waits for the writer; `done` becomes its position in the log."""

    id: str
    label: Label
    row: Row | None = None
    done: Future[int] = field(default_factory=Future)


class Learner:
    """The model used for prediction, and the thread that changes it."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings, self.metrics = settings, metrics
        self.model = Classifier(budget=settings.budget)
        self.position = self.saved_position = 0
        self.saved_at = self.stepped_at = self._checkpointed_at = time.monotonic()
        self._failed_at = -1e9
        self.queue: queue.Queue[Job | None] = queue.Queue(settings.queue)
        self.thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self.ended = self.failed = False
        self.on_failure: Callable[[], None] = lambda: None
        self._lock = threading.Lock()  # held while the model and the log may differ

    def start(self) -> None:
        """Load the newest model, learn the rest of the log, and start the threads."""
        folder = self.settings.data
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as opened:  # closed if the start fails
            self._log = Log(folder)
            opened.callback(self._log.close)
            self.waiting = Waiting(folder, self.settings.keep_days, self.metrics)
            opened.callback(self.waiting.stop)
            for id_ in self._log.last_ids(10_000):  # a kill may have left their rows
                self.waiting.remove(id_)
            self._restore()
            self._remove_other_files()
            self.waiting.thread.start()
            self.thread.start()
            opened.pop_all()

    def stop(self) -> None:
        """Learn the labels in the queue, save the model, and end the thread."""
        if not self.ended:
            self.queue.put(None)
        self.thread.join()

    def trouble(self) -> str | None:
        """Say why the service cannot work now."""
        now = time.monotonic()
        checks = {
            ENDED: self.ended,
            "the last commit to log.db failed": now - self._failed_at < RECENT_SECONDS,
            "the last commit to waiting.db failed": now - self.waiting.failed_at < RECENT_SECONDS,
            "the queue of labels is almost full": self.queue.qsize() > 0.9 * self.settings.queue,
            "the writer is silent": now - self.stepped_at > SILENT_SECONDS,
            "the thread of waiting.db is silent": now - self.waiting.stepped_at > SILENT_SECONDS,
        }
        return next((text for text, is_so in checks.items() if is_so), None)

    def predict(self, rows: list[Features]) -> tuple[list[dict[Label, float]], list[Answer]]:
        """Return the best classes of each row with their probabilities, and the answers to store.

        Before the first learned row there are none.
        """
        model = self.model
        rows_learned = model.n_samples_seen_
        if not rows_learned:
            return [{} for _ in rows], [Answer(None, None, 0) for _ in rows]
        probabilities, answers = [], []
        for at, row in enumerate(rows):
            try:
                best = sorted(model.predict_proba_one(row).items(), key=lambda pair: -pair[1])
            except INVALID as error:
                raise HTTPException(422, f"row {at}: {error}") from None
            probabilities.append(dict(best[:BEST]))
            answers.append(Answer(*best[0], rows_learned))
        return probabilities, answers

    def submit(self, id_: str, label: Label) -> Future[int]:
        """Ask the writer to learn the row of an id."""
        job = Job(id_, label)
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
                self.metrics.save_failures.inc()
                raise HTTPException(503, f"the model was not saved: {error}") from None
            self.model = new
            LOG.info("model replaced", extra={"fields": {"position": self.position}})
            return self.position

    def _run(self) -> None:
        try:
            while self._step():
                self.stepped_at = time.monotonic()
        except BaseException:
            LOG.exception("the writer has failed, and the service ends")
            self.failed = True
            self.on_failure()
        finally:
            self.ended = True
            self._log.close()
            while not self.queue.empty():
                if job := self.queue.get():
                    job.done.set_exception(HTTPException(503, ENDED))

    def _step(self) -> bool:
        """Learn the labels in the queue, or wait a second for one; return False at the end."""
        jobs: list[Job | None] = take(self.queue, GROUP)
        last = None in jobs
        with self._lock:
            self._learn([job for job in jobs if job and job.done.set_running_or_notify_cancel()])
            new_rows, age = self.position - self.saved_position, time.monotonic() - self.saved_at
            due = last or new_rows >= self.settings.save_rows or age >= self.settings.save_seconds
            if new_rows and due:
                self._try_to_save()
        if time.monotonic() - self._checkpointed_at >= CHECKPOINT_SECONDS:
            self.waiting.checkpoint()
            self._checkpointed_at = time.monotonic()
        return not last

    def _learn(self, jobs: list[Job]) -> None:
        """Learn and log rows in one transaction, count them, then answer."""
        if not jobs:
            return
        before, mistakes, outcomes = self.position, self.model.n_mistakes_, []
        try:
            with self._log.file:
                outcomes = [self._learn_one(job) for job in jobs]
        except Exception as error:  # of SQLite, such as a full disk
            LOG.exception("the log could not be written")
            self.metrics.commit_failures.inc()
            self._failed_at = time.monotonic()
            outcomes = [HTTPException(503, f"the label was not stored: {error}")] * len(jobs)
            self.position = before
            self._restore()  # the model has learned rows that are not in the log
        else:
            self._failed_at = -1e9
            self.metrics.mistakes.inc(self.model.n_mistakes_ - mistakes)
            for job, outcome in zip(jobs, outcomes, strict=True):
                if not isinstance(outcome, HTTPException):
                    self._count(job)
                    self.waiting.remove(job.id)
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
        try:
            job.row = self.waiting.get(job.id)
        except sqlite3.Error as error:
            return HTTPException(503, f"waiting.db could not be read: {error}")
        if job.row is None:
            return HTTPException(404, f"no features wait under the id {job.id!r}")
        classes = self.model.classes_ if self.model.n_samples_seen_ else ()
        if len(classes) >= self.settings.max_classes and job.label not in list(classes):
            return HTTPException(422, f"the model has {len(classes)} classes already, without {job.label!r}")
        try:
            self.model.learn_one(job.row.features, job.label)
        except INVALID as error:
            return HTTPException(422, str(error))
        self._log.append(self.position + 1, job.id, job.row, job.label)
        self.position += 1
        return self.position

    def _count(self, job: Job) -> None:
        """Compare the committed label with the answer that the client got."""
        self.metrics.rows_learned.inc()
        self.metrics.label_delay.observe(seconds_since(job.id))
        answer = job.row.answer
        if answer.label is not None:
            is_right = answer.label == job.label
            probability = answer.probability if is_right else 1 - answer.probability
            self.metrics.served_labels.inc()
            self.metrics.served_mistakes.inc(not is_right)
            self.metrics.served_log_loss.inc(-math.log(min(max(probability, 1e-15), 1.0)))

    def _restore(self) -> None:
        path = max(self.settings.data.glob(MODELS), key=_position, default=None)
        model = Classifier.load(path) if path else Classifier(budget=self.settings.budget)
        saved = position = _position(path) if path else 0
        if (last := self._log.last_position()) < saved:
            raise RuntimeError(
                f"log.db ends at position {last}, but the model file is at {saved}: restore log.db,"
                " or begin a new log: move the file into an empty folder as model-000000000000.safetensors"
            )
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
            self.metrics.save_failures.inc()
            self.saved_at = time.monotonic()
            LOG.exception("the model could not be saved")

    def _save(self, model: Classifier) -> None:
        path = self.settings.data / f"model-{self.position:012}.safetensors"
        model.save(path)  # atomic, and on the disk when it returns
        self.saved_position, self.saved_at = self.position, time.monotonic()
        self._remove_other_files()

    def _remove_other_files(self) -> None:
        """Remove older model files; a kill before it leaves one until the next start."""
        for path in self.settings.data.glob(MODELS):
            if _position(path) != self.saved_position:
                with contextlib.suppress(OSError):
                    path.unlink()


def _position(path: Path) -> int:
    return int(path.stem.removeprefix("model-"))
