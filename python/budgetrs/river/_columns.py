"""Conversion of River's rows, which are dicts, to arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from river import base

from .._errors import ParameterError
from .._objects import NoNumberError, floats
from ._frames import ENCODE, numbers

if TYPE_CHECKING:
    import pandas as pd

Row = dict[base.typing.FeatureName, Any]


class Columns:
    """The names of the features, in the order of the native model's columns."""

    def __init__(self) -> None:
        self._place: dict[base.typing.FeatureName, int] = {}
        self._learning: list[base.typing.FeatureName] = []

    def __len__(self) -> int:
        return len(self._place)

    @property
    def names(self) -> tuple[base.typing.FeatureName, ...]:
        """The names in their order."""
        return tuple(self._place)

    @contextlib.contextmanager
    def learning(self, new: list[base.typing.FeatureName]) -> Iterator[None]:
        """Have warnings name the new features of a batch while the native model learns it."""
        self._learning = new
        try:
            yield
        finally:
            self._learning = []

    def shown(self, feature: int, value: float) -> str | None:
        """Return the name of a feature for a warning about a value that repeats; None for no warning.

        A row without the feature has the value 0.
        """
        return repr([*self._place, *self._learning][feature]) if value else None

    def new(self, names: Iterable[base.typing.FeatureName]) -> list[base.typing.FeatureName]:
        """Return the names that are not known, sorted, so that their order in a row has no effect."""
        new = {name for name in names if name not in self._place}
        return sorted(new, key=_by_text) if len(new) > 1 else list(new)

    def add(self, names: list[base.typing.FeatureName]) -> None:
        """Append new names."""
        for name in names:
            self._place[name] = len(self._place)

    def row(self, x: Row, new: Sequence[base.typing.FeatureName] = ()) -> np.ndarray:
        """Return a row as an array, with the new features last: missing features are 0.

        Features that are neither known nor new are dropped.
        """
        place, width = self._place, len(self._place) + len(new)
        places = [place.get(name, -1) for name in x]
        values = list(x.values())
        if -1 in places:
            late = {name: at for at, name in enumerate(new, len(place))}
            used = [
                (name, late.get(name, -1) if at < 0 else at, value)
                for (name, value), at in zip(x.items(), places, strict=True)
                if at >= 0 or name in late
            ]
            x = {name: value for name, _, value in used}
            places, values = [at for _, at, _ in used], list(x.values())
        row = np.zeros(width)
        row[places] = _floats(x, values)
        return row

    def named(
        self, error: ParameterError, x: Row, row: np.ndarray, new: Sequence[base.typing.FeatureName] = ()
    ) -> ParameterError:
        """Return the error of a row, with the name of the feature if its value is not finite."""
        # NaN may be a missing value, infinity never is.
        infinite = np.isinf(row)
        invalid = np.flatnonzero(infinite if infinite.any() else np.isnan(row))
        if error.parameter != "X" or not len(invalid):
            return error
        name = [*self.names, *new][invalid[0]]
        _, _, hint = str(error).partition("; all values must be finite")
        return ParameterError(f"x[{name!r}] must be finite, got {x[name]!r}{hint}", "x")

    def rows(self, X: pd.DataFrame, new: Sequence[base.typing.FeatureName] = ()) -> np.ndarray:
        """Return a frame as an array, with the new features last: missing features are 0.

        Features that are neither known nor new are dropped.
        """
        return numbers(X.reindex(columns=[*self.names, *new], fill_value=0.0))


def reject_no_dict(x: Any) -> None:
    """Raise an error for a row that is no dict."""
    if not isinstance(x, dict | Mapping):
        raise TypeError(f"x must be a dict of numbers by the names of their features, got {x!r:.100}")


def _floats(x: Row, values: list[Any]) -> np.ndarray:
    """Return the values of a row that are used, as floats; None and pandas.NA are NaN."""
    with contextlib.suppress(ValueError):  # lists of several lengths
        array = np.array(values) if values else np.empty(0)
        if array.ndim == 1 and array.dtype.kind in "fiub":
            return array
    try:
        return floats(np.fromiter(values, dtype=object, count=len(values)))
    except NoNumberError as error:
        got, advice = error.described(ENCODE)
        name = list(x)[error.place[0]]
        message = f"x[{name!r}] must be a number, or None if it is missing, got {got}: {advice}"
        raise ParameterError(message, "x") from None


def _by_text(name: base.typing.FeatureName) -> tuple[str, str]:
    """Return the sort key of a name; the type tells 1 from "1"."""
    return str(name), type(name).__name__
