"""MIRA (Crammer & Singer 2003), slowly and plainly from its quadratic program."""

from __future__ import annotations

import itertools

import numpy as np

from oracle_perceptron import Labelled


class Mira(Labelled):
    """MIRA with the margin beta and the cap C."""

    one_rival = False

    def __init__(self, n_classes, *, C=1.0, margin=0.01, **options):
        super().__init__(n_classes, margin=margin, **options)
        self.C = C

    def take_step(self, x, y, weight) -> None:
        margin, direction, rounding = self.judge(x, y)
        self.compare("margin", margin, self.beta, rounding)
        if margin < self.beta and self.takes(x):
            self.n_updates += 1
            own, cap = float(self.kernel(x, x)[0, 0]), self.C * weight
            if self.n_classes == 2:
                row = np.clip((self.beta - margin) / own, 0.0, cap) * direction
            else:
                row = least_row(own, self.raw(x)[0], int(y), self.beta, cap)
            self.add(x, int(y), row)


def least_row(own, scores, y, beta, cap) -> np.ndarray:
    """The row tau of least `own |tau|^2 / 2 + B . tau` with sum 0, tau_y <= cap and tau_r <= 0 elsewhere.

    At the solution some classes are at their bound and the others have one slope in common: every choice of
    classes at their bound is tried, and the best that keeps the bounds is taken.
    """
    right = np.arange(len(scores)) == y
    slopes, bounds = scores + np.where(right, 0.0, beta), np.where(right, cap, 0.0)
    found = []
    for at_bound in itertools.product((False, True), repeat=len(scores)):
        fixed = np.array(at_bound)
        if fixed.all():
            continue  # the sum would be C
        level = (slopes[~fixed].sum() - own * bounds[fixed].sum()) / np.count_nonzero(~fixed)
        row = np.where(fixed, bounds, (level - slopes) / own)
        if (row <= bounds + 1e-12 * cap).all():
            found.append((own * (row @ row) / 2 + slopes @ row, row))
    return min(found, key=lambda pair: pair[0])[1]
