"""``budgetrs plot``: a picture of a model."""

from argparse import Namespace
from typing import Any

import numpy as np

from . import output, report
from .batch import Batch, Csr, Labels, Table
from .columns import layout_of
from .errors import OK, DataError, UsageError
from .files import Data
from .measures import Places
from .parameters import option, task_of


def run(args: Namespace) -> int:
    """Write a picture of a model."""
    output.check_picture("-o", args.output, args.model, args.data)
    model = output.load_fitted(args.model)
    X = y = None
    if args.data is None:
        _reject_reading(args)
        is_plane = model.n_features_encoded_ <= 2 and model.params["hash_features"] is None
        if is_plane and model.n_support_vectors_ == 0:
            raise UsageError(
                f"--data: expected rows, because {args.model} has no support vectors to take the range from"
            )
    else:
        X, y = _read(args, model)
        report.line("rows read", len(X), rows_read=len(X))
    try:
        figure = draw_model(model, X, y)
    except ValueError as error:
        raise DataError(f"{args.data or args.model}: {error}") from error
    output.write_picture(args.output, figure)
    report.file("picture", args.output)
    return OK


def draw_model(model: Any, X: np.ndarray | None = None, y: np.ndarray | None = None) -> Any:
    """Plot a model over the range of X; with y the rows are plotted too."""
    from matplotlib.figure import Figure

    from .._plot import plot_model
    from .._style import plain

    figure = Figure(figsize=(8.4, 6.4), dpi=150, facecolor="white", layout="constrained")
    axes = figure.subplots(subplot_kw={"facecolor": "white"})
    plot_model(model, axes, X=X, y=y)
    plain(axes)
    return figure


def _reject_reading(args: Namespace) -> None:
    """Raise if options about reading data are given without data."""
    for name, usual in (("format", None), ("target", -1), ("delimiter", ",")):
        if getattr(args, name) != usual:
            raise UsageError(f"{option(name)}: expected --data FILE too")


def _read(args: Namespace, model: Any) -> tuple[np.ndarray, Any]:
    """Return the features of all rows as a matrix, and their labels or targets or None."""
    from .._plotted import matrix

    width = model.n_features_encoded_
    if width > 2:
        raise UsageError(f"--data: expected a model of one or two features, {args.model} has {width:,}")
    if model.params["hash_features"] is not None:
        raise UsageError(f"--data: expected a model without hash_features, {args.model} hashes columns")
    layout = layout_of(args, task=task_of(model), model=model)
    with Data(args.data, layout, like=model) as data:
        batch = data.whole()
    X: Any = batch.X
    if isinstance(X, Table):
        try:
            X = matrix(X, model)
        except ValueError as error:
            raise DataError(f"{data.name}: {error}") from error
    if isinstance(X, Csr):
        if X.shape[1] > width:
            message = f"expected at most {width} features, as in the model, got {X.shape[1]:,}"
            raise DataError(f"{data.name}: {message}")
        X = X.toarray()
    return X.astype(np.float64), _targets(batch, model)


def _targets(batch: Batch, model: Any) -> Any:
    """Return the labels or targets, or None; a label that is no class of the model is an error."""
    if not isinstance(batch.y, Labels):
        return batch.y
    places = Places(model.classes_)
    codes = places.of(batch.y)
    if (codes >= places.n_classes).any():
        row = int(np.argmax(codes >= places.n_classes))
        got = batch.y.names[batch.y.codes[row]]
        message = f"expected one of the classes {places.listed()}, got {got}"
        raise DataError.at(batch.where(row), message)
    return model.classes_[codes]
