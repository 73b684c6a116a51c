"""The colours and axes of the figures."""

from typing import Any

INK, SOFT, GRID = "#22303c", "#6b7a88", "#d9dfe4"
BLUE, ORANGE = "#2a6f97", "#d1662a"


def new_axes(height: float = 5.2) -> Any:
    """Create the axes of a new figure of this height in inches."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("a picture needs matplotlib: pip install 'budgetrs[plot]'") from error
    figure, axes = pyplot.subplots(figsize=(7.2, height))
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.12)
    plain(axes)
    return axes


def plain(axes: Any) -> None:
    """Remove the frame of the axes."""
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(which="both", colors=SOFT, length=0, labelsize=10)
