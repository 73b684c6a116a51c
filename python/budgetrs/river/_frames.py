"""Frames of any library as frames of pandas, which River's own models take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._frames import frame_of

if TYPE_CHECKING:
    import pandas as pd

WORDS = "encode strings with river.preprocessing.OneHotEncoder first"


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
                raise _no_numbers(name, (None if code < 0 else categories[code] for code in codes))
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
    TypeError
        When a column holds something else.
    """
    try:
        return X.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        for name, column in X.items():
            try:
                column.to_numpy(np.float64, na_value=np.nan)
            except (TypeError, ValueError):
                raise _no_numbers(name, column) from None
        raise


def _no_numbers(name: Any, column: Iterable[Any] = ()) -> TypeError:
    """Return the error about a column, with its first value that is no number."""
    for row, value in enumerate(column):
        try:
            float(np.nan if value is None or type(value).__name__ == "NAType" else value)
        except (TypeError, ValueError):
            return TypeError(f"X[{name!r}] must hold numbers, got {value!r} at row {row}; {WORDS}")
    return TypeError(f"X[{name!r}] must hold numbers; {WORDS}")
