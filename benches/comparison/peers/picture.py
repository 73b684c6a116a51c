"""Accuracy against the time of training, a panel to the set."""

from __future__ import annotations

from pathlib import Path

from budgetrs._style import plain, shades

from .data import SETS
from .models import FRONT_DOOR, SMALL, TREE
from .runs import Cells

MARKS = ("s", "D", "^", "v", "P", "X", "h")
LEAST_SPAN = 4.0  # of accuracies, so that what is nearly equal looks so
COLOURS = ("#6b7a88", "#9c6f9c", "#5b8c5a", "#b0892f", "#8a5a44", "#4f6d9a", "#999999")


def draw(cells: Cells, path: Path) -> None:
    """Write the picture, where Matplotlib is installed."""
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        print("missing: matplotlib, for the picture")
        return
    mpl.use("agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter

    sets = [name for name in SETS if (name, FRONT_DOOR) in cells.records]
    titles = list(dict.fromkeys(t for name, t in cells.records if name in sets and t != TREE))
    if not sets:
        return
    figure, panels = plt.subplots(1, len(sets), figsize=(1 + 2.5 * len(sets), 4.0), squeeze=False)
    figure.set_layout_engine("constrained", w_pad=0.08, h_pad=0.1)
    for axes, name in zip(panels[0], sets, strict=True):
        plain(axes)
        colours = shades(axes)
        others = [title for title in titles if title not in (FRONT_DOOR, SMALL)]
        looks = dict(zip(others, zip(MARKS, COLOURS, strict=True), strict=False))
        looks |= {FRONT_DOOR: ("o", colours.orange), SMALL: ("o", colours.blue)}
        for title in titles:
            record = cells.records.get((name, title))
            if record is not None:
                mark, colour = looks[title]
                size = 90 if title in (FRONT_DOOR, SMALL) else 55
                axes.scatter(
                    1e6 / record["learned"], record["accuracy"], s=size, marker=mark, color=colour,
                    edgecolor=colours.paper, linewidth=0.7, zorder=3,
                )  # fmt: skip
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.margins(x=0.15, y=0.12)
        low, high = axes.get_ylim()
        short = max(0.0, LEAST_SPAN - (high - low)) / 2
        axes.set_ylim(low - short, high + short)
        axes.grid(color=colours.grid, lw=0.8)
        axes.set_axisbelow(True)
        axes.set_title(name, loc="left", color=colours.ink, fontsize=11)
    ink, soft = shades(panels[0][0]).ink, shades(panels[0][0]).soft
    for title in titles:
        mark, colour = looks[title]
        panels[0][0].scatter([], [], s=55, marker=mark, color=colour, label=title)
    figure.legend(
        loc="outside upper left",
        ncols=min(len(titles), 1 + len(sets) * 3 // 2),
        frameon=False,
        labelcolor=ink,
        handletextpad=0.2,
    )
    panels[0][0].set_ylabel("test accuracy in %", color=soft)
    figure.supxlabel("microseconds of training per row", color=soft, fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150, facecolor="white")
    plt.close(figure)
    print(f"wrote {path}")
