"""The online kernel machine on streams that change, and its probabilities, against their oracle."""

from functools import cache

import numpy as np
import pytest

from budgetrs import Classifier
from oracle_drift import OracleForgetting
from recorded import recorded

STREAMS = [
    ("flip", 2, "auto"),
    ("flip", 4, "auto"),
    ("turn", 2, "auto"),
    ("turn", 4, "auto"),
    ("flip", 2, 100),
    ("flip", 4, None),
    ("easy", 2, "auto"),
    ("noisier", 4, "auto"),
    ("move", 2, "auto"),
    ("move", 4, "auto"),
]
# What is read from the file is rounded to 52 binary places below the largest value, which is below 2^8.
NEAR = {"rtol": 0, "atol": 1e-9 - 2**-44}
ROWS = {"flip": 900, "turn": 1100, "easy": 3300, "noisier": 2000, "move": 2200}


def stream(change, n_classes):
    """Rows, labels and weights.

    In the second half the labels are others, or the borders turn, or more labels are wrong, or nothing
    changes; or clusters move all the time.
    """
    rng, rows = np.random.default_rng(2), ROWS[change]
    now = np.linspace(0, 1, rows)
    if change == "turn":
        X = rng.normal(0, 1, (rows, 5))
        turns = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) + np.maximum(now - 0.4, 0)
        y = (turns % 1 * n_classes).astype(int)
    elif change == "move":
        starts, ends = rng.normal(0, 1.5, (40, 5)), rng.normal(0, 1.5, (40, 5))
        along, y = (1 - np.cos(12 * now[:, None])) / 2, rng.integers(0, 40, rows)
        X = starts[y] + along * (ends - starts)[y] + rng.normal(0, 0.1, (rows, 5))
    else:
        centres, which = rng.normal(0, 1.2, (3 * n_classes, 5)), rng.integers(0, 3 * n_classes, rows)
        X = centres[which] + rng.normal(0, 0.4 if change == "flip" else 0.05, (rows, 5))
        y = which + ((now > 0.5) & (change == "flip"))
        if change == "noisier":
            y = y + rng.integers(1, n_classes, rows) * (rng.random(rows) < np.where(now > 0.5, 0.3, 0.1))
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], rows, p=[0.05, 0.2, 0.5, 0.25])
    return X * np.arange(1, 6) + 5, y % n_classes, weights


@recorded(STREAMS)
def expected_of(change, n_classes, forget):
    X, y, weights = stream(change, n_classes)
    oracle = OracleForgetting(5, n_classes, 20, forget=forget)
    for row, label, weight in zip(X, y, weights, strict=True):
        oracle.learn(row, int(label), float(weight))
    if change not in ("turn", "move"):
        assert (oracle.drifts > 0) == (change in ("flip", "noisier") and forget == "auto")
    assert (oracle.restarts > 0) == ((change, forget) == ("flip", "auto"))
    assert oracle.votes == (change == "move")
    return [
        {
            "counts": [oracle.seen, oracle.updates, oracle.drifts, oracle.mistakes],
            "scores": oracle.decision_function(X),
            "probabilities": oracle.predict_proba(X),
        }
    ]


@cache
def learned(change, n_classes, forget):
    """The model after the stream, and its rows."""
    X, y, weights = stream(change, n_classes)
    model = Classifier("online-kernel", classes=list(range(n_classes)), budget=20, forget=forget)
    return model.learn(X, y, sample_weight=weights), X


@pytest.mark.parametrize(("change", "n_classes", "forget"), STREAMS)
def test_every_change_is_found_and_followed_alike(change, n_classes, forget):
    model, X = learned(change, n_classes, forget)
    (expected,) = expected_of(change, n_classes, forget)
    counts = [model.n_samples_seen_, model.n_updates_, model.n_drifts_, model.n_mistakes_]
    assert counts == expected.counts
    np.testing.assert_allclose(model.decision_function(X), expected.scores, **NEAR)


@pytest.mark.parametrize(("change", "n_classes", "forget"), STREAMS)
def test_the_probabilities_agree(change, n_classes, forget):
    model, X = learned(change, n_classes, forget)
    (expected,) = expected_of(change, n_classes, forget)
    np.testing.assert_allclose(model.predict_proba(X), expected.probabilities, **NEAR)
