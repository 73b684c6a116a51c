"""The named algorithms as estimators."""

from typing import Any

from .. import _core
from .._errors import ParameterError, shown
from ._base import BudgetedEstimator
from ._bpa import BPAClassifier
from ._bsgd import BSGDClassifier
from ._mira import NATIVE_MARGIN, BudgetMIRA
from ._names import estimator_name
from ._online import OnlineKernelClassifier
from ._perceptron import BudgetPerceptron

_MEMBERS: dict[str, type[BudgetedEstimator]] = {
    member.__name__: member
    for member in (OnlineKernelClassifier, BSGDClassifier, BPAClassifier, BudgetMIRA, BudgetPerceptron)
}


def make_estimator(name: str, **params: Any) -> Any:
    """Return the unfitted estimator of a named algorithm; `budgetrs.make_estimator` documents it."""
    if not isinstance(name, str):
        raise TypeError(f"name must be a name in budgetrs.ALGORITHMS, got {shown(name)}")
    # The names have no "_": a user may write either.
    name = name.replace("_", "-")
    try:
        own = _core.parameters(name)
    except ParameterError as error:
        raise ParameterError(str(error).replace("algorithm", "name", 1), "name") from None
    for key in _core.REQUIRED.get(name, ()):
        if params.get(key) is None:
            raise ValueError(
                f'{key} must be a number or "auto" for {shown(name)}, which has no default {key}, got None'
            )
    member = _MEMBERS[estimator_name(own)]
    _core._reject_unknown(list(params), member._get_param_names(), False)
    # The parameters that the name implies: maintenance, loss, and no budget for an unbounded algorithm.
    fixed = {key: own[key] for key in ("maintenance", "loss") if key in own}
    if own["budget"] is None:
        fixed["budget"] = None
    if member is OnlineKernelClassifier:
        fixed = {}
    if member is BudgetMIRA:
        params = {"margin": NATIVE_MARGIN, **params}
    for key, value in fixed.items():
        if str(params.get(key, value)).replace("_", "-") != str(value).replace("_", "-"):
            raise TypeError(
                f"{key} must be {shown(value)} for {shown(name)}, got {shown(params[key])}; use "
                f"{member.__name__}({key}=...)"
            )
    return member(**{**params, **fixed})
