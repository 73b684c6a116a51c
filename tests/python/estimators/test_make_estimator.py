"""Estimators by name, in pipelines and searches, and on real data."""

import lzma

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_svmlight_files
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from budgetrs import (
    BPAClassifier,
    BSGDClassifier,
    BudgetMIRA,
    BudgetPerceptron,
    Classifier,
    OnlineKernelClassifier,
    make_estimator,
)
from budgetrs._core import parameters
from conftest import ALL, CODE_PATHS, blobs, bounded, required


@pytest.mark.parametrize("name", CODE_PATHS)
def test_make_gives_every_algorithm_as_an_estimator(name):
    X, y = blobs(300)
    params = {**required(name), "gamma": 0.2, "random_state": 0}
    if name == "online-kernel":  # its estimator has fewer parameters
        del params["gamma"]
    if bounded(name):
        params["budget"] = 30
    estimator = make_estimator(name, **params)
    own = parameters(name)
    kinds = {"C0": OnlineKernelClassifier, "alpha": BSGDClassifier, "loss": BPAClassifier, "C": BudgetMIRA}
    assert type(estimator) is next((kind for key, kind in kinds.items() if key in own), BudgetPerceptron)
    assert not hasattr(estimator, "n_samples_seen_")
    assert estimator.fit(X, y).score(X, y) > 0.8
    seed = int(np.random.RandomState(0).randint(0, 2**64, dtype=np.uint64))
    more = {k: v for k, v in params.items() if k != "random_state"}
    native = Classifier(name, seed=seed, classes=np.unique(y), **more).fit(X, y)
    np.testing.assert_array_equal(native.dual_coef_, estimator.dual_coef_)
    np.testing.assert_array_equal(native.support_vectors_, estimator.support_vectors_)


@pytest.mark.parametrize(
    ("name", "params", "error", "message"),
    [
        ("nothing", {}, ValueError, r"name must be .*\"nothing\"$"),
        (["x"], {}, TypeError, r"name must be a name in budgetrs.ALGORITHMS, got \['x'\]"),
        ("bsgd-merge", {"maintenance": "random"}, TypeError, "maintenance"),
        ("nbsgd", {}, ValueError, 'rate must be a number or "auto" for "nbsgd"'),
        ("bsgd-merge", {"width": 3}, TypeError, "width"),
    ],
)
def test_invalid_names_and_parameters_raise(name, params, error, message):
    with pytest.raises(error, match=message):
        make_estimator(name, **params)


def test_a_parameter_that_the_name_implies_is_valid():
    assert make_estimator("bsgd-merge", maintenance="merge").get_params() == BSGDClassifier().get_params()


def test_works_in_pipelines_and_searches():
    X, y = load_digits(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), BSGDClassifier(budget=200, max_iter=2, random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85
    estimator, grid = BSGDClassifier(budget=50, random_state=0), {"alpha": [1e-4, 1e-2]}
    search = GridSearchCV(estimator, grid, cv=2, n_jobs=2 if ALL else None)
    search.fit(X[:400] / 16, y[:400])
    assert search.best_score_ > 0.8


def test_adult(real_data):
    with (
        lzma.open(real_data("a9a.train.libsvm.xz")) as train,
        lzma.open(real_data("a9a.test.libsvm.xz")) as test,
    ):
        X, y, X_test, y_test = load_svmlight_files([train, test], n_features=123)
    estimator = BSGDClassifier(budget=500, gamma=0.01, random_state=0).fit(X.astype(np.float32), y)
    assert estimator.n_support_vectors_ <= 500
    assert estimator.score(X_test, y_test) >= 0.83
