"""Models after `fit` and `combine` continue like their copies; predictions have the units of the targets."""

import pickle

import numpy as np

from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor, combine

from .cases import Draw, expect
from .drawn import answers, copied, rows

SECONDS = 4.0


def case(draw: Draw) -> None:
    n, width, dtype = (
        draw.choice((40, 150, 400)),
        draw.choice((1, 3, 20)),
        draw.choice(("float32", "float64")),
    )
    budget, unit = draw.random.randint(2, 70), 2.0 ** draw.choice((0, 0, -60, -30, 10, 40))
    regression, is_sorted = draw.chance(0.6), draw.chance(0.2)
    X = rows(draw, n, width, dtype)
    y = np.round(np.sin(2 * X[:, 0]) + draw.rng.normal(size=n) / 4, 2) + draw.choice((0.0, 0.0, 50.0))
    if not regression:
        y = (y > y.mean()).astype(int) + draw.rng.integers(0, draw.choice((1, 2)), n)
    if is_sorted:
        X, y = X[np.argsort(y)], np.sort(y)
    draw.note(f"{budget=}, {unit=}, {regression=}, {is_sorted=}, {n} rows of {width} features, {dtype}")
    if regression and draw.chance(0.3):
        moved = slice(draw.random.randrange(n), None)
        y[moved] = y[moved] * draw.choice((1.0, 8.0, 0.125)) + draw.choice((0.0, 100.0))
    y = y * unit if regression else y
    weights = {} if regression else {"class_weight": {1: draw.choice((0.1, 1.0, 4.0, 100.0))}}

    estimator = (OnlineKernelRegressor if regression else OnlineKernelClassifier)(
        budget=budget, random_state=0, max_iter=draw.choice((1, 2)), shuffle=draw.chance(0.5), **weights
    )
    estimator.fit(X, y)
    copy = pickle.loads(pickle.dumps(estimator))
    for each in (estimator, copy):
        each.partial_fit(X[: n // 2], y[: n // 2][::-1])
    expect((estimator.predict(X) == copy.predict(X)).all(), "a fitted model continues like its copy")

    kind = Regressor if regression else Classifier
    first = kind(budget=budget).learn(X[: n // 2], y[: n // 2])
    other = kind(budget=budget, feature_space=first).learn(X[n // 2 :], y[n // 2 :])
    combined = combine([first, other], budget=draw.choice((None, budget)))
    copy = copied(combined)
    for model in (combined, copy):
        model.learn(X[: n // 2], y[: n // 2][::-1])
    expect(combined.to_bytes() == copy.to_bytes(), "a combined model continues like its copy")
    expect(answers(combined, X) == answers(copy, X), "and predicts like it")
    if regression:
        plain = kind(budget=budget).learn(X, y / unit).predict(X)
        expect(
            (kind(budget=budget).learn(X, y).predict(X) == plain * unit).all(),
            "predictions have the unit of y",
        )
