"""Array-likes and sparse matrices as the arrays that the native classes read."""

from typing import Any

import numpy as np

from ._errors import ParameterError
from ._objects import numbers


def is_float32(x: Any) -> bool:
    """Return whether rows are float32, so that a model whose first batch they are computes in float32."""
    try:
        dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
    except Exception:  # Reading the rows raises an error that says what is wrong.
        return False
    return getattr(dtype, "kind", None) == "f" and dtype.itemsize == 4


def floats(x: Any, name: str, dtype: str) -> tuple[np.ndarray, bool]:
    """Return an array-like as aligned and C-contiguous floats, and whether they are a copy."""
    reject_masked(name, x)
    array = numbers(x, name)
    with np.errstate(over="ignore"):
        converted = np.require(array, dtype, ("C", "A"))
    is_smaller = converted.itemsize < array.itemsize
    if is_smaller and bool((np.isinf(converted) & np.isfinite(array)).any()):
        raise ParameterError(f"{name} must have values within the range of {dtype}, got larger ones", name)
    return converted, not np.may_share_memory(converted, array)


def matrix(x: Any, dtype: str, is_row: bool) -> tuple[np.ndarray, bool]:
    """Return rows, or a single row, as a matrix of floats, and whether it is a copy."""
    array, is_copy = floats(x, "x" if is_row else "X", dtype)
    if is_row:
        return check_vector(array, "x").reshape(1, -1), is_copy
    if array.ndim != 2:
        # The scikit-learn checks look for "Reshape your data".
        raise ParameterError(
            f"X must have 2 dimensions (n_rows, n_features), got shape {array.shape}. Reshape your data: "
            "X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one row, or learn_one and predict_one",
            "X",
        )
    return array, is_copy


def compressed(x: Any, dtype: str, is_row: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, bool]:
    """Return the parts of a sparse matrix as compressed rows without duplicates, with sorted indices.

    The parts are the positions of the rows, the indices, the values, the number of columns, and whether the
    values are a copy.
    """
    name = "x" if is_row else "X"
    # A row of a sparse array has one dimension, a row of a sparse matrix two.
    x = (x.reshape(1, -1) if is_row and x.ndim == 1 else x).tocsr()
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    if len(x.shape) != 2:
        raise ParameterError(f"{name} must have 2 dimensions, got {len(x.shape)}", name)
    if is_row and x.shape[0] != 1:
        raise ParameterError(f"x must have 1 row, got {x.shape[0]}", "x")
    if min(x.indices.min(initial=0), x.indptr.min(initial=0)) < 0 or x.indices.max(initial=0) >= 2**32:
        raise ParameterError(f"{name} must have indices from 0 to 2^32 - 1, got other indices", name)
    values, is_copy = floats(x.data, name, dtype)
    return x.indptr.astype(np.uintp), x.indices.astype(np.uint32), values, x.shape[1], is_copy


def vector(x: Any, name: str) -> np.ndarray:
    """Return an array-like of one dimension, or of two with a single column, as floats."""
    array, _ = floats(x, name, "float64")
    return check_vector(array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array, name)


def check_vector(array: np.ndarray, name: str) -> np.ndarray:
    """Return an array; raise if it does not have one dimension."""
    if array.ndim != 1:
        raise ParameterError(
            f"{name} must have 1 dimension, got shape {array.shape}{_advice(array, name)}", name
        )
    return array


def _advice(array: np.ndarray, name: str) -> str:
    """Return what to do about an array with a wrong number of dimensions; may be empty."""
    if name == "x":
        return ": for several rows use learn and predict"
    if name != "y" or array.ndim != 2:
        return ""
    is_one_hot = array.dtype.kind in "biufO" and bool(((array == 0) | (array == 1)).all())
    if is_one_hot and bool((array.sum(axis=1) == 1).all()):
        return ": y.argmax(axis=1) has the labels of a one-hot encoding"
    return ": the rows come first, as in learn(X, y); of several targets each needs a model"


def check_series(x: Any, names: list[str]) -> None:
    """Raise for a series of pandas or polars that has other names than the columns, or another order."""
    pairs = zip(getattr(x, "index", ()), names, strict=False)
    wrong = next(((got, name) for got, name in pairs if isinstance(got, str) and got != name), None)
    if wrong is not None:
        expected = "a row in the order of feature_names_in_: x[model.feature_names_in_]"
        got = 'a Series with "{}" instead of "{}"'.format(*wrong)
        raise ParameterError(f"x must be {expected}, got {got}", "x")


def reject_masked(name: str, values: Any) -> None:
    """Raise for an array with masked values, which can be neither learned nor predicted."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ParameterError(
            f"{name} must have a value everywhere, got an array with masked ones; fill them or leave their "
            "rows out",
            name,
        )
