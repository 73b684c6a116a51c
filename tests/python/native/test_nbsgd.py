"""NBSGD: the automatic rate and names.

Sizes, draws, averages and projection are compared with the reference in test_oracle.py; invalid rates are
tested in src/params/tests.
"""

import numpy as np
import pytest

import budgetrs
from budgetrs import BSGDClassifier, BSGDRegressor, Classifier, Regressor
from streams_nbsgd import BUDGET, N, assert_equal, fitted, native, noisy


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.parametrize("learner", [BSGDClassifier, BSGDRegressor])
@pytest.mark.parametrize(
    ("params", "rate"),
    [({}, 0.6 * N), ({"max_iter": 2}, 0.6 * 2 * N), ({"stream_length": 50}, 30.0)],
    ids=["one pass", "two passes", "a given length"],
)
def test_the_automatic_rate_is_three_fifths_of_the_stream(learner, params, rate):
    automatic = fitted(learner=learner, rate="auto", **params)
    assert automatic.n_support_vectors_ > BUDGET
    assert_equal(automatic, fitted(learner=learner, rate=rate, max_iter=params.get("max_iter", 1)))


@pytest.mark.parametrize("kind", [BSGDClassifier, BSGDRegressor])
def test_an_automatic_rate_needs_a_length(kind):
    X, y = noisy()
    model = kind(maintenance="smallest", rate="auto")
    with pytest.raises(ValueError, match="stream_length"):
        model.partial_fit(X, y)
    assert not hasattr(model, "n_features_in_")
    assert model.set_params(stream_length=N).partial_fit(X, y).n_samples_seen_ == N


NAMES = {"nbsgd": "smallest", "nbsgd-project": "project-nn", "bsgd-project-nn": "project-nn"}


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    X, y = noisy()
    rate = {"rate": 30.0} if name.startswith("nbsgd") else {}
    params = {"budget": BUDGET, "gamma": 8.0, "alpha": 1e-3, **rate}
    named = Classifier(name, classes=[0, 1], **params).learn(X, y)
    assert_equal(named, native(NAMES[name], **rate).learn(X, y))
    estimator = budgetrs.make_estimator(name, random_state=3, **params).fit(X, y)
    assert_equal(estimator, fitted(maintenance=NAMES[name], **rate))
    assert (named.n_support_vectors_ > BUDGET) == bool(rate)
    if rate:
        for make in (Classifier, Regressor, lambda name: budgetrs.make_estimator(name).fit(X, y)):
            with pytest.raises((ValueError, TypeError), match="rate"):
                make(name)


@pytest.mark.parametrize(
    "maintenance", ["oldest", "smallest", "project", "project-best", "project-nn", "merge"]
)
def test_extreme_rates_always_or_never_restore_the_budget(maintenance):
    X, y = noisy()
    plain = native(maintenance).learn(X, y)
    assert_equal(native(maintenance, rate=1e9).learn(X, y), plain)
    assert_equal(native(maintenance, rate=1e-9, max_size=BUDGET).learn(X, y), plain)
    free = native(maintenance, rate=1e-9).learn(X, y)
    unbounded = native("none", budget=None).learn(X, y)
    assert free.n_maintenances_ == 0
    np.testing.assert_array_equal(free.support_vectors_, unbounded.support_vectors_)
    np.testing.assert_allclose(free.dual_coef_, unbounded.dual_coef_, rtol=1e-12)
