"""Rates of maintenance, projection on neighbours and averages in float64 against the slow reference.

Tolerances as in test_oracle.py: 1e-6 of the largest score, equal counts.
"""

from __future__ import annotations

import itertools

import pytest

from budgetrs import Classifier, Regressor
from oracle_nbsgd import Nonparametric
from recorded import recorded
from streams_pa import (
    BITS,
    KERNELS,
    assert_same,
    name_of,
    options_of_model,
    served_after_parts,
    stream,
    targets,
    weights_of,
)

N_LEARN, N_MERGE, N_TEST = 160, 100, 60  # the reference of merging is the slowest
SEED = 2300
LOSSES = (
    {"loss": "hinge", "alpha": 0.0137},
    {"loss": "log_loss", "grad_tol": 0.02, "alpha": 0.03},
    {"loss": "absolute_error", "alpha": 0.02},
    {"loss": "hinge", "alpha": 0.0731, "project_to_ball": True},
    {"loss": "epsilon_insensitive", "epsilon": 0.2, "alpha": 0.01},
    {"loss": "squared_error", "alpha": 0.05, "project_to_ball": True},
    {"loss": "huber", "delta": 0.4, "alpha": 0.03},
    {"loss": "log_loss", "alpha": 0.01, "project_to_ball": True},
    {"loss": "quantile", "quantile": 0.8, "alpha": 0.02},
    {"loss": "squared_error", "alpha": 2.0},
)
RATED = ("random", "oldest", "smallest", "project", "project-best", "project-nn", "merge")
AVERAGED = ("none", "stop", *RATED)
RATES = (
    {"rate": 30.0},
    {"rate": 60.5, "max_size": 30},
    {"rate": "auto", "stream_length": N_MERGE},
    {"rate": 7.0, "max_size": 12},
)
AVERAGES = (
    {"average": True},
    {"average": 0.25, "stream_length": N_LEARN},
    {"average": "random"},
    {"average": 0.9},
    {"average": 1.0},
    {"average": 0.5, "stream_length": 70},
    {"average": "random", "stream_length": N_LEARN},
    {"average": 0.9, "stream_length": N_LEARN},
    {"average": 0.25},
)
NEIGHBOURS = (None, 1, 2, 7)
DOT_KERNELS = (
    {"kernel": "poly", "gamma": 0.3, "degree": 2, "coef0": 0.7},
    {"kernel": "linear"},
    {"kernel": "cosine"},
)


def classifies(case):
    return case["loss"] in ("hinge", "log_loss")


def options_of(number, maintenance, loss, **chosen):
    """The options of a case: those chosen, and kernels, classes and weights, which go round."""
    case = {"maintenance": maintenance, "budget": None if maintenance == "none" else (5, 10)[number % 2]}
    # Systems of many vectors have a steep kernel, which keeps their condition in bounds.
    steep = maintenance in ("project", "project-best")
    if "kernel" not in chosen:
        chosen |= (
            KERNELS[0] if maintenance.startswith("merge") else KERNELS[1] if steep else KERNELS[number % 4]
        )
    if loss["loss"] in ("hinge", "log_loss"):
        case["n_classes"] = (2, 3, 5)[number % 3]
    if maintenance == "project-nn" and NEIGHBOURS[number % 4]:
        case["n_neighbors"] = NEIGHBOURS[number % 4]
    return {**case, **loss, "weighted": number // 3 % 2 == 1, "seed": SEED + number, **chosen}


def rated():
    """NBSGD: every loss with every maintenance."""
    for number, (maintenance, loss) in enumerate(itertools.product(RATED, LOSSES)):
        yield options_of(number, maintenance, loss, **RATES[(number + number // 10) % 4])


def averaged():
    """Every loss with every maintenance; each of these meets every average."""
    for number, (maintenance, loss) in enumerate(itertools.product(AVERAGED, LOSSES), start=100):
        yield options_of(number, maintenance, loss, **AVERAGES[(number + number // 10) % 9])
    for number, (maintenance, average) in enumerate(
        itertools.product(("margin", "distill"), AVERAGES), start=300
    ):
        yield options_of(number, maintenance, LOSSES[(0, 1, 3, 7)[number % 4]], **average)


def both():
    for number, maintenance in enumerate(RATED, start=400):
        for offset, rate in enumerate(RATES):
            average = AVERAGES[(number + 2 * offset) % 9]
            length = rate.get("stream_length", average.get("stream_length"))
            loss = LOSSES[(3 * number + offset) % 10]
            yield options_of(
                number + 10 * offset, maintenance, loss, **{**rate, **average, "stream_length": length}
            )


def late():
    """The mean whose late models decide, with every maintenance."""
    number = itertools.count(600)
    for maintenance in (*AVERAGED, "margin", "distill", "merge-newest"):
        i = next(number)
        loss = LOSSES[(0, 1, 3, 7)[i % 4]] if maintenance in ("margin", "distill") else LOSSES[i % 10]
        yield options_of(i, maintenance, loss, average="polynomial")
    yield options_of(next(number), "merge", LOSSES[0], average="polynomial", rate=60.5, max_size=30)


def on_neighbours():
    """project-nn with other kernels and numbers of neighbours, down to a budget of 1."""
    number = itertools.count(500)
    for kernel, k in itertools.product((*KERNELS[:2], *DOT_KERNELS), (None, 1, 3, 30)):
        chosen = {**kernel} if k is None else {**kernel, "n_neighbors": k}
        i = next(number)
        yield options_of(i, "project-nn", LOSSES[i % 10], **{**chosen, "budget": (1, 4, 15)[i % 3]})


CASES = [*rated(), *averaged(), *both(), *on_neighbours(), *late()]


def data_of(case):
    x, y = stream(case["n_classes"], case["seed"]) if classifies(case) else targets(case["seed"])
    if case["kernel"] in ("linear", "cosine"):
        x[20:N_LEARN:40] = 0.0  # k_tt = 0: no update
    n = N_MERGE if case["maintenance"].startswith("merge") else N_LEARN
    return x[:n], y[:n], weights_of(case)[:n], x[-N_TEST:]


def model_of(case):
    options = {**options_of_model(case), "seed": case["seed"]}
    if classifies(case):
        return Classifier("pegasos", classes=list(range(case["n_classes"])), **options)
    return Regressor("pegasos", **options)


@recorded([(case,) for case in CASES], BITS)
def expected_after_parts(case):
    oracle = Nonparametric(case.get("n_classes", 2), **options_of_model(case), seed=case["seed"])
    steps, oracle = served_after_parts(oracle, *data_of(case))
    if "rate" in case:
        assert case["budget"] < oracle.n_support_vectors <= case.get("max_size", N_LEARN)
        assert oracle.n_drawn > oracle.n_maintenances or "max_size" in case
    return steps


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    x, y, weights, tested = data_of(case)
    model = model_of(case)
    for expected in expected_after_parts(case):
        model.learn(x[expected.rows], y[expected.rows], sample_weight=weights[expected.rows])
        # Among copies of one vector, shares are only as exact as the ridge of their system allows.
        assert_same(model, expected, tested, exact=case["maintenance"] != "project-nn")
        degradation = expected.mean_weight_degradation
        assert model.mean_weight_degradation_ == pytest.approx(degradation, rel=1e-6, abs=1e-6)
