"""The library in float64 against the slow reference implementation, example for example.

Tolerance: decision values within 1e-6 of the largest one. A score is a sum of terms alpha_j k_j, whose
rounding is relative to the terms and not to their sum, so the scale of all scores is the measure, not the
single score; the promise for projections is 1e-6 while the condition of the kernel matrix is below 1e8, which
each case asserts. Counts must be equal: one example judged otherwise changes everything after it.
"""

from __future__ import annotations

import numpy as np
import pytest

from oracle import draws
from oracle_sgd import Oracle
from recorded import recorded
from streams_pa import BITS, TOLERANCE, assert_same_expansion, counts, scores_of

N_TRAIN, N_TEST, N_FEATURES = 400, 100, 5
NAMED = {
    "pegasos": "none",
    "bsgd-smallest": "smallest",
    "bsgd-project": "project",
    "bsgd-project-best": "project-best",
    "bsgd-merge": "merge",
}
UNNAMED = ("oldest", "stop", "random")  # through BSGDClassifier(maintenance=...)
ALPHAS = (0.00317, 0.0137, 0.0731)  # no multiple is a whole number: counts never sit on the hinge
GAMMAS = (0.4, 0.15, 1.7)


def stream(n_classes, seed, imbalanced, zeros=False):
    """Overlapping clusters; every sixth row repeats an earlier one, every sixth comes 1e-3 beside one.

    A fifth of the repeated rows carries another label. With `zeros`, some rows are zero: kernels of dot
    products have k_tt = 0 there, and no update.
    """
    rng = np.random.default_rng(seed)
    n = N_TRAIN + N_TEST
    centres = 1.1 * rng.normal(size=(2 * n_classes, N_FEATURES))
    share = np.array([1.0] + [0.15 if imbalanced else 1.0] * (n_classes - 1))
    y = rng.choice(n_classes, p=share / share.sum(), size=n)
    x = centres[y + n_classes * rng.integers(0, 2, size=n)] + 0.8 * rng.normal(size=(n, N_FEATURES))
    for i in range(10, N_TRAIN):
        kind = rng.integers(0, 6)
        if kind < 2:
            j = rng.integers(0, i)
            x[i] = x[j] + kind * rng.choice([-1e-3, 1e-3], size=N_FEATURES)
            y[i] = y[j] if rng.uniform() < 0.8 else rng.integers(0, n_classes)
    if zeros:
        x[20:N_TRAIN:40] = 0.0
    y[:n_classes] = np.arange(n_classes)
    return x, y


