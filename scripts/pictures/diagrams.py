"""Diagrams: how the default learns a row, which model to choose, and the service of the examples."""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from .page import Page

STEPS = (
    ("Row", "features in any units, missing values allowed"),
    ("Scale", "by running mean and deviation, clipped at 3"),
    ("Predict", "averaged kernel model plus linear term"),
    ("Error", "calibrates probabilities, detects drift"),
    ("Update", "one passive-aggressive step, metric step"),
    ("Merge", "if the support vectors exceed the budget"),
)

QUESTIONS = (
    ("Is a linear model accurate enough?", "SGDClassifier;\nregression: SGDRegressor"),
    ("Text, or over 2^16 sparse columns?", "hash_features (page Data)"),
    ("Thousands of sparse columns?", "BSGDClassifier;\nregression: BPARegressor"),
    ("Classes: does each label cost money?", 'BPAClassifier(loss="ramp")'),
    ("Regression: do you need quantiles?", 'BSGDRegressor(loss="quantile")'),
    ("Do you reproduce a paper?", "the algorithm by its name"),
)
DEFAULT = "OnlineKernelClassifier or\nOnlineKernelRegressor"


def online_kernel(page: Page) -> Figure:
    """Draw the steps of one row, from top to bottom, and back."""
    figure, axes, colours = page.figure(7.4, 5.2)
    axes.set(xlim=(0, 10), ylim=(-0.2, len(STEPS)), xticks=[], yticks=[])
    for at, (name, text) in enumerate(STEPS):
        y = len(STEPS) - 1 - at
        colour = colours.orange if name == "Predict" else colours.blue
        _box(axes, 1.0, y + 0.1, 1.9, 0.66, colour, filled=True)
        axes.text(1.95, y + 0.43, name, ha="center", va="center", color=colours.paper, weight="bold", size=14)
        axes.text(3.2, y + 0.43, text, va="center", color=colours.ink)
        if at:
            _arrow(axes, (1.95, y + 1.08), (1.95, y + 0.78), colours.soft)
    left, top, bottom = 0.4, len(STEPS) - 0.57, 0.43
    axes.plot([1.0, left, left, 0.7], [bottom, bottom, top, top], color=colours.soft, lw=1.6)
    _arrow(axes, (0.6, top), (1.0, top), colours.soft)
    axes.text(0.1, (top + bottom) / 2, "next row", rotation=90, va="center", ha="center", color=colours.soft)
    return figure


def choosing(page: Page) -> Figure:
    """Draw questions from top to bottom; "yes" leads to the right."""
    figure, axes, colours = page.figure(7.4, 7.0)
    count = len(QUESTIONS)
    axes.set(xlim=(0, 10), ylim=(-1.25, count), xticks=[], yticks=[])
    for at, (question, answer) in enumerate(QUESTIONS):
        y = count - 1 - at
        _box(axes, 0.1, y + 0.14, 4.5, 0.66, colours.blue)
        axes.text(2.35, y + 0.47, question, ha="center", va="center", color=colours.ink, size=11.5)
        _box(axes, 5.5, y + 0.14, 4.4, 0.66, colours.blue, filled=True)
        axes.text(7.7, y + 0.47, answer, ha="center", va="center", color=colours.paper, size=11.5)
        _arrow(axes, (4.6, y + 0.47), (5.5, y + 0.47), colours.soft)
        axes.text(5.02, y + 0.6, "yes", ha="center", color=colours.soft, size=11)
        _arrow(axes, (2.35, y + 0.14), (2.35, y - 0.2), colours.soft)
        axes.text(2.5, y - 0.08, "no", color=colours.soft, size=11)
    _box(axes, 0.1, -1.15, 4.5, 0.95, colours.orange, filled=True)
    axes.text(2.35, -0.68, DEFAULT, ha="center", va="center", color=colours.paper, weight="bold")
    return figure


def service(page: Page) -> Figure:
    """Draw requests on the left, the service in the middle and its files on the right."""
    figure, axes, colours = page.figure(8.6, 5.4)
    axes.set(xlim=(-0.1, 12.1), ylim=(-0.1, 7.4), xticks=[], yticks=[])
    for x, name in ((1.2, "requests"), (5.9, "service"), (10.6, "files")):
        axes.text(x, 7.15, name, ha="center", va="center", color=colours.soft)

    def box(x: float, y: float, width: float, text: str, colour: str, *, filled: bool = False) -> None:
        _box(axes, x, y, width, 0.8, colour, filled=filled)
        ink = colours.paper if filled else colours.ink
        axes.text(x + width / 2, y + 0.4, text, ha="center", va="center", color=ink, size=11)

    def arrow(start: tuple[float, float], end: tuple[float, float], text: str = "") -> None:
        _arrow(axes, start, end, colours.soft)
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        axes.text(x, y + 0.08, text, ha="center", va="bottom", color=colours.soft, size=9.5)

    for y, name in ((5.9, "POST /predict"), (4.4, "POST /labels"), (0.1, "PUT /models")):
        box(0.0, y, 2.4, name, colours.blue)
    box(4.4, 5.9, 3.0, "models predict", colours.orange, filled=True)
    box(4.4, 4.4, 3.0, "queue", colours.blue, filled=True)
    for y, name in ((2.9, "1  learn"), (1.95, "2  commit"), (1.0, "3  acknowledge"), (0.1, "save, replace")):
        box(4.4, y, 3.0, name, colours.orange if name[0] == "1" else colours.blue, filled=True)
    axes.text(4.15, 2.8, "writer thread", rotation=90, ha="center", va="center", color=colours.soft, size=10)
    for y, name in ((5.1, "waiting.db"), (1.95, "log.db"), (0.1, "models")):
        box(9.4, y, 2.5, name, colours.blue)
    arrow((2.4, 6.3), (4.4, 6.3), "features")
    arrow((7.4, 6.4), (9.4, 5.7))
    axes.text(9.5, 6.25, "id, features, answers", ha="center", color=colours.soft, size=9.5)
    arrow((2.4, 4.8), (4.4, 4.8), "id, label")
    arrow((9.6, 5.1), (7.4, 3.5))
    axes.text(10.0, 4.25, "features, answers", ha="center", color=colours.soft, size=9.5)
    arrow((5.9, 4.4), (5.9, 3.7))
    arrow((7.4, 2.35), (9.4, 2.35), "row, label")
    arrow((4.4, 1.4), (1.2, 4.4))
    axes.text(2.1, 2.6, "200", ha="center", color=colours.soft, size=9.5)
    arrow((7.4, 0.5), (9.4, 0.5), "every 10 s")
    arrow((2.4, 0.5), (4.4, 0.5), "file, token")
    axes.plot([7.4, 7.8, 7.8, 7.4], [3.3, 3.3, 6.0, 6.0], color=colours.soft, lw=1.6, ls=":")
    axes.text(7.9, 3.6, "the same models", va="center", color=colours.soft, size=9.5)
    return figure


def _box(
    axes: Any, x: float, y: float, width: float, height: float, colour: str, *, filled: bool = False
) -> None:
    style = "round,pad=0,rounding_size=0.12"
    face = colour if filled else "none"
    axes.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle=style, facecolor=face, edgecolor=colour, lw=1.6)
    )


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    arrow = {"arrowstyle": "-|>", "color": colour, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end, start, arrowprops=arrow)
