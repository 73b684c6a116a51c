"""Frames of any library as frames of pandas, which River's own models take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._errors import ParameterError
from .._frames import frame_of
from .._objects import NoNumberError, floats

if TYPE_CHECKING:
    import pandas as pd

ENCODE = "encode strings with river.preprocessing.OneHotEncoder first"


def pandas_frame(X: Any) -> pd.DataFrame:
    """Return a frame of pandas, whose columns have distinct names.

    Raises
    ------
    TypeError
        When X is no data frame.
    ValueError
        When two columns have one name.
    """
    import pandas as pd

    if not isinstance(X, pd.DataFrame):
        frame = frame_of(X)
        if frame is None:
            kind = type(X)
            place = "" if kind.__module__ == "builtins" else f"{kind.__module__.split('.')[0]}."
            raise TypeError(f"X must be a data frame, whose columns have names, got a {place}{kind.__name__}")
        for name, column in zip(frame.names, frame.columns, strict=True):
            if isinstance(column, tuple):
                codes, categories = column
                texts = [None if code < 0 else categories[code] for code in codes]
                _numbers(name, pd.Series(texts, dtype=object))
        columns = [pd.Series(column) for column in frame.columns]
        X = pd.concat(columns, axis=1, keys=range(len(columns))) if columns else pd.DataFrame()
        X = X.set_axis(frame.names, axis=1)
    names = X.columns.tolist()
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X must have columns of distinct names, got {name!r} twice")
    return X


def numbers(X: pd.DataFrame) -> np.ndarray:
    """Return the numbers of a frame; one that is missing is NaN.

    Raises
    ------
    ParameterError
        If a column holds something else.
    """
    if all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in X.dtypes):
        return X.to_numpy(np.float64)
    rows = np.empty(X.shape)
    for i, (name, column) in enumerate(X.items()):
        rows[:, i] = _numbers(name, column)
    return rows


def _numbers(name: Any, column: Any) -> np.ndarray:
    """Return the numbers of a column of a frame."""
    values = column.to_numpy()
    if values.dtype.kind in "biuf":
        return values
    try:
        return floats(column.to_numpy(object))
    except NoNumberError as error:
        got, advice = error.described(ENCODE)
        message = f"X[{name!r}] must hold numbers, got {got} at row {error.place[0]}: {advice}"
        raise ParameterError(message, "X") from None
