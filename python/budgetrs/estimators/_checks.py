"""Checks of rows, labels and weights in addition to scikit-learn's."""

from contextlib import suppress
from functools import wraps
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from .. import _core
from .._arrays import reject_masked
from .._errors import ParameterError, shown
from .._labels import check_kinds, reject_iterator
from .._objects import numbers

_Class = TypeVar("_Class", bound=type)


def suggests_names(cls: _Class) -> _Class:
    """Have a constructor suggest the nearest name for an unknown parameter, as the native classes do."""
    init: Any = cls.__init__
    names = cls._get_param_names()

    @wraps(init)
    def checked(self: Any, *args: Any, **params: Any) -> None:
        _core._reject_unknown(list(params), names, self._has_numeric_y)
        init(self, *args, **params)

    # Python's errors show the qualified name.
    checked.__qualname__ = init.__qualname__ = f"{cls.__name__}.__init__"
    cls.__init__ = checked
    return cls


_OF_BOTH = {
    "Unknown label type": "for numeric targets use a regressor, such as OnlineKernelRegressor",
    "number of classes has to be greater than one": "y must hold the labels of two classes or more",
    "Input y contains": "remove the rows without a label or target",
    "sample_weight.shape": "pass one weight per row of X",
    "are not in class_weight": "the keys of class_weight must be labels of y, such as {0: 1.0, 1: 5.0}",
    "y should be a 1d array": "y.argmax(axis=1) has the labels of a one-hot encoding; for several targets "
    "use MultiOutputClassifier of sklearn.multioutput",
    "Found array with dim 3": "X must have a row per sample and a column per feature",
    "minimum of 1 is required": "pass at least one row",
    "Negative values in data passed to `sample_weight`": "weights must be from 0 to 1e9; 0 skips a row",
}
"""What to do about errors of scikit-learn, by a part of the message."""


_ADVICE = {
    "Classifier": _OF_BOTH,
    "Regressor": _OF_BOTH
    | {"y should be a 1d array": "for several targets use MultiOutputRegressor of sklearn.multioutput"},
}


def advise(error: BaseException, kind: str) -> None:
    """Add to the message of an error of scikit-learn what to do; `kind` is Classifier or Regressor."""
    if isinstance(error, ValueError) and not isinstance(error, ParameterError):
        message = str(error)
        advice = next((advice for part, advice in _ADVICE[kind].items() if part in message), None)
        if advice is not None:
            error.args = (f"{message.rstrip('.!')}: {advice}",)


def reject_deep(X: Any, y: Any) -> None:
    """Raise for an array of more than two dimensions, with the call of `reshape` that has a row per label."""
    shape = getattr(X, "shape", ())
    if len(shape) > 2:
        rows = "X" if shape[0] == len(y) else "y"
        raise ValueError(
            f"X must have 2 dimensions (n_samples, n_features), got shape {shape} for {len(y)} labels or "
            f"targets: X.reshape(len({rows}), -1) has a row for each"
        )


def check_weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Check the weights: finite, non-negative, one per row or one for all rows."""
    if sample_weight is None:
        return None
    reject_masked("sample_weight", sample_weight)
    if not isinstance(sample_weight, Real):
        sample_weight = numbers(sample_weight, "sample_weight")
    return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)


def stream_weights(X: Any, sample_weight: Any) -> np.ndarray | None:
    """Check the weights of a batch of a stream; unlike in `fit`, all of them may be zero."""
    values = np.asarray(sample_weight)
    if values.ndim < 2 and values.dtype.kind in "fiub" and values.size and not values.any():
        check_weights(np.ones_like(values) if values.ndim else 1.0, X)
        return np.zeros(X.shape[0])
    return check_weights(sample_weight, X)


def kept_rows(weight: np.ndarray | None) -> np.ndarray | None:
    """Return the indices of rows with positive weight, None for all; other rows have no effect at all."""
    if weight is None or weight.all():
        return None
    if not weight.any():
        raise ValueError("the weight of every row is zero; at least one must be positive")
    return np.flatnonzero(weight)


def exact_labels(name: str, labels: Any) -> Any:
    """Reject an iterator, and labels that an array would change: large integers, or numbers and strings."""
    reject_iterator(name, labels)
    if getattr(getattr(labels, "dtype", None), "kind", None) == "O":
        check_kinds(np.asarray(labels).ravel().tolist(), name)
    if not isinstance(labels, list | tuple):
        return labels
    array = np.asarray(labels)
    for label, kept in zip(labels, array.tolist() if array.ndim == 1 else (), strict=False):
        if isinstance(label, int) and not -(2**63) <= label < 2**63:
            raise ValueError(f"{name} must be integers from -2^63 to 2^63 - 1, got a larger one")
        if kept != label and kept == kept:
            raise ValueError(
                f"{name} must hold labels of one kind, got {label!r}, which becomes {kept!r} in an "
                "array with the others"
            )
    return array


def checked_classes(y: np.ndarray) -> np.ndarray:
    """Return the sorted labels of y, after scikit-learn's check for targets of classification."""
    if y.dtype.kind not in "biu":
        check_classification_targets(y)
        return np.unique(y)
    # With counts numpy sorts; without, it hashes, which takes ten times as long.
    classes, _ = np.unique(y, return_counts=True)
    if len(classes) > len(y) / 2:
        # For integers the check only warns about too many classes.
        check_classification_targets(y)
    return classes


def reject_unseen(y: np.ndarray, classes: np.ndarray) -> None:
    """Raise for labels that are no classes, since a native model may add them as new classes."""
    unseen = np.isin(y, classes, invert=True)
    if unseen.any():
        row = int(unseen.argmax())
        (label,) = y[row : row + 1].tolist()
        raise ParameterError(
            f"y contains {shown(label)} at row {row}; the classes are {classes.tolist()}: pass all to the "
            "first call, partial_fit(X, y, classes=[...]), or use Classifier, which accepts new classes",
            "y",
            row,
        )


def checked_numbers(values: Any, name: str) -> Any:
    """Return values unchanged if they are numbers; otherwise as an array, or raise as the native models do.

    scikit-learn would make numbers of dates and of numbers as text.
    """
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if values is None or hasattr(values, "tocsr") or (isinstance(kind, str) and kind in "biufc"):
        return values
    with suppress(TypeError, ValueError, OverflowError):  # the error below has a better message
        if np.asarray(values).dtype.kind in "biufc":
            return values
    return numbers(values, name)


def is_plain_array(X: Any) -> bool:
    """Return whether scikit-learn's validation would return X without conversion."""
    return (
        type(X) is np.ndarray
        and X.dtype in (np.float32, np.float64)
        and X.ndim == 2
        and X.flags.c_contiguous
        and X.size > 0
    )


def is_plain_target(y: Any) -> bool:
    """Return whether y needs no conversion: an array of integers, bools or finite numbers, one per row."""
    if type(y) is not np.ndarray or y.ndim != 1 or not len(y):
        return False
    return y.dtype.kind in "biu" or (y.dtype in (np.float32, np.float64) and bool(np.isfinite(y).all()))


def canonical(X: Any) -> Any:
    """Return a CSR matrix with sorted indices and no duplicates; the input is not modified."""
    if hasattr(X, "indptr") and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
