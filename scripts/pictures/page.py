"""Light and dark pages, and the files of a picture for both, with a transparent background."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from PIL import Image

mpl.use("agg")
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from budgetrs._style import plain, shades

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
PAPERS = {"light": "#ffffff", "dark": "#131416"}


class Page:
    """Makes the figures of one background."""

    def __init__(self, paper: str) -> None:
        self.paper = paper

    def figure(self, width: float, height: float, *grid: int, **options: Any) -> tuple[Figure, Any, Any]:
        """Return a figure, its axes (an array if there are several) and their colours."""
        figure, axes = plt.subplots(
            *grid, figsize=(width, height), facecolor=self.paper, squeeze=False, **options
        )
        figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.1)
        for one in axes.flat:
            one.set_facecolor(self.paper)
            plain(one)
            one.set_axisbelow(True)
        return figure, axes[0, 0] if axes.size == 1 else axes.squeeze(), shades(axes[0, 0])


def save(name: str, draw: Callable[[Page], Figure], suffix: str) -> None:
    """Write a picture for light and for dark pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for kind, paper in PAPERS.items():
        path = FOLDER / f"{name}-{kind}.{suffix}"
        with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": name, "font.size": 12.5}):
            figure = draw(Page(paper))
            # Without a date, so that equal results give equal files.
            metadata = {"Date": None} if suffix == "svg" else {}
            figure.savefig(
                path, dpi=150, transparent=True, metadata=metadata, bbox_inches="tight", pad_inches=0.08
            )
        plt.close(figure)
        if suffix == "png":
            # A third of the bytes. Of the methods only this one keeps the transparency.
            Image.open(path).quantize(256, Image.Quantize.FASTOCTREE).save(path, optimize=True)
        print(f"wrote {path}")
