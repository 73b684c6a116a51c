"""The online kernel machine on streams that change, and its probabilities, against their oracle."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from budgetrs import Classifier
from oracle_drift import Adwin, OracleForgetting

STREAMS = [
    ("flip", 2, "auto"),
    ("flip", 4, "auto"),
    ("turn", 2, "auto"),
    ("turn", 4, "auto"),
    ("flip", 2, 100),
    ("flip", 4, None),
    ("easy", 2, "auto"),
    ("noisier", 4, "auto"),
]
ROWS = {"flip": 900, "turn": 1100, "easy": 3300, "noisier": 2000}


def stream(change, n_classes):
    """Rows, labels and weights.

    In the second half the labels are others, or the borders turn, or more labels are wrong, or nothing
    changes.
    """
    rng, rows = np.random.default_rng(2), ROWS[change]
    now = np.linspace(0, 1, rows)
    if change == "turn":
        X = rng.normal(0, 1, (rows, 5))
        turns = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) + np.maximum(now - 0.4, 0)
        y = (turns % 1 * n_classes).astype(int)
    else:
        centres, which = rng.normal(0, 1.2, (3 * n_classes, 5)), rng.integers(0, 3 * n_classes, rows)
        X = centres[which] + rng.normal(0, 0.4 if change == "flip" else 0.05, (rows, 5))
        y = which + ((now > 0.5) & (change == "flip"))
        if change == "noisier":
            y = y + rng.integers(1, n_classes, rows) * (rng.random(rows) < np.where(now > 0.5, 0.22, 0.1))
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], rows, p=[0.05, 0.2, 0.5, 0.25])
    return X * np.arange(1, 6) + 5, y % n_classes, weights


@cache
def learned(change, n_classes, forget):
    """The oracle and the model after the stream, and its rows."""
    X, y, weights = stream(change, n_classes)
    oracle = OracleForgetting(5, n_classes, 20, forget=forget)
    for row, label, weight in zip(X, y, weights, strict=True):
        oracle.learn(row, int(label), float(weight))
    model = Classifier("online-kernel", classes=list(range(n_classes)), budget=20, forget=forget)
    return oracle, model.learn(X, y, sample_weight=weights), X


@pytest.mark.parametrize(("change", "n_classes", "forget"), STREAMS)
def test_every_change_is_found_and_followed_alike(change, n_classes, forget):
    oracle, model, X = learned(change, n_classes, forget)
    assert (model.n_samples_seen_, model.n_updates_) == (oracle.seen, oracle.updates)
    assert (model.n_drifts_, model.n_mistakes_) == (oracle.drifts, oracle.mistakes)
    assert (oracle.drifts > 0) == (change in ("flip", "noisier") and forget == "auto")
    assert (oracle.restarts > 0) == ((change, forget) == ("flip", "auto"))
    np.testing.assert_allclose(model.decision_function(X), oracle.decision_function(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("change", "n_classes", "forget"), STREAMS)
def test_the_probabilities_agree(change, n_classes, forget):
    oracle, model, X = learned(change, n_classes, forget)
    np.testing.assert_allclose(model.predict_proba(X), oracle.predict_proba(X), rtol=0, atol=1e-9)


def test_the_window_of_the_oracle_is_cut_at_a_rise_and_at_a_fall():
    window, rng = Adwin(), np.random.default_rng(4)
    values = [float(rng.random() < (0.1, 0.6, 0.1, 0.1)[i // 500]) for i in range(2000)]
    risen = [i for i, value in enumerate(values) if window.take(value) is not None]
    assert 500 < min(risen) <= max(risen) < 600
    assert 900 < window.length < 1100
    assert max(Counter(n for n, _ in window.buckets).values()) <= 5
