"""What models refuse: the error says why, names the argument and the row, and changes nothing."""

import datetime
import io
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from budgetrs import (
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    ParameterError,
    Regressor,
)
from conftest import SMALL

X = np.arange(16.0).reshape(8, 2)
Y = np.arange(8) % 2
HUGE = 10**400
DAY = datetime.date(2024, 1, 2)
SECOND = np.timedelta64(1, "s")
TOWN = np.array(["Oslo", "Rome"])[Y]
FRAME = pd.DataFrame({"width": X[:, 0], "count": np.arange(8), "town": TOWN})
HOLED = FRAME.assign(width=[np.nan, *X[1:, 0]])
NO_TOWN = FRAME.assign(town=pd.Categorical([None] * 8, ["Oslo"]))
LATE = FRAME.assign(town="Ulm")
LAZY = pl.from_pandas(FRAME).lazy()

NEW = Classifier(**SMALL)
NUMBERS = Classifier(**SMALL).learn(X, Y)
SINGLE = Classifier(**SMALL).learn(np.float32(X), Y)
BOOLS = Classifier(**SMALL).learn_one(X[0], True)
GIVEN = Classifier(**SMALL, classes=[0, 1]).learn(X, Y)
LEARNED_WITH = Classifier(**SMALL).learn(X, Y, classes=[0, 1])
WORDS = Classifier(budget=10).learn(FRAME, Y)
STRICT = Classifier("bsgd-merge", budget=10).learn(FRAME, Y)
AUTO = Classifier("bsgd-merge", budget=10, gamma="auto").learn(FRAME, Y)
SCALE = Classifier("bsgd-project", budget=20, gamma="scale", kernel="poly")
NATIVE = [Classifier(), Regressor(), Classifier(budget=10).learn(X, Y), Regressor(budget=10).learn(X, Y)]
ESTIMATORS = [OnlineKernelClassifier(), OnlineKernelRegressor()]
ESTIMATORS += [type(model)(budget=10).fit(X, Y) for model in ESTIMATORS]
TARGETS, ESTIMATOR = NATIVE[3], ESTIMATORS[2]
MODELS = [*NATIVE, *ESTIMATORS, NEW, NUMBERS, SINGLE, BOOLS, GIVEN, LEARNED_WITH, WORDS, STRICT, AUTO, SCALE]


def states():
    """The bytes of all models; an estimator that has not learned has no native model."""
    natives = [getattr(model, "_model", model) for model in MODELS]
    return [native.to_bytes() for native in natives if hasattr(native, "to_bytes")]


def assert_refused(call, sentence, error=ParameterError):
    """Check an error, in whose sentence `...` is any text, and that no model has changed."""
    before = states()
    with pytest.raises(error) as caught:
        call()
    found = caught.value
    # Printing a lone surrogate would raise.
    pattern = re.escape(sentence).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, str(found), re.DOTALL), ascii(str(found))
    assert isinstance(found, ParameterError) == (error is ParameterError)
    assert states() == before
    if error is ParameterError:
        assert found.parameter == re.search(r"\w+", sentence.removeprefix("unknown parameter"))[0]
        row = re.search(r"^[Xy] contains .* at row (\d)", sentence)
        assert row is None or found.row == int(row[1])


def with_value(value, dtype=object):
    rows = X.astype(dtype)
    rows[3, 1] = value
    return rows


def with_label(value):
    return np.where(np.arange(8) == 5, value, Y)


def column(values, name="k"):
    """A frame with numbers beside a column that may have objects."""
    frame = pd.DataFrame({0: pd.Series(values, dtype=getattr(values, "dtype", object)), 1: 1.0})
    return frame.set_axis(pd.Index([name, "x"], dtype=object), axis=1)


