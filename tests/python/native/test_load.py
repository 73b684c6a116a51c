"""`load` and `from_bytes`: a model of any kind, by what the file holds."""

import numpy as np
import pytest

import budgetrs
from budgetrs import (
    BSGDClassifier,
    Classifier,
    KeyedModels,
    OnlineKernelRegressor,
    Regressor,
)

X = np.random.default_rng(0).normal(size=(60, 2))


@pytest.mark.parametrize(("kind", "y"), [(Classifier, X[:, 0] > 0), (Regressor, X[:, 0])])
def test_native_models(tmp_path, kind, y):
    model = kind(budget=10).learn(X, y)
    model.save(tmp_path / "model")
    for found in (
        budgetrs.load(tmp_path / "model"),
        budgetrs.load(str(tmp_path / "model")),
        budgetrs.from_bytes(model.to_bytes()),
        budgetrs.from_bytes(bytearray(model.to_bytes())),
    ):
        assert type(found) is kind
        assert found.to_bytes() == model.to_bytes()


@pytest.mark.parametrize(
    ("estimator", "y"), [(BSGDClassifier, X[:, 0] > 0), (OnlineKernelRegressor, X[:, 0])]
)
def test_estimators_become_native_models(tmp_path, estimator, y):
    model = estimator(budget=10).fit(X, y)
    model.save(tmp_path / "model")
    found = budgetrs.load(tmp_path / "model")
    assert type(found) is type(model._model)
    np.testing.assert_array_equal(found.predict(X), model.predict(X))


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_models_by_key(tmp_path, kind):
    keys = np.array(["a", "b"])[(X[:, 1] > 0).astype(int)]
    y = X[:, 0] if kind is Regressor else X[:, 0] > 0
    models = KeyedModels(kind(budget=10)).learn(X, y, keys)
    models.save(tmp_path / "models")
    found = budgetrs.load(tmp_path / "models")
    assert type(found) is KeyedModels
    np.testing.assert_array_equal(found.predict(X, keys), models.predict(X, keys))
