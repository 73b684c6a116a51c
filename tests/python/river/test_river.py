"""The models for River: its own checks, and that they are the native models."""

import copy
import inspect
import pickle
import re
import sys

import numpy as np
import pandas as pd
import pytest

import budgetrs
from budgetrs import ParameterError
from budgetrs.river import Classifier, Regressor
from conftest import ALL, board
from river import (
    checks,
    compose,
    datasets,
    evaluate,
    imblearn,
    metrics,
    model_selection,
    preprocessing,
)

MODELS = [Classifier(), Regressor()]
if ALL:
    MODELS += [
        Classifier(budget=20, forget=None),
        Classifier("bsgd-merge", budget=20, scaling="online", loss="log_loss"),
        Classifier("mira-merge", budget=20, gamma=0.3),
        Regressor("bpa-nn", budget=20),
    ]
CHECKS = [(model, check) for model in MODELS for check in checks.yield_checks(model)]


@pytest.mark.parametrize(("model", "check"), CHECKS, ids=lambda x: getattr(x, "__name__", repr(x)))
def test_the_checks_of_river(model, check):
    assert not model._unit_test_skips()
    check(model.clone())


def dicts(X, names="abcdefgh"):
    return [dict(zip(names, map(float, x), strict=False)) for x in X]


def test_predictions_are_those_of_the_native_model():
    X, y = board(400, dtype=np.float64)
    model = Classifier(budget=20)
    for i, (x, label) in enumerate(zip(dicts(X), y.tolist(), strict=True)):
        assert model.predict_one(x) == (model.native.predict_one(x) if i else None)
        model.learn_one(x, label)
    assert list(model.predict_proba_one(x).items()) == list(model.native.predict_proba_one(x).items())


def test_a_frame_is_its_rows():
    X, y = board(200, dtype=np.float64)
    frame, labels = pd.DataFrame(X, columns=["b", "a"], index=range(7, 207)), pd.Series(y, range(7, 207))
    one, many = Classifier(budget=20), Classifier(budget=20)
    assert many.predict_many(frame).isna().all()
    assert many.predict_proba_many(frame).shape == (200, 0)
    for x, label in zip(frame.to_dict("records"), labels.tolist(), strict=True):
        one.learn_one(x, label)
    many.learn_many(frame[["a", "b"]], labels)
    assert many.native.to_bytes() == one.native.to_bytes()
    predicted, p = many.predict_many(frame), many.predict_proba_many(frame)
    assert list(predicted.index) == list(p.index) == list(frame.index)
    for i in range(0, 200, 20):
        x = frame.iloc[i].to_dict()
        assert predicted.iloc[i] == one.predict_one(x)
        assert p.iloc[i].to_dict() == one.predict_proba_one(x)
    regressor = Regressor(budget=20)
    assert not regressor.predict_many(frame).any()
    regressor.learn_many(frame, frame["a"])
    assert np.corrcoef(regressor.predict_many(frame), frame["a"])[0, 1] > 0.9


def test_classes_come_as_they_come():
    model = Classifier(budget=30)
    for x, label in datasets.ImageSegments().take(300):
        model.learn_one(x, label)
        assert sum(model.predict_proba_one(x).values()) == pytest.approx(1.0)
    assert set(model.predict_proba_one(x)) == {y for _, y in datasets.ImageSegments().take(300)}


def test_what_is_no_number_is_named_and_changes_nothing():
    model = Classifier(budget=5)
    model.learn_one({"width": 1.0, "colour": 2}, True)
    before = pickle.dumps(model)
    learn, predict, infinite = model.learn_one, model.predict_one, "^x contains -?infinity at row 0, column "
    frame = pd.DataFrame({"width": [1.0, 2.0], "newest": [1.0, np.inf]})
    for call, message in [
        (
            lambda: learn({"width": 1.0, "colour": "red"}, False),
            '^x must have numbers in the column "colour"',
        ),
        (lambda: learn({"width": 1.0, "new": ["red"]}, False), r"x\['new'\]"),
        (
            lambda: learn({"width": np.complex128(1 + 2j), "colour": 2}, False),
            r"x\['width'\] must be a number",
        ),
        (lambda: learn({"width": 1.0, "newer": 2.0}, "red"), "the classes are false, true"),
        (lambda: learn({"width": 1.0, "colour": np.inf}, False), f'{infinite}"colour"'),
        (lambda: learn({"width": 1.0, "colour": 2.0, "newest": -np.inf}, False), f'{infinite}"newest"'),
        (lambda: predict({"colour": None, "width": np.inf}), f'{infinite}"width"'),
        (lambda: predict({"width": np.inf}), f'{infinite}"width"'),
        (lambda: learn({"width": 1.0}, False, w=-1.0), "w must be"),
        (lambda: model.learn_many(frame, pd.Series([True, False])), "must be finite"),
        (lambda: model.learn_many(frame[:1], pd.Series([True]), w=-1.0), "^w must be from 0 to 1e9"),
    ]:
        with pytest.raises(ParameterError, match=message):
            call()
    assert pickle.dumps(model) == before
    with pytest.raises(ParameterError, match="budget must be"):
        Classifier(budget=0)


