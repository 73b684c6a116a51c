"""Frames of any library: columns are matched by name, and categories become features."""

import resource
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from budgetrs import Classifier, Regressor
from budgetrs._frames import frame_of
from conftest import board, together
from test_layouts import misaligned

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


def copied():
    return Classifier.from_bytes(EXPECTED.to_bytes())


EXPECTED = learned(PLAIN)


def test_categories_are_indicators_in_the_order_in_which_they_appear():
    assert EXPECTED.feature_names_in_.tolist() == ["width", "count", "town"]
    words = list(dict.fromkeys(TOWN.tolist()))
    names = ["width", "count", *(f"town={word}" for word in words)]
    assert EXPECTED.get_feature_names_out().tolist() == names
    by_hand = np.column_stack([WIDTH, COUNT, *(word == TOWN for word in words)])
    plain = learned(by_hand)
    for method in ("predict", "decision_function", "predict_proba"):
        np.testing.assert_array_equal(getattr(EXPECTED, method)(PLAIN), getattr(plain, method)(by_hand))
    assert (EXPECTED.n_features_in_, EXPECTED.n_features_encoded_, plain.n_features_in_) == (3, 5, 5)
    assert not hasattr(plain, "feature_names_in_")
    with pytest.raises(AttributeError, match="names"):
        plain.get_feature_names_out()
    assert (EXPECTED.predict(PLAIN) == Y).mean() > 0.95


def test_columns_are_matched_by_name():
    model, other = learned(PLAIN[:1000], Y[:1000]), learned(PLAIN[:1000], Y[:1000])
    shuffled = POLARS.select("town", "width", "count")
    np.testing.assert_array_equal(model.decision_function(shuffled), model.decision_function(PLAIN))
    model.learn(shuffled[1000:], Y[1000:])
    assert model.to_bytes() == other.learn(PLAIN[1000:], Y[1000:]).to_bytes()
    numbers = PLAIN[["width", "count"]]
    reversed_ = learned(numbers).decision_function(numbers[["count", "width"]].astype(np.float64))
    np.testing.assert_array_equal(reversed_, learned(numbers).decision_function(numbers))


def test_a_model_of_rows_without_names_takes_numbers_by_their_order():
    X, y = board(300)
    model = learned(X, y)
    frame = pd.DataFrame(X, columns=["b", "a"])
    np.testing.assert_array_equal(model.predict(frame), model.predict(X))
    assert model.learn(frame, y).to_bytes() == learned(X, y).learn(X, y).to_bytes()
    assert not hasattr(learned(pd.DataFrame(X), y), "feature_names_in_")


@of_new_words
def test_new_categories_are_features_that_were_zero():
    late = PLAIN.assign(town=np.where(np.arange(ROWS) >= 1000, "Ulm", TOWN))
    model, by_hand = Classifier(budget=40), Classifier(budget=40)
    for start in range(0, ROWS, 250):
        model.learn(late[start : start + 250], Y[start : start + 250])
    assert model.get_feature_names_out().tolist()[-1] == "town=Ulm"
    words = [name.removeprefix("town=") for name in model.get_feature_names_out()[2:]]
    rows = np.column_stack([WIDTH, COUNT, *(late.town == word for word in words)])
    by_hand.learn(rows[:250, :-1], Y[:250]).learn(rows[250:1000, :-1], Y[250:1000])
    by_hand.add_features(rows.shape[1])
    by_hand.learn(rows[1000:], Y[1000:])
    np.testing.assert_array_equal(model.decision_function(late), by_hand.decision_function(rows))
    again = Classifier.from_bytes(model.to_bytes())
    assert again.learn(PLAIN, Y).to_bytes() == model.learn(PLAIN, Y).to_bytes()


@of_new_words
def test_unknown_categories_are_zero_in_predictions():
    rows = np.column_stack([WIDTH, COUNT, np.zeros((ROWS, 3))])
    unknown = EXPECTED.decision_function(PLAIN.assign(town="Paris"))
    np.testing.assert_array_equal(unknown, EXPECTED.decision_function(rows))
    assert EXPECTED.n_features_encoded_ == 5


def test_a_missing_category_is_missing_in_all_its_indicators():
    town = [None if i % 7 == 0 else word for i, word in enumerate(TOWN.tolist())]
    count = [None if i % 5 == 0 else number for i, number in enumerate(COUNT.tolist())]
    table = pa.table({"width": WIDTH, "count": count, "town": town})
    model = learned(table)
    holes = [word is None for word in town]
    rows = [
        np.where(holes, np.nan, [f"town={word}" == name for word in town])
        for name in model.get_feature_names_out()[2:]
    ]
    by_hand = np.column_stack([WIDTH, np.array(count, dtype=float), *rows])
    np.testing.assert_array_equal(model.decision_function(table), model.decision_function(by_hand))


KINDS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64(), pa.float32(), pa.float64()]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        *[(pa.table({"a": pa.array(range(6)).cast(k)}), range(6)) for k in [*KINDS, pa.decimal128(25, 2)]],
        (pa.table({"a": pa.array(np.arange(6, dtype=np.float16))}), range(6)),
        (pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 1.5])}), [0, 0, 1.5]),
        (pa.table({"a": pa.nulls(3)}), [np.nan] * 3),
        (pd.DataFrame({"a": [None, None]}), [np.nan] * 2),
    ],
)
def test_numbers_of_every_type_are_read(table, expected):
    (found,) = frame_of(table).columns
    np.testing.assert_array_equal(found, list(expected))


