"""Passive-aggressive regression in float64 against the slow reference implementation, example for example.

Tolerances as in test_oracle.py: 1e-6 of the largest score, equal counts.
"""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest

from budgetrs import Regressor
from oracle_pa import PassiveAggressiveRegression
from streams_pa import (
    CAPS,
    GENERIC,
    N_TRAIN,
    VARIANTS,
    assert_agrees,
    assert_same_expansion,
    learn_decided,
    model_and_oracle,
    name_of,
    options_of,
    targets,
    weights_of,
)

SEED = 700


def cases():
    joint = [(variant, (1, 2, 5, 20)) for variant in VARIANTS]
    generic = [({"maintenance": name}, (None,) if name == "none" else (5, 20)) for name in GENERIC]
    numbers = itertools.count()
    for variant, budgets in joint + generic:
        for budget in budgets:
            number = next(numbers)
            epsilon = (0.1, 0.3, 0.03)[number % 3]
            chosen = {"budget": budget, "epsilon": epsilon, "C": CAPS[number % 7]}
            yield options_of(number, SEED, **variant, **chosen)


CASES = list(cases())


def pair_of(case):
    model = partial(Regressor, "pa", loss="epsilon_insensitive")
    return model_and_oracle(case, model, PassiveAggressiveRegression)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    (x, y), weights = targets(case["seed"]), weights_of(case)
    model, oracle = pair_of(case)
    n_kept = 0
    for part in np.array_split(np.arange(N_TRAIN), 5):
        oracle, kept = learn_decided(oracle, x[part], y[part], weights[part])
        rows = part[kept]
        n_kept += len(rows)
        model.learn(x[rows], y[rows], sample_weight=weights[rows])
        assert_agrees(model, oracle, model.predict(x[N_TRAIN:]), oracle.predict(x[N_TRAIN:]))
    assert n_kept > 0.8 * N_TRAIN
    assert case["maintenance"] in ("none", "stop") or oracle.n_updates > case["budget"] + 10


@pytest.mark.parametrize("case", [case for case in CASES if case["budget"] == 5], ids=name_of)
def test_agrees_after_every_example(case):
    """A difference shows at the example that makes it; support vectors and coefficients are compared too."""
    (x, y), weights = targets(case["seed"]), weights_of(case)
    model, oracle = pair_of(case)
    for t in range(80):
        row = slice(t, t + 1)
        oracle, kept = learn_decided(oracle, x[row], y[row], weights[row])
        if kept and weights[t]:
            model.learn(x[row], y[row], sample_weight=weights[row])
            assert_agrees(model, oracle, model.predict(x[N_TRAIN:]), oracle.predict(x[N_TRAIN:]))
            assert_same_expansion(model, oracle)


def test_by_hand():
    # |y - f| - epsilon = 3/2: tau = min(1, 3/2). At t: f = 1, y - f = -2, H = 3/2, tau = 3/4; half of the old
    # row goes to t, and f(t) = -1/2 is epsilon away from y.
    model = Regressor("bpa-s", loss="epsilon_insensitive", epsilon=0.5, C=1.0, kernel="linear", budget=1)
    model.learn(np.array([[1.0, 0.0], [1.0, 1.0]]), [2.0, -1.0])
    assert model.support_vectors_.tolist() == [[1.0, 1.0]]
    assert model.dual_coef_.tolist() == [[-0.25]]
    assert model.predict(np.array([[1.0, 1.0]])).tolist() == [-0.5]
