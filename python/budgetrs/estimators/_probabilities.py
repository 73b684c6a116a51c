"""Methods that an estimator has with some parameters only, and an error that says why where it has not."""

from collections.abc import Callable
from types import MethodType
from typing import Any


class ProbabilityMethod:
    """A method of the estimators that have probabilities; of others it is an AttributeError with the reason.

    The reason is what the estimator's ``_no_probabilities`` returns: a text, or None where it has them.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self.__doc__ = method.__doc__
        self._method = method

    def __get__(self, instance: Any, owner: type | None = None) -> Callable[..., Any]:
        if instance is None:
            return self._method
        reason = instance._no_probabilities()
        if reason is not None:
            name = type(instance).__name__
            raise AttributeError(
                f"this {name} has no {self._method.__name__}: {reason}",
                name=self._method.__name__,
                obj=instance,
            )
        return MethodType(self._method, instance)
