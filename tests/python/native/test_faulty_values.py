"""Warnings about values that repeat far outside the range of their feature, and the number of new starts."""

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor
from conftest import warnings_of

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
    assert warnings_of(lambda: learn(X, y.astype(int))) == []
    assert model.n_scaling_restarts_ == 0


def only_warning(call):
    with pytest.warns(
        UserWarning, match="values that repeat far outside the range of their feature"
    ) as caught:
        call()
    (one,) = caught
    return one.message


def test_one_warning_names_all_features_and_values():
    X, y = faulty()
    X[5::10, 0], X[5::10, 2] = 9.96921e36, -999
    message = only_warning(lambda: Classifier().learn(X, y))
    assert "9.96921e+36 in feature 0" in str(message)
    assert str(message).endswith("missing_values=[9.96921e+36, -999]")
    assert "-999 in feature 3 (40 of 400 rows, 10.0%); if" in message.shell
    assert message.shell.endswith("--missing-values 9.96921e+36,-999")
    single = only_warning(lambda: Classifier().learn(np.float32(X[:, 1:] - 0.9), y))
    assert str(single).endswith("missing_values=-999.9")


def test_rows_one_by_one_warn_of_the_least_count():
    X, y = faulty()
    model = Classifier()
    message = only_warning(lambda: [model.learn_one(x, bool(label)) for x, label in zip(X, y, strict=True)])
    assert "at least " in str(message)


@pytest.mark.parametrize("learn", [Classifier().learn, OnlineKernelClassifier().fit])
def test_columns_have_their_names(learn):
    X, y = faulty()
    with pytest.warns(UserWarning, match=MESSAGE.format('"depth"')):
        learn(pd.DataFrame(X, columns=["here", "depth", "there"]), y)


@pytest.mark.parametrize(
    ("params", "rows"),
    [
        ({"scaling": "none"}, lambda X: X / 1000),
        ({}, lambda X: np.where(X == -999, 0, X)),
        ({"hash_features": 8}, lambda X: X),
        ({}, lambda X: np.c_[X[:, 0], X[:, 1] == -999]),
    ],
)
def test_clean_rows_and_other_scalings_do_not_warn(params, rows):
    X, y = faulty()
    assert warnings_of(lambda: Classifier(**params).learn(rows(X), y)) == []
