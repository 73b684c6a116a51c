"""New classes: a label that a Classifier has never seen is a new class.

Batches, orders, files, scores and failing calls of every algorithm: tests/contract/growing.rs.
"""

import copy
import lzma
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from budgetrs import Classifier
from conftest import CODE_PATHS, SMALL, alarm, board, small_for, together

NAMES = np.array(["m", "b", "x", "a", "q"])


def growing_stream(rows=300, classes=5, seed=0):
    """Rows with a new class every ``rows / classes``, labels in no order of the alphabet."""
    rng = np.random.default_rng(seed)
    known = np.arange(rows) * classes // rows
    y = rng.integers(0, known + 1)
    y[np.r_[True, known[1:] != known[:-1]]] = np.arange(classes)
    X = rng.normal(size=(rows, 3)) + 2 * np.eye(5)[:, :3][y]
    return X, y


@pytest.mark.parametrize("name", CODE_PATHS)
def test_one_class_is_always_predicted(name):
    X, _ = board(50)
    model = Classifier(name, **small_for(name))
    for call in (model.predict, model.decision_function):
        with pytest.raises(AttributeError, match="learned"):
            call(X)
    model.learn_one(X[0], "up").learn(X, ["up"] * 50)
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        assert one.classes_.tolist() == ["up"]
        assert one.predict(X).tolist() == ["up"] * 50
        assert one.predict_one(X[0]) == "up"
    assert model.decision_function(X).shape == (50,)
    assert model.dual_coef_.shape == (1, model.n_support_vectors_)
    assert (model.decision_function(X) <= 0).all()
    assert model.n_mistakes_ == 0
    assert again.learn(X, ["down"] * 50).classes_.tolist() == ["up", "down"]
    assert again.decision_function(X).shape == (50,)
    assert model.classes_.tolist() == ["up"]


@pytest.mark.parametrize("params", [{}, {"algorithm": "bsgd-merge", "loss": "log_loss"}])
def test_probabilities_have_a_column_for_each_class(params):
    X, y = growing_stream(600)
    model = Classifier(**params)
    for count, start in enumerate(range(0, 600, 120), 1):
        model.learn(X[start : start + 120], y[start : start + 120])
        p = model.predict_proba(X)
        assert p.shape == (600, count) == (600, len(model.classes_))
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
        assert model.decision_function(X).shape == ((600,) if count < 3 else (600, count))


def test_both_bools_are_known_from_the_first_row_on():
    X, _ = board(40)
    model = Classifier(**SMALL).learn_one(X[0], True)
    assert model.classes_.tolist() == [False, True]
    assert model.to_bytes() == Classifier(**SMALL, classes=[True, False]).learn_one(X[0], True).to_bytes()


def test_false_alone_is_one_of_two_classes():
    # The linear kernel predicts True for rows of the other sign: a mistake, though no row was True.
    X = np.where(np.arange(40) % 2, -1.0, 1.0)[:, None]
    params = {"algorithm": "bsgd-smallest", "kernel": "linear", "budget": 5}
    y = np.zeros(len(X), dtype=bool)
    batch, given = Classifier(**params).learn(X, y), Classifier(**params, classes=[False, True]).learn(X, y)
    single = Classifier(**params)
    for x in X:
        single.learn_one(x, False)
    assert batch.to_bytes() == single.to_bytes() == given.to_bytes()
    assert batch.n_mistakes_ > 0
    assert batch.predict(X).tolist() == Classifier.from_bytes(batch.to_bytes()).predict(X).tolist()


def test_a_batch_of_weight_zero_leaves_a_new_model():
    X, y = board(20)
    model = Classifier(**SMALL).learn(X, y, sample_weight=np.zeros(20))
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "n_features_in_")
    assert model.to_bytes() == Classifier(**SMALL).to_bytes()
    assert model.learn(X, ["a", "b"] * 10).classes_.tolist() == ["a", "b"]


def test_equal_numbers_are_one_class():
    X, _ = board(4)
    model = Classifier(**SMALL).learn(X, [3, 1, 3, 2]).learn(X, [1.0, 4.0, 3.0, 2.0])
    assert model.classes_.tolist() == [3, 1, 2, 4]
    assert model.classes_.dtype == np.int64
    model = Classifier(**SMALL).learn(X, [0.5, -0.0, 0.0, 1.0]).learn(X, [0, 1, 2, 2])
    assert model.classes_.tolist() == [0.5, 0.0, 1.0, 2.0]


