"""Conversion of River's rows, which are dicts, to arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from river import base

from .._errors import ParameterError
from ._frames import WORDS, numbers

if TYPE_CHECKING:
    import pandas as pd

Row = dict[base.typing.FeatureName, Any]
_NUMBERS = int | float | np.integer | np.floating | np.bool_


class Columns:
    """The names of the features, in the order of the native model's columns."""

    def __init__(self, names: tuple[base.typing.FeatureName, ...] = ()) -> None:
        self.names, self._known = names, frozenset(names)

    def know(self, names: Iterable[base.typing.FeatureName]) -> bool:
        """Whether any features are known, and all of `names` are known."""
        return bool(self.names) and self._known.issuperset(names)

    def plus(self, names: Iterable[base.typing.FeatureName]) -> Columns:
        """Return these columns, followed by the new names.

        The new names are sorted, so that their order in a row has no effect; the known names keep their
        order.
        """
        return Columns((*self.names, *sorted(set(names) - self._known, key=_by_text)))

    def row(self, x: Row) -> np.ndarray:
        """Return a row as an array: missing features are 0, unknown features are dropped."""
        if tuple(x) == self.names:
            values = list(x.values())
        else:
            get = x.get
            values = [get(name, 0.0) for name in self.names]
        array = np.array(values)
        if array.dtype == np.float64:
            return array
        for name, value in zip(self.names, values, strict=True):
            if not (value is None or isinstance(value, _NUMBERS)):
                raise TypeError(
                    f"x[{name!r}] must be a number, or None if it is missing, got {value!r}; {WORDS}"
                )
        return array.astype(np.float64)

    def named(self, error: ParameterError, x: Row, row: np.ndarray) -> ParameterError:
        """Return the error of a row, with the name of the feature if its value is not finite."""
        # NaN may be a missing value, infinity never is.
        infinite = np.isinf(row)
        invalid = np.flatnonzero(infinite if infinite.any() else np.isnan(row))
        if error.parameter != "X" or not len(invalid):
            return error
        name = self.names[invalid[0]]
        _, _, hint = str(error).partition("; all values must be finite")
        return ParameterError(f"x[{name!r}] must be finite, got {x[name]!r}{hint}", "x")

    def rows(self, X: pd.DataFrame) -> np.ndarray:
        """Return a frame as an array: missing features are 0, unknown features are dropped."""
        return numbers(X.reindex(columns=list(self.names), fill_value=0.0))


def reject_no_dict(x: Any) -> None:
    """Raise an error for a row that is no dict."""
    if not isinstance(x, dict | Mapping):
        raise TypeError(f"x must be a dict of numbers by the names of their features, got {x!r:.100}")


def _by_text(name: base.typing.FeatureName) -> tuple[str, str]:
    """Return the sort key of a name; the type tells 1 from "1"."""
    return str(name), type(name).__name__
