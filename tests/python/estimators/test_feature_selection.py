"""scikit-learn's feature selection by the estimators' importances, one for each column."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import RFE, SelectFromModel

from budgetrs import BPAClassifier, BSGDClassifier, OnlineKernelClassifier, OnlineKernelRegressor
from budgetrs._importances import _of_columns
from budgetrs._modelfile import Columns
from kinds import KINDS, data_for, small


@pytest.mark.parametrize("kind", KINDS)
def test_every_estimator_has_an_importance_for_each_column(kind):
    X, y = data_for(kind)
    estimator = small(kind, gamma=1.0) if "gamma" in kind._get_param_names() else small(kind)
    assert not hasattr(estimator, "feature_importances_")
    found = estimator.fit(X, y).feature_importances_
    assert found.shape == (estimator.n_features_in_,)
    assert found.sum() == pytest.approx(1.0)
    # scikit-learn prefers these, which would be the linear term alone.
    assert not hasattr(estimator, "coef_")
    assert not hasattr(estimator, "intercept_")


@pytest.mark.parametrize("kind", [OnlineKernelClassifier, OnlineKernelRegressor])
def test_selection_keeps_the_features_of_a_product(kind):
    X = np.random.default_rng(0).normal(size=(1500, 5))
    y = (X[:, 1] * X[:, 3] > 0).astype(int)
    estimator = kind(budget=30, random_state=0)
    for selection in (SelectFromModel(estimator), RFE(estimator, n_features_to_select=2, step=3)):
        assert np.flatnonzero(selection.fit(X, y).get_support()).tolist() == [1, 3]


def test_selection_of_text_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(1000, 3)), columns=["a", "b", "c"])
    frame.insert(0, "colour", rng.choice(["red", "blue", "green"], 1000))
    y = frame["colour"] == "red"
    selection = SelectFromModel(OnlineKernelClassifier(budget=20, random_state=0)).fit(frame, y)
    assert frame.columns[selection.get_support()].tolist() == ["colour"]


def test_importances_of_columns_in_another_order_than_their_features():
    columns = Columns(["size", "w", "new"], [None, 1, 2], [{"M": 0, "S": 3, "L": 4}, None, None])
    assert _of_columns(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), columns).tolist() == [10.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            BPAClassifier(kernel="laplacian"),
            'needs the kernel "rbf" or "rational-quadratic", got "laplacian"',
        ),
        (BSGDClassifier(hash_features=8), "needs hash_features=None"),
    ],
)
def test_models_without_importances_of_columns(estimator, message):
    X = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(AttributeError, match=message):
        _ = estimator.fit(X, X[:, 0] > 0).feature_importances_