FEW_TOWNS = FRAME.assign(town=pd.Categorical([None, *TOWN[1:]]))
SURROGATE_CATEGORY = pd.Categorical.from_codes([0] * 8, pd.Index(["O\udcff"], dtype=object))
UTF8 = "must have text that can be stored in UTF-8 in {}, got {}: remove its lone surrogates..."
IN_FEATURE = "at row 3, feature 1: convert it to a number..."
FINITE = "; all values must be finite"
SET_MISSING = FINITE + '; set missing = "mean" to accept missing values'
TAKEN = (
    FINITE
    + '; "online-kernel" accepts missing values, as do all algorithms of Classifier and Regressor with '
    'scaling = "online" and missing = "mean"'
)
ENCODE = ": encode it as numbers, or use a data frame with column names"
CLASSES = "; the classes are 0, 1; create the Classifier without classes to accept new classes"

# Rows that no model takes, by the start of the sentence.
ROWS = {
    "X must hold numbers, got ": [
        (with_value("red"), 'the text "red" at row 3, feature 1' + ENCODE),
        (with_value("1.5"), 'the number as text "1.5" ' + IN_FEATURE),
        (X.astype(str), 'the number as text "0.0" at row 0, feature 0: convert it to a number...'),
        (X.astype("S"), "the number as text b'0.0' at row 0, feature 0..."),
        ([[1, 2], [3, "red"]], 'the text "red" at row 1, feature 1' + ENCODE),
        ([["1,5", "2,5"]], 'the text "1,5" at row 0, feature 0...'),
        (with_value(DAY), "the date or time datetime.date(2024, 1, 2) " + IN_FEATURE),
        (with_value(pd.Timestamp(DAY)), "the date or time Timestamp('2024-01-02 00:00:00') " + IN_FEATURE),
        (X.astype("M8[D]"), "the date or time np.datetime64('1970-01-01') at row 0, feature 0..."),
        (X.astype("m8[s]"), "the date or time np.timedelta64(0,'s') at row 0, feature 0..."),
        (with_value([1, 2]), "the list [1, 2] " + IN_FEATURE),
        (with_value(1j), "the complex 1j " + IN_FEATURE),
        (with_value(b"x"), "the text b'x' at row 3, feature 1..."),
        (with_value(HUGE), "an integer of about 401 digits at row 3, feature 1: the largest float64..."),
        ([[1, 2], ["3", 4]], 'the number as text "3" at row 1, feature 0...'),
        ([[1, SECOND]], "the date or time np.timedelta64(1,'s') at row 0, feature 1..."),
        (np.zeros(8, "f8,f8"), "a structured array with the fields 'f0', 'f1': use pandas..."),
        (np.array([["1", "x"]], np.dtypes.StringDType()), 'the text "x" at row 0, feature 1' + ENCODE),
        (
            [{"a": 1}],
            "a dict at row 0: pandas.DataFrame(X) makes a data frame; ...",
        ),
        (pd.DataFrame({0: pd.date_range("2024", periods=8)}), "the date or time Timestamp('2024-01-01..."),
        (pd.DataFrame({0: ["u"] * 8}), 'the text "u" at row 0, feature 0' + ENCODE),
    ],
    "X must have numbers or categories in column 'k', got ": [
        (column(["a", 1.0]), 'the text "a" at row 0: the column mixes text and other values...'),
        (column([*[1] * 9, "2"]), 'the number as text "2" at row 9: the column mixes...'),
        (column([None, HUGE]), "an integer of about 401 digits at row 1..."),
        (column([1, b"1"]), "the number as text b'1' at row 1: convert..."),
        (column([1, SECOND]), "the date or time np.timedelta64(1,'s') at row 1..."),
        (column([DAY] * 2), "the date or time datetime.date(2024, 1, 2) at row 0..."),
        (column(pd.date_range("2024", periods=2)), "datetime64...such as days since a date..."),
        (column([[1], [2]]), "the list [1] at row 0: convert it to a number..."),
        (column(np.ones(2) * 1j), "complex128..."),
        (pl.DataFrame({"k": [DAY] * 2}).cast(pl.Datetime), "timestamp..."),
    ],
    "X ": [
        (column([1.0] * 8, "w\ud800"), UTF8.format("the names of the columns", r"'w\ud800'")),
        (column(["\ud800"] * 8), UTF8.format('the column "k"', r"'\ud800'")),
        (column(SURROGATE_CATEGORY), UTF8.format('the column "k"', r"'O\udcff'")),
        ([[1, 2], [3]], "must have rows of one length, got 1 values at row 1 after 2 values at row 0"),
        ([[1, 2], 3], "must have rows of one length, got a number at row 1 after 2 values at row 0"),
        ((row for row in X), "must be an array, a list or a data frame, got ...pass list(X)"),
        (map(list, X), "must be an array, a list or a data frame, got ...pass list(X)"),
        (iter(X), "must be an array, a list or a data frame, got ...pass list(X)"),
        (with_value(np.inf), "contains infinity at row 3, column 1" + FINITE),
        (np.ma.array(X, mask=X > 0.5), "must have a value everywhere, got an array with masked ones..."),
        (np.zeros((8, 2), "V8"), "must hold real numbers, got dtype |V8"),
    ],
}
# Estimators raise as scikit-learn does for these.
ROWS_OF_NATIVE = {
    "X must ": [
        (X[:, 0], "have 2 dimensions (n_rows, n_features), got shape (8,). Reshape your data: ..."),
        (X[None], "have 2 dimensions (n_rows, n_features), got shape (1, 8, 2). Reshape your data: ..."),
        (np.float64(3), "have 2 dimensions (n_rows, n_features), got shape (). Reshape your data: ..."),
        (sp.csr_array(X.astype(complex)), "hold real numbers, got dtype complex128"),
        (None, "be an array, a list or a data frame, got None"),
        ("text", "..."),
    ]
}


