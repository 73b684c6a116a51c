"""Collections as partitions with targets and weights, which workers load."""

import uuid
from collections.abc import Mapping
from typing import Any

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import Delayed, delayed
from dask.optimization import cull

KINDS = "a dask array, data frame or bag, or a list of delayed partitions"


class Partitions:
    """The tasks that load the partitions of a collection, each as ``(X, y, sample_weight)``."""

    def __init__(self, tasks: list[Delayed]) -> None:
        self._keys = [task.key for task in tasks]
        # Tasks share layers. Culling one graph of all layers is faster than optimizing a graph per task.
        layers = {id(layer): layer for task in tasks for layer in task.dask.layers.values()}
        self._graph = {key: task for layer in layers.values() for key, task in layer.items()}

    def __len__(self) -> int:
        return len(self._keys)

    def load(self, client: Any, number: int) -> Any:
        """Begin to load a partition, earlier ones first, and return its future."""
        needed, _ = cull(self._graph, [self._keys[number]])
        return client.get(needed, self._keys[number], sync=False, priority=-number)


def partitions(X: Any, y: Any, sample_weight: Any) -> Partitions:
    """Return the partitions of a collection; raise if X is none, or y or sample_weight does not match X."""
    rows = _parts(X)
    others = {"y": y, "sample_weight": sample_weight}
    columns = [_values(X, name, value, len(rows)) for name, value in others.items()]
    call, load = f"budgetrs-load-{uuid.uuid4().hex[:12]}", delayed(_read)
    each = enumerate(zip(rows, *columns, strict=True))
    return Partitions([load(*part, dask_key_name=f"{call}-{number}") for number, part in each])


def with_whole_rows(X: Any) -> Any:
    """Merge the chunks of columns of an array."""
    return X.rechunk({1: -1}) if X.ndim == 2 and len(X.chunks[1]) > 1 else X


def kind_of(value: Any) -> str:
    """Return the name of a type for a message."""
    return "None" if value is None else f"{type(value).__module__}.{type(value).__qualname__}"


def in_memory(X: Any, call: str) -> str:
    """Return what to call for rows in memory; an empty string for other objects."""
    return f": for rows in memory call {call}" if hasattr(X, "shape") or hasattr(X, "columns") else ""


def _parts(X: Any) -> list[Delayed]:
    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise ValueError(f"X must have 2 dimensions, got {X.ndim}")
        return with_whole_rows(X).to_delayed()[:, 0].tolist()
    if isinstance(X, dd.DataFrame | db.Bag):
        return X.to_delayed()
    if not isinstance(X, list | tuple):
        raise TypeError(f"X must be {KINDS}, got {kind_of(X)}{in_memory(X, 'model.learn(X, y)')}")
    others = [f"{kind_of(part)} at place {at}" for at, part in enumerate(X) if not isinstance(part, Delayed)]
    if others or not X:
        raise TypeError(f"X must be {KINDS}, got a {type(X).__name__} with {(others or ['nothing'])[0]}")
    return [*X]


def _values(X: Any, name: str, value: Any, count: int) -> list[Any]:
    """Return targets or weights of each partition: a task, the name of a column, or None."""
    if value is None and (name == "sample_weight" or isinstance(X, list | tuple)):
        return [None] * count
    if isinstance(X, da.Array):
        parts = _with_chunks_of(X, name, value)
    elif isinstance(X, dd.DataFrame) and isinstance(value, dd.Series):
        parts = value.to_delayed()
    elif isinstance(X, dd.DataFrame) and (not isinstance(value, str | int) or value not in X.columns):
        expected = f"a column of X, one of {X.columns.tolist()}, or a dask series"
        raise ValueError(f"{name} must be {expected}, got {value!r:.100}")
    elif not isinstance(X, dd.DataFrame) and not isinstance(value, str):
        expected = "a key of the dicts of the bag" if isinstance(X, db.Bag) else "a column of the partitions"
        raise TypeError(f"{name} must be {expected}, got {kind_of(value)}")
    else:
        parts = [value] * count
    if len(parts) != count:
        raise ValueError(f"{name} must have the {count} partitions of X, got {len(parts)}")
    return parts


def _with_chunks_of(X: Any, name: str, value: Any) -> list[Delayed]:
    if not isinstance(value, da.Array):
        advice = f": dask.array.from_array({name}) makes one"
        raise TypeError(f"{name} must be a dask array, as X is, got {kind_of(value)}{advice}")
    if value.ndim != 1:
        raise ValueError(f"{name} must have 1 dimension, got {value.ndim}")
    rows: Any = value
    if not np.isnan(rows.shape[0] + X.shape[0]):
        if len(rows) != len(X):
            raise ValueError(f"{name} must have as many rows as X, {len(X)}, got {len(rows)}")
        rows = rows.rechunk((X.chunks[0],))
    return rows.to_delayed().tolist()


def _read(X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """Return the rows, targets and weights of a partition, in the worker that loads it."""
    if y is None:  # a delayed partition with its targets
        if not isinstance(X, tuple | list) or len(X) not in (2, 3):
            expected = (
                "a data frame, with y the name of its column of targets, or (X, y) or (X, y, sample_weight)"
            )
            raise TypeError(f"a delayed partition must be {expected}, got {kind_of(X)}")
        return X[0], X[1], X[2] if len(X) == 3 else None
    named = [name for name in (y, weight) if isinstance(name, str | int)]
    if named and not isinstance(X, pd.DataFrame):
        X = _frame_of_dicts(list(X), named)
    for name in named:
        if name not in X.columns:
            raise ValueError(f"the partition must have the column {name!r}, got {X.columns.tolist()}")
    y, weight = (X[name] if isinstance(name, str | int) else name for name in (y, weight))
    return X.drop(columns=named) if named else X, y, weight


def _frame_of_dicts(rows: list[Any], named: list[Any]) -> pd.DataFrame:
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"the rows of a bag must be dicts, got {kind_of(row)} at row {at}")
        if missing := [name for name in named if name not in row]:
            raise ValueError(
                f"the rows of a bag must all have {missing[0]!r}, row {at} has {list(row)!s:.100}"
            )
    return pd.DataFrame.from_records(rows) if rows else pd.DataFrame(columns=named)
