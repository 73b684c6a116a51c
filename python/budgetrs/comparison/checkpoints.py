"""The numbers of rows after which the state of the models is recorded."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import count, pairwise
from math import inf
from operator import index
from typing import Any

# The Renard series R10: ten rounded numbers per decade, nearly equally spaced on a logarithmic scale.
_RENARD = (10.0, 12.5, 16.0, 20.0, 25.0, 31.5, 40.0, 50.0, 63.0, 80.0)


class Checkpoints:
    """Increasing row counts: multiples of an integer, a sequence, or (None) ten per decade."""

    def __init__(self, wanted: int | Sequence[int] | None = None) -> None:
        self._every: int | None = None
        self._given: list[int] | None = None
        if wanted is None:
            return
        if not isinstance(wanted, str | bytes) and hasattr(wanted, "__iter__"):
            self._given = [_number(rows, wanted) for rows in wanted]  # type: ignore[union-attr]
            rising = [0, *self._given]
        else:
            self._every = _number(wanted, wanted)
            rising = [0, self._every]
        if any(a >= b for a, b in pairwise(rising)):
            raise ValueError(f"checkpoints must be numbers of rows >= 1 that increase, got {wanted!r}")

    def after(self, rows: int) -> float:
        """Return the first checkpoint after this number of rows; infinity if there is none."""
        if self._every is not None:
            return (rows // self._every + 1) * self._every
        if self._given is not None:
            position = bisect_right(self._given, rows)
            return self._given[position] if position < len(self._given) else inf
        series = (round(number * 10**decade) for decade in count() for number in _RENARD)
        return next(number for number in series if number > rows)


def _number(rows: Any, wanted: Any) -> int:
    if isinstance(rows, bool) or not hasattr(rows, "__index__"):
        raise TypeError(f"checkpoints must be an integer or a sequence of integers, got {wanted!r}")
    return index(rows)
