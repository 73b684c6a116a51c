"""The base class of the classifier and the regressor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from river import base

from .._errors import ParameterError
from ._columns import Columns, Row, reject_no_dict
from ._frames import pandas_frame

if TYPE_CHECKING:
    import numpy as np


class Model(base.Estimator):
    """A `budgetrs.Classifier` or `budgetrs.Regressor` and the names of its columns."""

    _native: Any
    _columns: Columns

    def _begin(self, native: Any) -> None:
        """Set a native model without rows."""
        self._native, self._columns = native, Columns()
        native._name_features(self._columns.shown)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._native._name_features(self._columns.shown)

    @property
    def native(self) -> Any:
        """The wrapped `budgetrs.Classifier` or `budgetrs.Regressor`, whose columns are `feature_names`."""
        return self._native

    @property
    def feature_names(self) -> tuple[base.typing.FeatureName, ...]:
        """The names of the features learned, in the order of the columns of `native`."""
        return self._columns.names

    @property
    def _has_learned(self) -> bool:
        return len(self._columns) > 0

    def _learn_one(self, x: Row, y: Any, w: float) -> None:
        reject_no_dict(x)
        if not (x or self._has_learned):
            return
        new = self._columns.new(x)
        row = self._columns.row(x, new)
        try:
            self._native.learn_one(row, y, sample_weight=w, add_features=True)
        except ParameterError as error:
            raise self._columns.named(error, x, row, new) from None
        finally:
            self._add(new)

    def _predict_one(self, x: Row) -> Any:
        row = self._row(x)
        try:
            return self._native.predict_one(row)
        except ParameterError as error:
            raise self._columns.named(error, x, row) from None

    def _row(self, x: Row) -> np.ndarray:
        reject_no_dict(x)
        return self._columns.row(x)

    def _learn_many(self, X: Any, y: Any) -> None:
        X = pandas_frame(X)
        if len(X) and (len(X.columns) or self._has_learned):
            new = self._columns.new(X.columns)
            rows = self._columns.rows(X, new)
            try:
                with self._columns.learning(new):
                    self._native.learn(rows, y.to_numpy() if hasattr(y, "to_numpy") else y, add_features=True)
            finally:
                self._add(new)

    def _add(self, new: list[base.typing.FeatureName]) -> None:
        """Keep the new features that the native model has learned, also if the call raised a warning."""
        if new and getattr(self._native, "n_features_in_", 0) == len(self._columns) + len(new):
            self._columns.add(new)
