"""New columns in the middle of a stream: `add_features`."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from budgetrs import Classifier, ParameterError, Regressor
from conftest import warnings_of

RNG = np.random.default_rng(0)
N = 60
Y = np.arange(N) % 2


def frame(*names, rows=N):
    return pd.DataFrame({name: RNG.normal(size=rows) for name in names})


class ByHand:
    """A model of rows as dicts, by their definition: an absent name is 0, and new names come last, sorted.

    A name without a value in the rows learned has no type, so that all its values are missing.
    """

    def __init__(self, native):
        self.native, self.names, self.typed = native, [], set()

    def array(self, row):
        known = {name: value if name in self.typed else None for name, value in row.items()}
        return np.array([known.get(name, 0.0) for name in self.names], dtype=float)

    def learn_one(self, row, y):
        self.names += sorted(set(row) - set(self.names))
        self.typed |= {name for name, value in row.items() if value is not None}
        self.native.learn_one(self.array(row), y, add_features=True)

    def predict_one(self, row):
        return self.native.predict_one(self.array(row))


def state(native):
    found = native.support_vectors_, native.dual_coef_, native.coef_, native.intercept_
    return [part.tolist() for part in found]


def streams():
    """Rows whose names come late, stay away and change their order; values may be missing."""
    rng = np.random.default_rng(1)
    for known in (["a", "b", "c", "d", "e"], ["word 9", "Word", "z", "", "é", "ß"] * 2):
        rows = []
        for i in range(150):
            late = known[: 2 + i // 20]
            names = rng.permutation(late)[: rng.integers(1, len(late) + 1)].tolist()
            rows.append({name: None if rng.random() < 0.05 else float(rng.normal()) for name in names})
        yield rows


@pytest.mark.parametrize("kind", [Classifier, Regressor])
@pytest.mark.parametrize("rows", list(streams()), ids=["letters", "words"])
def test_dicts_are_matched_by_name_from_the_first_row_on(kind, rows):
    model, expected = kind(budget=20), ByHand(kind(budget=20))
    for i, row in enumerate(rows):
        y = int(sum(value or 0.0 for value in row.values()) > 0)
        model.learn_one(row, y, add_features=True)
        expected.learn_one(row, y)
        for asked in (rows[-i], {**rows[i // 2], "unknown": 5.0}, {"unknown": "text"}, {}):
            assert model.predict_one(asked) == expected.predict_one(asked)
    assert model.feature_names_in_.tolist() == expected.names
    assert state(model) == state(expected.native)


def test_a_dict_that_is_learned_turns_the_mode_on_though_no_name_is_new():
    model, expected = Classifier(budget=5), Classifier(budget=5)
    for i, add_features in enumerate([False, False, True, True]):
        row = {"a": float(i), "b": 1.0}
        model.learn_one(row, i % 2, add_features=add_features)
        expected.learn(pd.DataFrame([row]), [i % 2], add_features=add_features)
    assert model.to_bytes() == expected.to_bytes()
    assert model.predict_one({"b": 1.0}) == model.predict_one({"b": 1.0, "a": 0.0})


@pytest.mark.parametrize("order", [["b", "a", "c", "d"], ["c", "a", "b", "d"]])
@pytest.mark.parametrize("learn", ["learn", "learn_one"])
def test_the_order_of_new_names_changes_nothing(learn, order):
    model, expected = Classifier(budget=5), Classifier(budget=5)
    for i, row in enumerate(({"b": 1.0, "a": 2.0}, {"b": 3.0, "d": "red", "c": 0.5, "a": 1.0})):
        expected.learn_one(row, i, add_features=True)
        row = {name: row[name] for name in order if name in row}
        given = (row, i) if learn == "learn_one" else (pd.DataFrame([row]), [i])
        getattr(model, learn)(*given, add_features=True)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert model.to_bytes() == expected.to_bytes()


def test_zeros_of_absent_names_are_no_repeated_outliers():
    values = np.random.default_rng(0).normal(size=400) + 1000.0
    model = Classifier(budget=20)

    def learn():
        for i, value in enumerate(values.tolist()):
            row = {"a": value, "depth": -9999.0 if i % 10 == 5 else value}
            model.learn_one({"depth": row["depth"]} if i % 10 == 1 else row, i % 2, add_features=True)

    (message,) = warnings_of(learn, "repeat far")
    assert 'of their feature are clipped: -9999 in feature "depth" (' in message


def test_rows_of_arrays_give_the_model_that_knew_all_columns():
    X = np.tril(np.ones((N, 90))) * RNG.normal(size=(N, 90))
    late, known = (Classifier(budget=10, metric_learning="none", linear_weight=None) for _ in range(2))
    for i, row in enumerate(X):
        late.learn_one(row[: i + 2], Y[i], add_features=True)
        known.learn_one(row[: N + 1], Y[i])
    assert late.n_features_in_ == N + 1
    assert np.array_equal(late.decision_function(X[:, : N + 1]), known.decision_function(X[:, : N + 1]))


def test_new_columns_may_be_categorical_or_without_values():
    model = Classifier().learn(frame("a"), Y)
    model.learn(frame("a").assign(town=["Oslo", "Rome"] * 30, late=None), Y, add_features=True)
    assert model.get_feature_names_out().tolist() == ["a", "late", "town=Oslo", "town=Rome"]
    model = Classifier.from_bytes(model.to_bytes())
    model.learn(pl.DataFrame({"late": ["x", "y"] * 30}), Y)
    assert model.get_feature_names_out().tolist() == ["a", "late=x", "town=Oslo", "town=Rome", "late=y"]
    copy = Classifier.from_bytes(model.to_bytes())
    assert copy.to_bytes() == model.to_bytes()
    # An unknown column is ignored in predictions, and raises where rows are learned without the option.
    model.predict(frame("other", "a"))
    with pytest.raises(ParameterError, match='new columns "other"'):
        model.learn(frame("other", "a"), Y)
    assert model.to_bytes() == copy.to_bytes()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (frame("a", "b", "c"), 'the new columns "c"; learn.*, add_features=True'),
        (frame("a"), r'no column "b"; learn\(..., add_features=True\) takes absent columns as 0$'),
        (np.ones((N, 3)), "must have 2 features"),
    ],
)
def test_without_the_option_new_and_missing_columns_raise(rows, message):
    model = Classifier().learn(frame("a", "b"), Y)
    before = model.to_bytes()
    with pytest.raises(ParameterError, match=message):
        model.learn(rows, Y)
    assert model.to_bytes() == before


@pytest.mark.parametrize("is_named", [True, False])
@pytest.mark.parametrize("is_target", [True, False])
def test_an_error_adds_nothing(is_target, is_named):
    X, y = frame("a", "b", "c"), Y.astype(float)
    model = Regressor().learn(X[["a", "b"]] if is_named else X[["a", "b"]].to_numpy(), Y)
    before = model.to_bytes()
    if is_target:
        y[3] = 1e300
    else:
        X.loc[5, "c"] = np.inf
    with pytest.raises(ParameterError):
        model.learn(X if is_named else X.to_numpy(), y, add_features=True)
    assert model.to_bytes() == before
    assert model.n_features_in_ == 2


def test_gamma_that_depends_on_the_number_of_features_raises():
    model = Classifier("pa-merge", gamma="auto").learn(frame("a"), Y)
    before = model.to_bytes()
    with pytest.raises(ValueError, match="gamma must be a number"):
        model.learn(frame("a", "b"), Y, add_features=True)
    assert model.to_bytes() == before


def test_hashed_rows_may_have_any_columns():
    model = Classifier(hash_features=8).learn(frame("a", "b"), Y)
    model.learn(frame("a", "b", "c"), Y, add_features=True)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
