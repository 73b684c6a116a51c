"""The contract of the native Classifier: what it learns.

Ways of learning: test_doors.py; inputs: test_layouts.py; refusals: test_refusals.py;
saving and threads: test_state.py.
"""

from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetrs import ALGORITHMS, Classifier
from conftest import CODE_PATHS, SMALL, blobs, board, bounded, learned, small_for


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 300), max_size=8), st.sampled_from(list(ALGORITHMS)), st.integers(0, 5))
def test_a_batch_equals_its_rows_however_it_is_cut(cuts, name, seed):
    X, y = blobs(300, seed=seed)
    params = {**small_for(name), "seed": seed, "classes": [0, 1, 2], "gamma": "scale"}
    whole = Classifier(name, **params).learn(X, y)
    pieces = Classifier(name, **params)
    for start, end in pairwise([0, *sorted(cuts), 300]):
        if end > start:
            pieces.learn(X[start:end], y[start:end])
    assert pieces.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize("name", CODE_PATHS)
@pytest.mark.parametrize("task", ["two", "three"])
def test_every_algorithm_learns_within_its_budget(name, task):
    X, y = board(600) if task == "two" else blobs(600)
    model = Classifier(name, **small_for(name))
    grows = "rate" in small_for(name)
    for start in range(0, 600, 50):
        assert model.learn(X[start : start + 50], y[start : start + 50]) is model
        assert not bounded(name) or grows or model.n_support_vectors_ <= 20
    # That cache keeps what is hardest.
    assert np.mean(model.predict(X) == y) > (0.6 if name == "budget-perceptron" else 0.75)
    assert model.n_samples_seen_ == 600
    assert model.n_support_vectors_ == len(model.support_vectors_) == model.dual_coef_.shape[1]
    assert model.support_vectors_.shape == (model.n_support_vectors_, X.shape[1])
    assert model.dual_coef_.shape[0] == (1 if task == "two" else 3)
    # Every rule learns from its mistakes, unless it has stopped.
    assert 0 < model.n_updates_ <= 600
    assert 0 < model.n_mistakes_ <= (600 if model.params["maintenance"] == "stop" else model.n_updates_)
    assert model.algorithm == name
    assert model.params["budget"] == (20 if bounded(name) else None)


def test_scores_are_the_expansion_and_decide():
    for X, y in (board(400, dtype=np.float64), blobs(400, dtype=np.float64)):
        model = learned(X, y)
        distances = ((X[:, None, :] - model.support_vectors_[None]) ** 2).sum(-1)
        expected = np.exp(-model.gamma_ * distances) @ model.dual_coef_.T
        scores = model.decision_function(X)
        np.testing.assert_allclose(
            scores, expected[:, 0] if scores.ndim == 1 else expected, rtol=1e-9, atol=1e-9
        )
        index = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        np.testing.assert_array_equal(model.predict(X), model.classes_[index])
        assert [model.predict_one(x) for x in X[:20]] == model.predict(X[:20]).tolist()


def test_progressive_mistakes_are_predictions_before_learning():
    X, y = board(150, dtype=np.float64)
    model = Classifier(**SMALL, classes=[0, 1])
    wrong = 0
    for x, label in zip(X, y, strict=True):
        wrong += (model.predict_one(x) if model_knows(model) else 0) != label
        model.learn_one(x, label)
    assert model.n_mistakes_ == wrong


def model_knows(model):
    return hasattr(model, "n_features_in_")


@pytest.mark.parametrize("gamma", [2.0, "scale", "standardized"])
def test_an_order_equals_the_rows_gathered(gamma):
    X, y = blobs(1500, dtype=np.float64)
    weight = np.random.default_rng(1).uniform(0, 2, 1500)
    rows = np.random.default_rng(2).permutation(1500)[:200]
    gathered, ordered = (learned(X, y, gamma=gamma) for _ in range(2))
    gathered.learn(X[rows], y[rows], sample_weight=weight[rows])
    assert ordered.learn(X, y, sample_weight=weight, order=rows) is ordered
    assert ordered.to_bytes() == gathered.to_bytes()
    sparse = learned(X, y, gamma=gamma).learn(sp.csr_array(X), y, sample_weight=weight, order=rows.tolist())
    assert sparse.n_samples_seen_ == gathered.n_samples_seen_
    assert ordered.learn(X, y, order=np.array([], int)).to_bytes() == gathered.to_bytes()


