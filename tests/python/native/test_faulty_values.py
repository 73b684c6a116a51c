"""Warnings about values that repeat far outside the range of their feature, and the number of new starts."""

import warnings

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor

MESSAGE = r"are clipped: -999 in feature {} \(40 of 400 rows, 10.0%\); .*: missing_values=-999"


def faulty(rows=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3))
    y = X[:, 0] > 0
    X[5::10, 1] = -999
    return X, y


@pytest.mark.parametrize("kind", [Classifier, Regressor, OnlineKernelClassifier, OnlineKernelRegressor])
def test_a_repeated_value_is_named_once(kind):
    X, y = faulty()
    model = kind()
    learn = model.partial_fit if hasattr(model, "partial_fit") else model.learn
    with pytest.warns(UserWarning, match=MESSAGE.format("1")) as caught:
        learn(X, y.astype(int))
    assert sum("repeat far" in str(warning.message) for warning in caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learn(X, y.astype(int))
    assert model.n_scaling_restarts_ == 0


def test_one_warning_names_all_features_and_values():
    X, y = faulty()
    X[5::10, 0], X[5::10, 2] = 9.96921e36, -999
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Classifier().learn(X, y)
        Classifier().learn(np.float32(X[:, 1:] - 0.9), y)
        model = Classifier()
        for row, label in zip(X[:, 1:], y, strict=True):
            model.learn_one(row, bool(label))
    first, single, *by_row = caught
    assert str(first.message).startswith("values that repeat far outside the range of their feature")
    assert "9.96921e+36 in feature 0" in str(first.message)
    assert str(first.message).endswith("missing_values=[9.96921e+36, -999]")
    assert "-999 in feature 3 (40 of 400 rows, 10.0%); if" in first.message.shell
    assert first.message.shell.endswith("--missing-values 9.96921e+36,-999")
    assert str(single.message).endswith("missing_values=-999.9")
    assert ["at least " in str(one.message) for one in by_row] == [True]


def test_columns_have_their_names():
    X, y = faulty()
    frame = pd.DataFrame(X, columns=["here", "depth", "there"])
    with pytest.warns(UserWarning, match=MESSAGE.format('"depth"')):
        Classifier().learn(frame, y)
    with pytest.warns(UserWarning, match=MESSAGE.format('"depth"')):
        OnlineKernelClassifier().fit(frame, y)


def test_clean_rows_and_other_scalings_do_not_warn():
    X, y = faulty()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Classifier(scaling="none").learn(X / 1000, y)
        Classifier().learn(np.where(X == -999, 0, X), y)
        Classifier(hash_features=8).learn(X, y)
        Classifier().learn(np.c_[X[:, 0], X[:, 1] == -999], y)


def test_a_feature_starts_anew_after_a_change_of_unit():
    X, y = faulty(4000)
    X[:, 1] = X[:, 2]
    X[2000:, 0] /= 1000
    model = Classifier().learn(X[:2000], y[:2000])
    assert model.n_scaling_restarts_ == 0
    model.learn(X[2000:], y[2000:])
    assert model.n_scaling_restarts_ == 1
    assert Classifier.from_bytes(model.to_bytes()).n_scaling_restarts_ == 1
    assert np.mean(model.predict(X[3000:]) == y[3000:]) > 0.97
    assert Classifier("bsgd-merge").learn(X, y).n_scaling_restarts_ == 0
