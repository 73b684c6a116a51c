"""Frames of any library: columns go by name, and words become features."""

import resource
import sys
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from budgetrs import Classifier, Regressor
from budgetrs._frames import frame_of
from conftest import board

ROWS = 1500
rng = np.random.default_rng(3)
WIDTH = rng.normal(size=ROWS) * 100
COUNT = rng.integers(0, 5, ROWS)
TOWN = rng.choice(["Rome", "Oslo", "Łódź"], ROWS)
Y = np.where((WIDTH > 0) ^ (TOWN == "Oslo"), "p", "q")
PLAIN = pd.DataFrame({"width": WIDTH, "count": COUNT, "town": TOWN})
ARROW = pa.table({"width": WIDTH, "count": COUNT, "town": TOWN.tolist()})
POLARS = pl.DataFrame({"width": WIDTH, "count": COUNT, "town": TOWN.tolist()})


of_new_words = pytest.mark.filterwarnings("ignore:.*has mostly categories that the model has not learned")


def learned(X, y=Y, **params):
    return Classifier(budget=40, **params).learn(X, y)


EXPECTED = learned(PLAIN)


def test_words_are_indicators_in_the_order_in_which_they_come():
    assert EXPECTED.feature_names_in_.tolist() == ["width", "count", "town"]
    words = list(dict.fromkeys(TOWN.tolist()))
    assert EXPECTED.get_feature_names_out().tolist() == [
        "width",
        "count",
        *(f"town={word}" for word in words),
    ]
    by_hand = np.column_stack([WIDTH, COUNT, *(word == TOWN for word in words)])
    plain = learned(by_hand)
    for method in ("predict", "decision_function", "predict_proba"):
        np.testing.assert_array_equal(getattr(EXPECTED, method)(PLAIN), getattr(plain, method)(by_hand))
    assert (EXPECTED.n_features_in_, EXPECTED.n_features_encoded_, plain.n_features_in_) == (3, 5, 5)
    assert not hasattr(plain, "feature_names_in_")
    assert not hasattr(plain, "feature_names_in_")
    with pytest.raises(AttributeError, match="names"):
        plain.get_feature_names_out()
    assert (EXPECTED.predict(PLAIN) == Y).mean() > 0.95


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_alone_are_their_array(dtype):
    X, y = board(400, dtype=dtype)
    expected = learned(X, y)
    frame = pd.DataFrame(X, columns=["a", "b"])
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        model = learned(table, y)
        assert model.dtype == dtype
        for rows in (table, X, csr_array(X)):
            np.testing.assert_array_equal(
                model.decision_function(rows), expected.decision_function(rows if rows is not table else X)
            )
    integers = pd.DataFrame({"a": COUNT.astype(np.int8), "b": WIDTH > 0})
    assert learned(integers).dtype == np.float64


def test_columns_go_by_name():
    model = learned(PLAIN[:1000], Y[:1000])
    other = learned(PLAIN[:1000], Y[:1000])
    shuffled = POLARS.select("town", "width", "count")
    np.testing.assert_array_equal(model.decision_function(shuffled), model.decision_function(PLAIN))
    model.learn(shuffled[1000:], Y[1000:])
    other.learn(PLAIN[1000:], Y[1000:])
    assert model.to_bytes() == other.to_bytes()
    numbers = PLAIN[["width", "count"]]
    reversed_ = learned(numbers).decision_function(numbers[["count", "width"]].astype(np.float64))
    np.testing.assert_array_equal(reversed_, learned(numbers).decision_function(numbers))


