"""What the models for River take as rows, empty ones and frames of any library, and what they refuse."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from budgetrs import ParameterError
from budgetrs.river import Classifier, Regressor

FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [0.5, -0.5]})
LABELS = pd.Series(["x", "y"])


def test_a_first_row_of_weight_0_is_no_row():
    model = Classifier()
    model.learn_one({"a": 1.0}, "x", w=0)
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    assert model.predict_many(FRAME).isna().all()
    assert model.predict_proba_many(FRAME).shape == (2, 0)
    model.learn_one({"b": 1.0}, "y")
    assert model.feature_names == ("b",)
    assert model.predict_one({"b": 1.0}) == "y"
    regressor = Regressor()
    regressor.learn_one({"a": 1.0}, 3.0, w=0)
    assert regressor.predict_one({"a": 1.0}) == 0.0


@pytest.mark.parametrize("params", [{}, {"hash_features": 8}])
def test_a_row_of_no_features_is_taken(params):
    model, other = Classifier(**params), Classifier(**params)
    model.learn_one({}, "x")
    model.learn_many(pd.DataFrame(index=range(2)), LABELS)
    assert model.predict_one({}) is None
    for x in ({"a": 1.0}, {}, {"a": 2.0}):
        model.learn_one(x, "x")
        other.learn_one({"a": 0.0, **x}, "x")
    assert model.native.to_bytes() == other.native.to_bytes()


@pytest.mark.parametrize("x", [[1, 2], np.ones(2), FRAME.iloc[0], None])
def test_a_row_that_is_no_dict_is_refused(x):
    model = Classifier()
    with pytest.raises(TypeError, match="x must be a dict"):
        model.learn_one(x, "x")
    model.learn_one({"a": 1.0}, "x")
    for method in (model.predict_one, model.predict_proba_one):
        with pytest.raises(TypeError, match="x must be a dict"):
            method(x)


def test_frames_of_other_libraries_are_taken():
    model, other = Classifier(), Classifier()
    model.learn_many(pl.DataFrame({"a": [1.0, 2.0], "b": [0.5, -0.5]}), pl.Series(["x", "y"]))
    other.learn_many(FRAME, LABELS)
    assert model.native.to_bytes() == other.native.to_bytes()
    assert model.predict_many(pl.from_pandas(FRAME)).equals(other.predict_many(FRAME))
    assert model.predict_proba_many(pl.from_pandas(FRAME)).equals(other.predict_proba_many(FRAME))
    other.learn_many(FRAME.astype("Float64"), ["x", "y"])


@pytest.mark.parametrize("X", [np.ones((2, 1)), {"a": 1.0}, [[1.0]]])
def test_what_is_no_frame_is_refused(X):
    model = Classifier()
    for method in (model.predict_many, model.predict_proba_many, lambda X: model.learn_many(X, LABELS)):
        with pytest.raises(TypeError, match="X must be a data frame"):
            method(X)


def test_columns_that_cannot_be_learned_are_named():
    model = Classifier()
    words = FRAME.assign(colour=["red", "blue"])
    for X in (words, pl.from_pandas(words)):
        with pytest.raises(TypeError, match=r"X\['colour'\] must hold numbers, got 'red' at row 0; .*OneHot"):
            model.learn_many(X, LABELS)
    with pytest.raises(ValueError, match="distinct names, got 'a' twice"):
        model.learn_many(pd.DataFrame(np.ones((2, 2)), columns=["a", "a"]), LABELS)
    assert model.feature_names == ()


def test_a_missing_number_says_what_takes_it():
    with pytest.raises(
        ParameterError, match=r"x\['a'\] must be finite, got None; .* accepts missing values.* scaling = "
    ):
        Classifier("bsgd-merge").learn_one({"a": None}, "x")
