"""The parameters as signatures, written by scripts/parameters.py from the core's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypedDict

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


class ClassifierParameters(TypedDict, total=False):
    """The parameters of `budgetrs.Classifier` in addition to its signature."""

    budget: int | None
    maintenance: MaintenanceName
    loss: LossName
    grad_tol: float
    n_neighbors: int | None
    may_discard_new: bool
    rate: float | Literal["auto"] | None
    max_size: int | None
    stream_length: int | None
    average: bool | float | Literal["polynomial"] | Literal["random"]
    alpha: float
    project_to_ball: bool
    C: float
    C0: float
    C_decay: bool
    noise_margin: float | None
    forget: Literal["auto"] | int | None
    margin: float | None
    eta: float
    eta0: float
    max_coef: float
    class_weight: Literal["balanced"] | dict[Any, float] | None
    hash_features: int | None
    scaling: Literal["none"] | Literal["online"]
    missing: Literal["error"] | Literal["mean"]
    missing_values: float | Sequence[float] | None
    metric_learning: Literal["none"] | Literal["diagonal"] | Literal["full"] | Literal["auto"]
    linear_weight: float | None
    kernel: KernelName
    gamma: Literal["scale"] | Literal["auto"] | Literal["standardized"] | float
    degree: int
    coef0: float
    alpha_rq: float
    seed: int


class RegressorParameters(TypedDict, total=False):
    """The parameters of `budgetrs.Regressor` in addition to its signature."""

    budget: int | None
    maintenance: MaintenanceName
    loss: LossName
    epsilon: float
    delta: float
    quantile: float
    n_neighbors: int | None
    may_discard_new: bool
    rate: float | Literal["auto"] | None
    max_size: int | None
    stream_length: int | None
    average: bool | float | Literal["polynomial"] | Literal["random"]
    alpha: float
    project_to_ball: bool
    C: float
    C0: float
    C_decay: bool
    forget: Literal["auto"] | int | None
    hash_features: int | None
    scaling: Literal["none"] | Literal["online"]
    missing: Literal["error"] | Literal["mean"]
    missing_values: float | Sequence[float] | None
    metric_learning: Literal["none"] | Literal["diagonal"] | Literal["full"] | Literal["auto"]
    linear_weight: float | None
    kernel: KernelName
    gamma: Literal["scale"] | Literal["auto"] | Literal["standardized"] | float
    degree: int
    coef0: float
    alpha_rq: float
    seed: int


class BSGDClassifierParameters:
    """The parameters of `BSGDClassifier`."""

    _algorithm: ClassVar[str] = "pegasos"
    _by_maintenance: ClassVar[dict[str, str]] = {"bogd": "bogd"}

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: MaintenanceName = "merge",
        loss: LossName = "hinge",
        grad_tol: float = 0.001,
        n_neighbors: int | None = None,
        rate: float | Literal["auto"] | None = None,
        max_size: int | None = None,
        stream_length: int | None = None,
        average: bool | float | Literal["polynomial"] | Literal["random"] = False,
        alpha: float = 0.0001,
        project_to_ball: bool = False,
        margin: float | None = None,
        eta0: float = 0.2,
        max_coef: float = 10.0,
        hash_features: int | None = None,
        scaling: Literal["none"] | Literal["online"] = "none",
        metric_learning: Literal["none"] | Literal["diagonal"] | Literal["full"] | Literal["auto"] = "none",
        linear_weight: float | None = None,
        kernel: KernelName = "rbf",
        gamma: Literal["scale"] | Literal["auto"] | Literal["standardized"] | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        alpha_rq: float = 1.0,
        max_iter: int = 1,
        shuffle: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.budget = budget
        self.maintenance = maintenance
        self.loss = loss
        self.grad_tol = grad_tol
        self.n_neighbors = n_neighbors
        self.rate = rate
        self.max_size = max_size
        self.stream_length = stream_length
        self.average = average
        self.alpha = alpha
        self.project_to_ball = project_to_ball
        self.margin = margin
        self.eta0 = eta0
        self.max_coef = max_coef
        self.hash_features = hash_features
        self.scaling = scaling
        self.metric_learning = metric_learning
        self.linear_weight = linear_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha_rq = alpha_rq
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class BSGDRegressorParameters:
    """The parameters of `BSGDRegressor`."""

    _algorithm: ClassVar[str] = "pegasos"
    _by_maintenance: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: MaintenanceName = "merge",
        loss: LossName = "epsilon_insensitive",
        epsilon: float = 0.1,
        delta: float = 1.0,
        quantile: float = 0.5,
        n_neighbors: int | None = None,
        rate: float | Literal["auto"] | None = None,
        max_size: int | None = None,
        stream_length: int | None = None,
        average: bool | float | Literal["polynomial"] | Literal["random"] = False,
        alpha: float = 0.001,
        project_to_ball: bool = False,
        hash_features: int | None = None,
        scaling: Literal["none"] | Literal["online"] = "none",
        metric_learning: Literal["none"] | Literal["diagonal"] | Literal["full"] | Literal["auto"] = "none",
        linear_weight: float | None = None,
        kernel: KernelName = "rbf",
        gamma: Literal["scale"] | Literal["auto"] | Literal["standardized"] | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        alpha_rq: float = 1.0,
        max_iter: int = 1,
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.budget = budget
        self.maintenance = maintenance
        self.loss = loss
        self.epsilon = epsilon
        self.delta = delta
        self.quantile = quantile
        self.n_neighbors = n_neighbors
        self.rate = rate
        self.max_size = max_size
        self.stream_length = stream_length
        self.average = average
        self.alpha = alpha
        self.project_to_ball = project_to_ball
        self.hash_features = hash_features
        self.scaling = scaling
        self.metric_learning = metric_learning
        self.linear_weight = linear_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha_rq = alpha_rq
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class BPAClassifierParameters:
    """The parameters of `BPAClassifier`."""

    _algorithm: ClassVar[str] = "pa"
    _by_maintenance: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: MaintenanceName = "nn",
        loss: LossName = "hinge",
        n_neighbors: int | None = None,
        may_discard_new: bool = False,
        stream_length: int | None = None,
        average: bool | float | Literal["polynomial"] | Literal["random"] = False,
        C: float = 1.0,
        margin: float | None = None,
        hash_features: int | None = None,
        scaling: Literal["none"] | Literal["online"] = "none",
        metric_learning: Literal["none"] | Literal["diagonal"] | Literal["full"] | Literal["auto"] = "none",
        linear_weight: float | None = None,
        kernel: KernelName = "rbf",
        gamma: Literal["scale"] | Literal["auto"] | Literal["standardized"] | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        alpha_rq: float = 1.0,
        max_iter: int = 1,
        shuffle: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.budget = budget
        self.maintenance = maintenance
        self.loss = loss
        self.n_neighbors = n_neighbors
        self.may_discard_new = may_discard_new
        self.stream_length = stream_length
        self.average = average
        self.C = C
        self.margin = margin
        self.hash_features = hash_features
        self.scaling = scaling
        self.metric_learning = metric_learning
        self.linear_weight = linear_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha_rq = alpha_rq
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class BPARegressorParameters:
    """The parameters of `BPARegressor`."""

    _algorithm: ClassVar[str] = "pa"
    _by_maintenance: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: MaintenanceName = "nn",
        loss: LossName = "epsilon_insensitive",
        epsilon: float = 0.1,
        n_neighbors: int | None = None,
        may_discard_new: bool = False,
        stream_length: int | None = None,
        average: bool | float | Literal["polynomial"] | Literal["random"] = False,
        C: float = 1.0,
        hash_features: int | None = None,
        scaling: Literal["none"] | Literal["online"] = "none",
        metric_learning: Literal["none"] | Literal["diagonal"] | Literal["full"] | Literal["auto"] = "none",
        linear_weight: float | None = None,
        kernel: KernelName = "rbf",
        gamma: Literal["scale"] | Literal["auto"] | Literal["standardized"] | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        alpha_rq: float = 1.0,
        max_iter: int = 1,
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.budget = budget
        self.maintenance = maintenance
        self.loss = loss
        self.epsilon = epsilon
        self.n_neighbors = n_neighbors
        self.may_discard_new = may_discard_new
        self.stream_length = stream_length
        self.average = average
        self.C = C
        self.hash_features = hash_features
        self.scaling = scaling
        self.metric_learning = metric_learning
        self.linear_weight = linear_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha_rq = alpha_rq
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class BudgetMIRAParameters:
    """The parameters of `BudgetMIRA`."""

    _algorithm: ClassVar[str] = "mira"
    _by_maintenance: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: MaintenanceName = "merge",
        n_neighbors: int | None = None,
        stream_length: int | None = None,
        average: bool | float | Literal["polynomial"] | Literal["random"] = False,
        C: float = 1.0,
        margin: float | None = None,
        hash_features: int | None = None,
        scaling: Literal["none"] | Literal["online"] = "none",
        metric_learning: Literal["none"] | Literal["diagonal"] | Literal["full"] | Literal["auto"] = "none",
        linear_weight: float | None = None,
        kernel: KernelName = "rbf",
        gamma: Literal["scale"] | Literal["auto"] | Literal["standardized"] | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        alpha_rq: float = 1.0,
        max_iter: int = 1,
        shuffle: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.budget = budget
        self.maintenance = maintenance
        self.n_neighbors = n_neighbors
        self.stream_length = stream_length
        self.average = average
        self.C = C
        self.margin = margin
        self.hash_features = hash_features
        self.scaling = scaling
        self.metric_learning = metric_learning
        self.linear_weight = linear_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha_rq = alpha_rq
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class BudgetPerceptronParameters:
    """The parameters of `BudgetPerceptron`."""

    _algorithm: ClassVar[str] = "perceptron"
    _by_maintenance: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: MaintenanceName = "projectron",
        n_neighbors: int | None = None,
        stream_length: int | None = None,
        average: bool | float | Literal["polynomial"] | Literal["random"] = False,
        margin: float | None = None,
        eta: float = 0.3,
        hash_features: int | None = None,
        scaling: Literal["none"] | Literal["online"] = "none",
        metric_learning: Literal["none"] | Literal["diagonal"] | Literal["full"] | Literal["auto"] = "none",
        linear_weight: float | None = None,
        kernel: KernelName = "rbf",
        gamma: Literal["scale"] | Literal["auto"] | Literal["standardized"] | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        alpha_rq: float = 1.0,
        max_iter: int = 1,
        shuffle: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.budget = budget
        self.maintenance = maintenance
        self.n_neighbors = n_neighbors
        self.stream_length = stream_length
        self.average = average
        self.margin = margin
        self.eta = eta
        self.hash_features = hash_features
        self.scaling = scaling
        self.metric_learning = metric_learning
        self.linear_weight = linear_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha_rq = alpha_rq
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class OnlineKernelClassifierParameters:
    """The parameters of `OnlineKernelClassifier`."""

    _algorithm: ClassVar[str] = "online-kernel"
    _by_maintenance: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        budget: int = 500,
        *,
        average: Literal["polynomial"] | bool | float = "polynomial",
        C0: float = 60.0,
        forget: Literal["auto"] | int | None = "auto",
        hash_features: int | None = None,
        missing: Literal["error"] | Literal["mean"] = "mean",
        missing_values: float | Sequence[float] | None = None,
        max_iter: Literal["auto"] | int = "auto",
        shuffle: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.budget = budget
        self.average = average
        self.C0 = C0
        self.forget = forget
        self.hash_features = hash_features
        self.missing = missing
        self.missing_values = missing_values
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class OnlineKernelRegressorParameters:
    """The parameters of `OnlineKernelRegressor`."""

    _algorithm: ClassVar[str] = "online-kernel"
    _by_maintenance: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        budget: int = 500,
        *,
        average: Literal["polynomial"] | bool | float = "polynomial",
        C0: float = 10.0,
        forget: Literal["auto"] | int | None = "auto",
        hash_features: int | None = None,
        missing: Literal["error"] | Literal["mean"] = "mean",
        missing_values: float | Sequence[float] | None = None,
        max_iter: Literal["auto"] | int = "auto",
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.budget = budget
        self.average = average
        self.C0 = C0
        self.forget = forget
        self.hash_features = hash_features
        self.missing = missing
        self.missing_values = missing_values
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
