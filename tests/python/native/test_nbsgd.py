"""NBSGD as its users meet it: sizes, the automatic rate, projection on neighbours, copies.

Against the reference: test_oracle_nbsgd.py; averages: test_average.py; refusals: test_nbsgd_refusals.py.
"""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import budgetrs
from budgetrs import BSGDClassifier, BSGDRegressor, Classifier, Regressor
from conftest import blobs
from streams_nbsgd import BUDGET, FIXED, RATED, N, assert_equal, assert_same_model, fitted, native, noisy


def sizes(model, X, y, step=1):
    """The number of support vectors after each piece of the rows."""
    found = []
    for start in range(0, len(X), step):
        model.learn(X[start : start + step], y[start : start + step])
        found.append(model.n_support_vectors_)
        assert len(model.support_vectors_) == model.dual_coef_.shape[1] == found[-1]
    return np.array(found)


@pytest.mark.parametrize("maintenance", RATED)
def test_the_size_stays_within_its_bounds(maintenance):
    X, y = noisy()
    assert sizes(native(maintenance), X, y).max() == BUDGET
    bounded = sizes(native(maintenance, rate=6.0, max_size=25), X, y)
    assert bounded.max() == 25
    model = native(maintenance, rate=6.0)
    free = sizes(model, X, y)
    # All vectors that came are there or left one by one.
    assert free[-1] == model.n_updates_ - model.n_maintenances_ > 2 * BUDGET
    for found in (bounded, free):
        assert (found[np.argmax(found >= BUDGET) :] >= BUDGET).all()
        # One vector leaves at most, when one has come.
        assert (np.diff(found) >= 0).all()


@pytest.mark.parametrize("maintenance", FIXED)
def test_a_rate_of_certainty_and_a_bound_at_the_budget_change_nothing(maintenance):
    X, y = noisy()
    plain = native(maintenance).learn(X, y)
    assert_equal(native(maintenance, rate=1e9).learn(X, y), plain)
    assert_equal(native(maintenance, rate=1e-9, max_size=BUDGET).learn(X, y), plain)
    # Where only the bound restores a budget it is the budget.
    wider = native(maintenance, budget=BUDGET + 9).learn(X, y)
    assert_equal(native(maintenance, rate=1e-9, max_size=BUDGET + 9).learn(X, y), wider)


def test_an_impossible_rate_is_no_budget():
    X, y = noisy()
    unbounded = native("none", budget=None).learn(X, y)
    model = native("smallest", rate=1e-9).learn(X, y)
    assert model.n_maintenances_ == 0
    np.testing.assert_array_equal(model.support_vectors_, unbounded.support_vectors_)
    np.testing.assert_allclose(model.dual_coef_, unbounded.dual_coef_, rtol=1e-12)


def test_the_rate_is_a_probability():
    # Every row inserts: at t > 40 maintenance has the probability 40 / t, in all 40 (1 + ln 50) = 196.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 3)), rng.normal(size=2000)
    counts = [
        Regressor(
            "pegasos", maintenance="oldest", budget=5, loss="squared_error", gamma=1.0, rate=40.0, seed=seed
        )
        .learn(X, y)
        .n_maintenances_
        for seed in range(5)
    ]
    assert len(set(counts)) > 1
    # The first five insert without a draw; the deviation of the mean of five is below sqrt(156 / 5) = 5.6.
    assert abs(np.mean(counts) - 191) < 22


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.parametrize("learner", [BSGDClassifier, BSGDRegressor])
def test_the_automatic_rate_is_three_fifths_of_the_stream(learner):
    automatic = fitted(learner=learner, rate="auto")
    assert automatic.n_support_vectors_ > BUDGET
    assert_same_model(automatic, fitted(learner=learner, rate=0.6 * N))
    # The stream of several passes is as long as all of them; a length that is given counts.
    twice = fitted(learner=learner, rate="auto", max_iter=2)
    assert_same_model(twice, fitted(learner=learner, rate=0.6 * 2 * N, max_iter=2))
    told = fitted(learner=learner, rate="auto", stream_length=50)
    assert_same_model(told, fitted(learner=learner, rate=30.0))
    assert told.n_support_vectors_ > automatic.n_support_vectors_


def test_the_automatic_rate_on_a_stream_of_known_length():
    X, y = noisy()
    model = BSGDClassifier(budget=BUDGET, maintenance="smallest", gamma=8.0, rate="auto", stream_length=N)
    again = clone(model).set_params(rate=0.6 * N, stream_length=None)
    for start in range(0, N, 70):
        rows = slice(start, start + 70)
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        again.partial_fit(X[rows], y[rows], classes=[0, 1])
    # The estimators have no random_state, and draw seeds of their own.
    assert model.n_support_vectors_ > BUDGET
    assert again.n_support_vectors_ > BUDGET
    told = native(rate="auto", stream_length=N).learn(X, y)
    assert_equal(told, native(rate=0.6 * N).learn(X, y))


def test_rows_without_weight_do_not_count():
    X, y = noisy()
    weight = np.random.default_rng(2).integers(0, 2, N).astype(float)
    kept = weight > 0
    for params in ({"rate": "auto"}, {"rate": 20.0}, {"average": True}, {"average": "random"}):
        dropped = clone(fitted(**params)).fit(X, y, sample_weight=weight)
        assert_same_model(dropped, fitted((X[kept], y[kept]), **params))


