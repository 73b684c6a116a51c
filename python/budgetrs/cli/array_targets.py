"""What NumPy's files say of their rows, checked and read as the text reader does it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import DataError
from .labels import Labels

MAX_LABELS = 65_536
"""Most distinct labels, as the text reader has it: more of them are a sign of a regression target."""

Where = Callable[[int], str]


class ArrayLabels:
    """Gives each label its number in order of appearance."""

    def __init__(self) -> None:
        self._names: list[Any] = []
        self._index: dict[Any, int] = {}

    def read(self, y: np.ndarray, where: Where) -> Labels:
        """Read the labels of the next rows."""
        values, first, inverse = np.unique(y, return_index=True, return_inverse=True)
        codes = np.empty(len(values), dtype=np.int64)
        for position in np.argsort(first):
            try:
                codes[position] = self._code(_label(values[position]))
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


class ArrayNumbers:
    """Gives the numbers in double precision."""

    def read(self, y: np.ndarray, where: Where) -> np.ndarray:
        """Read the numbers of the next rows."""
        if y.dtype.kind not in "fiub":
            raise DataError(f"{where(0)}: expected a number as the target, got {y[0].item()!r}", located=True)
        with np.errstate(over="ignore"):  # of extended precision; it is refused just below
            numbers = y.astype(np.float64)
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise DataError(
                f"{where(row)}: expected a number as the target that is finite, got {y[row]}", located=True
            )
        return numbers


class Nothing:
    """Passes over what there is."""

    def read(self, y: np.ndarray, where: Where) -> None:
        """Read nothing."""


ARRAY_TARGETS = {"classification": ArrayLabels, "regression": ArrayNumbers, "unlabelled": Nothing}
"""What reads the targets, by the task."""


def _label(value: Any) -> int | float | str:
    """Read a label of an array as the text reader does."""
    try:
        label = value.item()
        if isinstance(label, bytes):
            label = label.decode()
        if isinstance(label, str):
            label.encode()
    except ValueError:
        raise ValueError(f"expected a label, got text that is not Unicode: {bytes(value)!r}") from None
    if isinstance(label, float) and not np.isfinite(label):
        raise ValueError(f"expected a label, got {label}")
    # Larger ones are no integers of 64 bits.
    if isinstance(label, float) and label.is_integer() and abs(label) < 2**63:
        return int(label)
    return label
