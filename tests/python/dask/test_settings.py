"""Settings compared on workers: budgets, and scikit-learn's searches and cross-validation."""

import dask.array as da
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import budgetrs.dask
from budgetrs import OnlineKernelClassifier, compare_budgets
from conftest import board

CURVES = ("rows", "error", "standard_error", "n_support_vectors", "n_updates", "n_mistakes")


def assert_same(found, expected):
    assert (found.algorithm, found.budgets) == (expected.algorithm, expected.budgets)
    for name in (*CURVES, "root_mean_squared_error"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    for budget, model in expected.models.items():
        assert found.models[budget].to_bytes() == model.to_bytes()
    assert found.seconds.shape == expected.seconds.shape
    assert found.best_budget == expected.best_budget


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_budgets(dask_client, task):
    X, y = board(1500)
    weight = np.random.default_rng(0).uniform(0, 2, len(X)).round()
    more = {"budgets": [20, 5, 10], "task": task, "sample_weight": weight, "checkpoints": 400}
    found = budgetrs.dask.compare_budgets(X, y, client=dask_client, **more)
    assert_same(found, compare_budgets(X, y, **more))


def test_budgets_of_frames_and_batches(dask_client):
    X, y = board(1000)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(town=np.where(X[:, 0] > 0, "Oslo", "Rome"))
    more = {"budgets": [None, 10], "algorithm": "bsgd-merge", "gamma": 2.0}
    expected = compare_budgets(frame, y, **more)
    assert_same(budgetrs.dask.compare_budgets(frame, y, client=dask_client, **more), expected)

    def batches():
        for start in range(0, 1000, 300):
            yield frame[start : start + 300], y[start : start + 300]

    assert_same(budgetrs.dask.compare_budgets(batches(), client=dask_client, **more), expected)


def test_refusals_are_those_of_the_local_call(dask_client):
    X, y = board(100)
    wrong = X.copy()
    wrong[3, 0] = np.inf
    cases = [
        ((X, y), {"budgets": [5, 5]}),
        ((X, y), {"budgets": [5], "task": "ranking"}),
        ((X, y), {"budgets": [5], "C9": 1}),
        ((wrong, y), {"budgets": [5]}),
        ((X, y[:7]), {"budgets": [5]}),
        ((X, 0 * y), {"budgets": [5]}),
        ((X,), {"budgets": [5]}),
    ]
    for given, more in cases:
        with pytest.raises((TypeError, ValueError)) as expected:
            compare_budgets(*given, **more)
        with pytest.raises(expected.type) as found:
            budgetrs.dask.compare_budgets(*given, **more, client=dask_client)
        assert str(found.value) == str(expected.value)
    with pytest.raises(TypeError, match=r"X must fit in memory, got a dask\.array.*\.compute\(\) first"):
        budgetrs.dask.compare_budgets(da.from_array(X), y, client=dask_client)


def test_searches_of_scikit_learn(dask_client):
    X, y = board(300)
    grid = {"budget": [5, 20]}
    search = GridSearchCV(OnlineKernelClassifier(random_state=0), grid, cv=2)
    here = search.fit(X, y).cv_results_["mean_test_score"]
    scores = cross_val_score(OnlineKernelClassifier(random_state=0), X, y, cv=2)
    with dask_client.as_current(), joblib.parallel_config(backend="dask", scatter=[X, y]):
        assert np.array_equal(search.fit(X, y).cv_results_["mean_test_score"], here)
        assert np.array_equal(cross_val_score(OnlineKernelClassifier(random_state=0), X, y, cv=2), scores)
