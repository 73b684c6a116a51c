"""Prediction intervals and sets of the estimators, for rows that `fit` has not seen."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest

from budgetrs import OnlineKernelClassifier, OnlineKernelRegressor
from conftest import but_nightly


def surface(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5))
    return X, 3 * X[:, 0] + 2 * np.sin(2 * X[:, 1]) + (0.2 + abs(X[:, 2])) * rng.normal(size=rows)


def shares(interval, y):
    return ((interval[:, 0] <= y) & (y <= interval[:, 1])).mean()


@pytest.mark.parametrize(
    ("budget", "rows"),
    but_nightly([(30, 400), *itertools.product((30, 200), (3000, 12_000))], often=[(30, 400), (200, 3000)]),
)
def test_new_rows_are_covered_after_several_passes(budget, rows):
    T, t = surface(8000, seed=1)
    models = [
        OnlineKernelRegressor(budget=budget, random_state=seed).fit(*surface(rows, seed + 2))
        for seed in range(3)
    ]
    for coverage in (0.8, 0.9, 0.95):
        found = np.mean([shares(model.predict_interval(T, coverage=coverage), t) for model in models])
        assert abs(found - coverage) < 0.04
    model = models[0]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_interval(T), model.predict_interval(T, coverage=0.9))
    # The stream continues, and so does the calibration.
    model.partial_fit(T[:4000], t[:4000])
    assert abs(shares(model.predict_interval(T[4000:]), t[4000:]) - 0.9) < 0.04


def test_several_coverages():
    X, y = surface(1000)
    model = OnlineKernelRegressor(budget=20, random_state=0).fit(X, y)
    ends = model.predict_interval(X, coverage=[0.5, 0.95])
    assert ends.shape == (1000, 2, 2)
    np.testing.assert_array_equal(ends[:, :, 1], model.predict_interval(X, coverage=0.95))
    names = np.array(["c", "a", "b"])[np.digitize(y, [-1, 1])]
    sets = OnlineKernelClassifier(budget=20, random_state=0).fit(X, names)
    members = sets.predict_set(X, coverage=[0.5, 0.95])
    np.testing.assert_array_equal(members[..., 1], sets.predict_set(X, coverage=0.95))


def test_few_rows_and_weights():
    X, y = surface(30)
    model = OnlineKernelRegressor(random_state=0).fit(X, y)
    assert np.isfinite(model.predict_interval(X)).all()
    X, y = surface(2000)
    weight = np.random.default_rng(0).integers(0, 3, 2000).astype(float)
    model = OnlineKernelRegressor(budget=30, random_state=0).fit(X, y, sample_weight=weight)
    assert abs(shares(model.predict_interval(X), y) - 0.9) < 0.05
    assert (np.ptp(OnlineKernelRegressor().fit(X[:100], np.ones(100)).predict_interval(X), axis=1) == 0).all()


def test_sets_are_in_the_order_of_the_classes():
    X, y = surface(4000)
    names = np.array(["c", "a", "b"])[np.digitize(y, [-1, 1])]
    frame = pd.DataFrame(X, columns=list("vwxyz"))
    model = OnlineKernelClassifier(budget=50, random_state=0).fit(frame[:2000], names[:2000])
    members = model.predict_set(frame[2000:], coverage=0.9)
    assert members.shape == (2000, 3)
    index = np.searchsorted(model.classes_, names[2000:])
    assert 0.87 < members[np.arange(2000), index].mean() < 0.93
    probabilities = model.predict_proba(frame[2000:])
    assert members[np.arange(2000), probabilities.argmax(axis=1)].all()
    assert members.sum() < model.predict_set(frame[2000:], coverage=0.99).sum()


def test_errors():
    X, y = surface(100)
    model = OnlineKernelRegressor().fit(X, y)
    with pytest.raises(ValueError, match="coverage must be a number"):
        model.predict_interval(X, coverage=0.9999)
    with pytest.raises(ValueError, match="features"):
        model.predict_interval(X[:, :3])
    with pytest.raises(AttributeError, match="not fitted"):
        OnlineKernelClassifier().predict_set(X)
    assert not hasattr(model, "predict_set")
