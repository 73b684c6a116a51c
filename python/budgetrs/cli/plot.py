"""``budgetrs plot``: a picture of a model."""

from argparse import Namespace
from typing import Any

import numpy as np

from . import output, report
from .batch import Batch, Csr, Labels
from .columns import layout_of
from .errors import OK, DataError, UsageError
from .files import Data
from .measures import Places
from .parameters import option, task_of
from .progress import progress

# The number of rows kept in addition to the extremes of each feature: fewer than `plot_model` shows.
_KEPT = 1900

_Row = tuple[np.ndarray, Any]


def run(args: Namespace) -> int:
    """Write a picture of a model."""
    output.check_picture("-o", args.output, args.model, args.data)
    model = output.load_fitted(args.model)
    X, y, count = None, None, 0
    if args.data is None:
        _reject_reading(args)
        is_plane = model.n_features_encoded_ <= 2 and model.params["hash_features"] is None
        if is_plane and model.n_support_vectors_ == 0:
            raise UsageError(
                f"--data: expected rows, because {args.model} has no support vectors to take the range from"
            )
    else:
        X, y, count = _read(args, model).rows()
        report.line("rows read", count, rows_read=count)
    try:
        figure = draw_model(model, X, y, count)
    except ValueError as error:
        raise DataError(f"{args.data or args.model}: {error}") from error
    output.write_picture(args.output, figure)
    report.file("picture", args.output)
    return OK


def draw_model(model: Any, X: np.ndarray | None = None, y: np.ndarray | None = None, count: int = 0) -> Any:
    """Plot a model over the range of X, some of `count` rows; with y these are plotted too."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from .._plot import plot_sample
    from .._style import plain

    figure = Figure(figsize=(8.4, 6.4), dpi=150, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(subplot_kw={"facecolor": "white"})
    plot_sample(model, axes, X, y, count)
    plain(axes)
    return figure


def _reject_reading(args: Namespace) -> None:
    """Raise if options about reading data are given without data."""
    for name, usual in (("format", None), ("target", -1), ("delimiter", ",")):
        if getattr(args, name) != usual:
            raise UsageError(f"{option(name)}: expected --data FILE too")


def _read(args: Namespace, model: Any) -> "_Sample":
    """Read the rows of the data."""
    width = model.n_features_encoded_
    if width > 2:
        raise UsageError(f"--data: expected a model of one or two features, {args.model} has {width:,}")
    if model.params["hash_features"] is not None:
        raise UsageError(f"--data: expected a model without hash_features, {args.model} hashes columns")
    sample = _Sample(model)
    layout = layout_of(args, task=task_of(model), model=model)
    with Data(args.data, layout, like=model) as data, progress("reading", quiet=args.quiet) as shown:
        for batch in data:
            sample.add(batch)
            shown.update(batch.fraction, sample.count)
    return sample


class _Sample:
    """Every k-th row with its label or target, and the extremes of each feature, in bounded memory."""

    def __init__(self, model: Any) -> None:
        self.count = 0
        self._model = model
        self._places = Places(model.classes_) if hasattr(model, "classes_") else None
        self._step = 1
        self._kept: list[_Row] = []
        # The rows with the lowest and the highest number of each feature.
        self._ends: dict[tuple[int, int], _Row] = {}

    def add(self, batch: Batch) -> None:
        """Take the rows of a batch; a label that is no class of the model is an error."""
        X, y = self._features(batch), self._targets(batch)

        def row(at: int) -> _Row:
            return X[at].copy(), None if y is None else y[at]

        for feature, values in enumerate(X.T):
            if np.isnan(values).all():
                continue
            for sign, at in ((1, np.nanargmax(values)), (-1, np.nanargmin(values))):
                end = self._ends.get((feature, sign))
                if end is None or sign * values[at] > sign * end[0][feature]:
                    self._ends[feature, sign] = row(int(at))
        self._kept += [row(at) for at in range(-self.count % self._step, len(X), self._step)]
        self.count += len(X)
        while len(self._kept) > _KEPT:
            self._step *= 2
            self._kept = self._kept[::2]

    def rows(self) -> tuple[np.ndarray, np.ndarray | None, int]:
        """Return rows, their labels or targets if there are any, and of how many rows they are."""
        found = [*self._kept, *self._ends.values()]
        X = np.stack([x for x, _ in found])
        return X, None if found[0][1] is None else np.asarray([y for _, y in found]), self.count

    def _features(self, batch: Batch) -> np.ndarray:
        """Return the features of the model as a matrix."""
        from .._frames import Frame
        from .._plotted import matrix

        X: Any = batch.X
        if isinstance(X, Frame):
            try:
                X = matrix(X, self._model)
            except ValueError as error:
                raise DataError(f"{batch.where(0)}: {error}", located=True) from error
        if isinstance(X, Csr):
            width = self._model.n_features_encoded_
            if X.shape[1] > width:
                message = f"expected at most {width} features, as in the model, got {X.shape[1]:,}"
                raise DataError(f"{batch.where(0)}: {message}", located=True)
            X = X.toarray()
        return X.astype(np.float64)

    def _targets(self, batch: Batch) -> Any:
        """Return the labels or targets, or None."""
        if not isinstance(batch.y, Labels) or self._places is None:
            return batch.y
        codes = self._places.of(batch.y)
        if (codes >= self._places.n_classes).any():
            row = int(np.argmax(codes >= self._places.n_classes))
            got = batch.y.names[batch.y.codes[row]]
            message = f"expected one of the classes {self._places.listed()}, got {got}"
            raise DataError(f"{batch.where(row)}: {message}", located=True)
        return self._model.classes_[codes]
