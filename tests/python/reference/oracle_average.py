"""Averages of the models w_1, ..., w_t (w_s: the model before example s, but for `Late`), as naive as can be.

Every model is kept. For a mean they are kept as their coefficients on the vectors that the model holds now:
when vectors are projected or merged or leave, that is done to each of the kept models.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import floor, prod

import numpy as np


@cache
def restarts(gamma, length, end) -> tuple[int, ...]:
    """All `floor(T g^k)` up to `end`, `g = 1 - gamma`, k any integer, in order; `gamma` is decimal text."""
    g = 1 - Fraction(gamma)
    if g == 0:
        return (0,)
    points, x = {0}, Fraction(length or 1)
    while floor(x) > 0:
        points.add(floor(x))
        x *= g
    x = Fraction(length or 1)
    while floor(x) <= end:
        points.add(floor(x))
        x /= g
    return tuple(sorted(point for point in points if point <= end))


def suffix_start(gamma, length, t) -> int:
    """The a for which `w_{a+1}, ..., w_t` are averaged after t examples: the last restart but one."""
    points = restarts(gamma, length, t)
    return points[-2] if len(points) > 1 else 0


class Suffix:
    """The mean of the models of the suffix, for `average` True or a fraction.

    `models` is (model, vector, output).
    """

    def __init__(self, n_outputs, average, length):
        self.models = np.zeros((0, 0, n_outputs))
        self.gamma = "0.5" if average is True else str(average)
        self.length = length

    def before(self, vectors, rows, rng) -> None:
        """What precedes the learning of an example."""
        self.models = np.concatenate([self.models, rows[None]])

    def after(self, rows) -> None:
        """What follows it."""

    def served(self, vectors):
        """The vectors of the model that predicts, and its coefficients, (vector, output)."""
        t = len(self.models)
        start = suffix_start(self.gamma, self.length, t)
        return vectors, self.models[start:].mean(axis=0) if t else np.zeros(self.models.shape[1:])

    def insert(self) -> None:
        self.models = np.pad(self.models, [(0, 0), (0, 1), (0, 0)])

    def forget(self, p) -> None:
        self.models = np.delete(self.models, p, axis=1)

    def combine(self, n, own, p, share) -> None:
        self.models = self.models.copy()
        self.models[:, n] = own * self.models[:, n] + share * self.models[:, p]


class Late(Suffix):
    """The mean of the models after each example; that after example t weighs `t (t + 1) ... (t + 8)`."""

    def __init__(self, n_outputs):
        super().__init__(n_outputs, 1.0, None)

    def before(self, vectors, rows, rng) -> None: ...

    def after(self, rows) -> None:
        self.models = np.concatenate([self.models, rows[None]])

    def served(self, vectors):
        weights = [float(prod(range(t, t + 9))) for t in range(1, len(self.models) + 1)]
        mean = (
            np.tensordot(weights, self.models, 1) / sum(weights)
            if weights
            else np.zeros(self.models.shape[1:])
        )
        return vectors, mean


class Drawn:
    """One model of the suffix 1/2, all equally probable: a reservoir of one for each of two windows.

    It stays as it was, with the vectors that it had.
    """

    def __init__(self, n_outputs, length):
        self.models = []  # vectors and coefficients
        self.length, self.nothing = length, ([], np.zeros((0, n_outputs)))
        self.older, self.newer = [], []  # the models that a window has drawn, and None for those it has not

    def before(self, vectors, rows, rng) -> None:
        self.models = [*self.models, (list(vectors), rows)]
        self.older, self.newer = self.draw(self.older, rng), self.draw(self.newer, rng)

    def draw(self, window, rng):
        drawn = rng.below(len(window) + 1) == 0
        return [*window, len(self.models) - 1 if drawn else None]

    def after(self, rows) -> None:
        t = len(self.models)
        if t in restarts("0.5", self.length, t):
            self.older, self.newer = self.newer, []

    def served(self, vectors):
        drawn = [model for model in self.older if model is not None]
        return self.models[drawn[-1]] if drawn else self.nothing

    def insert(self) -> None:
        """The models that were drawn from have the vectors that they had; so below."""

    def forget(self, p) -> None: ...

    def combine(self, n, own, p, share) -> None: ...
