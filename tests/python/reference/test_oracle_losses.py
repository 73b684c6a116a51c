"""SGD with every loss in float64 against the slow reference implementation.

Tolerances as in test_oracle.py: 1e-6 of the largest score, equal counts.
"""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from oracle_losses import DescentOracle
from streams_pa import (
    GENERIC,
    KERNELS,
    N_TRAIN,
    assert_agrees,
    learn_decided,
    model_and_oracle,
    name_of,
    options_of,
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


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    weights = weights_of(case)
    if "n_classes" in case:
        x, y = stream(case["n_classes"], case["seed"])
        classes = list(range(case["n_classes"]))
        native, oracle = partial(Classifier, "pegasos", classes=classes), partial(DescentOracle, len(classes))
        answers = "decision_function"
    else:
        x, y = targets(case["seed"])
        native, oracle = partial(Regressor, "pegasos"), partial(DescentOracle, 2)
        answers = "predict"
    model, oracle = model_and_oracle(case, native, oracle)
    n_kept = 0
    for part in np.array_split(np.arange(N_TRAIN), 5):
        oracle, kept = learn_decided(oracle, x[part], y[part], weights[part])
        rows = part[kept]
        n_kept += len(rows)
        model.learn(x[rows], y[rows], sample_weight=weights[rows])
        found, expected = getattr(model, answers)(x[N_TRAIN:]), oracle.decision_function(x[N_TRAIN:])
        assert_agrees(model, oracle, found, expected)
    assert n_kept > 0.8 * N_TRAIN
    assert case["maintenance"] in ("none", "stop") or oracle.n_updates > case["budget"] + 10
    if "n_classes" in case:
        scores = oracle.decision_function(x[N_TRAIN:])
        scores = np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        expected = powers / powers.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(x[N_TRAIN:]), expected, atol=1e-5)
