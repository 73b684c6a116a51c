"""The check of the axes that a figure is drawn on."""

from typing import Any


def check_axes(ax: Any) -> None:
    """Raise unless a value is None or matplotlib axes."""
    if ax is not None and not hasattr(ax, "get_facecolor"):
        raise TypeError(f"ax must be matplotlib axes or None, got {ax!r}")
