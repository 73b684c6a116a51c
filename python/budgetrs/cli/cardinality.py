"""Early warnings about columns with very many categories, each of which is a feature."""

from typing import Any

from .. import _core
from .._column_warnings import MANY, ColumnWarning


class CardinalityCheck:
    """Checks the columns of rows that are scanned, before they are learned."""

    def __init__(self) -> None:
        self._next_width = MANY + 1

    def add(self, rows: Any) -> list[ColumnWarning]:
        """Return the warnings that the columns of a batch of rows give rise to."""
        if not isinstance(rows, _core.NamedRows) or rows.shape[1] < self._next_width:
            return []
        # A check after every new category would take quadratic time.
        self._next_width = rows.shape[1] + rows.shape[1] // 10
        return [warning for warning in rows._warnings() if warning.count > MANY]
