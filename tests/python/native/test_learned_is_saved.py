"""What can be learned can be saved: extreme parameters, orders of rows and repeated rows."""

import sys

import numpy as np
import pytest

from budgetrs import Classifier, ParameterError, Regressor
from budgetrs._core import REQUIRED, parameters
from conftest import ALL, ROOT

sys.path.insert(0, str(ROOT))

from tests.fuzz.drawn import TASKS

EXTREMES = (1e-30, 1e-10, 1.0, 146.76, 1e5, 1e10, 3.4e8, 1e30)


def learned(model, rng, regression):
    """Learn batches, and save the model after each that is valid."""
    count = 0
    for _ in range(4):
        n = int(rng.choice([1, 2, 3, 6]))
        X = rng.normal(size=(n, 2)) * 10 ** rng.uniform(-20, 5)
        X = X.astype(rng.choice(["float32", "float64"]))
        y = rng.normal(size=n) if regression else rng.integers(0, 3, n)
        weight = rng.choice([0.0, 1.0, 1e-3, 1e6], n) if rng.random() < 0.4 else None
        rows = rng.integers(0, n, 2 * n) if rng.random() < 0.6 else np.arange(n)
        try:
            weight = None if weight is None else weight[rows]
            model.learn(X[rows], y[rows], sample_weight=weight, repeated=bool(rng.random() < 0.4))
        except (ValueError, TypeError):
            continue
        count += 1
        assert type(model).from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
    return count


@pytest.mark.parametrize(("name", "regression"), TASKS)
def test_what_is_learned_is_saved(name, regression):
    rng, count = np.random.default_rng(0), 0
    for _ in range(40 if ALL else 10):
        kernel = str(rng.choice(["poly", "poly", "linear", "sigmoid", "rbf", "laplacian"]))
        given = {"kernel": kernel, "scaling": rng.choice(["online", "none"])}
        given |= dict.fromkeys(REQUIRED.get(name, ()), 5.0)
        if parameters(name)["budget"] is not None:
            given["budget"] = 3
        if kernel != "linear":
            given["gamma"] = rng.choice(EXTREMES)
        if kernel in ("poly", "sigmoid"):
            given["coef0"] = rng.choice([0.0, 1.0, 1e5, 1e10])
        if kernel == "poly":
            given["degree"] = int(rng.choice([1, 2, 3, 10]))
        try:
            model = (Regressor if regression else Classifier)(name, **given)
        except ParameterError:
            continue
        count += learned(model, rng, regression)
    assert count


def test_the_order_decides_whether_standardised_rows_are_too_large():
    rng, raised = np.random.default_rng(0), 0
    for _ in range(3000):
        kernel = {"kernel": "poly", "degree": 10, "gamma": 146.76, "coef0": 0.0}
        model = Classifier("budget-perceptron-distill", budget=3, scaling="online", **kernel)
        rows = rng.integers(0, 3, 6)
        X = rng.normal(size=(3, 2)).astype(np.float32) * 1e-3
        before = model.to_bytes()
        try:
            model.learn(X[rows], np.array([0, 1, 0])[rows])
        except ValueError:
            raised += 1
            assert model.to_bytes() == before
        model.to_bytes()
    assert raised


def test_new_classes_in_repeated_rows_are_no_mistakes():
    model = Classifier().learn([[0.0], [1.0], [2.0]], [0, 1, 2], repeated=True)
    assert Classifier.from_bytes(model.to_bytes()).classes_.tolist() == [0, 1, 2]
