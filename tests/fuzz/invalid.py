"""Invalid calls: the error has the documented type, and the model is bit-identical afterwards."""

from collections.abc import Callable
from typing import Any

import numpy as np

from budgetrs import ParameterError, Regressor

from . import drawn
from .cases import Draw, expect
from .drawn import Model, rows, targets, tried


def case(draw: Draw) -> None:
    # A closed list of classes, so that there are labels to refuse.
    model, width = drawn.model(draw, classes=[0, 1, 2]), draw.choice((1, 2, 4))
    X, y = rows(draw, 20, width, "float64"), targets(draw, model, 20)
    if tried(lambda: model.learn(X, y))[0]:
        # Of a polynomial of degree 100 ordinary rows are too large.
        return
    before = model.to_bytes()
    for _ in range(8):
        call, said, types = wrong(draw, model, width)
        draw.note(said)
        try:
            call()
        except types as error:
            expect(str(error), "an error says what is wrong")
        else:
            expect(False, f"it is refused: {said}")
        expect(model.to_bytes() == before, f"what is refused changes nothing: {said}")


def wrong(draw: Draw, model: Model, width: int) -> tuple[Callable[[], Any], str, tuple[type[Exception], ...]]:
    """Draw a call that must be refused, what it is, and what it may raise."""
    n = draw.choice((1, 5, 40))
    X, y = rows(draw, n, width, "float64"), targets(draw, model, n)
    at = draw.random.randrange(n)
    value = (ParameterError,)
    learn = draw.choice(("learn", "validate"))
    cases: list[tuple[Callable[[], Any], str, tuple[type[Exception], ...]]] = []

    def add(what: str, X: Any = X, y: Any = y, weight: Any = None, types: Any = value) -> None:
        cases.append((lambda: getattr(model, learn)(X, y, sample_weight=weight), f"{learn}: {what}", types))

    infinite = X.copy()
    infinite[at, draw.random.randrange(width)] = draw.choice((np.inf, -np.inf))
    if model.params.get("hash_features") is None:
        add("more features", X=np.column_stack([X, X]))
        cases.append((lambda: model.predict(np.column_stack([X, X])), "predict: more features", value))
    add("infinity", X=infinite)
    cases.append((lambda: model.predict(infinite), "predict: infinity", value))
    if model.params.get("missing", "error") == "error":
        holes = X.copy()
        holes[at, 0] = np.nan
        add("NaN", X=holes)
    add("three dimensions", X=X[None])
    add("complex rows", X=X.astype(complex))
    add("rows of objects", X=np.full(X.shape, object()), types=(ValueError, TypeError))
    add("no array", X=object(), types=(ValueError, TypeError))
    add("fewer targets", y=y[1:])
    add("targets of two dimensions", y=np.column_stack([y, y]))
    add("a negative weight", weight=np.where(np.arange(n) == at, -1.0, 1.0))
    add("a weight that is NaN", weight=np.where(np.arange(n) == at, np.nan, 1.0))
    add("too few weights", weight=np.ones(n + 1))
    bad = np.nan if isinstance(model, Regressor) else 7
    add("a target that is refused", y=np.where(np.arange(n) == at, bad, y))
    if isinstance(model, Regressor):
        add("a target beyond 1e15", y=np.where(np.arange(n) == at, 1e300, y))
    else:
        add("a label of another type", y=np.where(np.arange(n) == at, "other", y.astype(str)))
    if learn == "learn":
        cases += [
            (lambda: model.learn_one(infinite[at], y[at]), "learn_one: infinity", value),
            (lambda: model.learn_one(X, y[0]), "learn_one: two dimensions", value),
            (lambda: model.learn_one(X[0], y[0], sample_weight=-1.0), "learn_one: weight -1", value),
            (lambda: model.add_features(width - 1), "add_features: fewer", (ValueError,)),
            (
                lambda: model.set_scaling(np.zeros(width + 1), np.ones(width + 1)),
                "set_scaling",
                (ValueError,),
            ),
            (lambda: type(model).from_bytes(model.to_bytes()[:-1]), "from_bytes: cut", (ValueError,)),
            (lambda: type(model)(model.algorithm, gamma=-1.0), "gamma = -1", value),
            (lambda: type(model)(model.algorithm, nothing=1), "an unknown parameter", value),
            (lambda: setattr(model, "n_jobs", 2**70), "n_jobs = 2^70", (ValueError, OverflowError)),
        ]
    return draw.choice(cases)
