"""Every estimator, small, with data for it."""

import numpy as np

import budgetrs
from conftest import board

KINDS = [getattr(budgetrs, name) for name in budgetrs._ESTIMATORS]
CLASSIFIERS = [kind for kind in KINDS if kind._native is budgetrs.Classifier]


def data_for(kind, rows=300, seed=0):
    """Rows and labels, or targets."""
    X, y = board(rows, seed, dtype=np.float64)
    return X, y if kind in CLASSIFIERS else X[:, 0] * X[:, 1]


def small(kind, **params):
    """An unfitted estimator."""
    return kind(**{"budget": 15, "random_state": 0, **params})


def orders_of(model, X, y, passes=1):
    """The order of the rows in each pass of a fit of a native model."""
    orders = []
    keep = lambda number, most, order, *counters: orders.append(order)  # noqa: E731
    model.fit(X, y, passes=passes, on_pass=keep)
    return orders


def scores(estimator, X):
    """What an estimator computes of rows, to the last bit."""
    method = "decision_function" if hasattr(estimator, "decision_function") else "predict"
    return getattr(estimator, method)(X)
