"""How much each feature changes the prediction of a model. Only `plot_importances` needs matplotlib."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import check_count, shown
from ._modelfile import Columns, Model, read
from ._style import check_axes, dress, new_axes, plain, shades

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches: of a bar, and of what is above and below the bars.
_BAR, _FRAME = 0.29, 1.15
# Derivatives that are in memory at a time.
_DERIVATIVES = 2**22


def plot_importances(
    model: Any, ax: "Axes | None" = None, *, names: Sequence[str] | None = None, top: int = 20
) -> "Axes":
    """Plot the importances of the features of a model, the largest first.

    The importance of a feature is the mean absolute derivative of the prediction with respect to the
    standardised feature, over the support vectors and the outputs, times the standard deviation of the
    feature over the support vectors. Kernel and linear term both count. Importances are divided by their sum.
    A categorical column has the sum of the importances of its categories.

    Parameters
    ----------
    model : Classifier, Regressor or estimator
        A model that has learned rows, with the kernel "rbf" or "rational-quadratic".
    ax : matplotlib axes, optional
        Where to plot; by default a new figure.
    names : sequence of str, optional
        The name of each feature; by default the names of the columns, or else their numbers, from 0.
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
        If the model has learned no rows or has another kernel, or there are more or fewer names than
        features.

    Notes
    -----
    Importances describe the model, not the data: of two features that carry the same information, the model
    may use one or both. Computing importances takes O(B^2 d) operations for B support vectors of d features.

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
    check_count("top", top)
    found = importances(model)
    labels = _names(model, names, len(found))
    order = np.argsort(-found, kind="stable")[:top]
    axes = new_axes(_FRAME + _BAR * len(order)) if ax is None else ax
    colours = shades(axes)
    places = np.arange(len(order))
    bars = axes.barh(places, found[order], height=0.72, color=colours.blue)
    axes.bar_label(bars, fmt="%.2f", padding=5, color=colours.soft, size=9)
    axes.set_yticks(places, [labels[feature] for feature in order])
    axes.set_ylim(len(order) - 0.4, -0.6)
    # Room for the numbers next to the bars.
    axes.set_xlim(0, 1.12 * float(found.max()) or 1.0)
    axes.set_xlabel("share of the sum of all importances")
    plain(axes)
    some = "" if len(order) == len(found) else f" ({len(order)} of {len(found)} features)"
    learned = "" if found.any() else ": the model is constant"
    dress(axes, f"Feature importances{some}{learned}")
    axes.tick_params(axis="y", colors=colours.ink)
    return axes


def importances(model: Any) -> np.ndarray:
    """Return the importance of each column, at least 0, with the sum 1; only zeros for a constant model."""
    parts = read(model)
    kernel = parts.kernel
    if kernel not in _SLOPES:
        raise ValueError(
            f"feature importances need the kernel {' or '.join(map(shown, _SLOPES))}, got {shown(kernel)}"
        )
    found = sum(np.abs(block).sum(axis=(0, 2)) for block in gradients(parts)) * _deviations(parts)
    if parts.columns is not None:
        found = _of_columns(found, parts.columns)
    total = found.sum()
    return found / total if total > 0 else found


def feature_importances(model: Any) -> np.ndarray:
    """Return the importance of each column; an AttributeError if a model has no importances."""
    params = getattr(model, "_model", model).params
    if params["hash_features"] is not None:
        raise AttributeError("feature_importances_ needs hash_features=None: hashed features are no columns")
    if params["kernel"] not in _SLOPES:
        kernels = " or ".join(map(shown, _SLOPES))
        raise AttributeError(
            f"feature_importances_ needs the kernel {kernels}, got {shown(params['kernel'])}"
        )
    return importances(model)


def gradients(parts: Model) -> Iterator[np.ndarray]:
    """Yield the derivatives of the outputs by the scaled features, (points, d, outputs), in blocks of points.

    The points are the support vectors; a model without any is linear and has one point.
    """
    u, coefficients = parts.vectors.astype(np.float64), parts.coefficients.astype(np.float64)
    slope = _SLOPES[parts.kernel]
    linear = np.zeros((u.shape[1], coefficients.shape[1])) if parts.linear is None else parts.linear[0]
    if not len(u):
        yield linear[None]
    norms = (u**2).sum(axis=1)
    block = min(1024, _DERIVATIVES // linear.size + 1)
    for first in range(0, len(u), block):
        points = u[first : first + block]
        squared = norms[first : first + block, None] + norms - 2.0 * points @ u.T
        slopes = 2.0 * slope(np.maximum(squared, 0.0), parts)
        found = []
        for column in coefficients.T:
            weighted = slopes * column
            found.append(
                _by_metric(weighted.sum(axis=1, keepdims=True) * points - weighted @ u, parts.metric)
            )
        yield np.stack(found, axis=2) + linear


def _by_metric(gradient: np.ndarray, metric: np.ndarray | None) -> np.ndarray:
    """Return the derivatives by scaled features z from those by A z, where A is the metric."""
    if metric is None:
        return gradient
    return gradient @ metric if len(metric) == gradient.shape[1] else gradient * metric


def _deviations(parts: Model) -> np.ndarray:
    """Return the standard deviation of each scaled feature; 1 if there are fewer than two support vectors."""
    if len(parts.vectors) < 2:
        return np.ones(parts.vectors.shape[1])
    return scaled_vectors(parts).std(axis=0)


def scaled_vectors(parts: Model) -> np.ndarray:
    """Return the support vectors as scaled rows z: the model stores A z, where A is the metric."""
    u = parts.vectors.astype(np.float64)
    if parts.metric is None:
        return u
    metric = parts.metric.astype(np.float64)
    if len(metric) == u.shape[1]:
        return u @ np.linalg.pinv(metric).T
    return np.divide(u, metric, out=np.zeros_like(u), where=metric != 0)


def _of_columns(found: np.ndarray, columns: Columns) -> np.ndarray:
    """Return the sum of each column's features."""
    pairs = zip(columns.features, columns.categories, strict=True)
    return np.array([found[list(c.values())].sum() if c is not None else found[f] for f, c in pairs])


def _slope_of_rbf(squared: np.ndarray, parts: Model) -> np.ndarray:
    return -parts.gamma * np.exp(-parts.gamma * squared)


def _slope_of_rational_quadratic(squared: np.ndarray, parts: Model) -> np.ndarray:
    alpha = parts.params["alpha_rq"]
    return -parts.gamma * (1.0 + parts.gamma / alpha * squared) ** (-alpha - 1.0)


# The derivatives of kernels by the squared distance.
_SLOPES = {"rbf": _slope_of_rbf, "rational-quadratic": _slope_of_rational_quadratic}


def _names(model: Any, names: Sequence[str] | None, count: int) -> list[str]:
    """Return the name of each column."""
    if names is None:
        native = getattr(model, "_model", model)
        known = getattr(native, "feature_names_in_", ())
        return [str(name) for name in known] if len(known) == count else feature_names(model, count)
    if isinstance(names, str):
        raise TypeError(f"names must be a sequence of {count} strings, got {shown(names)}")
    if len(names) != count:
        raise ValueError(f"names must be {count} strings, one for each feature, got {len(names)}")
    return [str(name) for name in names]


def feature_names(model: Any, count: int) -> list[str]:
    """Return the names of a model's features, or "feature 0", "feature 1", ... if they have none."""
    native = getattr(model, "_model", model)
    # Hashed columns have no names, and neither have the columns of arrays.
    if native.params["hash_features"] or not hasattr(native, "feature_names_in_"):
        return [f"feature {number}" for number in range(count)]
    return native.get_feature_names_out().tolist()
