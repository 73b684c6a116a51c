"""The probabilities of one row equal `predict_proba`, and come with their labels."""

import numpy as np
import pytest

from budgetrs import Classifier
from conftest import blobs, board


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("labels", [None, ["a", "b", "c"], [False, True, True]])
def test_the_probabilities_of_a_row_equal_a_batch(dtype, labels):
    X, y = blobs(300, dtype=dtype)
    y = y if labels is None else np.array(labels)[y]
    model = Classifier(budget=20).learn(X, y)
    for x in X[:20]:
        expected = dict(zip(model.classes_.tolist(), model.predict_proba(x[None])[0].tolist(), strict=True))
        # An array of the model's type, of another type, and a list take different ways.
        for form in (x, x.astype(np.float64), x.tolist(), x[::-1][::-1]):
            found = model.predict_proba_one(form)
            assert list(found.items()) == list(expected.items())
        assert max(found, key=found.get) == model.predict_one(x)


def test_one_class_and_missing_values():
    model = Classifier(budget=5).learn_one([1.0, 2.0], "a")
    for x in ([1.0, np.nan], np.array([1.0, 2.0])):
        assert model.predict_proba_one(x) == {"a": 1.0}


def test_errors_equal_a_batch():
    X, y = board(50)
    with pytest.raises(ValueError, match="has not learned any rows"):
        Classifier(budget=5).predict_proba_one(X[0])
    model = Classifier(budget=5).learn(X, y)
    for wrong, message in (([1.0], "2 features"), ([np.inf, 1.0], "infinity"), (X, "x must")):
        with pytest.raises(ValueError, match=message):
            model.predict_proba_one(wrong)
    with pytest.raises(ValueError, match="predict_proba"):
        Classifier("bpa-s", budget=5).learn(X, y).predict_proba_one(X[0])