@pytest.mark.parametrize("model", [*NATIVE, *ESTIMATORS])
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_rows_that_no_model_takes(model):
    table = ROWS | ROWS_OF_NATIVE if model in NATIVE else ROWS
    for start, rows, end in ((start, *case) for start, cases in table.items() for case in cases):
        learn = model.learn if hasattr(model, "learn") else model.fit
        assert_refused(lambda learn=learn, rows=rows: learn(rows, Y), start + end)
        if hasattr(model, "n_features_in_"):
            assert_refused(lambda rows=rows: model.predict(rows), start + end)


COLUMNS = "{} must have the columns of the rows learned before, in any order, got "
BEFORE = ", as in the rows learned before, got "
NAMED = '"width", "count", "town" (some are categorical), or 4 features in the order of ...'

# A model, rows that it does not take, and the sentence.
ROWS_OF_A_MODEL = [
    (NUMBERS, np.hstack([X, X]), "X must have 2 features, as the rows learned before, got 4"),
    (NUMBERS, X[:, :1], "X must have 2 features, as the rows learned before, got 1"),
    (NUMBERS, X[:, :0], "X must have 2 features, as the rows learned before, got 0"),
    (NUMBERS, with_value(np.nan, float), "X contains NaN at row 3, column 1" + TAKEN),
    (SINGLE, with_value(np.nan, np.float32), "X contains NaN at row 3, column 1" + TAKEN),
    (NUMBERS, sp.csr_array(with_value(np.nan, float)), "X contains NaN at row 3, column 1" + TAKEN),
    (NEW, with_value(None), "X contains NaN at row 3, column 1" + TAKEN),
    (NEW, with_value(np.nan, np.float32), "X contains NaN at row 3, column 1" + TAKEN),
    (Classifier("bsgd-merge"), HOLED, 'X contains NaN at row 0, column "width"' + TAKEN),
    (STRICT, HOLED, 'X contains NaN at row 0, column "width"' + TAKEN),
    (Regressor("pa", scaling="online"), HOLED, 'X contains NaN at row 0, column "width"' + TAKEN),
    (Classifier(scaling="none"), HOLED, 'X contains NaN at row 0, column "width"' + TAKEN),
    (Classifier(missing="error"), HOLED, 'X contains NaN at row 0, column "width"' + SET_MISSING),
    (Classifier(hash_features=8), HOLED, 'X contains NaN at row 0, column "width"' + FINITE),
    (Classifier("bsgd-merge"), NO_TOWN, 'X contains NaN at row 0, column "town"' + TAKEN),
    (Classifier("bsgd-merge"), FEW_TOWNS, 'X contains NaN at row 0, column "town"' + TAKEN),
    (OnlineKernelClassifier(missing="error"), NO_TOWN, 'X contains NaN at row 0, column "town"...'),
    (WORDS, FRAME.drop(columns="count"), COLUMNS.format("X") + 'no column "count"...'),
    (WORDS, FRAME.assign(age=1), COLUMNS.format("X") + 'the new columns "age"...'),
    (
        WORDS,
        FRAME.rename(columns={"width": "W"}),
        'X must ...got no column "width", and the new columns "W"...',
    ),
    (WORDS, pd.concat([FRAME, FRAME[["count"]]], axis=1), 'X must ...got two named "count"'),
    (WORDS, FRAME.assign(count=TOWN), f'X must have numbers in the column "count"{BEFORE}categories'),
    (WORDS, FRAME.assign(town=1.5), f'X must have categories in the column "town"{BEFORE}numbers'),
    (WORDS, FRAME.assign(count=1.0, town=1.0), f'X ... categories in the column "town"{BEFORE}numbers'),
    (WORDS, LATE.assign(width=np.inf), 'X contains infinity at row 0, column "width"' + FINITE),
    (WORDS, X, "X must be a data frame with the columns " + NAMED),
    (WORDS, X.tolist(), "X must be a data frame with the columns " + NAMED),
    (WORDS, [[0.5, 1, "Oslo"]] * 8, "X must be a data frame with the columns " + NAMED),
    (NUMBERS, column(TOWN), "X ... the rows learned before had no column names, got categories"),
    (SINGLE, X * 1e300, "X must have values within the range of float32, got larger ones"),
]
MODELS += [model for model, *_ in ROWS_OF_A_MODEL if model not in MODELS]


