"""Passive-aggressive classifiers in float64 against the slow reference implementation, example for example.

Tolerances as in test_oracle.py: 1e-6 of the largest score, equal counts.
"""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest

from budgetrs import Classifier
from oracle_pa import PassiveAggressive
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


def pair_of(case):
    classes = list(range(case["n_classes"]))
    model = partial(Classifier, "pa", classes=classes)
    return model_and_oracle(case, model, partial(PassiveAggressive, len(classes)))


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    (x, y), weights = stream(case["n_classes"], case["seed"]), weights_of(case)
    model, oracle = pair_of(case)
    n_kept = 0
    for part in np.array_split(np.arange(N_TRAIN), 5):
        oracle, kept = learn_decided(oracle, x[part], y[part], weights[part])
        rows = part[kept]
        n_kept += len(rows)
        model.learn(x[rows], y[rows], sample_weight=weights[rows])
        found, expected = model.decision_function(x[N_TRAIN:]), oracle.decision_function(x[N_TRAIN:])
        assert_agrees(model, oracle, found, expected)
        assert model.n_mistakes_ == oracle.n_mistakes
        assert (model.predict(x[N_TRAIN:]) == oracle.predict(x[N_TRAIN:])).all()
    assert n_kept > 0.8 * N_TRAIN
    assert case["maintenance"] in ("none", "stop") or oracle.n_updates > case["budget"] + 10


@pytest.mark.parametrize("case", [case for case in CASES if case["budget"] == 5], ids=name_of)
def test_agrees_after_every_example(case):
    """A difference shows at the example that makes it; support vectors and coefficients are compared too."""
    (x, y), weights = stream(case["n_classes"], case["seed"]), weights_of(case)
    model, oracle = pair_of(case)
    for t in range(80):
        row = slice(t, t + 1)
        oracle, kept = learn_decided(oracle, x[row], y[row], weights[row])
        if kept and weights[t]:
            model.learn(x[row], y[row], sample_weight=weights[row])
            found, expected = model.decision_function(x[N_TRAIN:]), oracle.decision_function(x[N_TRAIN:])
            assert_agrees(model, oracle, found, expected)
            assert_same_expansion(model, oracle)
