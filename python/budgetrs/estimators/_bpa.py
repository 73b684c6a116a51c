"""Passive-aggressive learning on a budget."""

from typing import Any

import numpy as np

from ._classifier import BudgetedClassifier
from ._regressor import BudgetedRegressor


class BPAClassifier(BudgetedClassifier):
    """Passive-aggressive kernel classifier with at most `budget` support vectors.

    Each row that is predicted wrongly, or without a margin of 1, moves the model just as far as makes it
    right, in steps up to C (Crammer et al. 2006). Over budget one support vector leaves, chosen jointly with
    the step so that what is lost is least, and others take what they can of it (Wang and Vucetic 2010).

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors, 1 to 16777216; None is unbounded, for ``maintenance="none"``.
    maintenance : str, default="nn"
        Who takes what of the one that leaves: ``"simple"``, the newcomer (BPA-S); ``"nn"``, the newcomer and
        the nearest neighbours (BPA-NN); ``"joint"``, all others (BPA-P, ``O(budget ** 2)``). Or one of
        those of `BSGDClassifier`: ``"merge"``, ``"project"``, ``"project-best"``, ``"project-nn"``,
        ``"smallest"``, ``"oldest"``, ``"random"``, ``"stop"``, ``"none"``.
    n_neighbors : int or None, default=None
        How many neighbours take something with ``maintenance="nn"`` and ``"project-nn"``, 1 to 64; None is 1
        and 4.
    newcomer_may_leave : bool, default=False
        With ``maintenance="simple"``, drop the newcomer where that has the lower objective.
    loss : {"hinge", "squared_hinge", "ramp"}, default="hinge"
        The loss: PA-I, PA-II, and PA-I without steps on rows that are wrong by more than a margin of 1, which
        are taken for noise; with it `needs_label` tells which rows are worth a label.
    C : float, default=1.0
        The cap on steps; the weight of a row multiplies it. 1e-20 to 1e15.
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
        Rows whose label could change the model when they were learned; with another loss than "ramp" all.
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
    >>> from budgetrs import BPAClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> clf = BPAClassifier(budget=20, gamma=2.0, random_state=0).fit(X, y)
    >>> clf.n_support_vectors_
    20
    >>> bool(clf.score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: str = "nn",
        n_neighbors: int | None = None,
        newcomer_may_leave: bool = False,
        loss: str = "hinge",
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
        self.newcomer_may_leave = newcomer_may_leave
        self.loss = loss
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
        return "pa", {"loss": self.loss, "C": self.C, **_maintenance(self)}

    def needs_label(self, X: Any) -> np.ndarray:
        """Tell which rows are worth a label: of the others no label could change the model.

        With ``loss="ramp"`` alone: rows of which the prediction is not sure, ``|f| <= 1``, or for many
        classes a gap of at most 1 between the two best scores. A model that learns these rows alone is the
        same, once gamma is fixed: a number, or "scale" after row 1024.

        Parameters
        ----------
        X : {array-like, CSR matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            True where a label could change the model.
        """
        return self._scores(X, "needs_label")


class BPARegressor(BudgetedRegressor):
    """Passive-aggressive kernel regressor with at most `budget` support vectors.

    Each row that is predicted wrongly by more than `epsilon` moves the model just as far as makes it right,
    in steps up to C (Crammer et al. 2006). Over budget one support vector leaves, as in `BPAClassifier`.

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors, 1 to 16777216; None is unbounded, for ``maintenance="none"``.
    maintenance : str, default="nn"
        As in `BPAClassifier`.
    n_neighbors : int or None, default=None
        How many neighbours take something with ``maintenance="nn"`` and ``"project-nn"``, 1 to 64; None is 1
        and 4.
    newcomer_may_leave : bool, default=False
        With ``maintenance="simple"``, drop the newcomer where that has the lower objective.
    loss : {"epsilon_insensitive"}, default="epsilon_insensitive"
        The loss, ``max(0, |y - f| - epsilon)``.
    epsilon : float, default=0.1
        Half the width of the tube without loss, in the units of y, 0 to 1e15.
    C : float, default=1.0
        The cap on steps, in the units of y; the weight of a row multiplies it. 1e-20 to 1e15.
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
    n_jobs : int, default=None
        Threads of prediction; the result does not depend on it. None is one, -1 all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows and of random removal.

    Attributes
    ----------
    support_vectors_ : ndarray of shape (n_support_vectors_, n_features_in_)
        The support vectors, in insertion order.
    dual_coef_ : ndarray of shape (1, n_support_vectors_)
        Their coefficients.
    n_support_vectors_ : int
        Their number.
    n_seen_, n_updates_ : int
        Rows learned, rows that changed the model.
    mean_absolute_error_, mean_squared_error_ : float
        Of the predictions made just before each row was learned.
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
    >>> import numpy as np
    >>> from budgetrs import BPARegressor
    >>> X = np.linspace(0, 6, 600)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> reg = BPARegressor(budget=20, gamma=1.0, epsilon=0.01, max_iter=5, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: str = "nn",
        n_neighbors: int | None = None,
        newcomer_may_leave: bool = False,
        loss: str = "epsilon_insensitive",
        epsilon: float = 0.1,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        max_iter: int = 1,
        shuffle: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.budget = budget
        self.maintenance = maintenance
        self.n_neighbors = n_neighbors
        self.newcomer_may_leave = newcomer_may_leave
        self.loss = loss
        self.epsilon = epsilon
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rule(self) -> tuple[str, dict[str, Any]]:
        return "pa", {"loss": self.loss, "epsilon": self.epsilon, "C": self.C, **_maintenance(self)}


def _maintenance(estimator: BPAClassifier | BPARegressor) -> dict[str, Any]:
    """Give the maintenance, and of its parameters those that it has."""
    chosen: dict[str, Any] = {"maintenance": estimator.maintenance}
    if estimator.maintenance in ("nn", "project-nn"):
        chosen["n_neighbors"] = estimator.n_neighbors
    if estimator.maintenance == "simple":
        chosen["newcomer_may_leave"] = estimator.newcomer_may_leave
    return chosen
