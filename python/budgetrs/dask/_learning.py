"""Learning from a collection: this process learns, the workers load."""

import copy
import sys
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import dask.bag as db
import distributed

from .._errors import check_count
from ..cli.progress import progress as shown_progress
from ..cli.report import Line
from ._checkpoints import Checkpoint
from ._loading import client_of_call, loaded, named_in_errors
from ._models import is_estimator, native_of
from ._partitions import partitions

M = TypeVar("M")


def learn(
    model: M,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    classes: Any = None,
    client: distributed.Client | None = None,
    checkpoint_dir: str | PathLike[str] | None = None,
    checkpoint_rows: int = 1_000_000,
    prefetch: int = 4,
    progress: bool | None = None,
) -> M:
    """Train a copy of a model in this process, partition by partition, while workers load the next ones.

    Use it if only the workers can read the rows, or if parsing takes longer than training. The result is
    bit-identical to a loop over the partitions with ``model.learn(part, y)``, or `partial_fit` of an
    estimator. Partitions without rows are skipped. A note of an error names its partition, also of Dask's
    KilledWorker, if a partition was lost with its worker too often.

    Parameters
    ----------
    model : Classifier, Regressor or an estimator of budgetrs
        The model to start from. The result is a model of the same class.
    X : dask array of shape (n, d), dask data frame, bag of dicts, or list of delayed partitions
        The rows. Persist collections whose partitions depend on each other, as after a shuffle. A name that
        a dict of a bag lacks is a missing value. A delayed partition is a frame, ``(X, y)`` or
        ``(X, y, sample_weight)``.
    y, sample_weight : str, dask series or dask array of shape (n,), optional
        Labels or targets, and weights: for a frame the name of a column or a series, for a bag a name, for an
        array an array. None if delayed partitions contain them.
    classes : sequence, optional
        All labels of the stream. An estimator needs them unless the first partition with rows has all labels.
    client : distributed.Client, optional
        By default the current one.
    checkpoint_dir : path, optional
        A directory for a checkpoint, which is a model file. If this process dies, the same call continues
        from the checkpoint. A checkpoint of another call raises an error.
    checkpoint_rows : int, default=1_000_000
        The number of rows between checkpoints, which are made at the end of a partition.
    prefetch : int, default=4
        The number of partitions that are loaded ahead, and held by this process. Increase it if training
        waits for loading, up to the number of threads of the cluster.
    progress : bool, optional
        Whether to show progress on standard error; by default, if standard error is a terminal.

    Examples
    --------
    >>> import dask
    >>> from distributed import Client
    >>> from budgetrs import Classifier
    >>> from budgetrs.dask import learn
    >>> parts = [dask.delayed(([[0.1], [0.9]], ["low", "high"])) for _ in range(50)]
    >>> with Client(processes=False, dashboard_address=":0"):
    ...     learn(Classifier(budget=50), parts).n_samples_seen_
    100
    """
    native_of(model)  # raises for other objects
    check_count("checkpoint_rows", checkpoint_rows)
    check_count("prefetch", prefetch)
    parts, is_bag = partitions(X, y, sample_weight), isinstance(X, db.Bag)
    count, done, n_learned, since, checkpoint = len(parts), 0, 0, 0, None
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    with client_of_call(client) as cluster, shown_progress("learning", quiet=not progress) as shown:
        if checkpoint_dir is not None:
            with named_in_errors(0, count):
                first = parts.load(cluster, 0).result()
                checkpoint = Checkpoint(Path(checkpoint_dir), count, model, classes, first)
            model, done = checkpoint.last(model)
        model = copy.deepcopy(model)
        with closing(loaded(cluster, parts, done, prefetch)) as ahead:
            for number, part in ahead:
                with named_in_errors(number, count):
                    rows = _learn_rows(model, part, classes, is_bag)
                    n_learned, since = n_learned + rows, since + rows
                    if checkpoint and (since >= checkpoint_rows or number + 1 == count):
                        checkpoint.save(model, number + 1)
                        since = 0
                vectors = f"{native_of(model).n_support_vectors_} support vectors"
                shown.update((number + 1) / count, n_learned, Line("support vectors", vectors, {}))
    return model


def _learn_rows(model: Any, part: Any, classes: Any, is_bag: bool) -> int:
    """Learn a partition, and return its number of rows."""
    X, y, weight = part
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows:
        if is_bag:  # rows may lack names that the model knows
            known = dict.fromkeys(getattr(native_of(model), "feature_names_in_", ()))
            X = X.reindex(columns=list({**known, **dict.fromkeys(X.columns)}))
        more = {} if classes is None else {"classes": classes}
        (model.partial_fit if is_estimator(model) else model.learn)(X, y, sample_weight=weight, **more)
    return rows
