"""Where a model that learns on a worker is kept, so that it goes on when the worker is lost."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _core
from ._models import is_estimator, native_of

_KEPT = 2
_NAME = re.compile(r"partitions-(\d{8,})\.safetensors")


@dataclass(frozen=True)
class Folder:
    """A folder that the client and all workers reach: model files, and one that names their run."""

    path: Path

    def save(self, model: Any, done: int) -> None:
        """Write the model after so many partitions; the last two stay."""
        native_of(model).save(self.path / f"partitions-{done:08}.safetensors")
        for old in sorted(self._found())[:-_KEPT]:
            self._found_path(old).unlink(missing_ok=True)

    def begin(self, run: dict[str, Any]) -> None:
        """Note which run this is.

        Raises
        ------
        ValueError
            When the folder is of another one.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / "run.json"
        if file.exists():
            before = json.loads(file.read_text(encoding="utf-8"))
            other = [name for name, value in run.items() if before.get(name) != value]
            if other:
                raise ValueError(
                    f"checkpoint must be a folder of the same run, or an empty one: that in {self.path} had "
                    f"another {' and '.join(other)}"
                )
            return
        if self._found():
            raise ValueError(f"checkpoint must be an empty folder, or one with a run.json, got {self.path}")
        draft = _core.Draft(file)
        draft.write(json.dumps(run, indent=1).encode())
        draft.commit()

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


def fingerprint(model: Any) -> str:
    """Return a digest of the parameters of a model and of all that it has learned."""
    digest = hashlib.sha256(type(model).__name__.encode())
    native = native_of(model)
    if is_estimator(model):
        digest.update(repr(sorted(model.get_params().items())).encode())
    if native is not None:
        digest.update(native.to_bytes())
    return digest.hexdigest()
