"""`class_weight` as a dict: its labels, what is refused, and what is kept. Interfaces: test_doors.py."""

import copy
import pickle
from collections import OrderedDict, defaultdict
from typing import Any

import numpy as np
import pandas as pd
import pytest

from budgetrs import (
    Classifier,
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
FRAME = pd.DataFrame({"a": X[:, 0], "town": NAMES[Y]})


def weights(y, by_class: Any = BY_CLASS, given: Any = 1.0):
    """Return the weights of rows, by hand."""
    return np.array([by_class.get(label, 1.0) for label in np.asarray(y).tolist()]) * given


def by_hand(y, by_class: Any = BY_CLASS, given: Any = 1.0, **params):
    """Return a model of rows with these weights."""
    return Classifier(budget=20, **params).learn(X, y, sample_weight=weights(y, by_class, given))


def assert_same(model, expected, rows: Any = X):
    """Compare the scores and the counts of two models."""
    np.testing.assert_array_equal(model.decision_function(rows), expected.decision_function(rows))
    assert model.classes_.tolist() == expected.classes_.tolist()
    for count in ("n_samples_seen_", "n_updates_", "n_mistakes_"):
        assert getattr(model, count) == getattr(expected, count)


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
@pytest.mark.parametrize("given", [None, GIVEN], ids=["equal rows", "weighted rows"])
def test_rows_have_the_weight_of_their_label(y, by_class, given, params):
    model = Classifier(budget=20, class_weight=by_class, **params).learn(X, y, sample_weight=given)
    assert_same(model, by_hand(y, dict(by_class), 1.0 if given is None else given, **params))


def test_new_classes():
    late = np.where(np.arange(600) < 300, np.minimum(Y, 1), Y)
    model = Classifier(budget=20, class_weight={2: 4.0, 9: 2.0})
    assert_same(model.learn(X[:250], late[:250]).learn(X[250:], late[250:]), by_hand(late, {2: 4.0}))
    ignored = Classifier(budget=20, class_weight={2: 0.0}).learn(X, late)
    assert sorted(ignored.classes_.tolist()) == [0, 1]
    assert ignored.n_samples_seen_ == (late != 2).sum()


@pytest.mark.parametrize("by_class", [BY_CLASS, {"b": 2.0}, {True: 0.5}, {0.5: 1e-9, 2: 3}])
def test_copies_and_files_keep_the_weights(by_class, tmp_path):
    labels = {str: NAMES[Y], bool: Y > 0}.get(type(next(iter(by_class))), Y)
    model = Classifier(budget=20, class_weight=by_class)
    for _ in range(2):
        model.save(tmp_path / "model")
        others = [
            copy.deepcopy(model),
            pickle.loads(pickle.dumps(model)),
            Classifier.load(tmp_path / "model"),
        ]
        model.learn(X[:99], labels[:99])
        for other in others:
            kept = other.params["class_weight"]
            assert kept == by_class
            assert list(map(type, kept)) == list(map(type, model.params["class_weight"]))
            assert list(map(type, kept.values())) == [float] * len(by_class)
            assert other.learn(X[:99], labels[:99]).to_bytes() == model.to_bytes()


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
        ({0: "2"}, '"2" for the label 0'),
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


def of(label, **params):
    return Classifier(class_weight={label: 1.0}, **params)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: of(5, classes=[0, 1, 2]), "weights of the classes 0, 1, 2, got a weight for 5"),
        (lambda: of(5).learn(X, Y, classes=[0, 1, 2]), "weights of the classes 0, 1, 2, got a weight for 5"),
        (lambda: of(5).learn(X, Y > 0), "weights of the classes false, true, got a weight for 5"),
        (lambda: of(5).learn(X, NAMES[Y]), "weights of strings, as the labels in y, got a weight for 5"),
        (lambda: of(5).learn_one(X[0], "red"), "weights of strings"),
        (lambda: of("0").validate(X, Y), 'weights of numbers, as the labels in y, got a weight for "0"'),
    ],
)
def test_labels_that_never_occur_raise(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_labels_that_may_occur_later_do_not_raise():
    assert_same(of(5).learn(X, Y), Classifier().learn(X, Y))
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
    for label, weight, name in ((0, -1.0, "sample_weight"), (1, 100.0, "class_weight")):
        with pytest.raises(ParameterError, match=name):
            model.learn_one(X[0], label, sample_weight=weight)
    with pytest.raises(ParameterError, match="y must be integers"):
        model.learn(X[:1], ["red"])
    assert model.learn_one(X[0], 0).to_bytes() == before


def test_a_comparison_counts_the_rows_of_positive_weight():
    found = compare_budgets(FRAME, Y, budgets=[10, 20], class_weight={1: 0.0})
    expected = compare_budgets(FRAME, Y, budgets=[10, 20], sample_weight=weights(Y, {1: 0.0}))
    assert np.array_equal(found.rows, expected.rows)


def test_a_wrapper_for_river_keeps_the_weights():
    model = RiverClassifier(budget=20, class_weight={True: 3.0})
    assert model.clone().native.params["class_weight"] == {True: 3.0}
    assert "class_weight" in repr(model)


def test_estimators_agree():
    params = {"budget": 20, "class_weight": BY_CLASS}
    native = Classifier(**params, average="polynomial", seed=0, classes=[0, 1, 2]).learn(X, Y)
    estimator = OnlineKernelClassifier(**params, random_state=0).partial_fit(X, Y, classes=[0, 1, 2])
    assert estimator._model.n_updates_ == native.n_updates_