@pytest.mark.parametrize(("model", "rows", "sentence"), ROWS_OF_A_MODEL)
def test_rows_that_a_model_does_not_take(model, rows, sentence):
    for name in ("learn", "validate") if hasattr(model, "learn") else ("fit", "partial_fit"):
        assert_refused(lambda name=name: getattr(model, name)(rows, Y), sentence)
    if hasattr(model, "n_features_in_"):
        for name in ("predict", "decision_function", *(["predict_proba"] if model is WORDS else [])):
            assert_refused(lambda name=name: getattr(model, name)(rows), sentence)


ROW = {"width": 1.0, "count": 2, "town": "Oslo"}

# A model, a row that it does not take, and the sentence.
SINGLE_ROWS = [
    (NUMBERS, np.zeros(3), "x must have 2 features, as the rows learned before, got 3"),
    (NUMBERS, np.zeros(0), "x must have 2 features, as the rows learned before, got 0"),
    (NUMBERS, [1.0], "x must have 2 features, as the rows learned before, got 1"),
    (
        NUMBERS,
        np.zeros((1, 2)),
        "x must have 1 dimension, got shape (1, 2): for several rows use learn and predict",
    ),
    (
        SINGLE,
        np.float32(X),
        "x must have 1 dimension, got shape (8, 2): for several rows use learn and predict",
    ),
    (NUMBERS, np.array([1.0, np.nan]), "x contains NaN at row 0, column 1" + TAKEN),
    (SINGLE, np.float32([1.0, np.nan]), "x contains NaN at row 0, column 1" + TAKEN),
    (STRICT, {**ROW, "width": None}, 'x contains NaN at row 0, column "width"' + TAKEN),
    (NUMBERS, np.array([1.0, np.inf]), "x contains infinity at row 0, column 1" + FINITE),
    (SINGLE, np.float32([1.0, np.inf]), "x contains infinity at row 0, column 1" + FINITE),
    (WORDS, {**ROW, "width": np.inf}, 'x contains infinity at row 0, column "width"' + FINITE),
    (NUMBERS, np.array([1.0, 1e100]), "x is too large at row 0: expected |x|^2 <= 1e140 in float64, ..."),
    (SINGLE, np.float32([1.0, 1e20]), "x is too large at row 0: expected |x|^2 <= 1e28 in float32, ..."),
    (NUMBERS, [1.0, "red"], 'x must hold numbers, got the text "red" at feature 1...'),
    (NUMBERS, np.array([1, "red"], object), 'x must hold numbers, got the text "red" at feature 1...'),
    (NUMBERS, ROW, "x must be a list of values, because the rows learned before had no column names, ..."),
    (WORDS, [0.5, 1, "Oslo"], "x must be a dict with the columns " + NAMED),
    (WORDS, X[0], "x must be a dict with the columns " + NAMED),
    (WORDS, FRAME.iloc[0], "x must be a dict with the columns " + NAMED),
    (WORDS, {"width": 1.0, "count": 2}, COLUMNS.format("x") + 'no column "town"...'),
    (WORDS, {}, COLUMNS.format("x") + 'no column "width", "count", "town"...'),
    (WORDS, {**ROW, "c": 3.0}, COLUMNS.format("x") + 'the new columns "c"...'),
    (WORDS, {**ROW, "count": "high"}, 'x must have numbers in the column "count"...'),
    (WORDS, {**ROW, "town": 1.0}, 'x must have categories in the column "town"...'),
    (WORDS, {**ROW, "count": DAY}, "x['count'] must be ... a string, got the date or time..."),
    (WORDS, {**ROW, "count": [1.0]}, "x['count'] must be a number or a string, got the list..."),
    (WORDS, {**ROW, "count": HUGE}, "x['count'] must be ...the largest float64..."),
    (WORDS, {**ROW, "count": {"b": 1.0}}, "x['count'] must be ...got a dict: give its values names..."),
    (WORDS, {**ROW, "town": "\ud800"}, "x " + UTF8.format('the column "town"', r"'\ud800'")),
    (WORDS, {**ROW, "w\ud800": 1}, "x " + UTF8.format("the names of the columns", r"'w\ud800'")),
]


