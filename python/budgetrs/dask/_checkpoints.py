"""Checkpoints of a run: model files whose names say how many partitions were learned, and in which run."""

import copy
import re
from pathlib import Path
from typing import Any

import numpy as np
from dask.base import tokenize

from .. import _core
from ._models import is_estimator, native_of

_NAME = re.compile(r"partitions-(\d{8,})-(of-\d+-[0-9a-f]{32})\.safetensors")


class Checkpoints:
    """The checkpoint of a run, which is known by its length, model, classes and first partition."""

    def __init__(self, folder: Path, count: int, model: Any, classes: Any, first: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        labels = None if classes is None else sorted(np.asarray(classes, object).tolist(), key=repr)
        self._folder, self._run = folder, f"of-{count}-{tokenize(model, labels, first)}"
        if others := {run for run, _ in self._found()} - {self._run}:
            raise ValueError(
                f"checkpoint_dir must be empty or have a checkpoint of this call, {self._run}, got {folder} "
                f"with {', '.join(sorted(others))}: the model, the classes, the number of partitions or the "
                "first partition differ; to learn more rows, load the model and use another checkpoint_dir"
            )

    def last(self, model: Any) -> tuple[Any, int]:
        """Return the model of the last checkpoint, and the number of partitions that it has learned."""
        done = max((done for _, done in self._found()), default=0)
        if not done:
            return model, 0
        native = _core.load(self._path(done), n_jobs=model.n_jobs)
        if not is_estimator(model):
            return native, done
        model = copy.copy(model)
        model._take(native)
        return model, done

    def save(self, model: Any, done: int) -> None:
        """Write the model after `done` partitions, and remove earlier checkpoints."""
        if native_of(model) is not None:  # an estimator has none before its first rows
            native_of(model).save(self._path(done))
            for _, before in self._found():
                if before < done:
                    self._path(before).unlink(missing_ok=True)

    def _path(self, done: int) -> Path:
        return self._folder / f"partitions-{done:08}-{self._run}.safetensors"

    def _found(self) -> list[tuple[str, int]]:
        names = [_NAME.fullmatch(path.name) for path in self._folder.iterdir()]
        return [(name[2], int(name[1])) for name in names if name]