def test_without_probabilities_it_says_so_before_the_first_row_too():
    model = Classifier("pa-merge", budget=5)
    for _ in range(2):
        with pytest.raises(NotImplementedError, match='"pa-merge" has no probabilities: use "online-kernel"'):
            model.predict_proba_one({"a": 1.0})
        with pytest.raises(NotImplementedError, match='"pa-merge" has no probabilities: use "online-kernel"'):
            model.predict_proba_many(pd.DataFrame({"a": [1.0]}))
        model.learn_one({"a": 1.0}, 0)


def test_strings_are_categories():
    rows = [{"colour": ["red", "blue", None][i % 3], "size": float(i % 5)} for i in range(60)]
    model, frame = Classifier(budget=10), pd.DataFrame(rows)
    for i, x in enumerate(rows):
        model.learn_one(x, i % 3 == 1)
    native = budgetrs.Classifier(budget=10)
    for i in range(len(rows)):
        native.learn(frame.iloc[i : i + 1], [i % 3 == 1], add_features=True)
    assert model.native.to_bytes() == native.to_bytes()
    assert model.native.get_feature_names_out().tolist() == ["size", "colour=red", "colour=blue"]
    assert model.predict_one({"colour": "blue", "size": 2.0}) is True
    assert model.predict_proba_one({"colour": "green"}) == model.predict_proba_one({})


def test_names_of_any_type_are_those_of_the_strings():
    names = [3, ("word", 1), "word", frozenset("a"), None]
    rows = [{name: float((i * k) % 7) for k, name in enumerate(names, 1) if (i + k) % 4} for i in range(60)]
    model, expected = Classifier(budget=10), Classifier(budget=10)
    for i, x in enumerate(rows):
        renamed = {str(name): value for name, value in x.items()}
        assert model.predict_one({**x, ("new", i): 1.0}) == expected.predict_one(renamed)
        model.learn_one(x, i % 2)
        expected.learn_one(renamed, i % 2)
    assert model.native.to_bytes() == expected.native.to_bytes()
    assert set(model.feature_names) == set(names)
    assert [str(name) for name in model.feature_names] == list(expected.feature_names)
    frame = pd.DataFrame(rows).fillna(0.0)
    assert model.predict_many(frame).equals(expected.predict_many(frame.set_axis(map(str, frame), axis=1)))
    copied = pickle.loads(pickle.dumps(model))
    assert copied.predict_proba_one(rows[0]) == model.predict_proba_one(rows[0])
    assert copied.feature_names == model.feature_names


@pytest.mark.parametrize("names", [(1, "1"), ("1", 1), (("a", 3), "('a', 3)")])
def test_names_of_equal_text_are_refused(names):
    first, second = names
    with pytest.raises(ParameterError, match="as text they are equal"):
        Classifier().learn_one({first: 1.0, second: 2.0}, True)
    model = Classifier()
    model.learn_one({first: 1.0}, True)
    before = pickle.dumps(model)
    for call in (
        lambda: model.learn_one({second: 1.0}, True),
        lambda: model.predict_one({second: 1.0}),
        lambda: model.learn_many(pd.DataFrame({second: [1.0]}), pd.Series([True])),
        lambda: model.predict_many(pd.DataFrame({second: [1.0]})),
    ):
        with pytest.raises(ParameterError, match="as text they are equal"):
            call()
    assert pickle.dumps(model) == before
    assert model.feature_names == (first,)


def test_parameters_have_names():
    for kind, native in ((Classifier, budgetrs.Classifier), (Regressor, budgetrs.Regressor)):
        own, expected = (inspect.signature(each).parameters for each in (kind, native))
        defaults = [[(name, each.default) for name, each in of.items()] for of in (own, expected)]
        assert defaults[0] == defaults[1]
        assert str(own["budget"]) == str(expected["budget"]) == "budget: 'int | None' = 500"
        assert all(parameter.annotation is not parameter.empty for parameter in own.values())
        assert all(re.search(rf"\b{name}\b", kind.__doc__ or "") for name in own)
        assert "    budget : int or None, default=500\n" in (kind.__doc__ or "")
    model = Classifier("bsgd-merge", budget=7, gamma=0.5, classes=["a", "b"])
    assert (model.budget, model.gamma, model.alpha, model.kernel) == (7, 0.5, 0.0001, "rbf")
    assert model.C0 is None  # it does not apply
    assert model.params["budget"] == 7
    lines = ['algorithm="bsgd-merge"', "budget=7", "gamma=0.5", "classes=['a', 'b']", "n_jobs=None"]
    text = "\n  ".join(["Classifier (", *lines, "feature_space=None"]) + "\n)"
    assert repr(model) == text
    other = model.clone({"algorithm": "online-kernel", "gamma": "default", "n_jobs": 2})
    assert other.native.params == budgetrs.Classifier(budget=7, n_jobs=2).params
    with pytest.raises(ParameterError, match="did you mean"):
        Classifier(bugdet=7)