@pytest.mark.parametrize(("model", "row", "sentence"), SINGLE_ROWS)
def test_single_rows_that_a_model_does_not_take(model, row, sentence):
    assert_refused(lambda: model.learn_one(row, 1), sentence)
    assert_refused(lambda: model.predict_one(row), sentence)


WEIGHT = "sample_weight must be from 0 to 1e9 in every row, got "
INTEGERS = "y must be integers, as the labels seen before, got "
JOBS = "n_jobs must be None or an integer other than 0, got "
TEXT = 'must hold numbers, got the text "x" at row 1...'
DIGITS = 'must hold numbers, got the number as text "2" at row 1...'
LAZY_FRAME = "X must be a data frame with rows, got a polars.LazyFrame: call .collect() first"
FIXED = " of a Classifier cannot be set or deleted: parameters are arguments..."

CALLS = [
    (lambda: NUMBERS.learn(X, Y[:-1]), "y must have 8 entries, got 7"),
    (lambda: NUMBERS.learn(X, np.stack([Y, Y], 1)), "y must have 1 dimension, got shape ..."),
    (lambda: TARGETS.learn(X, X), "y must have 1 dimension, got shape ..."),
    (lambda: GIVEN.learn(X, with_label(5)), "y contains 5 at row 5" + CLASSES),
    (lambda: LEARNED_WITH.learn(X, with_label(5)), "y contains 5 at row 5" + CLASSES),
    (lambda: pickle.loads(pickle.dumps(GIVEN)).learn(X, with_label(5)), "y contains 5 at row 5" + CLASSES),
    (lambda: GIVEN.learn(X, with_label(np.nan)), "y contains NaN at row 5" + CLASSES),
    (lambda: GIVEN.learn(X, ["a"] * 8), 'y contains "a" at row 0' + CLASSES),
    (lambda: GIVEN.learn_one(X[0], 8), "y contains 8 at row 0" + CLASSES),
    (lambda: BOOLS.learn_one(X[0], 2), "y contains 2 at row 0; the classes are false, true"),
    (lambda: GIVEN.learn(X, [None] * 8), "y must hold labels of one kind...got None at row 0"),
    (lambda: NUMBERS.learn(X[:3], [7, 8, "x"]), 'y must hold labels of one kind...got "x" at row 2 after 7'),
    (lambda: NUMBERS.validate(X[:2], ["u", 6]), 'y must hold labels of one kind...got 6 at row 1 after "u"'),
    (lambda: NUMBERS.learn(X[:3], ["u", "v", "w"]), INTEGERS + '"u" at row 0'),
    (lambda: NUMBERS.learn(X[:3], [7.0, 8.5, 9.0]), INTEGERS + "8.5 at row 1"),
    (lambda: NUMBERS.learn(X[:3], [7.0, np.nan, 9.0]), INTEGERS + "NaN at row 1"),
    (lambda: NUMBERS.learn([[0.0, 1.0], [0.0, np.nan]], [5, 6]), "X contains NaN at row 1, column 1" + TAKEN),
    (lambda: NEW.learn(X[:0], Y[:0]), "X must have a minimum of 1 row, got 0 sample(s) (shape (0, 2))"),
    (lambda: NUMBERS.learn(X[:0], Y[:0]), "X must have a minimum of 1 row, got 0 sample(s) (shape (0, 2))"),
    (lambda: NUMBERS.learn(X, Y, classes=[0, 1]), "classes must be passed in the first call to learn..."),
    (lambda: NEW.learn(X, iter(X)), "y must be an array or a list, got ...pass list(y)"),
    (lambda: ESTIMATOR.fit(X, iter(X)), "y must be an array or a list, got ...pass list(y)"),
    (lambda: TARGETS.learn(X[:2], [1.0, "x"]), "y " + TEXT),
    (lambda: OnlineKernelRegressor().fit(X[:2], np.array([1.0, "2"], object)), "y " + DIGITS),
    (
        lambda: TARGETS.learn_one(X[0], "x"),
        'y must be a number from -1e15 to 1e15 (a Classifier learns labels), got "x"',
    ),
    (lambda: TARGETS.learn_one(X[0], [0] * 99), "y must be ..., got an object of type list"),
    (lambda: NUMBERS.learn(X, Y, sample_weight=np.ones(7)), "sample_weight must have 8 entries, got 7"),
    (lambda: NUMBERS.learn(X, Y, sample_weight=X), "sample_weight must have 1 dimension, got shape ..."),
    (lambda: NUMBERS.learn(X[:2], [5, 6], sample_weight=[1, -1]), WEIGHT + "-1 at row 1"),
    (lambda: WORDS.learn(LATE, Y, sample_weight=-X[:, 1]), WEIGHT + "-1 at row 0"),
    (lambda: NUMBERS.learn_one(X[0], 1, sample_weight=-1.0), WEIGHT + "-1 at row 0"),
    (lambda: NUMBERS.learn_one(X[0], 1, sample_weight=2e9), WEIGHT + "2000000000 at row 0"),
    (lambda: NUMBERS.learn_one(X[0], 1, sample_weight=np.nan), WEIGHT + "NaN at row 0"),
    (lambda: NEW.learn_one(X[0], 1, sample_weight="x"), 'sample_weight must be a number ..., got "x"'),
    (lambda: TARGETS.learn(X[:2], [1, 2], sample_weight=[1, "x"]), "sample_weight " + TEXT),
    (lambda: ESTIMATOR.fit(X[:2], [0, 1], sample_weight=["x", "2"]), 'sample_weight must ...the text "x"...'),
    (lambda: Classifier(n_jobs="x"), JOBS + '"x"'),
    (lambda: Regressor(n_jobs=1.5), JOBS + "1.5"),
    (lambda: Classifier(n_jobs=1 << 70), JOBS + str(1 << 70)),
    (lambda: Classifier.from_bytes(b"", n_jobs="x"), JOBS + '"x"'),
    (lambda: setattr(WORDS, "n_jobs", []), JOBS + "[]"),
    (lambda: Classifier.load(3), "path must be a str or path-like object, got 3"),
    (lambda: WORDS.save(3), "path must be a str or path-like object, got 3"),
    (lambda: Regressor.from_bytes("x"), 'data must be a bytes-like object, got "x"'),
    (lambda: Classifier.from_bytes(None), "data must be a bytes-like object, got None"),
    (lambda: Classifier.from_bytes([1]), "data must be a bytes-like object, got [1]"),
    (lambda: Regressor.from_bytes(io.BytesIO()), "data must be a bytes-like object, got ..."),
    (lambda: WORDS.add_features("x"), 'n_features must be an integer that fits into memory, got "x"'),
    (
        lambda: WORDS.add_features(6),
        "n_features must be 4, because the columns of the model have...",
    ),
    (lambda: WORDS.add_features(5, keep_gamma="x"), 'keep_gamma must be True or False, got "x"'),
    (lambda: Classifier(c0=1.0), 'unknown parameter "c0"; did you mean "C0"?'),
    (lambda: Classifier("pa", c=1.0), 'unknown parameter "c"; did you mean "C"?'),
    (lambda: NEW.learn_one({}, 0), "x must have at least 1 feature, got 0"),
]
OTHER_ERRORS = [
    (ValueError, lambda: NEW.predict_one(ROW), "this model has not learned any rows: ..."),
    (ValueError, lambda: AUTO.learn(LATE, Y), 'X has the new feature "town=Ulm": gamma must be a...'),
    (TypeError, lambda: WORDS.learn_one({0: 1}, 0), "x must have names of columns that are strings, got 0"),
    (TypeError, lambda: WORDS.predict_one({0: 1}), "x must have names of columns that are strings, got 0"),
    (TypeError, lambda: NEW.learn(FRAME.rename(columns={"width": 0}), Y), "...got ['int', 'str']"),
    (TypeError, lambda: NEW.learn(LAZY, Y), LAZY_FRAME),
    (TypeError, lambda: WORDS.predict(LAZY), LAZY_FRAME),
    (TypeError, lambda: ESTIMATOR.fit(LAZY, Y), LAZY_FRAME),
    (AttributeError, lambda: setattr(NUMBERS, "n_support_vectors_", 3), "n_support_vectors_" + FIXED),
    (AttributeError, lambda: setattr(NUMBERS, "budget", 3), "budget" + FIXED),
    (AttributeError, lambda: delattr(NUMBERS, "n_support_vectors_"), "n_support_vectors_" + FIXED),
]


