"""The look of the pictures in the gallery."""

from typing import Any


def reset(_conf: Any, _name: str) -> None:
    """Set the styles of matplotlib before each example."""
    import matplotlib as mpl

    mpl.rcParams.update(
        {
            "figure.dpi": 100,
            "savefig.dpi": 100,
            "figure.facecolor": "white",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "font.size": 10.5,
            "legend.frameon": False,
            "figure.constrained_layout.use": True,
        }
    )
