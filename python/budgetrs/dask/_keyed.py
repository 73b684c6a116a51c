"""Models by key, spread over workers: each key belongs to a shard, and a task learns a shard."""

from __future__ import annotations

import json
import re
import shutil
import uuid
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
from dask._task_spec import List, Task, TaskRef
from pandas.util import hash_array

from .. import _core
from .._errors import ParameterError
from .._keyed import KeyedModels as LocalModels
from ._batches import Batch, Partitions, partitions

_BEGIN = "begin"
_STATE = "state.json"
_SHARD = re.compile(r"\d{5}-[0-9a-f]{12}")


class KeyedModels:
    """One model to the key, `budgetrs.KeyedModels` whose keys are spread over the workers of a cluster.

    Keys are divided into shards by a hash, and each shard is a folder that
    ``budgetrs.KeyedModels.load`` reads. Partitions are learned some at a time: workers load them, group
    their rows by shard, and for each shard a task reads its models, has them learn, and writes a new
    folder. When all shards are written, they take the place of those before. A worker that is lost costs
    time and no rows, since its tasks begin again from what is there. The model of a key is, bit for bit,
    that of a model alone which learned its rows partition by partition. One call may learn at a time.

    Parameters
    ----------
    folder : str or path-like
        The folder of the models, which this process and all workers reach. Models that are in it go on.
    make : Classifier, Regressor or callable, optional
        The model that keys begin as, as `budgetrs.KeyedModels` takes it; for a new folder. Models in the
        folder have it already.
    key : str
        The column of the frames that holds the keys, integers or strings.
    shards : int, default=64
        For a new folder: into how many parts the keys are divided. As many tasks learn side by side at most.
    memory : int, default=2**30
        Bytes of models that one task keeps in memory, counted as `budgetrs.KeyedModels` does.
    client : distributed.Client, optional
        By default the current one, when it learns.

    Raises
    ------
    ParameterError, ValueError
        When a parameter is not legal, or the folder holds something else.

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
    ...     models = KeyedModels(folder, Classifier(budget=20), key="user", shards=2).learn(parts, "y")
    ...     print(len(models), models["ann"].predict(pd.DataFrame({"x": [0.5]})))
    2 ['buys']
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        make: Any = None,
        *,
        key: str,
        shards: int = 64,
        memory: int = 2**30,
        client: distributed.Client | None = None,
    ) -> None:
        if isinstance(shards, bool) or not isinstance(shards, int) or not 1 <= shards <= 100_000:
            raise ParameterError(
                f"shards must be an integer between 1 and 100000, got {shards!r}", "shards", None
            )
        self._folder, self._key, self._memory, self._client = Path(folder).resolve(), key, memory, client
        if not (self._folder / _STATE).exists():
            self._begin(make, shards)
        self._state()  # a folder of something else is refused now

    def learn(self, X: Any, y: Any, *, sample_weight: Any = None, at_once: int = 32) -> KeyedModels:
        """Learn every row by the model of its key, partition by partition.

        Parameters
        ----------
        X : dask data frame, or list of delayed data frames
            The rows, with the column of keys.
        y : str or dask series
            Labels or targets: the name of their column, or a series with the partitions of X.
        sample_weight : str or dask series, optional
            Weights of the rows, given as `y` is.
        at_once : int, default=32
            How many partitions are learned before the models are written. Their rows must fit in the memory
            of the workers together; fewer of them take longer, since all models that learned are written
            each time.

        Returns
        -------
        KeyedModels
            Itself.

        Raises
        ------
        TypeError, ValueError
            As ``budgetrs.KeyedModels.learn``; the partitions that were written before, `n_partitions_` of
            all calls, stay learned.
        KilledWorker
            When a task lost its worker too often.
        """
        if isinstance(at_once, bool) or not isinstance(at_once, int) or at_once < 1:
            raise ParameterError(f"at_once must be a positive integer, got {at_once!r}", "at_once", None)
        if not isinstance(X, dd.DataFrame | list | tuple):
            kind = f"{type(X).__module__}.{type(X).__qualname__}"
            raise TypeError(f"X must be a dask data frame or a list of delayed data frames, got {kind}")
        if isinstance(X, dd.DataFrame) and self._key not in X.columns:
            raise ParameterError(
                f"key must be a column of X, one of {X.columns.tolist()}, got {self._key!r}", "key", None
            )
        parts = partitions(X, y, sample_weight)
        client = self._client or distributed.get_client()
        for first in range(0, len(parts), at_once):
            self._learn_some(client, parts, range(first, min(first + at_once, len(parts))))
        return self

    def predict(self, X: Any) -> Any:
        """Predict each row by the model of its key.

        Nothing is computed yet: each task reads the models as they are when it runs.

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
            When X is no data frame with the column of keys, or nothing was learned. In tasks as
            ``budgetrs.KeyedModels.predict``.
        """
        if not isinstance(X, dd.DataFrame):
            raise TypeError(f"X must be a dask data frame, got {type(X).__module__}.{type(X).__qualname__}")
        if self._key not in X.columns:
            raise ParameterError(
                f"key must be a column of X, one of {X.columns.tolist()}, got {self._key!r}", "key", None
            )
        where = (str(self._folder), self._key, self._memory)
        meta = pd.Series(self._kind_of_predictions(), index=X._meta.index)
        return X.map_partitions(_predict_part, *where, meta, meta=meta, token="budgetrs-keyed-predict")

    @property
    def n_partitions_(self) -> int:
        """How many partitions all calls have learned; ``X.partitions[n_partitions_:]`` are left."""
        return self._state()["partitions"]

    def keys(self) -> np.ndarray:
        """Return all keys.

        Returns
        -------
        ndarray of shape (n_keys,)
            Integers or strings, shard by shard.
        """
        found = [shard.keys() for shard in self._shards() if len(shard)]
        return np.concatenate(found) if found else np.array([], dtype=np.int64)

    def __getitem__(self, key: int | str) -> Any:
        """Return a copy of the model of a key."""
        names = self._state()["shards"]
        shard = _shard_of(np.array([key]), len(names))[0]
        return self._opened(names[shard])[key]

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, int | np.integer | str):
            return False
        names = self._state()["shards"]
        return key in self._opened(names[_shard_of(np.array([key]), len(names))[0]])

    def __iter__(self) -> Iterator[int | str]:
        return iter(self.keys().tolist())

    def __len__(self) -> int:
        return sum(len(shard) for shard in self._shards())

    def __repr__(self) -> str:
        return f"KeyedModels of {len(self)} keys in {len(self._state()['shards'])} shards of {self._folder}"

    def _begin(self, make: Any, shards: int) -> None:
        if make is None:
            raise ParameterError(f"make must be given: there are no models in {self._folder}", "make", None)
        if self._folder.exists() and any(self._folder.iterdir()):
            raise ValueError(
                f"folder must be an empty one, or one of KeyedModels of Dask, got {self._folder}"
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        LocalModels(make).save(self._folder / _BEGIN)
        self._write({"partitions": 0, "shards": [_BEGIN] * shards})

    def _state(self) -> dict[str, Any]:
        return _state_of(self._folder)

    def _write(self, state: dict[str, Any]) -> None:
        draft = _core.Draft(self._folder / _STATE)
        draft.write(json.dumps(state).encode())
        draft.commit()

    def _opened(self, name: str) -> LocalModels:
        return LocalModels.load(self._folder / name, memory=self._memory)

    def _shards(self) -> Iterator[LocalModels]:
        return (self._opened(name) for name in self._state()["shards"])

    def _kind_of_predictions(self) -> np.ndarray:
        """Return no predictions, of the kind that models make."""
        for shard in self._shards():
            for key in shard:
                model = shard[key]
                if hasattr(model, "n_seen_"):
                    return np.asarray(getattr(model, "classes_", np.empty(0)))[:0]
        raise ValueError("no model has learned yet")

    def _learn_some(self, client: distributed.Client, parts: Partitions, numbers: range) -> None:
        """Learn partitions, write the shards that they are for, and then say that they are the models now."""
        state, name = self._state(), uuid.uuid4().hex[:12]
        names = state["shards"]
        graph: dict[Any, Any] = {}
        for number in numbers:
            load, split = f"budgetrs-load-{name}-{number}", f"budgetrs-split-{name}-{number}"
            graph.update(parts.load(number, load, packs=False))
            graph[split] = Task(split, _split, TaskRef(load), self._key, len(names))
        results = []
        for shard, before in enumerate(names):
            pieces = []
            for number in numbers:
                piece = f"budgetrs-piece-{name}-{shard}-{number}"
                graph[piece] = Task(piece, _piece, TaskRef(f"budgetrs-split-{name}-{number}"), shard)
                pieces.append(TaskRef(piece))
            results.append(f"budgetrs-learn-{name}-{shard}")
            where = (str(self._folder), before, f"{shard:05}", self._memory)
            graph[results[-1]] = Task(results[-1], _learn_shard, *where, List(*pieces), self._key)
        try:
            found: Any = client.get(graph, results)
        except Exception:
            self._remove_all_but(names)
            raise
        self._write({"partitions": state["partitions"] + len(numbers), "shards": list(found)})
        self._remove_all_but(found)

    def _remove_all_but(self, names: list[str]) -> None:
        """Remove the folders of shards that are not the models any more, or never were."""
        for path in self._folder.iterdir():
            if _SHARD.fullmatch(path.name) and path.name not in names:
                shutil.rmtree(path, ignore_errors=True)


def _state_of(folder: Path) -> dict[str, Any]:
    state = json.loads((folder / _STATE).read_text(encoding="utf-8"))
    names = state.get("shards") if isinstance(state, dict) else None
    is_known = isinstance(names, list) and all(
        isinstance(name, str) and (name == _BEGIN or _SHARD.fullmatch(name)) for name in names
    )
    if not names or not is_known or not isinstance(state.get("partitions"), int):
        raise ValueError(f"folder must be one of KeyedModels of Dask, got {folder}")
    return state


def _shard_of(keys: np.ndarray, shards: int) -> np.ndarray:
    """Return the shard of each key: the same for equal keys, whatever type their column has."""
    is_integer = keys.dtype.kind in "iu" or pd.api.types.infer_dtype(keys) == "integer"
    keys = keys.astype(np.int64) if is_integer else keys.astype(object)
    hashed: Any = hash_array
    return (hashed(keys) % np.uint64(shards)).astype(np.int64)


def _keys_of(frame: pd.DataFrame, key: str) -> np.ndarray:
    if key not in frame.columns:
        raise ValueError(f"the partition has no column {key!r}, but {frame.columns.tolist()}")
    return frame[key].to_numpy()


def _split(batch: Batch, key: str, shards: int) -> list[Batch | None]:
    """Group the rows of a partition by shard, in their order."""
    if not isinstance(batch.X, pd.DataFrame):
        raise TypeError(f"a partition must be a data frame, got {type(batch.X).__qualname__}")
    of = _shard_of(_keys_of(batch.X, key), shards)
    order = np.argsort(of, kind="stable")
    bounds = np.searchsorted(of[order], np.arange(shards + 1))
    pieces: list[Batch | None] = []
    for begin, end in pairwise(bounds):
        rows = order[begin:end]
        weight = None if batch.weight is None else batch.weight.iloc[rows]
        pieces.append(Batch(batch.X.iloc[rows], batch.y.iloc[rows], weight) if len(rows) else None)
    return pieces


def _piece(pieces: list[Batch | None], shard: int) -> Batch | None:
    return pieces[shard]


def _learn_shard(
    folder: str, before: str, number: str, memory: int, pieces: list[Batch | None], key: str
) -> str:
    """Learn the rows of a shard, and return the name of its new folder; what it was before stays."""
    rows = [piece for piece in pieces if piece is not None]
    if not rows:
        return before
    models = LocalModels.load(Path(folder, before), key=key, memory=memory, n_jobs=1)
    for piece in rows:
        models.learn(piece.X, piece.y, sample_weight=piece.weight)
    # Of its own: a worker that was given up for lost may still write.
    name = f"{number}-{uuid.uuid4().hex[:12]}"
    models.save(Path(folder, name))
    return name


@lru_cache(maxsize=1024)
def _shared(folder: str, name: str, memory: int) -> LocalModels:
    """Return the models of a shard, which all tasks of a worker share."""
    return LocalModels.load(Path(folder, name), memory=memory, n_jobs=1)


def _predict_part(frame: pd.DataFrame, folder: str, key: str, memory: int, meta: Any) -> Any:
    if not len(frame):
        return meta.set_axis(frame.index)
    names = _state_of(Path(folder))["shards"]
    keys = _keys_of(frame, key)
    X, of, found = frame.drop(columns=[key]), _shard_of(keys, len(names)), np.empty(len(frame), object)
    for shard in np.unique(of):
        rows = np.flatnonzero(of == shard)
        models = _shared(folder, names[shard], max(1, memory // len(names)))
        found[rows] = models.predict(X.iloc[rows], keys[rows])
    return pd.Series(found.tolist(), index=frame.index, dtype=meta.dtype)
