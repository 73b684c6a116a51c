"""Warnings about sorted rows, fractions as labels, and targets that the previous target predicts."""

import warnings

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, OnlineKernelRegressor, Regressor
from budgetrs import river as wrappers
from conftest import blobs, warnings_of

ROWS = 2000


def one_by_one(kind, X, y):
    model = kind(budget=10)
    for row, label in zip(X, y, strict=True):
        model.learn_one(row, label)


def by_river(kind, X, y):
    model = getattr(wrappers, kind.__name__)(budget=10)
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(row)), label)


def in_batches(size):
    def learn(kind, X, y):
        model = kind(budget=10)
        for start in range(0, len(y), size):
            model.learn(X[start : start + size], y[start : start + size])

    return learn


def by_estimator(kind, X, y):
    model = OnlineKernelRegressor(budget=10)
    for start in range(0, len(y), 300):
        model.partial_fit(X[start : start + 300], y[start : start + 300])


WAYS = [one_by_one, by_river, in_batches(7), in_batches(300), in_batches(1000)]


@pytest.mark.parametrize("learn", WAYS)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_rows_sorted_by_label_warn_once(learn, n_classes):
    X, y = blobs(300, n_classes)
    order = np.argsort(y, kind="stable")
    (message,) = warnings_of(lambda: learn(Classifier, X[order], y[order]))
    assert message.startswith("the label changes")
    assert message.endswith(
        "shuffle rows that are sorted by label; otherwise compare progressive_error_ with no_change_error_"
    )
    assert warnings_of(lambda: learn(Classifier, X, y)) == []


def test_the_warning_has_the_changes_of_rows_in_random_order():
    X, y = blobs(300, 3)
    (message,) = warnings_of(lambda: Classifier(budget=10).learn(X[np.argsort(y)], np.sort(y)))
    changes = [np.count_nonzero(np.diff(np.random.default_rng(seed).permutation(y))) for seed in range(500)]
    assert message.startswith("the label changes 2 times in 300 rows")
    assert f"in random order it would change about {np.mean(changes):.0f} times" in message


@pytest.mark.parametrize("learn", WAYS[2:])
def test_labels_that_mostly_repeat_have_no_warning(learn):
    rng = np.random.default_rng(0)
    # One change in seven rows, as in streams of prices and weather.
    y = np.cumsum(rng.random(3000) < 1 / 7) % 2
    assert warnings_of(lambda: learn(Classifier, rng.normal(size=(3000, 2)), y)) == []


@pytest.mark.parametrize("learn", WAYS[:3])
def test_fractions_as_labels_warn_once(learn):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    (message,) = warnings_of(lambda: learn(Classifier, X, y))
    assert "different fractions, such as " in message
    assert "for regression targets use Regressor" in message
    for other in (np.round(y) / 2, np.round(100 * y)):
        assert warnings_of(lambda other=other: learn(Classifier, X, other)) == []


