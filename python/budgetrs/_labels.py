"""Array-likes as the labels that the native classes read: integers, floats, bools or strings."""

from operator import index
from typing import Any

import numpy as np

from ._arrays import check_vector, reject_masked
from ._errors import ParameterError, quoted, shown
from ._objects import dtype_advice

_BOOLS = (bool, np.bool_)
_INTEGERS = "integers from -2^63 to 2^63 - 1"


def labels(y: Any, name: str) -> np.ndarray | list[str]:
    """Return labels as an array of int64, float64 or bool, or as a list of strings.

    They are an array-like of one dimension, a single column, or a single label.
    """
    reject_masked(name, y)
    reject_iterator(name, y)
    # The labels of a list are read one by one. NumPy would give them one type: large integers next to floats
    # would become equal floats, and numbers next to strings would become strings.
    is_typed = hasattr(y, "dtype") or hasattr(y, "__array__")
    array = np.asarray(y) if is_typed else np.asarray(y, dtype=object)
    if array.ndim == 0 and name == "classes":
        message = f"classes must be a list of labels, such as [0, 1], got {shown(array[()])}"
        raise ParameterError(message, name)
    is_column = array.ndim == 0 or (array.ndim == 2 and array.shape[1] == 1)
    array = check_vector(array.reshape(-1) if is_column else array, name)
    kind, size = array.dtype.kind, array.itemsize
    if kind == "b":
        return array
    if kind == "i" or (kind == "u" and size < 8):
        return array.astype(np.int64)
    if kind == "f" and size <= 8:
        return array.astype(np.float64)
    if kind in "ufUTO":
        return objects(array.tolist(), name)
    raise ParameterError(
        f"{name} must hold integers, floats, bools or strings, got dtype {array.dtype}"
        f"{dtype_advice(array.dtype)}",
        name,
    )


def reject_iterator(name: str, values: Any) -> None:
    """Raise for an iterator, which can be read only once."""
    if hasattr(values, "__next__"):
        kind = type(values).__name__
        raise ParameterError(f"{name} must be an array or a list, got a {kind}: pass list({name})", name)


def objects(items: list[Any], name: str) -> np.ndarray | list[str]:
    """Return labels from Python objects, which must be all of one kind."""
    if all(isinstance(item, str) for item in items):
        return _texts(items, name)
    is_bool = [isinstance(item, _BOOLS) for item in items]
    if all(is_bool):
        return np.array(items, dtype=bool)
    if not any(is_bool) and all(hasattr(item, "__index__") for item in items):
        # NumPy integers have __index__, NumPy floats only __float__.
        values = [index(item) for item in items]
        if large := [value for value in values if not -(2**63) <= value < 2**63]:
            raise ParameterError(f"{name} must be {_INTEGERS}, got {_shown(large[0])}", name)
        return np.array(values, dtype=np.int64)
    check_kinds(items, name)
    return np.array([_float(item, name) for item in items], dtype=np.float64)


def _texts(items: list[str], name: str) -> list[str]:
    for text in items:
        if text.endswith("\0"):
            expected = "strings that do not end in NUL, which numpy's string arrays drop"
            raise ParameterError(f"{name} must be {expected}, got {quoted(text)}", name)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise ParameterError(
                    f"{name} must hold text that can be stored in UTF-8, got {quoted(text)}, which has a "
                    "lone surrogate",
                    name,
                ) from None
    return items


def check_kinds(items: list[Any], name: str) -> None:
    """Raise for the first label of another kind than the first label, or of no valid kind."""
    kinds = [_kind(item) for item in items]
    for row, kind in enumerate(kinds):
        if kind != kinds[0] or kind == "other":
            raise ParameterError(
                f"{name} must hold labels of one kind: all numbers, all strings or all bools, got "
                f"{quoted(items[row])} at row {row}{f' after {quoted(items[0])}' if row else ''}",
                name,
                row,
            )


def _kind(label: Any) -> str:
    if isinstance(label, str):
        return "string"
    if isinstance(label, _BOOLS):
        return "bool"
    try:
        is_number = hasattr(label, "__index__") or (hasattr(label, "__float__") and float(label) is not None)
    except (TypeError, ValueError, OverflowError):
        is_number = False
    return "number" if is_number else "other"


def _float(label: Any, name: str) -> float:
    try:
        value = float(label)
    except OverflowError:
        value = None
    # Different labels must not become equal.
    if value is None or not (value == label or value != value):
        expected = "integers, or numbers that float64 holds exactly"
        raise ParameterError(f"{name} must be {expected}, got {_shown(label)}", name)
    return value


def _shown(label: Any) -> str:
    try:
        return repr(label)
    except ValueError:  # of the longest integers
        return "a larger one"
