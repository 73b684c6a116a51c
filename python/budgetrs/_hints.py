"""What to call instead of a method of the other interface."""

from collections.abc import Mapping
from typing import Any, NoReturn


class Hint:
    # Without a docstring, so that documentation does not list it.
    # A descriptor, unlike `__getattr__`, leaves other attributes as fast as they are.

    def __init__(self, advice: str) -> None:
        self._advice = advice

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        kind = "Regressor" if owner.__name__.endswith("Regressor") else "Classifier"
        raise AttributeError(f"{owner.__name__} has no {self._name}: {self._advice.format(kind=kind)}")


_ESTIMATOR = "or use OnlineKernel{kind} for scikit-learn's interface"

NATIVE: Mapping[str, str] = {
    "partial_fit": f"call learn(X, y), {_ESTIMATOR}",
    "score": f"compare predict(X) with y, {_ESTIMATOR}",
    "transform": f"call predict(X), {_ESTIMATOR}",
}
"""Methods that native models do not have."""

ESTIMATOR: Mapping[str, str] = {
    "learn": "call fit(X, y) or partial_fit(X, y), or use budgetrs.{kind} for streams",
    "learn_one": "call partial_fit(X, y), or use budgetrs.{kind} for streams",
    "predict_one": "call predict([x])[0], or use budgetrs.{kind} for streams",
    "transform": "call predict(X)",
}
"""Methods that estimators do not have."""


def add_hints(cls: Any, advice: Mapping[str, str]) -> None:
    """Have missing methods of a class raise an AttributeError that says what to call."""
    for name, text in advice.items():
        hint = Hint(text)
        hint.__set_name__(cls, name)
        setattr(cls, name, hint)
