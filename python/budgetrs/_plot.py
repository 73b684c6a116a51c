"""A figure of what a model has learned. Only `plot_model` needs matplotlib."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ._importances import plot_importances
from ._modelfile import Model, read
from ._plotted import Dots, Plotted, weights
from ._style import check_axes, dress, legend_at_right, new_axes, shades

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Points of a curve, and along each side of a plane.
_CURVE, _SIDE = 600, 240
# More names of classes are not listed.
_MOST_CLASSES = 12


def plot_model(model: Any, ax: "Axes | None" = None, *, X: Any = None, y: Any = None) -> "Axes":
    """Plot what a model has learned, in the units of the raw rows.

    For a model of two features it plots the decision regions, or the prediction of a regressor as a filled
    contour, and the support vectors, larger for a larger weight. For one feature it plots the scores or the
    prediction as a curve. For more features, and with `hash_features`, it plots the importances as
    `plot_importances` does, or without a learned metric the weights of the support vectors in descending
    order.

    Parameters
    ----------
    model : Classifier, Regressor or estimator
        A model that has learned rows.
    ax : matplotlib axes, optional
        Where to plot; by default a new figure.
    X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features), optional
        Raw rows whose range is plotted; by default the range of the support vectors. Only for models of one
        or two features without `hash_features`.
    y : array-like of shape (n_samples,), optional
        The labels or targets of X. With them the rows are plotted too, at most 2000 of them.

    Returns
    -------
    matplotlib axes
        The axes with the plot.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    ValueError, TypeError
        If the model has learned no rows, if the model has no support vectors and X is not given, or if X or y
        does not fit the model.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from budgetrs import Classifier, plot_model
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> model = Classifier(budget=50).learn(X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other"))
    >>> axes = plot_model(model, X=X)
    >>> axes.get_title(loc="left")
    'online-kernel: decision regions, 50 support vectors'
    """
    if y is not None and X is None:
        raise ValueError("y must come with X, the rows of these labels or targets, got y alone")
    check_axes(ax)
    parts = read(model)
    native: Any = getattr(model, "_model", model)
    # A copy, since another thread may be learning.
    native = type(native).from_bytes(native.to_bytes(), n_jobs=native.n_jobs)
    width = native.n_features_encoded_
    hashed = native.params["hash_features"]
    if width > 2 or hashed is not None:
        if X is not None:
            folded = "" if hashed is None else ", folded"
            raise ValueError(f"X applies to models of one or two features, got one of {width}{folded}")
        if parts.metric is not None:
            return plot_importances(model, ax)
        return _weights(parts, new_axes() if ax is None else ax)
    plotted = Plotted.of(native, parts, X, y)
    axes = new_axes() if ax is None else ax
    if width == 1:
        what = _curve(plotted, axes)
    else:
        what = _contour(plotted, axes) if plotted.classes is None else _regions(plotted, axes)
        axes.set_ylim(plotted.low[1], plotted.high[1])
        axes.set_ylabel(plotted.names[1])
    axes.set_xlim(plotted.low[0], plotted.high[0])
    axes.set_xlabel(plotted.names[0])
    title = f"{native.algorithm}: {what}, {plotted.vectors.whole:,} support vectors"
    dress(axes, title, grid="both" if width == 1 else None)
    if axes.get_legend_handles_labels()[0]:
        legend_at_right(axes)
    return axes


def _grid(plotted: Plotted) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ticks along both sides, and the scores at all points, (side, side, columns)."""
    first, second = (
        np.linspace(low, high, _SIDE) for low, high in zip(plotted.low, plotted.high, strict=True)
    )
    points = np.stack(np.meshgrid(first, second), axis=-1).reshape(-1, 2)
    return first, second, plotted.scores(points).reshape(_SIDE, _SIDE, -1)


def _regions(plotted: Plotted, axes: Any) -> str:
    """Plot the predicted class over the plane, with the boundaries."""
    first, second, scores = _grid(plotted)
    palette = _palette(plotted, axes)
    image = palette[scores.argmax(axis=2)]
    image[:, :, 3] = 0.3
    extent = (first[0], first[-1], second[0], second[-1])
    axes.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="nearest")
    # Two classes have one boundary.
    ink, boundaries = shades(axes).ink, np.moveaxis(scores, 2, 0)[: 1 if scores.shape[2] == 2 else None]
    crossed = [score for score in boundaries if score.min() < 0 < score.max()]
    for score in crossed:
        axes.contour(first, second, score, levels=[0], colors=ink, linewidths=0.9)
    if crossed:
        axes.plot([], [], color=ink, lw=0.9, label="decision boundary")
    if plotted.rows is not None:
        _rows(plotted.rows, axes, *plotted.rows.places.T, color=palette[plotted.rows.values])
    _vectors_of_classes(plotted, axes, *plotted.vectors.places.T)
    return "decision regions"


def _contour(plotted: Plotted, axes: Any) -> str:
    """Plot the prediction over the plane as a filled contour."""
    from matplotlib.ticker import MaxNLocator

    colours = shades(axes)
    first, second, scores = _grid(plotted)
    low, high = scores.min(), scores.max()
    levels = np.linspace(low, high, 21) if high > low else low + np.array([-1.0, 1.0])
    filled = axes.contourf(first, second, scores[:, :, 0], levels=levels, cmap="viridis")
    bar = axes.figure.colorbar(filled, ax=axes, location="bottom", shrink=0.6, aspect=40)
    bar.locator = MaxNLocator(5)
    bar.update_ticks()
    bar.set_label("prediction", color=colours.soft)
    bar.ax.tick_params(colors=colours.soft)
    bar.outline.set_visible(False)
    if plotted.rows is not None:
        shown = {"c": plotted.rows.values, "cmap": "viridis", "norm": filled.norm, "edgecolor": "grey"}
        _rows(plotted.rows, axes, *plotted.rows.places.T, **shown)
    _vectors_of_signs(plotted, axes, *plotted.vectors.places.T)
    return "prediction"


