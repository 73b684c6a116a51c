"""Prediction intervals and sets against their oracle."""

import itertools

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from oracle_intervals import COVERAGES, OracleIntervals, OracleSets
from recorded import recorded
from test_oracle_drift import stream as drifting
from test_oracle_tube import stream as surface

ALL = [*COVERAGES, 0.85, 0.97]


METRICS = ["full", "none"]
PIECES = [{}, {"average": False}, {"linear_weight": None}, {"scaling": "none"}]
PARTS = [slice(0, 15), slice(15, 250), slice(250, 400)]
CHANGES = [("flip", 2), ("flip", 4), ("noisier", 4)]


def options_of(pieces):
    return {"scaling": "online", "average": "polynomial", **pieces}


@recorded(itertools.product(METRICS, PIECES))
def expected_intervals(metric, pieces):
    """The intervals of all coverages after each part."""
    X, y, weights = surface(400, 5)
    oracle = OracleIntervals(
        5, 20, metric_learning=None if metric == "none" else metric, **options_of(pieces)
    )
    steps = []
    for rows in PARTS:
        for row, target, weight in zip(X[rows], y[rows], weights[rows], strict=True):
            oracle.learn(row, float(target), float(weight))
        steps.append({"intervals": np.array([oracle.predict_interval(X[::4], coverage) for coverage in ALL])})
    return steps


def last_rows(change, n_classes):
    return (part[-350:] for part in drifting(change, n_classes))


@recorded(CHANGES)
def expected_sets(change, n_classes):
    X, y, weights = last_rows(change, n_classes)
    oracle = OracleSets(5, n_classes, 20, forget="auto")
    for row, label, weight in zip(X, y, weights, strict=True):
        oracle.learn(row, int(label), float(weight))
    return [{"sets": np.array([oracle.predict_set(X[::5], coverage) for coverage in ALL])}]


@pytest.mark.parametrize("pieces", PIECES, ids=str)
@pytest.mark.parametrize("metric", METRICS)
def test_intervals_agree(metric, pieces):
    X, y, weights = surface(400, 5)
    model = Regressor("online-kernel", budget=20, forget=None, metric_learning=metric, **options_of(pieces))
    for rows, expected in zip(PARTS, expected_intervals(metric, pieces), strict=True):
        model.learn(X[rows], y[rows], sample_weight=weights[rows])
        found = [model.predict_interval(X[::4], coverage) for coverage in ALL]
        # Less what the rounding in the file may add.
        np.testing.assert_allclose(found, expected.intervals, rtol=0, atol=1e-7 - 2**-44)


@pytest.mark.parametrize(("change", "n_classes"), CHANGES)
def test_sets_agree(change, n_classes):
    X, y, weights = last_rows(change, n_classes)
    model = Classifier("online-kernel", classes=list(range(n_classes)), budget=20)
    model.learn(X, y, sample_weight=weights)
    (expected,) = expected_sets(change, n_classes)
    for coverage, sets in zip(ALL, expected.sets, strict=True):
        np.testing.assert_array_equal(model.predict_set(X[::5], coverage), sets)
