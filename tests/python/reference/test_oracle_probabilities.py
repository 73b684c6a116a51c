"""Probabilities and the correction of the scores against their oracle, where classes overlap."""

import numpy as np
import pytest

from budgetrs import Classifier
from oracle_online import OracleOnline
from recorded import recorded

ROWS, BUDGET = 700, 20
NEAR = {"rtol": 0, "atol": 1e-10 - 2**-44}
CASES = [(2, 1), (2, 2), (4, 1), (4, 2)]


def stream(n_classes):
    """Classes that overlap: three quarters of the rows are of the first, the others weigh four times more."""
    rng = np.random.default_rng(n_classes)
    y = np.where(rng.random(ROWS) < 0.75, 0, rng.integers(1, n_classes, ROWS))
    X = np.vstack([np.zeros(3), np.eye(3)])[y] + rng.normal(0, 1, (ROWS, 3))
    return X * [1.0, 10.0, 0.1], y, np.where(y == 0, 1.0, 4.0)


@recorded(CASES)
def expected_where_classes_overlap(n_classes, passes):
    X, y, weights = stream(n_classes)
    oracle = OracleOnline(3, n_classes, BUDGET)
    for number in range(passes):
        for row, label, weight in zip(X, y, weights, strict=True):
            oracle.learn(row, int(label), float(weight), repeated=number > 0)
    return [
        {
            "is_corrected": int(oracle.probabilities.is_corrected),
            "scores": oracle.decision_function(X),
            "probabilities": oracle.predict_proba(X),
            "correction": oracle.probabilities.correction.rows,
        }
    ]


@pytest.mark.parametrize(("n_classes", "passes"), CASES)
def test_corrected_scores_agree(n_classes, passes):
    X, y, weights = stream(n_classes)
    model = Classifier("online-kernel", classes=list(range(n_classes)), budget=BUDGET, forget=None)
    for number in range(passes):
        model.learn(X, y, sample_weight=weights, repeated=number > 0)
    (expected,) = expected_where_classes_overlap(n_classes, passes)
    assert expected.is_corrected
    assert abs(expected.correction).max() > 0.1
    np.testing.assert_allclose(model.decision_function(X), expected.scores, **NEAR)
    np.testing.assert_allclose(model.predict_proba(X), expected.probabilities, **NEAR)
