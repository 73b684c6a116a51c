"""scikit-learn's own checks of every estimator."""

import pytest
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    parametrize_with_checks,
)

from budgetrs import (
    BPAClassifier,
    BPARegressor,
    BSGDClassifier,
    BSGDRegressor,
    BudgetMIRA,
    BudgetPerceptron,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
)
from conftest import ALL
from kinds import KINDS

NOT_EQUIVALENT = (
    "a row of weight 2 is not two rows: the second of them meets a model that has learned the first "
    "(SGDClassifier fails this check for the same reason)"
)
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": NOT_EQUIVALENT,
    "check_sample_weight_equivalence_on_sparse_data": NOT_EQUIVALENT,
}


# One of each class that the others derive from.
FEW = [OnlineKernelClassifier(), OnlineKernelRegressor(), BPARegressor()]
NIGHTLY = [
    BSGDClassifier(),
    BSGDClassifier(loss="log_loss"),
    BSGDClassifier(maintenance="project-nn", budget=10, rate=20.0, max_size=100, average=True),
    BSGDRegressor(),
    BSGDRegressor(average="random"),
    BPAClassifier(),
    BudgetMIRA(),
    BudgetPerceptron(),
]


@parametrize_with_checks(
    [*FEW, *(NIGHTLY if ALL else [])],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("default")
def test_scikit_learn_checks(estimator, check):
    # One check needs an environment variable that SciPy reads when it is imported, and says so by skipping.
    check(estimator)


@pytest.mark.parametrize("kind", KINDS)
def test_scikit_learn_checks_names_of_columns(kind):
    # It is not among the checks of others' estimators.
    check_dataframe_column_names_consistency(kind.__name__, kind())
