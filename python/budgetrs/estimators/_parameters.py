"""The parameters of the estimators, written by scripts/parameters.py from the core's table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from .._parameters import AlgorithmName, KernelName, LossName, MaintenanceName


@dataclass(eq=False, repr=False, kw_only=True)
class Published:
    """The parameters of several estimators."""

    _by_maintenance: ClassVar[dict[str, str]] = {}

    budget: int | None = field(default=500, kw_only=False)
    n_neighbors: int | None = None
    stream_length: int | None = None
    average: Literal["polynomial", "random"] | bool | float = False
    hash_features: int | None = None
    scaling: Literal["none", "online"] = "none"
    metric_learning: Literal["none", "diagonal", "full", "auto"] = "none"
    linear_weight: float | None = None
    kernel: KernelName = "rbf"
    gamma: Literal["scale", "auto", "standardized"] | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    alpha_rq: float = 1.0
    max_iter: int = 1
    shuffle: bool = True
    n_jobs: int | None = None
    random_state: Any = None
    warm_start: bool = False
    verbose: int = 0


@dataclass(eq=False, repr=False, kw_only=True)
class BSGDClassifierParameters(Published):
    """The parameters of `BSGDClassifier`."""

    _algorithm: ClassVar[AlgorithmName] = "pegasos"
    _by_maintenance: ClassVar[dict[str, str]] = {"bogd": "bogd"}

    maintenance: MaintenanceName = "merge"
    loss: LossName = "hinge"
    grad_tol: float = 0.001
    rate: Literal["auto"] | float | None = None
    max_size: int | None = None
    alpha: float = 0.0001
    project_to_ball: bool = False
    margin: float | None = None
    eta0: float = 0.2
    max_coef: float = 10.0
    class_weight: dict[Any, float] | str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class BSGDRegressorParameters(Published):
    """The parameters of `BSGDRegressor`."""

    _algorithm: ClassVar[AlgorithmName] = "pegasos"

    maintenance: MaintenanceName = "merge"
    loss: LossName = "epsilon_insensitive"
    epsilon: float = 0.1
    delta: float = 1.0
    quantile: float = 0.5
    rate: Literal["auto"] | float | None = None
    max_size: int | None = None
    alpha: float = 0.001
    project_to_ball: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class BPAClassifierParameters(Published):
    """The parameters of `BPAClassifier`."""

    _algorithm: ClassVar[AlgorithmName] = "pa"

    maintenance: MaintenanceName = "nn"
    loss: LossName = "hinge"
    may_discard_new: bool = False
    C: float = 1.0
    margin: float | None = None
    class_weight: dict[Any, float] | str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class BPARegressorParameters(Published):
    """The parameters of `BPARegressor`."""

    _algorithm: ClassVar[AlgorithmName] = "pa"

    maintenance: MaintenanceName = "nn"
    loss: LossName = "epsilon_insensitive"
    epsilon: float = 0.1
    may_discard_new: bool = False
    C: float = 1.0


@dataclass(eq=False, repr=False, kw_only=True)
class BudgetMIRAParameters(Published):
    """The parameters of `BudgetMIRA`."""

    _algorithm: ClassVar[AlgorithmName] = "mira"

    maintenance: MaintenanceName = "merge"
    C: float = 1.0
    margin: float | None = None
    class_weight: dict[Any, float] | str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class BudgetPerceptronParameters(Published):
    """The parameters of `BudgetPerceptron`."""

    _algorithm: ClassVar[AlgorithmName] = "perceptron"

    maintenance: MaintenanceName = "projectron"
    margin: float | None = None
    eta: float = 0.3
    class_weight: dict[Any, float] | str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class OnlineKernel:
    """The parameters of several estimators."""

    _by_maintenance: ClassVar[dict[str, str]] = {}

    budget: int = field(default=500, kw_only=False)
    average: Literal["polynomial"] | bool | float = "polynomial"
    forget: Literal["auto"] | int | None = "auto"
    hash_features: int | None = None
    missing: Literal["error", "mean"] = "mean"
    missing_values: float | Sequence[float] | None = None
    max_iter: Literal["auto"] | int = "auto"
    shuffle: bool = True
    n_jobs: int | None = None
    random_state: Any = None
    warm_start: bool = False
    verbose: int = 0


@dataclass(eq=False, repr=False, kw_only=True)
class OnlineKernelClassifierParameters(OnlineKernel):
    """The parameters of `OnlineKernelClassifier`."""

    _algorithm: ClassVar[AlgorithmName] = "online-kernel"

    C0: float = 60.0
    class_weight: dict[Any, float] | str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class OnlineKernelRegressorParameters(OnlineKernel):
    """The parameters of `OnlineKernelRegressor`."""

    _algorithm: ClassVar[AlgorithmName] = "online-kernel"

    C0: float = 10.0
