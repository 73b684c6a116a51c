"""`load` and `from_bytes`: a model of any kind, by what the file holds."""

import re

import numpy as np
import pytest

import budgetrs
from budgetrs import (
    BSGDClassifier,
    Classifier,
    KeyedModels,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    Regressor,
    _core,
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


def test_a_model_of_the_other_task_says_what_reads_it(tmp_path):
    classifier, regressor = Classifier(budget=5).learn(X, X[:, 0] > 0), Regressor(budget=5).learn(X, X[:, 0])
    for model, other in ((classifier, Regressor), (regressor, Classifier)):
        own = type(model).__name__
        expected = (
            f'expected a model for {other.__name__}, got a {own} with the algorithm "online-kernel"; {own}'
        )
        path = tmp_path / own
        model.save(path)
        with pytest.raises(ValueError, match=f"^{re.escape(f'{path}: {expected}.load reads it')}$"):
            other.load(path)
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}.from_bytes reads it$"):
            other.from_bytes(model.to_bytes())


@pytest.mark.parametrize(
    "data", [b"", b"abc", b"width,town\n1,Oslo\n" * 9, b"PK\x03\x04" * 9, b"\x08" + b"\0" * 30]
)
def test_another_kind_of_file(data, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(data)
    for load in (Classifier.load, Regressor.load, _core.load, budgetrs.load, OnlineKernelClassifier.load):
        with pytest.raises(ValueError, match=re.escape(f"{path}: not a valid model: another kind of file")):
            load(path)
