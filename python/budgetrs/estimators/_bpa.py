"""Passive-aggressive learning on a budget."""

from typing import Any

import numpy as np

from ._checks import suggests_names
from ._classifier import BudgetedClassifier
from ._parameters import BPAClassifierParameters, BPARegressorParameters
from ._regressor import BudgetedRegressor


@suggests_names
class BPAClassifier(BPAClassifierParameters, BudgetedClassifier):
    """Passive-aggressive kernel classifier with a budget (Wang and Vucetic 2010).

    On a row with a margin below 1, the model takes the smallest step that gives the row a margin of 1, but no
    step longer than C (Crammer et al. 2006). When the model is full, the maintenance strategies ``"simple"``,
    ``"nn"`` and ``"joint"`` choose the support vector to remove together with the step, so that the model
    changes least. Use this class to reproduce the paper, or with ``loss="ramp"`` for active learning. Use
    `OnlineKernelClassifier` if you do not want to tune `gamma`.

    The defaults are the algorithm ``bpa-nn`` of `budgetrs.ALGORITHMS`.

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    maintenance : str, default="nn"
        How the model gets back to the budget: see the page "Parameters" of the documentation.
    loss : str, default="hinge"
        The loss that training minimises: see the page "Parameters" of the documentation.
    C : float, default=1.0
        The largest step of an update.
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
        n_neighbors, may_discard_new, stream_length, average, margin, hash_features, scaling, metric_learning,
        linear_weight, degree, coef0, alpha_rq, shuffle, n_jobs, warm_start, verbose: see the page
        "Parameters" of the documentation.

    See Also
    --------
    OnlineKernelClassifier : Needs no tuning and no scaled features.
    BSGDClassifier : Stochastic gradient descent, with more losses.
    sklearn.linear_model.SGDClassifier : Linear, if a linear model is as accurate.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory.
    ``maintenance="joint"`` costs O(budget^2) in addition.

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

    def needs_label(self, X: Any) -> np.ndarray:
        """Return True for rows whose label could change the model (active learning).

        Ask for the labels of these rows and learn only them. Only with ``loss="ramp"``: rows with ``|f| <=
        1``, or with more than two classes a gap of at most 1 between the two largest scores. Without
        ``scaling="online"``, a model that learns only these rows is bit-identical to a model that learns all
        rows, once gamma is fixed (a number, or after row 1024).

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            True where a label could change the model.

        Raises
        ------
        ValueError
            With any other loss, or if `average` is not False.
        """
        return self._scores(X, "needs_label")


@suggests_names
class BPARegressor(BPARegressorParameters, BudgetedRegressor):
    """Passive-aggressive kernel regressor with a budget (Crammer et al. 2006; Wang and Vucetic 2010).

    On a row with an error above `epsilon`, the model takes the smallest step that reduces the error to
    `epsilon`, but no step longer than C. Scale the targets, or set C to their range. Use
    `OnlineKernelRegressor` if you do not want to tune `gamma`, `C` and `epsilon`.

    The defaults are the algorithm ``bpa-nn`` of `budgetrs.ALGORITHMS`, for regression.

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    maintenance : str, default="nn"
        How the model gets back to the budget: see the page "Parameters" of the documentation.
    loss : str, default="epsilon_insensitive"
        The loss that training minimises: see the page "Parameters" of the documentation.
    epsilon : float, default=0.1
        The largest error without loss.
    C : float, default=1.0
        The largest step of an update.
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
        n_neighbors, may_discard_new, stream_length, average, hash_features, scaling, metric_learning,
        linear_weight, degree, coef0, alpha_rq, shuffle, n_jobs, warm_start, verbose: see the page
        "Parameters" of the documentation.

    See Also
    --------
    OnlineKernelRegressor : Needs no tuning, no scaled features and no scaled targets.
    BSGDRegressor : Stochastic gradient descent, with more losses.
    sklearn.svm.SVR : Exact, but training time grows quadratically with the rows.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory.
    ``maintenance="joint"`` costs O(budget^2) in addition.

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