OTHERS = {
    "a column less": (PLAIN.drop(columns="count"), 'got no column "count"'),
    "a column more": (PLAIN.assign(age=1), 'got the new columns "age"'),
    "another name": (
        PLAIN.rename(columns={"width": "Width"}),
        'got no column "width", and the new columns "Width"',
    ),
    "a name twice": (pd.concat([PLAIN, PLAIN[["count"]]], axis=1), 'got two named "count"'),
    "words for numbers": (
        PLAIN.assign(count=TOWN),
        'numbers in the column "count", as in the rows learned before, got',
    ),
    "numbers for words": (
        PLAIN.assign(town=1.5),
        'categories in the column "town", as in the rows learned before, got num',
    ),
    "nothing but numbers": (
        pd.DataFrame({"width": WIDTH, "count": COUNT * 1.0, "town": COUNT * 1.0}),
        'categories in the column "town", as in the rows learned before, got num',
    ),
    "infinity": (PLAIN.assign(width=np.where(np.arange(ROWS) == 7, np.inf, WIDTH)), 'row 7, column "width"'),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_columns_are_refused_by_name_and_change_nothing(what):
    frame, message = OTHERS[what]
    model = Classifier.from_bytes(EXPECTED.to_bytes())
    for call in (
        model.predict,
        model.predict_proba,
        lambda X: model.learn(X, Y),
        lambda X: model.validate(X, Y),
    ):
        with pytest.raises(ValueError, match=message) as raised:
            call(frame)
        assert raised.value.parameter == "X"
    assert model.to_bytes() == EXPECTED.to_bytes()


@pytest.mark.parametrize(
    ("column", "got"),
    [
        (pd.date_range("2020", periods=ROWS), "datetime64"),
        ([1 + 1j] * ROWS, "complex128"),
        ([*([1] * 9), "two", *([3] * (ROWS - 10))], "the text 'two' at row 9"),
        ([[1]] * ROWS, "the list .1. at row 0"),
    ],
)
def test_what_is_neither_a_number_nor_a_word_is_refused_by_name(column, got):
    with pytest.raises(TypeError, match=f"X must have numbers or categories in column 'day', got {got}"):
        learned(PLAIN.assign(day=pd.Series(column)))
    if got == "datetime64":
        with pytest.raises(TypeError, match="in column 'day', got timestamp"):
            learned(ARROW.append_column("day", pa.array(column)))


def test_names_are_all_strings_or_none():
    unnamed = pd.DataFrame(np.column_stack([WIDTH, COUNT]))
    assert not hasattr(learned(unnamed), "feature_names_in_")
    with pytest.raises(
        TypeError, match=r"names of columns that are all strings, or none, got \['int', 'str'\]"
    ):
        learned(PLAIN.rename(columns={"width": 0}))


def test_a_model_of_rows_without_names_takes_numbers_by_their_order():
    X, y = board(300)
    model = learned(X, y)
    frame = pd.DataFrame(X, columns=["b", "a"])
    np.testing.assert_array_equal(model.predict(frame), model.predict(X))
    assert model.learn(frame, y).to_bytes() == learned(X, y).learn(X, y).to_bytes()
    with pytest.raises(ValueError, match="rows learned before had no column names, got categories"):
        model.predict(pd.DataFrame({"a": [1.0], "b": ["x"]}))


@of_new_words
def test_words_may_come_late():
    late = PLAIN.assign(town=np.where(np.arange(ROWS) >= 1000, "Ulm", TOWN))
    model = Classifier(budget=40)
    for start in range(0, ROWS, 250):
        model.learn(late[start : start + 250], Y[start : start + 250])
    assert model.get_feature_names_out().tolist()[-1] == "town=Ulm"
    # As features of zeros that came late to a model of arrays.
    words = [name.removeprefix("town=") for name in model.get_feature_names_out()[2:]]
    rows = np.column_stack([WIDTH, COUNT, *(late.town == word for word in words)])
    by_hand = Classifier(budget=40)
    for start in range(0, ROWS, 250):
        if start == 1000:
            by_hand.add_features(rows.shape[1])
        width = rows.shape[1] - (start < 1000)
        by_hand.learn(rows[start : start + 250, :width], Y[start : start + 250])
    np.testing.assert_array_equal(model.decision_function(late), by_hand.decision_function(rows))
    again = Classifier.from_bytes(model.to_bytes())
    assert again.learn(PLAIN, Y).to_bytes() == model.learn(PLAIN, Y).to_bytes()


@of_new_words
def test_words_that_are_not_known_are_zero_where_they_are_predicted():
    unknown = PLAIN.assign(town="Paris")
    rows = np.column_stack([WIDTH, COUNT, np.zeros((ROWS, 3))])
    np.testing.assert_array_equal(EXPECTED.decision_function(unknown), EXPECTED.decision_function(rows))
    assert EXPECTED.n_features_encoded_ == 5


@of_new_words
def test_a_refused_batch_leaves_no_word_behind():
    model = Classifier.from_bytes(EXPECTED.to_bytes())
    late = PLAIN.assign(town="Ulm", width=np.inf)
    with pytest.raises(ValueError, match='infinity at row 0, column "width"'):
        model.learn(late, Y)
    with pytest.raises(ValueError, match="sample_weight"):
        model.learn(PLAIN.assign(town="Ulm"), Y, sample_weight=np.full(ROWS, -1.0))
    model.validate(PLAIN.assign(town="Ulm"), Y)
    assert model.to_bytes() == EXPECTED.to_bytes()
    automatic = Classifier("bsgd-merge", budget=20, gamma="auto").learn(PLAIN, Y)
    before = automatic.to_bytes()
    with pytest.raises(ValueError, match="gamma must be a number"):
        automatic.learn(PLAIN.assign(town="Ulm"), Y)
    assert automatic.to_bytes() == before


def test_a_missing_word_is_a_missing_value_of_all_its_indicators():
    town = [None if i % 7 == 0 else word for i, word in enumerate(TOWN.tolist())]
    count = [None if i % 5 == 0 else number for i, number in enumerate(COUNT.tolist())]
    table = pa.table({"width": WIDTH, "count": count, "town": town})
    expected = learned(table)
    words = expected.get_feature_names_out()[2:]
    rows = [
        np.where([word is None for word in town], np.nan, [f"town={word}" == name for word in town])
        for name in words
    ]
    by_hand = np.column_stack([WIDTH, np.array(count, dtype=float), *rows])
    np.testing.assert_array_equal(expected.decision_function(table), expected.decision_function(by_hand))
    with pytest.raises(ValueError, match='NaN at row 0, column "count"'):
        learned(table, algorithm="bsgd-merge")
    with pytest.raises(ValueError, match='NaN at row 0, column "town"'):
        learned(table.drop_columns("count"), algorithm="bsgd-merge")


def test_every_type_of_numbers():
    numbers = np.arange(6)
    kinds = [
        pa.int8(),
        pa.uint8(),
        pa.int16(),
        pa.uint32(),
        pa.int64(),
        pa.float16(),
        pa.float32(),
        pa.float64(),
    ]
    values = numbers.astype(np.float16)
    for kind in [*kinds, pa.decimal128(25, 2)]:
        column = pa.array(values) if kind == pa.float16() else pa.array(numbers).cast(kind)
        (found,) = frame_of(pa.table({"a": column})).columns
        assert found.tolist() == numbers.tolist(), kind
    (blank,) = frame_of(pa.table({"a": pa.nulls(3)})).columns
    assert np.isnan(blank).all()
    assert frame_of(pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 1.5])})).columns[0].tolist() == [
        0,
        0,
        1.5,
    ]
    assert np.isnan(frame_of(pd.DataFrame({"a": [None, None]})).columns[0]).all()
    assert frame_of(pd.DataFrame({"a": pd.Categorical([1, 2, 1])})).columns[0][1] == ["1", "2"]


