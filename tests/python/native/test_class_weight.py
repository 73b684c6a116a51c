"""`class_weight` as a dict: exactly the weights of rows by their labels, in every interface."""

import copy
import pickle
from collections import OrderedDict, defaultdict
from typing import Any

import numpy as np
import pandas as pd
import pytest

from budgetrs import (
    Classifier,
    KeyedModels,
    OnlineKernelClassifier,
    ParameterError,
    Regressor,
    compare_budgets,
)
from budgetrs.river import Classifier as RiverClassifier
from conftest import blobs

X, Y = blobs(600, dtype=np.float64)
GIVEN = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.0], 600)
BY_CLASS = {0: 3.0, 2: 0.25}
NAMES = np.array(["red", "green", "blue"])


def weights(y, by_class: Any = BY_CLASS, given: Any = 1.0):
    """Return the weights of rows, by hand."""
    return np.array([by_class.get(label, 1.0) for label in np.asarray(y).tolist()]) * given


def by_hand(y, by_class: Any = BY_CLASS, given: Any = 1.0, **params):
    """Return a model of rows with these weights."""
    return Classifier(budget=20, **params).learn(X, y, sample_weight=weights(y, by_class, given))


def same(model, expected, rows: Any = X):
    """Tell whether two models score rows and count rows equally."""
    counts = [(of.n_samples_seen_, of.n_updates_, of.n_mistakes_) for of in (model, expected)]
    return (
        np.array_equal(model.decision_function(rows), expected.decision_function(rows))
        and model.classes_.tolist() == expected.classes_.tolist()
        and counts[0] == counts[1]
    )


@pytest.mark.parametrize(
    ("y", "by_class"),
    [
        (Y, BY_CLASS),
        (Y.astype(np.float64), BY_CLASS),
        (Y / 2, {0.5: 3.0, 1: 0.25}),
        (Y, {np.int64(0): 3, np.float32(2): np.float32(0.25)}),
        (Y > 0, {True: 3.0}),
        (Y > 0, {np.True_: 3.0, np.False_: 0.5}),
        (Y > 0, {1: 3.0}),
        (Y, {True: 3.0, False: 2}),
        (NAMES[Y], {"red": 3.0, "blue": 0.25}),
        (NAMES[Y].tolist(), {np.str_("red"): 3.0, "grey": 9.0}),
        (pd.Series(NAMES[Y], dtype="category"), {"red": 3.0}),
        (NAMES[Y], OrderedDict(green=0)),
        (Y, defaultdict(lambda: 7.0, {1: 2.0})),
        (Y, {0: 0}),
        (Y, {}),
    ],
)
@pytest.mark.parametrize("params", [{}, {"algorithm": "bsgd-merge"}])
def test_rows_have_the_weight_of_their_label(y, by_class, params):
    model = Classifier(budget=20, class_weight=by_class, **params)
    assert same(model.learn(X, y), by_hand(y, dict(by_class), **params))
    weighted = Classifier(budget=20, class_weight=by_class, **params).learn(X, y, sample_weight=GIVEN)
    assert same(weighted, by_hand(y, dict(by_class), GIVEN, **params))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("classes", [None, [0, 1, 2]])
def test_single_rows_and_batches(dtype, classes):
    rows = X.astype(dtype)
    make = lambda **params: Classifier(budget=20, classes=classes, **params)  # noqa: E731
    by_class = {0: 0.0, 1: 2.5, 2: 0.5}
    expected = make().learn(rows, Y, sample_weight=weights(Y, by_class))
    whole, single, cut = (make(class_weight=by_class) for _ in range(3))
    whole.learn(rows, Y)
    for row, label in zip(rows, Y, strict=True):
        single.learn_one(row, label if classes else int(label))
    for first in range(0, 600, 37):
        cut.validate(rows[first : first + 37], Y[first : first + 37])
        cut.learn(rows[first : first + 37], Y[first : first + 37])
    assert same(whole, expected)
    assert same(single, expected)
    assert same(cut, expected)
    ordered, by_weight = make(class_weight=by_class), make()
    order = np.random.default_rng(0).permutation(600)
    ordered.learn(rows, Y, order=order)
    assert same(ordered, by_weight.learn(rows, Y, order=order, sample_weight=weights(Y, by_class)))


