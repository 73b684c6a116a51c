"""The tasks of workers for models by key, and the folder of all shards."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
from pandas.util import hash_array

from .. import _core
from .._errors import ParameterError
from .._frames import frame_of
from .._keyed import Begin, invalid_keys
from .._keyed import KeyedModels as LocalModels
from ._batches import Batch
from ._schema import PartitionError, Schema, hashes

_STATE = "state.json"
_MODEL = "model.safetensors"
_NAME = re.compile(r"(begin|\d{5})-[0-9a-f]{12}")
_FOLDERS = 4  # the number of folders, the last used ones, whose shards a worker keeps open
_KINDS = {"b": "bool", "i": "integer", "u": "integer", "f": "float", "U": "string", "T": "string"}


@dataclass(frozen=True)
class Plan:
    """The settings of all tasks."""

    folder: str
    begin: str
    key: str
    shards: int
    memory: int


@dataclass(frozen=True)
class State:
    """The state of a folder: the names of its shards, and their common settings."""

    begin: str
    key: str
    partitions: int
    shards: list[str]
    facts: Schema
    """The schema of all rows, under the name that it has in the file."""

    @staticmethod
    def is_in(folder: Path) -> bool:
        """Whether a folder has a state."""
        return (folder / _STATE).exists()

    @staticmethod
    def read(folder: Path) -> State:
        """Read the state of a folder; a ValueError if it is no folder of `KeyedModels`."""
        try:
            state = State(**json.loads((folder / _STATE).read_text(encoding="utf-8")))
            names = [state.begin, *state.shards]
            are_known = all(isinstance(name, str) and is_name(name) for name in names) and state.shards
            if are_known and isinstance(state.partitions, int) and isinstance(state.key, str):
                return replace(state, facts=Schema(**state.facts))  # pyright: ignore[reportCallIssue]
        except (TypeError, ValueError):
            pass
        raise ValueError(f"folder must be a directory of budgetrs.dask.KeyedModels, got {folder}")

    def write(self, folder: Path) -> None:
        """Replace the state of a folder."""
        draft = _core.AtomicFile(folder / _STATE)
        draft.write(json.dumps(asdict(self)).encode())
        draft.commit()


def is_name(name: str) -> bool:
    """Whether a folder of this name holds a shard, or the empty shard with the template model."""
    return _NAME.fullmatch(name) is not None


def write_begin(folder: Path, model: Begin) -> str:
    """Write the empty shard, with the template model of its keys, and return its name."""
    name = f"begin-{_unique()}"
    LocalModels(model).save(folder / name)
    model.save(folder / name / _MODEL)
    return name


def read_begin(folder: Path | str, name: str) -> Any:
    """Read the template model."""
    return _core.load(Path(folder, name, _MODEL))


def reject_without_key(columns: Iterable[Any], key: str) -> None:
    """Raise for rows without the column of keys."""
    columns = list(columns)
    if key not in columns:
        raise ParameterError(f"key must be a column of X, one of {columns}, got {key!r}", "key", None)


def shard_of(keys: np.ndarray, shards: int) -> np.ndarray:
    """Return the shard of each key; equal keys have equal shards, whatever the type of the column."""
    hashed: Any = hash_array
    return (hashed(keys) % np.uint64(shards)).astype(np.int64)


def split(batch: Batch, plan: Plan) -> tuple[Schema | None, list[Batch | None]]:
    """Group the rows of a partition by shard, in their order, after the checks of one process."""
    X = batch.X
    if not isinstance(X, pd.DataFrame):
        raise TypeError(f"a partition must be a data frame, got {type(X).__qualname__}")
    reject_without_key(X.columns, plan.key)
    y, weight = _beside(X, "y", batch.y), _beside(X, "sample_weight", batch.weight)
    if not len(X):
        return None, [None] * plan.shards
    keys, begin, features = (
        _keys_of(X, plan.key),
        read_begin(plan.folder, plan.begin),
        X.drop(columns=[plan.key]),
    )
    frame = frame_of(features)
    begin.validate(features if frame is None else frame, batch.y, sample_weight=batch.weight)
    labels = None
    # Given classes accept equal labels of another kind.
    if isinstance(begin, _core.Classifier) and not hasattr(begin, "classes_"):
        y, labels = _of_one_kind(y)
    schema = Schema.of_rows(features, frame, labels, _kind(keys), hashes(begin))
    of = shard_of(keys, plan.shards)
    order = np.argsort(of, kind="stable")
    bounds = pairwise(np.searchsorted(of[order], np.arange(plan.shards + 1)))
    parts = (order[begin:end] for begin, end in bounds)
    return schema, [_some(Batch(X, y, weight), rows) if len(rows) else None for rows in parts]


def schema_of(parts: tuple[Schema | None, Any]) -> Schema | None:
    """Return the schema of a partition that was split."""
    return parts[0]


def piece_of(parts: tuple[Any, list[Batch | None]], shard: int) -> Batch | None:
    """Return the rows of a shard."""
    return parts[1][shard]


def learn(before: str, shard: int, pieces: list[Batch | None], first: int, schema: Schema, plan: Plan) -> str:
    """Learn the rows of a shard, and return the name of its new folder; the folder before stays."""
    drop_old(plan.folder)
    if not any(piece is not None for piece in pieces):
        return before
    models = LocalModels.load(Path(plan.folder, before), max_memory=plan.memory, n_jobs=1)
    for number, piece in enumerate(pieces, first):
        if piece is not None:
            try:
                X, keys = schema.aligned(piece.X.drop(columns=[plan.key])), _keys_of(piece.X, plan.key)
                models.learn(X, piece.y, keys, sample_weight=piece.weight)
            except Exception as error:
                raise PartitionError(number, error) from error
    # A unique name, since a worker that was taken for lost may still write.
    name = f"{shard:05}-{_unique()}"
    models.save(Path(plan.folder, name))
    return name


def predict(frame: pd.DataFrame, plan: Plan, version: Any, meta: pd.Series) -> Any:  # noqa: ARG001
    """Predict the rows of a partition; another `version` of the models makes it another task."""
    if not len(frame):
        return meta.set_axis(frame.index)
    while True:
        models = opened(plan.folder, plan.memory)
        try:
            return _predicted(frame, plan.key, models, meta)
        except FileNotFoundError:
            if opened(plan.folder, plan.memory) is models:
                raise
            # The shards were replaced by new ones, and their folders removed.


def _predicted(frame: pd.DataFrame, key: str, models: Opened, meta: pd.Series) -> pd.Series:
    reject_without_key(frame.columns, key)
    keys, X = _keys_of(frame, key), frame.drop(columns=[key])
    of = shard_of(keys, len(models))
    found = np.empty(len(frame), meta.dtype if isinstance(meta.dtype, np.dtype) else object)
    for shard in np.unique(of):
        rows = np.flatnonzero(of == shard)
        found[rows] = models.shard(shard).predict(X.iloc[rows], keys[rows])
    return pd.Series(found, index=frame.index, dtype=meta.dtype)


class Opened:
    """The current shards of a folder, which all tasks of a worker share."""

    def __init__(self, folder: str, names: list[str], memory: int) -> None:
        self._folder, self._names, self.memory = folder, names, memory
        self._lock = Lock()
        self._models: dict[str, LocalModels] = {}

    def __len__(self) -> int:
        return len(self._names)

    def shard(self, number: int) -> LocalModels:
        """Return the models of a shard; all shards together keep about `memory` bytes."""
        name = self._names[number]
        with self._lock:
            if name not in self._models:
                memory = max(1, self.memory // len(self._names))
                self._models[name] = LocalModels.load(Path(self._folder, name), max_memory=memory, n_jobs=1)
            return self._models[name]

    def updated(self, names: list[str], memory: int) -> Opened:
        """Return the shards of these names, sharing the ones that are open already."""
        if (names, memory) == (self._names, self.memory):
            return self
        new = Opened(self._folder, names, memory)
        if (len(names), memory) == (len(self._names), self.memory):
            with self._lock:
                new._models = {name: models for name, models in self._models.items() if name in {*names}}
        return new


_OPENED: dict[str, Opened] = {}
_LOCK = Lock()


def opened(folder: str, memory: int) -> Opened:
    """Return the current shards of a folder; earlier shards are closed when no task uses them."""
    with _LOCK:
        before = _OPENED.pop(folder, None)
        # Read within the lock, so that an older state cannot replace a newer one.
        names = State.read(Path(folder)).shards
        current = Opened(folder, names, memory) if before is None else before.updated(names, memory)
        _OPENED[folder] = current
        for old in list(_OPENED)[:-_FOLDERS]:
            del _OPENED[old]
    return current


def drop_old(folder: str) -> None:
    """Close open shards that the state of a folder no longer names."""
    with _LOCK:
        before = _OPENED.get(folder)
        if before is not None:
            _OPENED[folder] = before.updated(State.read(Path(folder)).shards, before.memory)


def _keys_of(frame: pd.DataFrame, key: str) -> np.ndarray:
    """Return keys as int64, or as strings."""
    keys = frame[key].to_numpy()
    missing = pd.isna(keys)
    if missing.any():
        row = int(np.argmax(missing))
        raise ParameterError(f"keys must be integers or strings, got a missing one at row {row}", "keys", row)
    kind = _kind(keys)
    if kind == "string":
        return keys.astype(object)
    if kind != "integer":
        expected = "keys must be integers or strings"
        raise invalid_keys(keys) or ParameterError(f"{expected}, got {kind}s", "keys", None)
    try:
        whole = keys.astype(np.int64)
    except OverflowError:
        whole = None
    if whole is None or (whole != keys).any():
        raise ParameterError("keys must be integers from -2^63 to 2^63 - 1, got larger ones", "keys", None)
    return whole


def _kind(values: np.ndarray) -> str:
    """Return "bool", "integer", "float" or "string"; another name for objects of mixed kinds."""
    if values.dtype.kind in _KINDS:
        return _KINDS[values.dtype.kind]
    kind = pd.api.types.infer_dtype(values, skipna=False)
    return {"boolean": "bool", "floating": "float"}.get(kind, kind)


def _of_one_kind(y: Any) -> tuple[Any, str]:
    """Return labels, and their kind; objects that are numbers become floats, as in every other partition."""
    values = np.asarray(y).ravel()
    kind = _kind(values)
    if kind in _KINDS.values() and (kind != "float" or values.dtype.kind == "f"):
        return y, kind
    return values.astype(np.float64), "float"


def _beside(X: pd.DataFrame, name: str, values: Any) -> Any:
    """Return targets or weights as an array or series with one value per row."""
    if values is None:
        return None
    if not hasattr(values, "iloc"):
        # numpy would turn numbers among strings into strings.
        is_typed = hasattr(values, "dtype") or hasattr(values, "__array__")
        values = np.atleast_1d(np.asarray(values, None if is_typed else object))
    if len(values) != len(X):
        expected = f"as many rows as its partition of X, {len(X)}"
        raise ParameterError(f"{name} must have {expected}, got {len(values)}", name, None)
    return values


def _some(batch: Batch, rows: np.ndarray) -> Batch:
    return Batch(*(_taken(values, rows) for values in (batch.X, batch.y, batch.weight)))


def _taken(values: Any, rows: np.ndarray) -> Any:
    if values is None:
        return None
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


def _unique() -> str:
    return uuid.uuid4().hex[:12]
