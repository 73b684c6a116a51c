"""The exception for parameters and data that cannot be used."""

from typing import Any


class ParameterError(ValueError, TypeError):
    """A parameter, or a row of the data, is not legal.

    As scikit-learn's it is both a `ValueError` and a `TypeError`: the value is another than the one expected,
    or its type is.

    Parameters
    ----------
    message : str
        What was expected and what came.
    parameter : str or None, default=None
        The name of the parameter or the array, such as ``"gamma"`` or ``"X"``.
    row : int or None, default=None
        The row, counted from 0, where it was one row.

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
        return type(self), (str(self), self.parameter, self.row)