def test_classes_that_appear_later():
    late = np.where(np.arange(600) < 300, np.minimum(Y, 1), Y)
    model = Classifier(budget=20, class_weight={2: 4.0, 9: 2.0})
    assert same(model.learn(X[:250], late[:250]).learn(X[250:], late[250:]), by_hand(late, {2: 4.0}))
    ignored = Classifier(budget=20, class_weight={2: 0.0}).learn(X, late)
    assert sorted(ignored.classes_.tolist()) == [0, 1]
    assert ignored.n_samples_seen_ == (late != 2).sum()


@pytest.mark.parametrize("by_class", [BY_CLASS, {"b": 2.0}, {True: 0.5}, {0.5: 1e-9, 2: 3}])
def test_copies_and_files_keep_the_weights(by_class, tmp_path):
    labels = {str: NAMES[Y], bool: Y > 0}.get(type(next(iter(by_class))), Y)
    model = Classifier(budget=20, class_weight=by_class)
    models = []
    for _ in range(2):
        model.save(tmp_path / "model")
        models = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
        models += [Classifier.load(tmp_path / "model"), Classifier.from_bytes(model.to_bytes())]
        model.learn(X[:99], labels[:99])
        for other in models:
            assert other.params["class_weight"] == by_class
            assert [type(label) for label in other.params["class_weight"]] == [
                type(label) for label in model.params["class_weight"]
            ]
            assert other.learn(X[:99], labels[:99]).to_bytes() == model.to_bytes()
    assert list(map(type, model.params["class_weight"].values())) == [float] * len(by_class)


def test_the_order_of_the_dict_does_not_matter():
    one, other = Classifier(class_weight={1: 2.0, 0: 3.0}), Classifier(class_weight={0: 3, 1: 2})
    assert one.to_bytes() == other.to_bytes()
    assert Classifier(class_weight={}).params["class_weight"] is None


@pytest.mark.parametrize(
    ("by_class", "got"),
    [
        ({0: -1.0}, "-1 for the label 0"),
        ({0: 1.0, 1: float("nan")}, "NaN for the label 1"),
        ({"a": float("inf")}, 'inf for the label "a"'),
        ({0: "2"}, "'2' for the label 0"),
        ({0: None}, "None for the label 0"),
        ({0: [1.0, 2.0]}, "for the label 0"),
        ({0: 10**400}, "for the label 0"),
        ({0: 1.0, "a": 2.0}, "labels of one kind"),
        ({None: 1.0}, "labels of one kind"),
        ({(0, 1): 1.0}, "labels of one kind"),
        ({float("nan"): 1.0}, "finite labels"),
        ({2**70: 1.0}, "integers from"),
        ({str(label): 1.0 for label in range(2000)}, "32768 bytes"),
        ([1.0, 2.0], "type list"),
        (pd.Series({0: 1.0}), "type Series"),
        ("even", "balanced"),
        (2.0, "a dict of labels and finite weights >= 0"),
        (True, "a dict of labels and finite weights >= 0"),
    ],
)
def test_invalid_weights_raise(by_class, got):
    with pytest.raises(ParameterError, match="class_weight must ") as found:
        Classifier(class_weight=by_class)
    assert got in str(found.value)
    assert found.value.parameter == "class_weight"


def test_regression_has_no_class_weights():
    with pytest.raises(ParameterError, match="class_weight does not apply"):
        Regressor(class_weight={0: 1.0})


def test_labels_that_never_occur_raise():
    other = "class_weight must be weights of the classes 0, 1, 2, got a weight for 5"
    with pytest.raises(ParameterError, match=other):
        Classifier(class_weight={5: 1.0, 0: 2.0}, classes=[0, 1, 2])
    model = Classifier(class_weight={5: 1.0})
    with pytest.raises(ParameterError, match=other):
        model.learn(X, Y, classes=[0, 1, 2])
    with pytest.raises(ParameterError, match="weights of the classes false, true, got a weight for 5"):
        model.learn(X, Y > 0)
    with pytest.raises(ParameterError, match="weights of strings, as the labels in y, got a weight for 5"):
        model.learn(X, NAMES[Y])
    with pytest.raises(ParameterError, match="weights of strings"):
        model.learn_one(X[0], "red")
    with pytest.raises(ParameterError, match='weights of numbers, as the labels in y, got a weight for "0"'):
        Classifier(class_weight={"0": 2.0}).validate(X, Y)
    assert same(model.learn(X, Y), Classifier(budget=500).learn(X, Y))
    # As in scikit-learn: weights of all classes, and of other labels.
    Classifier(class_weight={0: 1, 1: 1, 2: 1, 5: 1}, classes=[0, 1, 2]).learn(X, Y)


