"""New columns in the middle of a stream: `add_features`."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import budgetrs.river as river
from budgetrs import Classifier, ParameterError, Regressor

RNG = np.random.default_rng(0)
N = 60
Y = np.arange(N) % 2


def frame(*names, rows=N):
    return pd.DataFrame({name: RNG.normal(size=rows) for name in names})


BATCHES = [frame("a", "b"), frame("a", "b", "c"), frame("b", "d"), frame("d", "a", "c"), frame("a", "b")]


@pytest.mark.parametrize("make", [lambda m: m.Classifier(budget=20), lambda m: m.Regressor(budget=20)])
def test_frames_give_the_model_of_river(make):
    import budgetrs

    native, wrapped = make(budgetrs), make(river)
    for batch in BATCHES:
        native.learn(batch, Y, add_features=True)
        wrapped.learn_many(batch, pd.Series(Y))
    assert native.get_feature_names_out().tolist() == ["a", "b", "c", "d"]
    late = frame("d", "b")
    assert np.array_equal(native.predict(late), wrapped.predict_many(late).to_numpy())


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


def test_without_the_option_new_and_missing_columns_raise():
    model = Classifier().learn(frame("a", "b"), Y)
    before = model.to_bytes()
    cases = {("a", "b", "c"): 'the new columns "c"; learn.*, add_features=True', ("a",): 'no column "b"$'}
    for names, expected in cases.items():
        with pytest.raises(ParameterError, match=expected):
            model.learn(frame(*names), Y)
    with pytest.raises(ParameterError, match="must have 2 features"):
        model.learn(np.ones((N, 3)), Y)
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
