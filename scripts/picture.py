"""Draw the picture of the readme and of the site's first page: docs/pictures/checkerboard.png.

A model learns the 4 x 4 checkerboard in one pass; its decision regions are drawn three times on the way.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np

from budgetrs import Classifier

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from PIL import Image

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "checkerboard.png"
STOPS = (200, 2_000, 200_000)
INK, SOFT, BLUE, ORANGE = "#22303c", "#6b7a88", "#2a6f97", "#e08e45"
SIDE = 600  # points of each panel


def board(points: np.ndarray) -> np.ndarray:
    """Return the colour of the square of each point."""
    return np.floor(points).sum(axis=1) % 2 > 0


def vectors(model: Classifier, X: np.ndarray) -> np.ndarray:
    """Return the support vectors in the units of the rows, as the plot of the model shows them."""
    plot = model.plot(plt.figure().add_subplot(), X=X)
    return np.concatenate([c.get_offsets() for c in plot.collections if isinstance(c, PathCollection)])


def main() -> None:
    """Learn, draw after each stop, and save the picture."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 4, (STOPS[-1], 2))
    y = board(X)
    line = np.linspace(0, 4, SIDE)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    right = board(points)
    model = Classifier(budget=100, classes=[False, True])
    figure, panels = plt.subplots(1, len(STOPS), figsize=(10.8, 4.1))
    figure.subplots_adjust(left=0.008, right=0.992, top=0.86, bottom=0.02, wspace=0.05)
    for axes, start, stop in zip(panels, (0, *STOPS), STOPS, strict=False):
        model.learn(X[start:stop], y[start:stop])
        scores = model.decision_function(points)
        shown = np.clip(0.5 + 0.5 * scores, 0, 1).reshape(SIDE, SIDE)
        palette = mpl.colors.LinearSegmentedColormap.from_list("", [BLUE, "#eef2f5", ORANGE])
        axes.imshow(shown, extent=(0, 4, 0, 4), origin="lower", cmap=palette, vmin=0, vmax=1, alpha=0.85)
        axes.contour(line, line, scores.reshape(SIDE, SIDE), levels=[0], colors=INK, linewidths=1)
        places = vectors(model, X[:stop])
        axes.scatter(*places.T, s=16, color="white", edgecolor=INK, linewidth=0.8, zorder=3)
        accuracy = np.mean((scores > 0) == right)
        axes.set(xlim=(0, 4), ylim=(0, 4), xticks=[], yticks=[])
        axes.set_title(f"{stop:,} rows", loc="left", color=INK, fontsize=12, fontweight="bold")
        axes.set_title(f"{len(places)} vectors, {accuracy:.1%} right", loc="right", color=SOFT, fontsize=11)
        for spine in axes.spines.values():
            spine.set_visible(False)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=150, facecolor="white")
    Image.open(PICTURE).convert("RGB").quantize(96).save(PICTURE, optimize=True)  # a fifth of the bytes
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
