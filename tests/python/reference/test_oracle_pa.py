"""Passive-aggressive classifiers in float64 against the slow reference implementation, example for example.

Tolerances as in test_oracle.py: 1e-6 of the largest score, equal counts.
"""

from __future__ import annotations

import itertools

import pytest

from budgetrs import Classifier
from oracle_pa import PassiveAggressive
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
    stream,
    weights_of,
)

SEED = 300
LOSSES = ("hinge", "ramp", "squared_hinge")


def cases():
    joint = [(variant, (1, 2, 5, 20)) for variant in VARIANTS]
    generic = [({"maintenance": name}, (None,) if name == "none" else (1, 5, 20)) for name in GENERIC]
    numbers = itertools.count()
    for (variant, budgets), loss in itertools.product(joint + generic, LOSSES):
        for budget in budgets:
            number = next(numbers)
            n_classes = (2, 3, 5)[number % 3]
            chosen = {"loss": loss, "budget": budget, "n_classes": n_classes, "C": CAPS[number % 7]}
            yield options_of(number, SEED, **variant, **chosen)


CASES = list(cases())


def model_of(case):
    classes = list(range(case["n_classes"]))
    return Classifier("pa", classes=classes, **options_of_model(case), seed=case["seed"])


def oracle_of(case):
    return PassiveAggressive(case["n_classes"], **options_of_model(case), draw=draws_of(case))


@recorded([(case,) for case in CASES], BITS)
def expected_after_parts(case):
    (x, y), weights = stream(case["n_classes"], case["seed"]), weights_of(case)
    return after_parts(oracle_of(case), x, y, weights, PassiveAggressive.predict)[0]


@recorded([(case,) for case in CASES if case["budget"] == 5], BITS)
def expected_after_rows(case):
    return after_rows(oracle_of(case), *stream(case["n_classes"], case["seed"]), weights_of(case))


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    (x, y), weights = stream(case["n_classes"], case["seed"]), weights_of(case)
    model, tested = model_of(case), x[N_TRAIN:]
    for expected in expected_after_parts(case):
        model.learn(x[expected.rows], y[expected.rows], sample_weight=weights[expected.rows])
        few = tested[: len(expected.scores)]
        assert_agrees(model, expected, model.decision_function(few), expected.scores)
        assert model.n_mistakes_ == expected.n_mistakes
        assert (model.predict(few) == expected.labels).all()


@pytest.mark.parametrize("case", [case for case in CASES if case["budget"] == 5], ids=name_of)
def test_agrees_after_every_example(case):
    """A difference shows at the example that makes it; support vectors and coefficients are compared too."""
    (x, y), weights = stream(case["n_classes"], case["seed"]), weights_of(case)
    model, tested = model_of(case), x[N_TRAIN:]
    for expected in expected_after_rows(case):
        model.learn(x[expected.rows], y[expected.rows], sample_weight=weights[expected.rows])
        assert_agrees(model, expected, model.decision_function(tested), scores_of(case, expected, tested))
        assert_same_expansion(model, expected)
