"""A warning about columns with very many categories, each of which is a feature."""

from collections import Counter
from typing import Any

from .. import _core

MAX_CATEGORIES = 1000
"""The number of categories per column without a warning."""


class CardinalityCheck:
    """Counts the categories of the columns, and warns once per column with very many."""

    def __init__(self) -> None:
        self._warned: set[str] = set()
        self._next_width = MAX_CATEGORIES + 1

    def add(self, rows: Any) -> list[str]:
        """Return the warnings that the columns of a batch of rows give rise to."""
        if not isinstance(rows, _core.NamedRows) or rows.shape[1] < self._next_width:
            return []
        width = rows.shape[1]
        # Counting after every new category would take quadratic time.
        self._next_width = width + width // 10
        counts = Counter(rows.column_of(feature) or "" for feature in range(width))
        new = {
            name: count
            for name, count in counts.items()
            if count > MAX_CATEGORIES and name not in self._warned
        }
        self._warned |= set(new)
        return [
            f"column {name} has {count:,} categories so far, each one-hot encoded as a feature: memory and "
            "time grow with them; leave the column out or convert it to numbers"
            for name, count in new.items()
        ]
