"""Averages of the models w_1, ..., w_t (w_s: the model before example s, but for `Late`), as naive as can be.

Every model is kept. For a mean they are kept as their coefficients on the vectors that the model holds now:
when vectors are projected or merged or leave, that is done to each of the kept models.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import floor, prod

import numpy as np

MASK = (1 << 64) - 1


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


class Last:
    """No average: the last model predicts. The others do what follows as far as it concerns them."""

    def before(self, vectors, rows, rng) -> None:
        """What precedes the learning of an example."""

    def after(self, rows) -> None:
        """What follows it."""

    def served(self, vectors, rows):
        """The vectors of the model that predicts, and its coefficients, (vector, output)."""
        return vectors, rows

    def insert(self, x) -> None:
        """The vectors have one more; it gets a row."""

    def move(self, n, h, p) -> None:
        """The vector n goes the share h of the way to p, with which it is merged."""

    def combine(self, n, own, p, share) -> None:
        """The row of n becomes `own` times itself and `share` times the row of p."""

    def forget(self, p) -> None:
        """The vector p leaves."""


class Suffix(Last):
    """The mean of the models of the suffix, for `average` True or a fraction.

    `models` is (model, vector, output).
    """

    def __init__(self, n_outputs, average, length):
        self.models = np.zeros((0, 0, n_outputs))
        self.gamma = "0.5" if average is True else str(average)
        self.length = length

    def before(self, vectors, rows, rng) -> None:
        self.models = np.concatenate([self.models, rows[None]])

    def served(self, vectors, rows):
        t = len(self.models)
        start = suffix_start(self.gamma, self.length, t)
        return vectors, self.models[start:].mean(axis=0) if t else rows

    def insert(self, x) -> None:
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

    def served(self, vectors, rows):
        weights = [float(prod(range(t, t + 9))) for t in range(1, len(self.models) + 1)]
        return vectors, np.tensordot(weights, self.models, 1) / sum(weights) if weights else rows


class Drawn(Last):
    """One model of the suffix 1/2, all equally probable: a reservoir of one for each of two windows.

    It stays as it was, with the vectors that it had.
    """

    def __init__(self, n_outputs, length):
        self.models = []  # vectors and coefficients
        self.length, self.nothing = length, ([], np.zeros((0, n_outputs)))
        self.older, self.newer = [], []  # for each model of a window its number if it was drawn, else None

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

    def served(self, vectors, rows):
        drawn = [model for model in self.older if model is not None]
        return self.models[drawn[-1]] if drawn else self.nothing


def average_of(n_outputs, average, length):
    if average is False:
        return Last()
    if average == "random":
        return Drawn(n_outputs, length)
    return Late(n_outputs) if average == "polynomial" else Suffix(n_outputs, average, length)


class SplitMix:
    """The model's generator."""

    def __init__(self, seed):
        self.state = seed & MASK

    def bits(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = ((self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def unit(self) -> float:
        """Uniform in [0, 1)."""
        return (self.bits() >> 11) / 2**53

    def below(self, n) -> int:
        """Uniform in [0, n): a multiplication, with rejection of what would be a bias."""
        while True:
            wide = self.bits() * n
            if wide & MASK >= (1 << 64) % n:
                return wide >> 64
