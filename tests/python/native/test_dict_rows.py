"""A row as a dict of values by the names of the columns: the same as a data frame of one row."""

import decimal
import enum
import fractions
from collections import ChainMap, OrderedDict, UserDict
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from budgetrs import Classifier, KeyedModels, Regressor
from conftest import together

RNG = np.random.default_rng(0)
TOWNS = np.array(["Oslo", "Rome", "Lima", ""])
ROWS = [
    {
        "x": float(x) if i % 7 else None,
        "n": int(n),
        "flag": bool(n > 3),
        "town": str(TOWNS[i * i % 3 if i < 30 else i % 4]) if i % 5 else None,
        "late": None if i < 20 else "ab"[i % 2],
    }
    for i, (x, n) in enumerate(zip(RNG.normal(size=60), RNG.integers(0, 9, 60), strict=True))
]
LABELS = ["yes" if row["n"] % 2 else "no" for row in ROWS]
NUMBERS = [{"b": float(x), "a": float(y)} for x, y in RNG.normal(size=(60, 2))]


def shuffled(row):
    return {name: row[name] for name in RNG.permutation(list(row)).tolist()}


@pytest.mark.parametrize("rows", [ROWS, NUMBERS])
@pytest.mark.parametrize("hashed", [None, 16])
def test_rows_equal_frames_of_one_row(rows, hashed):
    params = {"budget": 20, "hash_features": hashed} if hashed else {"budget": 20}
    if hashed and rows is ROWS:
        rows = [
            {**row, "x": row["x"] or 0.5, "town": row["town"] or "", "late": row["late"] or ""}
            for row in rows
        ]
    model, expected = Classifier(**params), Classifier(**params)
    for i, (row, label) in enumerate(zip(rows, LABELS, strict=True)):
        given = shuffled(row) if i else row
        assert model.learn_one(given, label, sample_weight=1 + i % 2) is model
        expected.learn(pa.Table.from_pylist([row]), [label], sample_weight=[1 + i % 2])
        assert model.to_bytes() == expected.to_bytes()
        frame = pa.Table.from_pylist([rows[0], rows[i]])[1:]
        given = shuffled(rows[i])
        assert model.predict_one(given) == expected.predict(frame)[0]
        assert list(model.predict_proba_one(given).values()) == expected.predict_proba(frame)[0].tolist()


def test_regression_in_single_precision():
    frame = pd.DataFrame(NUMBERS, dtype=np.float32)
    model = Regressor(budget=20).learn(frame, range(60))
    assert model.predict_one(shuffled(NUMBERS[3])) == model.predict(frame[3:4])[0]


@pytest.mark.parametrize(
    "value",
    [2, True, np.float64(2.5), np.float32(2.5), np.int8(3), decimal.Decimal("2.5"), fractions.Fraction(5, 2)],
)
def test_numbers_of_any_type(value):
    model = Classifier(budget=5).learn_one({"a": 1.0, "b": 0.5}, 0).learn_one({"a": -1, "b": value}, 1)
    expected = Classifier(budget=5).learn(pd.DataFrame({"a": [1.0], "b": [0.5]}), [0])
    expected.learn(pd.DataFrame({"a": [-1.0], "b": [float(value)]}), [1])
    assert model.to_bytes() == expected.to_bytes()


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), pd.NA])
def test_missing_values(value):
    model = Classifier(budget=5).learn_one({"a": 1.0, "b": "red"}, 0).learn_one({"a": -1.0, "b": "blue"}, 1)
    one = model.predict_proba_one({"a": value, "b": "red"})
    assert one == model.predict_proba_one({"b": "red", "a": None})
    assert model.predict_proba_one({"a": 1.0, "b": value}) == model.predict_proba_one({"a": 1.0, "b": None})


@pytest.mark.parametrize(("key", "names"), [(None, ["user", "a"]), ("user", ["a"])])
def test_models_by_key_leave_out_the_column_of_the_key(key, names):
    models = KeyedModels(Classifier(budget=5), key=key).learn_one({"user": "u", "a": 1.0}, "x", "u")
    assert models["u"].feature_names_in_.tolist() == names


class Town(str, enum.Enum):  # noqa: UP042
    OSLO = "Oslo"
    ROME = "Rome"


@pytest.mark.parametrize("form", [dict, MappingProxyType, ChainMap, UserDict, OrderedDict])
def test_other_mappings_and_strings(form):
    model = Classifier(budget=5)
    for town in [*Town] * 5:
        model.learn_one(form({"town": town, "a": 1.0}), town.name)
    assert model.get_feature_names_out().tolist() == ["a", "town=Oslo", "town=Rome"]
    assert model.predict_one(form({"a": 1.0, "town": Town.ROME})) == "ROME"
    assert model.predict(pd.DataFrame([{"a": 1.0, "town": Town.ROME}])).tolist() == ["ROME"]


def test_rows_without_values():
    model = Classifier(budget=5).learn_one({"a": 1.0}, 0).learn_one({"b": 1.0}, 1, add_features=True)
    assert model.predict_proba_one({}) == model.predict_proba_one({"a": 0.0, "b": 0.0})
    assert model.predict(pd.DataFrame(index=range(3))).shape == (3,)
    assert model.learn_one({}, 1).n_samples_seen_ == 3


def test_columns_that_grow_in_another_thread():
    model = Classifier(budget=10).learn_one({"a": 1.0, "town": "t0"}, 0)

    def learn(of):
        for i in range(200):
            model.learn_one({"a": i / 200, "town": f"t{of * 8 + i % 8}"}, i % 2)

    together(*(partial(learn, of) for of in range(3)))
    assert model.n_samples_seen_ == 601
    assert len(model.get_feature_names_out()) == 25
