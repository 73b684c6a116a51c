"""MIRA on a budget."""

from collections.abc import Mapping
from typing import Any

from .._core import MARGIN_STRATEGIES
from .._parameters import BudgetMIRAParameters
from ._classifier import BudgetedClassifier
from ._described import described

NATIVE_MARGIN = 0.01
"""The value of None in the native models and the named algorithms, for every maintenance strategy."""


@described(
    texts={
        "margin": "The margin required of a row: a step raises a smaller margin to it (beta in Crammer, "
        'Kandola and Singer 2003). With ``maintenance="distill"``, support vectors whose leave-one-out '
        "margin is at least `margin` are removed. A larger margin means more updates; with 0 the model never "
        'learns. In this class None is 1, except 0.01 with ``maintenance="margin"`` and ``"distill"``.',
    },
)
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
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    OnlineKernelClassifier : MIRA steps with metric learning; needs no tuning.
    BudgetPerceptron : Steps of constant length.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory.

    {diagnostics}

    References
    ----------
    Crammer and Singer, "Ultraconservative online algorithms for multiclass problems", JMLR 3, 2003.

    Crammer, Kandola and Singer, "Online classification on a budget", NeurIPS 2003.

    Wang, Crammer and Vucetic, "Breaking the curse of kernelization: Budgeted stochastic gradient descent for
    large-scale SVM training", JMLR 13, 2012.

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
