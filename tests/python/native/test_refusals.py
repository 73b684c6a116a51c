"""What the native Classifier refuses: by name, and without changing."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

from budgetrs import Classifier
from budgetrs._core import KERNELS, _choices, applicable
from conftest import SMALL, blobs, board, learned


def test_a_list_of_classes_has_two():
    X, y = board(50)
    with pytest.raises(ValueError, match="class"):
        Classifier().learn(X, y, classes=[4])
    with pytest.raises(ValueError, match="class"):
        Classifier(classes=[4])


REFUSED = {
    "NaN": (lambda X, y: (np.where(np.arange(50)[:, None] == 7, np.nan, X), y), r"X.*row 7, column 0"),
    "infinity": (lambda X, y: (np.where(np.arange(50)[:, None] == 7, np.inf, X), y), r"X.*row 7"),
    "wide": (lambda X, y: (np.hstack([X, X]), y), r"X.*2.*4"),
    "narrow": (lambda X, y: (X[:, :1], y), r"X.*2.*1"),
    "no columns": (lambda X, y: (X[:, :0], y), "X"),
    "one dimension": (lambda X, y: (X[:, 0], y), "X"),
    "three dimensions": (lambda X, y: (X[None], y), "X"),
    "no rows": (lambda X, y: (X[:0], y[:0]), r"X.*1 row.*\(0, 2\)"),
    "text": (lambda X, y: (X.astype(str), y), "X"),
    "complex": (lambda X, y: (X.astype(complex), y), "X.*complex128"),
    "dates": (lambda X, y: (X.astype("M8[s]"), y), "X.*datetime64"),
    "fields": (lambda X, y: (np.zeros(50, dtype=[("a", "f4"), ("b", "f4")]), y), "X.*'a'"),
    "masked": (lambda X, y: (np.ma.array(X, mask=X > 0.5), y), "X.*masked"),
    "a number": (lambda X, y: (np.float64(3), y), r"X.*2 dimensions.*shape \(\)"),
    "too large for a float": (lambda X, y: ([[10**400, 1]] * 50, y), "X.*largest float64"),
    "ragged": (lambda X, y: ([[1, 2]] * 49 + [[1]], y), "X"),
    "sparse and complex": (lambda X, y: (sp.csr_array(X.astype(complex)), y), "X.*complex128"),
    "objects": (lambda X, y: (np.array([[object(), 1.0]] * 50), y), "X"),
    "None": (lambda X, y: (None, y), "X"),
    "short y": (lambda X, y: (X, y[:-1]), "y"),
    "y of two dimensions": (lambda X, y: (X, np.stack([y, y], 1)), "y"),
    "unseen label": (lambda X, y: (X, np.where(np.arange(50) == 9, 5, y)), r"y.*5.*row 9.*0, 1"),
    "label of another kind": (lambda X, y: (X, np.array(["a"] * 50)), "y"),
    "label NaN": (lambda X, y: (X, np.where(np.arange(50) == 9, np.nan, y)), "y"),
    "label None": (lambda X, y: (X, [None] * 50), "y"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_batch_changes_nothing(case):
    change, message = REFUSED[case]
    X, y = board(50)
    model = learned(classes=[0, 1])
    before = model.to_bytes()
    with pytest.raises((ValueError, TypeError), match=re.compile(message, re.DOTALL)):
        model.learn(*change(X, y))
    assert model.to_bytes() == before
    model.learn(X, y)
    assert model.n_samples_seen_ == 350


@pytest.mark.parametrize(
    "weight",
    [np.full(50, -1.0), np.full(50, np.nan), np.full(50, np.inf), np.ones(49), np.ones((50, 2)), ["a"] * 50],
    ids=["negative", "NaN", "infinite", "short", "two dimensions", "text"],
)
def test_refused_weights_change_nothing(weight):
    X, y = board(50)
    model = learned()
    before = model.to_bytes()
    with pytest.raises((ValueError, TypeError), match="sample_weight"):
        model.learn(X, y, sample_weight=weight)
    assert model.to_bytes() == before


def test_refused_single_rows_change_nothing():
    X, y = board(50)
    model = learned(classes=[0, 1])
    before = model.to_bytes()
    for x, label, weight, message in [
        ([np.nan, 1.0], 1, 1.0, "x|X"),
        ([1.0], 1, 1.0, "x|X"),
        (X, 1, 1.0, "x|X"),
        (X[0], 8, 1.0, "y"),
        (X[0], y[0], -1.0, "sample_weight"),
        (X[0], y[0], np.nan, "sample_weight"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            model.learn_one(x, label, sample_weight=weight)
    for bad in ([[np.nan, 0.0]], [[1.0]], [1.0, 2.0], "text"):
        with pytest.raises((ValueError, TypeError), match="X"):
            model.predict(bad)
        with pytest.raises((ValueError, TypeError), match="X"):
            model.decision_function(bad)
    with pytest.raises((ValueError, TypeError), match=r"x|X"):
        model.predict_one([1.0])
    assert model.to_bytes() == before


def test_a_refused_first_batch_leaves_a_new_model():
    X, y = board(50)
    fresh = Classifier(**SMALL)
    X_bad = X.copy()
    X_bad[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"X.*row 3, column 1"):
        fresh.learn(X_bad, y)
    with pytest.raises(AttributeError):
        _ = fresh.n_features_in_
    assert fresh.learn(X.astype(np.float64), y).dtype == np.float64


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"algorithm": "nothing"}, "algorithm must be .*nothing"),
        ({"maintenance": "nothing"}, "maintenance.*merge.*nothing"),
        ({"budget": 0}, "budget.*0"),
        ({"budget": -3}, "budget.*-3"),
        ({"budget": 1.5}, "budget"),
        ({"budget": "many"}, "budget"),
        ({"budget": 2**70}, "budget.*16777216.*1.1805916207174113e21"),
        ({"budget": None}, "budget = None.*merge.*16777216.*none"),
        ({"algorithm": "bsgd-random", "budget": None}, "budget = None.*random"),
        ({"algorithm": "pegasos", "budget": 5}, "budget = 5.*none"),
        ({"loss": "exponential"}, "loss.*hinge.*exponential"),
        ({"alpha": 0.0}, "alpha.*0"),
        ({"alpha": -1.0}, "alpha.*-1"),
        ({"alpha": float("nan")}, "alpha"),
        ({"alpha": float("inf")}, "alpha"),
        ({"alpha": "small"}, "alpha"),
        ({"alpha": 10**400}, "alpha.*1e20.*inf"),
        ({"alpha": -(10**400)}, "alpha.*1e20.*-inf"),
        ({"alpha": 1j}, "alpha.*complex"),
        ({"alpha": 9e-21}, "alpha.*1e-20"),
        ({"gamma": 2e30}, "gamma.*1e30"),
        ({"gamma": [1.0]}, "gamma.*list"),
        ({"kernel": "nothing"}, "kernel.*rbf.*nothing"),
        ({"gamma": 0.0}, "gamma.*0"),
        ({"gamma": -2.0}, "gamma.*-2"),
        ({"gamma": float("nan")}, "gamma"),
        ({"gamma": "wide"}, "gamma.*scale.*auto.*wide"),
        ({"kernel": "poly", "degree": 0, "maintenance": "random"}, "degree.*0"),
        ({"kernel": "poly", "degree": 2.5, "maintenance": "random"}, "degree"),
        ({"kernel": "poly", "coef0": -1.0, "maintenance": "random"}, "coef0.*-1"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed.*18446744073709551616"),
        ({"seed": 10**400}, "seed"),
        ({"seed": "x"}, "seed"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"project_to_ball": "yes"}, "project_to_ball"),
        ({"classes": 5}, "classes"),
        ({"nothing": 5}, "nothing"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises((ValueError, TypeError, OverflowError), match=re.compile(message, re.DOTALL)):
        Classifier(**{"algorithm": "bsgd-merge", **params})


@pytest.mark.parametrize("kernel", sorted({*KERNELS} - {*_choices("bsgd-merge", False)["kernel"]}))
def test_merging_needs_a_kernel_that_merges(kernel):
    with pytest.raises(ValueError, match=f"(merge.*{kernel}|{kernel}.*merge)"):
        Classifier("bsgd-merge", kernel=kernel)
    X, y = blobs(300, dtype=np.float64)
    params = {"gamma": 0.1, "coef0": 0.1, "alpha": 1e-2}
    own = applicable("bsgd-random", kernel=kernel)
    params = {name: value for name, value in params.items() if name in own}
    model = Classifier("bsgd-random", budget=30, kernel=kernel, **params).learn(X, y)
    assert np.mean(model.predict(X) == y) > 0.5
    assert np.isfinite(model.decision_function(X)).all()
