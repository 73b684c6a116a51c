"""The number of passes of `fit`, rows that are known, and the ridge regression at the end."""

import numpy as np
import pytest

from budgetrs import BSGDClassifier, Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor
from conftest import board
from kinds import orders_of


def surface(rows, noise, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return X, X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + noise * rng.normal(size=rows)


def test_few_rows_are_learned_three_times_and_many_once():
    X, y = board(500)
    assert OnlineKernelClassifier(random_state=0).fit(X, y).n_iter_ == 3
    assert OnlineKernelClassifier(random_state=0, max_iter=2).fit(X, y).n_iter_ == 2
    assert OnlineKernelClassifier(shuffle=False).fit(X, y).n_iter_ == 1
    assert BSGDClassifier().max_iter == 1


@pytest.mark.parametrize("budget", [2, 3, 5])
def test_the_ridge_has_a_solution_with_fewer_rows_than_basis_functions(budget):
    rng = np.random.default_rng(0)
    for rows in range(21, 45):
        X = rng.normal(size=(rows, 20))
        y = np.sin(2 * X[:, 0]) + rng.normal(size=rows) / 4
        assert np.isfinite(OnlineKernelRegressor(budget=budget, random_state=0).fit(X, y).predict(X)).all()


@pytest.mark.parametrize("changes", [{"shuffle": False}, {"forget": 500, "shuffle": False}])
def test_rows_in_the_order_of_time_are_followed(changes):
    X = np.random.default_rng(0).normal(size=(6000, 3))
    y = np.r_[3 * X[:4000, 0], -3 * X[4000:, 0]]
    model = OnlineKernelRegressor(random_state=0, budget=50, **changes).fit(X, y)
    assert model.score(X[-500:], y[-500:]) > 0.95
    lower, upper = model.predict_interval(X[-500:]).T
    assert 0.8 < ((lower <= y[-500:]) & (y[-500:] <= upper)).mean() < 0.99


@pytest.mark.parametrize("value", ["all", 0, 2.5, True, None])
def test_other_numbers_of_passes_raise(value):
    with pytest.raises((TypeError, ValueError), match="max_iter must be"):
        OnlineKernelClassifier(max_iter=value).fit(*board(50))
    with pytest.raises(TypeError, match="max_iter must be an integer"):
        BSGDClassifier(max_iter="auto").fit(*board(50))


@pytest.mark.parametrize("native", [Classifier, Regressor])
def test_known_rows_leave_errors_drift_and_calibration_as_they_are(native):
    X, y = board(400) if native is Classifier else surface(400, 0.1)
    once, again = native(budget=20).learn(X, y), native(budget=20).learn(X, y)
    again.learn(X, y, repeated=True)
    assert again.n_samples_seen_ == 800
    names = ("n_mistakes_", "progressive_error_") if native is Classifier else ("mean_squared_error_",)
    assert [getattr(again, name) for name in names] == [getattr(once, name) for name in names]
    assert again.n_updates_ > once.n_updates_
    assert native.from_bytes(again.to_bytes()).to_bytes() == again.to_bytes()
    if native is Classifier:
        assert again.progressive_error_ == again.n_mistakes_ / 400
        counted = native(budget=20).learn(X, y).learn(X, y)
        assert counted.n_mistakes_ > again.n_mistakes_
        # One increasing function maps the scores of both models to probabilities.
        assert is_one_calibration(once, again, X)
        assert not is_one_calibration(once, counted, X)


def is_one_calibration(first, second, X):
    """Whether the probabilities of two models increase with their scores, all taken together."""
    scores = np.concatenate([model.decision_function(X) for model in (first, second)])
    probabilities = np.concatenate([model.predict_proba(X)[:, 1] for model in (first, second)])
    return bool((np.diff(probabilities[np.argsort(scores, kind="stable")]) >= 0).all())


def with_and_without_ridge(X, y, seed):
    """A fitted regressor with the ridge regression at the end, and the model after its passes."""
    estimator = OnlineKernelRegressor(random_state=seed, budget=50).fit(X, y)
    seed = estimator._model.params["seed"]
    passes = Regressor(budget=50, seed=seed)
    for number, rows in enumerate(orders_of(Regressor(budget=50, seed=seed), X, y, "auto")):
        passes.learn(X[rows], y[rows], repeated=number > 0)
    return estimator, passes


@pytest.mark.parametrize("seed", range(2))
def test_the_ridge_explains_more(seed):
    X, y = surface(6000, 0.5, seed=seed)
    T, t = surface(2000, 0.0, seed=seed + 10)
    ridge, passes = with_and_without_ridge(X, y, seed)
    assert np.square(t - ridge.predict(T)).mean() < np.square(t - passes.predict(T)).mean()
    # Copies of rows are learned as weights.
    doubled = OnlineKernelRegressor(random_state=seed, budget=50)
    doubled.fit(X, y, sample_weight=np.full(6000, 2.0))
    np.testing.assert_allclose(doubled.predict(T), ridge.predict(T))
