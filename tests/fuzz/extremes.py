"""Streams of extreme values and weights, for every algorithm and valid parameters: a copy goes on equally.

A batch may be refused; then nothing changes. What was learned is saved, read again and goes on equally.
"""

import numpy as np

from budgetrs import Classifier, Regressor

from .cases import Draw, expect
from .drawn import TASKS, Model, answers, copied, started, tried, valid, within

SHARE = 3.0
MEMORY = 1 << 30


def numbers(draw: Draw, shape: tuple[int, ...]) -> np.ndarray:
    """Draw numbers of one of several styles."""
    rng, normal = draw.rng, draw.rng.normal(size=shape)
    signs = rng.choice([-1.0, 1.0], shape)
    match draw.random.randrange(9):
        case 0:
            return signs * 10 ** rng.uniform(-30, 30, shape)
        case 1:
            return normal * 10 ** draw.random.uniform(-30, 30)
        case 2:
            return normal + 10 ** draw.random.uniform(3, 17)
        case 3:
            return np.zeros(shape)
        case 4:
            return rng.choice([0.0, 1.0, -1.0, 1e30, 1e-30, 1e6, 1e-10], shape)
        case 5:
            return rng.choice(normal.reshape(-1)[: max(1, normal.size // 5)], shape)
        case 6:
            return normal * (rng.random(shape) < 0.2)
        case 7:
            return signs * 10 ** rng.uniform(-300, 300, shape)
    return normal


def weights(draw: Draw, n: int) -> np.ndarray | None:
    match draw.random.randrange(5):
        case 0:
            return 10 ** draw.rng.uniform(-30, 9, n)
        case 1:
            return 10 ** draw.rng.uniform(-8, 8, n)
        case 2:
            return draw.rng.choice([0.0, 1.0, 1e-300, 1e9, 5e-324], n)
    return None


def case(draw: Draw) -> None:
    name, regression = draw.choice(TASKS)
    given = valid(draw, name, regression)
    model = (Regressor if regression else Classifier)(name, **given)
    dtype = draw.choice(("float32", "float64"))
    draw.note(f"{type(model).__name__}({name!r}, **{given!r}), {dtype}")
    width, classes = draw.choice((1, 2, 3, 6)), draw.choice((2, 2, 3, 4))
    for _ in range(draw.random.randint(1, 5)):
        n = draw.choice((1, 2, 3, 7, 20))
        with np.errstate(over="ignore"):
            X = numbers(draw, (n, width)).astype(dtype)
        if draw.chance(0.2):
            X[:] = X[0]
        y = numbers(draw, (n,)) if regression else draw.rng.integers(0, classes, n)
        step(draw, model, X, y, weights(draw, n))


def step(draw: Draw, model: Model, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> None:
    """Learn a batch in a model and in its copy."""
    draw.note(
        f"learn({X.tolist()}, {y.tolist()}, sample_weight={None if weight is None else weight.tolist()})"
    )
    before = model.to_bytes()
    draw.file(".before.safetensors", before)
    other = copied(model)
    ends = [tried(lambda one=one: one.learn(X, y, sample_weight=weight))[0] for one in (model, other)]
    draw.note(f"-> {ends[0] or 'learned'}")
    expect(ends[0] == ends[1], f"both learn, or neither: {ends}")
    expect(not ends[0] or model.to_bytes() == before, f"what is refused changes nothing: {ends[0]}")
    expect(model.to_bytes() == other.to_bytes(), "a copy goes on with equal bits")
    within(model)
    if started(model):
        expect(tried(lambda: answers(model, X)) == tried(lambda: answers(other, X)), "both answer the same")
