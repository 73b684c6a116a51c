"""The online kernel machine against its oracle, piece by piece."""

import itertools

import numpy as np
import pytest

from budgetrs import Classifier
from oracle_online import OracleOnline
from recorded import recorded

ROWS, BUDGET = 1200, 20
# What is read from the file is rounded to 52 binary places below the largest value, which is below 2^8.
NEAR = {"rtol": 0, "atol": 1e-11 - 2**-44}
PIECES = [
    {},
    {"linear_weight": None},
    {"noise_margin": None},
    {"noise_margin": 0.2},
    {"C_decay": False, "C0": 1.0},
    {"average": False},
    {"maintenance": "merge"},
    {"kernel": "rbf"},
    {"scaling": "none"},
    {"gamma": 0.3},
]


def stream(n_classes, seed):
    """Three overlapping blobs to the class, features in units of their own, some labels wrong."""
    rng = np.random.default_rng(seed)
    centres, which = rng.normal(0, 1.2, (3 * n_classes, 5)), rng.integers(0, 3 * n_classes, ROWS)
    X = centres[which] + rng.normal(0, 0.7, (ROWS, 5))
    wrong = rng.random(ROWS) < 0.05
    y = np.where(wrong, rng.integers(0, n_classes, ROWS), which % n_classes)
    return X * np.arange(1, 6) + 5, y


def oracle_of(n_classes, metric, pieces):
    own = {"C0": "c0"}
    pieces = {
        own.get(name, name): value if name == "C_decay" else value or None for name, value in pieces.items()
    }
    return OracleOnline(5, n_classes, BUDGET, metric_learning=None if metric == "none" else metric, **pieces)


def model_of(n_classes, metric, pieces):
    labels = list(range(n_classes))
    return Classifier(
        "online-kernel", classes=labels, budget=BUDGET, metric_learning=metric, forget=None, **pieces
    )


def weighted_stream(n_classes, pieces):
    # The ramp cannot act before about row 900.
    rows = ROWS if pieces == {"noise_margin": 0.2} else 350
    X, y = (part[:rows] for part in stream(n_classes, seed=7))
    if "scaling" in pieces:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, y, np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.0], rows)


def short_stream(n_classes):
    return (part[:200] for part in stream(n_classes, seed=7))


def single_precision_stream():
    X, y = stream(4, seed=8)
    return X[:400].astype(np.float32), y[:400]


@recorded(itertools.product((2, 4), ("full", "diagonal", "none"), PIECES))
def expected_of(n_classes, metric, pieces):
    X, y, weights = weighted_stream(n_classes, pieces)
    oracle = oracle_of(n_classes, metric, pieces)
    for row, label, weight in zip(X, y, weights, strict=True):
        oracle.learn(row, int(label), float(weight))
    components = {"full": oracle.A, "diagonal": np.diag(oracle.A)[None, :]}
    return [
        {
            "counts": [oracle.seen, oracle.updates],
            "scores": oracle.decision_function(X),
            "vectors": oracle.vectors,
            **({} if metric == "none" else {"components": components[metric]}),
        }
    ]


@recorded([(2,), (4,)])
def expected_after_a_second_pass(n_classes):
    X, y = short_stream(n_classes)
    oracle = oracle_of(n_classes, "full", {})
    for repeated in (False, True):
        for row, label in zip(X, y, strict=True):
            oracle.learn(row, int(label), repeated=repeated)
    return [{"n_updates": oracle.updates, "scores": oracle.decision_function(X)}]


@recorded([("full",), ("none",)])
def expected_in_single_precision(metric):
    X, y = single_precision_stream()
    oracle = oracle_of(4, metric, {})
    for row, label in zip(X, y, strict=True):
        oracle.learn(row.astype(float), int(label))
    return [{"scores": oracle.decision_function(X)}]


@pytest.mark.parametrize("pieces", PIECES, ids=str)
@pytest.mark.parametrize("metric", ["full", "diagonal", "none"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_piece_agrees(n_classes, metric, pieces):
    X, y, weights = weighted_stream(n_classes, pieces)
    model = model_of(n_classes, metric, pieces).learn(X, y, sample_weight=weights)
    (expected,) = expected_of(n_classes, metric, pieces)
    assert [model.n_samples_seen_, model.n_updates_] == expected.counts
    np.testing.assert_allclose(model.decision_function(X), expected.scores, **NEAR)
    np.testing.assert_allclose(model.support_vectors_, expected.vectors, **NEAR)
    if metric != "none":
        np.testing.assert_allclose(model.components_, expected.components, **NEAR)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_second_pass_agrees(n_classes):
    X, y = short_stream(n_classes)
    model = model_of(n_classes, "full", {}).learn(X, y).learn(X, y, repeated=True)
    (expected,) = expected_after_a_second_pass(n_classes)
    assert model.n_updates_ == expected.n_updates
    np.testing.assert_allclose(model.decision_function(X), expected.scores, **NEAR)


@pytest.mark.parametrize("metric", ["full", "none"])
def test_single_precision_agrees_for_some_time(metric):
    X, y = single_precision_stream()
    model = model_of(4, metric, {}).learn(X, y)
    (expected,) = expected_in_single_precision(metric)
    np.testing.assert_allclose(model.decision_function(X), expected.scores, atol=5e-3 - 2**-44)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("maintenance", ["merge", "merge-newest"])
def test_with_two_classes_and_without_its_pieces_it_is_a_published_algorithm(dtype, maintenance):
    X, y = stream(2, seed=9)
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(dtype)
    labels = [0, 1]
    shared = {"budget": BUDGET, "kernel": "rational-quadratic", "gamma": 0.4, "maintenance": maintenance}
    plain = {
        "metric_learning": "none",
        "linear_weight": None,
        "average": False,
        "noise_margin": None,
        "C_decay": False,
    }
    plain |= {"scaling": "none", "forget": None}
    model = Classifier("online-kernel", classes=labels, C0=0.7, alpha_rq=2.0, **plain, **shared)
    published = Classifier("pa-merge", classes=labels, C=0.7, alpha_rq=2.0, **shared)
    for one in (model, published):
        one.learn(X, y)
    np.testing.assert_array_equal(model.support_vectors_, published.support_vectors_)
    np.testing.assert_array_equal(model.dual_coef_, published.dual_coef_)
    np.testing.assert_array_equal(model.decision_function(X), published.decision_function(X))
