"""Passive-aggressive regression in float64 against the slow reference implementation, example for example.

Tolerances as in test_oracle.py: 1e-6 of the largest score, equal counts.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from budgetrs import Regressor
from oracle_pa import PassiveAggressiveRegression
from recorded import recorded
from streams_pa import (
    BITS,
    CAPS,
    GENERIC,
    N_TRAIN,
    VARIANTS,
    after_parts,
    after_rows,
    assert_agrees,
    assert_same_expansion,
    draws_of,
    name_of,
    options_of,
    options_of_model,
    scores_of,
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


def model_of(case):
    return Regressor("pa", loss="epsilon_insensitive", **options_of_model(case), seed=case["seed"])


def oracle_of(case):
    return PassiveAggressiveRegression(**options_of_model(case), draw=draws_of(case))


@recorded([(case,) for case in CASES], BITS)
def expected_after_parts(case):
    return after_parts(oracle_of(case), *targets(case["seed"]), weights_of(case))[0]


@recorded([(case,) for case in CASES if case["budget"] == 5], BITS)
def expected_after_rows(case):
    return after_rows(oracle_of(case), *targets(case["seed"]), weights_of(case))


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    (x, y), weights = targets(case["seed"]), weights_of(case)
    model, tested = model_of(case), x[N_TRAIN:]
    for expected in expected_after_parts(case):
        model.learn(x[expected.rows], y[expected.rows], sample_weight=weights[expected.rows])
        assert_agrees(model, expected, model.predict(tested[: len(expected.scores)]), expected.scores)


@pytest.mark.parametrize("case", [case for case in CASES if case["budget"] == 5], ids=name_of)
def test_agrees_after_every_example(case):
    """A difference shows at the example that makes it; support vectors and coefficients are compared too."""
    (x, y), weights = targets(case["seed"]), weights_of(case)
    model, tested = model_of(case), x[N_TRAIN:]
    for expected in expected_after_rows(case):
        model.learn(x[expected.rows], y[expected.rows], sample_weight=weights[expected.rows])
        assert_agrees(model, expected, model.predict(tested), scores_of(case, expected, tested))
        assert_same_expansion(model, expected)


def test_by_hand():
    # |y - f| - epsilon = 3/2: tau = min(1, 3/2). At t: f = 1, y - f = -2, H = 3/2, tau = 3/4; half of the old
    # row goes to t, and f(t) = -1/2 is epsilon away from y.
    model = Regressor("bpa-s", loss="epsilon_insensitive", epsilon=0.5, C=1.0, kernel="linear", budget=1)
    model.learn(np.array([[1.0, 0.0], [1.0, 1.0]]), [2.0, -1.0])
    assert model.support_vectors_.tolist() == [[1.0, 1.0]]
    assert model.dual_coef_.tolist() == [[-0.25]]
    assert model.predict(np.array([[1.0, 1.0]])).tolist() == [-0.5]
