"""Errors along a stream: their recorder and their figure. Only `plot_stream` needs matplotlib."""

from typing import Any

import numpy as np

from ._core import Classifier, NativeModel, Regressor
from ._errors import check_count
from ._style import check_axes, dress, legend_on_top, new_axes, shades, title_on_top

# More points than this are thinned to half of them.
_MOST_POINTS = 1000
# Errors over fewer rows vary much and would dominate the axis.
_FIRST_ROWS = 100
# Errors of the model and of two baselines: the attributes with their means, the names of the curves.
_ERRORS = {
    Classifier: ("progressive_error_", "no_change_error_", "majority_error_"),
    Regressor: ("mean_squared_error_", "no_change_error_", "constant_error_"),
}
_NAMES = {
    Classifier: ("error", "previous label", "most frequent label"),
    Regressor: ("root mean squared error", "previous target", "mean target"),
}


class StreamRecorder:
    """Record the error of a model along a stream, its baselines, the detected drifts and the coverage.

    A model has only its current figures. Call `record` after each batch or row that the model learns, and
    plot the result with `plot_stream`.

    Parameters
    ----------
    model : Classifier, Regressor, estimator or River model
        The model of budgetrs that learns the stream. Errors count from its current state.

    See Also
    --------
    plot_stream : Plot the recorded errors or coverage.

    Notes
    -----
    A recorder has at most 1000 points: when there are more, it removes every second one and doubles the rows
    between two points. The errors stay exact, because each point stores the sums of all errors so far. Most
    calls of `record` only read the number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import Classifier, StreamRecorder
    >>> X = np.random.default_rng(0).uniform(-1, 1, (6000, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0) ^ (np.arange(6000) >= 3000)  # labels are swapped
    >>> model = Classifier(budget=50)
    >>> recorder = StreamRecorder(model)
    >>> for start in range(0, 6000, 50):
    ...     _ = model.learn(X[start : start + 50], y[start : start + 50])
    ...     recorder.record()
    >>> curves = recorder.curves(window=500)
    >>> [name for name in curves]
    ['rows', 'error', 'previous label', 'most frequent label']
    """

    def __init__(self, model: Any) -> None:
        native = _native(model)
        kind = type(native) if isinstance(native, NativeModel) else getattr(type(model), "_native", None)
        if kind not in _ERRORS:
            raise TypeError(
                "model must be a Classifier, a Regressor, an estimator or a River model of budgetrs, got "
                f"{type(model).__name__}"
            )
        self.model: Any = model
        self._kind = kind
        self._covered = np.zeros(2)
        self._drifts: list[int] = []
        self._points, self._step = [self._sums()], 1.0

    def record(self, covered: Any = None) -> None:
        """Record the current figures of the model, if enough rows were learned since the last point.

        Parameters
        ----------
        covered : bool or array-like of bool, optional
            Whether the prediction interval or set of each row contains its target or label; predicted before
            the row was learned.

        Raises
        ------
        TypeError
            If `covered` has other values than booleans.
        ValueError
            If the model was fitted again since the last point.
        """
        since = getattr(_native(self.model), "n_samples_seen_", 0) - self._points[-1][0]
        if since < 0:
            raise ValueError(
                "the model must be trained only by partial_fit, got one that was fitted again: create a new "
                "StreamRecorder"
            )
        if covered is not None:
            found = np.asarray(covered)
            if found.dtype != bool:
                raise TypeError(f"covered must be booleans, one for each row, got {found.dtype.name}")
            self._covered += found.sum(), found.size
        if since < self._step:
            return
        self._points.append(self._sums())
        self._drifts = self.drift_rows.tolist()
        if len(self._points) > _MOST_POINTS:
            self._points = self._points[::2]
            self._step = 2 * (self._points[-1][0] - self._points[0][0]) / _MOST_POINTS

    def curves(self, window: int = 1000) -> dict[str, np.ndarray]:
        """Return the errors at each recorded point, over the last rows before it.

        Parameters
        ----------
        window : int, default=1000
            The number of rows of each error; more rows where the recorded points lie further apart.

        Returns
        -------
        dict of ndarray of shape (n_points,)
            ``rows``: rows learned. In classification ``error``, the share of wrong predictions, and the error
            of the baselines ``previous label`` and ``most frequent label`` so far. In regression
            ``root mean squared error``, and the error of the baselines ``previous target`` and
            ``mean target`` so far. With `covered`, also ``coverage``.
        """
        check_count("window", window)
        now = self._sums()
        points = np.array([*(point for point in self._points if point[0] < now[0]), now])
        rows = points[:, 1]
        starts = np.searchsorted(rows, rows - window, side="right") - 1
        with np.errstate(invalid="ignore"):  # a model that diverged has infinite sums
            sums = points - points[np.maximum(starts, 0)]
        some = sums[:, 1] >= max(1, min(_FIRST_ROWS, window, sums[:, 1].max()))
        points, sums = points[some], sums[some]
        errors = sums[:, 2:5].T / sums[:, 1]
        if self._kind is Regressor:
            errors = np.sqrt(np.maximum(errors, 0.0))  # differences of sums may be below 0 by rounding
        names = ("rows", *_NAMES[self._kind])
        curves = dict(zip(names, (points[:, 0].astype(np.int64), *errors), strict=True))
        if self._covered[1]:
            curves["coverage"] = sums[:, 5] / np.where(sums[:, 6], sums[:, 6], np.nan)
        return curves

    @property
    def drift_rows(self) -> np.ndarray:
        """Numbers of rows learned at the drifts since the recorder was created, at most the last 1000."""
        last = getattr(_native(self.model), "drift_rows_", np.empty(0, np.int64)).tolist()
        rows = sorted({*self._drifts, *(row for row in last if row > self._points[0][0])})
        return np.array(rows[-_MOST_POINTS:], dtype=np.int64)

    def _sums(self) -> tuple[float, ...]:
        """Return rows, new rows, the sums of the errors over new rows, and the counts of `covered`."""
        native = _native(self.model)
        seen, _, (mistakes, squared, _) = getattr(native, "_counters", (0, 0, (0, 0.0, 0.0)))
        means = [getattr(native, name) if seen else 0.0 for name in _ERRORS[self._kind]]
        total = mistakes if self._kind is Classifier else squared
        # Rows learned repeatedly are not new. Without any error, all rows count as new.
        new = round(total / means[0]) if 0 < means[0] < np.inf else seen
        return (seen, new, *(new * mean for mean in means), *self._covered)


