"""The number of passes of `fit`, rows that are known, and the ridge at the end."""

import numpy as np
import pytest

from budgetrs import BSGDClassifier, Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor
from budgetrs.estimators._ridge import BasisRows
from conftest import board


def surface(rows, noise, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return X, X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + noise * rng.normal(size=rows)


def test_few_rows_are_learned_three_times_and_many_once():
    X, y = board(500)
    assert OnlineKernelClassifier(random_state=0).fit(X, y).n_iter_ == 3
    estimator = OnlineKernelClassifier(random_state=0, budget=2)
    assert (estimator._passes(100_000), estimator._passes(100_001)) == (3, 1)
    assert OnlineKernelClassifier(random_state=0, max_iter=2).fit(X, y).n_iter_ == 2
    assert OnlineKernelClassifier(shuffle=False).fit(X, y).n_iter_ == 1
    assert BSGDClassifier().max_iter == 1


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
def test_a_regressor_makes_no_further_passes_over_noise():
    assert OnlineKernelRegressor(random_state=0).fit(*surface(2000, 0.1)).n_iter_ == 3
    assert OnlineKernelRegressor(random_state=0).fit(*surface(2000, 5.0)).n_iter_ == 1
    assert OnlineKernelRegressor(random_state=0, max_iter=3).fit(*surface(2000, 5.0)).n_iter_ == 3


def overlapping(rows, share, shift, features=5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < share
    X = rng.normal(size=(rows, features))
    X[:, 0] += shift * y
    return X, y


def test_a_classifier_makes_three_passes():
    X, y = overlapping(6000, 0.05, 1.0)
    for asked in ({}, {"max_iter": 3}, {"class_weight": "balanced"}):
        assert OnlineKernelClassifier(random_state=0, **asked).fit(X, y).n_iter_ == 3


def test_a_short_pass_tells_nothing_about_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 200))
    y = X[:, 0] + 0.3 * rng.normal(size=1200)
    model = OnlineKernelRegressor(random_state=0).fit(X[:200], y[:200])
    once = OnlineKernelRegressor(random_state=0, max_iter=1).fit(X[:200], y[:200])
    assert model.n_iter_ == 3
    assert model.score(X[200:], y[200:]) > once.score(X[200:], y[200:]) + 0.1


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


def test_a_fit_is_passes_of_the_native_model():
    X, y = board(400)
    estimator = OnlineKernelClassifier(budget=20, random_state=0).fit(X, y)
    seed = int(np.random.RandomState(0).randint(0, 2**64, dtype=np.uint64))
    orders = np.random.default_rng(seed)
    native = Classifier(budget=20, seed=seed, classes=[0, 1])
    for number in range(3):
        native.learn(X, y, order=orders.permutation(400), repeated=number > 0)
    np.testing.assert_array_equal(estimator.predict_proba(X), native.predict_proba(X))
    assert estimator.n_mistakes_ == native.n_mistakes_


@pytest.mark.parametrize("native", [Classifier, Regressor])
def test_known_rows_leave_errors_drift_and_calibration_as_they_are(native):
    X, y = board(400) if native is Classifier else surface(400, 0.1)
    once, again = native(budget=20).learn(X, y), native(budget=20).learn(X, y)
    again.learn(X, y, repeated=True)
    assert (again.n_samples_seen_, again._n_new) == (800, 400)
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