def walk(rows=ROWS, seed=0):
    """Return uninformative features and a random walk far from 0."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 3)), 1e6 + np.cumsum(rng.normal(size=rows))


def of_previous_target(call):
    return warnings_of(call, "previous target")


@pytest.mark.parametrize("learn", [*WAYS, by_estimator, in_batches(ROWS)])
def test_a_random_walk_warns_once(learn):
    (message,) = of_previous_target(lambda: learn(Regressor, *walk()))
    assert message.startswith("the RMSE over the last ")
    assert ": in a time series, add the previous target as a feature; if the rows are sorted by" in message
    assert message.endswith(" target, shuffle them")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(3))
def test_the_errors_are_of_the_second_half_of_a_batch(seed):
    X, y = walk(seed=seed)
    y -= 1e6
    (message,) = of_previous_target(lambda: Regressor(budget=10).learn(X, y))
    whole, half = (Regressor(budget=10).learn(X[:rows], y[:rows]) for rows in (ROWS, ROWS // 2))
    model = np.sqrt(2 * whole.mean_squared_error_ - half.mean_squared_error_)
    previous = np.sqrt(np.mean(np.diff(y[ROWS // 2 - 1 :]) ** 2))
    assert message.startswith(
        f"the RMSE over the last 1,000 rows is {model:.3g}, and predicting the previous target would give "
        f"{previous:.3g}:"
    )


def slow_wave():
    """Return features that predict a slowly changing target well."""
    angle = np.arange(ROWS) / 50
    noise = 0.3 * np.random.default_rng(0).normal(size=ROWS)
    return np.column_stack([np.sin(angle), np.cos(angle)]), 1e6 + 10 * np.sin(angle + 1) + noise


def walk_with_previous_target():
    X, y = walk()
    return np.column_stack([X[1:], y[:-1]]), y[1:]


def in_random_order():
    X, y = walk()
    return X, np.random.default_rng(1).permutation(y)


QUIET = {
    "previous target as a feature": walk_with_previous_target,
    "random order": in_random_order,
    "informative features": slow_wave,
    "constant": lambda: (walk()[0], np.full(ROWS, 3.0)),
    "few rows": lambda: walk(900),
    "a target that alternates": lambda: (walk()[0], np.arange(ROWS) % 2 * 1.0),
}


@pytest.mark.parametrize("data", QUIET.values(), ids=QUIET.keys())
@pytest.mark.parametrize("learn", [*WAYS, by_estimator, in_batches(ROWS)])
def test_other_targets_have_no_warning(learn, data):
    assert of_previous_target(lambda: learn(Regressor, *data())) == []


def test_a_poor_model_of_rows_in_random_order_has_no_warning():
    model = Regressor("pa-merge", budget=10, gamma=1.0, C=1e-6)
    assert of_previous_target(lambda: model.learn(*in_random_order())) == []
    assert model.mean_squared_error_ > 100 * model.no_change_error_


@pytest.mark.parametrize(("shuffle", "count"), [(True, 0), (False, 1)])
def test_a_fit_warns_unless_it_shuffles(shuffle, count):
    fit = OnlineKernelRegressor(budget=10, shuffle=shuffle).fit
    assert len(of_previous_target(lambda: fit(*walk()))) == count


def test_a_loaded_model_has_no_warning():
    X, y = walk()
    model = Regressor(budget=10).learn(X[:10], y[:10])
    assert of_previous_target(lambda: Regressor.from_bytes(model.to_bytes()).learn(X, y)) == []


def test_the_warning_as_an_error_is_raised_once_after_learning():
    X, y = walk()
    model = Regressor(budget=10)
    with pytest.raises(UserWarning, match="previous target"):
        model.learn(X, y)
    assert model.n_samples_seen_ == ROWS
    model.learn(X, y)


@pytest.mark.parametrize("kind", [Classifier, Regressor])
@pytest.mark.parametrize("seed", range(3))
def test_warnings_as_errors_leave_model_and_wrapper_consistent(kind, seed):
    """The wrapper has the names of all features that the native model has, whatever call raised."""
    rng = np.random.default_rng(seed)
    model, n_raised, names = getattr(wrappers, kind.__name__)(budget=5), 0, []
    for at in range(200):
        row = {name: -999.0 if rng.random() < 0.2 else float(rng.normal()) for name in "abc"[: 1 + at // 63]}
        target = float(rng.normal())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                if at % 50 == 49:
                    targets = pd.Series(rng.normal(size=70)).round(1 if kind is Classifier else 9)
                    model.learn_many(pd.DataFrame([row | {f"new{at}": 1.0}] * 70), targets)
                else:
                    model.learn_one(row, target)
            except UserWarning:
                n_raised += 1
        assert len(model.feature_names) == model.native.n_features_in_
        assert model.feature_names[: len(names)] == tuple(names)
        names = list(model.feature_names)
        model.predict_one(row)
    assert n_raised > 0
    assert set(names) >= {"a", "b", "c", "new49"}


def test_a_warning_about_a_column_that_is_an_error_is_raised_once_before_learning():
    X = pd.DataFrame({"k": [f"user-{i}" for i in range(50)]})
    model = Regressor()
    with pytest.raises(UserWarning, match='column "k"'):
        model.learn(X, np.arange(50))
    assert model.n_samples_seen_ == 0
    assert model.learn(X, np.arange(50)).n_samples_seen_ == 50
