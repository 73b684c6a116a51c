"""Values that are no numbers: text and dates raise, with their row and feature; None and NA are missing."""

import datetime
import decimal
import fractions
import io
import mmap
import re

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, ParameterError, Regressor

ROWS = 8
X = np.arange(16.0).reshape(ROWS, 2)
Y = np.arange(ROWS) % 2


def native(model):
    return getattr(model, "_model", model)


def learning(model):
    """The method that learns rows."""
    return model.learn if hasattr(model, "learn") else model.fit


def changed(value, row=3, feature=1):
    rows = X.astype(object)
    rows[row, feature] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (changed("red"), "X must hold numbers, got the text 'red' at row 3, feature 1"),
        (changed("1.5"), "X must hold numbers, got the number as text '1.5' at row 3, feature 1: convert"),
        (X.astype(str), "got the number as text '0.0' at row 0, feature 0: convert it to a number"),
        (X.astype("S"), "got the number as text b'0.0' at row 0, feature 0"),
        ([[1, 2], [3, "red"]], "got the text 'red' at row 1, feature 1"),
        ([["1,5", "2,5"]], "got the text '1,5' at row 0, feature 0"),
        (changed(datetime.date(2024, 1, 2)), "time datetime.date(2024, 1, 2) at row 3, feature 1"),
        (changed(pd.Timestamp("2024-01-02")), "the date or time Timestamp('2024-01-02 00:00:00') at row 3"),
        (X.astype("datetime64[D]"), "got the date or time np.datetime64('1970-01-01') at row 0, feature 0"),
        (X.astype("timedelta64[s]"), "got the date or time np.timedelta64(0,'s') at row 0, feature 0"),
        (changed([1, 2]), "got the list [1, 2] at row 3, feature 1"),
        (changed(1j), "got the complex 1j at row 3, feature 1"),
        (changed(b"x"), "got the text b'x' at row 3, feature 1"),
        (changed(10**400), "got an integer of about 401 digits at row 3, feature 1: the largest float64"),
        ([[1, 2], ["3", 4]], "got the number as text '3' at row 1, feature 0"),
        ([[1, np.timedelta64(1, "s")]], "got the date or time np.timedelta64(1,'s') at row 0, feature 1"),
        ([[1, 2], [3]], "X must have rows of one length, got 1 values at row 1 after 2 values at row 0"),
        ([[1, 2], 3], "got a number at row 1 after 2 values at row 0"),
        (
            np.zeros(ROWS, [("a", "f8"), ("b", "f8")]),
            "a structured array with the fields 'a', 'b': use pandas",
        ),
        (np.array([["1", "x"]], np.dtypes.StringDType()), "got the text 'x' at row 0, feature 1"),
        ([{"a": 1}], "a dict at row 0: use a data frame; learn_one and predict_one take one row as a dict"),
        (pd.DataFrame({0: pd.date_range("2024", periods=ROWS)}), "the date or time Timestamp('2024-01-01"),
        (pd.DataFrame({0: ["u"] * ROWS}), "the text 'u' at row 0, feature 0: encode it as numbers, or use"),
    ],
)
@pytest.mark.parametrize("model", [Classifier, Regressor, OnlineKernelClassifier, OnlineKernelRegressor])
def test_a_value_that_is_no_number_is_named_with_row_and_feature(model, rows, message):
    learned = learning(model())(X, Y)
    before = native(learned).to_bytes()
    for one in (model(), learned):
        with pytest.raises(ParameterError, match=re.escape(message)):
            learning(one)(rows, Y[: len(rows)])
    with pytest.raises(ParameterError):
        learned.predict(rows)
    assert native(learned).to_bytes() == before


