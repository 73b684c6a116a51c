"""Regression on streams whose features change: a trend, and categories that appear late."""

import numpy as np
from sklearn.linear_model import Ridge

from budgetrs import Regressor

BATCH = 20


def errors(X, y):
    """The absolute error of each row of y, predicted before its batch is learned."""
    model, predicted = Regressor(), np.zeros(len(y))
    for i in range(0, len(y), BATCH):
        rows = slice(i, i + BATCH)
        if i > 0:
            predicted[rows] = model.predict(X[rows])
        model.learn(X[rows], y[rows])
    return np.abs(predicted - y)


def errors_of_ridge(X, y, window=1000):
    """The same of a ridge regression that is fitted before each batch on the last rows."""
    predicted = np.zeros(len(y))
    for i in range(BATCH, len(y), BATCH):
        past, rows = slice(max(0, i - window), i), slice(i, i + BATCH)
        predicted[rows] = Ridge().fit(X[past], y[past]).predict(X[rows])
    return np.abs(predicted - y)


def test_lags_of_a_series_with_a_trend():
    t = np.arange(4005)
    series = 0.01 * t + np.sin(t / 20) + 0.5 * np.random.default_rng(0).normal(size=len(t))
    X, y = np.lib.stride_tricks.sliding_window_view(series[:-1], 5), series[5:]
    half = slice(2000, None)
    assert errors(X, y)[half].mean() < 1.35 * errors_of_ridge(X, y)[half].mean()


def test_categories_that_appear_late_are_learned_soon():
    rng = np.random.default_rng(0)
    category = np.where(np.arange(4000) < 3000, rng.integers(0, 3, 4000), rng.integers(0, 8, 4000))
    X = np.column_stack([rng.normal(size=(4000, 4)), np.eye(8)[category]])
    y = X[:, 0] * X[:, 1] + X[:, 2] + np.array([0, 1, -1, 5, -5, 8, -8, 3])[category]
    after = slice(3000, 3500)
    assert errors(X, y)[after].mean() < 1.0
