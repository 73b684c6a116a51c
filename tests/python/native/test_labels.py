"""Labels and weights that no model can keep as they are: refused by name, never changed."""

import re

import numpy as np
import pytest

from budgetrs import BSGDClassifier, Classifier
from conftest import SMALL, board

ODD = {
    "too large": (np.array([2**63, 2**63 + 1], dtype=np.uint64), r"2\^63 - 1.*9223372036854775808"),
    "one too large": ([2**63, 1], r"2\^63 - 1.*9223372036854775808"),
    "far too large": ([2**64, 1], r"2\^63 - 1.*18446744073709551616"),
    "too large to be written": ([10**5000, 1], r"2\^63 - 1"),
    "beside a float": ([2**53 + 1, 0.5], r"float64.*9007199254740993"),
    "more digits than float64": (np.array(["0.1", "1"], dtype=np.longdouble), "float64"),
    "NUL at the end": (["a\0", "a"], r'NUL.*"a\\x00"'),
    "NUL at the end of an object": (np.array(["a\0", "a"], dtype=object), r'NUL.*"a\\x00"'),
    "half a letter": (["O\ud800", "a"], r'got "O\\ud800", which has a lone surrogate'),
    "number and text": ([1, "a"], 'one kind.*"a" at row 1 after 1'),
    "text and number": (np.array(["a", "b", 2.5], dtype=object), 'one kind.*2.5 at row 2 after "a"'),
    "number and text as objects": (np.array([1, 2, "a"], dtype=object), 'one kind.*"a" at row 2 after 1'),
    "number and bool": (np.array([1, True], dtype=object), "one kind.*True at row 1 after 1"),
    "bool and str": ([True, "a"], 'one kind.*"a" at row 1 after True'),
    "bytes": ([b"a", b"b"], "one kind.*b'a' at row 0$"),
    "text and nothing": (np.array(["a", None], dtype=object), 'one kind.*None at row 1 after "a"'),
    "complex": (np.array([1j, 2j]), "complex"),
    "dates": (np.array([0, 1], dtype="M8[s]"), "datetime64"),
    "masked": (np.ma.array([0, 1], mask=[0, 1]), "masked"),
    "nested": ([[0, 1], [1, 0]], r"1 dimension.*got shape"),
    "infinite": ([np.inf, 0.0], "finite.*inf"),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_labels_are_refused(case):
    labels, message = ODD[case]
    X, _ = board(len(labels))
    fresh = Classifier(**SMALL)
    with pytest.raises((ValueError, TypeError), match=f"(?s)(y|labels) .*{message}") as caught:
        fresh.learn(X, labels)
    assert not hasattr(fresh, "classes_")
    if " at row " in message:
        assert (caught.value.parameter, caught.value.row) == ("y", int(re.search(r"row (\d)", message)[1]))
    with pytest.raises((ValueError, TypeError), match=f"(?s)(classes|labels) .*{message}"):
        Classifier(classes=labels)
    estimator = BSGDClassifier(budget=20, gamma=2.0).fit(*board(50))
    before = estimator._model.to_bytes()
    for learn in (estimator.fit, estimator.partial_fit):
        with pytest.raises((ValueError, TypeError), match=r"y |label|classes|Complex"):
            learn(X, labels)
    assert estimator._model.to_bytes() == before


LISTS = {
    "large integers": ([2**63 - 1, 2**63 - 2], "i"),
    "least and largest": ([-(2**63), 2**63 - 1], "i"),
    "integers and floats": ([1, 2.5], "f"),
    "bools of numpy": ([np.True_, np.False_], "b"),
    "integers of numpy": ([np.int8(3), np.uint16(2)], "i"),
    "floats of numpy": ([np.float32(0.1), np.float32(0.2)], "f"),
    "arrays of no dimension": ([np.array(1), np.array(2)], "i"),
    "long floats": (np.array([0.5, 1.5], dtype=np.longdouble), "f"),
    "NUL within": (["a\0b", "a"], "U"),
    "empty text": (["", "a"], "U"),
    "mask without effect": (np.ma.array([3, 4]), "i"),
    "a range": (range(7, 9), "i"),
}


@pytest.mark.parametrize("case", LISTS)
def test_labels_come_out_as_they_went_in(case):
    labels, kind = LISTS[case]
    X, y = board(60)
    model = Classifier(**SMALL).learn(X, [labels[i] for i in y])
    assert model.classes_.dtype.kind == kind
    assert sorted(model.classes_.tolist()) == sorted(labels)
    # Labels one by one mean the same as those of a list.
    assert Classifier(**SMALL, classes=labels).learn_one(X[0], labels[0]).n_samples_seen_ == 1


def test_labels_of_another_number_type_are_those_that_are_equal():
    X, _ = board(50)
    first = 2**53
    model = Classifier(**SMALL, classes=[first, first + 1])
    model.learn(X[:1], [float(first)])
    assert model.n_updates_ == 1
    with pytest.raises(ValueError, match=r"y contains 0\.5"):
        model.learn(X[:1], [0.5])
    model = Classifier(**SMALL, classes=[float(first), 0.0])
    with pytest.raises(ValueError, match=f"y contains {first + 1}"):
        model.learn(X[:1], [first + 1])


@pytest.mark.parametrize("label", [True, 1, 1.5, "one"])
def test_one_class_is_refused_whatever_its_kind(label):
    X, _ = board(50)
    for refused in (
        lambda: Classifier().learn(X, [0, 1] * 25, classes=[label]),
        lambda: Classifier(classes=[label]),
        lambda: Classifier(classes=[]),
    ):
        with pytest.raises(ValueError, match=r"classes must be at least 2 different labels, got (only|none)"):
            refused()
    with pytest.raises(ValueError, match=r"number of classes .* greater than one"):
        BSGDClassifier().fit(X, [label if label != 1.5 else 1.0] * 50)


@pytest.mark.parametrize(
    "classes",
    [range(1_500_000), ["a" * 3_000_000, "b" * 3_000_000], ["\\" * 1_500_000, "b"]],
    ids=["many", "long", "long when written"],
)
def test_labels_that_could_not_be_saved_are_refused_at_once(classes):
    for refused in (
        lambda: Classifier(classes=classes),
        lambda: Classifier().learn(
            [[0.0]] * 2, classes[:2] if len(classes) == 2 else [0, 1], classes=classes
        ),
    ):
        with pytest.raises(
            ValueError, match=r"classes must be labels that take less than \d+ bytes"
        ) as error:
            refused()
        assert len(str(error.value)) < 500


def test_labels_that_are_accepted_can_be_saved():
    # As much as is accepted, to a percent.
    length = 4_000_000
    while True:
        try:
            model = Classifier(budget=2, classes=["a" * length, "b"])
            break
        except ValueError:
            length -= 40_000
    assert length > 2_700_000
    model.learn([[0.0], [1.0], [2.0]], ["b", "a" * length, "b"])
    assert Classifier.from_bytes(model.to_bytes()).predict([[1.0]]).shape == (1,)


WEIGHTS = {
    "complex": (np.ones(50) * 1j, "complex"),
    "texts": (["1"] * 50, '<U1|text "1"'),
    "dates": (np.zeros(50, dtype="M8[s]"), "datetime64"),
    "masked": (np.ma.array(np.ones(50), mask=[1] + [0] * 49), "masked"),
    "too large": (np.full(50, 1.1e9), "1e9"),
    "objects": (np.array([object()] * 50), "object"),
    "too large for a float": ([10**400] + [1] * 49, "largest float64"),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_odd_weights_are_refused(case):
    weight, message = WEIGHTS[case]
    X, y = board(50)
    for refused in (
        lambda: Classifier().learn(X, y, sample_weight=weight),
        lambda: BSGDClassifier().fit(X, y, weight),
        lambda: BSGDClassifier().partial_fit(X, y, sample_weight=weight),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            refused()
    native = pytest.raises((ValueError, TypeError), match="sample_weight")
    with native:
        Classifier().learn(X, y, sample_weight=weight)
