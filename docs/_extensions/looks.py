"""The look of the pictures in the gallery."""

from typing import Any

from budgetrs._style import COLOURS, SETTINGS


def reset(_conf: Any, _name: str) -> None:
    """Set the styles of matplotlib before each example."""
    import matplotlib as mpl

    mpl.rcParams.update(
        {
            **SETTINGS,
            "axes.prop_cycle": mpl.cycler(color=COLOURS),
            "figure.dpi": 100,
            "savefig.dpi": 100,
            "figure.constrained_layout.use": True,
        }
    )
