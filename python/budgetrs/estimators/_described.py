"""The docstrings of the estimators."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from .. import _core
from .._documents import attributes, documented
from ._base import BudgetedEstimator

_Class = TypeVar("_Class", bound=type[BudgetedEstimator])


def described(*, fitted: Mapping[str, str] | None = None, **more: str) -> Callable[[_Class], _Class]:
    """Document the parameters of an estimator, with a sentence more for some of them; see `documented`.

    `fitted` has texts of its own for some of its attributes.
    """

    def assemble(cls: _Class) -> _Class:
        regression = cls._native is _core.Regressor
        legal = _core._choices(cls._algorithm, regression)
        for maintenance, other in cls._by_maintenance.items():
            text = _core._choices(other, regression)["maintenance"][maintenance]
            legal["maintenance"][maintenance] = text

        def applies(choice: str, value: str) -> set[str]:
            by_maintenance = cls._by_maintenance if choice == "maintenance" else {}
            return set(_core.applicable(by_maintenance.get(value, cls._algorithm), **{choice: value}))

        _take_known_names(cls)
        gamma = "In `fit` the variance is that of all of X."
        found = attributes(regression=regression, own=fitted or {})
        return documented(legal=legal, applies=applies, found=found, **{"gamma": gamma, **more})(cls)

    return assemble


def _take_known_names(cls: Any) -> None:
    """Let the constructor say of an unknown parameter which one is near, as the native classes do."""
    init: Callable[..., None] = cls.__init__
    names = cls._get_param_names()

    @wraps(init)
    def checked(self: BudgetedEstimator, *args: Any, **params: Any) -> None:
        _core._refuse_unknown(list(params), names)
        init(self, *args, **params)

    # Python's own errors name it.
    checked.__qualname__ = init.__qualname__ = f"{cls.__name__}.__init__"
    cls.__init__ = checked
