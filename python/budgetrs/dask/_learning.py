"""Learning from a collection: the client's side."""

from __future__ import annotations

import operator
from os import PathLike
from pathlib import Path
from typing import Any

import distributed
from dask.utils import parse_bytes
from distributed.scheduler import KilledWorker

from ..cli.progress import Lines, Progress
from ..cli.progress import progress as shown_progress
from ..cli.report import Line
from ._batches import Partitions, partitions
from ._checkpoints import Folder, Memory, described
from ._learner import LearnerLostError, Plan, Report
from ._models import is_estimator, is_regressor, reject_other_models
from ._run import Run

_AT_ONCE = 2  # partitions submitted per learned partition: while more are submitted, the learner waits
_MAX_PREFETCHED = 100  # partitions, however small
_MAX_LOSSES = 10  # lost workers without another learned partition in between


def learn(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    classes: Any = None,
    client: distributed.Client | None = None,
    checkpoint_dir: str | PathLike[str] | None = None,
    checkpoint_rows: int = 1_000_000,
    prefetch_bytes: int | str = "256 MiB",
    progress: bool | None = None,
) -> Any:
    """Train a model on one worker, partition by partition, while the other workers load and parse rows.

    Use it for data that do not fit in memory. The result is bit-identical to a loop over the partitions with
    ``model.learn(part, y)``, or `partial_fit` of an estimator. If the worker that trains is lost, another
    worker continues from the last checkpoint. Partitions without rows are skipped.

    Parameters
    ----------
    model : Classifier, Regressor or an estimator of budgetrs
        The model to start from. It is not changed.
    X : dask array of shape (n, d), dask data frame, bag of dicts, or list of delayed partitions
        The rows. Each partition must fit in the memory of a worker. Persist collections whose partitions
        depend on each other, as after a shuffle. The first rows of a bag determine the columns; a name that a
        row lacks is a missing value. A delayed partition is a frame, ``(X, y)`` or ``(X, y, sample_weight)``.
    y : str, dask series or dask array of shape (n,), optional
        Labels or targets: the name of a column or a series for a frame, a name for a bag, an array for an
        array. None if delayed partitions contain them.
    sample_weight : str, dask series or dask array of shape (n,), optional
        Weights of the rows, in the form of `y`.
    classes : sequence, optional
        All labels of the stream. By default new classes may appear at any time. An estimator needs `classes`
        unless the first partition with rows has all classes. A trained model accepts only its own classes, or
        None.
    client : distributed.Client, optional
        By default the current one.
    checkpoint_dir : path, optional
        A directory that this process and all workers can read and write. It keeps the last two model
        files: ``partitions-00000042.safetensors`` has learned 42 partitions. A later call with the same
        arguments continues from the newer file. The call raises an error if the model, the number of
        partitions, the names of `y` and `sample_weight`, the classes, or the first partition differ. By
        default this process keeps the last checkpoint in memory.
    checkpoint_rows : int, default=1_000_000
        The number of rows between checkpoints, which are made at the end of a partition. Fewer rows lose less
        work and cost more transfers. The last checkpoint is made at the end.
    prefetch_bytes : int or str, default="256 MiB"
        The number of bytes of partitions that are loaded ahead: at least 1 partition, at most 100. Increase
        it if training waits for loading.
    progress : bool, optional
        Whether to show progress on standard error; by default, if standard error is a terminal. The tasks are
        ``budgetrs-load`` and ``budgetrs-learn`` in Dask's dashboard.

    Returns
    -------
    model
        A model of the same class.

    Raises
    ------
    TypeError, ValueError
        If an argument or a partition is invalid, or the directory belongs to another run. A note of the error
        names the partition.
    KilledWorker, RuntimeError
        If workers were lost ten times in one partition, or there was no worker for the time set by
        ``distributed.scheduler.no-workers-timeout`` (by default unlimited).

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
    >>> model.n_samples_seen_
    1000
    """
    reject_other_models(model)
    every, bytes_ahead = _rows(checkpoint_rows), _bytes(prefetch_bytes)
    if classes is not None and is_regressor(model):
        raise TypeError(f"classes are for classifiers, got a {type(model).__name__}")
    parts = partitions(X, y, sample_weight)
    folder = None if checkpoint_dir is None else Folder(Path(checkpoint_dir).absolute())
    client = _client(client)
    quiet = progress is False
    with shown_progress("learning", quiet=quiet) as shown:
        if progress is None and isinstance(shown, Lines):
            shown = Progress("learning")
        learning = _Learning(
            client, model, parts, Plan(folder, every, classes, len(parts)), bytes_ahead, shown
        )
        return learning.learned()


def _rows(every: Any) -> int:
    rows = _integer(every)
    if rows is None or rows < 1:
        raise ValueError(f"checkpoint_rows must be an integer >= 1, got {every!r}")
    return rows


def _bytes(prefetch: Any) -> int:
    try:
        size = parse_bytes(prefetch) if isinstance(prefetch, str) else _integer(prefetch)
    except ValueError:
        size = None
    if size is None or size < 0:
        raise ValueError(
            f"prefetch_bytes must be a number of bytes >= 0 or a size as '256 MiB', got {prefetch!r}"
        )
    return size


def _integer(value: Any) -> int | None:
    """Return an integer, also from a NumPy integer; None for other values."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _client(client: Any) -> distributed.Client:
    """Return the given client, or else the current one."""
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


class _Learning:
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
        """Learn all partitions, with a new run from the last checkpoint whenever the learner is lost."""
        self._begin()
        losses = 0
        while True:
            before = self._furthest
            run = self._new_run()
            try:
                return self._continue(run)
            except (LearnerLostError, KilledWorker) as error:
                losses = losses + 1 if self._furthest == before else 1
                if losses == _MAX_LOSSES:
                    error.add_note(f"at partition {self._furthest} of {len(self._parts)}, {losses} times")
                    raise
            finally:
                run.end()

    def _begin(self) -> None:
        """Write the description of this call to the checkpoint folder; raise if another one is there."""
        folder = self._plan.folder
        if folder is not None:
            description = described(self._model, self._parts, self._plan.classes)
            folder.begin({**description, **self._new_run().first_contents()})

    def _new_run(self) -> Run:
        return Run(self._client, self._plan, self._parts, self._packs)

    def _continue(self, run: Run) -> Any:
        model, done = self._kept.last(self._model) or (self._model, 0)
        run.begin(model, done)
        learned = 1
        while done < len(self._parts):
            prefetched = min(max(1, self._prefetch // self._largest), _MAX_PREFETCHED) if self._largest else 1
            end = min(done + 1 + prefetched, run.submitted + _AT_ONCE * learned, len(self._parts))
            run.submit_to(end)
            reports = run.next_reports()
            learned = len(reports)
            for report in reports:
                done += 1
                self._record(report, done)
        return run.result()

    def _record(self, report: Report, done: int) -> None:
        self._largest = max(self._largest, report.n_bytes)
        if done > self._furthest:
            self._furthest = done
            self._rows += report.rows
        if report.checkpoint is not None and isinstance(self._kept, Memory):
            self._kept.keep(report.checkpoint, done)
        vectors = Line("support vectors", f"{report.n_support_vectors} support vectors", {})
        self._shown.update(done / len(self._parts), self._rows, vectors)
