"""The online kernel machine in regression against its oracle, piece by piece."""

import numpy as np
import pytest

from budgetrs import Regressor
from oracle_tube import OracleRegression

PIECES = [
    {},
    {"linear_weight": None},
    {"linear_weight": 0.3, "average": False},
    {"scaling": "none"},
    {"average": False},
    {"C_decay": False},
    {"C_decay": False, "C0": 0.3, "linear_weight": None},
    {"epsilon": 0.1, "C0": 2.0, "scaling": "none"},
]


def stream(n_rows, n_features, seed=7):
    """A bent surface far from zero with heavy noise, and weights; the first targets are all alike."""
    rng = np.random.default_rng(seed)
    X = rng.normal(0, 1, (n_rows, n_features))
    y = 40 + 3 * X[:, 0] + 4 * np.sin(2 * X[:, 1]) * X[:, 2] + 0.5 * rng.standard_t(2, n_rows)
    y[:6] = 47.0
    return X, y, rng.choice([0.0, 0.5, 1.0, 2.0], n_rows)


def assert_agrees(X, y, weights, *, metric_learning, budget=20, **pieces):
    model = Regressor("online-kernel", budget=budget, forget=None, metric_learning=metric_learning, **pieces)
    model.learn(X, y, sample_weight=weights)
    pieces = {"c0" if name == "C0" else name: value for name, value in pieces.items()}
    oracle = OracleRegression(
        X.shape[1], budget, metric_learning=None if metric_learning == "none" else metric_learning, **pieces
    )
    for row, target, weight in zip(X, y, weights, strict=True):
        oracle.learn(row, float(target), float(weight))
    near, of_targets = {"rtol": 0, "atol": 1e-9}, {"rtol": 0, "atol": 1e-9 * y.std()}
    assert (model.n_samples_seen_, model.n_updates_) == (oracle.seen, oracle.updates)
    np.testing.assert_allclose(model.predict(X), oracle.predict(X), **of_targets)
    np.testing.assert_allclose(model.support_vectors_, oracle.vectors, **near)
    if metric_learning != "none":
        assert abs(oracle.A - np.eye(len(oracle.A))).max() > 0.001
        expected = oracle.A if metric_learning == "full" else np.diag(oracle.A)[None, :]
        np.testing.assert_allclose(model.components_, expected, **near)
    if oracle.has_linear:
        np.testing.assert_allclose(model.coef_, oracle.coef, **near)
        np.testing.assert_allclose(model.intercept_, oracle.intercept, **near)
    if oracle.has_excess:
        expected = 0.3 * (oracle.mean_excess_V if oracle.average else oracle.excess_V)
        np.testing.assert_allclose(model.tail_coef_[0], expected, **near)


@pytest.mark.parametrize("pieces", PIECES, ids=str)
@pytest.mark.parametrize("metric", ["full", "diagonal", "none"])
def test_every_piece_agrees(metric, pieces):
    X, y, weights = stream(250 if metric == "full" else 160, 5)
    X = X if "scaling" in pieces else X * np.arange(1, 6) + 5
    assert_agrees(
        X, y, weights, metric_learning=metric, **{"scaling": "online", "average": "polynomial", **pieces}
    )


@pytest.mark.parametrize("metric", ["diagonal", "none"])
def test_of_many_features_the_diagonal_is_learned(metric):
    assert_agrees(*stream(100, 70), metric_learning=metric)


def test_the_metric_is_learned_from_a_hundred_support_vectors_on():
    assert_agrees(*stream(300, 5), metric_learning="full", budget=150)


def test_the_running_error_forgets():
    assert_agrees(*stream(1600, 3), metric_learning="none", budget=2)


def test_targets_that_are_all_alike_need_no_support_vectors():
    X, _, _ = stream(20, 5)
    model = Regressor("online-kernel", metric_learning="full", linear_weight=1.0, forget=None).learn(
        X, np.full(20, -3.0)
    )
    assert (model.n_samples_seen_, model.n_support_vectors_) == (20, 0)
    np.testing.assert_array_equal(model.predict(X), -3.0)


@pytest.mark.parametrize("average", ["polynomial", False])
@pytest.mark.parametrize("n_features", [4, 70])
def test_the_linear_term_extends_beyond_the_clip(n_features, average):
    X, y, weights = stream(400, n_features)
    X[:, :3] = np.exp(1.3 * X[:, :3])
    y = y + X[:, 0]
    assert_agrees(X, y, weights, metric_learning="none", average=average)
    model = Regressor(forget=None, metric_learning="none", average=average).learn(X, y)
    assert model.tail_coef_.shape == model.coef_.shape == (1, n_features)
    assert np.count_nonzero(model.tail_coef_) >= 3
    with pytest.raises(AttributeError, match="has no tail_coef_"):
        _ = Regressor(scaling="none").learn(X, y).tail_coef_
