"""What the models for River take as rows, empty ones and frames of any library, and what they refuse."""

import copy
import datetime
import decimal
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river.preprocessing import StandardScaler

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


def test_a_model_ends_a_pipeline():
    assert str(StandardScaler() | Classifier()) == "StandardScaler | Classifier"
    for model in (Classifier(), Regressor()):
        name = type(model).__name__
        with pytest.raises(
            TypeError, match=rf"^{name} must be the last .*: StandardScaler\(\) \| {name}\(\)$"
        ):
            model | StandardScaler()


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
    other.learn_one({1: 2.0}, "x")
    for call in (other.predict_many, lambda X: other.learn_many(X, LABELS)):
        with pytest.raises(ParameterError, match="rename the feature 1 or '1'"):
            call(pl.DataFrame({"1": [1.0, 2.0]}))


@pytest.mark.parametrize("X", [np.ones((2, 1)), {"a": 1.0}, [[1.0]]])
def test_what_is_no_frame_is_refused(X):
    model = Classifier()
    for method in (model.predict_many, model.predict_proba_many, lambda X: model.learn_many(X, LABELS)):
        with pytest.raises(TypeError, match="X must be a data frame"):
            method(X)


def test_columns_that_cannot_be_learned_are_named():
    model = Classifier()
    with pytest.raises(
        ParameterError, match=r"column 'colour', got the text \"red\" at row 1: .* mixes text"
    ):
        model.learn_many(FRAME.assign(colour=[1.0, "red"]), LABELS)
    for name in ("a", 1):
        with pytest.raises(ParameterError, match=r'unique name for each column, got two named "[a1]"'):
            model.learn_many(pd.DataFrame(np.ones((2, 2)), columns=[name, name]), LABELS)
    assert model.feature_names == ()


def test_a_missing_number_says_what_takes_it():
    with pytest.raises(
        ParameterError, match=r'^x contains NaN at row 0, column "a"; .* accepts missing values.* scaling = '
    ):
        Classifier("bsgd-merge").learn_one({"a": None}, "x")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (decimal.Decimal("1.5"), 1.5),
        (True, 1.0),
        (pd.NA, np.nan),
        (None, np.nan),
        (np.array(1.5), 1.5),
    ],
)
def test_numbers_of_any_type_and_missing_values_are_taken(value, number):
    model, other, many = Classifier(), Classifier(), Classifier()
    for given, one in ((value, model), (number, other)):
        one.learn_one({"a": given, "b": 2.0}, "x")
        one.learn_one({"a": 1.0, "b": given}, "y")
    assert model.native.to_bytes() == other.native.to_bytes()
    assert model.predict_one({"a": value}) == other.predict_one({"a": number})
    many.learn_many(pd.DataFrame({"a": [value, 1.0], "b": [2.0, value]}, dtype=object), LABELS)
    assert many.native.to_bytes() == other.native.to_bytes()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b"1", "the number as text b'1': convert"),
        (
            datetime.date(2024, 1, 2),
            "the date or time datetime.date.2024, 1, 2.: convert it to a number, such as",
        ),
        (10**400, "an integer of about 401 digits: the largest float64 is 1.8e308"),
        (1j, "the complex 1j"),
        ([1, 2], "the list .1, 2."),
    ],
)
def test_a_value_that_is_no_number_is_named(value, message):
    model = Classifier()
    model.learn_one({"a": 1.0}, "x")
    before = model.native.to_bytes()
    for call in (
        lambda: model.learn_one({"b": 1.0, "a": value}, "x"),
        lambda: model.predict_one({"a": value, "other": 1.0}),
        lambda: model.predict_proba_one({"a": value}),
    ):
        with pytest.raises(ParameterError, match=rf"x\['a'\] must be a number or a string, got {message}"):
            call()
    column = pd.Series([None, value], dtype=object)
    for call in (
        lambda: model.learn_many(pd.DataFrame({"a": column}), LABELS),
        lambda: model.predict_many(pd.DataFrame({"a": column})),
    ):
        with pytest.raises(
            ParameterError, match=rf"in column 'a', got {message.split(':')[0]}( at row 1)?[:;]"
        ):
            call()
    assert model.native.to_bytes() == before


@pytest.mark.parametrize(
    "column",
    [
        pd.date_range("2024", periods=2),
        pd.date_range("2024", periods=2).astype("timestamp[ns][pyarrow]"),
        pl.Series([datetime.date(2024, 1, 1)] * 2),
    ],
)
def test_a_column_that_holds_no_numbers_is_named(column):
    library = pl if isinstance(column, pl.Series) else pd
    X = library.DataFrame({"x": [1.0, 2.0], "k": column})
    with pytest.raises(ParameterError, match="'k'"):
        Classifier().learn_many(X, LABELS)  # pyright: ignore[reportArgumentType]


def test_a_repeated_outlier_is_named_as_in_the_rows():
    values = np.random.default_rng(0).normal(size=400)
    frame = pd.DataFrame({"depth": np.where(np.arange(400) % 10 == 5, -999, values), "a": values})
    with pytest.warns(UserWarning, match=r'-999 in feature "depth" \(40 of 400 rows, 10.0%\)'):
        Classifier().learn_many(frame, pd.Series(values > 0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = Classifier()
        for i, x in enumerate(frame.to_dict("records")):
            model.learn_one(x, bool(values[i] > 0))
            model = copy.deepcopy(model) if i == 50 else model
    assert [('-999 in feature "depth" (at least' in str(one.message)) for one in caught] == [True]
