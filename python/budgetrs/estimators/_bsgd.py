"""Budgeted stochastic gradient descent."""

import warnings
from typing import Any

from .. import _core
from .._errors import ParameterError, shown
from ._checks import suggests_names
from ._classifier import BudgetedClassifier
from ._parameters import BSGDClassifierParameters, BSGDRegressorParameters
from ._regressor import BudgetedRegressor


@suggests_names
class BSGDClassifier(BSGDClassifierParameters, BudgetedClassifier):
    """Kernel SVM trained by budgeted stochastic gradient descent (Wang, Crammer and Vucetic 2012).

    Pegasos with budget maintenance: the step size is ``1 / (alpha * t)``. With more than two classes the
    hinge loss is the multi-class loss of Crammer and Singer. Use this class to reproduce the paper, or
    with ``loss="log_loss"`` for probabilities. Use `OnlineKernelClassifier` if you do not want to tune
    `gamma` and `alpha`.

    The defaults are the algorithm ``bsgd-merge`` of `budgetrs.ALGORITHMS`.

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    maintenance : str, default="merge"
        How the model gets back to the budget: see the page "Parameters" of the documentation.
    loss : str, default="hinge"
        The loss that training minimises: see the page "Parameters" of the documentation.
    alpha : float, default=0.0001
        The regularization strength, lambda in the papers.
    kernel : str, default="rbf"
        The kernel, such as "rbf" or "rational-quadratic".
    gamma : "scale", "auto", "standardized" or float, default="scale"
        The inverse squared width of the kernel. A larger gamma fits finer structure; multiply or divide it by
        3 to tune it.
    max_iter : int, default=1
        Number of passes of `fit`.
    class_weight : dict, str or None, default=None
        "balanced" gives all classes the same total weight; a dict has a weight for each label.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows and of all other random choices.
    others : optional
        grad_tol, n_neighbors, rate, max_size, stream_length, average, project_to_ball, margin, eta0,
        max_coef, hash_features, scaling, metric_learning, linear_weight, degree, coef0, alpha_rq, shuffle,
        n_jobs, warm_start, verbose: see the page "Parameters" of the documentation.

    See Also
    --------
    OnlineKernelClassifier : Needs no tuning and no scaled features.
    BPAClassifier : Passive-aggressive steps, and label queries with the ramp loss.
    sklearn.svm.SVC : Exact, but training time grows quadratically with the rows.
    sklearn.linear_model.SGDClassifier : Linear, if a linear model is as accurate.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. With `rate`,
    replace the budget by `max_size`.

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

    def _no_probabilities(self) -> str | None:
        """Return why there is no `predict_proba`; None if there is."""
        loss: Any = self.loss
        try:
            if _core.Classifier(self._algorithm, loss=loss).has_probabilities:
                return None
        except ParameterError:
            pass  # `fit` raises the error of an invalid loss
        return f'it needs loss="log_loss", got {shown(self.loss)}; or use OnlineKernelClassifier'


@suggests_names
class BSGDRegressor(BSGDRegressorParameters, BudgetedRegressor):
    """Kernel regressor trained by budgeted stochastic gradient descent (Wang, Crammer and Vucetic 2012).

    The step size is ``1 / (alpha * t)`` on one of five losses (Le et al. 2016). Scale the targets to mean 0
    and standard deviation 1. Use this class to reproduce the papers or for quantiles
    (``loss="quantile"``). Use `OnlineKernelRegressor` if you do not want to tune `gamma` and `alpha`.

    The defaults are the algorithm ``bsgd-merge`` of `budgetrs.ALGORITHMS`, for regression and with `alpha`
    1e-3 instead of 1e-4.

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    maintenance : str, default="merge"
        How the model gets back to the budget: see the page "Parameters" of the documentation.
    loss : str, default="epsilon_insensitive"
        The loss that training minimises: see the page "Parameters" of the documentation.
    epsilon : float, default=0.1
        The largest error without loss.
    alpha : float, default=0.001
        The regularization strength, lambda in the papers.
    kernel : str, default="rbf"
        The kernel, such as "rbf" or "rational-quadratic".
    gamma : "scale", "auto", "standardized" or float, default="scale"
        The inverse squared width of the kernel. A larger gamma fits finer structure; multiply or divide it by
        3 to tune it.
    max_iter : int, default=1
        Number of passes of `fit`.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows and of all other random choices.
    others : optional
        delta, quantile, n_neighbors, rate, max_size, stream_length, average, project_to_ball, hash_features,
        scaling, metric_learning, linear_weight, degree, coef0, alpha_rq, shuffle, n_jobs, warm_start,
        verbose: see the page "Parameters" of the documentation.

    See Also
    --------
    OnlineKernelRegressor : Needs no tuning, no scaled features and no scaled targets.
    BPARegressor : Passive-aggressive steps.
    sklearn.svm.SVR : Exact, but training time grows quadratically with the rows.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. With `rate`,
    replace the budget by `max_size`.

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

    _alternatives = (
        "targets of mean 0 and standard deviation 1",
        "a larger alpha",
        "OnlineKernelRegressor, which needs no tuning",
    )

    def _new_model(self, seed: int, *, gamma: Any = None, rows: int | None = None, **more: Any) -> Any:
        if str(self.loss).replace("-", "_") == "squared_error" and not self.project_to_ball:
            warnings.warn(
                'loss="squared_error" can diverge without project_to_ball=True; use loss="huber" or '
                "project_to_ball=True",
                UserWarning,
                stacklevel=4,
            )
        return super()._new_model(seed, gamma=gamma, rows=rows, **more)
