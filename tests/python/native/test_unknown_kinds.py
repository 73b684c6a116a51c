"""Columns whose first rows have no values, and the same values in every container."""

import decimal
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from budgetrs import Classifier, KeyedModels, OnlineKernelClassifier, Regressor

N = 40
Y = np.arange(N) % 2
WORDS = [None if i % 7 == 0 else "abcde"[i % 5] for i in range(N)]
INTEGERS = [None if i % 11 == 0 else i * 7 % 10 - 5 for i in range(N)]
BOOLS = [None if i % 9 == 0 else i % 4 == 1 for i in range(N)]
DECIMALS = [None if i % 10 == 0 else decimal.Decimal(i * 3 % 17) / 4 for i in range(N)]
LATE = {
    "missing": pa.nulls(N),
    "words": pa.array([None if i % 5 else "uv"[i % 2] for i in range(N)], pa.string()),
    "numbers": pa.array([None if i % 5 else i / 2 for i in range(N)], pa.float64()),
    "integers": pa.array([None if i % 5 else i for i in range(N)], pa.int64()),
    "bools": pa.array([None if i % 5 else i % 2 == 0 for i in range(N)], pa.bool_()),
}


def table(late):
    return pa.table(
        {
            "w": pa.array(WORDS, pa.string()),
            "i": pa.array(INTEGERS, pa.int64()),
            "b": pa.array(BOOLS, pa.bool_()),
            "d": pa.array(DECIMALS, pa.decimal128(10, 2)),
            "n": pa.array(range(N), pa.int64()),
            "late": late,
        }
    )


def dictionary(T):
    return T.set_column(0, "w", T["w"].dictionary_encode())


def objects(T, missing=None):
    columns = {name: [missing if v is None else v for v in T[name].to_pylist()] for name in T.column_names}
    return pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in columns.items()})


def nullable(T):
    frame = T.to_pandas()
    integers, bools = pd.array(INTEGERS, "Int64"), pd.array(BOOLS, "boolean")
    return frame.assign(w=frame["w"].astype("string"), i=integers, b=bools)


CONTAINERS = {
    "pyarrow": lambda T: T,
    "dictionary": dictionary,
    "chunks": lambda T: pa.concat_tables([dictionary(T[:9]), dictionary(T[9:])]),
    "a batch": lambda T: T.combine_chunks().to_batches()[0],
    "string views": lambda T: T.set_column(0, "w", T["w"].cast(pa.string_view())),
    "pandas": lambda T: T.to_pandas(),
    "objects": objects,
    "objects with pandas.NA": lambda T: objects(T, pd.NA),
    "objects with nan": lambda T: objects(T, np.nan),
    "nullable": nullable,
    "category": lambda T: T.to_pandas().assign(w=pd.Categorical(WORDS, list("zedcba"), ordered=True)),
    "arrow types of pandas": lambda T: T.to_pandas(types_mapper=pd.ArrowDtype),
    "arrow dictionary of pandas": lambda T: dictionary(T).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars in pieces": lambda T: pl.concat([pl.from_arrow(T[:9]), pl.from_arrow(T[9:])], rechunk=False),
    "polars Categorical": lambda T: pl.from_arrow(T).with_columns(pl.col("w").cast(pl.Categorical)),
    "polars Enum": lambda T: pl.from_arrow(T).with_columns(pl.col("w").cast(pl.Enum(list("edcbaz")))),
    "polars through pandas": lambda T: pl.from_arrow(T).to_pandas(),
    "polars through arrow types": lambda T: pl.from_arrow(T).to_pandas(use_pyarrow_extension_array=True),
}


def native(first, second):
    model = Classifier.from_bytes(Classifier().learn(first, Y).to_bytes())
    return model.learn(second, Y).learn(first, Y).to_bytes(), model.predict_proba(second).tolist()