NAMES = {"nbsgd": "smallest", "nbsgd-project": "project-nn", "bsgd-project-nn": "project-nn"}


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    X, y = noisy()
    assert name in budgetrs.ALGORITHMS
    rate = {"rate": 30.0} if name.startswith("nbsgd") else {}
    named = Classifier(name, budget=BUDGET, gamma=8.0, alpha=1e-3, classes=[0, 1], **rate).learn(X, y)
    assert_equal(named, native(NAMES[name], **rate).learn(X, y))
    estimator = budgetrs.make_estimator(
        name, budget=BUDGET, gamma=8.0, alpha=1e-3, random_state=3, **rate
    ).fit(X, y)
    assert_same_model(estimator, fitted(maintenance=NAMES[name], **rate))
    assert (named.n_support_vectors_ > BUDGET) == bool(rate)


def test_neighbours():
    X, y = noisy()
    nearest = native("project-nn")
    models = [native("project-nn", n_neighbors=k).learn(X, y) for k in (1, 4, BUDGET)]
    assert_equal(nearest.learn(X, y), models[1])
    # The first projection is of one vector on more and more others, at last on all, as "project" does it.
    models = [native("project-nn", n_neighbors=k) for k in (1, 4, BUDGET)] + [native("project")]
    lost = [first_loss(model, X, y) for model in models]
    assert lost[0] > lost[1] > lost[2]
    assert lost[2] == pytest.approx(lost[3], rel=1e-6)


def first_loss(model, X, y):
    """The degradation by the first maintenance."""
    for x, label in zip(X, y, strict=True):
        if model.learn_one(x, label).n_maintenances_:
            return model.mean_weight_degradation_
    raise AssertionError("the model has never been over its budget")


CHANGES = {
    "rate": ({}, {"rate": 20.0}),
    "max_size": ({"rate": 20.0}, {"max_size": 40}),
    "stream_length": ({"rate": "auto"}, {"stream_length": 100}),
    "stream_length of an average": ({"average": 0.25}, {"stream_length": 271}),
    "average": ({}, {"average": True}),
    "a drawn average": ({"average": True}, {"average": "random"}),
    "the fraction of an average": ({"average": True}, {"average": 0.9}),
    "n_neighbors": ({"maintenance": "project-nn"}, {"n_neighbors": 1}),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("learner", [BSGDClassifier, BSGDRegressor])
def test_every_parameter_changes_something(name, learner):
    before, change = CHANGES[name]
    X, _ = noisy(seed=7)
    answers = "decision_function" if learner is BSGDClassifier else "predict"
    plain, changed = (
        getattr(fitted(learner=learner, **params), answers)(X) for params in (before, {**before, **change})
    )
    assert not np.allclose(plain, changed)


PARAMS = (
    {"rate": 20.0, "max_size": 60, "stream_length": N},
    {"rate": "auto", "stream_length": N, "average": 0.25, "maintenance": "merge"},
    {"average": "random", "maintenance": "project-nn", "n_neighbors": 2},
    {"average": True, "maintenance": "random", "rate": 20.0},
)


@pytest.mark.parametrize("params", PARAMS, ids=str)
@pytest.mark.parametrize("learner", [BSGDClassifier, BSGDRegressor])
def test_estimators_are_cloned_and_pickled(params, learner):
    model = fitted(learner=learner, **params)
    assert model.get_params().items() >= params.items()
    assert_same_model(clone(model).fit(*noisy()), model)
    assert_same_model(learner().set_params(**model.get_params()).fit(*noisy()), model)
    other = pickle.loads(pickle.dumps(model))
    assert_same_model(other, model)
    X, y = noisy(seed=9)
    assert_same_model(other.partial_fit(X, y), model.partial_fit(X, y))


@pytest.mark.parametrize("params", PARAMS, ids=str)
@pytest.mark.parametrize("learner", [Classifier, Regressor])
def test_streams_may_be_cut_saved_and_continued(params, learner):
    X, y = noisy()
    more = {"classes": [0, 1]} if learner is Classifier else {}
    options = {
        "budget": BUDGET,
        "gamma": "scale",
        "alpha": 1e-3,
        "maintenance": "smallest",
        "seed": 4,
        **more,
    }
    new = lambda: learner("pegasos", **{**options, **params})  # noqa: E731
    whole = new().learn(X, y)
    by_row = new()
    for x, label in zip(X, y, strict=True):
        by_row.learn_one(x, label)
    assert by_row.to_bytes() == whole.to_bytes()
    saved = new()
    for start in range(0, N, 29):
        saved = learner.from_bytes(saved.to_bytes())
        saved.learn(X[start : start + 29], y[start : start + 29])
    assert saved.to_bytes() == whole.to_bytes()
    assert saved.params == whole.params
    np.testing.assert_array_equal(saved.predict(X), whole.predict(X))


@pytest.mark.parametrize("name", ["nbsgd", "nbsgd-project"])
def test_many_classes_in_single_precision(name):
    X, y = blobs(600)
    noisy = np.where(np.random.default_rng(1).uniform(size=600) < 0.2, (y + 1) % 3, y)
    model = Classifier(name, budget=BUDGET, gamma=0.2, rate=60.0, max_size=50).learn(X, noisy)
    assert model.dtype == np.float32
    assert BUDGET < model.n_support_vectors_ <= 50
    assert np.mean(model.predict(X) == y) > 0.75
