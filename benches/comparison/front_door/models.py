"""Our model, made in one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from budgetrs import Classifier, Regressor
from budgetrs._core import parameters


def can_forget(algorithm: str) -> bool:
    """Whether an algorithm follows streams that drift."""
    return "forget" in parameters(algorithm)


def ours(
    task: str,
    budget: int,
    n_features: int,
    classes: np.ndarray | None,
    *,
    algorithm: str,
    seed: int,
    width: float | None = None,
) -> Any:
    """A new model that takes raw rows; `width` is the starting gamma, in parts of 8 / n_features.

    The tasks are "classification", "regression" and "static", which is classification without forgetting. An
    algorithm that by default learns rows as they come is given the running scaling.
    """
    defaults = parameters(algorithm)
    chosen: dict[str, Any] = {"budget": budget, "seed": seed}
    if defaults.get("scaling") == "none":
        chosen["scaling"] = "online"
    if task == "static" and can_forget(algorithm):
        chosen["forget"] = None
    if width is not None:
        chosen["gamma"] = width * 8 / n_features
    if task == "regression":
        return Regressor(algorithm, **chosen)
    return Classifier(algorithm, classes=classes, **chosen)
