"""The types of the parameters, written by scripts/parameters.py from the core's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

AlgorithmName = Literal[
    "perceptron",
    "stoptron",
    "rbp",
    "forgetron",
    "projectron",
    "projectron++",
    "budget-perceptron",
    "budget-perceptron-distill",
    "mira",
    "budget-mira",
    "budget-mira-distill",
    "mira-merge",
    "bogd",
    "pegasos",
    "bsgd-random",
    "bsgd-smallest",
    "bsgd-project",
    "bsgd-project-best",
    "bsgd-project-nn",
    "nbsgd",
    "nbsgd-project",
    "bsgd-merge",
    "online-kernel",
    "pa",
    "pa-ramp",
    "pa-random",
    "bpa-s",
    "bpa-nn",
    "bpa-p",
    "bpa-s-ramp",
    "bpa-nn-ramp",
    "bpa-p-ramp",
    "pa-merge",
    "pa-ramp-merge",
]
MaintenanceName = Literal[
    "none",
    "stop",
    "random",
    "oldest",
    "smallest",
    "project",
    "project-best",
    "project-nn",
    "merge",
    "merge-newest",
    "simple",
    "nn",
    "joint",
    "margin",
    "distill",
    "forgetron",
    "projectron",
    "projectron++",
    "bogd",
]
LossName = Literal[
    "hinge",
    "squared_hinge",
    "ramp",
    "log_loss",
    "modified_huber",
    "epsilon_insensitive",
    "squared_error",
    "absolute_error",
    "huber",
    "quantile",
]
KernelName = Literal[
    "rbf", "laplacian", "poly", "linear", "sigmoid", "cosine", "matern32", "matern52", "rational-quadratic"
]


class Parameters(TypedDict, total=False):
    """The parameters of both native classes."""

    budget: int | None
    maintenance: MaintenanceName
    loss: LossName
    n_neighbors: int | None
    may_discard_new: bool
    rate: Literal["auto"] | float | None
    max_size: int | None
    stream_length: int | None
    average: Literal["polynomial", "random"] | bool | float
    alpha: float
    project_to_ball: bool
    C: float
    C0: float
    C_decay: bool
    forget: Literal["auto"] | int | None
    hash_features: int | None
    scaling: Literal["none", "online"]
    missing: Literal["error", "mean"]
    missing_values: float | Sequence[float] | None
    metric_learning: Literal["none", "diagonal", "full", "auto"]
    linear_weight: float | None
    kernel: KernelName
    gamma: Literal["scale", "auto", "standardized"] | float
    degree: int
    coef0: float
    alpha_rq: float
    seed: int


class ClassifierParameters(Parameters, total=False):
    """The parameters of `Classifier`."""

    grad_tol: float
    noise_margin: float | None
    margin: float | None
    eta: float
    eta0: float
    max_coef: float
    class_weight: Literal["balanced"] | dict[Any, float] | None


class RegressorParameters(Parameters, total=False):
    """The parameters of `Regressor`."""

    epsilon: float
    delta: float
    quantile: float