def test_numbers_of_one_type_are_read_in_place():
    X = np.ascontiguousarray(np.random.default_rng(0).normal(size=(1000, 3)).astype(np.float32))
    frame = pd.DataFrame(X, columns=list("abc"), copy=False)
    assert np.shares_memory(frame_of(frame).matrix, X)
    assert all(np.shares_memory(column, X) for column in frame_of(frame).columns)
    table = pa.table({"a": pa.array(WIDTH)})
    assert np.shares_memory(frame_of(table).columns[0], table["a"].chunk(0).to_numpy())


def test_without_pyarrow_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ImportError, match=r"X, a polars.DataFrame, is read by pyarrow: pip install 'budgetrs\[arrow\]'"
    ):
        learned(POLARS)
    assert learned(PLAIN.assign(town=PLAIN.town.astype(object))).to_bytes() == EXPECTED.to_bytes()


def test_numbers_to_predict():
    model = Regressor(budget=30).learn(PLAIN, WIDTH)
    assert model.learn_one([1.0, 2.0, *([0.0] * 3)], 1.0).feature_names_in_[2] == "town"


def test_a_first_batch_that_makes_no_model_leaves_no_names():
    model = Classifier(budget=10).learn(PLAIN, Y, sample_weight=np.zeros(ROWS))
    assert not hasattr(model, "feature_names_in_")
    assert model.learn([[1.0], [2.0]], [0, 1]).n_features_in_ == 1


