"""Passive-aggressive learning on a budget."""

from typing import Any

import numpy as np

from .._parameters import BPAClassifierParameters, BPARegressorParameters
from ._classifier import BudgetedClassifier
from ._described import described
from ._regressor import BudgetedRegressor

_NEAR = {
    "n_neighbors": "The number of support vectors that the removed one is projected onto: with "
    '``maintenance="nn"`` the nearest ones in addition to the newest, with ``"project-nn"`` the ones most '
    "correlated with the removed one. More of them lose less of the model and take longer. None is 1 with "
    '"nn", 4 with "project-nn".',
}


@described(
    diagnosed={
        "n_queries_": "number of rows whose label could change the model when they were learned; equal to "
        '``n_samples_seen_`` unless the loss is "ramp".'
    },
    texts=_NEAR,
    loss='``"ramp"`` enables `needs_label`.',
    C='With ``loss="squared_hinge"`` steps can be longer.',
)
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
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    OnlineKernelClassifier : Needs no tuning and no scaled features.
    BSGDClassifier : Stochastic gradient descent, with more losses.
    sklearn.linear_model.SGDClassifier : Linear, if a linear model is as accurate.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory.
    ``maintenance="joint"`` costs O(budget^2) in addition.

    {diagnostics}

    References
    ----------
    Wang and Vucetic, "Online passive-aggressive algorithms on a budget", AISTATS 2010.

    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, "Online passive-aggressive algorithms", JMLR 7, 2006.

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


@described(
    texts=_NEAR,
    C="C has the units of y.",
)
class BPARegressor(BPARegressorParameters, BudgetedRegressor):
    """Passive-aggressive kernel regressor with a budget (Crammer et al. 2006; Wang and Vucetic 2010).

    On a row with an error above `epsilon`, the model takes the smallest step that reduces the error to
    `epsilon`, but no step longer than C. Scale the targets, or set C to their range. Use
    `OnlineKernelRegressor` if you do not want to tune `gamma`, `C` and `epsilon`.

    The defaults are the algorithm ``bpa-nn`` of `budgetrs.ALGORITHMS`, for regression.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    OnlineKernelRegressor : Needs no tuning, no scaled features and no scaled targets.
    BSGDRegressor : Stochastic gradient descent, with more losses.
    sklearn.svm.SVR : Exact, but training time grows quadratically with the rows.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory.
    ``maintenance="joint"`` costs O(budget^2) in addition.

    {diagnostics}

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, "Online passive-aggressive algorithms", JMLR 7, 2006.

    Wang and Vucetic, "Online passive-aggressive algorithms on a budget", AISTATS 2010.

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
