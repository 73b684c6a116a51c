"""The figures of the demonstration, of a comparison of budgets and of a model."""

import io
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from .. import _core
from .._plot import plot_sample
from .._style import BLUE, GRID, INK, ORANGE, SOFT, plain, title_on_top
from ..comparison import BudgetComparison
from .checkerboard import HALF, Course

_GRID_POINTS = 500


def draw(path: Path, model: _core.Classifier, course: Course) -> None:
    """Plot the accuracy along the stream, and the decision regions with the support vectors."""
    figure = Figure(figsize=(12.6, 5.9), dpi=150, facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    figure.subplots_adjust(left=0.065, right=0.985, top=0.8, bottom=0.11, wspace=0.14)
    accuracy = 1 - model.n_mistakes_ / model.n_samples_seen_
    _text(figure, 0.065, 0.93, "One pass, constant memory", size=19, color=INK, weight="bold")
    _text(
        figure,
        0.065,
        0.875,
        f"BSGD with merging on a 4 x 4 checkerboard: {model.n_samples_seen_:,} rows, "
        f"{model.n_support_vectors_} support vectors, gamma = {model.gamma_:g}; "
        f"progressive accuracy {100 * accuracy:.2f}%",
        size=11,
        color=SOFT,
    )
    _accuracy(left, course)
    _regions(right, model)
    figure.savefig(path)


def draw_comparison(comparison: BudgetComparison, name: str, *, interrupted: bool = False) -> Figure:
    """Plot the error of each budget along the rows and at the end."""
    figure = Figure(figsize=(12.6, 5.9), dpi=150, facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1), subplot_kw={"facecolor": "white"})
    figure.subplots_adjust(left=0.065, right=0.985, top=0.8, bottom=0.11, wspace=0.17)
    _text(figure, 0.065, 0.93, "Comparison of budgets", size=19, color=INK, weight="bold")
    rows = f"{comparison.rows[-1]:,} rows, each predicted just before it was learned"
    _text(figure, 0.065, 0.875, f"{comparison.algorithm} on {name}: {rows}", size=11, color=SOFT)
    if interrupted:
        note = f"interrupted: the first {comparison.rows[-1]:,} rows alone"
        figure.text(0.985, 0.93, note, ha="right", va="baseline", size=13, color=ORANGE, weight="bold")
    comparison.plot(left)
    comparison.plot(right, against="budget")
    left.set_title("Progressive error", loc="left", color=INK, size=12.5, pad=10)
    title_on_top(right, "Final error, with its standard error", size=12.5)
    for axes in (left, right):
        plain(axes)
    return figure


def draw_model(model: Any, X: np.ndarray | None, y: np.ndarray | None, count: int) -> Figure:
    """Plot a model over the range of X, some of `count` rows; with y these are plotted too."""
    figure = Figure(figsize=(8.4, 6.4), dpi=150, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(subplot_kw={"facecolor": "white"})
    plot_sample(model, axes, X, y, count)
    plain(axes)
    return figure


def content_of(figure: Figure, suffix: str) -> bytes:
    """Return the bytes of a file with a figure."""
    content = io.BytesIO()
    figure.savefig(content, format=suffix.removeprefix("."))
    return content.getvalue()


def _text(figure: Figure, x: float, y: float, text: str, **style: Any) -> None:
    figure.text(x, y, text, ha="left", va="baseline", **style)


def _accuracy(axes: Any, course: Course) -> None:
    rows = np.asarray(course.rows)
    chunk, mean = 100 * np.asarray(course.chunk_accuracy), 100 * np.asarray(course.mean_accuracy)
    axes.plot(rows, chunk, color=BLUE, lw=1.3, alpha=0.9, solid_joinstyle="round")
    axes.plot(rows, mean, color=ORANGE, lw=2.4, solid_capstyle="round")
    low = min(chunk.min(), mean.min())
    axes.set_ylim(low - 0.08 * (100 - low), 100 + 0.03 * (100 - low))
    axes.set_xlim(0, rows[-1])
    axes.set_title("Progressive accuracy (predict, then learn)", loc="left", color=INK, size=12.5, pad=10)
    axes.set_xlabel("rows", color=SOFT)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}%"))
    axes.legend(
        axes.lines,
        [f"the last {rows[0]:,} rows", "all rows so far"],
        loc="lower right",
        facecolor="white",
        edgecolor="none",
        framealpha=0.9,
        labelcolor=INK,
        fontsize=11,
    )
    axes.grid(color=GRID, lw=0.8)
    axes.set_axisbelow(True)
    plain(axes)


def _regions(axes: Any, model: _core.Classifier) -> None:
    ticks = np.linspace(-HALF, HALF, _GRID_POINTS, dtype=np.float32)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    scores = model.decision_function(grid).reshape(_GRID_POINTS, _GRID_POINTS)
    colours = LinearSegmentedColormap.from_list("two", ["#f3b48b", "#fbe9dd", "#ddeaf2", "#8fbcd6"])
    axes.imshow(
        np.clip(scores, -1, 1),
        extent=(-HALF, HALF, -HALF, HALF),
        origin="lower",
        cmap=colours,
        vmin=-1,
        vmax=1,
        interpolation="bilinear",
    )
    for edge in np.linspace(-HALF, HALF, 5)[1:-1]:
        axes.axvline(edge, color=SOFT, lw=0.8, ls=(0, (2, 3)))
        axes.axhline(edge, color=SOFT, lw=0.8, ls=(0, (2, 3)))
    axes.contour(ticks, ticks, scores, levels=[0], colors=INK, linewidths=1.5)
    vectors, weights = model.support_vectors_, model.dual_coef_[0]
    for sign, colour, label in ((1, BLUE, "vectors of class 1"), (-1, ORANGE, "of class 0")):
        chosen = np.sign(weights) == sign
        axes.scatter(
            *vectors[chosen].T, s=30, color=colour, edgecolor="white", linewidth=0.9, label=label, zorder=3
        )
    axes.set_xlim(-HALF, HALF)
    axes.set_ylim(-HALF, HALF)
    axes.set_title("Decision regions", loc="left", color=INK, size=12.5, pad=10)
    axes.set_xlabel("first coordinate (standard deviation 1)", color=SOFT)
    axes.set_ylabel("second coordinate", color=SOFT)
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=2,
        frameon=False,
        labelcolor=INK,
        fontsize=11,
        handlelength=0.8,
        handletextpad=0.3,
        columnspacing=0.4,
        borderaxespad=0.2,
    )
    plain(axes)
