"""A figure of how much each feature counts in a learned metric. Only `plot_importances` needs matplotlib."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._axes import check_axes
from ._style import new_axes, plain, shades

# Inches: of a bar, and of what is above and below the bars.
_BAR, _FRAME = 0.29, 1.15


def plot_importances(model: Any, ax: Any = None, *, names: Sequence[str] | None = None, top: int = 20) -> Any:
    """Plot how much each feature counts in the learned metric of a model, the most relevant first.

    The relevance of a feature is its entry in the diagonal of A'A, where A is the metric of the kernel, of
    rows as the model scales them. It is 1 at first, for all features (dashed line). It says what the kernel
    looks at; a feature that matters in the linear part alone may have little of it.

    Parameters
    ----------
    model : OnlineKernelClassifier, OnlineKernelRegressor, Classifier or Regressor
        A model that has learned, with a metric; also another estimator with the parameter `metric`.
    ax : matplotlib axes, optional
        Where to plot; by default a new figure.
    names : sequence of str, optional
        The name of each feature; by default as the model knows them, or else their numbers, from 0.
    top : int, default=20
        How many features are shown at most.

    Returns
    -------
    matplotlib axes
        The axes with the plot.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    ValueError, TypeError
        If the model has no learned metric, or there are more or fewer names than features.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from budgetrs import Classifier, plot_importances
    >>> X = np.random.default_rng(0).normal(size=(5000, 3))
    >>> model = Classifier(budget=50).learn(X, X[:, 0] * X[:, 1] > 0)
    >>> axes = plot_importances(model, names=["length", "width", "noise"])
    >>> axes.get_yticklabels()[-1].get_text()
    'noise'
    """
    check_axes(ax)
    if isinstance(top, bool) or not hasattr(top, "__index__"):
        raise TypeError(f"top must be an integer >= 1, got {top!r}")
    if top < 1:
        raise ValueError(f"top must be an integer >= 1, got {top!r}")
    relevance = _relevance(model)
    labels = _names(model, names, len(relevance))
    order = np.argsort(-relevance, kind="stable")[:top]
    axes = new_axes(_FRAME + _BAR * len(order)) if ax is None else ax
    colours = shades(axes)
    places = np.arange(len(order))
    bars = axes.barh(places, relevance[order], height=0.72, color=colours.blue)
    axes.axvline(1.0, color=colours.orange, lw=1.3, ls=(0, (4, 3)))
    # Drawn over the line, since a number beside a bar of nearly 1 covers a piece of it.
    box = {"facecolor": colours.paper, "edgecolor": "none", "pad": 1.0}
    axes.bar_label(bars, fmt="%.2f", padding=5, color=colours.soft, size=9, bbox=box, zorder=3)
    axes.set_yticks(places, [labels[feature] for feature in order])
    axes.set_ylim(len(order) - 0.4, -0.6)
    # Room for the numbers beside the bars.
    axes.set_xlim(0, 1.1 * max(float(relevance.max()), 1.0))
    axes.set_xlabel("relevance (1 at first)", color=colours.soft)
    plain(axes)
    axes.tick_params(axis="y", colors=colours.ink)
    some = "" if len(order) == len(relevance) else f" ({len(order)} of {len(relevance)} features)"
    # A metric begins with the first support vectors of a full model, or with the 500th (regression: 100th).
    learned = "" if (relevance != 1.0).any() else ": nothing learned yet"
    axes.set_title(f"Relevance in the learned metric{some}{learned}", loc="left", color=colours.ink)
    return axes


def _relevance(model: Any) -> np.ndarray:
    """Return the diagonal of A'A."""
    metric = getattr(getattr(model, "_model", model), "components_", None)
    if metric is None:
        raise ValueError(
            "model must have learned rows with a metric, as OnlineKernelClassifier and Classifier() do, or "
            f'with metric_learning="auto", got {type(model).__name__} without'
        )
    return (np.asarray(metric, dtype=float) ** 2).sum(axis=0)


def _names(model: Any, names: Sequence[str] | None, count: int) -> list[str]:
    """Return the name of each feature."""
    if names is None:
        return feature_names(model, count)
    if isinstance(names, str):
        raise TypeError(f"names must be a sequence of {count} strings, got {names!r}")
    if len(names) != count:
        raise ValueError(f"names must be {count} strings, one for each feature, got {len(names)}")
    return [str(name) for name in names]


def feature_names(model: Any, count: int) -> list[str]:
    """Return the names of an estimator's or native model's features; without any, their numbers."""
    native = getattr(model, "_model", model)
    # Hashed columns have no names, and neither have the columns of arrays.
    if native.params["hash_features"] or not hasattr(native, "feature_names_in_"):
        return [f"feature {number}" for number in range(count)]
    return native.get_feature_names_out().tolist()
