"""One model per key, distributed over workers: each key belongs to a shard, and a task trains a shard."""

from __future__ import annotations

import operator
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
from dask._task_spec import List, Task, TaskRef
from distributed.scheduler import KilledWorker

from .. import _core
from .._errors import ParameterError
from .._keyed import Begin
from .._keyed import KeyedModels as LocalModels
from . import _schema, _shards
from ._batches import Partitions, partitions
from ._schema import PartitionError, Schema
from ._shards import Plan, State

_SHARDS = 64
_MOST_SHARDS = 100_000
_LABELS = {"bool": np.bool_, "integer": np.int64, "float": np.float64, "string": np.str_}


class KeyedModels:
    """`budgetrs.KeyedModels` on a cluster: one model per key, with the keys distributed over the workers.

    Use it if one machine is too slow for the rows or the number of keys. The model of a key is bit-identical
    to a model that learned the rows of its key alone, partition by partition. Exception: with text columns, a
    category of one key becomes a feature of all models of its shard. ``models[key]`` returns a copy
    of the model of a key, which has `predict_proba`, `learn_one` and all other methods.

    Parameters
    ----------
    folder : str or path-like
        The directory of the models, which this process and all workers can read and write. Models in the
        directory continue training.
    model : Classifier, Regressor or callable, optional
        The template of all models, as in `budgetrs.KeyedModels`, for a new directory. A different template
        for an existing directory raises an error.
    key : str
        The column of the frames that has the keys, integers or strings.
    n_shards : int, optional
        The number of shards of the keys, which is the largest number of parallel tasks. Set it to at least
        the number of threads of the cluster. By default 64 for a new directory.
    max_memory : int, default=2**30
        The bytes of all models that one task keeps in memory together, above which models are written to a
        temporary file, as in `budgetrs.KeyedModels`; not the limit of `budgetrs.set_memory_limit`. Prediction
        tasks of one worker share these models.
    client : distributed.Client, optional
        The Dask client; by default the current client at training.

    Raises
    ------
    ParameterError, ValueError
        If a parameter is invalid or differs from the directory, or the directory contains other files.

    See Also
    --------
    budgetrs.KeyedModels : One model per key on one machine.

    Notes
    -----
    A hash divides the keys into shards, and each shard is a directory that ``budgetrs.KeyedModels.load``
    reads. Workers load some partitions at a time and group their rows by shard. One task per shard reads its
    models, trains them and writes a new directory. The new directories replace the old ones when all shards
    are written, so the tasks of a lost worker run again. New categories become features of the models of one
    shard. One call may train at a time.

    Examples
    --------
    >>> import tempfile
    >>> import dask.dataframe as dd
    >>> import numpy as np
    >>> import pandas as pd
    >>> from distributed import Client
    >>> from budgetrs import Classifier
    >>> from budgetrs.dask import KeyedModels
    >>> rng = np.random.default_rng(0)
    >>> rows = pd.DataFrame({"x": rng.uniform(-1, 1, 2000), "user": rng.choice(["ann", "bob"], 2000)})
    >>> rows["y"] = np.where((rows.x > 0) == (rows.user == "ann"), "buys", "goes")
    >>> parts = dd.from_pandas(rows, npartitions=4)
    >>> with tempfile.TemporaryDirectory() as folder, Client(processes=False, dashboard_address=":0"):
    ...     models = KeyedModels(folder, Classifier(budget=20), key="user", n_shards=2).learn(parts, "y")
    ...     print(len(models), models["ann"].predict(pd.DataFrame({"x": [0.5]})))
    2 ['buys']
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        model: Any = None,
        *,
        key: str,
        n_shards: int | None = None,
        max_memory: int = 2**30,
        client: distributed.Client | None = None,
    ) -> None:
        if not isinstance(key, str):
            raise ParameterError(f"key must be the name of a column, got {key!r}", "key", None)
        if n_shards is not None and not _is_integer(n_shards, 1, _MOST_SHARDS):
            expected = f"an integer between 1 and {_MOST_SHARDS}"
            raise ParameterError(f"n_shards must be {expected}, got {n_shards!r}", "n_shards", None)
        self._folder, self._key, self._memory, self._client = Path(folder).resolve(), key, max_memory, client
        begin = None if model is None else _model_of(model)
        has_models = State.is_in(self._folder)
        if has_models:
            self._begin = _shards.read_begin(self._folder, self._state().begin)
        elif begin is None:
            raise ParameterError(f"model must be given: there are no models in {self._folder}", "model", None)
        else:
            self._begin = begin
        LocalModels(self._begin, max_memory=max_memory)  # raises for an invalid number of bytes
        if has_models:
            self._reject_others(begin, n_shards)
        else:
            self._start(_SHARDS if n_shards is None else n_shards)

    def learn(
        self, X: Any, y: Any, *, sample_weight: Any = None, partitions_per_step: int = 32
    ) -> KeyedModels:
        """Learn every row by the model of its key, partition by partition.

        Repeating a call learns the same rows again. After a failure, learn only the partitions of the call
        that were not written. The call wrote its first ``n`` partitions, where ``n`` is
        ``models.n_partitions_seen_`` minus its value before the call. Pass ``X.partitions[n:]``, or ``X[n:]``
        for a list; slice `y` and `sample_weight` in the same way if they are series.

        Parameters
        ----------
        X : dask data frame, or list of delayed data frames
            The rows, with the column of keys.
        y : str or dask series
            Labels or targets: the name of their column, or a series with the partitions of X.
        sample_weight : str or dask series, optional
            Weights of the rows, in the form of `y`.
        partitions_per_step : int, default=32
            The number of partitions between writes of the models. More partitions are faster. Their rows must
            fit in the memory of all workers.

        Returns
        -------
        KeyedModels
            Itself.

        Raises
        ------
        TypeError, ValueError
            As ``budgetrs.KeyedModels.learn``: all partitions of all calls need equal columns and one type of
            labels and keys. A note of the error names the partition. Partitions that were written stay
            learned.
        KilledWorker
            If a task lost its worker too often.
        """
        if not _is_integer(partitions_per_step, 1):
            raise ParameterError(
                f"partitions_per_step must be a positive integer, got {partitions_per_step!r}",
                "partitions_per_step",
                None,
            )
        if not isinstance(X, dd.DataFrame | list | tuple):
            kind = f"{type(X).__module__}.{type(X).__qualname__}"
            raise TypeError(f"X must be a dask data frame or a list of delayed data frames, got {kind}")
        if isinstance(X, dd.DataFrame):
            _shards.reject_without_key(X.columns, self._key)
        for name, value in (("y", y), ("sample_weight", sample_weight)):
            if isinstance(value, str) and value == self._key:
                raise ParameterError(f"{name} must differ from the column of keys, got {value!r}", name)
        parts = partitions(X, y, sample_weight)
        client = self._client or distributed.get_client()
        for first in range(0, len(parts), partitions_per_step):
            self._learn_some(client, parts, range(first, min(first + partitions_per_step, len(parts))))
        return self

    def predict(self, X: Any) -> Any:
        """Predict each row by the model of its key.

        The result is lazy: each task reads the models when it runs. An unknown key fails the whole
        computation, unless the template model has learned rows.

        Parameters
        ----------
        X : dask data frame
            The rows, with the column of keys.

        Returns
        -------
        dask series
            Labels, or numbers of a Regressor, with the index and partitions of X.

        Raises
        ------
        TypeError, ValueError
            If X is not a data frame with the column of keys, or no rows were learned. In tasks as
            ``budgetrs.KeyedModels.predict``.
        """
        if not isinstance(X, dd.DataFrame):
            raise TypeError(f"X must be a dask data frame, got {type(X).__module__}.{type(X).__qualname__}")
        _shards.reject_without_key(X.columns, self._key)
        state = self._state()
        meta = pd.Series(self._no_predictions(state.facts), index=X._meta.index)
        # The version makes new tasks after training: Dask may still hold predictions of earlier models.
        version = f"{state.begin}-{state.partitions}"
        return X.map_partitions(
            _shards.predict, self._plan(state), version, meta, meta=meta, token="budgetrs-keyed-predict"
        )

    @property
    def n_partitions_seen_(self) -> int:
        """Number of partitions that the directory has learned, in all calls together."""
        return self._state().partitions

    def keys(self) -> np.ndarray:
        """Return all keys, shard by shard.

        Returns
        -------
        ndarray of shape (n_keys,)
            Integers or strings.
        """
        found = [shard.keys() for shard in self._learned_shards()]
        return np.concatenate(found) if found else np.array([], dtype=np.int64)

    def __getitem__(self, key: int | str) -> Any:
        """Return a copy of the model of a key."""
        shard = self._shard_with(key)
        if shard is None:
            raise KeyError(key)
        return shard[key]

    def __contains__(self, key: object) -> bool:
        shard = self._shard_with(key)
        return shard is not None and key in shard

    def __iter__(self) -> Iterator[int | str]:
        return iter(self.keys().tolist())

    def __len__(self) -> int:
        return sum(len(shard) for shard in self._learned_shards())

    def __repr__(self) -> str:
        return f"KeyedModels of {len(self)} keys in {len(self._state().shards)} shards of {self._folder}"

    def _start(self, shards: int) -> None:
        """Create the folder of models without rows."""
        if self._folder.exists() and any(self._folder.iterdir()):
            raise ValueError(
                f"folder must be empty or a directory of budgetrs.dask.KeyedModels, got {self._folder}"
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        begin = _shards.write_begin(self._folder, self._begin)
        State(begin, self._key, 0, [begin] * shards, Schema.of_model(self._begin)).write(self._folder)

    def _reject_others(self, begin: Begin | None, shards: int | None) -> None:
        """Raise if parameters differ from the parameters of the folder."""
        state = self._state()
        if self._key != state.key:
            raise ParameterError(
                f"key must be {state.key!r}, as in the folder {self._folder}, got {self._key!r}", "key", None
            )
        if shards not in (None, len(state.shards)):
            has = f"{len(state.shards)}, as in the folder {self._folder}"
            raise ParameterError(f"n_shards must be left out or {has}, got {shards}", "n_shards", None)
        if begin is not None and begin.to_bytes() != self._begin.to_bytes():
            has, got = _difference(self._begin, begin)
            what = f"what models in the folder {self._folder} begin as, {has}"
            raise ParameterError(f"model must be left out or {what}, got {got}", "model", None)

    def _state(self) -> State:
        return State.read(self._folder)

    def _plan(self, state: State) -> Plan:
        return Plan(str(self._folder), state.begin, self._key, len(state.shards), self._memory)

    def _opened(self, name: str) -> LocalModels:
        return LocalModels.load(self._folder / name, max_memory=self._memory)

    def _learned_shards(self) -> Iterator[LocalModels]:
        state = self._state()
        return (self._opened(name) for name in state.shards if name != state.begin)

    def _shard_with(self, key: Any) -> LocalModels | None:
        """Return the shard of a key; None for a value that cannot be a key."""
        if not isinstance(key, str):
            try:
                key = np.int64(operator.index(key))
            except (TypeError, OverflowError):
                return None
        names = self._state().shards
        keys = np.array([key], object if isinstance(key, str) else np.int64)
        return self._opened(names[_shards.shard_of(keys, len(names))[0]])

    def _no_predictions(self, schema: Schema) -> np.ndarray:
        """Return an empty array with the type of predictions."""
        if schema.dtype is None:
            raise ValueError("no model has learned yet")
        if isinstance(self._begin, _core.Regressor):
            return np.empty(0, schema.dtype)
        classes = getattr(self._begin, "classes_", None)
        return np.empty(0, _LABELS[schema.labels or "integer"]) if classes is None else classes[:0]

    def _learn_some(self, client: distributed.Client, parts: Partitions, numbers: range) -> None:
        """Learn partitions, write the changed shards, and then write the state that names them."""
        state = self._state()
        try:
            schema, *shards = self._results(client, state, parts, numbers)
            done = state.partitions + len(numbers)
            State(state.begin, state.key, done, shards, schema).write(self._folder)
        finally:
            self._remove_old()

    def _results(self, client: distributed.Client, state: State, parts: Partitions, numbers: range) -> Any:
        """Learn partitions, and return their common schema and the new names of all shards."""
        graph, schema_keys, wanted = self._graph(state, parts, numbers)
        futures: Any = []
        try:
            futures = client.get(graph, [*schema_keys, *wanted], sync=False)
            with _thread_left():
                for number, future in zip(numbers, futures, strict=False):
                    _wait(future, number, len(parts))
                return client.gather(futures[len(schema_keys) :])
        except PartitionError as failed:
            raise _noted(failed.error, failed.number, len(parts)).with_traceback(
                failed.__traceback__
            ) from None
        finally:
            for future in futures:
                future.release()

    def _graph(
        self, state: State, parts: Partitions, numbers: range
    ) -> tuple[dict[Any, Any], list[str], list[str]]:
        """Return the tasks, the keys of the schemas of all partitions, and the keys of the results.

        The results are the common schema of all partitions, and the new names of all shards.
        """
        name, plan = uuid.uuid4().hex[:12], self._plan(state)
        graph: dict[Any, Any] = {}

        def add(what: str, function: Any, *args: Any) -> str:
            key = f"budgetrs-{what}"
            graph[key] = Task(key, function, *args)
            return key

        splits, schema_keys = [], []
        for number in numbers:
            load = f"budgetrs-load-{name}-{number}"
            graph.update(parts.load(number, load, packs=False))
            splits.append(TaskRef(add(f"split-{name}-{number}", _shards.split, TaskRef(load), plan)))
            schema_keys.append(add(f"schema-{name}-{number}", _shards.schema_of, splits[-1]))
        schemas = List(*(TaskRef(key) for key in schema_keys))
        agreed = add(f"agree-{name}", _schema.agreed, state.facts, schemas, numbers.start)
        wanted = [agreed]
        for shard, before in enumerate(state.shards):
            pieces = [
                TaskRef(add(f"piece-{name}-{shard}-{number}", _shards.piece_of, part, shard))
                for number, part in zip(numbers, splits, strict=True)
            ]
            what = (before, shard, List(*pieces), numbers.start, TaskRef(agreed), plan)
            wanted.append(add(f"learn-{name}-{shard}", _shards.learn, *what))
        return graph, schema_keys, wanted

    def _remove_old(self) -> None:
        """Remove the folders of shards that the state does not name."""
        state = self._state()
        for path in self._folder.iterdir():
            if _shards.is_name(path.name) and path.name not in {state.begin, *state.shards}:
                shutil.rmtree(path, ignore_errors=True)


def _is_integer(value: Any, least: int, most: float = float("inf")) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _model_of(model: Any) -> Begin:
    """Return the template model; invalid ones raise as in one process."""
    begin: Any = model if isinstance(model, _core.NativeModel) or not callable(model) else model()
    LocalModels(lambda: begin)
    return begin


def _difference(has: Begin, came: Begin) -> tuple[str, str]:
    """Return the differences between two models, as a text for each."""
    if (type(has), has.algorithm) != (type(came), came.algorithm):
        return repr(has), repr(came)
    ours, theirs = has.params, came.params
    names = [name for name in ours if name != "n_jobs" and ours[name] != theirs[name]]
    if not names:
        return "with its classes and what it has learned", "another one"
    shown = [", ".join(f"{name}={params[name]!r}" for name in names) for params in (ours, theirs)]
    return shown[0], shown[1]


def _noted(error: Exception, number: int, count: int) -> Exception:
    error.add_note(f"in partition {number} of {count}, counted from 0")
    return error


def _wait(future: distributed.Future, number: int, count: int) -> None:
    """Wait for the schema of a partition; an error has a note that names the partition."""
    try:
        future.result()
    except (KilledWorker, distributed.CancelledError):
        raise
    except Exception as error:
        _noted(error, number, count)
        raise


@contextmanager
def _thread_left() -> Iterator[None]:
    """Within a task, release its worker thread for other tasks."""
    is_left = False
    with suppress(ValueError, KeyError):  # this is no task, or has left already
        distributed.secede()
        is_left = True
    try:
        yield
    finally:
        if is_left:
            distributed.rejoin()