def test_too_many_classes_raise_at_once():
    X = np.random.default_rng(0).normal(size=(60_000, 2))
    model = Classifier(budget=1 << 20)
    with pytest.raises(ValueError, match=r"memory|bytes"):
        model.learn(X, np.arange(60_000))
    assert not hasattr(model, "classes_")


def test_an_interrupted_call_has_the_classes_of_the_rows_it_learned():
    rows = 200_000
    X = np.random.default_rng(0).normal(size=(rows, 20)).astype(np.float32)
    y = np.arange(rows) // 50 % 2000
    model, again = (Classifier("bsgd-merge", budget=300, gamma=0.05) for _ in range(2))

    def interrupt():
        raise KeyboardInterrupt

    with alarm(0.4, interrupt), pytest.raises(KeyboardInterrupt):
        model.learn(X, y)
    seen = model.n_samples_seen_
    assert 0 < seen < rows
    assert model.classes_.tolist() == list(range(min(2000, (seen - 1) // 50 + 1)))
    with pytest.warns(UserWarning, match="sorted by label"):
        again.learn(X[:seen], y[:seen])
    assert again.to_bytes() == model.to_bytes()


def test_other_threads_see_a_model_with_its_classes():
    X, y = growing_stream(4000, 5)
    y = NAMES[y]
    model = Classifier("bsgd-merge", budget=30, gamma=0.5).learn(X[:10], y[:10])

    def learn():
        for start in range(10, 4000, 37):
            model.learn(X[start : start + 37], y[start : start + 37])

    def watch():
        assert {*model.predict(X[:50]), model.predict_one(X[0])} <= set(NAMES)
        classes = model.classes_.tolist()
        assert classes == NAMES[: len(classes)].tolist()
        assert len(classes) <= len(model.classes_)
        copied = copy.copy(model)
        assert copied.dual_coef_.shape[0] == (1 if len(copied.classes_) < 3 else len(copied.classes_))

    together(learn, beside=[watch, watch])
    assert model.classes_.tolist() == NAMES.tolist()


@pytest.fixture(scope="module")
def letter(real_data):
    """All rows of letter, in a random order."""
    with lzma.open(real_data("letter.train.libsvm.xz")) as file:
        X, y = load_svmlight_file(file)
    order = np.random.default_rng(0).permutation(len(y))
    return X.toarray().astype(np.float32)[order], y.astype(int)[order]


def recall_of_a_late_class(letter, late, **params):
    """Percent of its first 50, next 100 and later rows that are predicted, if it comes from row 10,000 on."""
    X, y = letter
    kept = (y != late) | (np.arange(len(y)) >= 10_000)
    X, y, start = X[kept], y[kept], int(kept[:10_000].sum())
    model, right = Classifier(**params).learn(X[:start], y[:start]), []
    for x, label in zip(X[start:], y[start:], strict=True):
        if label == late:
            right.append(model.predict_one(x) == label)
        model.learn_one(x, label)
    return [100 * np.mean(part) for part in (right[:50], right[50:150], right[150:])]


@pytest.mark.nightly
def test_a_late_letter_is_learned_as_fast_as_a_known_one(letter):
    classes = np.unique(letter[1])
    # A, M, V and Z
    late, known = (
        np.mean([recall_of_a_late_class(letter, c, **more) for c in (1, 13, 22, 26)], axis=0)
        for more in ({}, {"classes": classes})
    )
    assert (late > [45, 80, 88]).all(), late
    assert (np.abs(late - known) < [6, 4, 3]).all(), (late, known)


def test_letters_one_after_the_other(letter):
    """A new class every 500 rows, then all rows mixed: as accurate as if all classes had been known."""
    X, y = letter
    test = np.arange(len(y)) % 8 == 0
    rows = np.flatnonzero(~test)
    rng = np.random.default_rng(1)
    stages = [rng.choice(rows[y[rows] <= stage], 500) for stage in range(1, 27)]
    order = np.concatenate([*stages, rng.permutation(rows)])
    right = []
    for more in ({}, {"classes": range(1, 27)}):
        model = Classifier(**more).learn(X[order], y[order])
        right.append(100 * np.mean(model.predict(X[test]) == y[test]))
    assert abs(right[0] - right[1]) < 1, right
    assert right[0] > 85, right
