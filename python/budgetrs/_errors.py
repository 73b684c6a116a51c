"""The exception for parameters and data that cannot be used, and the warning of a model that is of no use."""

from typing import Any


class ParameterError(ValueError, TypeError):
    """A parameter, or a row of the data, is not legal.

    Like scikit-learn's `InvalidParameterError` it is both a `ValueError` and a `TypeError`, because either
    the value or its type can be wrong.

    Parameters
    ----------
    message : str
        What was expected and what was given.
    parameter : str or None, default=None
        The name of the parameter or the array, such as ``"gamma"`` or ``"X"``.
    row : int or None, default=None
        The index of the offending row, from 0, if the error is about one row.

    Examples
    --------
    >>> from budgetrs import Classifier, ParameterError
    >>> try:
    ...     Classifier(gamma=-1.0)
    ... except ParameterError as error:
    ...     error.parameter
    'gamma'
    """

    parameter: str | None
    row: int | None

    def __init__(self, message: str, parameter: str | None = None, row: int | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter
        self.row = row

    def __reduce__(self) -> tuple[Any, ...]:
        # Notes are among the attributes.
        return type(self), (str(self), self.parameter, self.row), self.__dict__


class PoorFitWarning(UserWarning):
    """A model predicts worse than always the most frequent class, or always the mean.

    The estimators give it once per `fit`, and once per stream of `partial_fit`. They compare the predictions
    made just before rows are learned. `fit` compares its last pass if that has at least 1000 rows; with a
    single pass it compares the second half, so it needs at least 2000 rows. A stream is compared after
    2000 rows and whenever it has doubled since, on the rows since the last comparison; its first 1000
    rows never count. The model must be worse by three standard errors, in regression both by squared and
    by absolute errors. Nothing is compared with weights of rows or classes, nor where other predictions
    are meant: with an `average` (except of `OnlineKernelClassifier` and `OnlineKernelRegressor`, whose errors
    are those of the model that predicts), and with ``loss="quantile"``.
    `Classifier` and `Regressor` never warn: their `n_mistakes_` and `mean_squared_error_` tell the same.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from budgetrs import BPARegressor, PoorFitWarning
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> y = 1e6 + 1e5 * X[:, 0]  # the largest step of this model, C, is 1
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = BPARegressor(random_state=0).fit(X, y)
    >>> caught[0].category is PoorFitWarning
    True
    """
