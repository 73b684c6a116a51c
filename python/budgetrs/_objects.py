"""Array-likes as numbers, and the errors about values that are no numbers: one rule for all interfaces."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from ._errors import ParameterError, quoted

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_NO_NUMBERS = (str, bytes, complex, np.complexfloating, np.ndarray, np.void, *_DATES)
_PANDAS_DATES = ("Timestamp", "Timedelta", "NaTType", "Period")

ENCODE = "encode it as numbers, or use a data frame with column names"
_ENCODE = {"X": ENCODE, "x": ENCODE, "y": "convert it to a number, or use a Classifier for labels"}
_SENTENCE = "for sentences use HashingVectorizer or TfidfVectorizer of scikit-learn first"


class NoNumberError(Exception):
    """A value of an array that is no number.

    Parameters
    ----------
    place : tuple of int
        The index of the value.
    value : object
        The value.
    """

    def __init__(self, place: tuple[int, ...], value: Any) -> None:
        super().__init__(place, value)
        self.place = place
        self.value = value

    def described(self, encode: str = ENCODE) -> tuple[str, str]:
        """Return what the value is, and what to do; `encode` is the advice about text."""
        value = self.value
        if isinstance(value, str | bytes):
            if _is_numeral(value):
                return (
                    f"the number as text {_shown(value)}",
                    "convert it to a number (float, or astype(float) for an array)",
                )
            from ._notations import notation  # which takes 10 ms

            found = notation(value) if isinstance(value, str) else None
            if encode is ENCODE and not found and " " in str(value):
                encode = f"{encode}; {_SENTENCE}"
            return f"the text {_shown(value)}", f"it has {found.what}: {found.in_frame}" if found else encode
        if isinstance(value, _DATES) or type(value).__name__ in _PANDAS_DATES:
            return (
                f"the date or time {_shown(value)}",
                "convert it to a number, such as days since a date",
            )
        if _is_too_large(value):
            # `str` of the longest integers raises.
            digits = int(value.bit_length() * np.log10(2)) + 1 if isinstance(value, int) else None
            got = f"a {type(value).__name__}" if digits is None else f"an integer of about {digits} digits"
            return got, "the largest float64 is 1.8e308: use a larger unit or the logarithm"
        kind = type(value).__name__
        if isinstance(value, dict) and len(self.place) < 2:
            return (
                "a dict",
                "pandas.DataFrame(X) makes a data frame; learn_one and predict_one of Classifier and "
                "Regressor take one row as a dict",
            )
        # The checks of scikit-learn look for some of these words.
        advice = "convert it to a number; an argument must be numbers, or a data frame of strings and numbers"
        return f"the {kind} {_shown(value)}", advice


def numbers(x: Any, name: str) -> np.ndarray:
    """Return an array-like as an array of numbers; None and pandas.NA are NaN.

    Raises
    ------
    ParameterError
        At the first value that is no number, also if it is a number as text, and for rows of several lengths.
    """
    try:
        array = np.asarray(x)
        if array.dtype.kind in "USMm" and not hasattr(x, "dtype"):
            # The array of a list has one type: a single text makes text of all numbers.
            array = np.array(x, dtype=object)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(_uneven(x, name) or f"{name} must hold numbers: {error}", name) from error
    kind = array.dtype.kind
    if kind in "biuf":
        return array
    if array.ndim == 0 and not isinstance(array[()], str | bytes | dict):
        got = "None" if array[()] is None else f"a {type(array[()]).__name__}"
        advice = f": pass list({name})" if hasattr(array[()], "__next__") else ""
        raise ParameterError(f"{name} must be an array, a list or a data frame, got {got}{advice}", name)
    if kind == "V" and array.dtype.names:
        raise ParameterError(
            f"{name} must hold numbers, got a structured array with the fields "
            f"{', '.join(map(repr, array.dtype.names))}: use pandas.DataFrame({name})",
            name,
        )
    try:
        if kind == "O":
            return floats(array)
        if kind in "USTMm" and array.size:
            raise _of_one_kind(array)
    except NoNumberError as error:
        got, advice = error.described(_ENCODE.get(name, "convert it to a number"))
        message = f"{name} must hold numbers, got {got}{_at(error.place, name)}"
        raise ParameterError(f"{message}: {advice}", name) from None
    got = f"got dtype {array.dtype}{dtype_advice(array.dtype)}"
    raise ParameterError(f"{name} must hold real numbers, {got}", name)


def dtype_advice(dtype: Any) -> str:
    """Return what to do with an array or a column whose type is not read, such as bfloat16; may be empty."""
    is_narrow = isinstance(dtype, np.dtype) and dtype.kind == "V" and np.can_cast(dtype, np.float32)
    return ': convert it by astype("float32")' if is_narrow else ""


def floats(array: np.ndarray) -> np.ndarray:
    """Return an array of objects as float64; None and pandas.NA are NaN.

    Raises
    ------
    NoNumberError
        At the first value that is no number.
    """
    values = array.ravel()
    types = set(map(type, values))
    if np.ndarray in types:  # those without dimensions are numbers
        scalars = (
            value[()] if isinstance(value, np.ndarray) and not value.ndim else value for value in values
        )
        values = np.fromiter(scalars, dtype=object, count=len(values))
        array, types = values.reshape(array.shape), set(map(type, values))
    kinds = {kind: _is_missing(kind) for kind in types}
    if all(is_missing or _is_numeric(kind) for kind, is_missing in kinds.items()):
        if any(kinds.values()):
            values = np.array([np.nan if kinds[type(value)] else value for value in values], dtype=object)
        try:
            with np.errstate(over="ignore"):
                return values.astype(np.float64).reshape(array.shape)
        except (TypeError, ValueError, OverflowError):
            pass  # the value is found below
    place, value = next((place, value) for place, value in np.ndenumerate(array) if not _is_float(value))
    raise NoNumberError(place, value)


def _of_one_kind(array: np.ndarray) -> NoNumberError:
    """Return the error about an array of text or dates: the first text that is no number."""
    of_text = array.dtype.kind in "UST"
    found = ((at, value) for at, value in np.ndenumerate(array) if not (of_text and _is_numeral(value)))
    return NoNumberError(*next(found, ((0,) * array.ndim, array.flat[0])))


def _uneven(x: Any, name: str) -> str | None:
    """Return the message about the first row whose length differs, if one does."""
    lengths = [len(row) if hasattr(row, "__len__") else None for row in x] if hasattr(x, "__iter__") else []
    row = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
    if row is None:
        return None
    first, other = ("a number" if n is None else f"{n} values" for n in (lengths[0], lengths[row]))
    return f"{name} must have rows of one length, got {other} at row {row} after {first} at row 0"


def _is_missing(kind: type) -> bool:
    return kind is type(None) or kind.__name__ == "NAType"


def _is_numeric(kind: type) -> bool:
    if issubclass(kind, _NO_NUMBERS):
        return False
    return hasattr(kind, "__float__") or hasattr(kind, "__index__")


def _is_float(value: Any) -> bool:
    """Whether a value is missing, or a number within the range of float64."""
    if _is_missing(type(value)):
        return True
    try:
        return _is_numeric(type(value)) and float(value) is not None
    except (TypeError, ValueError, OverflowError):
        return False


def _is_too_large(value: Any) -> bool:
    try:
        if _is_numeric(type(value)):
            float(value)
    except OverflowError:
        return True
    except (TypeError, ValueError):
        pass
    return False


def _is_numeral(value: str | bytes) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _shown(value: Any) -> str:
    text = quoted(value.item() if isinstance(value, np.str_ | np.bytes_) else value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _at(place: tuple[int, ...], name: str) -> str:
    match place:
        case (row, feature):
            return f" at row {row}, feature {feature}"
        case (number,):
            return f" at {'feature' if name == 'x' else 'row'} {number}"
    return ""
