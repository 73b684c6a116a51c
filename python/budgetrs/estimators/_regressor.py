"""The base of the regressors."""

from typing import Any, Self

from .. import _core
from .._call_errors import unqualified
from ._base import BudgetedEstimator
from ._baseline import Constants
from ._checks import stream_weights
from ._sklearn import RegressorMixin


@unqualified
class BudgetedRegressor(RegressorMixin, BudgetedEstimator):
    """Base class of the regressors; a subclass adds its parameters."""

    _native = _core.Regressor
    _baseline = Constants
    _has_numeric_y = True
    _alternatives = (
        "targets of mean 0 and standard deviation 1",
        "OnlineKernelRegressor, which needs no tuning",
    )

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Continue training with more rows, in the order given.

        The first call reads the parameters. Later calls, and calls after `fit`, read only `n_jobs`, and warn
        if another parameter was set. `max_iter`, `shuffle`, `warm_start` and `verbose` apply to `fit` only.
        With ``gamma="scale"``, gamma is recomputed just before rows 2, 4, 8, ..., 1024 from the variance of
        all earlier rows.

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
            X, y = self._validate(X, y, reset=first)
            weight = None if sample_weight is None else stream_weights(X, sample_weight)
            model = self._new_model(self._draw_seed()) if first else self._model
            warning = self._learn_batch(model, X, y, weight, first=first)
        if first:
            self._warn_kernel_values(X)
        self._warn_poor_fit(warning)
        self._warn_ignored(continues=not first)
        return self

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
