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

from budgetrs import Regressor
from oracle import draws, kernel_matrix

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
# What is read from the file is rounded to BITS binary places below the largest value.
BITS = 32
TOLERANCE = 1e-6 - 2**-BITS


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


def options_of_model(case, *without):
    """The options of a case that are not about its stream."""
    return {key: value for key, value in case.items() if key not in (*ABOUT_THE_STREAM, *without)}


def draws_of(case):
    """The random draws of the model."""
    return case["budget"] and iter(list(itertools.islice(draws(case["seed"], case["budget"]), N_TRAIN)))


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


def counts(oracle):
    names = ("n_updates", "n_mistakes", "n_support_vectors", "n_maintenances", "mean_weight_degradation")
    return {name: getattr(oracle, name) for name in names}


def after_parts(oracle, x, y, weights, labels=None):
    """What is compared after each part of the rows; `rows` are those that the reference decides.

    Fewer scores are kept of the earlier parts; a model that differs does so nearly everywhere.
    """
    steps, parts = [], np.array_split(np.arange(N_TRAIN), 5)
    for part in parts:
        oracle, kept = learn_decided(oracle, x[part], y[part], weights[part])
        tested = x[N_TRAIN:] if part is parts[-1] else x[N_TRAIN : N_TRAIN + 25]
        steps.append({"rows": part[kept], "scores": oracle.decision_function(tested), **counts(oracle)})
        if labels:
            steps[-1]["labels"] = labels(oracle, tested)
    assert sum(len(step["rows"]) for step in steps) > 0.8 * N_TRAIN
    assert oracle.maintenance in ("none", "stop") or oracle.n_updates > (oracle.budget or 10) + 10
    return steps, oracle


def served_after_parts(oracle, x, y, weights, tested):
    """The same of a model with an average: the vectors, coefficients and scores of the one that predicts."""
    steps, parts = [], np.array_split(np.arange(len(x)), 4)
    for part in parts:
        oracle, kept = learn_decided(oracle, x[part], y[part], weights[part])
        scores = oracle.served_scores(tested if part is parts[-1] else tested[:15])
        vectors, coefficients = map(np.array, oracle.served())
        scores = scores[:, 0] if scores.shape[1] == 1 else scores
        step = {"rows": part[kept], "scores": scores, "vectors": vectors, "coefficients": coefficients}
        steps.append({**step, **counts(oracle)})
    assert sum(len(step["rows"]) for step in steps) > 0.8 * len(x)
    assert oracle.maintenance in ("none", "stop") or oracle.n_maintenances > 10
    return steps, oracle


def after_rows(oracle, x, y, weights, n_rows=80):
    """What is compared after each of the first rows that the reference decides."""
    steps = []
    for t in range(n_rows):
        row = slice(t, t + 1)
        oracle, kept = learn_decided(oracle, x[row], y[row], weights[row])
        if kept and weights[t]:
            vectors, rows = np.array(oracle.vectors), np.array(oracle.rows)
            steps.append({"rows": np.array([t]), "vectors": vectors, "coefficients": rows, **counts(oracle)})
    return steps


def scores_of(case, step, x):
    """The scores of a kernel expansion."""
    if not len(step.vectors):
        return np.zeros((len(x), case["n_classes"]) if case.get("n_classes", 2) > 2 else len(x))
    options = {name: case[name] for name in ("gamma", "degree", "coef0", "alpha_rq") if name in case}
    scores = kernel_matrix(case.get("kernel", "rbf"), x, step.vectors, **options) @ step.coefficients
    return scores[:, 0] if scores.shape[1] == 1 else scores


def assert_agrees(model, expected, found, scores):
    assert model.n_updates_ == expected.n_updates
    assert model.n_support_vectors_ == expected.n_support_vectors
    assert found.shape == scores.shape
    assert abs(found - scores).max() <= TOLERANCE * abs(scores).max()
    degradation = expected.mean_weight_degradation
    assert model.mean_weight_degradation_ == pytest.approx(degradation, rel=1e-6, abs=1e-6)


def assert_same(model, expected, tested, exact=True):
    """The counts of the last model, and the vectors, coefficients and scores of the one that predicts."""
    regresses = isinstance(model, Regressor)
    few = tested[: len(expected.scores)]
    found = model.predict(few) if regresses else model.decision_function(few)
    assert model.n_updates_ == expected.n_updates
    assert regresses or model.n_mistakes_ == expected.n_mistakes
    assert model.n_maintenances_ == expected.n_maintenances
    assert found.shape == expected.scores.shape
    assert abs(found - expected.scores).max() <= TOLERANCE * abs(expected.scores).max()
    assert_same_expansion(model, expected, exact)


def assert_same_expansion(model, expected, exact=True):
    """The same vectors, in order of age, with the same coefficients."""
    vectors, coefficients = expected.vectors, expected.coefficients.T
    assert model.n_support_vectors_ == len(vectors)
    if not len(vectors):
        return
    tolerance = TOLERANCE if exact else 1e-3 - 2**-BITS
    np.testing.assert_allclose(model.support_vectors_, vectors, rtol=0, atol=TOLERANCE * abs(vectors).max())
    largest = abs(coefficients).max()
    np.testing.assert_allclose(model.dual_coef_, coefficients, rtol=0, atol=tolerance * max(largest, 1.0))
