"""The kernel expansions in float64 against their slow reference, example for example.

Tolerance: decision values within 1e-6 of the largest one. A score is a sum of terms alpha_j k_j, whose
rounding is relative to the terms and not to their sum, so the scale of all scores is the measure, not the
single score; the promise for projections is 1e-6 while the condition of the kernel matrix is below 1e8.
Counts must be equal: one example judged otherwise changes everything after it.
"""

from __future__ import annotations

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from cases import CASES
from oracle import kernel_matrix
from oracle_named import reference
from recorded import recorded
from streams import of_case

ABOUT_THE_STREAM = ("n_classes", "weighted", "imbalanced", "zeros", "rows")

# The least gap of each kind: relative; powers of ten; or a share of what rounding of the inputs can reach.
CLEAR = {
    "pivot": 0.1,
    "span": 0.3,
    "dependent": 1.0,
    "newcomer": 0.5,
    "nearest": 1e-13,
    "leaves": 1e-8,
    "cost": 1e-14,
    "best": 1e-13,
    "eta": 1e-7,
    "step": 1e-5,
}
CLEAR_ELSE = 1e-9
CONDITION = 1e8
# What is read from the file is rounded to BITS binary places below the largest value.
BITS = 32
TOLERANCE = 1e-6 - 2**-BITS
COUNTS = ("n_updates", "n_mistakes", "n_support_vectors", "n_maintenances", "mean_weight_degradation")


def name_of(case):
    return "-".join(f"{key}={value}" for key, value in case.items() if key != "seed")


def options_of(case):
    """The options of the algorithm, and its name."""
    options = {key: value for key, value in case.items() if key not in ABOUT_THE_STREAM}
    return options.pop("algorithm"), options


def oracle_of(case):
    name, options = options_of(case)
    return reference(name, case.get("n_classes"), **options)


def model_of(case):
    name, options = options_of(case)
    if "n_classes" in case:
        return Classifier(name, classes=list(range(case["n_classes"])), **options)
    return Regressor(name, **({"loss": "epsilon_insensitive"} if name == "pa" else {}), **options)


def learn_decided(oracle, x, y, weights, part):
    """The reference after all rows of a part that it decides clearly, and which they are."""
    kept = []
    for i in part:
        after = oracle.copy()
        after.closest = {}
        after.learn_one(x[i], y[i], weights[i])
        clear = all(gap > CLEAR.get(kind, CLEAR_ELSE) for kind, gap in after.closest.items())
        if clear and after.worst_condition < CONDITION:
            oracle = after
            kept.append(i)
    return oracle, np.array(kept, int)


def step_of(oracle, rows, **more):
    return {"rows": rows, **{name: getattr(oracle, name) for name in COUNTS}, **more}


def expansion_of(oracle):
    vectors, coefficients = oracle.served()
    return {"vectors": np.array(vectors), "coefficients": coefficients}


def labels(oracle, x):
    """The predicted classes, -1 where the best two scores are equal to rounding."""
    scores = oracle.raw(x) if oracle.n_classes > 2 else np.pad(oracle.raw(x), [(0, 0), (1, 0)])
    leading = np.sort(scores)[:, -2:]
    terms = np.array([oracle.terms(row).max() for row in x])
    clear = (leading[:, 1] - leading[:, 0] > CLEAR_ELSE * terms) | (terms == 0.0)
    return np.where(clear, oracle.predict(x), -1)


@recorded([(case,) for case in CASES], BITS)
def expected_after_parts(case):
    """What is compared after each part of the rows; `rows` are the rows that the oracle decides.

    Fewer scores are kept of the earlier parts; a model that differs does so nearly everywhere. With an
    average, which another model than the last one is, the vectors and coefficients are kept too.
    """
    x, y, weights, tested = of_case(case)
    oracle, steps = oracle_of(case), []
    n_parts, few = {"all": (1, 0), "long": (5, 25), "short": (4, 15)}[case["rows"]]
    for part in np.array_split(np.arange(len(x)), n_parts):
        oracle, kept = learn_decided(oracle, x, y, weights, part)
        seen = tested if part[-1] == len(x) - 1 else tested[:few]
        steps.append(step_of(oracle, kept, scores=oracle.decision_function(seen)))
        if case["rows"] == "short":
            steps[-1] |= expansion_of(oracle)
        elif "n_classes" in case:
            steps[-1]["labels"] = labels(oracle, seen)
    assert_of_use(case, oracle, steps, tested)
    return steps


