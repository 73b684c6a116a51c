"""The online kernel machine against its oracle, piece by piece."""

import numpy as np
import pytest

from budgetrs import Classifier
from oracle_online import OracleOnline

ROWS, BUDGET = 1200, 20
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


def models(n_classes, metric, pieces):
    """The oracle and the model with the same parameters."""
    own = {"C0": "c0"}
    of_oracle = {own.get(name, name): value or None for name, value in pieces.items() if name != "C_decay"}
    oracle = OracleOnline(
        5,
        n_classes,
        BUDGET,
        metric_learning=None if metric == "none" else metric,
        C_decay=pieces.get("C_decay", True),
        **of_oracle,
    )
    labels = list(range(n_classes))
    return oracle, Classifier(
        "online-kernel", classes=labels, budget=BUDGET, metric_learning=metric, forget=None, **pieces
    )


@pytest.mark.parametrize("pieces", PIECES, ids=str)
@pytest.mark.parametrize("metric", ["full", "diagonal", "none"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_piece_agrees(n_classes, metric, pieces):
    # The ramp cannot act before about row 900.
    rows = ROWS if pieces == {"noise_margin": 0.2} else 350
    X, y = (part[:rows] for part in stream(n_classes, seed=7))
    if "scaling" in pieces:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    weights = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.0], rows)
    oracle, model = models(n_classes, metric, pieces)
    for row, label, weight in zip(X, y, weights, strict=True):
        oracle.learn(row, int(label), float(weight))
    model.learn(X, y, sample_weight=weights)
    assert (model.n_samples_seen_, model.n_updates_) == (oracle.seen, oracle.updates)
    np.testing.assert_allclose(model.decision_function(X), oracle.decision_function(X), rtol=0, atol=1e-11)
    np.testing.assert_allclose(model.support_vectors_, oracle.vectors, rtol=0, atol=1e-11)
    if metric != "none":
        expected = oracle.A if metric == "full" else np.diag(oracle.A)[None, :]
        np.testing.assert_allclose(model.components_, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_second_pass_agrees(n_classes):
    X, y = (part[:200] for part in stream(n_classes, seed=7))
    oracle, model = models(n_classes, "full", {})
    for repeated in (False, True):
        for row, label in zip(X, y, strict=True):
            oracle.learn(row, int(label), repeated=repeated)
        model.learn(X, y, repeated=repeated)
    assert model.n_updates_ == oracle.updates
    np.testing.assert_allclose(model.decision_function(X), oracle.decision_function(X), rtol=0, atol=1e-11)


@pytest.mark.parametrize("metric", ["full", "none"])
def test_single_precision_agrees_for_some_time(metric):
    X, y = stream(4, seed=8)
    X = X[:400].astype(np.float32)
    oracle, model = models(4, metric, {})
    for row, label in zip(X, y, strict=False):
        oracle.learn(row.astype(float), int(label))
    model.learn(X, y[:400])
    np.testing.assert_allclose(model.decision_function(X), oracle.decision_function(X), atol=5e-3)


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
