"""The labels of a file against the classes of a model."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .rows import Batch


def class_array(labels: Iterable[Any]) -> np.ndarray:
    """Make the sorted classes from labels: numbers if all are numbers, else strings."""
    labels = list(labels)
    if any(isinstance(label, str) for label in labels):
        labels = [str(label) for label in labels]
    return np.unique(np.asarray(labels)) if labels else np.empty(0, dtype=np.int64)


def parse_classes(text: str) -> np.ndarray:
    """Read ``--classes a,b,c``; numbers are taken as numbers when all of them are."""
    return class_array(_number(part.strip()) for part in text.split(",") if part.strip())


def _number(text: str) -> int | float | str:
    """Read a label as the text reader does: `+1`, `1` and `1.0` are one label."""
    try:
        value = float(text)
    except ValueError:
        return text
    # Python also reads 1_000, which is text here. So are digits beyond 64 bits: rounding could join two.
    if "_" in text or not np.isfinite(value):
        return text
    if not value.is_integer():
        return value
    exact = int(text) if text.lstrip("+-").isdigit() else int(value)
    return exact if -(2**63) <= exact < 2**63 else text


class ClassTable:
    """Finds the class of each row; a label that is no class has none (-1)."""

    def __init__(self, classes: np.ndarray) -> None:
        self.classes = classes
        self._as_text = classes.dtype.kind not in "biuf"
        self._index = {value: position for position, value in enumerate(classes.tolist())}
        self._by_code: list[int] = []

    def indices(self, batch: Batch) -> np.ndarray:
        """Give the class index of each row of a labelled batch, -1 for an unknown label."""
        # `batch.labels` only ever grows, so what is known of its first entries stays.
        for label in batch.labels[len(self._by_code) :]:
            self._by_code.append(self._index.get(str(label) if self._as_text else label, -1))
        return np.asarray(self._by_code, dtype=np.int64)[batch.codes]

    def named(self) -> str:
        """List the classes for a message."""
        shown = [str(value) for value in self.classes.tolist()]
        return ", ".join(shown if len(shown) <= 30 else [*shown[:30], "..."])
