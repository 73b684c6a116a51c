"""Passive-aggressive learning on a budget."""

from typing import Any

import numpy as np

from .._parameters import BPAClassifierParameters, BPARegressorParameters
from ._classifier import BudgetedClassifier
from ._described import described
from ._regressor import BudgetedRegressor


@described(
    fitted={
        "n_queries_": "Rows whose label could change the model when they were learned; equal to "
        '`n_samples_seen_` unless the loss is "ramp".'
    },
    loss='With ``"ramp"`` `needs_label` returns which rows are worth a label.',
)
class BPAClassifier(BPAClassifierParameters, BudgetedClassifier):
    """Passive-aggressive kernel classifier with at most `budget` support vectors.

    On a row with a margin below 1, the model takes the smallest step that gives it a margin of 1, at most C
    (Crammer et al. 2006; with the default loss). Over budget, with `maintenance` ``"simple"``, ``"nn"`` or
    ``"joint"``, one support vector is removed, chosen together with the step so that the model changes least,
    and projected onto others (Wang and Vucetic 2010).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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
        """Return which rows are worth a label: no label of the others could change the model.

        With ``loss="ramp"`` alone: rows with an uncertain prediction, ``|f| <= 1``, or for many
        classes a gap of at most 1 between the two best scores. A model that learns these rows alone is the
        same, once gamma is fixed (a number, or after row 1024), without ``scaling="online"``. With an
        `average`, which counts every row, it raises a ValueError.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            True where a label could change the model.
        """
        return self._scores(X, "needs_label")


@described(
    C="It is in the units of y.",
)
class BPARegressor(BPARegressorParameters, BudgetedRegressor):
    """Passive-aggressive kernel regressor with at most `budget` support vectors.

    On a row with an error above `epsilon`, the model takes the smallest step that makes the error `epsilon`,
    at most C (Crammer et al. 2006). The budget is restored as in `BPAClassifier`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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
