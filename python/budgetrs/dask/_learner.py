"""The tasks of the worker that learns partitions in order."""

from __future__ import annotations

import pickle
import sys
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._batches import Batch, Packed
from ._checkpoints import Folder
from ._models import copied, is_estimator, is_regressor, native_of


class LearnerLostError(RuntimeError):
    """The worker that learns is gone, or its model has not the state that a task expects."""


@dataclass(frozen=True)
class Plan:
    """The settings of all tasks."""

    folder: Folder | None
    every: int
    classes: Any
    count: int
    """The number of partitions."""


@dataclass(frozen=True)
class Report:
    """The report on a learned partition, which the client receives."""

    rows: int
    n_bytes: int
    n_support_vectors: int
    checkpoint: bytes | None


class Learner:
    """A model that learns on this worker, and the number of partitions that it has learned.

    Dask recomputes lost results, but this model changes as it learns. Therefore each task names its
    partition: the next one, or the one after it, which waits for its turn. Any other partition is an error,
    after which the client goes back to the last checkpoint.
    """

    def __init__(self, model: Any, done: int, plan: Plan) -> None:
        # Within one process this is the client's model, which must not change.
        self.model, self.done, self._since, self._plan = copied(model), done, 0, plan
        self._has_learned = done > 0  # whether rows of this run were learned
        self._early: Batch | None = None  # the partition after the next one
        self._turn = threading.Lock()  # held while a partition is learned: a worker may have several threads

    def learn(self, number: int, batch: Batch) -> list[Report]:
        """Learn the next partition, and the one after it if it waits; an early partition has to wait."""
        with self._turn:
            if number == self.done + 1:
                self._early = batch
                return []
            self._reject_other_than(number)
            reports = [self._learn_next(batch)]
            if self._early is not None:
                early, self._early = self._early, None
                reports.append(self._learn_next(early))
            return reports

    def _learn_next(self, batch: Batch) -> Report:
        number, rows = self.done, batch.rows
        try:
            if rows:
                self._learn_rows(batch)
            # A failed call has learned nothing, and ends the run.
            self.done += 1
            self._since += rows
            checkpoint = self._checkpoint() if self._since >= self._plan.every else None
        except Exception as error:
            error.add_note(partition_label(number, self._plan.count))
            raise
        vectors = getattr(native_of(self.model), "n_support_vectors_", 0)
        return Report(rows, sys.getsizeof(batch), vectors, checkpoint)

    def finish(self, number: int) -> Any:
        """Return the model after the last partition."""
        self._reject_other_than(number)
        if self._plan.folder is not None:
            self._checkpoint()
        return self.model

    def _reject_other_than(self, number: int) -> None:
        if self.done != number:
            raise LearnerLostError(f"the learner has learned {self.done} partitions, expected {number}")

    def _learn_rows(self, batch: Batch) -> None:
        classes = self._plan.classes
        X: Any = batch.X.unpacked() if isinstance(batch.X, Packed) else batch.X
        if batch.is_of_dicts:
            known = dict.fromkeys(getattr(native_of(self.model), "feature_names_in_", ()))
            X = X.reindex(columns=list({**known, **dict.fromkeys(X.columns)}))
        more = {} if classes is None or self._has_learned else {"classes": classes}
        learn = self.model.partial_fit if is_estimator(self.model) else self.model.learn
        try:
            learn(X, batch.y, sample_weight=batch.weight, **more)
        except ValueError as error:
            if classes is None and self._needs_classes() and _is_of_one_class(batch.y):
                error.add_note("pass classes= to learn: the first partition holds one class only")
            raise
        self._has_learned = True

    def _needs_classes(self) -> bool:
        """Return whether the model is a classifier estimator without classes."""
        model = self.model
        return (
            is_estimator(model)
            and not is_regressor(model)
            and not hasattr(native_of(model), "n_features_in_")
        )

    def _checkpoint(self) -> bytes | None:
        """Save the model; return its bytes if the client keeps checkpoints in memory."""
        self._since = 0
        folder = self._plan.folder
        if folder is None:
            return pickle.dumps(self.model)
        if native_of(self.model) is not None:
            folder.save(self.model, self.done)
        return None

    def __reduce__(self) -> Any:
        raise TypeError("a learner stays on its worker")

    def __sizeof__(self) -> int:
        return sys.getsizeof(native_of(self.model))


def _is_of_one_class(y: Any) -> bool:
    return len(np.unique(np.asarray(y).astype(str))) == 1


def start(model: Any, done: int, plan: Plan) -> Learner:
    """Return a learner of a model that has learned `done` partitions."""
    return Learner(model, done, plan)


def learn(learner: Learner, number: int, batch: Batch, *before: Any) -> list[Report]:  # noqa: ARG001
    """Learn a partition; `before` are reports of earlier partitions, on which the task depends."""
    return learner.learn(number, batch)


def finish(learner: Learner, number: int) -> Any:
    """Return the model after the last partition."""
    return learner.finish(number)


def partition_label(number: int, count: int) -> str:
    """Return the label of a partition for notes at errors."""
    return f"in partition {number} of {count}, counted from 0"
