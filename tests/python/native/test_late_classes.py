"""Classes that come as they come: a label that a Classifier has never seen is a new class."""

import copy
import lzma
import pickle
import signal
import threading

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from budgetrs import Classifier
from conftest import SMALL, blobs, board

NAMES = np.array(["m", "b", "x", "a", "q"])


def growing_stream(rows=300, classes=5, seed=0):
    """Rows with a new class every ``rows / classes``, labels in no order of the alphabet."""
    rng = np.random.default_rng(seed)
    known = np.arange(rows) * classes // rows
    y = rng.integers(0, known + 1)
    y[np.r_[True, known[1:] != known[:-1]]] = np.arange(classes)
    X = rng.normal(size=(rows, 3)) + 2 * np.eye(5)[:, :3][y]
    return X, y


def test_one_class_is_the_only_answer():
    X, _ = board(50)
    for name in ("online-kernel", "bsgd-merge", "pa"):
        model = Classifier(name)
        for call in (model.predict, model.decision_function):
            with pytest.raises(AttributeError, match="learned"):
                call(X)
        model.learn_one(X[0], "up").learn(X, ["up"] * 50)
        assert model.classes_.tolist() == ["up"]
        assert model.predict(X).tolist() == ["up"] * 50
        assert model.predict_one(X[0]) == "up"
        assert model.decision_function(X).shape == (50,)
        assert model.dual_coef_.shape == (1, model.n_support_vectors_)
        assert (model.decision_function(X) <= 0).all()
        assert model.n_mistakes_ == 0
        again = pickle.loads(pickle.dumps(model))
        assert again.predict(X).tolist() == ["up"] * 50
        assert again.learn(X, ["down"] * 50).classes_.tolist() == ["up", "down"]
        assert again.decision_function(X).shape == (50,)
        assert model.classes_.tolist() == ["up"]


def test_a_kernel_with_negative_values_predicts_the_only_class_too():
    model = Classifier("bsgd-smallest", kernel="linear", budget=5).learn_one([1.0], 7)
    assert model.decision_function([[-1.0]])[0] > 0
    assert model.predict([[-1.0], [1.0]]).tolist() == [7, 7]
    assert model.predict_one([-1.0]) == 7


@pytest.mark.parametrize("params", [{}, {"algorithm": "bsgd-merge", "loss": "log_loss"}])
def test_probabilities_have_a_column_for_each_class(params):
    X, y = growing_stream(600)
    model = Classifier(**params)
    for count, start in enumerate(range(0, 600, 120), 1):
        model.learn(X[start : start + 120], y[start : start + 120])
        p = model.predict_proba(X)
        assert p.shape == (600, count) == (600, len(model.classes_))
        np.testing.assert_allclose(p.sum(axis=1), 1)
        if count == 1:
            assert (p == 1).all()
        else:
            np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
        scores = model.decision_function(X)
        assert scores.shape == ((600,) if count < 3 else (600, count))


def test_the_third_class_halves_the_scores():
    X, y = growing_stream(90, 3)
    model = Classifier(**SMALL).learn(X[:60], y[:60])
    before, coefficients = model.decision_function(X), model.dual_coef_
    model.learn(np.full((1, 3), 1e3), [2])  # far from all others
    after = model.decision_function(X)
    np.testing.assert_array_equal(after.argmax(axis=1), (before > 0).astype(int))
    np.testing.assert_array_equal(after[:, 0], -after[:, 1])
    assert not after[:, 2].any()
    np.testing.assert_allclose(2 * model.dual_coef_[1, :-1] * 61 / 60, coefficients[0][-19:], rtol=1e-12)


def test_bools_are_both_known_from_the_first_row_on():
    X, _ = board(40)
    model = Classifier(**SMALL).learn_one(X[0], True)
    assert model.classes_.tolist() == [False, True]
    assert model.to_bytes() == Classifier(**SMALL, classes=[True, False]).learn_one(X[0], True).to_bytes()
    with pytest.raises(ValueError, match=r"y contains 2 at row 0; the classes are false, true$"):
        model.learn_one(X[0], 2)


