"""The online kernel machine in regression against its oracle, piece by piece."""

import itertools

import numpy as np
import pytest

from budgetrs import Regressor
from oracle_tube import OracleRegression
from recorded import recorded

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


def data_of(kind, n_rows, n_features):
    """The stream, with features in units of their own, with heavy tails, or with features that change."""
    X, y, weights = stream(n_rows, n_features)
    now = np.linspace(0, 1, n_rows)
    if kind == "units":
        X = X * np.arange(1, n_features + 1) + 5
    if kind == "tails":
        X[:, :3] = np.exp(1.3 * X[:, :3])
        y = y + X[:, 0]
    if kind in CHANGING:
        X[:, :2] += 12 * now[:, None]  # trends
        X[:, 2] *= np.exp(3 * now)
        y = y + 8 * X[:, 0] - X[:, 2]
    if kind == "late":
        X[:, 3] = (now > 0.5) & (X[:, 3] > 0.8)
        X[:, 4] *= now > 0.6
        y = y + 9 * X[:, 3] + X[:, 4]
    if kind == "missing":
        X[np.random.default_rng(8).random(X.shape) < 0.2] = np.nan
    return X, y, weights


def with_pieces(metric, pieces):
    data = "plain" if "scaling" in pieces else "units", 250 if metric == "full" else 160, 5
    return data, metric, {"scaling": "online", "average": "polynomial", **pieces}


def with_tails(n_features, average):
    return ("tails", 400, n_features), "none", {"average": average}


CHANGING = ["trend", "late", "missing"]
METRICS = ["full", "diagonal", "none"]
MANY_FEATURES = [(("plain", 100, 70), metric, {}) for metric in METRICS[1:]]
MANY_VECTORS = (("plain", 300, 5), "full", {"budget": 150})
CHANGES = [
    ((kind, 500, n_features), "none", pieces)
    for kind in CHANGING
    for n_features, pieces in [(5, {}), (5, {"average": False}), (5, {"budget": 150}), (70, {})]
]
MANY_ROWS = (("plain", 1600, 3), "none", {"budget": 2})
CASES = [
    *itertools.starmap(with_pieces, itertools.product(METRICS, PIECES)),
    *MANY_FEATURES,
    MANY_VECTORS,
    MANY_ROWS,
    *itertools.starmap(with_tails, itertools.product([4, 70], ["polynomial", False])),
    *CHANGES,
]


@recorded(CASES)
def expected_of(data, metric, pieces):
    X, y, weights = data_of(*data)
    pieces = {"c0" if name == "C0" else name: value for name, value in pieces.items()}
    options = {"budget": 20, "metric_learning": None if metric == "none" else metric, **pieces}
    oracle = OracleRegression(X.shape[1], **options)
    for row, target, weight in zip(X, y, weights, strict=True):
        oracle.learn(row, float(target), float(weight))
    step = {
        "counts": [oracle.seen, oracle.updates],
        "predicted": oracle.predict(X),
        "support_vectors_": oracle.vectors,
    }
    if data[0] in CHANGING:
        assert oracle.n_changes >= 6
    if metric != "none":
        assert abs(oracle.A - np.eye(len(oracle.A))).max() > 0.001
        step["components_"] = oracle.A if metric == "full" else np.diag(oracle.A)[None, :]
    if oracle.has_linear:
        step |= {"coef_": oracle.coef, "intercept_": oracle.intercept}
    if oracle.has_excess:
        step["tail_coef_"] = 0.3 * (oracle.mean_excess_V if oracle.average else oracle.excess_V)[None, :]
    return [step]


def assert_agrees(data, metric, pieces):
    X, y, weights = data_of(*data)
    options = {"budget": 20, "forget": None, "metric_learning": metric, **pieces}
    model = Regressor("online-kernel", **options).learn(X, y, sample_weight=weights)
    (expected,) = expected_of(data, metric, pieces)
    # Less what the rounding in the file may add.
    of_targets = 1e-9 * y.std() - 2**-44
    assert [model.n_samples_seen_, model.n_updates_] == expected.counts
    np.testing.assert_allclose(model.predict(X), expected.predicted, rtol=0, atol=of_targets)
    for name, value in vars(expected).items():
        if name.endswith("_"):
            np.testing.assert_allclose(getattr(model, name), value, rtol=0, atol=1e-9 - 2**-44, err_msg=name)


@pytest.mark.parametrize("pieces", PIECES, ids=str)
@pytest.mark.parametrize("metric", METRICS)
def test_every_piece_agrees(metric, pieces):
    assert_agrees(*with_pieces(metric, pieces))


@pytest.mark.parametrize("case", MANY_FEATURES, ids=lambda case: case[1])
def test_of_many_features_the_diagonal_is_learned(case):
    assert_agrees(*case)


def test_the_metric_is_learned_from_a_hundred_support_vectors_on():
    assert_agrees(*MANY_VECTORS)


def test_the_running_error_forgets():
    assert_agrees(*MANY_ROWS)


@pytest.mark.parametrize("case", CHANGES, ids=str)
def test_the_linear_term_follows_changes_of_the_scaling(case):
    assert_agrees(*case)


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
    data, *rest = with_tails(n_features, average)
    assert_agrees(data, *rest)
    X, y, _ = data_of(*data)
    model = Regressor(forget=None, metric_learning="none", average=average).learn(X, y)
    assert model.tail_coef_.shape == model.coef_.shape == (1, n_features)
    assert np.count_nonzero(model.tail_coef_) >= 3
    with pytest.raises(AttributeError, match="has no tail_coef_"):
        _ = Regressor(scaling="none").learn(X, y).tail_coef_
