"""Prediction intervals and sets against their oracle."""

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from oracle_intervals import COVERAGES, OracleIntervals, OracleSets
from test_oracle_drift import stream as drifting
from test_oracle_tube import stream as surface

ALL = [*COVERAGES, 0.85, 0.97]


@pytest.mark.parametrize(
    "pieces", [{}, {"average": False}, {"linear_weight": None}, {"scaling": "none"}], ids=str
)
@pytest.mark.parametrize("metric", ["full", "none"])
def test_intervals_agree(metric, pieces):
    X, y, weights = surface(400, 5)
    pieces = {"scaling": "online", "average": "polynomial", **pieces}
    model = Regressor("online-kernel", budget=20, forget=None, metric_learning=metric, **pieces)
    oracle = OracleIntervals(5, 20, metric_learning=None if metric == "none" else metric, **pieces)
    for rows in (slice(0, 15), slice(15, 250), slice(250, 400)):
        model.learn(X[rows], y[rows], sample_weight=weights[rows])
        for row, target, weight in zip(X[rows], y[rows], weights[rows], strict=True):
            oracle.learn(row, float(target), float(weight))
        for coverage in ALL:
            expected = oracle.predict_interval(X[::4], coverage)
            np.testing.assert_allclose(model.predict_interval(X[::4], coverage), expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize(("change", "n_classes"), [("flip", 2), ("flip", 4), ("noisier", 4)])
def test_sets_agree(change, n_classes):
    X, y, weights = drifting(change, n_classes)
    X, y, weights = X[-350:], y[-350:], weights[-350:]
    model = Classifier("online-kernel", classes=list(range(n_classes)), budget=20)
    oracle = OracleSets(5, n_classes, 20, forget="auto")
    model.learn(X, y, sample_weight=weights)
    for row, label, weight in zip(X, y, weights, strict=True):
        oracle.learn(row, int(label), float(weight))
    X = X[::5]
    for coverage in ALL:
        np.testing.assert_array_equal(model.predict_set(X, coverage), oracle.predict_set(X, coverage))
