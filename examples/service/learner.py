"""The writer: one thread that learns, logs and saves; no other changes the models or the log.

A label is learned by all models, written to the log with its row, committed, and only then acknowledged. A
start loads the model files and learns the rows of the log after them.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException

from budgetrs import Classifier

from .metrics import Metrics
from .models import INVALID, Scorer, check, role
from .settings import Settings
from .storage import RECENT_SECONDS, Features, Label, Log, Row, Waiting
from .worker import LOG, Worker

MAX_LAG = 10_000  # rows that an uploaded model may have to learn, while labels wait


class Item(NamedTuple):
    """A label of a request; `features` are used if no row waits under the id."""

    id: str
    label: Label
    features: Features | None
    corrects: bool


class Learner(Scorer):
    """The thread that learns."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        super().__init__(settings, metrics, "writer")
        self.position = self.queued_labels = 0
        self.saved_at = time.monotonic()
        self._failed_at = -1e9

    def start(self) -> None:
        """Load the models, learn the rest of the log, and start the threads."""
        with contextlib.ExitStack() as opened:  # closed if the start fails
            self._log = Log(self.settings.data)
            opened.callback(self._log.close)
            self.waiting = Waiting(self.settings.data, self.settings.keep_days, self.metrics)
            opened.callback(self.waiting.stop)
            if (last := self._log.last_position()) < (position := self.waiting.position()):
                raise RuntimeError(f"log.db ends at position {last}, not {position}: restore log.db")
            self.waiting.remove(self._log.last(10_000))  # a kill may have left their rows
            self._restore()
            for name, model in self.models.by_name.items():
                if "position" not in model.metadata:  # a new model, or a file from elsewhere
                    self.models.save(name, self.position)
            self.waiting.on_failure = self.on_failure
            self.waiting.start()
            Worker.start(self)
            opened.pop_all()

    def stop(self) -> None:
        super().stop()
        self._log.close()

    def trouble(self) -> str | None:
        """Say why the service cannot work now."""
        if found := super().trouble():
            return found
        if time.monotonic() - self._failed_at < RECENT_SECONDS:
            return "the last commit to log.db failed"
        is_full = self.queued_labels > 0.9 * self.settings.queue
        return "the queue of labels is almost full" if is_full else None

    @property
    def saved_position(self) -> int:
        """The next start learns the rows of the log after it."""
        return min(self.models.positions().values())

    async def learn(self, items: list[Item]) -> list[dict[str, Any]]:
        """Learn and log labels; return the position of each, or why it was refused."""
        if self.queued_labels and self.queued_labels + len(items) > self.settings.queue:
            raise HTTPException(503, f"{self.queued_labels} labels are waiting already")
        self.queued_labels += len(items)
        try:
            return await self.do(items)
        finally:
            self.queued_labels -= len(items)

    def work(self, jobs: list[list[Item] | Callable[[], None]]) -> list[Any]:
        results = iter(self._learn([job for job in jobs if isinstance(job, list)]))
        return [next(results) if isinstance(job, list) else self._change(job) for job in jobs]

    def after(self, is_last: bool) -> None:
        self.models.refresh()
        new_rows, age = self.position - self.saved_position, time.monotonic() - self.saved_at
        is_due = is_last or new_rows >= self.settings.save_rows or age >= self.settings.save_seconds
        if new_rows and is_due:
            self.saved_at = time.monotonic()
            for name in self.models.by_name:
                try:
                    self.models.save(name, self.position)
                except (OSError, ValueError):  # no row is lost: all are in the log
                    self.metrics.count("save_failures")
                    LOG.exception("a model could not be saved")

    def put(self, name: str, model: Classifier) -> None:
        """Add or replace a model, which has learned the log up to its position, by default to the end."""
        check(model)
        if not model.n_samples_seen_:
            raise ValueError("the model needs learned rows")
        models = self.models.by_name
        if len(models.keys() | {name}) > self.settings.models:
            raise HTTPException(409, f"at most {self.settings.models} models: remove one first")
        position = model.metadata.get("position", self.position)
        first = max(0, self.position - MAX_LAG)
        if not first <= position <= self.position:
            raise ValueError(f"metadata['position'] must be from {first} to {self.position}, got {position}")
        self._catch_up(name, model, position)
        model.metadata["promoted"] = models[name].metadata.get("promoted", 0) if name in models else 0
        self.models.by_name = {**models, name: model}
        try:
            self.models.save(name, self.position)
        except BaseException:
            self.metrics.count("save_failures")
            self.models.by_name = models
            raise

    def promote(self, name: str) -> None:
        """Make a model the champion."""
        self._find(name)
        self.models.promote(name, self.position)

    def remove(self, name: str) -> None:
        """Remove a challenger."""
        if self._find(name) == self.models.champion:
            raise HTTPException(409, f"{name!r} is the champion: promote another model first")
        self.models.remove(name)

    def _find(self, name: str) -> str:
        if name not in self.models.by_name:
            raise HTTPException(404, f"no model is called {name!r}: there are {sorted(self.models.by_name)}")
        return name

    def _change(self, change: Callable[[], None]) -> Any:
        try:
            change()
        except HTTPException as error:
            return error
        except (*INVALID, RuntimeError) as error:
            return HTTPException(422, str(error))
        except OSError as error:
            return HTTPException(503, f"the model was not saved: {error}")
        self.models.refresh()
        LOG.info("models changed", extra={"models": self.models.positions(), "position": self.position})
        return self.position

    def _learn(self, jobs: list[list[Item]]) -> list[Any]:
        """Learn and log the labels of some requests in one transaction, then count them."""
        ids = [item.id for job in jobs for item in job]
        if not ids:
            return []
        before, learned = self.position, []
        try:
            waiting, logged = self.waiting.get(ids), self._log.get(ids)
            self._log.file.execute("BEGIN IMMEDIATE")  # if another process holds the file, nothing is learned
        except sqlite3.Error as error:
            return self._not_stored(jobs, error)
        try:
            with self._log.file:
                results = [[self._learn_one(item, waiting, logged, learned) for item in job] for job in jobs]
        except Exception as error:  # of SQLite, such as a full disk
            LOG.exception("the log could not be written")
            self.position = before
            self._restore()  # the models have learned rows that are not in the log
            return self._not_stored(jobs, error)
        if learned:
            self._failed_at = -1e9
            self._count(learned)
            self.waiting.remove({item.id: logged[item.id][0] for item, _ in learned})
        return results

    def _not_stored(self, jobs: list[list[Item]], error: Exception) -> list[HTTPException]:
        self.metrics.count("commit_failures")
        self._failed_at = time.monotonic()
        return [HTTPException(503, f"the labels were not stored: {error}")] * len(jobs)

    def _learn_one(
        self,
        item: Item,
        waiting: dict[str, Row],
        logged: dict[str, tuple[int, Label, Features]],
        learned: list[tuple[Item, Row]],
    ) -> dict[str, Any]:
        id_, label, features, corrects = item
        refused = {"id": id_, "status": 422, "detail": ""}
        position, old_label, old_features = logged.get(id_, (0, None, None))
        if corrects and not position:
            return refused | {"status": 404, "detail": f"the id {id_!r} has no label to correct"}
        if position and not (corrects and (label, type(label)) != (old_label, type(old_label))):
            detail = f"the id {id_!r} has its label already, at position {position}"
            return refused | {"status": 409, "detail": detail}
        row = Row(time.time(), old_features or features, [])
        if not position:
            row = waiting.get(id_, row)
        if not row.features:
            return refused | {"status": 404, "detail": f"no features wait under the id {id_!r}"}
        model = self.models.by_name[self.models.champion]
        classes = model.classes_.tolist() if model.n_samples_seen_ else []
        if len(classes) >= self.settings.max_classes and label not in classes:
            return refused | {"detail": f"the model has {len(classes)} classes already, without {label!r}"}
        try:
            self.models.learn(row.features, label)
        except INVALID as error:
            return refused | {"detail": str(error)}
        self.position += 1
        self._log.append(self.position, id_, row, label)
        logged[id_] = (self.position, label, row.features)
        learned.append((item, row))
        return {"id": id_, "position": self.position}

    def _count(self, learned: list[tuple[Item, Row]]) -> None:
        """Compare committed labels with the answers of the models at the time of the prediction."""
        counts = Counter({("rows_learned",): len(learned)})
        for item, row in learned:
            counts["corrections",] += item.corrects
            if row.answers:
                self.metrics.observe("label_delay_seconds", max(0.0, time.time() - row.time))
            for answer in row.answers:
                labels = (answer.model, role(answer.is_champion))
                is_right = answer.label == item.label
                probability = answer.probability if is_right else 1 - answer.probability
                counts["served_labels", *labels] += 1
                counts["served_mistakes", *labels] += not is_right
                counts["served_log_loss", *labels] -= math.log(min(max(probability, 1e-15), 1.0))
        for names, count in counts.items():
            self.metrics.count(*names, by=count)

    def _restore(self) -> None:
        models, self.position = self.models.load(), self._log.last_position()
        for name, model in models.items():
            position = model.metadata.get("position", self.position if model.n_samples_seen_ else 0)
            if self.position < position:
                raise RuntimeError(
                    f"log.db ends at position {self.position}, but the model {name!r} is at {position}:"
                    " restore log.db, or begin a new log in an empty folder with the model without metadata"
                )
            self._catch_up(name, model, position)
        self.models.replace(models)
        LOG.info("models loaded", extra={"models": self.models.positions(), "position": self.position})

    def _catch_up(self, name: str, model: Classifier, position: int) -> None:
        """Learn the rows of the log after a position."""
        for at, features, label in self._log.after(position):
            if at != (position := position + 1):
                raise RuntimeError(f"log.db has no row {position}: restore it")
            self.models.learn_if_valid(name, model, features, label)
