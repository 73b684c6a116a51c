"""The schema that all partitions and shards share: columns, types, kinds of labels and keys."""

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
    """An error with the number of its partition, since notes may be lost between processes."""

    def __init__(self, number: int, error: Exception) -> None:
        super().__init__(number, error)
        self.number, self.error = number, error


@dataclass(frozen=True)
class Schema:
    """The schema of one partition; the first one fixes it for all others."""

    names: list[str] | None = None
    """The names of the columns, in order; None if they have no names."""
    width: int | None = None
    """The number of columns; None while it is open, 0 if columns are hashed into features."""
    words: Sequence[str] = ()
    """The categorical columns."""
    dtype: str | None = None
    labels: str | None = None
    keys: str | None = None
    blank: Sequence[str] = ()
    """The columns of a partition without any value, which may have any type."""

    @staticmethod
    def of_model(model: Begin) -> Schema:
        """Return the schema before the first partition, given by the template model."""
        if not hasattr(model, "feature_names_in_"):
            width = None if not has_learned(model) else 0 if hashes(model) else model.n_features_in_
            return Schema(width=width, dtype=_dtype_of(model))
        names, numbers = model.feature_names_in_.tolist(), {*model.get_feature_names_out().tolist()}
        words = [name for name in names if name not in numbers]
        return Schema(names, len(names), words, _dtype_of(model))

    @staticmethod
    def of_rows(
        X: pd.DataFrame, frame: Frame | None, labels: str | None, keys: str, is_hashed: bool
    ) -> Schema:
        """Return the schema of the rows of a partition."""
        width = 0 if is_hashed else X.shape[1]
        if frame is None:
            dtype = "float32" if X.to_numpy().dtype == np.float32 else "float64"
            return Schema(None, width, (), dtype, labels, keys)
        columns = dict(zip(frame.names, frame.columns, strict=True))
        words = [name for name, column in columns.items() if isinstance(column, tuple)]
        blank = [name for name, column in columns.items() if _is_blank(column)]
        dtype = "float32" if frame.is_single else "float64"
        return Schema(frame.names, width, words, dtype, labels, keys, blank)

    def merged(self, came: Schema) -> Schema:
        """Return the schema, completed by the schema of another partition.

        Raises
        ------
        ParameterError
            If they differ, as `budgetrs.KeyedModels` raises in one process.
        """
        if self.width is not None:
            self._reject_other_columns(came)
        for name in ("labels", "keys"):
            has, got = getattr(self, name), getattr(came, name)
            if has and got and has != got:
                of = "y" if name == "labels" else name
                raise ParameterError(f"{of} must be {has}s, as in earlier partitions, got {got}s", of)
        first = came if self.width is None else self
        return replace(
            first,
            dtype=self.dtype or came.dtype,
            labels=self.labels or came.labels,
            keys=self.keys or came.keys,
            blank=(),
        )

    def _reject_other_columns(self, came: Schema) -> None:
        if self.names is None or came.names is None:
            words = [name for name in came.words if name not in came.blank]
            if self.names is None and words:
                got = f"categories in the column {words[0]!r}"
                raise ParameterError(f"X must have numbers, as in earlier partitions, got {got}", "X")
            # Without names, the categories or the number of features cannot be compared here.
            if self.names and (self.words or not self.width):
                expected = f"the columns {_shown(self.names)}, as in earlier partitions"
                raise ParameterError(f"X must have {expected}, got columns without names", "X")
            if self.width != came.width:
                expected = f"{self.width} features, as in earlier partitions"
                raise ParameterError(f"X must have {expected}, got {came.width}", "X")
            return
        missing = [name for name in self.names if name not in {*came.names}]
        others = [name for name in came.names if name not in {*self.names}]
        if missing or others:
            got = [f"no column {_shown(missing)}"] * bool(missing) + [
                f"the new columns {_shown(others)}"
            ] * bool(others)
            expected = "the columns of earlier partitions, in any order"
            raise ParameterError(f"X must have {expected}, got {', and '.join(got)}", "X")
        for name in ({*self.words} ^ {*came.words}) - {*came.blank}:
            has, got = ("categories", "numbers") if name in self.words else ("numbers", "categories")
            expected = f"{has} in the column {name!r}, as in earlier partitions"
            raise ParameterError(f"X must have {expected}, got {got}", "X")

    def aligned(self, X: pd.DataFrame) -> Any:
        """Return rows with columns in the order and of the type of the schema."""
        frame, dtype = frame_of(X), np.dtype(self.dtype)
        if frame is None or self.names is None:
            matrix = np.asarray(X) if frame is None else np.column_stack(_numbers(frame.columns, dtype))
            with np.errstate(over="ignore"):  # infinity raises later
                matrix = matrix.astype(dtype, copy=False)
            return matrix if self.names is None else Frame(self.names, list(matrix.T), matrix)
        is_same = frame.names == self.names and not self.words
        if is_same and frame.matrix is not None and frame.matrix.dtype == dtype:
            return frame
        columns = dict(zip(frame.names, frame.columns, strict=True))
        with np.errstate(over="ignore"):
            return Frame(self.names, [_as(columns[name], name in self.words, dtype) for name in self.names])


def agreed(known: Schema, all_came: list[Schema | None], first: int) -> Schema:
    """Return the common schema of partitions, of which `first` is the number of the first."""
    for number, came in enumerate(all_came, first):
        try:
            known = known if came is None else known.merged(came)
        except ParameterError as error:
            raise PartitionError(number, error) from error
    return known


def has_learned(model: Begin) -> bool:
    """Whether a model can predict."""
    return hasattr(model, "n_features_in_")


def _is_blank(column: Column) -> bool:
    if isinstance(column, tuple):
        return bool((column[0] < 0).all())
    return bool(np.isnan(column[:1]).all() and np.isnan(column).all())


def _as(column: Column, is_words: bool, dtype: np.dtype) -> Column:
    """Return a column as categories or numbers; a column of the other type is one without values."""
    if isinstance(column, tuple):
        return column if is_words else np.full(len(column[0]), np.nan, dtype)
    return (np.full(len(column), -1), []) if is_words else column.astype(dtype, copy=False)


def _numbers(columns: list[Column], dtype: np.dtype) -> list[Any]:
    return [_as(column, False, dtype) for column in columns]


def hashes(model: Begin) -> bool:
    """Whether the model hashes columns into a fixed number of features."""
    return model.params.get("hash_features") is not None


def _dtype_of(model: Begin) -> str | None:
    return model.dtype.name if has_learned(model) else None


def _shown(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
