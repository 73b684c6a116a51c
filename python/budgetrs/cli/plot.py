"""``budgetrs plot``: a picture of a model."""

from argparse import Namespace
from typing import Any

import numpy as np

from . import modelfile, picture, report
from .batch import Batch, Csr
from .errors import OK, DataError, UsageError
from .labels import ClassTable
from .layout import layout_of
from .parameters import option
from .progress import progress
from .rows import Rows
from .task import task_of

# The number of rows kept in addition to the extremes of each feature: fewer than `plot_model` shows.
_KEPT = 1900

_Row = tuple[np.ndarray, Any]


def run(args: Namespace) -> int:
    """Write a picture of a model."""
    picture.check("-o", args.output, args.model, args.data)
    model = modelfile.load_fitted(args.model)
    sample = None
    if args.data is None:
        _reject_reading(args)
        _reject_without_range(args, model)
    else:
        sample = _read(args, model)
        report.line("rows read", sample.count, rows_read=sample.count)
    from .figure import draw_model

    X, y, count = (None, None, 0) if sample is None else sample.rows()
    try:
        figure = draw_model(model, X, y, count)
    except ValueError as error:
        raise DataError(f"{args.data or args.model}: {error}") from error
    picture.write(args.output, figure)
    report.file("picture", args.output)
    return OK


def _reject_reading(args: Namespace) -> None:
    """Raise if options about reading data are given without data."""
    for name, usual in (("format", None), ("target", -1), ("delimiter", ",")):
        if getattr(args, name) != usual:
            raise UsageError(f"{option(name)}: expected --data FILE too")


def _reject_without_range(args: Namespace, model: Any) -> None:
    is_plane = model.n_features_encoded_ <= 2 and model.params["hash_features"] is None
    if is_plane and model.n_support_vectors_ == 0:
        raise UsageError(
            f"--data: expected rows, because {args.model} has no support vectors to take the range from"
        )


def _read(args: Namespace, model: Any) -> "_Sample":
    """Read the rows of the data."""
    width = model.n_features_encoded_
    if width > 2:
        raise UsageError(f"--data: expected a model of one or two features, {args.model} has {width:,}")
    if model.params["hash_features"] is not None:
        raise UsageError(f"--data: expected a model without hash_features, {args.model} hashes columns")
    sample = _Sample(model)
    with (
        Rows(args.data, layout_of(args, model, task_of(model).name), like=model, learns=False) as rows,
        progress("reading", quiet=args.quiet) as shown,
    ):
        for batch in rows:
            sample.add(batch)
            shown.update(rows.fraction(), sample.count)
    return sample


class _Sample:
    """Every k-th row with its label or target, and the extremes of each feature, in bounded memory."""

    def __init__(self, model: Any) -> None:
        self.count = 0
        self._width = model.n_features_encoded_
        self._names = model.classes_ if hasattr(model, "classes_") else None
        self._table = None if self._names is None else ClassTable(self._names)
        self._step = 1
        self._kept: list[_Row] = []
        # The rows with the lowest and the highest number of each feature.
        self._ends: dict[tuple[int, int], _Row] = {}

    def add(self, batch: Batch) -> None:
        """Take the rows of a batch; a label that is no class of the model is an error."""
        X, y = self._dense(batch), self._targets(batch)

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

    def _dense(self, batch: Batch) -> np.ndarray:
        if not isinstance(batch.X, Csr):
            return batch.X.astype(np.float64)
        if batch.X.shape[1] > self._width:
            row = batch.X.first_wider(self._width)
            message = f"expected at most {self._width} features, as in the model, got {batch.X.shape[1]:,}"
            raise DataError(f"{batch.where(row)}: {message}", located=True)
        X = np.zeros((len(batch), self._width))
        X[np.repeat(np.arange(len(batch)), np.diff(batch.X.indptr)), batch.X.indices] = batch.X.data
        return X

    def _targets(self, batch: Batch) -> Any:
        """Return the labels or targets, or None."""
        if batch.y is None or self._table is None or self._names is None:
            return batch.y
        codes = self._table.indices(batch.y)
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            message = f"expected one of the classes {self._table.named()}, got {batch.y.of(row)}"
            raise DataError(f"{batch.where(row)}: {message}", located=True)
        return self._names[codes]