def test_parameters_can_be_mutated_before_the_first_row():
    model = Classifier(budget=7, gamma=0.5)
    model.mutate({"budget": 9, "n_jobs": 2})
    assert model.native.params == Classifier(budget=9, gamma=0.5, n_jobs=2).native.params
    assert model.clone().budget == 9
    with pytest.raises(ParameterError, match="budget must be"):
        model.mutate({"budget": 0})
    assert model.budget == 9
    pipeline = preprocessing.StandardScaler() | Classifier(budget=7)
    pipeline.mutate({"Classifier": {"budget": 8}})
    assert pipeline["Classifier"].native.params["budget"] == 8


def test_only_the_number_of_threads_can_be_mutated_after_the_first_row():
    model = Classifier(budget=7)
    model.learn_one({"a": 1.0}, True)
    model.mutate({"n_jobs": 2})
    assert model.n_jobs == model.native.n_jobs == model.clone().n_jobs == 2
    for change in (lambda: model.mutate({"budget": 9}), lambda: setattr(model, "budget", 9)):
        with pytest.raises(AttributeError, match=r"clone\({'budget': ...}\) begins anew"):
            change()
    assert model.clone({"budget": 9}).budget == 9


def test_copies_go_on_alike():
    X, y = board(200, dtype=np.float64)
    model = Classifier(budget=20)
    for x, label in zip(dicts(X[:100]), y[:100].tolist(), strict=True):
        model.learn_one(x, label)
    model.native.metadata = {"offset": 100}
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    assert [each.native.metadata for each in copies] == [{"offset": 100}] * 2
    for x, label in zip(dicts(X[100:]), y[100:].tolist(), strict=True):
        for each in [model, *copies]:
            each.learn_one(x, label)
    assert all(each.native.to_bytes() == model.native.to_bytes() for each in copies)
    fresh = model.clone({"budget": 7})
    assert fresh.params["budget"] == 7
    assert fresh.predict_one({"a": 1.0}) is None


def test_its_memory_is_that_of_the_native_model():
    X, y = board(500)
    sizes = []
    for budget in (10, 400):
        model = Classifier(budget=budget)
        for x, label in zip(dicts(X), y.tolist(), strict=True):
            model.learn_one(x, label)
        sizes.append(model._raw_memory_usage)
        assert sizes[-1] > sys.getsizeof(model.native)
    assert sizes[1] > sizes[0] + 390 * 2 * 8


def test_in_pipelines_selection_and_resampling():
    phishing = list(datasets.Phishing())
    scaled = compose.Pipeline(preprocessing.StandardScaler(), Classifier("pa-merge", budget=50, gamma=0.3))
    models = [
        Classifier(budget=50),
        scaled,
        imblearn.RandomOverSampler(Classifier(budget=50), {True: 1, False: 1}, seed=1),
    ]
    for model in models:
        assert evaluate.progressive_val_score(phishing, model, metrics.Accuracy()).get() > 0.85
    selected = model_selection.GreedyRegressor([Regressor(budget=10), Regressor(budget=50)])
    assert evaluate.progressive_val_score(datasets.TrumpApproval(), selected, metrics.MAE()).get() < 0.6


def test_hashed_columns_come_late_at_no_cost():
    rows = [({f"word {(i * k) % 97}": 1.0 for k in range(1, 6)}, i % 3) for i in range(300)]
    model = Classifier("bsgd-merge", budget=20, hash_features=16, gamma="auto")
    for x, y in rows:
        assert model.predict_one(x) in (None, 0, 1, 2)
        model.learn_one(x, y)
    assert model.native.support_vectors_.shape == (20, 16)
    assert model.native.n_features_in_ == len(model.feature_names)
    frame = pd.DataFrame([x for x, _ in rows]).fillna(0.0)
    many = Classifier("bsgd-merge", budget=20, hash_features=16, gamma="auto")
    many.learn_many(frame, pd.Series([y for _, y in rows]))
    assert many.predict_many(frame).isin([0, 1, 2]).all()
