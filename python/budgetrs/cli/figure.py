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
from .._modelfile import read
from .._plot import plot_sample
from .._plotted import raw_vectors
from .._style import BLUE, GRID, INK, ORANGE, SOFT, legend_on_top, plain, title_on_top
from ..comparison import BudgetComparison
from .checkerboard import HALF, UNITS, Course

_GRID_POINTS = 500


def draw(path: Path, default: Course, paper: Course) -> None:
    """Plot the accuracy of both models along the stream, and the decision regions of the default."""
    figure = Figure(figsize=(12.6, 5.9), dpi=150, facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    figure.subplots_adjust(left=0.065, right=0.985, top=0.8, bottom=0.11, wspace=0.17)
    model = default.model
    _text(figure, 0.065, 0.93, "One pass, constant memory", size=19, color=INK, weight="bold")
    subtitle = (
        f"online-kernel, nothing tuned: {model.n_samples_seen_:,} rows of a 4 x 4 checkerboard, "
        f"{model.n_support_vectors_} support vectors"
    )
    _text(figure, 0.065, 0.875, subtitle, size=12, color=SOFT)
    _accuracy(left, default, paper)
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


def _accuracy(axes: Any, default: Course, paper: Course) -> None:
    for course, colour, width in ((paper, BLUE, 1.4), (default, ORANGE, 2.2)):
        percent = 100 * np.asarray(course.accuracy)
        last = 100 * (1 - course.model.n_mistakes_ / course.model.n_samples_seen_)
        label = f"{course.model.algorithm}: {last:.2f}% of all rows"
        axes.plot(course.rows, percent, color=colour, lw=width, solid_joinstyle="round", label=label)
    low = 100 * min(*default.accuracy, *paper.accuracy)
    axes.set_ylim(low - 0.08 * (100 - low), 100 + 0.03 * (100 - low))
    axes.set_xlim(0, default.rows[-1])
    title = f"Accuracy of each {default.rows[0]:,} rows, predicted before they are learned"
    axes.set_title(title, loc="left", color=INK, size=12.5, pad=10)
    axes.set_xlabel("rows", color=SOFT)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}%"))
    axes.legend(loc="lower right", frameon=False, labelcolor=INK, fontsize=11)
    axes.grid(color=GRID, lw=0.8)
    axes.set_axisbelow(True)
    plain(axes)


def _regions(axes: Any, model: _core.Classifier) -> None:
    ticks = np.linspace(-HALF, HALF, _GRID_POINTS, dtype=np.float32)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2) * UNITS
    scores = model.decision_function(grid).reshape(_GRID_POINTS, _GRID_POINTS)
    colours = LinearSegmentedColormap.from_list("two", ["#f3b48b", "#fbe9dd", "#ddeaf2", "#8fbcd6"])
    width, height = HALF * UNITS
    extent = (-width, width, -height, height)
    shown = {"origin": "lower", "cmap": colours, "interpolation": "bilinear", "aspect": "auto"}
    axes.imshow(np.clip(scores, -1, 1), extent=extent, vmin=-1, vmax=1, **shown)
    axes.contour(ticks * UNITS[0], ticks * UNITS[1], scores, levels=[0], colors=INK, linewidths=1.5)
    parts = read(model)
    places, weights = raw_vectors(parts)[0], parts.coefficients[:, 0]
    for sign, colour, label in ((1, BLUE, "support vector of class 1"), (-1, ORANGE, "of class 0")):
        chosen = np.sign(weights) == sign
        axes.scatter(
            *places[chosen].T, s=30, color=colour, edgecolor="white", linewidth=0.9, label=label, zorder=3
        )
    axes.plot([], [], color=INK, lw=1.5, label="decision boundary")
    axes.set_xlim(-width, width)
    axes.set_ylim(-height, height)
    axes.set_xlabel(f"first feature, {UNITS[0] / UNITS[1]:,.0f} times as large as the second", color=SOFT)
    axes.set_ylabel("second feature", color=SOFT)
    legend_on_top(axes, ncols=3, fontsize=10.5, handlelength=1.0, columnspacing=1.0, handletextpad=0.4)
    title_on_top(axes, "Decision regions of online-kernel", size=12.5)
    plain(axes)
