"""Streams of extreme values and weights, for every algorithm and valid parameters: a copy goes on equally.

A batch may be refused; then nothing changes. What was learned is saved, read again and goes on equally.
"""

import numpy as np

from budgetrs import Regressor

from . import drawn
from .cases import Draw, expect

SHARE = 3.0
MEMORY = 1 << 30


def numbers(draw: Draw, shape: tuple[int, ...]) -> np.ndarray:
    """Draw numbers of one of several styles."""
    rng, normal = draw.rng, draw.rng.normal(size=shape)
    signs = rng.choice([-1.0, 1.0], shape)
    styles = (
        signs * 10 ** rng.uniform(-30, 30, shape),
        signs * 10 ** rng.uniform(-300, 300, shape),
        normal,
        normal * 10 ** draw.random.uniform(-30, 30),
        normal + 10 ** draw.random.uniform(3, 17),
        normal * (rng.random(shape) < 0.2),
        np.zeros(shape),
        rng.choice([0.0, 1.0, -1.0, 1e30, 1e-30, 1e6, 1e-10], shape),
        rng.choice(normal.reshape(-1)[: max(1, normal.size // 5)], shape),
    )
    return draw.choice(styles)


def weights(draw: Draw, n: int) -> np.ndarray | None:
    wide, near = 10 ** draw.rng.uniform(-30, 9, n), 10 ** draw.rng.uniform(-8, 8, n)
    return draw.choice((wide, near, draw.rng.choice([0.0, 1.0, 1e-300, 1e9, 5e-324], n), None, None))


def case(draw: Draw) -> None:
    model, dtype = drawn.model(draw), draw.choice(("float32", "float64"))
    width, classes = draw.choice((1, 2, 3, 6)), draw.choice((2, 2, 3, 4))
    for _ in range(draw.random.randint(1, 5)):
        n = draw.choice((1, 2, 3, 7, 20))
        with np.errstate(over="ignore"):
            X = numbers(draw, (n, width)).astype(dtype)
        if draw.chance(0.2):
            X[:] = X[0]
        y = numbers(draw, (n,)) if isinstance(model, Regressor) else draw.rng.integers(0, classes, n)
        weight = weights(draw, n)
        shown = None if weight is None else weight.tolist()
        draw.note(f"learn({X.tolist()}, {y.tolist()}, sample_weight={shown})")
        draw.file(".before.safetensors", model.to_bytes())
        expect(drawn.step(draw, model, drawn.copied(model), X, y, weight), "what was learned is saved")
