"""The columns of data frames, whose names and order must equal those in `fit`."""

from typing import Any

from sklearn.utils.validation import _get_feature_names, validate_data

from .._frames import Frame, frame_of


def checked_frame(estimator: Any, X: Any, *, reset: bool) -> Frame | None:
    """Return X as columns if it is a frame with named columns, after scikit-learn's checks of the names."""
    frame = frame_of(X)
    if frame is not None:
        if not reset:
            reject_other_order(estimator, frame.source)
        validate_data(estimator, frame.source, reset=reset, skip_check_array=True)
    return frame


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