def test_names_that_no_file_can_hold_are_refused():
    names = ["x" * 400_000 + str(i) for i in range(3)]
    frame = pd.DataFrame(np.ones((4, 3)), columns=names).assign(town="Rome")
    with pytest.raises(ValueError, match="names and categories take less than 1048576 bytes"):
        learned(frame, [0, 1, 0, 1])


def test_a_column_of_nothing_may_have_any_type():
    blank = pd.DataFrame({"width": WIDTH, "count": COUNT * 1.0, "town": np.full(ROWS, np.nan)})
    words = PLAIN.assign(town=pd.Series([None] * ROWS, dtype="string"))
    np.testing.assert_array_equal(EXPECTED.decision_function(blank), EXPECTED.decision_function(words))


def test_names_that_are_too_long_are_left_out_where_they_are_not_needed():
    X, y = np.random.default_rng(0).normal(size=(20, 50_000)), np.arange(20) % 2
    frame = pd.DataFrame(X, columns=[f"feature {number:020d}" for number in range(50_000)])
    model = Classifier("bsgd-merge", budget=5).learn(frame, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.to_bytes() == Classifier("bsgd-merge", budget=5).learn(X, y).to_bytes()


def test_columns_with_names_are_not_widened_by_number():
    model = Classifier.from_bytes(EXPECTED.to_bytes())
    for width in (6, 100):
        with pytest.raises(ValueError, match="n_features must be 5, because the columns of the model have"):
            model.add_features(width)
    model.add_features(5)
    assert model.to_bytes() == EXPECTED.to_bytes()
    folding = learned(PLAIN, algorithm="bsgd-merge", hash_features=64)
    folding.add_features(100)
    assert Classifier.from_bytes(folding.to_bytes()).learn(PLAIN, Y).n_features_encoded_ == 100


@of_new_words
def test_threads_may_learn_new_words_while_others_predict():
    model = Classifier.from_bytes(EXPECTED.to_bytes())
    failed = []

    def work(call, frames):
        try:
            for frame in frames:
                call(frame)
        except Exception as error:
            failed.append(error)

    def learn(frame):
        model.learn(frame, Y[: len(frame)])

    frames = [[PLAIN[:100].assign(town=f"{who}{i}") for i in range(40)] for who in "ab"]
    threads = [threading.Thread(target=work, args=(learn, some)) for some in frames]
    threads += [threading.Thread(target=work, args=(model.predict, [PLAIN[:50]] * 300)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert (model.n_features_in_, model.n_features_encoded_) == (3, 5 + 80)
    assert Classifier.from_bytes(model.to_bytes()).n_samples_seen_ == ROWS + 8000


def test_rows_that_no_memory_holds_are_refused():
    words = [f"word {i}" for i in range(20_000)]
    labels = np.arange(2_000_000) % 2
    codes = np.arange(2_000_000) % 20_000
    table = pa.table({"w": pa.DictionaryArray.from_arrays(codes.astype(np.int32), words)})
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, limit[1]))
    try:
        with pytest.raises(ValueError, match="rows that fit into memory, got 2000000 rows of 20000 features"):
            Classifier("bsgd-merge", budget=5).learn(table, labels)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limit)


def misaligned(values):
    """The same values at an odd address, as arrays that came in a message may lie."""
    return np.frombuffer(b"\0" + values.tobytes(), np.uint8)[1:].view(values.dtype).reshape(values.shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_frames_of_misaligned_numbers(dtype):
    X, y = np.random.default_rng(0).uniform(-1, 1, (200, 3)).astype(dtype), np.arange(200) % 3 > 0
    rows = misaligned(X)
    assert not rows.flags.aligned
    expected = Classifier(budget=10).learn(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    frame = pd.DataFrame(rows, columns=["a", "b", "c"], copy=False)
    mixed = pd.DataFrame(
        {name: misaligned(column) for name, column in zip("abc", X.T.copy(), strict=True)}, copy=False
    )
    for odd in (frame, mixed, mixed.assign(word="w")[["a", "b", "c"]]):
        model = Classifier(budget=10).learn(odd, y)
        assert model.to_bytes() == expected.to_bytes()
        assert np.array_equal(model.predict(odd), expected.predict(frame.copy()))
    words = Classifier(budget=10).learn(mixed.assign(word="w"), y)
    assert words.to_bytes() == Classifier(budget=10).learn(mixed.copy().assign(word="w"), y).to_bytes()