@pytest.mark.parametrize("model", [Classifier(), OnlineKernelClassifier()])
@pytest.mark.parametrize("rows", [(row for row in X), map(list, X), iter(X)])
def test_an_iterator_is_no_array(model, rows):
    message = r"X must be an array, a list or a data frame, got .*pass list\(X\)"
    with pytest.raises(ParameterError, match=message):
        learning(model)(rows, Y)
    with pytest.raises(ParameterError, match=r"y must be an array or a list, got .*pass list\(y\)"):
        learning(model)(X, rows)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", 1.0], "got the text 'a' at row 0: the column mixes text and other values"),
        ([1.0, "2"], "got the number as text '2' at row 1: the column mixes"),
        ([None, 10**400], "got an integer of about 401 digits at row 1"),
        ([1, b"1"], "got the number as text b'1' at row 1: convert"),
        ([1, np.timedelta64(1, "s")], "got the date or time np.timedelta64(1,'s') at row 1"),
        ([datetime.date(2024, 1, 1)] * 2, "got the date or time datetime.date(2024, 1, 1) at row 0"),
        (pd.date_range("2024", periods=2), "got datetime64.*such as days since a date"),
        ([[1], [2]], "got the list .1. at row 0: convert it to a number"),
    ],
)
@pytest.mark.parametrize("model", [Classifier(), OnlineKernelClassifier()])
def test_a_column_without_one_type_names_the_value(model, values, message):
    frame = pd.DataFrame({"k": pd.Series(values), "x": [1.0, 2.0]})
    with pytest.raises(ParameterError, match="in column 'k', " + message.replace("(", ".").replace(")", ".")):
        learning(model)(frame, [0, 1])


def test_a_single_row_names_the_feature():
    model = Classifier().learn(X, Y)
    for call in (
        lambda: model.learn_one([1.0, "red"], 0),
        lambda: model.predict_one(np.array([1, "red"], object)),
    ):
        with pytest.raises(ParameterError, match="x must hold numbers, got the text 'red' at feature 1"):
            call()


@pytest.mark.parametrize(
    ("model", "y", "weight", "message"),
    [
        (Regressor(), [1.0, "x"], None, "y must hold numbers, got the text 'x' at row 1"),
        (Regressor(), [1.0, 2.0], [1, "x"], "sample_weight must hold numbers, got the text 'x' at row 1"),
        (
            OnlineKernelRegressor(),
            np.array([1.0, "2"], object),
            None,
            "y must .* number as text '2' at row 1",
        ),
        (OnlineKernelRegressor(), [1, 2], ["1", "2"], "sample_weight must .* number as text '1'"),
    ],
)
def test_targets_and_weights_name_the_row(model, y, weight, message):
    with pytest.raises(ParameterError, match=message):
        learning(model)(X[:2], y, sample_weight=weight)


@pytest.mark.parametrize("value", [None, pd.NA, np.nan, float("nan"), np.float32("nan")])
def test_a_missing_object_is_a_missing_number(value):
    rows = X.copy()
    rows[3, 1] = np.nan
    expected = Classifier().learn(rows, Y).to_bytes()
    assert Classifier().learn(changed(value), Y).to_bytes() == expected
    assert Classifier().learn(changed(value).tolist(), Y).to_bytes() == expected
    fitted = (OnlineKernelClassifier(random_state=0).fit(given, Y) for given in (rows, changed(value)))
    assert len({native(model).to_bytes() for model in fitted}) == 1
    with pytest.raises(ValueError, match="NaN at row 3, column 1"):
        Classifier("pa-merge").learn(changed(value), Y)


@pytest.mark.parametrize(
    "value", [True, np.True_, 7, np.int8(7), decimal.Decimal("2.5"), fractions.Fraction(1, 4)]
)
def test_numbers_of_any_type_are_numbers(value):
    rows = X.copy()
    rows[3, 1] = float(value)
    assert Classifier().learn(changed(value), Y).to_bytes() == Classifier().learn(rows, Y).to_bytes()


@pytest.mark.parametrize("model", [Classifier, Regressor])
def test_a_model_is_read_from_any_buffer(model, tmp_path):
    data = model().learn(X, Y).to_bytes()
    (tmp_path / "model").write_bytes(data)
    with (tmp_path / "model").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    spread = np.zeros(2 * len(data), np.uint8)
    spread[::2] = np.frombuffer(data, np.uint8)
    buffers = [bytearray(data), memoryview(data), np.frombuffer(data, np.uint8), mapped, spread[::2]]
    views = [io.BytesIO(data).getbuffer(), memoryview(data).cast("c"), memoryview(b"." + data)[1:]]
    for buffer in [*buffers, *views]:
        assert model.from_bytes(buffer).to_bytes() == data
    for wrong in ("text", 5, None, [1], io.BytesIO(data)):
        with pytest.raises(ParameterError, match="data must be a bytes-like object, got "):
            model.from_bytes(wrong)
