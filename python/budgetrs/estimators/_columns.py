"""The columns of data frames, whose names and order must equal those in `fit`."""

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_y, _get_feature_names, validate_data

from .. import _core
from .._frames import Frame, frame_of


def checked_frame(estimator: Any, X: Any, *, reset: bool) -> Frame | None:
    """Return X as columns if it is a frame with named columns, after scikit-learn's checks of the names."""
    frame = frame_of(X)
    if frame is not None:
        if not reset:
            reject_other_order(estimator, frame.source)
        validate_data(estimator, frame.source, reset=reset, skip_check_array=True)
    return frame


def arranged(
    frame: Frame, y: Any, like: Any, sample_weight: Any, *, y_numeric: bool = False, estimator: Any
) -> tuple[Any, Any]:
    """Return the rows of a frame, aligned with the columns of the model `like`, and their checked targets.

    Categories in rows of weight 0 add no features.
    """
    y = _check_y(y, y_numeric=y_numeric, estimator=estimator)
    check_consistent_length(frame, y)
    # A single weight for all rows selects no rows.
    weights = None if sample_weight is None or np.ndim(sample_weight) == 0 else sample_weight
    takes_missing = estimator.__sklearn_tags__().input_tags.allow_nan
    rows = _core._named_rows(frame, like, sample_weight=weights, takes_missing=takes_missing)
    if rows is None:
        # The model has no named columns; its check raises for categorical columns.
        like.validate(frame, y)
        columns = [column for column in frame.columns if isinstance(column, np.ndarray)]
        rows = np.column_stack(columns) if frame.matrix is None else frame.matrix
    return rows, y


def reject_without_names(model: Any) -> None:
    """Raise a ValueError for an array if the model has categorical columns, which are matched by name."""
    if has_categorical(model):
        names = model.feature_names_in_
        raise ValueError(
            f"X must be a data frame with the columns {', '.join(map(repr, names[:5]))}"
            f"{', ...' if len(names) > 5 else ''} (some are categorical), got an array"
        )


def has_categorical(model: Any) -> bool:
    """Return whether a native model has categorical columns."""
    names = getattr(model, "feature_names_in_", None)
    return names is not None and len(names) != len(model.get_feature_names_out())


def numbers(X: Any) -> Any:
    """Return the array of named rows; other values unchanged."""
    return X.array if isinstance(X, _core.NamedRows) else X


def reject_other_order(estimator: Any, X: Any) -> None:
    """Raise a ValueError that names the first columns that differ, if X has the same names in another order.

    scikit-learn's conventions require this error, and the first two lines of its message. scikit-learn itself
    raises for missing and new columns.
    """
    expected = getattr(estimator, "feature_names_in_", None)
    names = None if expected is None else _get_feature_names(X)
    if expected is None or names is None or sorted(names) != sorted(expected):
        return
    first = next(
        (number for number, pair in enumerate(zip(names, expected, strict=True)) if len({*pair}) > 1), None
    )
    if first is not None:
        raise ValueError(
            "The feature names should match those that were passed during fit.\n"
            "Feature names must be in the same order as they were in fit.\n"
            f"Column {first} is {str(names[first])!r} and was {str(expected[first])!r} in fit; "
            "X[list(model.feature_names_in_)] has the columns of X in the order of fit.\n"
        )