def _curve(plotted: Plotted, axes: Any) -> str:
    """Plot the prediction, or the score of each class, against the only feature."""
    colours = shades(axes)
    line = np.linspace(plotted.low[0], plotted.high[0], _CURVE)
    scores = plotted.scores(line[:, None])
    foot = np.full(len(plotted.vectors.sizes), 0.03)
    along = axes.get_xaxis_transform()
    # The support vectors are along the foot, rows with labels along the top.
    axes.margins(y=0.1)
    if plotted.classes is None:
        if plotted.rows is not None:
            _rows(plotted.rows, axes, plotted.rows.places[:, 0], plotted.rows.values, color=colours.soft)
        axes.plot(line, scores[:, 0], color=colours.blue, lw=2.2)
        axes.set_ylabel("prediction")
        _vectors_of_signs(plotted, axes, plotted.vectors.places[:, 0], foot, transform=along)
        return "prediction"
    palette = _palette(plotted, axes)
    for at in range(1 if len(plotted.classes) == 2 else 0, len(plotted.classes)):
        axes.plot(line, scores[:, at], color=palette[at], lw=2.2)
    axes.axhline(0, color=colours.soft, lw=1.2, ls=(0, (4, 3)))
    name = f"score of {plotted.classes[1]}" if len(plotted.classes) == 2 else "score above all others"
    axes.set_ylabel(name)
    if plotted.rows is not None:
        top = np.full(len(plotted.rows.sizes), 0.97)
        shown = {"color": palette[plotted.rows.values], "transform": along}
        _rows(plotted.rows, axes, plotted.rows.places[:, 0], top, **shown)
    _vectors_of_classes(plotted, axes, plotted.vectors.places[:, 0], foot, transform=along)
    return "scores"


def _weights(parts: Model, axes: Any) -> Any:
    """Plot the weights of the support vectors, the heaviest first."""
    found = np.sort(weights(parts))[::-1]
    axes.bar(np.arange(1, len(found) + 1), found, width=1.0, color=shades(axes).blue, linewidth=0)
    axes.set_xlabel("support vectors, the heaviest first")
    alone = parts.coefficients.shape[1] == 1
    axes.set_ylabel("|coefficient|" if alone else "norm of the coefficients")
    dress(axes, f"{parts.algorithm}: weights of {len(found):,} support vectors", grid="y")
    return axes


def _rows(rows: Dots, axes: Any, x: np.ndarray, y: np.ndarray, **style: Any) -> None:
    some = f"{len(rows.sizes):,} of " if len(rows.sizes) < rows.whole else ""
    axes.scatter(
        x, y, s=rows.sizes, marker="s", linewidth=0.3, label=f"{some}{rows.whole:,} rows", zorder=2, **style
    )


def _head_of_vectors(axes: Any) -> None:
    """Add the line of the legend above the entries of the support vectors."""
    axes.plot([], [], ls="none", label="support vectors,\nlarger with more weight:")


def _vectors_of_classes(plotted: Plotted, axes: Any, x: np.ndarray, y: np.ndarray, **style: Any) -> None:
    """Plot the support vectors in the colour of the class whose score they raise the most."""
    colours, palette, names = shades(axes), _palette(plotted, axes), plotted.classes or []
    dots = plotted.vectors
    style = {"edgecolor": colours.paper, "linewidth": 0.7, "zorder": 3, **style}
    axes.scatter(x, y, s=dots.sizes, color=palette[dots.values], **style)
    _head_of_vectors(axes)
    # An entry for each class, also for one without support vectors.
    for at in np.argsort(plotted.native.classes_, kind="stable")[:_MOST_CLASSES]:
        axes.scatter([], [], s=40, color=palette[at], edgecolor=colours.paper, label=names[at])
    if len(names) > _MOST_CLASSES:
        axes.scatter([], [], s=0, label=f"... ({len(names)} classes)")


def _vectors_of_signs(plotted: Plotted, axes: Any, x: np.ndarray, y: np.ndarray, **style: Any) -> None:
    """Plot the support vectors of a regressor by the sign of their coefficient."""
    dots = plotted.vectors
    _head_of_vectors(axes)
    for raises, colour, edge in ((1, "white", "black"), (0, "black", "white")):
        part = dots.values == raises
        label = "raises the prediction" if raises else "lowers the prediction"
        axes.scatter(
            x[part], y[part], s=dots.sizes[part], color=colour, edgecolor=edge, linewidth=0.8,
            label=label, zorder=3, **style,
        )  # fmt: skip


def _palette(plotted: Plotted, axes: Any) -> np.ndarray:
    """Return a colour for each class, or for both signs of a single one, as RGBA."""
    from matplotlib import colormaps
    from matplotlib.colors import to_rgba_array

    colours, count = shades(axes), len(plotted.classes or [])
    if count <= 2:
        return to_rgba_array([colours.orange, colours.blue])
    if count <= 20:
        return colormaps["tab10" if count <= 10 else "tab20"](np.arange(count))
    return colormaps["hsv"](np.linspace(0, 1, count, endpoint=False))
