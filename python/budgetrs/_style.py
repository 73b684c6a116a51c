"""The colours and axes of the figures."""

from typing import Any

INK, SOFT, GRID = "#22303c", "#6b7a88", "#d9dfe4"
BLUE, ORANGE = "#2a6f97", "#d1662a"


def plain(axes: Any) -> None:
    """Remove the frame of the axes."""
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(which="both", colors=SOFT, length=0, labelsize=10)
