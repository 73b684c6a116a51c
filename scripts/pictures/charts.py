"""Charts of recorded results."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from .page import Page
from .results import Peer

SETS = ("a9a", "letter", "covertype-200k")
TITLES = {
    "a9a": "a9a: 32,561 rows, 2 classes",
    "letter": "letter: 16,000 rows, 26 classes",
    "covertype-200k": "covertype: 200,000 rows, 7 classes",
}
# The beginning of the title of each table of `measure cost`, and its label.
COSTS = {"rows": "rows learned before", "budget": "budget", "features": "features"}
NAMES = {"budgetrs": "budgetrs, B = 500"}
MARKERS = "o|_v^sDdXPp"  # on streams: of budgetrs, baselines, and other models
DRAWN = ("budgetrs", "budgetrs, B = 100", "budgetrs, fit", "RBFSampler-500 + SGD", "Nystroem-500 + SGD")
DRAWN += ("SGDClassifier", "LightGBM, tuned", "SVC, tuned", "random forest", "decision tree")
LEAST_SPAN = 2.5  # of accuracies, so that nearly equal ones look so
# Where a name may be, in points from its mark, the nearest place first.
OFFSETS = [(9, 0, "left"), (-9, 0, "right")]
OFFSETS += [
    (0, y, side) for far in (13, 26, 39, 52) for side in ("center", "left", "right") for y in (far, -far)
]


def peers(page: Page, found: Mapping[str, Mapping[str, Peer]]) -> Figure:
    """Accuracy against rows per second, a panel for each set."""
    figure, panels, colours = page.figure(7.4, 12.0, len(found))
    for axes, (name, models) in zip(panels, found.items(), strict=True):
        models = {title: peer for title, peer in models.items() if title in DRAWN}
        _scatter(figure, axes, colours, models)
        axes.set_title(TITLES[name], loc="left", color=colours.ink)
    return figure


def growth(page: Page, found: Mapping[str, np.ndarray]) -> Figure:
    """Training time and model size against the number of rows."""
    figure, panels, colours = page.figure(7.4, 4.2, 1, 2)
    names = {"budgetrs": "budgetrs, B = 100", "SVC": "SVC"}
    for axes, column, title in zip(panels, (1, 2), ("Training time (s)", "Model size (kB)"), strict=True):
        for name, points in found.items():
            colour = colours.orange if name == "budgetrs" else colours.blue
            axes.plot(points[:, 0], points[:, column], color=colour, lw=2.4, marker="o", ms=4.5)
            place = (0.5, 0.93) if name == "SVC" else (0.98, 0.03)
            axes.text(*place, names[name], transform=axes.transAxes, ha="right", color=colour, weight="bold")
        axes.set(xscale="log", yscale="log")
        axes.margins(y=0.14)
        axes.xaxis.set_major_locator(LogLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_locator(NullLocator())
        axes.grid(color=colours.grid, lw=0.8)
        axes.set_title(title, loc="left", color=colours.ink)
        axes.set_xlabel("rows", color=colours.soft)
    return figure


def cost(page: Page, tables: list[tuple[str, Mapping[str, np.ndarray]]]) -> Figure:
    """Microseconds per row against rows, budget and features."""
    figure, panels, colours = page.figure(7.4, 8.6, len(COSTS), sharey=True)
    palette = (colours.orange, colours.blue, colours.soft)
    for axes, (beginning, label) in zip(panels, COSTS.items(), strict=True):
        parts = [found for title, found in tables if title.startswith(beginning)]
        for name, colour in zip(parts[0], palette, strict=True):
            points = np.concatenate([part[name] for part in parts])
            shown = "online-kernel" if name == "default" else name
            axes.plot(points[:, 0], points[:, 1], color=colour, lw=2.2, marker="o", ms=4.5, label=shown)
        axes.set(xscale="log", yscale="log")
        axes.xaxis.set_major_locator(FixedLocator(points[:, 0]))
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
            axis.set_minor_locator(NullLocator())
        axes.grid(color=colours.grid, lw=0.8)
        axes.set_title(f"Microseconds per row against {label}", loc="left", color=colours.ink)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=3, frameon=False, labelcolor=colours.ink)
    return figure


def streams(page: Page, names: list[str], found: Mapping[str, list[float]]) -> Figure:
    """Accuracy of the models on each stream; distances are of the logarithms of the errors."""
    figure, axes, colours = page.figure(7.4, 5.2)
    order = sorted(found, key=lambda stream: found[stream][0])
    others = [name for name in names if not name.startswith("budgetrs")]
    for name, marker in zip((names[0], *others), MARKERS[: 1 + len(others)], strict=True):
        is_ours = name == names[0]
        axes.plot(
            [100 - found[stream][names.index(name)] for stream in order],
            range(len(order)),
            ls="none",
            marker=marker,
            ms=10 if is_ours else 7,
            mew=0 if is_ours else 1.4,
            mfc=colours.orange if is_ours else "none",
            color=colours.orange if is_ours else colours.soft if marker in "|_" else colours.blue,
            zorder=3 if is_ours else 2,
            label=name.removesuffix(", scaled"),
        )
    axes.set_xscale("log")
    axes.invert_xaxis()
    axes.xaxis.set_major_locator(FixedLocator([90, 70, 50, 30, 20, 10, 5]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{100 - x:g}%"))
    axes.set_yticks(range(len(order)), order)
    axes.tick_params(axis="y", colors=colours.ink, labelsize=12.5)
    axes.grid(color=colours.grid, lw=0.8)
    axes.set_title("Accuracy on streams, each row predicted, then learned", loc="left", color=colours.ink)
    figure.legend(
        loc="outside lower left",
        ncols=3,
        frameon=False,
        labelcolor=colours.ink,
        fontsize=11,
        handletextpad=0.3,
    )
    return figure


def _colour(title: str, colours: Any) -> str:
    return colours.orange if title.startswith("budgetrs") else colours.blue


def _scatter(figure: Figure, axes: Any, colours: Any, found: Mapping[str, Peer]) -> None:
    """Draw a mark with its name for each model."""
    axes.set_xscale("log")
    for title, peer in found.items():
        size = 110 if title.startswith("budgetrs") else 60
        axes.scatter(
            peer.learned, peer.accuracy, s=size, color=_colour(title, colours), zorder=3, linewidth=0
        )
    axes.margins(x=0.3, y=0.25)
    low, high = axes.get_ylim()
    short = max(0.0, LEAST_SPAN - (high - low)) / 2
    axes.set_ylim(low - short, high + short)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}%"))
    axes.grid(color=colours.grid, lw=0.8)
    axes.set_ylabel("test accuracy", color=colours.soft)
    axes.set_xlabel("rows learned per second  \N{RIGHTWARDS ARROW} better", color=colours.soft)
    figure.canvas.draw()
    taken = []
    for peer in found.values():
        x, y = axes.transData.transform((peer.learned, peer.accuracy))
        taken.append((x - 9, y - 9, x + 9, y + 9))
    for title, peer in sorted(found.items(), key=lambda item: not item[0].startswith("budgetrs")):
        _label(figure, axes, _colour(title, colours), NAMES.get(title, title), peer, taken)


def _label(figure: Figure, axes: Any, colour: str, name: str, peer: Peer, taken: list[Any]) -> None:
    """Write a name beside its mark where it covers no other one."""
    frame = axes.get_window_extent()
    weight = "bold" if name.startswith("budgetrs") else "normal"
    for x, y, side in OFFSETS:
        text = axes.annotate(
            name, (peer.learned, peer.accuracy), (x, y), textcoords="offset points", ha=side, va="center",
            color=colour, weight=weight,
        )  # fmt: skip
        box = text.get_window_extent(figure.canvas.get_renderer())
        is_inside = (
            frame.x0 - 20 < box.x0 and box.x1 < frame.x1 + 20 and frame.y0 < box.y0 and box.y1 < frame.y1
        )
        if is_inside and not any(_overlap(box, other) for other in taken):
            taken.append((box.x0, box.y0, box.x1, box.y1))
            return
        text.remove()
    raise ValueError(f"expected room for the name {name}")


def _overlap(box: Any, other: tuple[float, float, float, float]) -> bool:
    return box.x0 < other[2] and other[0] < box.x1 and box.y0 < other[3] and other[1] < box.y1
