"""MIRA on a budget."""

from typing import Any

from ._classifier import BudgetedClassifier


class BudgetMIRA(BudgetedClassifier):
    """Kernel MIRA with at most `budget` support vectors.

    The margin-infused relaxed algorithm: a row that does not beat every rival class by `margin` becomes a
    support vector with the coefficients of the smallest change that makes it do so, in steps up to C (Crammer
    and Singer 2003). With ``maintenance="margin"`` and ``"distill"`` it keeps the caches of Crammer, Kandola
    and Singer (2003).

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors, 1 to 16777216; None is unbounded, for ``maintenance="none"``,
        and ``"distill"``.
    maintenance : str, default="margin"
        What happens when there are too many: the one that is surest of its own label without itself makes
        room (``"margin"``); after every insertion all old ones go that have at least `margin` without
        themselves, over budget the surest too (``"distill"``); remove a ``"random"`` one, the ``"oldest"`` or
        the ``"smallest"``; ``"merge"`` two (rbf only), ``"project"`` the smallest on the others,
        ``"project-best"`` the one that costs least, ``"project-nn"`` the smallest on its nearest; ``"stop"``
        learning, or ``"none"``.
    n_neighbors : int or None, default=None
        With ``maintenance="project-nn"`` how many it is projected on, 1 to 64; None is 4.
    margin : float, default=0.01
        The margin that is asked for, 0 to 1e6: the paper's beta. With 0 the model stays empty.
    C : float, default=1.0
        The cap on steps, 1e-20 to 1e15; the weight of a row multiplies it.
    kernel : {"rbf", "laplacian", "poly", "linear", "cosine"}, default="rbf"
        The kernel.
    gamma : float or {"scale", "auto"}, default="scale"
        The kernel's gamma, 1e-30 to 1e30; "scale" is ``1 / (n_features * X.var())``, "auto"
        ``1 / n_features``.
    degree : int, default=3
        Degree of the polynomial kernel, 1 to 100.
    coef0 : float, default=0.0
        Constant term of the polynomial kernel, at least 0.
    max_iter : int, default=1
        Passes over the data in `fit`.
    shuffle : bool, default=True
        Whether `fit` takes the rows in a new random order in each pass.
    class_weight : dict or "balanced", default=None
        Weights of the classes, multiplied with those of the rows; "balanced" in `fit` only.
    n_jobs : int, default=None
        Threads of prediction; the result does not depend on it. None is one, -1 all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows and of random removal.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    support_vectors_ : ndarray of shape (n_support_vectors_, n_features_in_)
        The support vectors, in insertion order.
    dual_coef_ : ndarray of shape (1, n_support_vectors_) or (n_classes, n_support_vectors_)
        Their coefficients.
    n_support_vectors_ : int
        Their number.
    n_seen_, n_updates_, n_mistakes_ : int
        Rows learned, rows that changed the model, rows predicted wrongly just before they were learned.
    n_queries_ : int
        Rows whose label could change the model when they were learned: all.
    n_maintenances_ : int
        How often the budget was restored.
    mean_weight_degradation_ : float
        Mean over budget maintenances of the weight vector's change.
    gamma_ : float
        The gamma in use.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has string column names.
    n_iter_ : int
        Passes of the last `fit`; 1 after `partial_fit` alone.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from budgetrs import BudgetMIRA
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> clf = BudgetMIRA(budget=50, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: str = "margin",
        n_neighbors: int | None = None,
        margin: float = 0.01,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        max_iter: int = 1,
        shuffle: bool = True,
        class_weight: dict | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.budget = budget
        self.maintenance = maintenance
        self.n_neighbors = n_neighbors
        self.margin = margin
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rule(self) -> tuple[str, dict[str, Any]]:
        own = {"n_neighbors": self.n_neighbors} if self.maintenance == "project-nn" else {}
        return "mira", {"maintenance": self.maintenance, "margin": self.margin, "C": self.C, **own}