@pytest.mark.parametrize(
    ("error", "call", "sentence"), [*((ParameterError, *case) for case in CALLS), *OTHER_ERRORS]
)
def test_calls_that_are_refused(error, call, sentence):
    assert_refused(call, sentence, error)


# Values that only Python has; src/params/tests has the values of the core.
PARAMETERS = [
    ({"budget": 1.5}, "budget must be an integer from 1 to 16777216, got 1.5"),
    ({"budget": 2**70}, "budget must ... 16777216, got 1.1805916207174113e21"),
    ({"budget": None}, 'budget = None ... "merge"; ... 16777216 (None needs maintenance = "none"...'),
    ({"alpha": "small"}, "alpha ..."),
    ({"alpha": HUGE}, "alpha must be a number from 1e-20 to 1e20, got inf"),
    ({"alpha": -HUGE}, "alpha must be a number from 1e-20 to 1e20, got -inf"),
    ({"alpha": 1j}, "alpha ...complex..."),
    ({"gamma": [1.0]}, "gamma ...list..."),
    ({"kernel": "poly", "degree": 2.5, "maintenance": "random"}, "degree ..."),
    ({"rate": [1.0]}, "rate ..."),
    ({"rate": 5.0, "max_size": 20.5}, "max_size ..."),
    ({"average": [0.5]}, "average ..."),
    ({"average": True, "stream_length": -5}, "stream_length ..."),
    ({"maintenance": "project-nn", "n_neighbors": "all"}, "n_neighbors ..."),
    ({"seed": -1}, "seed must be an integer from 0 to 2^64 - 1, got -1"),
    ({"seed": 2**64}, "seed ...18446744073709551616..."),
    ({"seed": HUGE}, "seed ..."),
    ({"project_to_ball": "yes"}, 'project_to_ball must be True or False, got "yes"'),
    ({"classes": 5}, "classes must be a list of labels, such as [0, 1], got 5"),
]


