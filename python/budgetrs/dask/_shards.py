"""Models by key on workers: the directory of all shards, and the tasks that learn and predict."""

import json
import re
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.util import hash_array

from .. import _core
from .._errors import ParameterError, shown
from .._keyed import KeyedModels as LocalModels
from .._keyed import invalid_keys
from ._loading import named_in_errors
from ._partitions import kind_of

STATE = "state.json"
TEMPLATE = "template.safetensors"
_NAME = re.compile(r"shard-[0-9a-f]{12}")


@dataclass(frozen=True)
class State:
    """The state of a directory."""

    key: str
    partitions: int
    shards: list[str]  # names of saved models
    empty: str  # the name of models without keys, with which every shard begins
    keys: str | None = None  # the types of keys and predictions; None before the first rows
    labels: str | None = None

    @staticmethod
    def read(folder: Path) -> "State":
        """Read the state of a directory."""
        try:
            return State(**json.loads((folder / STATE).read_text(encoding="utf-8")))
        except (TypeError, ValueError):
            raise ValueError(f"folder must be a directory of Dask models by key, got {folder}") from None

    def write(self, folder: Path) -> None:
        """Replace the state of a directory."""
        draft = _core.AtomicFile(folder / STATE)
        draft.write(json.dumps(asdict(self)).encode())
        draft.commit()

    def remove_others(self, folder: Path) -> None:
        """Remove the models that this state does not name."""
        for path in folder.iterdir():
            if _NAME.fullmatch(path.name) and path.name not in {self.empty, *self.shards}:
                path.unlink(missing_ok=True)


def save(models: LocalModels, folder: Path) -> str:
    """Save models under a new name, since a worker that was taken for lost may still write."""
    name = f"shard-{uuid.uuid4().hex[:12]}"
    models.save(folder / name)
    return name


def reject_without_key(columns: Iterable[Any], key: str) -> None:
    """Raise for rows without the column of keys."""
    if key not in (columns := list(columns)):
        expected = f"a column of X in addition to y and sample_weight, one of {columns}"
        raise ParameterError(f"key must be {expected}, got {shown(key)}", "key", None)


def shard_of(keys: Any, n_shards: int) -> np.ndarray:
    """Return the shard of each key, which does not depend on the type of the column."""
    codes, unique = pd.factorize(np.asarray(keys))
    hashed: Any = hash_array
    return (hashed(unique.astype(object)) % np.uint64(n_shards)).astype(np.int64)[codes]


def empty(part: Any, folder: Path, state: State) -> dict[str, str] | None:
    """Save models without keys, with the columns and types of a partition; None if it has no rows."""
    X, y, _, keys = _parted(part, state.key)
    if not len(X):
        return None
    models = LocalModels.load(folder / state.empty, n_jobs=1)
    models.learn(X, y, np.zeros(len(X), np.int64))
    labels = models.predict(X[:1], [0]).dtype
    del models[0]
    kind = "U" if labels.kind == "U" else labels.str  # text of any length
    return {"empty": save(models, folder), "keys": _type_of(keys), "labels": kind}


def split(part: Any, folder: Path, state: State) -> list[Any]:
    """Divide the rows of a partition among the shards; None for a shard without rows."""
    X, y, weight, keys = _parted(part, state.key)
    if not len(X):
        return [None] * len(state.shards)
    # Checked here, where errors name the row of the partition.
    _core.load(folder / TEMPLATE).validate(X, y, sample_weight=weight)
    if state.keys != (got := _type_of(keys)):
        raise ParameterError(f"keys must have {state.keys}s, as before, got {got}s", "keys")
    of = shard_of(keys, len(state.shards))
    order = np.argsort(of, kind="stable")
    bounds = np.searchsorted(of[order], np.arange(1, len(state.shards)))
    columns = (X, y, pd.Series(keys), weight)
    return [
        [None if column is None else column.iloc[rows] for column in columns] if len(rows) else None
        for rows in np.split(order, bounds)
    ]


def learn(pieces: list[Any], numbers: range, count: int, folder: Path, before: str, memory: int) -> str:
    """Learn the rows of a shard, and return the name of its new models; the models before stay."""
    opened.cache_clear()  # it may hold models that were replaced
    if all(piece is None for piece in pieces):
        return before
    models = LocalModels.load(folder / before, max_memory=memory, n_jobs=1)
    for number, piece in zip(numbers, pieces, strict=True):
        if piece is not None:
            with named_in_errors(number, count):
                X, y, keys, weight = piece
                models.learn(X, y, keys.to_numpy(), sample_weight=weight)
    return save(models, folder)


@lru_cache(128)
def opened(path: Path, memory: int) -> LocalModels:
    """Return the models of a shard, which the tasks of a worker share."""
    return LocalModels.load(path, max_memory=memory, n_jobs=1)


def predict(frame: pd.DataFrame, folder: Path, key: str, memory: int, version: Any, meta: pd.Series) -> Any:  # noqa: ARG001
    """Predict the rows of a partition; another `version` of the models makes it another task."""
    X, *_, keys = _parted((frame, None, None), key)
    found = np.empty(len(frame), meta.dtype if isinstance(meta.dtype, np.dtype) else object)
    while True:
        state = State.read(folder)
        of = shard_of(keys, len(state.shards))
        try:
            for shard in np.unique(of):
                rows = of == shard
                models = opened(folder / state.shards[shard], max(1, memory // len(state.shards)))
                found[rows] = models.predict(X[rows], keys[rows])
            return pd.Series(found, index=frame.index, dtype=meta.dtype)
        except FileNotFoundError:  # if the models were replaced meanwhile, read the new ones
            if State.read(folder) == state:
                raise


def _parted(part: Any, key: str) -> tuple[pd.DataFrame, Any, Any, np.ndarray]:
    """Return the features, targets, weights and keys of a partition."""
    X, y, weight = part
    if not isinstance(X, pd.DataFrame):
        raise TypeError(f"a partition must be a data frame, got {kind_of(X)}")
    reject_without_key(X.columns, key)
    keys = X[key].to_numpy()
    if (missing := pd.isna(keys)).any():
        row = int(np.argmax(missing))
        raise ParameterError(f"keys must be integers or strings, got a missing one at row {row}", "keys", row)
    if keys.dtype == object and (error := invalid_keys(keys)):
        raise error
    return X.drop(columns=[key]), _column(y), _column(weight), keys


def _column(values: Any) -> Any:
    """Return targets or weights as a column of pandas; a part of it has the type of all values."""
    if values is not None and not hasattr(values, "iloc"):
        values = pd.Series(np.ravel(values) if hasattr(values, "dtype") else list(values))
    return None if values is None else values.infer_objects()


def _type_of(keys: np.ndarray) -> str:
    return "string" if isinstance(keys[0], str) else "integer"
