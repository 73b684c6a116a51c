"""Which estimator has the parameters of an algorithm."""

from collections.abc import Container

# The classifier and the regressor, by a parameter that those after them do not have; the Perceptron has none.
_MEMBERS = {
    "C0": ("OnlineKernelClassifier", "OnlineKernelRegressor"),
    "alpha": ("BSGDClassifier", "BSGDRegressor"),
    "loss": ("BPAClassifier", "BPARegressor"),
    "C": ("BudgetMIRA", None),
}


def member_of(parameters: Container[str], *, regression: bool = False) -> str:
    """Return the name of the estimator for an algorithm with these parameters."""
    names = (names[regression] for parameter, names in _MEMBERS.items() if parameter in parameters)
    return next(names, None) or "BudgetPerceptron"
