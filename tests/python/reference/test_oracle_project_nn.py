"""Projection on neighbours under the other update rules in float64 against the slow reference.

Under gradient descent: test_oracle_nbsgd.py. Tolerances as in test_oracle.py.
"""

from __future__ import annotations

import itertools

import pytest

from budgetrs import Classifier, Regressor
from oracle_mira import Mira
from oracle_nearest import Neighbours
from oracle_ogd import GradientDescent
from oracle_pa import PassiveAggressive, PassiveAggressiveRegression
from oracle_perceptron import Perceptron
from recorded import recorded
from streams_pa import (
    BITS,
    N_TRAIN,
    after_parts,
    assert_agrees,
    name_of,
    options_of,
    options_of_model,
    stream,
    targets,
    weights_of,
)

SEED = 2900
RULES = {
    "perceptron": Perceptron,
    "mira": Mira,
    "bogd": GradientDescent,
    "pa": PassiveAggressive,
    "pa-ramp": PassiveAggressive,
    "regression": PassiveAggressiveRegression,
}


def cases():
    for number, (name, k) in enumerate(itertools.product(RULES, (None, 1, 3))):
        chosen = {"name": name, "maintenance": "project-nn", "budget": (5, 12)[number % 2]}
        if name != "regression":
            chosen["n_classes"] = (2, 3)[number // 2 % 2]
        yield options_of(number, SEED, **chosen, **({} if k is None else {"n_neighbors": k}))


CASES = list(cases())


def regresses(case):
    return case["name"] == "regression"


def data_of(case):
    return targets(case["seed"]) if regresses(case) else stream(case["n_classes"], case["seed"])


def model_of(case):
    options = options_of_model(case, "name")
    if regresses(case):
        return Regressor("pa", loss="epsilon_insensitive", **options)
    return Classifier(case["name"], classes=list(range(case["n_classes"])), **options)


@recorded([(case,) for case in CASES], BITS)
def expected_after_parts(case):
    options = options_of_model(case, "name")
    rule = type("Rule", (Neighbours, RULES[case["name"]]), {})
    loss = {"loss": "ramp"} if case["name"] == "pa-ramp" else {}
    oracle = rule(epsilon=0.1, **options) if regresses(case) else rule(case["n_classes"], **loss, **options)
    steps, oracle = after_parts(oracle, *data_of(case), weights_of(case))
    assert oracle.n_maintenances > 20
    return steps


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    (x, y), weights = data_of(case), weights_of(case)
    model, tested = model_of(case), x[N_TRAIN:]
    scores = model.predict if regresses(case) else model.decision_function
    for expected in expected_after_parts(case):
        model.learn(x[expected.rows], y[expected.rows], sample_weight=weights[expected.rows])
        assert_agrees(model, expected, scores(tested[: len(expected.scores)]), expected.scores)
        assert regresses(case) or model.n_mistakes_ == expected.n_mistakes
