"""What NBSGD and averages refuse: by name, and without changing."""

import numpy as np
import pytest

import budgetrs
from budgetrs import BSGDClassifier, BSGDRegressor, Classifier, Regressor
from streams_nbsgd import BUDGET, N, fitted, native, noisy

REFUSED = (
    ({"rate": 0.0}, "rate"),
    ({"rate": -1.0}, "rate"),
    ({"rate": float("nan")}, "rate"),
    ({"rate": float("inf")}, "rate"),
    ({"rate": "often"}, "rate"),
    ({"rate": [1.0]}, "rate"),
    ({"rate": "auto"}, "rate|stream_length"),
    ({"rate": 5.0, "maintenance": "stop"}, "rate"),
    ({"rate": 5.0, "maintenance": "margin"}, "rate"),
    ({"rate": 5.0, "maintenance": "distill"}, "rate"),
    ({"rate": 5.0, "maintenance": "none", "budget": None}, "rate"),
    ({"rate": 5.0, "max_size": BUDGET - 1}, "max_size"),
    ({"rate": 5.0, "max_size": 0}, "max_size"),
    ({"rate": 5.0, "max_size": 20.5}, "max_size"),
    ({"rate": 5.0, "max_size": "large"}, "max_size"),
    ({"max_size": 40}, "max_size|rate"),
    ({"average": 0.0}, "average"),
    ({"average": 0.0009}, "average"),
    ({"average": 1.001}, "average"),
    ({"average": -0.5}, "average"),
    ({"average": float("nan")}, "average"),
    ({"average": "mean"}, "average"),
    ({"average": [0.5]}, "average"),
    ({"average": True, "stream_length": 0}, "stream_length"),
    ({"average": True, "stream_length": -5}, "stream_length"),
    ({"average": True, "stream_length": 2.5}, "stream_length"),
    ({"maintenance": "project-nn", "n_neighbors": 0}, "n_neighbors"),
    ({"maintenance": "project-nn", "n_neighbors": "all"}, "n_neighbors"),
)


@pytest.mark.parametrize(("params", "message"), REFUSED, ids=str)
def test_bad_parameters_are_named(params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        native(**params)


@pytest.mark.parametrize(
    ("params", "message"), [case for case in REFUSED if case[0] != {"rate": "auto"}], ids=str
)
def test_a_refused_fit_leaves_the_fitted_model(params, message):
    X, y = noisy()
    model = fitted()
    before = model.decision_function(X)
    model.set_params(**params)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.n_samples_seen_ == N


def test_an_automatic_rate_needs_a_length():
    X, y = noisy()
    for estimator in (BSGDClassifier, BSGDRegressor):
        model = estimator(maintenance="smallest", rate="auto")
        with pytest.raises(ValueError, match="stream_length"):
            model.partial_fit(X, y)
        assert not hasattr(model, "n_features_in_")
        assert model.set_params(stream_length=N).partial_fit(X, y).n_samples_seen_ == N


@pytest.mark.parametrize("name", ["nbsgd", "nbsgd-project"])
def test_these_names_need_a_rate(name):
    X, y = noisy()
    with pytest.raises(ValueError, match="rate"):
        Classifier(name)
    with pytest.raises(ValueError, match="rate"):
        Regressor(name)
    with pytest.raises((ValueError, TypeError), match="rate"):
        budgetrs.make_estimator(name).fit(X, y)


@pytest.mark.parametrize("name", ["perceptron", "rbp", "mira-merge", "pa-random", "bpa-nn", "bogd"])
@pytest.mark.parametrize("params", [{"rate": 5.0}, {"max_size": 600}], ids=str)
def test_other_rules_refuse_what_is_of_gradient_descent(name, params):
    with pytest.raises((ValueError, TypeError), match=next(iter(params))):
        Classifier(name, **params)


def test_bogd_refuses_a_rate_too():
    X, y = noisy()
    with pytest.raises(ValueError, match="rate"):
        BSGDClassifier(maintenance="bogd", rate=5.0).fit(X, y)