def test_an_order_is_refused():
    X, y = board(100)
    model = learned(X, y)
    before = model.to_bytes()
    cases = [
        ([0, 100], ValueError, "order must be row indices from 0 to 99, got 100"),
        ([0, -1], ValueError, "order must be row indices >= 0, got -1"),
        ([0.0, 1.0], TypeError, "order must hold integers, got dtype float64"),
        ([[0, 1]], ValueError, "order must have 1 dimension"),
    ]
    for order, error, message in cases:
        with pytest.raises(error, match=message):
            model.learn(X, y, order=order)
    assert model.to_bytes() == before
    stream = Classifier("bsgd-project", budget=20, gamma="scale", kernel="poly")
    with pytest.raises(ValueError, match="order need a number as gamma"):
        stream.learn(X, y, order=[1, 0])
    assert not hasattr(stream, "n_features_in_")


def test_predicting_one_row_makes_no_array_of_the_classes():
    X, y = blobs(100)
    model = learned(X, np.array(["red", "green", "blue"])[y])
    expected = model.predict(X[:5]).tolist()
    with patch.object(np, "array", side_effect=AssertionError("an array was made")):
        assert [model.predict_one(x) for x in X[:5]] == expected
    assert type(model.predict_one(X[0])) is str
    # The array that a caller gets is the caller's.
    model.classes_[:] = "none"
    assert model.classes_.tolist() == ["blue", "green", "red"]
    assert model.predict(X[:5]).tolist() == expected


def test_a_score_beyond_the_type_names_the_row_of_the_batch():
    model = Classifier("pegasos", kernel="linear", alpha=1e-20, classes=[0, 1])
    model.learn_one(np.float32([1e12]), 1)
    X = np.ones((5000, 1), np.float32)
    X[4321] = 1e12
    with pytest.raises(ValueError, match="X is too large at row 4321: expected scores"):
        model.decision_function(X)


def test_classes_may_be_named_before():
    X, y = board(50)
    for model in (
        Classifier(classes=["x", "y", "z"]),
        Classifier().learn(X, ["x", "y"] * 25, classes=["z", "y", "x"]),
    ):
        assert model.classes_.tolist() == ["x", "y", "z"]
    model = Classifier(**SMALL, classes=[0, 1])
    model.learn(X[:3], [1, 1, 1]).learn(X[3:], y[3:])
    assert model.decision_function(X).shape == (50,)
    with pytest.raises(ValueError, match="class"):
        model.learn(X, y, classes=[0, 1, 2])


def test_weights():
    X, y = board(200)
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 2, 200).astype(float)
    kept = weight > 0
    dropped = Classifier(**SMALL, classes=[0, 1]).learn(X, y, sample_weight=weight)
    assert dropped.to_bytes() == Classifier(**SMALL, classes=[0, 1]).learn(X[kept], y[kept]).to_bytes()
    assert dropped.n_samples_seen_ == kept.sum()
    ones = Classifier(**SMALL).learn(X, y, sample_weight=np.ones(200))
    assert ones.to_bytes() == learned(X, y).to_bytes()
    heavy = Classifier(**SMALL).learn(X, y, sample_weight=1 + weight)
    assert not np.array_equal(heavy.dual_coef_, ones.dual_coef_)


