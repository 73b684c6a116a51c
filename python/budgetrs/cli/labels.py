"""The labels of a file, and their indices among the classes of a model."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Labels:
    """The labels of some rows, as indices into `names`, which grows while the file is read."""

    codes: np.ndarray
    names: list[Any]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | np.ndarray) -> "Labels":
        """Return the labels of some rows."""
        return Labels(self.codes[rows], self.names)

    @staticmethod
    def joined(parts: "list[Labels]") -> "Labels":
        """Return the labels of several batches of one file."""
        return Labels(np.concatenate([part.codes for part in parts]), parts[-1].names)

    def of(self, row: int) -> Any:
        """Return the label of a row."""
        return self.names[self.codes[row]]


def class_array(labels: Iterable[Any]) -> np.ndarray:
    """Return the sorted classes: numbers if all labels are numbers, else strings."""
    labels = list(labels)
    if any(isinstance(label, str) for label in labels):
        labels = [str(label) for label in labels]
    if not labels:
        return np.empty(0, dtype=np.int64)
    # `np.unique` would import numpy.ma, which takes a tenth of a second.
    values = np.sort(np.asarray(labels))
    return values[np.append(True, values[1:] != values[:-1])]


def parse_classes(text: str) -> np.ndarray:
    """Parse ``--classes a,b,c``; the classes are numbers if all labels are."""
    return class_array(label_of(part.strip()) for part in text.split(",") if part.strip())


def label_of(text: str) -> int | float | str:
    """Read a label as the text reader does: `+1`, `1` and `1.0` are one label."""
    try:
        value = float(text)
    except ValueError:
        return text
    # 1_000 is text here, unlike in Python. So are integers beyond 64 bits, which rounding could make equal.
    if "_" in text or not np.isfinite(value):
        return text
    if not value.is_integer():
        return value
    exact = int(text) if text.lstrip("+-").isdigit() else int(value)
    return exact if -(2**63) <= exact < 2**63 else text


class ClassTable:
    """Maps labels to class indices; -1 for a label that is not a class."""

    def __init__(self, classes: np.ndarray) -> None:
        self.classes: np.ndarray = classes
        self._as_text = classes.dtype.kind not in "biuf"
        self._index = {value: position for position, value in enumerate(classes.tolist())}
        self._by_code: list[int] = []

    def indices(self, labels: Labels) -> np.ndarray:
        """Return the class index of each row, -1 for an unknown label."""
        # Names are only appended, so known indices remain valid.
        for label in labels.names[len(self._by_code) :]:
            self._by_code.append(self._index.get(str(label) if self._as_text else label, -1))
        return np.asarray(self._by_code, dtype=np.int64)[labels.codes]

    def add(self, labels: Labels) -> list[Any]:
        """Append the labels of rows that are new classes; return the labels that could be appended.

        A new class must be a number, or an integer, if all other classes are.
        """
        unknown = dict.fromkeys(labels.codes[self.indices(labels) < 0].tolist())
        added = [value for value in (labels.names[code] for code in unknown) if self._takes(value)]
        for value in dict.fromkeys(map(str, added) if self._as_text else added):
            self._index[value] = len(self.classes)
            self.classes = np.append(self.classes, value)
        self._by_code = []
        return added

    def _takes(self, label: Any) -> bool:
        kinds: dict[str, tuple[type, ...]] = {"i": (int,), "f": (int, float)}
        return self._as_text or isinstance(label, kinds.get(self.classes.dtype.kind, ()))

    def kind(self) -> str:
        """Describe the labels that can be appended."""
        kinds = {
            "i": f"an integer from {-(2**63)} to {2**63 - 1}",
            "f": "a finite number",
            "b": "False or True",
        }
        return kinds.get(self.classes.dtype.kind, "a string")

    def has_fractions(self) -> bool:
        """Return whether a class is a fractional number, which usually means a regression target."""
        return any(isinstance(label_of(str(value)), float) for value in self.classes.tolist())

    def named(self) -> str:
        """List the classes for a message."""
        shown = [str(value) for value in self.classes.tolist()]
        return ", ".join(shown if len(shown) <= 30 else [*shown[:30], "..."])