def test_integer_categories_are_text():
    assert frame_of(pd.DataFrame({"a": pd.Categorical([1, 2, 1])})).columns[0][1] == ["1", "2"]
    integers = pd.DataFrame({"a": COUNT.astype(np.int8), "b": WIDTH > 0})
    assert learned(integers).dtype == np.float64


def test_numbers_of_one_type_are_read_in_place():
    X = np.ascontiguousarray(np.random.default_rng(0).normal(size=(1000, 3)).astype(np.float32))
    frame = pd.DataFrame(X, columns=list("abc"), copy=False)
    assert np.shares_memory(frame_of(frame).matrix, X)
    assert all(np.shares_memory(column, X) for column in frame_of(frame).columns)
    table = pa.table({"a": pa.array(WIDTH)})
    assert np.shares_memory(frame_of(table).columns[0], table["a"].chunk(0).to_numpy())


def test_without_pyarrow_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = r"X, a polars.DataFrame, is read by pyarrow: pip install 'budgetrs\[arrow\]'"
    with pytest.raises(ImportError, match=message):
        learned(POLARS)
    assert learned(PLAIN.assign(town=PLAIN.town.astype(object))).to_bytes() == EXPECTED.to_bytes()


def test_a_row_of_numbers_keeps_the_names():
    model = Regressor(budget=30).learn(PLAIN, WIDTH)
    assert model.learn_one([1.0, 2.0, *([0.0] * 3)], 1.0).feature_names_in_[2] == "town"


def test_names_that_fit_into_no_file_raise_where_they_are_needed():
    names = ["x" * 400_000 + str(i) for i in range(3)]
    frame = pd.DataFrame(np.ones((4, 3)), columns=names).assign(town="Rome")
    with pytest.raises(ValueError, match="names and categories take less than 1048576 bytes"):
        learned(frame, [0, 1, 0, 1])
    X, y = np.random.default_rng(0).normal(size=(20, 50_000)), np.arange(20) % 2
    frame = pd.DataFrame(X, columns=[f"feature {number:020d}" for number in range(50_000)])
    model = learned(frame, y, algorithm="bsgd-merge")
    assert not hasattr(model, "feature_names_in_")
    assert model.to_bytes() == learned(X, y, algorithm="bsgd-merge").to_bytes()


def test_a_column_without_values_may_have_any_type():
    blank = pd.DataFrame({"width": WIDTH, "count": COUNT * 1.0, "town": np.full(ROWS, np.nan)})
    words = PLAIN.assign(town=pd.Series([None] * ROWS, dtype="string"))
    np.testing.assert_array_equal(EXPECTED.decision_function(blank), EXPECTED.decision_function(words))


def test_hashed_columns_with_names_are_widened_by_number():
    hashed = learned(PLAIN, algorithm="bsgd-merge", hash_features=64)
    hashed.add_features(100)
    assert Classifier.from_bytes(hashed.to_bytes()).learn(PLAIN, Y).n_features_encoded_ == 100


@of_new_words
def test_threads_learn_new_categories_while_others_predict():
    model = copied()

    def learn(who):
        for i in range(40):
            model.learn(PLAIN[:100].assign(town=f"{who}{i}"), Y[:100])

    predict = lambda: model.predict(PLAIN[:50])  # noqa: E731
    together(lambda: learn("a"), lambda: learn("b"), beside=[predict, predict])
    assert (model.n_features_in_, model.n_features_encoded_) == (3, 5 + 80)
    assert Classifier.from_bytes(model.to_bytes()).n_samples_seen_ == ROWS + 8000


def test_rows_that_do_not_fit_into_memory_raise():
    codes = (np.arange(2_000_000) % 20_000).astype(np.int32)
    table = pa.table({"w": pa.DictionaryArray.from_arrays(codes, [f"word {i}" for i in range(20_000)])})
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, limit[1]))
    try:
        with pytest.raises(ValueError, match="rows that fit into memory, got 2000000 rows of 20000 features"):
            Classifier("bsgd-merge", budget=5).learn(table, codes % 2)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limit)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("words", [{}, {"word": "w"}])
def test_frames_of_misaligned_numbers(words, dtype):
    X, y = np.random.default_rng(0).uniform(-1, 1, (200, 3)).astype(dtype), np.arange(200) % 3 > 0
    frame = pd.DataFrame(misaligned(X), columns=[*"abc"], copy=False)
    columns = {name: misaligned(column) for name, column in zip("abc", X.T.copy(), strict=True)}
    expected = pd.DataFrame(X, columns=[*"abc"]).assign(**words)
    model = learned(expected, y)
    for odd in (frame.assign(**words), pd.DataFrame(columns, copy=False).assign(**words)):
        assert not odd["a"].to_numpy().flags.aligned
        assert learned(odd, y).to_bytes() == model.to_bytes()
        assert np.array_equal(model.predict(odd), model.predict(expected))