def test_false_alone_is_one_of_two_classes():
    # Scores of the linear kernel say True where no row was: of a known class that is no mistake of the file.
    X = np.where(np.arange(40) % 2, -1.0, 1.0)[:, None]
    params = {"algorithm": "bsgd-smallest", "kernel": "linear", "budget": 5}
    y = np.zeros(len(X), dtype=bool)
    at_once, given = Classifier(**params).learn(X, y), Classifier(**params, classes=[False, True]).learn(X, y)
    single = Classifier(**params)
    for x in X:
        single.learn_one(x, False)
    assert at_once.to_bytes() == single.to_bytes() == given.to_bytes()
    assert at_once.n_mistakes_ == given.n_mistakes_ > 0
    assert at_once.predict(X).tolist() == Classifier.from_bytes(at_once.to_bytes()).predict(X).tolist()


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_rows_of_weight_zero_bring_no_class(weight):
    X, y = growing_stream(60, 4)
    weights = np.where((y == 1) | (y == 3), weight, 1.0)
    model = Classifier(**SMALL).learn(X, y, sample_weight=weights)
    assert model.classes_.tolist() == ([0, 2] if weight == 0 else [0, 1, 2, 3])


def test_without_a_weight_nothing_is_known():
    X, y = board(20)
    model = Classifier(**SMALL).learn(X, y, sample_weight=np.zeros(20))
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "n_features_in_")
    assert model.to_bytes() == Classifier(**SMALL).to_bytes()
    assert model.learn(X, ["a", "b"] * 10).classes_.tolist() == ["a", "b"]


def test_classes_are_in_the_order_of_learning():
    X, y = growing_stream(80, 4)
    order = np.arange(80)[::-1]
    model = Classifier(**SMALL).learn(X, y, order=order)
    first = list(dict.fromkeys(y[::-1].tolist()))
    assert model.classes_.tolist() == first
    assert model.to_bytes() == Classifier(**SMALL).learn(X[::-1], y[::-1]).to_bytes()
    some = Classifier(**SMALL).learn(X, y, order=[5, 3, 5])
    assert some.classes_.tolist() == [0]


REFUSED = [
    ([7, 8, "x"], "one kind"),
    (["u", "v", "w"], r"y must be integers, as the labels seen before, got \"u\" at row 0"),
    ([7.0, 8.5, 9.0], r"y must be integers, as the labels seen before, got 8\.5 at row 1"),
    ([7.0, np.nan, 9.0], r"y must be integers, as the labels seen before, got NaN at row 1"),
]


@pytest.mark.parametrize(("labels", "message"), REFUSED)
def test_a_refused_batch_leaves_no_class_behind(labels, message):
    X, y = board(50)
    model = Classifier(**SMALL).learn(X, y)
    before = model.to_bytes()
    with pytest.raises(ValueError, match=message):
        model.learn(X[:3], labels)
    with pytest.raises(ValueError, match="NaN"):
        model.learn([[0.0, 1.0], [0.0, np.nan]], [5, 6])
    with pytest.raises(ValueError, match="order"):
        model.learn(X[:3], [5, 6, 7], order=[3])
    with pytest.raises(ValueError, match="sample_weight"):
        model.learn(X[:3], [5, 6, 7], sample_weight=[1, 1, -1])
    with pytest.raises(ValueError, match="classes must be passed in the first call to learn"):
        model.learn(X, y, classes=[0, 1])
    for bad in ([5, 6, 7], ["u", 6, 7]):
        if bad[0] == 5:
            model.validate(X[:3], bad)
        else:
            with pytest.raises(ValueError, match="one kind"):
                model.validate(X[:3], bad)
    assert model.to_bytes() == before
    assert model.classes_.tolist() == list(dict.fromkeys(y.tolist()))


def test_equal_numbers_are_one_class():
    X, _ = board(4)
    model = Classifier(**SMALL).learn(X, [3, 1, 3, 2]).learn(X, [1.0, 4.0, 3.0, 2.0])
    assert model.classes_.tolist() == [3, 1, 2, 4]
    assert model.classes_.dtype == np.int64
    model = Classifier(**SMALL).learn(X, [0.5, -0.0, 0.0, 1.0]).learn(X, [0, 1, 2, 2])
    assert model.classes_.tolist() == [0.5, 0.0, 1.0, 2.0]


