"""Small learners by gradient descent on a noisy checkerboard, and when two of them are the same."""

import numpy as np

from budgetrs import BSGDClassifier, Classifier
from conftest import board

BUDGET = 15
N = 300


def noisy(rows=N, seed=0):
    """A checkerboard, a fifth of it mislabelled: most rows update to the end."""
    X, y = board(rows, seed=seed, dtype=np.float64)
    flipped = np.random.default_rng(seed + 1).uniform(size=rows) < 0.2
    return X, np.where(flipped, 1 - y, y)


def native(maintenance="smallest", **params):
    options = {"budget": BUDGET, "gamma": 8.0, "alpha": 1e-3, "classes": [0, 1]}
    return Classifier("pegasos", maintenance=maintenance, **{**options, **params})


def fitted(rows=None, learner=BSGDClassifier, **params):
    X, y = noisy() if rows is None else rows
    options = {"budget": BUDGET, "maintenance": "smallest", "gamma": 8.0, "alpha": 1e-3, "random_state": 3}
    return learner(**{**options, **params}).fit(X, y)


def assert_equal(model, other):
    np.testing.assert_array_equal(model.support_vectors_, other.support_vectors_)
    np.testing.assert_array_equal(model.dual_coef_, other.dual_coef_)
    assert model.n_updates_ == other.n_updates_
    assert model.n_maintenances_ == other.n_maintenances_
