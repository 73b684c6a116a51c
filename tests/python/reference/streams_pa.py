"""Streams for passive-aggressive learning and the Perceptrons, and the comparison with the reference.

A PA step sets the margin of its example to exactly 1, so that an exact duplicate soon after it has a hinge of
zero to rounding, and any implementation may judge it either way. MIRA does the same at beta, and opposite
Perceptron steps at duplicates cancel. Rows on which some decision of the reference falls that near to a tie
say nothing about the library and are shown to neither. The same holds for rows that make a system worse
conditioned than what results are promised for.
"""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest

from oracle import draws

N_TRAIN, N_TEST, N_FEATURES = 300, 100, 4

VARIANTS = (
    {"maintenance": "simple"},
    {"maintenance": "simple", "may_discard_new": True},
    {"maintenance": "nn"},
    {"maintenance": "nn", "n_neighbors": 2},
    {"maintenance": "nn", "n_neighbors": 4},
    {"maintenance": "joint"},
)
GENERIC = ("none", "stop", "random", "oldest", "smallest", "project", "project-best", "merge")
KERNELS = (
    {"kernel": "rbf", "gamma": 0.4},
    {"kernel": "laplacian", "gamma": 0.3},
    {"kernel": "rbf", "gamma": 0.9},
    {"kernel": "poly", "gamma": 0.3, "degree": 3, "coef0": 1.0},  # of rank 35 in four dimensions
    {"kernel": "rbf", "gamma": 0.2},
)
CAPS = (0.07, 1.0, 0.4, 20.0, 0.02, 3.0, 0.15)
ABOUT_THE_STREAM = ("n_classes", "seed", "weighted")

# The least gap of each kind: relative; powers of ten; or a share of what rounding of the inputs can reach.
CLEAR = {
    "pivot": 0.1,
    "span": 0.3,
    "dependent": 1.0,
    "newcomer": 0.5,
    "nearest": 1e-13,
    "leaves": 1e-8,
    "cost": 1e-14,
    "best": 1e-13,
    "eta": 1e-7,
    "step": 1e-5,
}
CLEAR_ELSE = 1e-9
CONDITION = 1e8


def options_of(number, seed, **chosen):
    """The options of a case: those chosen, and kernels and weights, which go round."""
    kernel = KERNELS[0] if chosen.get("maintenance") == "merge" else KERNELS[number % 5]
    if "kernel" in chosen:
        kernel = {}
    weighted = number // 3 % 2 == 1
    return {**chosen, **kernel, "weighted": weighted, "seed": seed + number}


def name_of(case):
    """A test's name: all options but the number of the stream."""
    return "-".join(f"{key}={value}" for key, value in case.items() if key != "seed")


def model_and_oracle(case, model, oracle):
    """Both with the options of a case that are not about its stream, and with the same random draws."""
    options = {key: value for key, value in case.items() if key not in ABOUT_THE_STREAM}
    drawn = case["budget"] and iter(list(itertools.islice(draws(case["seed"], case["budget"]), N_TRAIN)))
    return model(**options, seed=case["seed"]), oracle(**options, draw=drawn)


def stream(n_classes, seed, n_features=N_FEATURES):
    """Overlapping clusters; every sixth row repeats an earlier one, every sixth comes 1e-3 beside one.

    Two fifths of the repeated rows get a label of their own.
    """
    rng = np.random.default_rng(seed)
    n = N_TRAIN + N_TEST
    centres = 1.1 * rng.normal(size=(2 * n_classes, n_features))
    y = rng.integers(0, n_classes, n)
    x = centres[y + n_classes * rng.integers(0, 2, n)] + 0.8 * rng.normal(size=(n, n_features))
    own = rng.integers(0, n_classes, n)
    for i, j in repeat(x, rng):
        y[i] = y[j] if rng.uniform() < 0.6 else own[i]
    y[:n_classes] = np.arange(n_classes)
    return x, y


def targets(seed, n_features=N_FEATURES):
    """Regression: a wave and noise, with repeated rows as above; two fifths of them higher or lower."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N_TRAIN + N_TEST, n_features))
    y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=len(x))
    for i, j in repeat(x, rng):
        y[i] = y[j] + (0.0 if rng.uniform() < 0.6 else rng.normal())
    return x, y


def repeat(x, rng):
    """Makes some rows copies of rows at most 60 before, or near copies, and gives the two indices."""
    for i in range(10, N_TRAIN):
        kind = rng.integers(0, 6)
        if kind < 2:
            j = rng.integers(max(0, i - 60), i)
            x[i] = x[j] + kind * 1e-3 * rng.normal(size=x.shape[1])
            yield i, j


def weights_of(case):
    rng = np.random.default_rng(case["seed"])
    return rng.choice([0.0, 0.5, 1.0, 1.0, 2.5], size=N_TRAIN) if case["weighted"] else np.ones(N_TRAIN)


def learn_decided(oracle, x, y, weights):
    """The reference after all rows that it decides clearly, and which they are."""
    kept = []
    for i in range(len(x)):
        after = copy.deepcopy(oracle)
        after.closest = {}
        after.learn_one(x[i], y[i], weights[i])
        clear = all(gap > CLEAR.get(kind, CLEAR_ELSE) for kind, gap in after.closest.items())
        if clear and after.worst_condition < CONDITION:
            oracle = after
            kept.append(i)
    return oracle, kept


def assert_agrees(model, oracle, found, expected):
    assert model.n_updates_ == oracle.n_updates
    assert model.n_support_vectors_ == oracle.n_support_vectors
    assert found.shape == expected.shape
    assert abs(found - expected).max() <= 1e-6 * abs(expected).max()
    degradation = oracle.mean_weight_degradation
    assert model.mean_weight_degradation_ == pytest.approx(degradation, rel=1e-6, abs=1e-6)


def assert_same_predictions(model, oracle, x):
    """Equal labels but where the best two scores are equal to rounding; gives the share of the others."""
    scores = oracle.raw(x) if oracle.n_classes > 2 else np.pad(oracle.raw(x), [(0, 0), (1, 0)])
    leading = np.sort(scores)[:, -2:]
    terms = np.array([oracle.terms(row).max() for row in x])
    clear = (leading[:, 1] - leading[:, 0] > CLEAR_ELSE * terms) | (terms == 0.0)
    assert (model.predict(x) == oracle.predict(x))[clear].all()
    return clear.mean()


def assert_same_expansion(model, oracle):
    """The same vectors, in order of age, with the same coefficients."""
    assert model.n_support_vectors_ == len(oracle.vectors)
    if not oracle.vectors:
        return
    vectors, coefficients = np.array(oracle.vectors), np.array(oracle.rows).T
    np.testing.assert_allclose(model.support_vectors_, vectors, rtol=0, atol=1e-6 * abs(vectors).max())
    largest = abs(coefficients).max()
    np.testing.assert_allclose(model.dual_coef_, coefficients, rtol=0, atol=1e-6 * max(largest, 1.0))
