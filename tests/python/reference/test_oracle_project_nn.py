"""Projection on neighbours under the other update rules in float64 against the slow reference.

Under gradient descent: test_oracle_nbsgd.py. Tolerances as in test_oracle.py.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from oracle_mira import Mira
from oracle_nearest import Neighbours
from oracle_ogd import GradientDescent
from oracle_pa import PassiveAggressive, PassiveAggressiveRegression
from oracle_perceptron import Perceptron
from streams_pa import (
    ABOUT_THE_STREAM,
    N_TRAIN,
    assert_agrees,
    learn_decided,
    name_of,
    options_of,
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


def pair_of(case):
    options = {key: value for key, value in case.items() if key not in (*ABOUT_THE_STREAM, "name")}
    rule = type("Rule", (Neighbours, RULES[case["name"]]), {})
    if case["name"] == "regression":
        model = Regressor("pa", loss="epsilon_insensitive", **options)
        return model, rule(epsilon=0.1, **options)
    classes = range(case["n_classes"])
    loss = {"loss": "ramp"} if case["name"] == "pa-ramp" else {}
    return Classifier(case["name"], classes=list(classes), **options), rule(len(classes), **loss, **options)


@pytest.mark.parametrize("case", list(cases()), ids=name_of)
def test_agrees_with_the_oracle(case):
    regression = case["name"] == "regression"
    x, y = targets(case["seed"]) if regression else stream(case["n_classes"], case["seed"])
    weights, n_kept = weights_of(case), 0
    model, oracle = pair_of(case)
    for part in np.array_split(np.arange(N_TRAIN), 5):
        oracle, kept = learn_decided(oracle, x[part], y[part], weights[part])
        rows = part[kept]
        n_kept += len(rows)
        model.learn(x[rows], y[rows], sample_weight=weights[rows])
        if regression:
            assert_agrees(model, oracle, model.predict(x[N_TRAIN:]), oracle.predict(x[N_TRAIN:]))
        else:
            found, expected = model.decision_function(x[N_TRAIN:]), oracle.decision_function(x[N_TRAIN:])
            assert_agrees(model, oracle, found, expected)
            assert model.n_mistakes_ == oracle.n_mistakes
    assert n_kept > 0.8 * N_TRAIN
    assert oracle.n_maintenances > 20
