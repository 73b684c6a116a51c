"""Methods that an estimator has for some parameters only; otherwise the error gives the reason."""

from collections.abc import Callable
from types import MethodType
from typing import Any


class ProbabilityMethod:
    """A method of estimators with probabilities; for others, access raises an AttributeError with the reason.

    The estimator's ``_no_probabilities`` returns the reason, or None if it has probabilities.
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
