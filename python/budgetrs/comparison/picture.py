"""Figures of a comparison. Only this module needs matplotlib."""

from typing import Any

import numpy as np

from .._style import BLUE, GRID, INK, ORANGE, SOFT
from .curves import Curves, named
from .table import kind, shown_error

# Errors after fewer rows vary much and would dominate the axis.
_FIRST_ROWS = 100
# With more budgets than this the labels are rotated to fit.
_MANY = 8


def curves(comparison: Curves, axes: Any) -> Any:
    """Plot the error against the number of rows, one curve for each budget."""
    from matplotlib.ticker import FuncFormatter

    start = int(np.searchsorted(comparison.rows, min(_FIRST_ROWS, comparison.rows[-1])))
    order = sorted(range(len(comparison.budgets)), key=lambda at: _place(comparison, at))
    for rank, at in enumerate(order):
        axes.plot(
            comparison.rows[start:],
            comparison.error[at, start:],
            color=_shade(rank, len(order)),
            lw=2.0,
            solid_joinstyle="round",
            label=f"{named(comparison.budgets[at])}: {shown_error(comparison, comparison.error[at, -1])}",
            marker="o" if start == len(comparison.rows) - 1 else None,
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel("rows", color=SOFT)
    legend = axes.legend(title="budget: final error", loc="best", facecolor="white", edgecolor="none")
    legend.get_title().set_color(SOFT)
    return _finished(comparison, axes)


def choice(comparison: Curves, axes: Any) -> Any:
    """Plot the final error against the budget, with the limit for a sufficient budget."""
    from matplotlib.ticker import FixedLocator, NullLocator

    order = sorted(range(len(comparison.budgets)), key=lambda at: _place(comparison, at))
    places = [_place(comparison, at) for at in order]
    error, deviation = comparison.error[order, -1], comparison.standard_error[order, -1]
    axes.errorbar(places, error, yerr=deviation, color=BLUE, lw=2.0, marker="o", ms=6, capsize=4)
    best = comparison.budgets.index(comparison.best_budget)
    limit = comparison.error[best, -1] + comparison.standard_error[best, -1]
    axes.axhline(limit, color=ORANGE, lw=1.3, ls=(0, (4, 3)), label="lowest error + 1 standard error")
    sufficient = comparison.budgets.index(comparison.sufficient_budget)
    axes.plot(
        _place(comparison, sufficient),
        comparison.error[sufficient, -1],
        ls="none",
        marker="o",
        ms=13,
        mfc="none",
        mec=ORANGE,
        mew=1.8,
        label=f"smallest budget below: {named(comparison.sufficient_budget)}",
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_minor_locator(NullLocator())
    names = [named(comparison.budgets[at]) for at in order]
    axes.set_xticklabels(names, rotation=45 if len(names) > _MANY else 0)
    axes.set_xlabel("budget", color=SOFT)
    axes.legend(loc="best", facecolor="white", edgecolor="none")
    return _finished(comparison, axes)


def _place(comparison: Curves, at: int) -> float:
    """Return the position of a budget on the axis; for an unbounded one its number of support vectors."""
    budget = comparison.budgets[at]
    others = max((b for b in comparison.budgets if b is not None), default=0)
    return max(comparison.n_support_vectors[at, -1], others + 1) if budget is None else budget


def _shade(rank: int, of: int) -> Any:
    """Choose a colour, darker for larger budgets."""
    from matplotlib import colormaps

    return colormaps["viridis_r"](0.12 + 0.88 * (rank / (of - 1) if of > 1 else 1.0))


def _finished(comparison: Curves, axes: Any) -> Any:
    """Format the axes of either plot."""
    if comparison.n_mistakes is not None:
        from matplotlib.ticker import PercentFormatter

        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_ylabel(kind(comparison), color=SOFT)
    axes.set_title(comparison.algorithm, loc="left", color=INK)
    axes.grid(color=GRID, lw=0.8)
    axes.set_axisbelow(True)
    return axes
