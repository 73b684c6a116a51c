"""Averages of the rules beside SGD in float64 against the slow reference, which keeps every model.

Tolerances as in test_oracle.py: 1e-6 of the largest score, equal counts. SGD is in test_oracle_nbsgd.py.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from oracle_average import Averaged
from oracle_mira import Mira
from oracle_ogd import GradientDescent
from oracle_pa import PassiveAggressive, PassiveAggressiveRegression
from oracle_perceptron import Perceptron, Projectron
from streams_pa import (
    ABOUT_THE_STREAM,
    GENERIC,
    KERNELS,
    VARIANTS,
    learn_decided,
    name_of,
    stream,
    targets,
    weights_of,
)

N_LEARN, N_MERGE, N_TEST = 160, 100, 60  # the reference of merging is the slowest
SEED = 4400
AVERAGES = (
    {"average": True},
    {"average": "polynomial"},
    {"average": "random"},
    {"average": 0.25, "stream_length": N_LEARN},
    {"average": 1.0},
    {"average": "random", "stream_length": N_LEARN},
)
CACHES = ("margin", "distill")
SETTINGS = {
    "pa": ({}, {"loss": "ramp", "C": 0.4}, {"loss": "squared_hinge"}, {"C": 0.1}),
    "pa-regression": ({"epsilon": 0.2}, {"C": 0.3}),
    "mira": ({}, {"margin": 0.5, "C": 0.4}, {"margin": 1.0}),
    "perceptron": ({}, {"margin": 0.3}),
    "forgetron": ({},),
    "projectron": ({"eta": 0.6}, {}),
    "bogd": ({"alpha": 0.1}, {"eta0": 0.5, "alpha": 0.02}),
}


class AveragedPassiveAggressive(Averaged, PassiveAggressive): ...


class AveragedRegression(Averaged, PassiveAggressiveRegression): ...


class AveragedMira(Averaged, Mira): ...


class AveragedPerceptron(Averaged, Perceptron): ...


class AveragedProjectron(Averaged, Projectron): ...


class AveragedGradientDescent(Averaged, GradientDescent): ...


ORACLES = {
    "pa": AveragedPassiveAggressive,
    "mira": AveragedMira,
    "perceptron": AveragedPerceptron,
    "forgetron": AveragedPerceptron,
    "projectron": AveragedProjectron,
    "bogd": AveragedGradientDescent,
}


def strategies(rule):
    """The strategies of a rule, with what they choose themselves."""
    generic = [{"maintenance": name} for name in (*GENERIC, "merge-newest")]
    return {
        "pa": [*VARIANTS, *generic],
        "pa-regression": [*VARIANTS, *generic],
        "mira": [*generic, *({"maintenance": name} for name in CACHES)],
        "perceptron": [*generic, *({"maintenance": name} for name in CACHES)],
        "forgetron": [{"maintenance": "forgetron"}],
        "projectron": [{"maintenance": "projectron"}, {"maintenance": "projectron++"}],
        "bogd": [{"maintenance": "bogd"}, *generic],
    }[rule]


def cases():
    """Every rule with every strategy; those of one rule alone and merging meet every average."""
    number = itertools.count()
    for rule, settings in SETTINGS.items():
        for strategy in strategies(rule):
            name = strategy["maintenance"]
            all_of_them = name not in GENERIC or name == "merge"
            for offset in range(6 if all_of_them else 2):
                i = next(number)
                average = AVERAGES[(i if all_of_them else 3 * offset + i) % 6]
                steep = name in ("project", "project-best", "projectron", "projectron++")
                merges = name.startswith("merge")
                kernel = KERNELS[0] if merges else KERNELS[1] if steep else KERNELS[(0, 1, 2, 4)[i % 4]]
                yield {
                    "rule": rule,
                    "budget": None if name == "none" else (5, 10)[i % 2],
                    "n_classes": (2, 3, 5)[i // 2 % 3],
                    **strategy,
                    **settings[(i + i // 6) % len(settings)],
                    **kernel,
                    **average,
                    "weighted": i // 3 % 2 == 1,
                    "seed": SEED + i,
                }


CASES = list(cases())


def regresses(case):
    return case["rule"] == "pa-regression"


def data_of(case):
    x, y = targets(case["seed"]) if regresses(case) else stream(case["n_classes"], case["seed"])
    n = N_MERGE if case["maintenance"].startswith("merge") else N_LEARN
    return x[:n], y[:n], weights_of(case)[:n], x[-N_TEST:]


def model_and_oracle(case):
    options = {key: value for key, value in case.items() if key not in (*ABOUT_THE_STREAM, "rule")}
    options["seed"] = case["seed"]
    if regresses(case):
        return Regressor("pa", loss="epsilon_insensitive", **options), AveragedRegression(**options)
    classes = list(range(case["n_classes"]))
    return Classifier(case["rule"], classes=classes, **options), ORACLES[case["rule"]](
        len(classes), **options
    )


def assert_same(model, oracle, case, x_test):
    """The counts of the last model, and the vectors, coefficients and scores of the one that predicts."""
    found = model.predict(x_test) if regresses(case) else model.decision_function(x_test)
    expected, (vectors, rows) = oracle.served_scores(x_test), oracle.served()
    expected = expected[:, 0] if expected.shape[1] == 1 else expected
    told = f"closest decisions: {oracle.closest}, condition {oracle.worst_condition:.1e}"
    assert model.n_updates_ == oracle.n_updates, told
    assert regresses(case) or model.n_mistakes_ == oracle.n_mistakes, told
    assert model.n_maintenances_ == oracle.n_maintenances, told
    assert model.n_support_vectors_ == len(vectors), told
    assert found.shape == expected.shape
    assert abs(found - expected).max() <= 1e-6 * abs(expected).max(), told
    if vectors:
        largest = max(abs(rows).max(), 1.0)
        np.testing.assert_allclose(model.support_vectors_, vectors, rtol=0, atol=1e-6 * np.abs(vectors).max())
        np.testing.assert_allclose(model.dual_coef_, rows.T, rtol=0, atol=1e-6 * largest)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    x, y, weights, x_test = data_of(case)
    model, oracle = model_and_oracle(case)
    n_kept = 0
    for part in np.array_split(np.arange(len(x)), 4):
        oracle, kept = learn_decided(oracle, x[part], y[part], weights[part])
        rows = part[kept]
        n_kept += len(rows)
        model.learn(x[rows], y[rows], sample_weight=weights[rows])
        assert_same(model, oracle, case, x_test)
        # What is read from a file goes on.
        model = type(model).from_bytes(model.to_bytes())
        assert_same(model, oracle, case, x_test)
    assert n_kept > 0.8 * len(x)
    assert case["maintenance"] in ("none", "stop") or oracle.n_maintenances > 10
    # The average is another model than the last one, unless a full model refuses all newcomers.
    last = oracle.raw(x_test)
    differs = abs(oracle.served_scores(x_test) - last).max() > 1e-3 * abs(last).max()
    assert differs or case["maintenance"] == "stop" or case.get("may_discard_new")
