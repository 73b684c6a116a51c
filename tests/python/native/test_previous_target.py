"""A warning about targets that the previous target predicts much better than the model."""

import warnings

import numpy as np
import pytest

from budgetrs import OnlineKernelRegressor, Regressor
from budgetrs import river as wrappers

ROWS = 2000


def raised(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught if "previous target" in str(one.message)]


def walk(rows=ROWS, seed=0):
    """Return uninformative features and a random walk far from 0."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 3)), 1e6 + np.cumsum(rng.normal(size=rows))


def one_by_one(X, y):
    model = Regressor(budget=10)
    for row, target in zip(X, y, strict=True):
        model.learn_one(row, target)


def by_river(X, y):
    model = wrappers.Regressor(budget=10)
    for row, target in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(row)), target)


def in_batches(size, make: type = Regressor, learn="learn"):
    def learn_all(X, y):
        model = make(budget=10)
        for start in range(0, len(y), size):
            getattr(model, learn)(X[start : start + size], y[start : start + size])

    return learn_all


WAYS = [
    one_by_one,
    by_river,
    *(in_batches(size) for size in (7, 300, 1000, ROWS)),
    in_batches(300, OnlineKernelRegressor, "partial_fit"),
]


@pytest.mark.parametrize("learn", WAYS)
def test_a_random_walk_warns_once(learn):
    (message,) = raised(lambda: learn(*walk()))
    assert message.startswith("the RMSE over the last ")
    assert message.endswith(
        ": in a time series, add the previous target as a feature; if the rows are sorted by target, shuffle "
        "them"
    )


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(3))
def test_the_errors_are_of_the_second_half_of_a_batch(seed):
    X, y = walk(seed=seed)
    y -= 1e6
    (message,) = raised(lambda: Regressor(budget=10).learn(X, y))
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
@pytest.mark.parametrize("learn", WAYS)
def test_other_streams_have_no_warning(learn, data):
    assert raised(lambda: learn(*data())) == []


def test_a_poor_model_of_rows_in_random_order_has_no_warning():
    X, y = in_random_order()
    model = Regressor("pa-merge", budget=10, gamma=1.0, C=1e-6)
    assert raised(lambda: model.learn(X, y)) == []
    assert model.mean_squared_error_ > 100 * model.no_change_error_


def test_fit_has_no_warning_because_it_shuffles():
    X, y = walk()
    assert raised(lambda: OnlineKernelRegressor(budget=10).fit(X, y)) == []
    assert len(raised(lambda: OnlineKernelRegressor(budget=10, shuffle=False).fit(X, y))) == 1


def test_a_loaded_model_has_no_warning():
    X, y = walk()
    model = Regressor(budget=10).learn(X[:10], y[:10])
    assert raised(lambda: Regressor.from_bytes(model.to_bytes()).learn(X, y)) == []


def test_the_warning_as_an_error_is_raised_once_after_learning():
    X, y = walk()
    model = Regressor(budget=10)
    with pytest.raises(UserWarning, match="previous target"):
        model.learn(X, y)
    assert model.n_samples_seen_ == ROWS
    model.learn(X, y)
