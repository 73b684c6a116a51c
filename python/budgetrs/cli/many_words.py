"""A warning where a column holds very many words: each is a feature."""

from collections import Counter
from typing import Any

from .. import _core

MOST = 1000
"""The words of a column that nothing is said about."""


class ManyWords:
    """Looks at the words of rows, and speaks once of each column that has very many."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._next = MOST + 1

    def add(self, rows: Any) -> list[str]:
        """Return the warnings that the columns of some rows call for."""
        if not isinstance(rows, _core.NamedRows) or rows.shape[1] < self._next:
            return []
        width = rows.shape[1]
        # Not for each new word again.
        self._next = width + width // 10
        words = Counter(rows.column_of(feature) or "" for feature in range(width))
        new = {name: count for name, count in words.items() if count > MOST and name not in self._said}
        self._said |= set(new)
        return [
            f"the column {name} holds {count:,} different words so far, each a feature of its own: memory "
            "and time grow with them; leave the column out, or write numbers if it holds them"
            for name, count in new.items()
        ]
