"""MIRA on a budget."""

from collections.abc import Mapping
from typing import Any

from .._core import MARGIN_STRATEGIES
from ._checks import suggests_names
from ._classifier import BudgetedClassifier
from ._parameters import BudgetMIRAParameters

NATIVE_MARGIN = 0.01
"""The value of None in the native models and the named algorithms, for every maintenance strategy."""


@suggests_names
class BudgetMIRA(BudgetMIRAParameters, BudgetedClassifier):
    """Kernel MIRA, the margin-infused relaxed algorithm, with a budget (Crammer and Singer 2003).

    A row whose class does not score `margin` above all other classes becomes a support vector. Its
    coefficients are the smallest change that achieves the margin, but no coefficient exceeds C. By default
    the smallest support vector is merged (Wang, Crammer and Vucetic 2012): the one with the smallest ``|c|^2
    k(x, x)``, where c are the coefficients of the support vector x. ``maintenance="margin"`` and
    ``"distill"`` are the strategies of Crammer, Kandola and Singer (2003), who call the set of support
    vectors a cache. Both keep the rows that are hardest to predict: do not use them with label noise. Use
    `OnlineKernelClassifier` if you do not want to tune `gamma`.

    The defaults are the algorithm ``mira-merge`` of `budgetrs.ALGORITHMS`, with `margin` 1 instead of 0.01.
    ``budget-mira`` is ``BudgetMIRA(maintenance="margin")``.

    Parameters
    ----------
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    maintenance : str, default="merge"
        How the model gets back to the budget: see the page "Parameters" of the documentation.
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
        n_neighbors, stream_length, average, margin, hash_features, scaling, metric_learning, linear_weight,
        degree, coef0, alpha_rq, shuffle, n_jobs, warm_start, verbose: see the page "Parameters" of the
        documentation.

    See Also
    --------
    OnlineKernelClassifier : MIRA steps with metric learning; needs no tuning.
    BudgetPerceptron : Steps of constant length.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from budgetrs import BudgetMIRA
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> clf = BudgetMIRA(budget=50, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.9)
    True
    """

    @classmethod
    def _parameters_in(cls, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a native model that this class has."""
        own = super()._parameters_in(params)
        return {**own, "margin": NATIVE_MARGIN if own["margin"] is None else own["margin"]}

    def _native_params(self) -> tuple[str, dict[str, Any]]:
        """Return the native algorithm and its parameters."""
        algorithm, params = super()._native_params()
        if params["margin"] is None and self.maintenance not in MARGIN_STRATEGIES:
            params["margin"] = 1.0
        return algorithm, params
