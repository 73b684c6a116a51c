"""The rows at which drifts were detected."""

import numpy as np
import pytest

import budgetrs.river
from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor

PERIOD = 700


def stream(kind, changes, seed=0):
    """Rows whose labels or targets change every 700 rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(PERIOD * (changes + 1), 2))
    flipped = np.arange(len(X)) // PERIOD % 2
    if kind is Regressor:
        return X, np.where(flipped, -1.0, 1.0) * (X[:, 0] + X[:, 1])
    return X, (X[:, 0] > 0) ^ flipped.astype(bool)


def seen_by_single_rows(model, X, y):
    """The number of rows learned whenever the number of drifts has risen."""
    rows = []
    for x, label in zip(X, y.tolist(), strict=True):
        before = getattr(model, "n_drifts_", 0)
        model.learn_one(x, label)
        rows += [model.n_samples_seen_] * (model.n_drifts_ - before)
    return rows


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_they_are_the_rows_at_which_the_number_of_drifts_rises(kind):
    X, y = stream(kind, changes=4)
    model = kind(budget=20)
    rows = seen_by_single_rows(model, X, y)
    assert 4 <= len(rows) <= 16
    # Each change is noticed, within a few hundred rows.
    assert {row // PERIOD for row in rows} >= {1, 2, 3, 4}
    assert model.drift_rows_.tolist() == rows
    assert model.drift_rows_.dtype == np.int64
    whole = kind(budget=20).learn(X, y)
    assert whole.drift_rows_.tolist() == rows
    assert kind.from_bytes(whole.to_bytes()).drift_rows_.tolist() == rows


def test_the_last_16_are_kept():
    X, y = stream(Classifier, changes=30)
    model = Classifier(budget=20)
    rows = seen_by_single_rows(model, X, y)
    assert len(rows) == model.n_drifts_ > 16
    assert model.drift_rows_.tolist() == rows[-16:]
    assert Classifier.from_bytes(model.to_bytes()).drift_rows_.tolist() == rows[-16:]


def test_a_change_of_the_targets_unit_counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 2))
    y = X[:, 0] * np.where(np.arange(1200) < 1000, 1.0, 1e6)
    model = Regressor(budget=20)
    rows = seen_by_single_rows(model, X, y)
    assert rows[0] > 1000
    assert model.drift_rows_.tolist() == rows


def test_rows_that_are_repeated_count_as_rows_learned():
    X, y = stream(Classifier, changes=1)
    once = Classifier(budget=20).learn(X, y)
    model = Classifier(budget=20).learn(X[:PERIOD], y[:PERIOD])
    model.learn(X[:100], y[:100], repeated=True).learn(X[PERIOD:], y[PERIOD:])
    assert once.drift_rows_[0] > PERIOD
    assert model.drift_rows_[0] > PERIOD + 100
    assert model.drift_rows_[-1] <= model.n_samples_seen_


@pytest.mark.parametrize("model", [Classifier(), Classifier(forget=None), Classifier("pa-merge")], ids=str)
def test_models_without_drift_or_detection_have_none(model):
    with pytest.raises(ValueError, match="has not learned any rows"):
        model.drift_rows_  # noqa: B018
    assert model.learn(*stream(Classifier, changes=0)).drift_rows_.tolist() == []


@pytest.mark.parametrize(
    ("estimator", "kind"), [(OnlineKernelClassifier, Classifier), (OnlineKernelRegressor, Regressor)]
)
def test_estimators_have_them(estimator, kind):
    X, y = stream(kind, changes=2)
    model = estimator(budget=20).partial_fit(X[:1000], y[:1000]).partial_fit(X[1000:], y[1000:])
    assert len(model.drift_rows_) == model.n_drifts_ >= 2
    assert model.drift_rows_.tolist() == model._model.drift_rows_.tolist()


def test_river_models_have_them():
    X, y = stream(Classifier, changes=2)
    model, native = budgetrs.river.Classifier(budget=20), Classifier(budget=20).learn(X, y)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(x)), label)
    assert model.drift_rows_.tolist() == native.drift_rows_.tolist()
    assert model.n_drifts_ == native.n_drifts_ >= 2
