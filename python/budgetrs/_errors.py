"""The exceptions for invalid input and for models without rows, and the warning of a poor fit."""

import sys
from typing import Any

from ._hints import of_keyword, of_parameter


class ParameterError(ValueError, TypeError):
    """A parameter, an array or a row is invalid.

    Like scikit-learn's `InvalidParameterError`, it is a `ValueError` and a `TypeError`, because either the
    value or its type can be wrong.

    Parameters
    ----------
    message : str
        The expected value and the given value.
    parameter : str or None, default=None
        The name of the parameter or the array, such as ``"gamma"`` or ``"X"``.
    row : int or None, default=None
        The index of the invalid row, from 0, if the error is about one row.

    See Also
    --------
    NotFittedError : The model has not learned any rows.

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


class NotFittedError(ValueError, AttributeError):
    """The model has not learned any rows, so it has no predictions and no attributes that end in ``_``.

    This class has the base classes of scikit-learn's `NotFittedError`. Where scikit-learn is imported,
    `Classifier` and `Regressor` raise scikit-learn's class instead; ``except ValueError`` catches both.

    See Also
    --------
    ParameterError : A parameter, an array or a row is invalid.

    Examples
    --------
    >>> from budgetrs import Classifier
    >>> try:
    ...     Classifier().predict([[1.0, 2.0]])
    ... except ValueError as error:
    ...     print(error)
    this model has not learned any rows: call learn(X, y) first
    """


def explained(message: str, name: str, got: str | None) -> ParameterError:
    """Return the error about a parameter, with a hint about names and values of other libraries."""
    return ParameterError(of_parameter(message, name, got), name)


def rejected(errors: list[tuple[str, str]], regression: bool) -> ParameterError:
    """Return the error about parameters that are unknown or do not apply, from messages and names."""
    kind = "Regressor" if regression else "Classifier"
    texts = [of_parameter(message, name, None, kind) for message, name in errors]
    # The list of names that apply is the same for all unknown names.
    mark = "; the parameters that apply are"
    listed = [text for text in texts if mark in text]
    texts = [
        text.partition(mark)[0] if text in listed[:-1] else text for text in texts if text not in listed[-1:]
    ]
    return ParameterError("; ".join([*texts, *listed[-1:]]), errors[0][1])


def unexpected(method: str, name: str) -> TypeError:
    """Return the error about an unexpected keyword argument of a method."""
    return TypeError(of_keyword(method, name))


def quoted(value: Any) -> str:
    """Return a value for a message: as Python shows it, but text in double quotes, as the core does."""
    text = repr(value)
    return f'"{text[1:-1]}"' if isinstance(value, str) and '"' not in text else text


def shown(value: Any) -> str:
    """Return a value for a message, or its type if the value is long."""
    text = quoted(value)
    return text if len(text) <= 60 else f"an object of type {type(value).__name__}"


def check_count(name: str, value: Any) -> None:
    """Raise if a parameter is not an integer of at least 1."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an integer >= 1, got {shown(value)}")
    if value < 1:
        raise ValueError(f"{name} must be an integer >= 1, got {value!r}")


def not_fitted(message: str) -> Exception:
    """Return the error for a model without rows: scikit-learn's, where scikit-learn is imported."""
    return getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", NotFittedError)(message)


class PoorFitWarning(UserWarning):
    """A model is not better than a constant: the most frequent class, or the mean or median of the targets.

    The estimators warn at most once per `fit`, and at most once per stream of `partial_fit`. They compare the
    predictions made just before each row is learned. Classifiers warn if the constant is wrong on at least a
    quarter of the rows and the model does not make fewer mistakes by one standard error, or if the model
    makes more by three. In regression the squared error is compared with always predicting the mean, and the
    absolute error with always predicting the median. Regressors warn if neither error of n rows
    is smaller by a share of ``0.5 / sqrt(n)``, or if one is larger by ``3 / sqrt(n)``.

    `fit` compares the second half of a single pass, or of the first pass of `OnlineKernelClassifier` and
    `OnlineKernelRegressor`, from 500 rows on; else the last pass, from 250 rows on. `partial_fit` skips the
    first 1000 rows (these two estimators: 200), and compares whenever the number of rows has doubled.

    Classifiers with sample weights or class weights never warn; regressors with sample weights do. Estimators
    with ``loss="quantile"`` or an `average` other than False never warn, except `OnlineKernelClassifier` and
    `OnlineKernelRegressor`, which compare the averaged model. `Classifier` and `Regressor` never warn: read
    `progressive_error_` or `mean_squared_error_`.

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