@pytest.mark.parametrize("how", ["constructor", "first call"])
def test_a_whole_list_takes_no_other(how):
    X, y = board(50)
    given = {"classes": [0, 1]}
    model = Classifier(**SMALL, **(given if how == "constructor" else {}))
    model.learn(X, y, **({} if how == "constructor" else given))
    for m in (model, pickle.loads(pickle.dumps(model))):
        with pytest.raises(
            ValueError, match="the classes are 0, 1; create the Classifier without classes to accept new"
        ):
            m.learn(X, [0, 2] * 25)


def test_too_many_classes_are_refused_at_once():
    """Numbers of rows, say."""
    X = np.random.default_rng(0).normal(size=(60_000, 2))
    model = Classifier(budget=1 << 20)
    with pytest.raises(ValueError, match=r"memory|bytes"):
        model.learn(X, np.arange(60_000))
    assert not hasattr(model, "classes_")


def test_an_interrupted_call_has_the_classes_of_the_rows_it_learned():
    rows = 200_000
    X = np.random.default_rng(0).normal(size=(rows, 20)).astype(np.float32)
    y = np.arange(rows) // 50
    model = Classifier("bsgd-merge", budget=300, gamma=0.05)

    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.learn(X, y % 2000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    seen = model.n_samples_seen_
    assert 0 < seen < rows
    assert model.classes_.tolist() == list(range(min(2000, (seen - 1) // 50 + 1)))
    again = Classifier("bsgd-merge", budget=300, gamma=0.05)
    with pytest.warns(UserWarning, match="sorted by label"):
        again.learn(X[:seen], (y % 2000)[:seen])
    assert again.to_bytes() == model.to_bytes()


def test_readers_see_a_model_with_its_classes():
    X, y = growing_stream(4000, 5)
    y = NAMES[y]
    model = Classifier("bsgd-merge", budget=30, gamma=0.5).learn(X[:10], y[:10])
    failures, done = [], threading.Event()

    def watch():
        known = 0
        try:
            while not done.is_set():
                labels = model.predict(X[:50])
                assert set(labels) <= set(NAMES)
                assert model.predict_one(X[0]) in NAMES
                classes = model.classes_.tolist()
                assert classes == NAMES[: len(classes)].tolist()
                assert len(classes) >= known
                known = len(classes)
                copied = copy.copy(model)
                assert copied.dual_coef_.shape[0] == (1 if len(copied.classes_) < 3 else len(copied.classes_))
        except Exception as error:
            failures.append(error)

    watchers = [threading.Thread(target=watch) for _ in range(2)]
    for thread in watchers:
        thread.start()
    for start in range(10, 4000, 37):
        model.learn(X[start : start + 37], y[start : start + 37])
    done.set()
    for thread in watchers:
        thread.join(60)
    assert not failures
    assert model.classes_.tolist() == NAMES.tolist()


def test_mistakes_are_predictions_before_learning():
    X, y = growing_stream(400)
    # A running scaling would know each row before it is predicted.
    for name, params in [
        ("bsgd-merge", {}),
        ("online-kernel", {"scaling": "none"}),
        ("pa", {}),
        ("mira", {}),
    ]:
        model, wrong = Classifier(name, gamma=0.5, **params), 0
        for x, label in zip(X, y, strict=True):
            wrong += hasattr(model, "classes_") and model.predict_one(x) != label
            model.learn_one(x, label)
        assert model.n_mistakes_ == wrong, name


def test_labels_that_could_not_be_saved_are_refused_before_they_are_learned():
    model = Classifier(budget=2).learn([[0.0]], ["a"])
    before = model.to_bytes()
    with pytest.raises(ValueError, match=r"classes must be labels that take less than \d+ bytes"):
        model.learn([[1.0], [2.0]], ["b", "c" * 20_000_000])
    assert model.to_bytes() == before


def test_a_late_class_is_learned():
    X, y = blobs(4000)
    kept = (y != 2) | (np.arange(4000) >= 2000)
    X, y = X[kept], y[kept]
    late, known = (Classifier(budget=100, **more).learn(X, y) for more in ({}, {"classes": [0, 1, 2]}))
    right = [np.mean(model.predict(X) == y) for model in (late, known)]
    assert right[0] > right[1] - 0.01
    assert right[0] > 0.9


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
    """A new class every 500 rows, then all rows mixed: as if all classes had been known at the start."""
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