def estimator(first, second):
    model = OnlineKernelClassifier(random_state=0).partial_fit(first, Y, classes=[0, 1])
    model = pickle.loads(pickle.dumps(model))
    return model.partial_fit(second, Y)._model.to_bytes(), model.predict_proba(second).tolist()


@pytest.mark.parametrize("learn", [native, estimator])
@pytest.mark.parametrize("late", LATE)
def test_every_container_gives_the_same_model_and_predictions(late, learn):
    first, second = table(LATE["missing"]), table(LATE[late])
    expected = learn(first, second)
    turned = list(CONTAINERS.values())
    for one, two in zip(turned, [*turned[5:], *turned[:5]], strict=True):
        assert learn(one(first), two(second)) == expected


def test_the_first_value_decides_the_type():
    blank = pd.DataFrame({"late": [None] * N, "x": np.arange(N) / N})
    model = Classifier().learn(blank, Y)
    model.learn(blank, Y)
    assert model.get_feature_names_out().tolist() == ["late", "x"]
    model.learn(blank.assign(late=["red", "green"] * (N // 2)), Y)
    assert model.get_feature_names_out().tolist() == ["late=red", "x", "late=green"]
    assert model.feature_names_in_.tolist() == ["late", "x"]
    same = Classifier.from_bytes(model.to_bytes())
    assert same.to_bytes() == model.to_bytes()
    later = blank.assign(late=["green", None] * (N // 2))
    assert np.array_equal(same.predict(later), model.predict(later))
    with pytest.raises(ValueError, match='categories in the column "late"'):
        model.learn(blank.assign(late=1.0), Y)


def test_a_column_without_a_type_counts_as_missing_in_predictions():
    blank = pd.DataFrame({"late": [np.nan] * N, "x": np.arange(N) / N})
    model = Regressor().learn(blank, Y)
    expected = model.predict(blank)
    for values in (["red"] * N, np.arange(N), [True] * N):
        assert np.array_equal(model.predict(blank.assign(late=values)), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "late",
    [pd.Series([None] * N, dtype=object), pd.Series([np.nan] * N), pa.nulls(N)],
    ids=["None", "NaN", "null"],
)
def test_a_column_without_values_does_not_decide_the_float_type(late, dtype):
    make = pa.table if isinstance(late, pa.Array) else pd.DataFrame
    assert Classifier().learn(make({"late": late, "x": np.arange(N, dtype=dtype)}), Y).dtype == dtype


def test_rows_of_weight_0_decide_no_type():
    blank = pd.DataFrame({"late": [None] * N, "x": np.arange(N) / N})
    model = Classifier().learn(blank, Y)
    model.learn(blank.assign(late="red"), Y, sample_weight=np.zeros(N))
    model.learn(blank.assign(late=1.0), Y)
    assert model.get_feature_names_out().tolist() == ["late", "x"]


def test_models_by_key_learn_a_type_that_comes_late():
    models, one = KeyedModels(Classifier(budget=5)), Classifier(budget=5)
    for town in ([None] * N, WORDS):
        frame = pd.DataFrame({"a": np.arange(N) / 7, "town": pd.Series(town, dtype=object)})
        models.learn(frame, Y, np.zeros(N, int))
        one.learn(frame, Y)
    assert models[0].get_feature_names_out().tolist() == one.get_feature_names_out().tolist()


@pytest.mark.parametrize("of_arrow", [False, True])
def test_integer_categories_stay_the_same_when_values_are_missing(of_arrow):
    """pandas holds integers with missing values as floats."""

    def categories(numbers):
        column = pd.Series(numbers).astype("category")
        if of_arrow:
            return pa.table({"a": np.ones(N), "group": pa.array(column)})
        return pd.DataFrame({"a": np.ones(N), "group": column})

    whole = np.arange(N) % 3
    model = Classifier(budget=20).learn(categories(whole), whole == 1)
    model.learn(categories(np.where(np.arange(N) % 7 == 0, np.nan, whole)), whole == 1)
    assert model.get_feature_names_out().tolist() == ["a", "group=0", "group=1", "group=2"]
