"""A model learns the 4 x 4 checkerboard in one pass: its decision regions at three stops."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from budgetrs import Classifier
from budgetrs._modelfile import read
from budgetrs._plotted import raw_vectors

from .page import Page

STOPS = (200, 2_000, 200_000)
SIDE = 500  # points of each panel


def board(points: np.ndarray) -> np.ndarray:
    """Return the colour of the square of each point."""
    return np.floor(points).sum(axis=1) % 2 > 0


def draw(page: Page) -> Figure:
    """Learn, and draw after each stop."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 4, (STOPS[-1], 2))
    y = board(X)
    line = np.linspace(0, 4, SIDE)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    right = board(points)
    model = Classifier(budget=100, classes=[False, True])
    figure, panels, colours = page.figure(7.8, 3.55, 1, len(STOPS))
    palette = LinearSegmentedColormap.from_list("", [colours.blue, colours.paper, colours.orange])
    for axes, start, stop in zip(panels, (0, *STOPS), STOPS, strict=False):
        model.learn(X[start:stop], y[start:stop])
        scores = model.decision_function(points)
        shown = np.clip(0.5 + 0.5 * scores, 0, 1).reshape(SIDE, SIDE)
        axes.imshow(shown, extent=(0, 4, 0, 4), origin="lower", cmap=palette, vmin=0, vmax=1, alpha=0.85)
        axes.contour(line, line, scores.reshape(SIDE, SIDE), levels=[0], colors=colours.ink, linewidths=1.4)
        places, _ = raw_vectors(read(model))
        axes.scatter(*places.T, s=17, color="white", edgecolor="#22303c", linewidth=0.9, zorder=3)
        axes.set(xlim=(0, 4), ylim=(0, 4), xticks=[], yticks=[])
        accuracy = np.mean((scores > 0) == right)
        axes.set_title(f"{stop:,} rows:\n{accuracy:.1%} right", loc="left", color=colours.ink)
    dot = {"color": "white", "markeredgecolor": "#22303c"} if not colours.is_dark else {"color": "white"}
    handles = [
        Line2D([], [], ls="none", marker="o", ms=6, label="support vector, at most 100", **dot),
        Line2D([], [], color=colours.ink, lw=1.6, label="decision boundary"),
    ]
    figure.legend(
        handles=handles,
        loc="outside lower left",
        ncols=2,
        frameon=False,
        labelcolor=colours.ink,
        handletextpad=0.5,
    )
    return figure
