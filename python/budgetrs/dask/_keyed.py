"""One model per key, distributed over workers: each key belongs to a shard, and a task trains a shard."""

import operator
import uuid
from collections.abc import Iterator
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Self

import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd

from .. import _core
from .._call_errors import explained_call
from .._errors import ParameterError, check_count, shown
from .._keyed import KeyedModels as LocalModels
from . import _shards
from ._loading import client_of_call, named_in_errors
from ._partitions import Partitions, kind_of, partitions
from ._shards import State

_SHARDS = 64


class KeyedModels:
    """`budgetrs.KeyedModels` on a cluster: one model per key, with the keys distributed over the workers.

    Use it if one machine is too slow for the rows or the number of keys. The model of a key is bit-identical
    to a model that learned the rows of its key alone, partition by partition. Exception: with text columns, a
    category of one key becomes a feature of other models too. ``models[key]`` is a copy of a model.

    Parameters
    ----------
    model : Classifier, Regressor or callable, optional
        The template of all models, as in `budgetrs.KeyedModels`, for a new directory.
    key : str
        The column of the frames that has the keys, integers or strings.
    folder : str or path-like
        The directory of the models, which this process and all workers can read and write. Models in the
        directory continue training.
    n_shards : int, optional
        The number of shards of the keys, which is the largest number of parallel tasks: at least the number
        of threads of the cluster. By default 64 for a new directory.
    max_memory : int, default=2**30
        The bytes of all models that a task keeps in memory together, as in `budgetrs.KeyedModels`. Prediction
        tasks of one worker share these models.
    client : distributed.Client, optional
        The Dask client; by default the current client at training.

    Examples
    --------
    >>> import tempfile
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from distributed import Client
    >>> from budgetrs import Classifier
    >>> from budgetrs.dask import KeyedModels
    >>> rows = pd.DataFrame({"x": [0.1, 0.9] * 50, "y": ["low", "high"] * 50, "user": ["ann"] * 100})
    >>> with tempfile.TemporaryDirectory() as folder, Client(processes=False, dashboard_address=":0"):
    ...     models = KeyedModels(Classifier(budget=20), key="user", folder=folder, n_shards=2)
    ...     models.learn(dd.from_pandas(rows, npartitions=4), "y")["ann"].predict(rows[["x"]][:1])
    array(['low'], dtype='<U4')
    """

    @explained_call
    def __init__(
        self,
        model: Any = None,
        *,
        key: str,
        folder: str | PathLike[str],
        n_shards: int | None = None,
        max_memory: int = 2**30,
        client: distributed.Client | None = None,
    ) -> None:
        if not isinstance(key, str):
            raise ParameterError(f"key must be the name of a column, got {shown(key)}", "key", None)
        check_count("n_shards", _SHARDS if n_shards is None else n_shards)
        self._folder, self._key, self._memory, self._client = Path(folder).resolve(), key, max_memory, client
        given: Any = model if isinstance(model, _core.NativeModel) or not callable(model) else model()
        exists = (self._folder / _shards.STATE).exists()
        if given is None and not exists:
            raise ParameterError(f"model must be given: there are no models in {self._folder}", "model", None)
        self._template: Any = _core.load(self._folder / _shards.TEMPLATE) if exists else given
        models = LocalModels(lambda: self._template if given is None else given, max_memory=max_memory)
        if exists:
            self._reject_others(given, n_shards)
        elif self._folder.exists() and any(self._folder.iterdir()):
            raise ValueError(f"folder must be empty or a directory of Dask models by key, got {self._folder}")
        else:
            self._folder.mkdir(parents=True, exist_ok=True)
            empty = _shards.save(models, self._folder)
            self._template.save(self._folder / _shards.TEMPLATE)
            State(key, 0, [empty] * (n_shards or _SHARDS), empty).write(self._folder)

    def learn(self, X: Any, y: Any, *, sample_weight: Any = None, partitions_per_step: int = 32) -> Self:
        """Learn every row by the model of its key, partition by partition.

        A note of an error names its partition. Steps before the error stay learned, and repeating a call
        learns the same rows again. After a failure, learn only ``X.partitions[n:]``, where ``n`` is
        ``models.n_partitions_seen_`` minus its value before the call: ``X[n:]`` for a list, and the same
        slice of `y` and `sample_weight` if they are series.

        Parameters
        ----------
        X : dask data frame, or list of delayed data frames
            The rows, with the column of keys.
        y, sample_weight : str or dask series
            Labels or targets, and optionally weights: the name of a column, or a series with the partitions
            of X.
        partitions_per_step : int, default=32
            The number of partitions between writes of the models. More partitions are faster. Their rows must
            fit in the memory of all workers.
        """
        check_count("partitions_per_step", partitions_per_step)
        parts = partitions(X, y, sample_weight)
        with client_of_call(self._client) as client:
            for first in range(0, len(parts), partitions_per_step):
                numbers, futures = range(len(parts))[first : first + partitions_per_step], []
                try:
                    self._learn_step(client, parts, numbers, futures)
                finally:
                    for future in futures:
                        future.release()
                    self._state().remove_others(self._folder)
        return self

    def _learn_step(self, client: Any, parts: Partitions, numbers: range, futures: list[Any]) -> None:
        """Learn partitions: save new models of each shard, and then write the state that names them."""
        state, count, run = self._state(), len(parts), uuid.uuid4().hex[:12]
        loads = [parts.load(client, number) for number in numbers]
        futures += loads
        for number, load in zip(numbers, loads, strict=True):
            if state.keys is None:  # no rows yet
                with named_in_errors(number, count):
                    found = client.submit(_shards.empty, load, self._folder, state, pure=False).result()
                if found:
                    state = replace(state, **found, shards=[found["empty"]] * len(state.shards))
        key = f"budgetrs-split-{run}"
        splits = client.map(_shards.split, loads, folder=self._folder, state=state, key=key)
        futures += splits
        names = []
        for shard, before in enumerate(state.shards):
            pieces = client.map(operator.itemgetter(shard), splits, key=f"budgetrs-piece-{run}-{shard}")
            what = (pieces, numbers, count, self._folder, before, self._memory)
            names.append(client.submit(_shards.learn, *what, key=f"budgetrs-train-{run}-{shard}"))
        futures += names
        for number, split in zip(numbers, splits, strict=True):
            with named_in_errors(number, count):
                if error := split.exception():
                    raise error
        # All tasks end before one of their errors is raised: none may write afterwards.
        if failed := [error for name in names if (error := name.exception())]:
            raise failed[0]
        done, shards = state.partitions + len(numbers), client.gather(names)
        replace(state, partitions=done, shards=shards).write(self._folder)

    def predict(self, X: Any) -> Any:
        """Predict each row of a dask data frame by the model of its key, as a series.

        The result is lazy: each task reads the models when it runs. An unknown key fails the whole
        computation, unless the template has learned rows.
        """
        if not isinstance(X, dd.DataFrame):
            raise TypeError(f"X must be a dask data frame, got {kind_of(X)}")
        _shards.reject_without_key(X.columns, self._key)
        state = self._state()
        known = getattr(self._template, "classes_", self._template)
        labels = state.labels or getattr(known, "dtype", None)
        if labels is None:
            raise ValueError("no model has learned yet")
        meta = pd.Series(np.empty(0, labels), index=X._meta.index)
        # The version makes new tasks after training: Dask may still hold predictions of earlier models.
        what = (self._folder, self._key, self._memory, f"{state.empty}-{state.partitions}", meta)
        return X.map_partitions(_shards.predict, *what, meta=meta, token="budgetrs-keyed-predict")

    @property
    def n_partitions_seen_(self) -> int:
        """Number of partitions that the directory has learned, in all calls together."""
        return self._state().partitions

    def keys(self) -> np.ndarray:
        """Return all keys, shard by shard: integers or strings."""
        found = [shard.keys() for shard in self._learned() if len(shard)]
        return np.concatenate(found) if found else np.array([], np.int64)

    def __getitem__(self, key: int | str) -> Any:
        """Return a copy of the model of a key."""
        if not (shard := self._shard_with(key)):
            raise KeyError(key)
        return shard[key]

    def __contains__(self, key: object) -> bool:
        return key in (self._shard_with(key) or ())

    def __iter__(self) -> Iterator[int | str]:
        return iter(self.keys().tolist())

    def __len__(self) -> int:
        return sum(map(len, self._learned()))

    def __repr__(self) -> str:
        return f"KeyedModels of {len(self)} keys in {len(self._state().shards)} shards of {self._folder}"

    def _reject_others(self, given: Any, n_shards: int | None) -> None:
        """Raise if parameters differ from the parameters of the directory."""
        state, where = self._state(), f"as in the directory {self._folder}"
        if self._key != state.key:
            raise ParameterError(f"key must be {state.key!r}, {where}, got {shown(self._key)}", "key", None)
        if n_shards not in (None, len(state.shards)):
            raise ParameterError(
                f"n_shards must be {len(state.shards)}, {where}, got {n_shards}", "n_shards", None
            )
        if given is not None and given.to_bytes() != self._template.to_bytes():
            expected = f"equal to {self._template!r}, {where}"
            raise ParameterError(f"model must be {expected}, got another one, {given!r}", "model", None)

    def _state(self) -> State:
        return State.read(self._folder)

    def _learned(self) -> Iterator[LocalModels]:
        return (LocalModels.load(self._folder / name) for name in {*self._state().shards})

    def _shard_with(self, key: Any) -> LocalModels | None:
        """Return the shard of a key; None for a value that cannot be a key."""
        if not isinstance(key, str):
            try:
                key = operator.index(key)
            except TypeError:
                return None
        names = self._state().shards
        name = names[_shards.shard_of(np.array([key], object), len(names))[0]]
        return LocalModels.load(self._folder / name, max_memory=self._memory)
