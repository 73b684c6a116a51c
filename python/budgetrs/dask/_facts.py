"""What the rows of all partitions have in common, which the models of all shards share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from .._errors import ParameterError
from .._frames import Column, Frame, frame_of
from .._keyed import Begin

_SHOWN = 5  # names in a message


class PartitionError(Exception):
    """What was refused, with the number of its partition: notes at an error may be lost on its way."""

    def __init__(self, number: int, error: Exception) -> None:
        super().__init__(number, error)
        self.number, self.error = number, error


@dataclass(frozen=True)
class Facts:
    """What rows of one partition have, and what the first one fixes for all others."""

    names: list[str] | None = None
    """Of the columns, in their order; None where they have none."""
    width: int | None = None
    """How many columns; None while nothing is fixed, 0 where any number is folded into features."""
    words: Sequence[str] = ()
    """The columns that hold words."""
    dtype: str | None = None
    labels: str | None = None
    keys: str | None = None
    blank: Sequence[str] = ()
    """Columns of a partition that hold nothing, so that they may have any type."""

    @staticmethod
    def of_model(model: Begin) -> Facts:
        """Return what is fixed before the first partition, by the model that keys begin as."""
        if not hasattr(model, "feature_names_in_"):
            width = None if not has_learned(model) else 0 if folds(model) else model.n_features_in_
            return Facts(width=width, dtype=_dtype_of(model))
        names, numbers = model.feature_names_in_.tolist(), {*model.feature_names_.tolist()}
        words = [name for name in names if name not in numbers]
        return Facts(names, len(names), words, _dtype_of(model))

    @staticmethod
    def of_rows(X: pd.DataFrame, frame: Frame | None, labels: str | None, keys: str, folds: bool) -> Facts:
        """Return those of the rows of a partition."""
        width = 0 if folds else X.shape[1]
        if frame is None:
            dtype = "float32" if X.to_numpy().dtype == np.float32 else "float64"
            return Facts(None, width, (), dtype, labels, keys)
        columns = dict(zip(frame.names, frame.columns, strict=True))
        words = [name for name, column in columns.items() if isinstance(column, tuple)]
        blank = [name for name, column in columns.items() if _is_blank(column)]
        dtype = "float32" if frame.is_single else "float64"
        return Facts(frame.names, width, words, dtype, labels, keys, blank)

    def with_those(self, came: Facts) -> Facts:
        """Return these, with what was not fixed yet.

        Raises
        ------
        ParameterError
            When the others differ, as `budgetrs.KeyedModels` refuses them in one process.
        """
        if self.width is not None:
            self._refuse_other_columns(came)
        for name in ("labels", "keys"):
            has, got = getattr(self, name), getattr(came, name)
            if has and got and has != got:
                of = "y" if name == "labels" else name
                raise ParameterError(f"{of} must hold {has}s, as in the partitions before, got {got}s", of)
        first = came if self.width is None else self
        return replace(
            first,
            dtype=self.dtype or came.dtype,
            labels=self.labels or came.labels,
            keys=self.keys or came.keys,
            blank=(),
        )

    def _refuse_other_columns(self, came: Facts) -> None:
        if self.names is None or came.names is None:
            words = [name for name in came.words if name not in came.blank]
            if self.names is None and words:
                got = f"words in the column {words[0]!r}"
                raise ParameterError(f"X must hold numbers, as in the partitions before, got {got}", "X")
            # Which words, or how many columns, are features by place is not known here.
            if self.names and (self.words or not self.width):
                expected = f"the columns {_shown(self.names)}, as in the partitions before"
                raise ParameterError(f"X must have {expected}, got columns without names", "X")
            if self.width != came.width:
                expected = f"{self.width} features, as in the partitions before"
                raise ParameterError(f"X must have {expected}, got {came.width}", "X")
            return
        missing = [name for name in self.names if name not in {*came.names}]
        others = [name for name in came.names if name not in {*self.names}]
        if missing or others:
            got = [f"none named {_shown(missing)}"] * bool(missing) + [f"others: {_shown(others)}"] * bool(
                others
            )
            expected = "the columns of the partitions before, in any order"
            raise ParameterError(f"X must have {expected}, got {', and '.join(got)}", "X")
        for name in ({*self.words} ^ {*came.words}) - {*came.blank}:
            has, got = ("words", "numbers") if name in self.words else ("numbers", "words")
            expected = f"{has} in the column {name!r}, as in the partitions before"
            raise ParameterError(f"X must have {expected}, got {got}", "X")

    def arranged(self, X: pd.DataFrame) -> Any:
        """Return rows as the models of all shards have them: columns in one order and of one type."""
        frame, dtype = frame_of(X), np.dtype(self.dtype)
        if frame is None or self.names is None:
            matrix = np.asarray(X) if frame is None else np.column_stack(_numbers(frame.columns, dtype))
            with np.errstate(over="ignore"):  # infinity is refused
                matrix = matrix.astype(dtype, copy=False)
            return matrix if self.names is None else Frame(self.names, list(matrix.T), matrix)
        is_same = frame.names == self.names and not self.words
        if is_same and frame.matrix is not None and frame.matrix.dtype == dtype:
            return frame
        columns = dict(zip(frame.names, frame.columns, strict=True))
        with np.errstate(over="ignore"):
            return Frame(self.names, [_as(columns[name], name in self.words, dtype) for name in self.names])


def agreed(known: Facts, all_came: list[Facts | None], first: int) -> Facts:
    """Return what partitions have in common, the number of the first of which is given."""
    for number, came in enumerate(all_came, first):
        try:
            known = known if came is None else known.with_those(came)
        except ParameterError as error:
            raise PartitionError(number, error) from error
    return known


def has_learned(model: Begin) -> bool:
    """Whether a model can predict."""
    return hasattr(model, "n_seen_")


def _is_blank(column: Column) -> bool:
    if isinstance(column, tuple):
        return bool((column[0] < 0).all())
    return bool(np.isnan(column[:1]).all() and np.isnan(column).all())


def _as(column: Column, is_words: bool, dtype: np.dtype) -> Column:
    """Return a column as words or numbers; what is neither holds nothing."""
    if isinstance(column, tuple):
        return column if is_words else np.full(len(column[0]), np.nan, dtype)
    return (np.full(len(column), -1), []) if is_words else column.astype(dtype, copy=False)


def _numbers(columns: list[Column], dtype: np.dtype) -> list[Any]:
    return [_as(column, False, dtype) for column in columns]


def folds(model: Begin) -> bool:
    """Whether columns of any number become features of a fixed number."""
    return model.params.get("hash_features") is not None


def _dtype_of(model: Begin) -> str | None:
    return model.dtype.name if has_learned(model) else None


def _shown(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