def assert_of_use(case, oracle, steps, tested):
    """The rows are decided, and what is special about the case happens often."""
    bounded = oracle.maintenance not in ("none", "stop")
    assert oracle.worst_condition < CONDITION
    assert sum(len(step["rows"]) for step in steps) > 0.8 * len(of_case(case)[0])
    assert not bounded or oracle.n_updates > (oracle.budget or 10) + 10
    assert not (bounded and case["rows"] == "short") or oracle.n_maintenances > 10
    assert oracle.maintenance != "project-nn" or oracle.n_maintenances > 10
    if "labels" in steps[0]:
        assert np.mean([(step["labels"] >= 0).mean() for step in steps]) > 0.7
    if case.get("max_coef", 10.0) < 2.0 and case["budget"] > 1:
        assert oracle.n_clipped > 10
    if "rate" in case:
        assert case["budget"] < oracle.n_support_vectors <= case.get("max_size", len(tested) + 100)
        assert oracle.n_drawn > oracle.n_maintenances or "max_size" in case
    elif "average" in case and case["algorithm"] != "pegasos":
        # The average is another model than the last one, unless a full model refuses all newcomers.
        last = oracle.raw(tested)
        differs = abs(oracle.scores(tested, *oracle.served()) - last).max() > 1e-3 * abs(last).max()
        assert differs or case["maintenance"] == "stop" or case.get("may_discard_new")


ROW_BY_ROW = [
    case
    for case in CASES
    if case["budget"] == 5
    and case["rows"] != "short"
    and (case["rows"] == "all" or case["algorithm"] != "pegasos")
    and case.get("maintenance") != "project-nn"
]


@recorded([(case,) for case in ROW_BY_ROW], BITS)
def expected_after_rows(case):
    """What is compared after each of the first rows that the reference decides."""
    x, y, weights, _ = of_case(case)
    oracle, steps = oracle_of(case), []
    for t in range(60 if case["rows"] == "all" else 80):
        oracle, kept = learn_decided(oracle, x, y, weights, [t])
        if len(kept) and weights[t]:
            steps.append(step_of(oracle, kept, **expansion_of(oracle)))
    return steps


def scores_of(case, step, x):
    """The scores of a kernel expansion."""
    if not len(step.vectors):
        return np.zeros((len(x), case["n_classes"]) if case.get("n_classes", 2) > 2 else len(x))
    options = {name: case[name] for name in ("gamma", "degree", "coef0", "alpha_rq") if name in case}
    scores = kernel_matrix(case.get("kernel", "rbf"), x, step.vectors, **options) @ step.coefficients
    return scores[:, 0] if scores.shape[1] == 1 else scores


def assert_agrees(case, model, expected, tested, scores):
    """The counts of the last model, and the scores, labels and expansion of the one that predicts."""
    regresses = isinstance(model, Regressor)
    found = model.predict(tested) if regresses else model.decision_function(tested)
    assert found.shape == scores.shape
    assert abs(found - scores).max() <= TOLERANCE * abs(scores).max()
    assert model.n_updates_ == expected.n_updates
    assert model.n_maintenances_ == expected.n_maintenances
    assert regresses or model.n_mistakes_ == expected.n_mistakes
    degradation = expected.mean_weight_degradation
    assert model.mean_weight_degradation_ == pytest.approx(degradation, rel=1e-6, abs=1e-6)
    if hasattr(expected, "labels"):
        assert ((model.predict(tested) == expected.labels) | (expected.labels == -1)).all()
    if not hasattr(expected, "vectors"):
        assert model.n_support_vectors_ == expected.n_support_vectors
        return
    vectors, coefficients = expected.vectors, expected.coefficients.T
    assert model.n_support_vectors_ == len(vectors)
    if len(vectors):
        # Among copies of one vector, shares are only as exact as the ridge of their system allows.
        tolerance = 1e-3 - 2**-BITS if case.get("maintenance") == "project-nn" else TOLERANCE
        np.testing.assert_allclose(
            model.support_vectors_, vectors, rtol=0, atol=TOLERANCE * abs(vectors).max()
        )
        largest = max(abs(coefficients).max(), 1.0)
        np.testing.assert_allclose(model.dual_coef_, coefficients, rtol=0, atol=tolerance * largest)


def assert_learns(case, steps, scores):
    """The model agrees after each step; `scores` are of a step and the rows that are predicted."""
    x, y, weights, tested = of_case(case)
    model = model_of(case)
    for expected in steps:
        model.learn(x[expected.rows], y[expected.rows], sample_weight=weights[expected.rows])
        known = scores(expected, tested)
        assert_agrees(case, model, expected, tested[: len(known)], known)
        if "average" in case:
            # What is read from a file goes on.
            model = type(model).from_bytes(model.to_bytes())
            assert_agrees(case, model, expected, tested[: len(known)], known)
    return model, tested, known


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_oracle(case):
    steps = expected_after_parts(case)
    model, tested, scores = assert_learns(case, steps, lambda expected, _: expected.scores)
    if case.get("loss") == "log_loss" and case["rows"] == "long":
        scores = np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities = powers / powers.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(tested), probabilities, atol=1e-5 - 2**-20)


@pytest.mark.parametrize("case", ROW_BY_ROW, ids=name_of)
def test_agrees_after_every_example(case):
    """A difference shows at the example that makes it; support vectors and coefficients are compared too."""
    assert_learns(case, expected_after_rows(case), lambda expected, tested: scores_of(case, expected, tested))
