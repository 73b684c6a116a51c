"""Checkpoints of a model that learns on a worker, in a folder or in the memory of the client."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.util import hash_array, hash_pandas_object

from .. import _core
from ._batches import Batch, Packed, Partitions
from ._models import is_estimator, native_of

_FORMAT = 2  # of run.json
_KEPT = 2
_NAME = re.compile(r"partitions-(\d{8,})\.safetensors")


@dataclass(frozen=True)
class Folder:
    """A folder that the client and all workers reach, with model files and a description of their run."""

    path: Path

    def save(self, model: Any, done: int) -> None:
        """Write the model after `done` partitions; the last two files are kept."""
        native_of(model).save(self.path / f"partitions-{done:08}.safetensors")
        for old in sorted(self._found())[:-_KEPT]:
            self._found_path(old).unlink(missing_ok=True)

    def begin(self, run: dict[str, Any]) -> None:
        """Write the description of a run.

        Raises
        ------
        ValueError
            If the folder has the description of another run.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / "run.json"
        text = json.dumps(run, indent=1, default=repr)
        if file.exists():
            self._reject_other(json.loads(file.read_text(encoding="utf-8")), json.loads(text))
            return
        if self._found():
            raise ValueError(
                f"checkpoint_dir must be an empty folder, or one with a run.json, got {self.path}"
            )
        draft = _core.AtomicFile(file)
        draft.write(text.encode())
        draft.commit()

    def _reject_other(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        differences = _differences(before, now)
        if differences:
            advice = (
                "for more rows, load the model that is there and learn the new partitions into another folder"
                if self._found()
                else "no model is there yet: to begin anew, remove its run.json"
            )
            raise ValueError(
                "checkpoint_dir must be a folder of the same run, or an empty one: the run in "
                f"{self.path} {', and '.join(differences)}; {advice}"
            )

    def last(self, model: Any) -> tuple[Any, int] | None:
        """Return the given model as of the last checkpoint, and its number of partitions."""
        found = self._found()
        if not found:
            return None
        done = max(found)
        path = self._found_path(done)
        if not is_estimator(model):
            return type(model).load(path, n_jobs=model.n_jobs), done
        restored = copy.copy(model)
        restored._take(_core.load(path))
        return restored, done

    def _found(self) -> list[int]:
        names = [_NAME.fullmatch(path.name) for path in self.path.iterdir()]
        return [int(name[1]) for name in names if name]

    def _found_path(self, done: int) -> Path:
        return self.path / f"partitions-{done:08}.safetensors"


@dataclass
class Memory:
    """The last checkpoint in the memory of the client, as bytes."""

    data: bytes = b""
    done: int = 0

    def keep(self, data: bytes, done: int) -> None:
        """Keep a checkpoint in place of the one before."""
        self.data, self.done = data, done

    def last(self, model: Any) -> tuple[Any, int] | None:  # noqa: ARG002  as a folder
        """Return the model of the last checkpoint and its number of partitions."""
        return (pickle.loads(self.data), self.done) if self.data else None


def described(model: Any, parts: Partitions, classes: Any) -> dict[str, Any]:
    """Return the description by which a run is recognised, without its rows."""
    return {
        "format": _FORMAT,
        "model": fingerprint(model),
        "kind": parts.kind,
        "partitions": len(parts),
        **parts.given,
        "classes": None if classes is None else _labels(classes),
    }


def contents(batch: Batch) -> dict[str, Any]:
    """Return the facts by which a partition is recognised in any process, independent of task names."""
    X = batch.X if isinstance(batch.X, pd.DataFrame) else Packed.of(batch.X)
    values = {"rows": X, "targets": batch.y, "weights": batch.weight}
    return {
        "columns": _columns(X),
        "rows": batch.rows,
        "digests": {name: _digest(value) for name, value in values.items()},
    }


def fingerprint(model: Any) -> str:
    """Return a digest of the parameters and the state of a model."""
    digest = hashlib.sha256(type(model).__name__.encode())
    native = native_of(model)
    if is_estimator(model):
        digest.update(repr(sorted(model.get_params().items())).encode())
    if native is not None:
        digest.update(native.to_bytes())
    return digest.hexdigest()


_DIFFERENCES = {
    "kind": "read each partition as {!r}, this call as {!r}",
    "partitions": "learned {} partitions, this call has {}",
    "y": "had y={!r:.200}, this call has y={!r:.200}",
    "sample_weight": "had sample_weight={!r:.200}, this call has sample_weight={!r:.200}",
    "classes": "had classes={!s:.200}, this call has classes={!s:.200}",
    "rows": "had {} rows in its first partition, this call has {}",
}


def _differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return the differences between a run and this call, as text."""
    if before.get("format") != _FORMAT:
        return [f"is noted in the format {before.get('format')}, this version reads {_FORMAT}"]
    found = ["began with another model"] if before["model"] != now["model"] else []
    for name, text in _DIFFERENCES.items():
        if before[name] != now[name]:
            found.append(text.format(before[name], now[name]))
    if before["columns"] != now["columns"]:
        found.append(_other_columns(before["columns"], now["columns"]))
    others = [name for name, value in now["digests"].items() if before["digests"][name] != value]
    if others and not found:
        found.append(f"had other {' and '.join(others)} in its first partition")
    return found


def _other_columns(before: Any, now: Any) -> str:
    if not (isinstance(before, list) and isinstance(now, list)):
        return f"had the columns {before!s:.200}, this call has {now!s:.200}"
    gone, new = sorted({*before} - {*now}), sorted({*now} - {*before})
    parts = [f"had the columns {gone!s:.200}, which this call lacks"] if gone else []
    if new:
        parts.append(f"lacked the columns {new!s:.200}, which this call has")
    return ", and ".join(parts) or "had the columns in another order"


def _labels(classes: Any) -> list[Any]:
    """Return classes in an order that does not depend on the order in which they are given."""
    labels = np.asarray(classes, dtype=object).ravel().tolist()
    return sorted((label.item() if isinstance(label, np.generic) else label for label in labels), key=repr)


def _columns(X: Any) -> list[str] | int | None:
    """Return the names of the columns, or their number."""
    if isinstance(X, Packed):
        return X.names
    if isinstance(X, pd.DataFrame):
        return [str(name) for name in X.columns]
    shape = getattr(X, "shape", ())
    return shape[1] if len(shape) == 2 else None


def _digest(values: Any) -> str | None:
    if values is None:
        return None
    digest = hashlib.sha256()
    for part in _parts(values):
        digest.update(part)
    return digest.hexdigest()


def _parts(values: Any) -> Iterator[Any]:
    """Yield bytes by which values are recognised."""
    if isinstance(values, pd.DataFrame):
        for name, column in values.items():
            yield repr(name).encode()
            yield from _parts(column)
    elif isinstance(values, pd.Series):
        yield f"{values.dtype} {len(values)}".encode()
        yield _hashed(values)
    elif isinstance(values, Packed):
        yield repr(values.names).encode()
        if values.matrix is not None:
            yield from _parts(values.matrix)
        for column in values.columns or ():
            for part in column if isinstance(column, tuple) else (column,):
                yield from _parts(part)
    elif hasattr(values, "tocsr"):
        rows = values.tocsr()
        yield repr(rows.shape).encode()
        for part in (rows.data, rows.indices, rows.indptr):
            yield from _parts(part)
    elif isinstance(values, np.ndarray):
        yield f"{values.dtype} {values.shape}".encode()
        yield _hashed(values) if values.dtype.hasobject else np.ascontiguousarray(values)
    elif hasattr(values, "__array__"):
        yield from _parts(np.asarray(values))
    elif isinstance(values, list | tuple):
        yield from _parts(np.array(values, dtype=object))
    else:
        yield pickle.dumps(values)


def _hashed(values: pd.Series | np.ndarray) -> Any:
    """Return a hash of each value."""
    of_objects: Any = hash_array
    of_series: Any = hash_pandas_object
    try:
        if isinstance(values, pd.Series):
            return of_series(values, index=False).to_numpy()
        return of_objects(values.ravel().astype(object))
    except TypeError:  # lists in a column, for example
        return pickle.dumps(values.tolist())
