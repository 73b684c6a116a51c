"""Figures of a comparison. Only this module needs matplotlib."""

from typing import Any

import numpy as np

from .._style import (
    INK,
    ORANGE,
    SOFT,
    dress,
    legend_at_right,
    legend_on_top,
    plain,
    shades,
    title_on_top,
)
from .curves import Curves, named
from .table import kind, shown_error

# Errors after fewer rows vary much and would dominate the axis.
_FIRST_ROWS = 100
# With more budgets than this, or any two closer than this part of the axis, the labels are rotated to fit.
_MANY, _CLOSE = 8, 0.07
_DECADE = 10


def curves(comparison: Curves, axes: Any) -> Any:
    """Plot the error against the number of rows, one curve for each budget."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    colours = shades(axes)
    start = int(np.searchsorted(comparison.rows, min(_FIRST_ROWS, comparison.rows[-1])))
    order = sorted(range(len(comparison.budgets)), key=lambda at: _place(comparison, at))
    for rank, at in enumerate(order):
        axes.plot(
            comparison.rows[start:],
            comparison.error[at, start:],
            color=_shade(rank, len(order), colours.is_dark),
            lw=2.0,
            solid_joinstyle="round",
            label=f"{named(comparison.budgets[at])}: {shown_error(comparison, comparison.error[at, -1])}",
            marker="o" if start == len(comparison.rows) - 1 else None,
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(_locator(*comparison.rows[[start, -1]]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel("rows")
    _finish(comparison, axes, f"{comparison.algorithm}: error along the rows")
    legend_at_right(axes, title="budget: final error", alignment="left")
    return axes


def choice(comparison: Curves, axes: Any) -> Any:
    """Plot the final error against the budget, with the limit for a sufficient budget."""
    from matplotlib.ticker import FixedLocator, NullLocator

    colours = shades(axes)
    order = sorted(range(len(comparison.budgets)), key=lambda at: _place(comparison, at))
    places = [_place(comparison, at) for at in order]
    error, deviation = comparison.error[order, -1], comparison.standard_error[order, -1]
    axes.errorbar(places, error, yerr=deviation, color=colours.blue, lw=2.0, marker="o", ms=6, capsize=4)
    best = comparison.budgets.index(comparison.best_budget)
    limit = comparison.error[best, -1] + comparison.standard_error[best, -1]
    axes.axhline(limit, color=colours.orange, lw=1.3, ls=(0, (4, 3)), label="lowest error + 1 standard error")
    sufficient = comparison.budgets.index(comparison.sufficient_budget)
    axes.plot(
        _place(comparison, sufficient),
        comparison.error[sufficient, -1],
        ls="none",
        marker="o",
        ms=13,
        mfc="none",
        mec=colours.orange,
        mew=1.8,
        label=f"smallest budget below: {named(comparison.sufficient_budget)}",
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_minor_locator(NullLocator())
    names = [named(comparison.budgets[at]) for at in order]
    axes.set_xticklabels(names, rotation=45 if len(names) > _MANY or _are_close(places) else 0)
    axes.set_xlabel("budget")
    _finish(comparison, axes)
    legend_on_top(axes)
    title_on_top(axes, f"{comparison.algorithm}: error by budget")
    return axes


def draw_comparison(comparison: Curves, name: str, *, interrupted: bool = False) -> Any:
    """Plot the error of each budget along the rows and at the end."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.6, 5.9), dpi=150, facecolor="white")
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1), subplot_kw={"facecolor": "white"})
    figure.subplots_adjust(left=0.065, right=0.985, top=0.8, bottom=0.11, wspace=0.17)
    style: Any = {"ha": "left", "va": "baseline"}
    figure.text(0.065, 0.93, "Comparison of budgets", size=19, color=INK, weight="bold", **style)
    rows = f"{comparison.rows[-1]:,} rows, each predicted just before it was learned"
    figure.text(0.065, 0.875, f"{comparison.algorithm} on {name}: {rows}", size=11, color=SOFT, **style)
    if interrupted:
        note = f"interrupted: the first {comparison.rows[-1]:,} rows alone"
        figure.text(0.985, 0.93, note, ha="right", va="baseline", size=13, color=ORANGE, weight="bold")
    curves(comparison, left)
    choice(comparison, right)
    left.set_title("Progressive error", loc="left", color=INK, size=12.5, pad=10)
    title_on_top(right, "Final error, with its standard error", size=12.5)
    for axes in (left, right):
        plain(axes)
    return figure


def _place(comparison: Curves, at: int) -> float:
    """Return the position of a budget on the axis; for an unbounded one its number of support vectors."""
    budget = comparison.budgets[at]
    others = max((b for b in comparison.budgets if b is not None), default=0)
    return max(comparison.n_support_vectors[at, -1], others + 1) if budget is None else budget


def _are_close(places: list[float]) -> bool:
    """Return whether two labels of a log axis may overlap."""
    logs = np.log(places)
    return bool(np.any(np.diff(logs) < _CLOSE * (logs[-1] - logs[0])))


def _locator(first: float, last: float) -> Any:
    """Choose ticks of a log axis so that some are within its range, however short that is."""
    from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator

    if first == last:
        return FixedLocator([last])
    if last < _DECADE * first:
        return MaxNLocator(5, integer=True, steps=[1, 2, 5, 10])
    return LogLocator(subs=(1.0, 2.0, 5.0) if last < _DECADE**2 * first else (1.0,))


def _shade(rank: int, of: int, is_dark: bool) -> Any:
    """Choose a colour, of more contrast for larger budgets."""
    from matplotlib import colormaps

    shade = rank / (of - 1) if of > 1 else 1.0
    return (
        colormaps["viridis"](0.28 + 0.72 * shade) if is_dark else colormaps["viridis_r"](0.12 + 0.88 * shade)
    )


def _finish(comparison: Curves, axes: Any, title: str | None = None) -> None:
    """Format the axes of either plot."""
    if comparison.n_mistakes is not None:
        from matplotlib.ticker import PercentFormatter

        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_ylabel(kind(comparison))
    dress(axes, title, grid="both")
