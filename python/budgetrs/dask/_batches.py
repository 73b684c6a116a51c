"""Collections as partitions with targets, which workers load one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import chain
from typing import Any

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask._task_spec import Task, TaskRef
from dask.delayed import Delayed
from dask.optimization import cull
from dask.sizeof import sizeof
from dask.utils import ensure_dict

from .._errors import ParameterError
from .._frames import Frame, aligned, frame_of

KINDS = "a dask array, data frame or bag, or a list of delayed partitions"


@dataclass(frozen=True)
class Packed:
    """The columns of a frame for serialisation: columns that are views of one array are sent as one array."""

    names: list[str]
    columns: list[Any] | None
    matrix: np.ndarray | None

    @staticmethod
    def of(X: Any) -> Any:
        """Read a frame with named columns; return other values unchanged."""
        frame = frame_of(X)
        if frame is None:
            return X
        return Packed(frame.names, frame.columns if frame.matrix is None else None, frame.matrix)

    @staticmethod
    def arrived(names: list[str], columns: list[Any] | None, matrix: np.ndarray | None) -> Packed:
        """Read a received message, and align its arrays before the learner needs them."""
        if columns is not None:
            columns = [
                (aligned(column[0]), column[1]) if isinstance(column, tuple) else aligned(column)
                for column in columns
            ]
        return Packed(names, columns, None if matrix is None else aligned(matrix))

    def __reduce__(self) -> Any:
        return Packed.arrived, (self.names, self.columns, self.matrix)

    def unpacked(self) -> Frame:
        """Return the frame for a native model."""
        if self.matrix is not None:
            return Frame(self.names, list(self.matrix.T), self.matrix)
        return Frame(self.names, self.columns or [])

    def __len__(self) -> int:
        return len(self.unpacked() if self.matrix is None else self.matrix)

    def __sizeof__(self) -> int:
        return sizeof(self.matrix) if self.matrix is not None else sizeof(self.columns)


@dataclass(frozen=True)
class Batch:
    """The rows of a partition, their targets and weights."""

    X: Any
    y: Any
    weight: Any
    is_of_dicts: bool = False

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.X.shape[0] if hasattr(self.X, "shape") else len(self.X)

    def __sizeof__(self) -> int:
        return sizeof(self.X) + sizeof(self.y) + sizeof(self.weight)


@dataclass(frozen=True)
class Partitions:
    """A collection that can be loaded partition by partition."""

    graph: dict[Any, Any]
    parts: list[tuple[Any, Any, Any]]
    """References to rows, targets and weights, or the names of their columns."""
    given: dict[str, Any]
    """The targets and weights: a name of a column, the word "array" or "series", or None."""
    read: Any
    kind: str

    def __len__(self) -> int:
        return len(self.parts)

    def load(self, number: int, key: Any, *, packs: bool) -> dict[Any, Any]:
        """Return the graph that loads a partition as a `Batch`, under a key."""
        parts = self.parts[number]
        # Persisted collections are not in the graph: the scheduler has their keys.
        keys = [part.key for part in parts if isinstance(part, TaskRef) and part.key in self.graph]
        needed, _ = cull(self.graph, keys)
        return {**needed, key: Task(key, _batch, *parts, self.read, packs)}


def partitions(X: Any, y: Any, sample_weight: Any) -> Partitions:
    """Split a collection.

    Raises
    ------
    TypeError, ValueError
        If X is no collection, or the targets or weights do not match X.
    """
    others = {"y": y, "sample_weight": sample_weight}
    if isinstance(X, da.Array):
        return _of_array(X, others)
    if isinstance(X, dd.DataFrame):
        return _of_frame(X, others)
    if isinstance(X, db.Bag):
        for name, value in others.items():
            if not isinstance(value, str) and not (value is None and name == "sample_weight"):
                raise TypeError(
                    f"{name} must be the name that it has in the rows of the bag, got {_kind(value)}"
                )
        return _joined(X.to_delayed(), others, _read_dicts, "bag")
    if isinstance(X, list | tuple):
        _reject_other_parts(X)
        for name, value in others.items():
            if not isinstance(value, str | None):
                raise TypeError(f"{name} must be the name of a column of the partitions, got {_kind(value)}")
        return _joined(list(X), others, _read_delayed, "delayed")
    raise TypeError(f"X must be {KINDS}, got {_kind(X)}")


def _reject_other_parts(X: Sequence[Any]) -> None:
    if not X:
        raise ValueError(f"X must be {KINDS}, got an empty {type(X).__name__}")
    for at, part in enumerate(X):
        if not isinstance(part, Delayed):
            raise TypeError(f"X must be {KINDS}, got {_kind(part)} at place {at} of the {type(X).__name__}")


def _of_array(X: Any, others: dict[str, Any]) -> Partitions:
    if X.ndim != 2:
        raise ValueError(f"X must have 2 dimensions, got {X.ndim}")
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    aligned = {name: _array_beside(X, name, value) for name, value in others.items()}
    return _joined(X.to_delayed()[:, 0].tolist(), aligned, _read_array, "array")


def _array_beside(X: Any, name: str, value: Any) -> list[Delayed] | None:
    """Return the partitions of targets or weights, cut as the rows are."""
    if value is None and name == "sample_weight":
        return None
    if not isinstance(value, da.Array):
        raise TypeError(f"{name} must be a dask array, as X is, got {_kind(value)}")
    if value.ndim != 1:
        raise ValueError(f"{name} must have 1 dimension, got {value.ndim}")
    rows: Any = value
    if not np.isnan(rows.shape[0] + X.shape[0]):
        if len(rows) != len(X):
            raise ValueError(f"{name} must have as many rows as X, {len(X)}, got {len(rows)}")
        rows = rows.rechunk((X.chunks[0],))
    return rows.to_delayed().tolist()


def _of_frame(X: Any, others: dict[str, Any]) -> Partitions:
    aligned = {name: _series_beside(X, name, value) for name, value in others.items()}
    return _joined(X.to_delayed(), aligned, _read_frame, "frame")


def _series_beside(X: Any, name: str, value: Any) -> list[Delayed] | str | int | None:
    """Return the partitions of targets or weights, or the name of their column."""
    if isinstance(value, dd.Series):
        return value.to_delayed()
    is_absent = value is None and name == "sample_weight"
    if not is_absent and (not isinstance(value, str | int) or value not in X.columns):
        raise ValueError(
            f"{name} must be a column of X, one of {X.columns.tolist()}, or a dask series, got {value!r:.100}"
        )
    return value


def _joined(rows: list[Delayed], others: dict[str, Any], read: Any, kind: str) -> Partitions:
    """Put together the partitions of the rows, and of targets and weights that have their own."""
    own = {name: value for name, value in others.items() if isinstance(value, list)}
    for name, parts in own.items():
        if len(parts) != len(rows):
            raise ValueError(f"{name} must have the {len(rows)} partitions of X, got {len(parts)}")
    graph: dict[Any, Any] = {}
    # The graphs themselves, whose numbers others get once they are gone.
    seen: dict[int, Any] = {}
    for part in chain(rows, *own.values()):
        whole = part.__dask_graph__()
        if id(whole) not in seen:
            seen[id(whole)] = whole
            graph.update(ensure_dict(whole))
    columns: list[list[Any]] = [[TaskRef(part.key) for part in rows]]
    for name, value in others.items():
        columns.append([TaskRef(part.key) for part in own[name]] if name in own else [value] * len(rows))
    given = {**others, **dict.fromkeys(own, "array" if kind == "array" else "series")}
    return Partitions(graph, list(zip(*columns, strict=True)), given, read, kind)


def _batch(X: Any, y: Any, weight: Any, read: Any, packs: bool) -> Batch:
    """Read a partition, in the worker that loads it."""
    batch = read(X, y, weight)
    # The columns of rows of dicts are only known together with the model.
    is_done = batch.is_of_dicts or not packs
    return batch if is_done else Batch(Packed.of(batch.X), batch.y, batch.weight)


def _read_array(X: Any, y: Any, weight: Any) -> Batch:
    return Batch(X, y, weight)


def _read_frame(X: pd.DataFrame, y: Any, weight: Any) -> Batch:
    named = [name for name in (y, weight) if isinstance(name, str | int)]
    for name in named:
        if name not in X.columns:
            raise ValueError(f"the partition has no column {name!r}, but {X.columns.tolist()}")
    y, weight = (X[name] if isinstance(name, str | int) else name for name in (y, weight))
    return Batch(X.drop(columns=named), y, weight)


def _read_dicts(X: Iterable[Any], y: str, weight: str | None) -> Batch:
    rows = list(X)
    named = [y] if weight is None else [y, weight]
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"the rows of a bag must be dicts to be learned, got {_kind(row)} at row {at}")
        for name in named:
            if name not in row:
                raise ValueError(f"the rows of a bag must all have {name!r}, row {at} has {list(row)!s:.100}")
    frame = pd.DataFrame.from_records(rows) if rows else pd.DataFrame(columns=named)
    batch = _read_frame(frame, y, weight)
    return Batch(batch.X, batch.y, batch.weight, is_of_dicts=True)


def _read_delayed(X: Any, y: str | None, weight: str | None) -> Batch:
    if isinstance(X, pd.DataFrame) and y is not None:
        return _read_frame(X, y, weight)
    if isinstance(X, tuple | list) and len(X) in (2, 3) and y is None and weight is None:
        rows, targets, *weights = X
        if isinstance(rows, tuple | list):
            _reject_ragged(rows)
        return Batch(rows, targets, weights[0] if weights else None)
    raise TypeError(
        "a delayed partition must be a data frame, with y the name of its column of targets, or (X, y) or "
        f"(X, y, sample_weight), got {_kind(X)}"
    )


def _reject_ragged(rows: Sequence[Any]) -> None:
    """Raise an error that names the first row whose shape differs, which NumPy's error does not."""
    try:
        np.asarray(rows)
    except ValueError as error:
        shapes = [_shape(row) for row in rows]
        at = next((at for at, shape in enumerate(shapes) if shape != shapes[0]), 0)
        raise ParameterError(
            "the rows of X must be sequences of numbers, all of one length, "
            f"got {shapes[at]} at row {at}, {shapes[0]} at row 0",
            "X",
            at,
        ) from error


def _shape(row: Any) -> str:
    return (
        f"{len(row)} values" if isinstance(row, Sized) and not isinstance(row, str | Mapping) else _kind(row)
    )


def _kind(value: Any) -> str:
    return "None" if value is None else f"{type(value).__module__}.{type(value).__qualname__}"
