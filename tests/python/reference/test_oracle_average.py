"""Averages of the rules beside SGD in float64 against the slow reference, which keeps every model.

Tolerances as in test_oracle.py: 1e-6 of the largest score, equal counts. SGD is in test_oracle_nbsgd.py.
"""

from __future__ import annotations

import itertools

import pytest

from budgetrs import Classifier, Regressor
from oracle_average import Averaged
from oracle_mira import Mira
from oracle_ogd import GradientDescent
from oracle_pa import PassiveAggressive, PassiveAggressiveRegression
from oracle_perceptron import Perceptron, Projectron
from recorded import recorded
from streams_pa import (
    BITS,
    GENERIC,
    KERNELS,
    VARIANTS,
    assert_same,
    name_of,
    options_of_model,
    served_after_parts,
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
MARGIN_STRATEGIES = ("margin", "distill")
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
        "mira": [*generic, *({"maintenance": name} for name in MARGIN_STRATEGIES)],
        "perceptron": [*generic, *({"maintenance": name} for name in MARGIN_STRATEGIES)],
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


def model_of(case):
    options = {**options_of_model(case, "rule"), "seed": case["seed"]}
    if regresses(case):
        return Regressor("pa", loss="epsilon_insensitive", **options)
    return Classifier(case["rule"], classes=list(range(case["n_classes"])), **options)


def oracle_of(case):
    options = {**options_of_model(case, "rule"), "seed": case["seed"]}
    if regresses(case):
        return AveragedRegression(**options)
    return ORACLES[case["rule"]](case["n_classes"], **options)


@recorded([(case,) for case in CASES], BITS)
def expected_after_parts(case):
    x, y, weights, tested = data_of(case)
    steps, oracle = served_after_parts(oracle_of(case), x, y, weights, tested)
    # The average is another model than the last one, unless a full model refuses all newcomers.
    last = oracle.raw(tested)
    differs = abs(oracle.served_scores(tested) - last).max() > 1e-3 * abs(last).max()
    assert differs or case["maintenance"] == "stop" or case.get("may_discard_new")
    return steps


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    x, y, weights, tested = data_of(case)
    model = model_of(case)
    for expected in expected_after_parts(case):
        model.learn(x[expected.rows], y[expected.rows], sample_weight=weights[expected.rows])
        assert_same(model, expected, tested)
        # What is read from a file goes on.
        model = type(model).from_bytes(model.to_bytes())
        assert_same(model, expected, tested)