@pytest.mark.parametrize(("params", "sentence"), PARAMETERS, ids=str)
def test_parameters_that_no_model_takes(params, sentence):
    assert_refused(lambda: Classifier(**{"algorithm": "bsgd-merge", **params}), sentence)


def test_calls_that_change_nothing():
    before = states()
    NUMBERS.learn_one(X[0], 1, sample_weight=0.0)
    NUMBERS.validate(X[:3], [5, 6, 7])
    WORDS.validate(LATE, Y)
    WORDS.add_features(4)
    assert states() == before


def test_what_is_valid_beside_what_is_refused():
    assert WORDS.predict([[0.5, 1.0, 1.0, 0.0]]).shape == (1,)
    assert [*Classifier(budget=5).learn(NO_TOWN, Y).get_feature_names_out()] == ["width", "count", "town"]
    assert OnlineKernelClassifier(budget=5).fit(NO_TOWN, Y).n_features_in_ == 3


@pytest.mark.parametrize("kind", [np.float32, np.float64, list])
def test_targets_of_regression_are_no_labels(kind):
    rows = np.random.default_rng(0).normal(size=(60, 2))
    targets = rows[:, 0].tolist() if kind is list else rows[:, 0].astype(kind)
    sentence = "y ... for regression targets use Regressor...got 60 different fractions in 60 rows"
    assert_refused(lambda: NEW.learn(rows, targets), sentence)
    # Classes may be any numbers: a few of them, or those that were given.
    assert len(Classifier(budget=5).learn(X, Y + 0.5).classes_) == 2
    assert len(Classifier(budget=5).learn(rows, targets, classes=targets).classes_) == 60


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4"])
def test_numbers_of_a_narrow_type_are_named_with_the_conversion(dtype):
    narrow = X.astype(getattr(pytest.importorskip("ml_dtypes"), dtype))
    for call in (
        lambda: NUMBERS.learn(narrow, Y),
        lambda: NUMBERS.predict(narrow),
        lambda: NUMBERS.predict_one(narrow[0]),
        lambda: NUMBERS.learn(X, narrow[:, 0]),
        lambda: NUMBERS.learn(X, Y, sample_weight=narrow[:, 0]),
        lambda: TARGETS.learn(X, narrow[:, 0]),
        lambda: ESTIMATOR.fit(narrow, Y),
        lambda: NEW.learn(FRAME.assign(width=narrow[:, 0]), Y),
    ):
        with pytest.raises(ParameterError, match=rf'got (dtype )?{dtype}: convert it by astype\("float32"\)'):
            call()


def test_messages_name_no_private_classes():
    bases = [base for base in OnlineKernelClassifier.__mro__ if base.__name__.startswith("Budgeted")]
    assert len(bases) == 2
    for base in bases:
        assert_refused(base, "...create an estimator, such as OnlineKernel...", TypeError)
