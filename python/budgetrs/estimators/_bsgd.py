"""Budgeted stochastic gradient descent."""

import warnings
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from ._classifier import BudgetedClassifier
from ._regressor import BudgetedRegressor

# What gradient descent with a constant step does not have.
_NOT_WITH_BOGD = {
    "loss": "hinge",
    "ball": False,
    "rate": None,
    "max_size": None,
    "average": False,
}


def _descent(estimator: Any) -> dict[str, Any]:
    """Give the parameters that classes and numbers share."""
    names = ["maintenance", "rate", "max_size", "stream_length", "average", "loss", "alpha", "ball"]
    if estimator.maintenance == "project-nn":
        names.append("n_neighbors")
    return {name: getattr(estimator, name) for name in names}


class BSGDClassifier(BudgetedClassifier):
    """Kernel SVM by stochastic gradient descent with at most `budget` support vectors.

    Pegasos with budget maintenance (Wang, Crammer and Vucetic 2012): step size ``1 / (alpha * t)`` and the
    hinge loss, for more than two classes that of Crammer and Singer. Time and memory per row do not grow with
    the stream (with a `rate`: beyond `max_size`).

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors, 1 to 16777216 (with a `rate` the number from which on they are
        maintained); None is unbounded, for ``maintenance="none"`` and ``"distill"``.
    maintenance : str, default="merge"
        What happens when there are too many: ``"merge"`` two of them (rbf only), ``"project"`` the smallest
        on the others, ``"project-best"`` the one that costs least, ``"project-nn"`` the smallest on its
        nearest, remove the ``"smallest"``, the ``"oldest"`` or a ``"random"`` one, ``"margin"`` and
        ``"distill"`` those that are surest (see `BudgetPerceptron`), ``"stop"`` learning, or ``"none"``.
        ``"bogd"`` is online gradient descent with a constant step: a random one is removed and the others
        grow (Zhao et al. 2012).
    n_neighbors : int or None, default=None
        With ``maintenance="project-nn"`` how many it is projected on, 1 to 64; None is 4.
    rate : float, "auto" or None, default=None
        Let the model grow (NBSGD, Le et al. 2016): over budget, maintenance runs after the t-th row with the
        probability ``min(rate / t, 1)``. "auto" is 0.6 times the number of rows of `fit`, or of
        `stream_length`; None is always. For maintenance by merging, projection or removal.
    max_size : int or None, default=None
        With `rate`, the most support vectors there may ever be, at least `budget`; None is without bound.
    stream_length : int or None, default=None
        How many rows there will be, for ``rate="auto"`` and `average`, 1 to 2^53; None is all rows of `fit`,
        times `max_iter`, and unknown in `partial_fit`.
    average : bool, float or "random", default=False
        What predicts: False is the last model, a fraction (0.001 to 1.0) the mean of that last share of all
        models, True half of them, "random" one of the last half. Where the number of rows is unknown, or
        another, it is a larger share. The mean has the support vectors of the last model, so that the budget
        holds: of one that is projected or merged the others take what they can, one that is removed is lost
        to it. So the mean goes with projection. A merged vector lies where it suits the last model, and over
        many merges the mean drifts, so that its scores may be worth less than its classes; with plain removal
        little is left of it. Progressive counts and errors are those of the last model.
    loss : {"hinge", "log_loss"}, default="hinge"
        The loss; with ``"log_loss"`` there is `predict_proba`.
    grad_tol : float, default=1e-3
        With ``loss="log_loss"`` the length under which derivatives count as zero, 0 to 1: larger is fewer
        updates.
    alpha : float, default=1e-4
        Regularisation, the papers' lambda: 1e-20 to 1e20.
    ball : bool, default=False
        Project the weight vector on the ball of radius ``1 / sqrt(alpha)`` after each update; not with
        ``maintenance="bogd"``.
    eta0 : float, default=0.2
        The step with ``maintenance="bogd"``, 1e-10 to 1000; ``eta0 * alpha`` is 0.99 at most.
    clip : float, default=10.0
        The largest coefficient with ``maintenance="bogd"``, in steps, 1 to 1e6.
    kernel : {"rbf", "laplacian", "poly", "linear", "sigmoid", "cosine"}, default="rbf"
        The kernel.
    gamma : float or {"scale", "auto"}, default="scale"
        The kernel's gamma, 1e-30 to 1e30; "scale" is ``1 / (n_features * X.var())``, "auto" is
        ``1 / n_features``.
    degree : int, default=3
        Degree of the polynomial kernel, 1 to 100.
    coef0 : float, default=0.0
        Constant term of the polynomial and the sigmoid kernel, at least 0.
    max_iter : int, default=1
        Passes over the data in `fit`.
    shuffle : bool, default=True
        Whether `fit` takes the rows in a new random order in each pass.
    class_weight : dict or "balanced", default=None
        Weights of the classes, multiplied with those of the rows, the products 0 to 1e9; "balanced" in `fit`
        only.
    n_jobs : int, default=None
        Threads of prediction; the result does not depend on it. None is one, -1 all processors. It takes
        effect at once, also when it is set after `fit`.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows, of random removal, of a `rate` and of ``average="random"``.

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
        Mean over budget maintenances of the weight vector's change, divided by the step size.
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
    >>> from budgetrs import BSGDClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> clf = BSGDClassifier(budget=10, gamma=2.0, random_state=0).fit(X, y)
    >>> clf.n_support_vectors_
    10
    >>> bool(clf.score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: str = "merge",
        n_neighbors: int | None = None,
        rate: float | str | None = None,
        max_size: int | None = None,
        stream_length: int | None = None,
        average: bool | float | str = False,
        loss: str = "hinge",
        grad_tol: float = 1e-3,
        alpha: float = 1e-4,
        ball: bool = False,
        eta0: float = 0.2,
        clip: float = 10.0,
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
        self.rate = rate
        self.max_size = max_size
        self.stream_length = stream_length
        self.average = average
        self.loss = loss
        self.grad_tol = grad_tol
        self.alpha = alpha
        self.ball = ball
        self.eta0 = eta0
        self.clip = clip
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
        if self.maintenance != "bogd":
            own = {"grad_tol": self.grad_tol} if self.loss == "log_loss" else {}
            return "pegasos", {**_descent(self), **own}
        for name, only in _NOT_WITH_BOGD.items():
            value = getattr(self, name)
            if not (value is only or (isinstance(value, str | bool | np.bool_) and value == only)):
                raise ValueError(f'with maintenance="bogd" {name} must be {only!r}, got {value!r}')
        own = {"eta0": self.eta0, "clip": self.clip}
        return "bogd", {"maintenance": self.maintenance, "alpha": self.alpha, **own}

    @available_if(lambda self: self.loss == "log_loss")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the probability of each class, with ``loss="log_loss"``.

        Parameters
        ----------
        X : {array-like, CSR matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`: ``1 / (1 + exp(-f))`` of the second of two classes, the
            softmax of the scores of many.
        """
        return self._scores(X, "predict_proba")


