"""Raw rows, scaled by the model as it learns."""

import numpy as np
import pytest

from budgetrs import (
    BPAClassifier,
    BSGDClassifier,
    BudgetMIRA,
    BudgetPerceptron,
    Classifier,
    Regressor,
)
from conftest import board

UNITS = np.array([1e6, 1e-4])
OFFSET = np.array([-3e6, 70.0])


def raw_board(rows, seed=0):
    X, y = board(rows, seed, dtype=np.float64)
    return X * UNITS + OFFSET, X, y


def accuracy(X, y, X_test, y_test, **params):
    model = Classifier("bsgd-merge", budget=50, gamma=4.0, **params).learn(X, y)
    return (model.predict(X_test) == y_test).mean()


# The gamma of scaled rows is too large for raw ones.
@pytest.mark.filterwarnings("ignore:Classifier. of .* kernel values")
def test_raw_rows_are_learned_as_well_as_scaled_ones():
    raw, X, y = raw_board(5000)
    raw_test, X_test, y_test = raw_board(1000, seed=1)
    scaled = accuracy(X / X.std(axis=0), y, X_test / X.std(axis=0), y_test)
    assert scaled > 0.95
    assert accuracy(raw, y, raw_test, y_test) < 0.7
    assert accuracy(raw, y, raw_test, y_test, scaling="online") > scaled - 0.01


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("forget", ["auto", None, 500])
def test_three_broken_values_cost_a_few_rows(dtype, forget):
    X, y = board(6000, 0, dtype=dtype)
    broken = X.copy()
    broken[[1000, 1001, 1002], 0] = [1e30, -1e30, 1e30]
    X_test, y_test = board(1000, 1, dtype=dtype)
    one, other = (
        Classifier("online-kernel", budget=50, forget=forget).learn(rows, y) for rows in (X, broken)
    )
    assert (other.predict(X_test) == y_test).mean() > (one.predict(X_test) == y_test).mean() - 0.02


def test_a_broken_target_costs_a_few_rows():
    X, _ = board(4000, 0, dtype=np.float64)
    y = X[:, 0] + np.sin(X[:, 1])
    broken = y.copy()
    broken[1000] = 1e12
    model = Regressor("online-kernel", budget=50).learn(X, broken)
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.95


@pytest.mark.parametrize("kind", [BSGDClassifier, BPAClassifier, BudgetMIRA, BudgetPerceptron])
def test_the_default_gamma_of_a_fit_is_that_of_scaled_rows(kind):
    raw, X, y = raw_board(2000)
    one, other = (kind(budget=50, scaling="online", random_state=0).fit(rows, y) for rows in (raw, X))
    assert one.gamma_ == pytest.approx(other.gamma_)
    assert one.score(raw, y) == pytest.approx(other.score(X, y), abs=0.01)
