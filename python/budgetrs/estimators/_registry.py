"""The named algorithms as estimators."""

from typing import Any

from .. import _core
from ._base import BudgetedEstimator
from ._bpa import BPAClassifier
from ._bsgd import BSGDClassifier
from ._mira import BudgetMIRA
from ._online import OnlineKernelClassifier
from ._perceptron import BudgetPerceptron

# The estimators, by a parameter that those after it do not have; the Perceptron has none.
_MEMBERS: dict[str, type[BudgetedEstimator]] = {
    "C0": OnlineKernelClassifier,
    "alpha": BSGDClassifier,
    "loss": BPAClassifier,
    "C": BudgetMIRA,
}

# That of the named algorithms, whatever their maintenance.
_MARGIN = 0.01


def make(name: str, **params: Any) -> Any:
    """Return the unfitted estimator of a named algorithm; `budgetrs.make` documents it."""
    if not isinstance(name, str):
        raise TypeError(f"name must be one of {', '.join(_core.ALGORITHMS)}, got {name!r}")
    if name not in _core.ALGORITHMS:
        raise ValueError(f"name must be one of {', '.join(_core.ALGORITHMS)}, got {name!r}")
    own = _core.parameters(name)
    for key in _core.REQUIRED.get(name, ()):
        if params.get(key) is None:
            raise ValueError(
                f'{key} must be given for {name!r}, which has none by itself: a number or "auto"'
            )
    member = next((member for parameter, member in _MEMBERS.items() if parameter in own), BudgetPerceptron)
    # What a name says: its maintenance and loss, and that it has no budget where it is unbounded.
    fixed = {key: own[key] for key in ("maintenance", "loss") if key in own}
    if own["budget"] is None:
        fixed["budget"] = None
    if member is OnlineKernelClassifier:
        fixed = {}
    if member is BudgetMIRA:
        params = {"margin": _MARGIN, **params}
    for key, value in fixed.items():
        if params.get(key, value) != value:
            raise TypeError(f"{name!r} has {key}={value!r}, got {key}={params[key]!r}; use {member.__name__}")
    return member(**{**params, **fixed})
