"""The named columns of files: the label, and the features in the order of the model."""

import warnings
from shlex import quote
from typing import Any

import numpy as np

from .. import _core
from .._column_warnings import ColumnWarning
from .._frames import Column, Frame
from .arrays import has_label
from .errors import DataError
from .layout import Layout

# The number of columns that a message lists.
_SHOWN = 20


class Columns:
    """The columns of a file for a new model, or for a model with known columns.

    `like` is the model, or the named rows before; `learns` tells whether the rows are learned.
    """

    def __init__(self, name: str, like: Any, layout: Layout, *, learns: bool) -> None:
        self._name = name
        self.like: Any = like
        self._dtype, self._learns = layout.dtype, learns
        self._needs_label = layout.task != "unlabelled"
        # The number of the next rows whose categories are known.
        self.known_rows: int = 0

    @property
    def known(self) -> list[str] | None:
        """The names of the known columns; None if there are none."""
        if isinstance(self.like, _core.NamedRows):
            return self.like.names
        names = getattr(self.like, "feature_names_in_", None)
        return None if names is None else names.tolist()

    @property
    def is_given(self) -> bool:
        """Whether the columns of a model are known."""
        return isinstance(self.like, _core.NativeModel)

    def categorical(self) -> set[str] | None:
        """Return the categorical columns of the model; None if the model has no named columns."""
        if not self.is_given or self.known is None:
            return None
        # A numeric feature has the name of its column; the feature of a category has a longer name.
        none = Frame(self.known, [np.empty(0)] * len(self.known))
        rows = _core._named_rows(none, self.like)
        assert rows is not None
        columns = [rows.column_of(feature) for feature in range(rows.shape[1])]
        numbers = {
            name
            for name, column in zip(self.like.get_feature_names_out(), columns, strict=True)
            if name == column
        }
        return set(self.known) - numbers

    @property
    def width(self) -> int:
        """The known number of features, or 0."""
        if isinstance(self.like, _core.NamedRows):
            return self.like.shape[1]
        return getattr(self.like, "n_features_encoded_", None) or 0

    @property
    def count(self) -> int | None:
        """The number of feature columns of the model; None if there is no model."""
        if self.known is not None:
            return len(self.known)
        return getattr(self.like, "n_features_encoded_", None)

    def label(self, names: list[str], column: int | str) -> int | None:
        """Return the index of the label column; None for a file without labels.

        A number counts from 0, or from the end if it is negative. If the model has named columns and the
        number is -1, the default, the label has the name that the model learned. If the model knows no such
        name, a file to predict has no label; in another file it is at that position, unless a feature is.
        """
        known = self.known
        if isinstance(column, str):
            return self._named(names, column)
        if known is not None and not set(known).isdisjoint(names):
            if column == -1 and self.is_given and (self._target_name or not self._needs_label):
                return self._learned_target(names)
            is_there = -len(names) <= column < len(names) and names[column] not in known
            return column % len(names) if is_there else None
        if self.count is not None and not has_label(len(names), self.count, self._name):
            return None
        if not -len(names) <= column < len(names):
            raise DataError(
                f"{self._name}: expected the target in column {column} (--target), got {len(names):,} columns"
            )
        return column % len(names)

    @property
    def _target_name(self) -> str | None:
        return getattr(self.like, "target_name", None)

    def _learned_target(self, names: list[str]) -> int | None:
        name, new = self._target_name, [each for each in names if each not in (self.known or ())]
        if name in new:
            return names.index(name)
        if new and self._needs_label:
            raise DataError(
                f"{self._name}: expected a column named {name}, the target that the model learned, got "
                f"{', '.join(new[:_SHOWN])}; if one of these is the target: --target NAME"
            )
        return None

    def _named(self, names: list[str], column: str) -> int | None:
        if names.count(column) == 1:
            return names.index(column)
        if self.is_given and column not in names and (len(names) == self.count or self._has_all(names)):
            return None
        shown = ", ".join([*names[:_SHOWN], *(["..."] if len(names) > _SHOWN else [])])
        raise DataError(f"{self._name}: expected one column named {column} (--target), got {shown}")

    def _has_all(self, names: list[str]) -> bool:
        return self.known is not None and set(self.known) <= set(names)

    def check(self, names: list[str]) -> None:
        """Raise if the feature columns differ from the columns of the model."""
        if self.known is not None:
            self._arranged(names, [np.empty(0)] * len(names), learns=self._learns)

    def arranged(self, names: list[str], columns: list[Column], matrix: Any = None) -> Any:
        """Return rows as `NamedRows`; None if the names are not distinct or the model has no names."""
        learns = self._learns and self.known_rows == 0
        rows = self._arranged(names, columns, matrix, learns=learns)
        if rows is not None:
            self.like = rows if learns else self.like
            self.known_rows = max(0, self.known_rows - len(rows))
        return rows

    def _arranged(self, names: list[str], columns: list[Column], matrix: Any = None, *, learns: bool) -> Any:
        known = self.known
        if known is None and (self.like is not None or len(set(names)) < len(names)):
            return None
        frame = Frame(names, columns, matrix)
        try:
            # Values too large for the type become infinite, which raises later.
            with np.errstate(over="ignore"), warnings.catch_warnings():
                # The message is for data frames.
                warnings.simplefilter("ignore", ColumnWarning)
                return _core._named_rows(frame, self.like, dtype=self._dtype, learns=learns)
        except (TypeError, ValueError) as error:
            new = set(names).difference(known or names)
            hint = f"; if this is the target: --target {quote(*new)}" if len(new) == 1 else ""
            # The message names the file instead of the array X.
            raise DataError(f"{self._name}{str(error).removeprefix('X')}{hint}") from error
