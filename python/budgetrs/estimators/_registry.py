"""The named algorithms as estimators."""

from typing import Any

from .. import _core
from ._bsgd import BSGDClassifier

_MEMBERS: dict[str, tuple[type[BSGDClassifier], dict[str, Any]]] = {
    "pegasos": (BSGDClassifier, {"maintenance": "none", "budget": None}),
    "bsgd-random": (BSGDClassifier, {"maintenance": "random"}),
    "bsgd-smallest": (BSGDClassifier, {"maintenance": "smallest"}),
    "bsgd-project": (BSGDClassifier, {"maintenance": "project"}),
    "bsgd-project-best": (BSGDClassifier, {"maintenance": "project-best"}),
    "bsgd-merge": (BSGDClassifier, {"maintenance": "merge"}),
}


def make(name: str, **params: Any) -> BSGDClassifier:
    """Make the unfitted estimator of a named algorithm; `budgetrs.make` documents it."""
    if name not in _MEMBERS:
        raise ValueError(f"name must be one of {', '.join(_core.ALGORITHMS)}, got {name!r}")
    member, fixed = _MEMBERS[name]
    for key, value in fixed.items():
        if params.get(key, value) != value:
            raise TypeError(f"{name!r} has {key}={value!r}, got {key}={params[key]!r}; use {member.__name__}")
    return member(**{**params, **fixed})
