"""Settings compared on workers give the results of one process."""

import joblib
import numpy as np
from sklearn.model_selection import GridSearchCV

from budgetrs import OnlineKernelClassifier, compare_budgets
from conftest import board


def test_budgets(dask_client):
    X, y = board(1500)
    expected = compare_budgets(X, y, [20, 5])
    tasks = [dask_client.submit(compare_budgets, X, y, [budget]) for budget in (20, 5)]
    for at, found in enumerate(dask_client.gather(tasks)):
        assert np.array_equal(found.error[0], expected.error[at])
        (budget,) = found.budgets
        assert found.models[budget].to_bytes() == expected.models[budget].to_bytes()


def test_searches_of_scikit_learn(dask_client):
    X, y = board(300)
    search = GridSearchCV(OnlineKernelClassifier(random_state=0), {"budget": [5, 20]}, cv=2)
    here = search.fit(X, y).cv_results_["mean_test_score"]
    with dask_client.as_current(), joblib.parallel_config(backend="dask", scatter=[X, y]):
        assert np.array_equal(search.fit(X, y).cv_results_["mean_test_score"], here)