class BSGDRegressor(BudgetedRegressor):
    """Kernel regression by stochastic gradient descent with at most `budget` support vectors.

    Step size ``1 / (alpha * t)`` on any of five losses, with budget maintenance (Wang, Crammer and Vucetic
    2012; Le et al. 2016). Targets of about unit size, and a mean of zero, suit it best.

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors, 1 to 16777216 (with a `rate` the number from which on they are
        maintained); None is unbounded, for ``maintenance="none"``.
    maintenance : str, default="merge"
        As in `BSGDClassifier`, without those that ask how sure the model is of a class.
    n_neighbors : int or None, default=None
        With ``maintenance="project-nn"`` how many it is projected on, 1 to 64; None is 4.
    rate : float, "auto" or None, default=None
        Let the model grow (NBSGD, Le et al. 2016): over budget, maintenance runs after the t-th row with the
        probability ``min(rate / t, 1)``. "auto" is 0.6 times the number of rows of `fit`, or of
        `stream_length`; None is always. For maintenance by merging, projection or removal.
    max_size : int or None, default=None
        With `rate`, the most support vectors there may ever be, at least `budget`; None is without bound.
    stream_length : int or None, default=None
        How many rows there will be, for ``rate="auto"`` and `average`, 1 to 2^53; None is all rows of `fit`,
        times `max_iter`, and unknown in `partial_fit`.
    average : bool, float or "random", default=False
        What predicts: False is the last model, a fraction (0.001 to 1.0) the mean of that last share of all
        models, True half of them, "random" one of the last half. Where the number of rows is unknown, or
        another, it is a larger share. The mean has the support vectors of the last model, so that the budget
        holds: of one that is projected or merged the others take what they can, one that is removed is lost
        to it. So the mean goes with projection. A merged vector lies where it suits the last model, and over
        many merges the mean drifts, so that its scores may be worth less than its classes; with plain removal
        little is left of it. Progressive counts and errors are those of the last model.
    loss : str, default="epsilon_insensitive"
        ``"epsilon_insensitive"``, ``max(0, |y - f| - epsilon)``; ``"absolute_error"``, ``|y - f|``;
        ``"huber"``, squared up to `delta`, then linear; ``"quantile"``, of which the least mean is at the
        `quantile` of y; ``"squared_error"``, half the square, which can diverge without `ball`: its steps are
        cut where single precision could not hold them (from 1e12 on, less for long rows).
    epsilon : float, default=0.1
        Half the width of the tube without loss, in the units of y, 0 to 1e15.
    delta : float, default=1.0
        The residual from which ``"huber"`` is linear, in the units of y, 1e-15 to 1e15.
    quantile : float, default=0.5
        What ``"quantile"`` predicts, between 0 and 1.
    alpha : float, default=1e-4
        Regularisation, the papers' lambda: 1e-20 to 1e20. The first step has the length ``1 / alpha``: with
        few rows a larger one, 1e-2 for a thousand, forgets it in time.
    ball : bool, default=False
        With ``"squared_error"``, project the weight vector on the ball of radius ``max |y| / sqrt(alpha)``
        after each update; `alpha` is at most 1 then.
    kernel : {"rbf", "laplacian", "poly", "linear", "sigmoid", "cosine"}, default="rbf"
        The kernel.
    gamma : float or {"scale", "auto"}, default="scale"
        The kernel's gamma, 1e-30 to 1e30; "scale" is ``1 / (n_features * X.var())``, "auto"
        ``1 / n_features``.
    degree : int, default=3
        Degree of the polynomial kernel, 1 to 100.
    coef0 : float, default=0.0
        Constant term of the polynomial and the sigmoid kernel, at least 0.
    max_iter : int, default=1
        Passes over the data in `fit`.
    shuffle : bool, default=True
        Whether `fit` takes the rows in a new random order in each pass.
    n_jobs : int, default=None
        Threads of prediction; the result does not depend on it. None is one, -1 all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows, of random removal, of a `rate` and of ``average="random"``.

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
        Mean over budget maintenances of the weight vector's change, divided by the step size.
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
    >>> from budgetrs import BSGDRegressor
    >>> X = np.linspace(0, 6, 600)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> reg = BSGDRegressor(budget=20, gamma=1.0, alpha=1e-3, max_iter=20, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        budget: int | None = 500,
        *,
        maintenance: str = "merge",
        n_neighbors: int | None = None,
        rate: float | str | None = None,
        max_size: int | None = None,
        stream_length: int | None = None,
        average: bool | float | str = False,
        loss: str = "epsilon_insensitive",
        epsilon: float = 0.1,
        delta: float = 1.0,
        quantile: float = 0.5,
        alpha: float = 1e-4,
        ball: bool = False,
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
        self.rate = rate
        self.max_size = max_size
        self.stream_length = stream_length
        self.average = average
        self.loss = loss
        self.epsilon = epsilon
        self.delta = delta
        self.quantile = quantile
        self.alpha = alpha
        self.ball = ball
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rule(self) -> tuple[str, dict[str, Any]]:
        own = _descent(self)
        of_loss = {"epsilon_insensitive": "epsilon", "huber": "delta", "quantile": "quantile"}
        if isinstance(self.loss, str) and self.loss in of_loss:
            name = of_loss[self.loss]
            own[name] = getattr(self, name)
        if self.loss == "squared_error" and not self.ball:
            warnings.warn(
                'loss="squared_error" can diverge without ball=True; "huber" cannot',
                UserWarning,
                stacklevel=4,
            )
        return "pegasos", own
