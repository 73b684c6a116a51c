"""The base of the regressors: fit, partial_fit and predict."""

from typing import Any, Self

import numpy as np

from .. import _core
from ._base import BudgetedEstimator
from ._checks import check_weights, kept_rows, stream_weights
from ._sklearn import RegressorMixin
from ._watch import MeanSoFar


class BudgetedRegressor(RegressorMixin, BudgetedEstimator):
    """Base class of the regressors; a subclass adds its parameters."""

    _native = _core.Regressor
    _guess = MeanSoFar
    _instead = ("targets of mean 0 and standard deviation 1", "OnlineKernelRegressor, which needs no tuning")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn in ``max_iter`` passes over the rows, from scratch unless `warm_start` is set.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            Finite numbers, or NaN where the estimator takes missing values. float32 is computed in
            float32, anything else in float64.
            Columns of a data frame (of pandas, or with the Arrow C stream interface: polars, pyarrow, DuckDB)
            may hold words, strings or categories: each word is a feature, 1 where it stands and 0 elsewhere.
        y : array-like of shape (n_samples,)
            The targets, from -1e15 to 1e15.
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights from 0 to 1e9. A weight multiplies the row's step, or its largest step in estimators with
            `C` or `C0`. Rows of weight 0 are skipped.

        Returns
        -------
        self
            The fitted regressor.

        Raises
        ------
        ValueError
            If data or parameters are not legal, or with `warm_start` the features are others than those of
            the fitted model. The fitted model stays as it was.

        Warns
        -----
        PoorFitWarning
            If it predicts clearly worse than always the mean.
        UserWarning
            If the kernel cannot tell rows apart: nearly all of its values are 0, or 1.
        """
        with self._unchanged_if_refused():
            warm = self._is_warm()
            X, y = self._validate(X, y, sample_weight, reset=not warm, y_numeric=True)
            weight = check_weights(sample_weight, X)
            kept = kept_rows(weight)
            passes, seed = self._passes(), self._draw_seed()
            if warm:
                model = self._copied_model()
            else:
                gamma = self._gamma_of(X, kept)
                rows = X.shape[0] if kept is None else len(kept)
                model = self._new_model(gamma, seed, rows=passes * rows)
            found = self._learn_passes(model, X, y, weight, kept, passes, seed)
            self._model = model
            self.n_iter_ = passes
            self._watch = None
        self._warn_of_kernel(X)
        self._warn_of(found)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn more rows, in the order given.

        The parameters except `n_jobs` are read at the first call; `max_iter`, `shuffle`, `warm_start` and
        `verbose` are those of `fit`. With ``gamma="scale"``, gamma is recomputed
        just before rows 2, 4, 8, ..., 1024 are learned, from the variance of all earlier rows; after that it
        is constant.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            Finite numbers, or NaN as in `fit`. The first call determines the dtype of the model: float32
            or float64.
        y : array-like of shape (n_samples,)
            The targets.
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights from 0 to 1e9. A weight multiplies the row's step, or its largest step in estimators with
            `C` or `C0`. Rows of weight 0 are skipped.

        Returns
        -------
        self
            The regressor.

        Warns
        -----
        PoorFitWarning
            As `fit`, but at most once per stream.
        UserWarning
            As `fit`, of the first call.
        """
        with self._unchanged_if_refused():
            first = not self.__sklearn_is_fitted__()
            X, y = self._validate(X, y, sample_weight, reset=first, y_numeric=True)
            weight = None if sample_weight is None else stream_weights(X, sample_weight)
            model = self._new_model(self.gamma, self._draw_seed()) if first else self._model
            model.learn(X, y, sample_weight=weight)
            if first:
                self._model = model
                self.n_iter_: int = 1
            found = self._watch_stream(first, y, weight)
        if first:
            self._warn_of_kernel(X)
        self._warn_of(found)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the target of each row.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predictions, in the dtype of the model.
        """
        return self._scores(X, "predict")

    @property
    def mean_absolute_error_(self) -> float:
        """The mean absolute error of the predictions made just before each row was learned."""
        return self._learned("mean_absolute_error_")

    @property
    def mean_squared_error_(self) -> float:
        """The mean squared error of the predictions made just before each row was learned."""
        return self._learned("mean_squared_error_")
