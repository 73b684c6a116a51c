"""Random streams and settings: batches of any size, any number of threads, files in between: equal bits."""

import numpy as np

from budgetrs import Regressor

from . import drawn
from .cases import Draw, expect
from .drawn import answers, copied, rows, started, tried, weights


def case(draw: Draw) -> None:
    whole = drawn.model(draw)
    width, n = draw.choice((1, 2, 5, 20)), draw.choice((3, 40, 150))
    dtype = draw.choice(("float32", "float64"))
    X = rows(draw, n, width, dtype) * draw.choice((1.0, 0.01, 100.0)) + draw.choice((0.0, 0.0, 10.0))
    X = X.astype(dtype) * (draw.rng.random(X.shape) < draw.choice((1.0, 0.3)))
    regression, classes = isinstance(whole, Regressor), draw.choice((2, 3, 6))
    y = draw.rng.normal(size=n) if regression else draw.rng.integers(0, classes, n)
    y = np.sort(y) if draw.chance(0.1) else y
    weight = weights(draw, n)
    draw.note(f"{n} rows of {width} features, {dtype}")
    model = copied(whole)
    model.n_jobs = draw.choice((None, 1, 3))
    refused, _ = tried(lambda: whole.learn(X, y, sample_weight=weight))
    at = 0
    while at < n:
        size = draw.choice((1, 2, 7, 31, 32, 33, 100))
        said, _ = tried(learning(draw, model, X, y, weight, slice(at, at + size)))
        at += size
        if said:
            expect(refused, f"rows are refused that the whole batch was not: {said}")
            return
        if draw.chance(0.2) and started(model):
            draw.note(f"saved and loaded after {min(at, n)} rows")
            model = copied(model)
            model.n_jobs = draw.choice((None, 1, 2, 4))
    expect(not refused, f"the whole batch is refused, and its parts are not: {refused}")
    expect(model.to_bytes() == whole.to_bytes(), "however a stream is cut, the bits are the same")
    if started(model):
        expect(answers(model, X) == answers(whole, X), "any number of threads predicts the same bits")
        if n > 2:
            one = np.asarray([model.predict_one(x) for x in X[:5]])
            expect((one == model.predict(X[:5])).all(), "a row alone is predicted as in a batch")


def learning(draw: Draw, model: drawn.Model, X: np.ndarray, y: np.ndarray, weight, part: slice):
    """Return a call that learns a part of the rows, alone if there is one row."""
    own = None if weight is None else weight[part]
    if part.stop - part.start == 1 and draw.chance(0.5):
        one = 1.0 if own is None else own[0]
        return lambda: model.learn_one(X[part.start], y[part.start], sample_weight=one)
    return lambda: model.learn(X[part], y[part], sample_weight=own)
