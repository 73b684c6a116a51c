"""The checkpoint of a run: a model file whose metadata name the run and count the learned partitions."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
from dask.base import tokenize

from .. import _core
from ._models import is_estimator, native_of


class Checkpoint:
    """The checkpoint of a run, which is known by its length, model, classes and first partition."""

    def __init__(self, folder: Path, count: int, model: Any, classes: Any, first: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        labels = None if classes is None else sorted(np.asarray(classes, object).tolist(), key=repr)
        self._path, self._run = (
            folder / "checkpoint.safetensors",
            f"of-{count}-{tokenize(model, labels, first)}",
        )
        self._saved = _core.load(self._path, n_jobs=model.n_jobs) if self._path.exists() else None
        if self._saved is not None and (run := self._saved.metadata.get("run", "another model")) != self._run:
            raise ValueError(
                f"checkpoint_dir must be empty or have a checkpoint of this call, {self._run}, got {folder} "
                f"with {run}: the model, the classes, the number of partitions or the first partition "
                "differ; to learn more rows, load the model and use another checkpoint_dir"
            )

    def last(self, model: Any) -> tuple[Any, int]:
        """Return the model of the checkpoint, and the number of partitions that it has learned."""
        native = self._saved
        if native is None:
            return model, 0
        done, native.metadata = native.metadata["partitions"], native.metadata["metadata"]
        if not is_estimator(model):
            return native, done
        model = copy.copy(model)
        model._take(native)
        return model, done

    def save(self, model: Any, done: int) -> None:
        """Replace the checkpoint by the model after `done` partitions."""
        native = native_of(model)
        if native is not None:  # an estimator has none before its first rows
            own = native.metadata
            native.save(self._path, metadata={"run": self._run, "partitions": done, "metadata": own})
            native.metadata = own
