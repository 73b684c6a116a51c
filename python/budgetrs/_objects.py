"""Arrays of objects and text as floats, and the errors about values that are no numbers."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from ._errors import ParameterError

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_NO_NUMBERS = (str, bytes, complex, np.complexfloating, np.ndarray, *_DATES)


def floats(array: np.ndarray, name: str) -> np.ndarray:
    """Return an array of objects as float64; None and pandas.NA are NaN.

    Raises
    ------
    ParameterError
        At the first value that is no number, also if it is a number as text.
    """
    values = array.ravel()
    kinds = {kind: _is_missing(kind) for kind in set(map(type, values))}
    if not all(is_missing or _is_numeric(kind) for kind, is_missing in kinds.items()):
        raise invalid(array, name)
    if any(kinds.values()):
        values = np.array([np.nan if kinds[type(value)] else value for value in values], dtype=object)
    try:
        with np.errstate(over="ignore"):
            return values.astype(np.float64).reshape(array.shape)
    except OverflowError:
        raise ParameterError(
            f"{name} must have values within the range of float64, got one that is too large", name
        ) from None


def invalid(array: np.ndarray, name: str) -> ParameterError:
    """Return the error about the first value that is no number, with its row and feature."""
    place = next((place for place, value in np.ndenumerate(array) if not _is_number(value)), None)
    if place is None:  # all of them are numbers as text
        place = (0,) * array.ndim
    value = array[place]
    if isinstance(value, str | bytes):
        is_number = (array.dtype.kind == "O" and _is_text_number(value)) or _is_number(value)
        got = "the number as text" if is_number else "the text"
        advice = (
            "convert the array to numbers (astype(float))"
            if is_number
            else "encode it as numbers, or use a data frame"
        )
    elif isinstance(value, _DATES) or type(value).__name__ in ("Timestamp", "Timedelta", "NaTType", "Period"):
        got, advice = "the date or time", "convert it to a number, such as days since a date"
    else:
        got, advice = f"the {type(value).__name__}", "convert it to a number"
    return ParameterError(
        f"{name} must hold numbers, got {got} {_shown(value)}{_at(place, name)}: {advice}", name
    )


def _is_missing(kind: type) -> bool:
    return kind is type(None) or kind.__name__ == "NAType"


def _is_numeric(kind: type) -> bool:
    if issubclass(kind, _NO_NUMBERS):
        return False
    return hasattr(kind, "__float__") or hasattr(kind, "__index__")


def _is_text_number(value: str | bytes) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _is_number(value: Any) -> bool:
    """Whether a value is a number or missing. NumPy makes text of the numbers of a list with any text."""
    if isinstance(value, np.str_ | np.bytes_):
        return _is_text_number(value)
    return _is_missing(type(value)) or _is_numeric(type(value))


def _shown(value: Any) -> str:
    text = repr(value.item() if isinstance(value, np.str_ | np.bytes_) else value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _at(place: tuple[int, ...], name: str) -> str:
    match place:
        case (row, feature):
            return f" at row {row}, feature {feature}"
        case (number,):
            return f" at {'feature' if name == 'x' else 'row'} {number}"
    return ""