def test_errors_about_weights_of_rows_name_the_row():
    model = Classifier(budget=20, class_weight={0: 0.0, 1: 1e8}).learn(X[:50], Y[:50])
    before = model.to_bytes()
    for given, message in [
        ([-1.0, 1.0], "sample_weight must be from 0 to 1e9 in every row, got -1 at row 0"),
        ([1.0, np.nan], "sample_weight must be from 0 to 1e9 in every row, got NaN at row 1"),
        ([1.0], "sample_weight must have 2 entries, got 1"),
        ([1.0, 100.0], "class_weight must be a weight that, times sample_weight, is at most 1e9"),
    ]:
        with pytest.raises(ParameterError, match=message):
            model.learn(X[:2], [0, 1], sample_weight=given)
        assert model.to_bytes() == before
    with pytest.raises(ParameterError, match="sample_weight"):
        model.learn_one(X[0], 0, sample_weight=-1.0)
    with pytest.raises(ParameterError, match="class_weight"):
        model.learn_one(X[0], 1, sample_weight=100.0)
    with pytest.raises(ParameterError, match="y must be integers"):
        model.learn(X[:1], ["red"])
    assert model.learn_one(X[0], 0).to_bytes() == before


def test_a_category_of_rows_of_weight_0_is_left_out():
    frame = pd.DataFrame({"a": X[:, 0], "town": NAMES[Y]})
    model = Classifier(budget=20, class_weight={0: 0.0}).learn(frame, Y)
    expected = Classifier(budget=20).learn(frame, Y, sample_weight=weights(Y, {0: 0.0}))
    assert model.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert np.array_equal(model.decision_function(frame), expected.decision_function(frame))
    keys = np.arange(600) % 3
    models, others = KeyedModels(Classifier(class_weight={0: 0.0})), KeyedModels(Classifier())
    models.learn(frame, Y, keys)
    others.learn(frame, Y, keys, sample_weight=weights(Y, {0: 0.0}))
    assert np.array_equal(models.predict(frame, keys), others.predict(frame, keys))
    assert models[1].get_feature_names_out().tolist() == others[1].get_feature_names_out().tolist()


def test_keyed_models(tmp_path):
    keys = np.arange(600) % 7
    models = KeyedModels(Classifier(budget=20, class_weight=BY_CLASS))
    models.learn(X, Y, keys, sample_weight=GIVEN)
    models.save(tmp_path / "models")
    for every in (models, KeyedModels.load(tmp_path / "models")):
        expected = Classifier(budget=20).learn(
            X[keys == 3], Y[keys == 3], sample_weight=weights(Y, given=GIVEN)[keys == 3]
        )
        assert same(every[3], expected)
        assert every[3].params["class_weight"] == BY_CLASS


def test_river():
    model, expected = RiverClassifier(budget=20, class_weight={True: 3.0}), RiverClassifier(budget=20)
    for row, label in zip(X, Y.tolist(), strict=True):
        x = dict(enumerate(row))
        model.learn_one(x, label > 0)
        expected.learn_one(x, label > 0, w=3.0 if label > 0 else 1.0)
    assert same(model.native, expected.native)
    assert model.clone().native.params["class_weight"] == {True: 3.0}
    assert "class_weight" in repr(model)


def test_models_of_several_budgets():
    frame = pd.DataFrame({"a": X[:, 0], "town": NAMES[Y]})
    for rows, by_class in ((X, BY_CLASS), (X, {1: 0.0}), (frame, {1: 0.0})):
        found = compare_budgets(rows, Y, budgets=[10, 20], class_weight=by_class)
        expected = compare_budgets(rows, Y, budgets=[10, 20], sample_weight=weights(Y, by_class))
        assert same(found.models[20], expected.models[20], rows)
        assert np.array_equal(found.rows, expected.rows)


def test_estimators_agree():
    classes = [0, 1, 2]
    native = Classifier(
        budget=20, average="polynomial", seed=0, classes=classes, class_weight=BY_CLASS
    ).learn(X, Y)
    estimator = OnlineKernelClassifier(budget=20, random_state=0, class_weight=BY_CLASS)
    estimator.partial_fit(X, Y, classes=classes)
    assert estimator._model.n_updates_ == native.n_updates_
