"""MIRA on a budget."""

from typing import Any

from .._parameters import BudgetMIRAParameters
from ._base import described
from ._classifier import BudgetedClassifier


@described(
    margin='Here None is 1, but 0.01 with ``maintenance="margin"`` and ``"distill"``. With 0 the model stays '
    "empty.",
)
class BudgetMIRA(BudgetMIRAParameters, BudgetedClassifier):
    """Kernel MIRA with at most `budget` support vectors.

    The margin-infused relaxed algorithm: a row whose class does not score `margin` above all others
    becomes a support vector; its coefficients are the smallest change that achieves this, at most C (Crammer
    and Singer 2003). By default the smallest support vector is merged (Wang, Crammer and Vucetic 2010).
    ``maintenance="margin"`` and ``"distill"`` are the caches of Crammer, Kandola and Singer (2003), which
    keep the rows that are hardest: where labels are noisy these are the wrong ones.

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
        Equal to `n_seen_`: every label could change the model.
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
    >>> from budgetrs import BudgetMIRA
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> clf = BudgetMIRA(budget=50, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.9)
    True
    """

    def _given(self) -> tuple[str, dict[str, Any]]:
        """Return the native algorithm and its parameters."""
        algorithm, given = super()._given()
        if given["margin"] is None and self.maintenance not in ("margin", "distill"):
            given["margin"] = 1.0
        return algorithm, given