def test_predicting_nothing():
    for model, width, shape in ((learned(), 2, (0,)), (learned(*blobs(50)), 4, (0, 3))):
        nothing = np.empty((0, width))
        assert model.predict(nothing).shape == (0,)
        assert model.predict(nothing).dtype == model.classes_.dtype
        assert model.decision_function(nothing).shape == shape


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gamma_scale_follows_the_first_rows(dtype):
    X, y = blobs(1500, dtype=dtype)
    model = Classifier(**{**SMALL, "gamma": "scale"}).learn(X, y)
    assert model.gamma_ == pytest.approx(1 / (4 * X[:1023].astype(np.float64).var()), rel=1e-6)
    short = Classifier(**{**SMALL, "gamma": "scale"}).learn(X[:100], y[:100])
    assert short.gamma_ == pytest.approx(1 / (4 * X[:63].astype(np.float64).var()), rel=1e-6)
    assert learned(gamma="auto").gamma_ == 0.5
    assert learned(gamma=3).gamma_ == 3.0
    constant = Classifier("bsgd-merge", gamma="scale").learn(np.ones((40, 4)), np.arange(40) % 2)
    assert constant.gamma_ == 0.25


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_scaling_is_part_of_the_model(kernel):
    # Sixty-fourths, powers of two and integers: the scaled rows are exact.
    X, y = blobs(400, dtype=np.float64)
    X = np.round(X * 64) / 64
    std = np.array([1.0, 2.0, 8.0, 1024.0])
    mean = np.array([0.0, 5.0, -3.0, 7.0])
    params = {"kernel": kernel, "maintenance": "smallest", **({"coef0": 1.0} if kernel == "poly" else {})}
    raw = X * std + mean
    scaled = Classifier(**{**SMALL, **params})
    scaled.set_scaling(mean, std)
    scaled.learn(raw, y)
    # A translation-invariant kernel does not see the mean, and does not subtract it.
    plain = learned(raw / std if kernel == "rbf" else X, y, **params)
    expected = plain.decision_function(raw / std if kernel == "rbf" else X)
    np.testing.assert_array_equal(scaled.decision_function(raw), expected)
    again = Classifier.from_bytes(scaled.to_bytes())
    np.testing.assert_array_equal(again.decision_function(raw), expected)
    with pytest.raises(ValueError, match=r"scaling|learn"):
        scaled.set_scaling(mean, std)
    constant = Classifier(**SMALL)
    constant.set_scaling([0, 0], [0, 1])
    X2, y2 = board(100)
    np.testing.assert_array_equal(
        constant.learn(X2, y2).decision_function(X2), learned(X2, y2).decision_function(X2)
    )
    for mean, std in (([0], [1, 1]), ([0, np.nan], [1, 1]), ([0, 0], [1, -1])):
        with pytest.raises(ValueError, match=r"mean|std"):
            Classifier("bsgd-merge").set_scaling(mean, std)


def test_scaling_must_have_the_width_of_the_rows():
    model = Classifier(**SMALL)
    model.set_scaling([0, 0, 0], [1, 1, 1])
    with pytest.raises(ValueError, match=r"2.*3"):
        model.learn(*board(20))


@pytest.mark.parametrize("scaling", [False, True])
def test_widening_equals_a_width_known_before(scaling):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(300, 6)).astype(np.float32)
    dense[:150, 4:] = 0
    y = (dense[:, 0] > 0).astype(int)
    known, widened = Classifier(**SMALL), Classifier(**SMALL)
    if scaling:
        known.set_scaling(np.zeros(6), [2, 2, 2, 2, 1, 1])
        widened.set_scaling(np.zeros(4), [2, 2, 2, 2])
    known.learn(sp.csr_array(dense), y)
    widened.learn(sp.csr_array(dense[:150, :4]), y[:150])
    widened.add_features(6)
    widened.learn(sp.csr_array(dense[150:]), y[150:])
    np.testing.assert_array_equal(widened.support_vectors_, known.support_vectors_)
    np.testing.assert_array_equal(widened.dual_coef_, known.dual_coef_)
    for narrow in (5, -1, 2**70):
        with pytest.raises(ValueError, match=f"n_features.*{narrow}"):
            widened.add_features(narrow)
    assert widened.n_features_in_ == 6
