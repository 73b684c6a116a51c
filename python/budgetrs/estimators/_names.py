"""The name of the estimator for the parameters of an algorithm."""

from collections.abc import Container

# Classifier and regressor by a parameter that the estimators further down do not have.
_BY_PARAMETER = {
    "C0": ("OnlineKernelClassifier", "OnlineKernelRegressor"),
    "alpha": ("BSGDClassifier", "BSGDRegressor"),
    "loss": ("BPAClassifier", "BPARegressor"),
    "C": ("BudgetMIRA", None),
}


def estimator_name(parameters: Container[str], *, regression: bool = False) -> str:
    """Return the name of the estimator for an algorithm with these parameters."""
    names = (names[regression] for parameter, names in _BY_PARAMETER.items() if parameter in parameters)
    return next(names, None) or "BudgetPerceptron"
