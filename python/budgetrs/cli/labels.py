"""The labels of a file against the classes of a model."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Labels:
    """The labels of some rows: for each one its place in `names`, which grows while the file is read."""

    codes: np.ndarray
    names: list[Any]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice) -> "Labels":
        """Cut out consecutive rows."""
        return Labels(self.codes[rows], self.names)

    def of(self, row: int) -> Any:
        """Give the label of a row."""
        return self.names[self.codes[row]]


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

    def indices(self, labels: Labels) -> np.ndarray:
        """Give the class index of each row, -1 for an unknown label."""
        # The names only ever grow, so what is known of the first ones stays.
        for label in labels.names[len(self._by_code) :]:
            self._by_code.append(self._index.get(str(label) if self._as_text else label, -1))
        return np.asarray(self._by_code, dtype=np.int64)[labels.codes]

    def has_fractions(self) -> bool:
        """Tell whether a class is a number that is no integer: in a file they speak of no classes at all."""
        return any(isinstance(_number(str(value)), float) for value in self.classes.tolist())

    def named(self) -> str:
        """List the classes for a message."""
        shown = [str(value) for value in self.classes.tolist()]
        return ", ".join(shown if len(shown) <= 30 else [*shown[:30], "..."])
