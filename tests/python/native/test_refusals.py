"""Errors of the native Classifier name the argument, and change nothing."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

from budgetrs import Classifier
from conftest import SMALL, board, learned

ERRORS = (ValueError, TypeError, OverflowError)


def with_value(value, row=7):
    return lambda X, y: (np.where(np.arange(50)[:, None] == row, value, X), y)


def with_label(value, row=9):
    return lambda X, y: (X, np.where(np.arange(50) == row, value, y))


INVALID = {
    "NaN": (with_value(np.nan), r"X.*row 7, column 0"),
    "infinity": (with_value(np.inf), r"X.*row 7"),
    "wide": (lambda X, y: (np.hstack([X, X]), y), r"X.*2.*4"),
    "narrow": (lambda X, y: (X[:, :1], y), r"X.*2.*1"),
    "no columns": (lambda X, y: (X[:, :0], y), "X"),
    "one dimension": (lambda X, y: (X[:, 0], y), "X"),
    "three dimensions": (lambda X, y: (X[None], y), "X"),
    "no rows": (lambda X, y: (X[:0], y[:0]), r"X.*1 row.*\(0, 2\)"),
    "masked": (lambda X, y: (np.ma.array(X, mask=X > 0.5), y), "X.*masked"),
    "a number": (lambda X, y: (np.float64(3), y), r"X.*2 dimensions.*shape \(\)"),
    "sparse and complex": (lambda X, y: (sp.csr_array(X.astype(complex)), y), "X.*complex128"),
    "sparse and NaN": (lambda X, y: (sp.csr_array(with_value(np.nan)(X, y)[0]), y), "X.*row 7"),
    "None": (lambda X, y: (None, y), "X"),
    "too large for the type": (lambda X, y: (X.astype(np.float64) * 1e300, y), "X"),
    "short y": (lambda X, y: (X, y[:-1]), "y"),
    "y of two dimensions": (lambda X, y: (X, np.stack([y, y], 1)), "y"),
    "unseen label": (with_label(5), r"y.*5.*row 9.*0, 1"),
    "label of another kind": (lambda X, y: (X, np.array(["a"] * 50)), "y"),
    "label NaN": (with_label(np.nan), "y"),
    "label None": (lambda X, y: (X, [None] * 50), "y"),
    "short weights": (lambda X, y: (X, y, np.ones(49)), "sample_weight"),
    "weights of two dimensions": (lambda X, y: (X, y, np.ones((50, 2))), "sample_weight"),
}


@pytest.mark.parametrize("case", INVALID)
def test_an_invalid_batch_changes_nothing(case):
    change, message = INVALID[case]
    X, y = board(50)
    model = learned(classes=[0, 1])
    before = model.to_bytes()
    rows, labels, *weight = change(X, y)
    with pytest.raises(ERRORS, match=re.compile(message, re.DOTALL)):
        model.learn(rows, labels, sample_weight=weight[0] if weight else None)
    assert model.to_bytes() == before
    assert model.learn(X, y).n_samples_seen_ == 350


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 100], "order must be row indices from 0 to 99, got 100"),
        ([0, -1], "order must be row indices >= 0, got -1"),
        ([0.0, 1.0], "order must hold integers, got dtype float64"),
        ([[0, 1]], "order must have 1 dimension"),
    ],
)
def test_an_invalid_order_changes_nothing(order, message):
    X, y = board(100)
    model = learned(X, y)
    before = model.to_bytes()
    with pytest.raises(ERRORS, match=message):
        model.learn(X, y, order=order)
    assert model.learn(X, y, order=np.array([], int)).to_bytes() == before


def test_an_order_needs_a_number_as_gamma():
    model = Classifier("bsgd-project", budget=20, gamma="scale", kernel="poly")
    with pytest.raises(ValueError, match="order need a number as gamma"):
        model.learn(*board(100), order=[1, 0])
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_invalid_row_changes_nothing(dtype):
    X, y = board(50, dtype=dtype)
    model = learned(X, y, classes=[0, 1])
    before = model.to_bytes()
    large = 1e20 if dtype == np.float32 else 1e100
    rows = [np.array([1.0, value], dtype) for value in (np.nan, np.inf, large)]
    rows += [np.zeros(3, dtype), np.zeros(0, dtype), np.zeros((1, 2), dtype), [1.0], X]
    for row in rows:
        for call in (lambda row=row: model.learn_one(row, 1), lambda row=row: model.predict_one(row)):
            with pytest.raises(ERRORS, match=r"x|X"):
                call()
    for weight in (-1.0, 2e9, np.nan):
        with pytest.raises(ERRORS, match="sample_weight"):
            model.learn_one(X[0], 1, sample_weight=weight)
    with pytest.raises(ERRORS, match="y"):
        model.learn_one(X[0], 8)
    for bad in ([[np.nan, 0.0]], [[1.0]], [1.0, 2.0], "text"):
        for predict in (model.predict, model.decision_function):
            with pytest.raises(ERRORS, match="X"):
                predict(bad)
    model.learn_one(X[0], 1, sample_weight=0.0)
    assert model.to_bytes() == before


def test_an_invalid_first_batch_leaves_a_new_model():
    X, y = board(50)
    model = Classifier(**SMALL)
    with pytest.raises(ValueError, match=r"X.*row 7, column 0"):
        model.learn(*with_value(np.nan)(X, y))
    assert not hasattr(model, "n_features_in_")
    assert model.learn(X.astype(np.float64), y).dtype == np.float64


# Values that only Python has; src/params/tests has the values of the core.
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"budget": 1.5}, "budget"),
        ({"budget": 2**70}, "budget.*16777216.*1.1805916207174113e21"),
        ({"budget": None}, "budget = None.*merge.*16777216.*none"),
        ({"alpha": "small"}, "alpha"),
        ({"alpha": 10**400}, "alpha.*1e20.*inf"),
        ({"alpha": -(10**400)}, "alpha.*1e20.*-inf"),
        ({"alpha": 1j}, "alpha.*complex"),
        ({"gamma": [1.0]}, "gamma.*list"),
        ({"kernel": "poly", "degree": 2.5, "maintenance": "random"}, "degree"),
        ({"rate": [1.0]}, "rate"),
        ({"rate": 5.0, "max_size": 20.5}, "max_size"),
        ({"average": [0.5]}, "average"),
        ({"average": True, "stream_length": -5}, "stream_length"),
        ({"maintenance": "project-nn", "n_neighbors": "all"}, "n_neighbors"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed.*18446744073709551616"),
        ({"seed": 10**400}, "seed"),
        ({"project_to_ball": "yes"}, "project_to_ball"),
        ({"classes": 5}, "classes"),
    ],
    ids=str,
)
def test_an_invalid_parameter_raises(params, message):
    with pytest.raises(ERRORS, match=re.compile(message, re.DOTALL)):
        Classifier(**{"algorithm": "bsgd-merge", **params})
