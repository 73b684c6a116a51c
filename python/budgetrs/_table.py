"""The core's table of parameters."""

from typing import Any

from . import _core

TABLE: dict[str, dict[str, Any]] = {row["name"]: row for row in _core._table()}
"""The rows of all parameters of the native learners, by name."""

CHOICES = ("maintenance", "loss", "kernel")
"""The parameters that decide which of the others apply."""


def is_published(name: str) -> bool:
    """Whether another algorithm than the default one has a parameter."""
    # Where a published algorithm scales online, it has `missing` and `missing_values`.
    if name in ("missing", "missing_values") or TABLE[name]["depends_on"] not in ("rule", "mixed"):
        return True
    default = _core.Classifier().algorithm
    return any(name in _core.parameters(other) for other in _core.ALGORITHMS if other != default)


def quoted(value: Any) -> str:
    """Return the text of a default."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