def plot_stream(
    recorder: StreamRecorder, ax: Any = None, *, window: int = 1000, coverage: float | None = None
) -> Any:
    """Plot the recorded error of a model along a stream, with two baselines and the detected drifts.

    In classification it plots the share of wrong predictions, in regression the root mean squared error. Each
    row was predicted just before it was learned. The baselines predict the previous label, and the most
    frequent label so far; in regression the previous target, and the mean target so far. A model is of use
    where its error is below both.

    Parameters
    ----------
    recorder : StreamRecorder
        The recorder of the model.
    ax : matplotlib axes, optional
        Where to plot; by default a new figure.
    window : int, default=1000
        The number of rows of each error. A smaller window shows changes earlier, with more noise.
    coverage : float, optional
        Plot the coverage of the intervals or sets instead of the error, with a line at this expected
        coverage.

    Returns
    -------
    matplotlib axes
        The axes with the plot.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    TypeError, ValueError
        If `recorder` is no recorder or has no rows, or with `coverage` if ``record(covered)`` was not called.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from budgetrs import Regressor, StreamRecorder, plot_stream
    >>> X = np.random.default_rng(0).normal(size=(3000, 2))
    >>> model = Regressor(budget=50)
    >>> recorder = StreamRecorder(model)
    >>> for x in X:
    ...     _ = model.learn_one(x, np.sin(x[0]) * x[1])
    ...     recorder.record()
    >>> plot_stream(recorder).get_title(loc="left")
    'Root mean squared error of the last 1,000 rows'
    """
    from matplotlib.ticker import PercentFormatter, StrMethodFormatter

    check_axes(ax)
    if not isinstance(recorder, StreamRecorder):
        raise TypeError(f"recorder must be a StreamRecorder, got {type(recorder).__name__}: see its example")
    curves = recorder.curves(window)
    rows, covered = curves.pop("rows"), curves.pop("coverage", None)
    if not len(rows):
        raise ValueError("the recorder must have rows: call record() after the model has learned some")
    if coverage is None:
        what = next(iter(curves))
        lines = {"model": curves.pop(what), **curves}
    elif covered is None:
        raise ValueError("coverage needs recorded intervals or sets: call record(covered) after each step")
    else:
        what, lines = "coverage", {"model": covered, "expected": np.full(len(rows), coverage)}
    axes = new_axes(4.2) if ax is None else ax
    colours, unit = shades(axes), ".3g" if what == "root mean squared error" else ".1%"
    styles = ((colours.orange, 2.2), (colours.blue, 1.4), (colours.soft, 1.4))
    for (name, values), (colour, width) in zip(lines.items(), styles, strict=False):
        marker = "o" if len(rows) == 1 else None
        axes.plot(rows, values, color=colour, lw=width, marker=marker, label=f"{name}: {values[-1]:{unit}}")
    drifts = recorder.drift_rows
    if len(drifts):
        style = {"color": colours.soft, "linestyles": ":", "lw": 1.2, "zorder": 1}
        axes.vlines(drifts, 0, 1, transform=axes.get_xaxis_transform(), label="drift detected", **style)
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if unit == ".1%":
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None if coverage is None else 0))
    if coverage is None:
        # Errors begin at 0, also when another stream is plotted on shared axes.
        axes.update_datalim([(rows[0], 0.0)])
        axes.lines[-1].sticky_edges.y.append(0.0)
    axes.set_xlabel("rows")
    legend_on_top(axes, ncols=4, handlelength=1.4, columnspacing=1.2, fontsize="small")
    title_on_top(axes, f"{what} of the last {window:,} rows".capitalize())
    dress(axes, grid="both")
    return axes


def _native(model: Any) -> Any:
    """Return the native model of an estimator, once it has learned rows, or of a River model."""
    return getattr(model, "native", getattr(model, "_model", model))
