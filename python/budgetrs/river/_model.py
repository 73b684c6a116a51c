"""The base class of the classifier and the regressor."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
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
        return bool(self._columns.names)

    def _learn_one(self, x: Row, y: Any, w: float) -> None:
        reject_no_dict(x)
        if not (x or self._has_learned):
            return
        native, columns = self._with(x)
        row = columns.row(x)
        try:
            native.learn_one(row, y, sample_weight=w)
        except ParameterError as error:
            raise columns.named(error, x, row) from None
        self._keep(native, columns)

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
            native, columns = self._with(X.columns)
            native.learn(columns.rows(X), y.to_numpy() if hasattr(y, "to_numpy") else y)
            self._keep(native, columns)

    def _with(self, names: Iterable[base.typing.FeatureName]) -> tuple[Any, Columns]:
        """Return the model and columns with the new features among these names, which were 0 so far.

        With new features the model is a copy, so that an invalid row leaves the model unchanged.
        """
        if self._columns.know(names):
            return self._native, self._columns
        columns = self._columns.plus(names)
        params = self._native.params
        if params["hash_features"] is not None:
            # A model that hashes features accepts rows of any width.
            return self._native, columns
        native = deepcopy(self._native)
        if self._has_learned:
            native.add_features(len(columns.names), keep_gamma=params.get("gamma") == "scale")
        return native, columns

    def _keep(self, native: Any, columns: Columns) -> None:
        """Store the model and columns after learning; rows of weight 0 before all others add no features."""
        if columns is not self._columns and (self._has_learned or hasattr(native, "n_features_in_")):
            self._native, self._columns = native, columns
