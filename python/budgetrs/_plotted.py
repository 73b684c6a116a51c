"""The contents of a figure of a model: range, support vectors in the units of raw rows, and rows."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ._core import Regressor
from ._frames import frame_of
from ._importances import feature_names, scaled_vectors
from ._modelfile import Model

# More dots than this only hide one another.
_MOST_DOTS = 2000
# The margin around the rows, as a part of their range.
_MARGIN = 0.05
# Square points: of the lightest support vector, and how much larger the heaviest one is.
_LIGHTEST, _HEAVIER = 9.0, 120.0
# A running scaling clips rows at this many deviations: beyond them predictions no longer change.
_CLIPPED = 3.0


class Dots(NamedTuple):
    """Some of the support vectors or rows, in the units of raw rows.

    `values` are the numbers of classes; of a regressor the targets of rows, and of support vectors whether
    they raise the prediction.
    """

    places: np.ndarray
    values: np.ndarray
    sizes: np.ndarray
    # How many there are in all.
    whole: int


@dataclass(frozen=True)
class Plotted:
    """A model of one or two features, with the contents of its figure."""

    native: Any
    names: list[str]
    low: np.ndarray
    high: np.ndarray
    vectors: Dots
    rows: Dots | None

    @classmethod
    def of(cls, native: Any, parts: Model, X: Any, y: Any) -> "Plotted":
        """Collect the contents. A ValueError if X or y is invalid."""
        names = feature_names(native, native.n_features_encoded_)
        X = None if X is None else matrix(X, native)
        places, in_range = raw_vectors(parts)
        if X is None and len(places) == 0:
            raise ValueError("X must give the range to plot, because the model has no support vectors")
        low, high = _range(in_range if X is None else X, parts)
        rows = None
        if X is not None and y is not None:
            y, some = _targets(native, y, len(X)), slice(None, None, -(-len(X) // _MOST_DOTS))
            rows = Dots(X[some], y[some], np.full(len(X[some]), 7.0), len(X))
        return cls(native, names, low, high, _vectors(parts, places), rows)

    @property
    def classes(self) -> list[str] | None:
        """The names of the classes; None in regression."""
        return None if isinstance(self.native, Regressor) else [str(c) for c in self.native.classes_.tolist()]

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Return a column for each class, its score above the highest other one; or the predictions."""
        X = np.ascontiguousarray(X, dtype=self.native.dtype)
        if self.classes is None:
            return self.native.predict(X).astype(np.float64)[:, None]
        scores = self.native.decision_function(X).astype(np.float64)
        if scores.ndim == 1:
            # A single class has a score as the first of two has.
            return np.column_stack([-scores, scores])[:, : len(self.classes)]
        others = np.sort(scores, axis=1)
        return scores - np.where(scores == others[:, -1:], others[:, -2:-1], others[:, -1:])


def weights(parts: Model) -> np.ndarray:
    """Return the norm of the coefficients of each support vector."""
    return np.linalg.norm(parts.coefficients.astype(np.float64), axis=1)


def _vectors(parts: Model, places: np.ndarray) -> Dots:
    """Return the heaviest support vectors, the lightest last, so that they are seen over the others."""
    weight = weights(parts)
    order = np.argsort(-weight, kind="stable")[:_MOST_DOTS]
    coefficients = parts.coefficients[order]
    alone = coefficients.shape[1] == 1
    values = (coefficients[:, 0] > 0).astype(np.intp) if alone else coefficients.argmax(axis=1)
    sizes = _LIGHTEST + _HEAVIER * weight[order] / max(weight.max(initial=0.0), np.finfo(float).tiny)
    return Dots(places[order], values, sizes, len(weight))


def matrix(X: Any, native: Any) -> np.ndarray:
    """Return X as an array of float64."""
    frame, width = frame_of(X), native.n_features_encoded_
    if frame is not None:
        features = frame.features()
        names = feature_names(native, width) if hasattr(native, "feature_names_in_") else [*features]
        if missing := [name for name in names if name not in features]:
            expected = f"the columns of the rows learned before, {names}"
            raise ValueError(f"X must have {expected}, got no column {missing[0]!r}")
        X = np.column_stack([features[name] for name in names])
    rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"X must have shape (n_samples, {width}), got {rows.shape}")
    if np.isinf(rows).any() or not np.isfinite(rows).any(axis=0).all():
        raise ValueError("X must have no infinite number, and a number in every feature")
    return rows


def _targets(native: Any, y: Any, count: int) -> np.ndarray:
    """Return the targets, or the number of each label's class."""
    y = np.asarray(y)
    if y.shape != (count,):
        raise ValueError(f"y must have shape ({count},), one entry for each row of X, got {y.shape}")
    if isinstance(native, Regressor):
        return y.astype(np.float64)
    number = {value: at for at, value in enumerate(native.classes_.tolist())}
    unknown = next((value for value in y.tolist() if value not in number), None)
    if unknown is not None:
        raise ValueError(f"y must hold classes of the model, {', '.join(map(str, number))}, got {unknown!r}")
    return np.array([number[value] for value in y.tolist()], dtype=np.intp)


def raw_vectors(parts: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return the support vectors in the units of raw rows, unchanged and clipped as online scaling clips."""
    places = scaled_vectors(parts)
    if parts.scaling is None:
        return places, places
    shift, factor = parts.scaling.shift, parts.scaling.factor
    inside = np.clip(places, -_CLIPPED, _CLIPPED) if parts.scaling.clips else places
    return places / factor + shift, inside / factor + shift


def _range(points: np.ndarray, parts: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest number to show of each feature."""
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    unit = np.ones(len(low)) if parts.scaling is None else 1.0 / parts.scaling.factor
    is_point = high - low <= 1e-6 * np.maximum(np.abs(low), np.abs(high))
    half = np.where(is_point, unit, (0.5 + _MARGIN) * (high - low))
    middle = (low + high) / 2
    return middle - half, middle + half
