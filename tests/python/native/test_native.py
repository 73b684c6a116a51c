"""What the native Classifier computes: classes, scores, gamma and width.

Ways of learning: test_doors.py; budgets, orders and batches: tests/contract; inputs: test_layouts.py; errors:
test_errors.py; saving and threads: test_state.py.
"""

from unittest.mock import patch

import numpy as np
import pytest

from budgetrs import Classifier
from conftest import SMALL, blobs, board, learned


def test_predicting_one_row_makes_no_array_of_the_classes():
    X, y = blobs(100)
    model = learned(X, np.array(["red", "green", "blue"])[y])
    expected = model.predict(X[:5]).tolist()
    with patch.object(np, "array", side_effect=AssertionError("an array was made")):
        assert [model.predict_one(x) for x in X[:5]] == expected
    assert type(model.predict_one(X[0])) is str
    # The array that a caller gets is the caller's.
    model.classes_[:] = "none"
    assert model.classes_.tolist() == ["blue", "green", "red"]
    assert model.predict(X[:5]).tolist() == expected


def test_a_score_beyond_the_type_names_the_row_of_the_batch():
    model = Classifier("pegasos", kernel="linear", alpha=1e-20, classes=[0, 1])
    model.learn_one(np.float32([1e12]), 1)
    X = np.ones((5000, 1), np.float32)
    X[4321] = 1e12
    with pytest.raises(ValueError, match="X is too large at row 4321: expected scores"):
        model.decision_function(X)


def test_classes_may_be_given_in_advance():
    X, y = board(50)
    later = Classifier().learn(X, ["x", "y"] * 25, classes=["z", "y", "x"])
    for model in (Classifier(classes=["x", "y", "z"]), later):
        assert model.classes_.tolist() == ["x", "y", "z"]
    model = Classifier(**SMALL, classes=[0, 1]).learn(X[:3], [1, 1, 1]).learn(X[3:], y[3:])
    assert model.decision_function(X).shape == (50,)


def test_a_prediction_of_no_rows_is_empty():
    for model, width, shape in ((learned(), 2, (0,)), (learned(*blobs(50)), 4, (0, 3))):
        nothing = np.empty((0, width))
        assert model.predict(nothing).shape == (0,)
        assert model.predict(nothing).dtype == model.classes_.dtype
        assert model.decision_function(nothing).shape == shape


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gamma_scale_is_derived_from_the_first_rows(dtype):
    X, y = blobs(1500, dtype=dtype)
    for rows, used in ((1500, 1023), (100, 63)):
        model = Classifier(**{**SMALL, "gamma": "scale"}).learn(X[:rows], y[:rows])
        assert model.gamma_ == pytest.approx(1 / (4 * X[:used].astype(np.float64).var()), rel=1e-6)
    assert learned(gamma="auto").gamma_ == 0.5
    assert learned(gamma=3).gamma_ == 3.0
    constant = Classifier("bsgd-merge", gamma="scale").learn(np.ones((40, 4)), np.arange(40) % 2)
    assert constant.gamma_ == 0.25


@pytest.mark.parametrize(
    ("mean", "std", "message"),
    [
        ([0], [1, 1], r"mean|std"),
        ([0, np.nan], [1, 1], r"mean|std"),
        ([0, 0], [1, -1], r"mean|std"),
        ([0, 0, 0], [1, 1, 1], r"2.*3"),
    ],
)
def test_an_invalid_scaling_raises(mean, std, message):
    model = Classifier(**SMALL)
    with pytest.raises(ValueError, match=message):
        model.set_scaling(mean, std) or model.learn(*board(20))


def test_a_model_may_become_wider_and_never_narrower():
    model = learned(*blobs(50))
    model.add_features(6)
    assert model.n_features_in_ == model.support_vectors_.shape[1] == 6
    for narrow in (5, -1, 2**70):
        with pytest.raises(ValueError, match=f"n_features.*{narrow}"):
            model.add_features(narrow)
    assert model.n_features_in_ == 6
