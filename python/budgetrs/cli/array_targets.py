"""Labels and targets of NumPy files, with the checks of the text reader."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import DataError
from .labels import Labels, label_of

MAX_LABELS = 65_536
"""The largest number of distinct labels, as in the text reader: more suggest a regression target."""

Where = Callable[[int], str]


class ArrayLabels:
    """Numbers the labels in order of appearance."""

    @staticmethod
    def label(value: Any) -> int | float | str:
        """Return a label of an array as the text reader does."""
        return _label(value)

    def __init__(self) -> None:
        self._names: list[Any] = []
        self._index: dict[Any, int] = {}

    def read(self, y: np.ndarray, where: Where) -> Labels:
        """Read the labels of the next rows."""
        values, first, inverse = np.unique(y, return_index=True, return_inverse=True)
        codes = np.empty(len(values), dtype=np.int64)
        for position in np.argsort(first):
            try:
                codes[position] = self._code(self.label(values[position]))
            except ValueError as error:
                raise DataError(f"{where(int(first[position]))}: {error}", located=True) from error
        return Labels(codes[inverse.reshape(-1)], self._names)

    def _code(self, label: int | float | str) -> int:
        if label not in self._index:
            if len(self._names) == MAX_LABELS:
                raise ValueError(
                    f"expected at most {MAX_LABELS} distinct labels (is this a regression target?), "
                    f"got one more, {label}"
                )
            self._index[label] = len(self._names)
            self._names.append(label)
        return self._index[label]


class TextLabels(ArrayLabels):
    """Numbers labels that are text; text of a number is read as a number."""

    @staticmethod
    def label(value: Any) -> int | float | str:  # noqa: D102
        return label_of(str(value))


class ArrayNumbers:
    """Reads regression targets in double precision."""

    def read(self, y: np.ndarray, where: Where) -> np.ndarray:
        """Read the targets of the next rows."""
        if y.dtype.kind not in "fiub":
            raise DataError(f"{where(0)}: expected a number as the target, got {y[0].item()!r}", located=True)
        with np.errstate(over="ignore"):  # extended precision overflows to infinity, which raises below
            numbers = y.astype(np.float64)
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise DataError(
                f"{where(row)}: expected a finite number as the target, got {y[row]}", located=True
            )
        return numbers


class Nothing:
    """Ignores labels."""

    def read(self, y: np.ndarray, where: Where) -> None:
        """Read nothing."""


ARRAY_TARGETS: dict[str, Any] = {
    "classification": ArrayLabels,
    "regression": ArrayNumbers,
    "unlabelled": Nothing,
}
"""The reader of labels or targets for each task."""

TEXT_TARGETS: dict[str, Any] = {**ARRAY_TARGETS, "classification": TextLabels}
"""The reader of labels or targets for each task, for labels that are text."""


def _label(value: Any) -> int | float | str:
    try:
        label = value.item()
        if isinstance(label, bytes):
            label = label.decode()
        if isinstance(label, str):
            label.encode()
    except ValueError:
        raise ValueError(f"expected a label in UTF-8, got: {bytes(value)!r}") from None
    if isinstance(label, float) and not np.isfinite(label):
        raise ValueError(f"expected a label, got {label}")
    # Larger integers do not fit into 64 bits.
    if isinstance(label, float) and label.is_integer() and abs(label) < 2**63:
        return int(label)
    return label
