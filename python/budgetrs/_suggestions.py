"""The nearest legal name, for messages about an unknown one."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


def suggestion(name: Any, legal: Iterable[str]) -> str:
    """Return the end of a message that asks for the nearest legal name; empty where none is near.

    Examples
    --------
    >>> suggestion("lapacian", ["rbf", "laplacian"])
    "; did you mean 'laplacian'?"
    >>> suggestion("cubic", ["rbf", "laplacian"])
    ''
    """
    near = get_close_matches(name, list(legal), n=1) if isinstance(name, str) else []
    return f"; did you mean {near[0]!r}?" if near and near[0] != name else ""
