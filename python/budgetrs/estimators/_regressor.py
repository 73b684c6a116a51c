"""The base of the regressors: fit, partial_fit and predict."""

from typing import Any, Self

import numpy as np

from .. import _core
from ._base import BudgetedEstimator
from ._baseline import Constants
from ._checks import check_weights, kept_rows, stream_weights
from ._sklearn import RegressorMixin


class BudgetedRegressor(RegressorMixin, BudgetedEstimator):
    """Base class of the regressors; a subclass adds its parameters."""

    _native = _core.Regressor
    _baseline = Constants
    _alternatives = (
        "targets of mean 0 and standard deviation 1",
        "OnlineKernelRegressor, which needs no tuning",
    )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows in ``max_iter`` passes.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            Finite numbers, or NaN if the estimator accepts missing values. Text and categorical columns of a
            data frame are one-hot encoded. float32 is computed in float32, all other types in float64.
        y : array-like of shape (n_samples,)
            The targets, from -1e15 to 1e15.
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights of the rows, from 0 to 1e9. Rows of weight 0 are skipped.

        Returns
        -------
        self
            The fitted regressor.

        Raises
        ------
        ValueError
            If X, y or a parameter is invalid, or if the features differ from the fitted model with
            `warm_start`. The fitted model stays unchanged.

        Warns
        -----
        PoorFitWarning
            If the model is not better than a constant.
        UserWarning
            If nearly all kernel values are 0 or 1, because gamma is too large or too small.
        """
        with self._unchanged_if_rejected():
            warm = self._is_warm()
            X, y = self._validate(X, y, reset=not warm, y_numeric=True)
            weight = check_weights(sample_weight, X)
            kept = kept_rows(weight)
            count = X.shape[0] if kept is None else len(kept)
            self._check_passes()
            if warm:
                model = self._copied_model()
            else:
                gamma = self._gamma_of(X, kept)
                model = self._new_model(self._draw_seed(), gamma=gamma, rows=count)
            warning = self._learn_passes(model, X, y, weight)
            self._model = model
            self._monitor = None
        self._warn_kernel_values(X)
        self._warn_poor_fit(warning)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Continue training with more rows, in the order given.

        The first call reads the parameters. Later calls, and calls after `fit`, read only `n_jobs`.
        `max_iter`, `shuffle`, `warm_start` and `verbose` apply to `fit` only. With ``gamma="scale"``, gamma
        is recomputed just before rows 2, 4, 8, ..., 1024 from the variance of all earlier rows.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            As in `fit`. The first call determines the float type of the model.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,) or float, default=None
            As in `fit`.

        Returns
        -------
        self
            The regressor.

        Raises
        ------
        ValueError
            As `fit`. The model stays unchanged. It warns as `fit`, at most once per stream.
        """
        with self._unchanged_if_rejected():
            first = not self.__sklearn_is_fitted__()
            X, y = self._validate(X, y, reset=first, y_numeric=True)
            weight = None if sample_weight is None else stream_weights(X, sample_weight)
            model = self._new_model(self._draw_seed()) if first else self._model
            model.learn(X, y, sample_weight=weight)
            if first:
                self._model = model
                self.n_iter_ = 1
            warning = self._monitor_stream(first, y, weight)
        if first:
            self._warn_kernel_values(X)
        self._warn_poor_fit(warning)
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

    @property
    def no_change_error_(self) -> float:
        """The mean squared error of predicting the target of the row learned before."""
        return self._learned("no_change_error_")

    @property
    def constant_error_(self) -> float:
        """The mean squared error of predicting the mean of the targets of the rows before."""
        return self._learned("constant_error_")
