"""Passive-aggressive learning on a budget."""

from typing import Any

import numpy as np

from .._parameters import BPAClassifierParameters, BPARegressorParameters
from ._base import described
from ._classifier import BudgetedClassifier
from ._regressor import BudgetedRegressor


@described(
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
        Rows whose label could change the model when they were learned; equal to `n_seen_` unless the loss is
        "ramp".
    n_maintenances_ : int
        How often the budget was restored.
    mean_weight_degradation_ : float
        Mean norm of the change of the weight vector per budget maintenance.
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

    def needs_label(self, X: Any) -> np.ndarray:
        """Return which rows are worth a label: no label of the others could change the model.

        With ``loss="ramp"`` alone: rows with an uncertain prediction, ``|f| <= 1``, or for many
        classes a gap of at most 1 between the two best scores. A model that learns these rows alone is the
        same, once gamma is fixed (a number, or "scale" after row 1024), without ``scale="online"``.

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
        Mean norm of the change of the weight vector per budget maintenance.
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
