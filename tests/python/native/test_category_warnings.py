"""Warnings about text columns that should not be categorical."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from budgetrs import Classifier, KeyedModels, OnlineKernelClassifier, Regressor
from conftest import warnings_of

ROWS = 100
LABELS = np.arange(ROWS) % 2


def raised(call, text="is categorical"):
    return warnings_of(call, text)


def unseen(call):
    return raised(call, "has not learned")


def frame(values):
    return pd.DataFrame({"k": values, "x": np.linspace(0, 1, len(values))})


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (lambda i: f"user-{i:05d}", "drop the column if it identifies the rows"),
        (lambda i: f"{i}.5", "look like numbers: convert"),
        (lambda i: f"{i},5", "decimal comma"),
        (lambda i: f"1,{i:03d}", "thousands separators"),
        (lambda i: f"1.0{i:02d}.000,25", "thousands separators and a decimal comma"),
        (lambda i: f"1,{i:03d}" if i % 5 else f"{i},5", "with a decimal comma"),
        (lambda i: f"{i}%", "a percent sign"),
        (lambda i: f"$ {i}.00", "a currency sign"),
        (lambda i: f"(1,{i:03d}.00)", "parentheses"),
        (lambda i: f"0.{i}D-02", "an exponent with the letter D"),
        (lambda i: f"{i}.5 kg", "a unit"),
        (lambda i: "".join(chr(0x660 + int(c)) for c in str(i)), "the digits of another script"),
        (lambda i: f"{1 + i % 28:02d}-Jan-{1900 + i}", "dates"),
        (lambda i: f"March {1 + i % 28}, {1900 + i}", "dates"),
        (lambda i: str(datetime.date(2024, 1, 1) + datetime.timedelta(i)), "dates"),
        (lambda i: f"{1 + i % 28:02d}/03/{1900 + i}", "dates"),
        (lambda i: f"2024-01-{1 + i % 28:02d} 10:{i % 60:02d}:{i:02d}", "dates"),
    ],
)
def test_a_column_of_distinct_values_is_named_with_advice(value, advice):
    X = frame([value(i) for i in range(ROWS)])
    for fit in (
        lambda: Classifier().learn(X, LABELS),
        lambda: Regressor().learn(pl.from_pandas(X), LABELS),
        lambda: OnlineKernelClassifier().fit(X, LABELS),
        lambda: Classifier().learn(X.astype({"k": "category"}), LABELS),
    ):
        (message,) = raised(fit)
        assert message.startswith('column "k" of X is categorical with 100 categories after 100 rows')
        assert advice in message


def test_numbers_that_pandas_does_not_read_are_named_even_if_they_repeat():
    X = frame([f"{i % 40},5" for i in range(1000)])
    (message,) = raised(lambda: Classifier().learn(X, np.arange(1000) % 2))
    assert "decimal comma" in message
    assert not raised(
        lambda: Classifier().learn(frame([f"{i % 40}" for i in range(1000)]), np.arange(1000) % 2)
    )


def test_a_column_is_named_once_and_not_per_batch():
    model = Classifier()
    batches = [frame([f"user-{i}" for i in range(first, first + 10)]) for first in range(0, 100, 10)]
    messages = [raised(lambda batch=batch: model.learn(batch, LABELS[:10])) for batch in batches]
    assert [len(each) for each in messages] == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]


def test_categories_that_repeat_are_not_named():
    towns = frame([f"town {i % 45}" for i in range(ROWS)])
    assert not raised(lambda: Classifier().learn(towns, LABELS))
    assert not raised(
        lambda: Classifier(hash_features=8).learn(frame([f"u{i}" for i in range(ROWS)]), LABELS)
    )


def test_more_than_1000_categories_are_named_even_if_they_repeat():
    labels = np.arange(3300) % 2
    codes = frame([str(10000 + i % 1100) for i in range(3300)])[["k"]]
    for X in (codes, "n" + codes):
        (message,) = raised(lambda X=X: Classifier(budget=5).learn(X, labels))
        assert "1100 categories after 3300 rows" in message
    assert not raised(lambda: Classifier(budget=5).learn(codes.map(lambda code: f"{code[:4]}"), labels))


@pytest.mark.parametrize(
    ("label", "advice"),
    [
        (lambda i: f"{i},5", "decimal comma"),
        (lambda i: f"${i}", "a currency sign"),
        (lambda i: f"{i}.5", "look like numbers"),
        (lambda i: str(datetime.date(2024, 1, 1) + datetime.timedelta(i)), "look like dates"),
        (str, None),
        (lambda i: f"class {i}", None),
        (lambda i: f"{i % 20},5", None),
    ],
)
def test_labels_that_look_like_numbers_or_dates_are_named_once(label, advice):
    labels = [label(i) for i in range(ROWS)]
    model = Classifier(budget=5)

    def learn():
        for rows in (slice(0, 90), slice(90, 100)):
            model.learn(np.arange(ROWS)[rows, None], labels[rows])
        Classifier(budget=5, classes=labels[:50]).learn(np.arange(50)[:, None], labels[:50])

    messages = raised(learn, "different texts")
    assert [advice in message for message in messages] == ([] if advice is None else [True])


def test_models_by_key_warn_once():
    X, keys = frame([f"user-{i:05d}" for i in range(ROWS)]), ["a", "b"] * (ROWS // 2)
    models = KeyedModels(Classifier(budget=5), n_jobs=1)
    (message,) = raised(lambda: models.learn(X, LABELS, keys))
    assert message.startswith('column "k" of X is categorical with 100 categories after 100 rows')
    assert raised(lambda: models.learn(X.assign(k=[f"other-{i}" for i in range(ROWS)]), LABELS, keys)) == []
    few = frame([f"user-{i % 40}" for i in range(1000)])
    models = KeyedModels(Regressor(budget=5), n_jobs=1)
    assert raised(lambda: models.learn(few, few.x, ["a"] * 1000)) == []


TOWNS = frame(["Oslo", "Rome"] * 20)
MISSPELT = frame(["oslo "] * 37 + ["Rome"] * 3)
UNSEEN = (
    'column "k" of X has mostly categories that the model has not learned (37 of 40 rows), such as '
    "'oslo '; the nearest known is 'Oslo': write categories as in the rows learned before"
)


@pytest.mark.parametrize(
    ("make", "learn"),
    [
        (Classifier, lambda model, X: model.learn(X, LABELS[:40])),
        (Regressor, lambda model, X: model.learn(X, X.x)),
        (OnlineKernelClassifier, lambda model, X: model.partial_fit(X, LABELS[:40], classes=[0, 1])),
        (
            lambda: KeyedModels(Classifier(budget=5), n_jobs=1),
            lambda model, X: model.learn(X, LABELS[:40], ["a"] * 40),
        ),
    ],
)
def test_unseen_categories_are_named_once_before_they_are_learned_or_predicted(make, learn):
    def predict(model, X):
        return model.predict(*((X, ["a"] * 40) if isinstance(model, KeyedModels) else (X,)))

    for first, then in ((learn, predict), (predict, learn)):
        model = make()
        assert unseen(lambda model=model: learn(model, TOWNS)) == []
        assert unseen(lambda model=model: predict(model, TOWNS)) == []
        assert unseen(lambda model=model, first=first: first(model, MISSPELT)) == [UNSEEN]
        assert unseen(lambda model=model, then=then: then(model, MISSPELT)) == []


def test_unseen_categories_raise_before_rows_are_learned():
    model = Classifier(budget=5).learn(TOWNS, LABELS[:40])
    before = model.to_bytes()
    with pytest.raises(UserWarning, match="has not learned"):
        model.learn(MISSPELT, LABELS[:40])
    assert model.to_bytes() == before
    assert unseen(lambda: model.learn(MISSPELT, LABELS[:40])) == []


@pytest.mark.parametrize(
    "values",
    [["oslo "] * 29, ["oslo "] * 36 + ["Rome"] * 4, [None] * 40, ["Oslo"] * 40],
    ids=["29 rows", "nine tenths", "missing", "known"],
)
def test_few_rows_or_unseen_categories_are_no_reason_to_warn(values):
    model = Classifier(budget=5).learn(TOWNS, LABELS[:40])
    assert unseen(lambda: model.predict(frame(values))) == []


def test_an_unseen_category_unlike_all_others_is_named_with_a_known_one():
    model = Classifier(budget=5).learn(TOWNS, LABELS[:40])
    (message,) = unseen(lambda: model.predict(frame(["Ulm"] * 40)))
    assert "such as 'Ulm'; 'Oslo' is one that is known" in message


@pytest.mark.parametrize(
    ("name", "values", "is_warned"),
    [
        ("Unnamed: 0", np.arange(100), True),
        ("", np.arange(1, 101), True),
        ("index", np.arange(100).astype(np.float32), True),
        ("Id", np.arange(1, 101), True),
        ("id", np.arange(100) * 7 % 101, False),
        ("id", np.arange(5, 105), False),
        ("index", np.arange(100)[::-1], False),
        ("index", list(map(str, range(100))), False),
        ("day", np.arange(100), False),
    ],
)
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_first_column_that_counts_the_rows(kind, name, values, is_warned):
    rng = np.random.default_rng(0)
    X = kind({name: values, "width": rng.normal(size=100)})
    model = Classifier(budget=5)
    text = "counts the rows"
    assert len(raised(lambda: model.learn(X, LABELS), text)) == is_warned
    assert raised(lambda: model.learn(X, LABELS), text) == []
    assert len(raised(lambda: OnlineKernelClassifier(budget=5).fit(X, LABELS), text)) == is_warned
