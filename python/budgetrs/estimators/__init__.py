"""The estimators: scikit-learn's conventions over the native learners."""

try:
    import sklearn as _sklearn
except ModuleNotFoundError as _error:
    if _error.name != "sklearn":
        raise
    raise ImportError(
        "the estimators of budgetrs need scikit-learn: pip install 'budgetrs[sklearn]' "
        "(budgetrs.Classifier works without)"
    ) from _error

_needed = (1, 6)
_found = tuple(int(part) for part in _sklearn.__version__.split(".")[:2])
if _found < _needed:
    raise ImportError(
        f"the estimators of budgetrs need scikit-learn >= 1.6, found {_sklearn.__version__}: "
        "pip install --upgrade 'budgetrs[sklearn]'"
    )

from ._bpa import BPAClassifier, BPARegressor  # noqa: E402  the version must be checked first
from ._bsgd import BSGDClassifier, BSGDRegressor  # noqa: E402
from ._mira import BudgetMIRA  # noqa: E402
from ._online import OnlineKernelClassifier, OnlineKernelRegressor  # noqa: E402
from ._perceptron import BudgetPerceptron  # noqa: E402
from ._registry import make_estimator  # noqa: E402

__all__ = [
    "BPAClassifier",
    "BPARegressor",
    "BSGDClassifier",
    "BSGDRegressor",
    "BudgetMIRA",
    "BudgetPerceptron",
    "OnlineKernelClassifier",
    "OnlineKernelRegressor",
    "make_estimator",
]