def basis_rows(rows, noise=3.0, outlier=0.0):
    """The basis of a model of 60 rows, at more rows with another noise, and one outlier."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 4))
    model = Regressor(budget=100, seed=0).learn(X[:60], X[:60, 0] + rng.normal(size=60))
    y = X[:, 0] + noise * rng.normal(size=rows)
    y[7] += outlier
    return BasisRows(model, X, y, None, None, rng)


def best_ridge(rows, functions):
    """The ridge solution on some basis functions by the definition, its error and degrees of freedom."""
    basis, n = rows.values[:, functions], len(rows.y)
    residuals = rows.y - rows.values @ rows.theta
    limit = 10 * np.quantile(abs(residuals), 0.9)
    residuals = residuals.clip(-limit, limit)

    def solution(penalty):
        inverse = np.linalg.inv(basis.T @ basis + penalty * np.eye(len(functions)))
        change = inverse @ basis.T @ residuals
        freedom = np.trace(basis.T @ basis @ inverse) / n
        rss = ((residuals - basis @ change) ** 2).mean()
        return rss / max(1e-3, 1 - 1.2 * freedom) ** 2, change, freedom

    return min((solution(0.1 * 3.0**i + 1e-6 * n) for i in range(13)), key=lambda found: found[0])


@pytest.mark.parametrize("count", [60, 300, 1200])
@pytest.mark.parametrize("outlier", [0.0, 1e6])
def test_the_ridge_is_the_best_of_all_penalties(count, outlier):
    rows = basis_rows(count, outlier=outlier)
    _, expected, freedom = best_ridge(rows, np.arange(len(rows.theta)))
    change, share = rows.ridge()
    np.testing.assert_allclose(change, expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(share, freedom)


def test_the_ridge_goes_between_the_median_and_the_mean_of_skewed_targets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    y = np.exp(0.5 * X[:, 0] + 1.2 * rng.normal(size=6000))
    T, t = X[4000:], y[4000:]
    model = OnlineKernelRegressor(random_state=0, budget=50)
    passes = OnlineKernelRegressor(random_state=0, budget=50)
    passes._end_fit = lambda *_: None
    whole = OnlineKernelRegressor(random_state=0, budget=50)
    models = [passes.fit(X[:4000], y[:4000]), model.fit(X[:4000], y[:4000])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BasisRows, "share", lambda *_: 1.0)
        models.append(whole.fit(X[:4000], y[:4000]))
    absolute = [np.abs(t - one.predict(T)).mean() for one in models]
    squared = [np.square(t - one.predict(T)).mean() for one in models]
    assert absolute[0] < absolute[1] < absolute[2]
    assert squared[0] > squared[1] > squared[2]


def test_the_share_of_the_ridge_is_all_of_it_if_that_lowers_absolute_errors():
    rows = basis_rows(1200, 0.1)
    change, freedom = rows.ridge()
    assert rows.share(change, freedom) == 1.0
    assert rows.share(-change, freedom) == 0.6


def test_the_ridge_changes_the_function_by_its_basis():
    X, y = surface(3000, 0.3)
    model = Regressor(budget=30, seed=0).learn(X, y)
    changes = np.random.default_rng(0).normal(size=len(model._basis_coef()))
    rows = np.array([5, 3, 2999])
    expected = model.predict(X[rows]) + model._basis(X, order=rows) @ changes
    inside = (expected > y.min()) & (expected < y.max())
    model._add_to_function(changes)
    np.testing.assert_allclose(model.predict(X[rows])[inside], expected[inside], rtol=0, atol=1e-9)
    assert Regressor.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
    model.learn(X[:100], y[:100])
    with pytest.raises(ValueError, match="changes must be"):
        model._add_to_function(changes[:-1])


def test_the_ridge_explains_more():
    X, y = surface(6000, 0.5)
    T, t = surface(2000, 0.0, seed=1)
    ridge = OnlineKernelRegressor(random_state=0, budget=50).fit(X, y)
    passes = OnlineKernelRegressor(random_state=0, budget=50)
    passes._end_fit = lambda *_: None
    assert ridge.score(T, t) > passes.fit(X, y).score(T, t)
    # Copies of rows are learned as weights.
    doubled = OnlineKernelRegressor(random_state=0, budget=50).fit(X, y, sample_weight=np.full(6000, 2.0))
    np.testing.assert_allclose(doubled.predict(T), ridge.predict(T))