def cases():
    number = 0
    for maintenance in (*NAMED.values(), *UNNAMED):
        budgets = (None,) if maintenance == "none" else (1, 2, 5, 20, 50)
        for budget in budgets:
            for n_classes in (2, 3, 5):
                number += 1
                yield {
                    "maintenance": maintenance,
                    "budget": budget,
                    "n_classes": n_classes,
                    "gamma": GAMMAS[0] if budget == 50 else GAMMAS[number % 3],
                    "alpha": ALPHAS[number // 3 % 3],
                    "project_to_ball": number % 2 == 1,
                    "imbalanced": number % 4 < 2,
                    "seed": number,
                }
    kernels = {
        "laplacian": {"gamma": 0.3},
        "poly": {"gamma": 0.2, "degree": 2, "coef0": 0.7},
        "linear": {},
        "cosine": {},
        "sigmoid": {"gamma": 0.1, "coef0": 0.2},
    }
    for kernel, options in kernels.items():
        for maintenance in ("none", "smallest", "project", "project-best", "oldest", "stop", "random"):
            if kernel == "sigmoid" and maintenance in ("smallest", "project", "project-best"):
                continue
            number += 1
            yield {
                "maintenance": maintenance,
                "budget": None if maintenance == "none" else (4, 12)[number % 2],
                "n_classes": (2, 3)[number // 2 % 2],
                "alpha": ALPHAS[number % 3],
                "project_to_ball": kernel != "sigmoid" and number % 4 < 2,
                "imbalanced": number % 3 == 0,
                "zeros": number % 2 == 1,
                "seed": number,
                "kernel": kernel,
                **options,
            }
    tails = [("rational-quadratic", {"alpha_rq": alpha_rq}) for alpha_rq in (0.6, 2.0)]
    for maintenance, choices in (("merge", tails), ("merge-newest", [("rbf", {}), *tails])):
        for kernel, options in choices:
            for budget in (1, 5, 20):
                number += 1
                yield {
                    "maintenance": maintenance,
                    "budget": budget,
                    "n_classes": (2, 3, 5)[number % 3],
                    "alpha": ALPHAS[number % 3],
                    "project_to_ball": number % 2 == 1,
                    "imbalanced": number % 4 < 2,
                    "seed": number,
                    "kernel": kernel,
                    "gamma": GAMMAS[number % 3],
                    **options,
                }


CASES = list(cases())


def name_of(case):
    ball = "-ball" if case["project_to_ball"] else ""
    return f"{case['maintenance']}-{case['budget']}-{case['n_classes']}-{case.get('kernel', 'rbf')}{ball}"


def stream_of(case):
    return stream(case["n_classes"], case["seed"], case["imbalanced"], case.get("zeros", False))


def options_of(case):
    return {
        key: value for key, value in case.items() if key not in ("n_classes", "seed", "imbalanced", "zeros")
    }


def estimator_of(case):
    import budgetrs

    options = options_of(case)
    maintenance = options.pop("maintenance")
    for name, named in NAMED.items():
        if maintenance == named:
            return budgetrs.make_estimator(name, **options, random_state=case["seed"])
    return budgetrs.BSGDClassifier(maintenance=maintenance, **options, random_state=case["seed"])


def oracle_of(case):
    # An estimator draws the one seed of its model from random_state.
    seed = int(np.random.RandomState(case["seed"]).randint(0, 2**64, dtype=np.uint64))
    return Oracle(case["n_classes"], **options_of(case), draw=case["budget"] and draws(seed, case["budget"]))


@recorded([(case,) for case in CASES], BITS)
def expected_of(case):
    x, y = stream_of(case)
    oracle = oracle_of(case).learn(x[:N_TRAIN], y[:N_TRAIN])
    assert oracle.worst_condition < 1e8
    scores, labels = oracle.decision_function(x[N_TRAIN:]), oracle.predict(x[N_TRAIN:])
    return [{"scores": scores, "labels": labels, **counts(oracle)}]


@recorded([(case,) for case in CASES if case["budget"] == 5], BITS)
def expected_after_rows(case):
    (x, y), oracle, steps = stream_of(case), oracle_of(case), []
    for t in range(60):
        oracle.learn(x[t : t + 1], y[t : t + 1])
        assert oracle.worst_condition < 1e8
        coefficients = np.array(oracle.rows) / (case["alpha"] * oracle.t)
        steps.append({"vectors": np.array(oracle.vectors), "coefficients": coefficients, **counts(oracle)})
    return steps


def assert_agrees(model, expected, found, scores):
    assert model.n_updates_ == expected.n_updates
    assert model.n_mistakes_ == expected.n_mistakes
    assert model.n_support_vectors_ == expected.n_support_vectors
    assert found.shape == scores.shape
    assert abs(found - scores).max() <= TOLERANCE * abs(scores).max()
    degradation = expected.mean_weight_degradation
    assert model.mean_weight_degradation_ == pytest.approx(degradation, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    (expected,) = expected_of(case)
    x, y = stream_of(case)
    model = estimator_of(case)
    model.partial_fit(x[:N_TRAIN], y[:N_TRAIN], classes=np.arange(case["n_classes"]))
    assert_agrees(model, expected, model.decision_function(x[N_TRAIN:]), expected.scores)
    assert (model.predict(x[N_TRAIN:]) == expected.labels).all()


@pytest.mark.parametrize("case", [case for case in CASES if case["budget"] == 5], ids=name_of)
def test_agrees_after_every_example(case):
    """A difference shows at the example that makes it; support vectors and coefficients are compared too."""
    x, y = stream_of(case)
    model = estimator_of(case)
    classes = np.arange(case["n_classes"])
    for t, expected in enumerate(expected_after_rows(case)):
        model.partial_fit(x[t : t + 1], y[t : t + 1], classes=classes)
        tested = x[N_TRAIN:]
        assert_agrees(model, expected, model.decision_function(tested), scores_of(case, expected, tested))
        assert_same_expansion(model, expected)
