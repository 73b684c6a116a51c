"""The names of columns: those of `fit`, in the same order."""

from typing import Any

from sklearn.utils.validation import _get_feature_names


def refuse_other_order(estimator: Any, X: Any) -> None:
    """Raise a ValueError that names the first columns that differ, if X has the same names in another order.

    scikit-learn's conventions ask for an error here. The first two lines of the message are its own; it names
    missing and new columns itself.
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
