"""SGD with every loss in float64 against the slow reference implementation.

Tolerances as in test_oracle.py: 1e-6 of the largest score, equal counts.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from oracle_losses import DescentOracle
from recorded import recorded
from streams_pa import (
    BITS,
    GENERIC,
    KERNELS,
    N_TRAIN,
    after_parts,
    assert_agrees,
    draws_of,
    name_of,
    options_of,
    options_of_model,
    stream,
    targets,
    weights_of,
)

SEED = 1500
SETTINGS = (
    {"loss": "log_loss", "grad_tol": 0.02, "alpha": 0.03},
    {"loss": "squared_error", "project_to_ball": True, "alpha": 0.05},
    {"loss": "log_loss", "alpha": 0.01, "project_to_ball": True},
    {"loss": "absolute_error", "alpha": 0.02},
    {"loss": "epsilon_insensitive", "epsilon": 0.2, "alpha": 0.01},
    {"loss": "huber", "delta": 0.4, "alpha": 0.03},
    {"loss": "squared_error", "alpha": 2.0},
    {"loss": "quantile", "quantile": 0.8, "alpha": 0.02},
)


def cases():
    numbers = itertools.count()
    for maintenance, setting in itertools.product(GENERIC, SETTINGS):
        number = next(numbers)
        budget = None if maintenance == "none" else (5, 20)[number % 2]
        more = {"n_classes": (2, 3, 5)[number // 8 % 3]} if setting["loss"] == "log_loss" else {}
        if maintenance.startswith("project") and budget == 20:
            # Steep enough that the condition of its systems stays in bounds.
            more |= KERNELS[1]
        yield options_of(number, SEED, maintenance=maintenance, budget=budget, **setting, **more)


CASES = list(cases())


def classifies(case):
    return "n_classes" in case


def data_of(case):
    return stream(case["n_classes"], case["seed"]) if classifies(case) else targets(case["seed"])


@recorded([(case,) for case in CASES], BITS)
def expected_after_parts(case):
    oracle = DescentOracle(case.get("n_classes", 2), **options_of_model(case), draw=draws_of(case))
    return after_parts(oracle, *data_of(case), weights_of(case))[0]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    (x, y), weights = data_of(case), weights_of(case)
    options = {**options_of_model(case), "seed": case["seed"]}
    if classifies(case):
        model = Classifier("pegasos", classes=list(range(case["n_classes"])), **options)
        scores = model.decision_function
    else:
        model = Regressor("pegasos", **options)
        scores = model.predict
    tested = x[N_TRAIN:]
    for expected in expected_after_parts(case):
        model.learn(x[expected.rows], y[expected.rows], sample_weight=weights[expected.rows])
        assert_agrees(model, expected, scores(tested[: len(expected.scores)]), expected.scores)
    if classifies(case):
        scores = expected.scores
        scores = np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities = powers / powers.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(tested), probabilities, atol=1e-5 - 2**-20)
