"""Warnings about labels that come in long runs or are mostly different fractions; warnings as errors."""

import warnings

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, Regressor
from budgetrs import river as wrappers
from conftest import blobs


def raised(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught]


def one_by_one(X, y):
    model = Classifier(budget=10)
    for row, label in zip(X, y, strict=True):
        model.learn_one(row, label)


def by_river(X, y):
    model = wrappers.Classifier(budget=10)
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(row)), label)


def in_batches(size):
    def learn(X, y):
        model = Classifier(budget=10)
        for start in range(0, len(y), size):
            model.learn(X[start : start + size], y[start : start + size])

    return learn


WAYS = [one_by_one, by_river, in_batches(7), in_batches(100), in_batches(1000)]


@pytest.mark.parametrize("learn", WAYS)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_rows_sorted_by_label_warn_once(learn, n_classes):
    X, y = blobs(300, n_classes)
    order = np.argsort(y, kind="stable")
    (message,) = raised(lambda: learn(X[order], y[order]))
    assert message.startswith("the label changes")
    assert message.endswith(
        "shuffle rows that are sorted by label; otherwise compare progressive_error_ with no_change_error_"
    )
    assert raised(lambda: learn(X, y)) == []


def test_the_warning_has_the_changes_of_rows_in_random_order():
    X, y = blobs(300, 3)
    (message,) = raised(lambda: Classifier(budget=10).learn(X[np.argsort(y)], np.sort(y)))
    changes = [np.count_nonzero(np.diff(np.random.default_rng(seed).permutation(y))) for seed in range(500)]
    assert message.startswith("the label changes 2 times in 300 rows")
    assert f"in random order it would change about {np.mean(changes):.0f} times" in message


def test_a_stream_whose_label_mostly_repeats_has_no_warning():
    rng = np.random.default_rng(0)
    # One change in seven rows, as in streams of prices and weather.
    y = np.cumsum(rng.random(3000) < 1 / 7) % 2
    for learn in WAYS[2:]:
        assert raised(lambda learn=learn: learn(rng.normal(size=(3000, 2)), y)) == []


@pytest.mark.parametrize("learn", WAYS[:3])
def test_fractions_as_labels_warn_once(learn):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    (message,) = raised(lambda: learn(X, y))
    assert "different fractions, such as " in message
    assert "for regression targets use Regressor" in message
    assert raised(lambda: learn(X, np.round(y) / 2)) == []
    assert raised(lambda: learn(X, np.round(100 * y))) == []


@pytest.mark.parametrize("kind", [Classifier, Regressor])
@pytest.mark.parametrize("seed", range(3))
def test_warnings_as_errors_leave_wrapper_and_model_consistent(kind, seed):
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
                    rows = pd.DataFrame([row | {f"new{at}": 1.0}] * 70)
                    model.learn_many(
                        rows, pd.Series(rng.normal(size=70)).round(1 if kind is Classifier else 9)
                    )
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
