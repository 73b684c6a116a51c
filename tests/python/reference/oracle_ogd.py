"""Online gradient descent with a constant step and BOGD (Zhao et al. 2012), slowly and plainly."""

from __future__ import annotations

import numpy as np

from oracle import squared_norm
from oracle_perceptron import Labelled


class GradientDescent(Labelled):
    """Hinge loss, step `eta0`, regularisation `alpha`; `max_coef` is for `maintenance="bogd"`."""

    def __init__(self, n_classes, *, eta0=0.2, alpha=1e-4, max_coef=10.0, **options):
        super().__init__(n_classes, **options)
        self.eta0, self.alpha, self.max_coef = eta0, alpha, max_coef
        self.n_clipped = 0

    @property
    def mean_weight_degradation(self) -> float:
        """In units of the step, as with a step that is not constant."""
        return super().mean_weight_degradation / self.eta0

    def take_step(self, x, y, weight) -> None:
        margin, direction, rounding = self.judge(x, y)
        self.compare("hinge", margin, 1.0, rounding)
        row = weight * self.eta0 * direction
        if not (margin < 1.0 and self.takes(x)):
            self.decay()
            return
        self.n_updates += 1
        if self.maintenance == "bogd" and self.full:
            self.replace_random(x, int(y), row)
        else:
            self.decay()
            self.add(x, int(y), row)

    def decay(self) -> None:
        self.rows = [self.kept * row for row in self.rows]

    @property
    def kept(self) -> float:
        return 1.0 - self.eta0 * self.alpha

    def replace_random(self, x, y, row) -> None:
        """BOGD: one leaves, the others take its place on average, and no coefficient stays too large."""
        wanted = np.array([*(self.kept * row for row in self.rows), row])
        p = self.rng.below(self.budget)
        self.make_room(x)
        rows = np.array([*self.rows, np.zeros_like(row)])
        rows[p] = 0.0
        if self.budget > 1:
            rows *= self.budget / (self.budget - 1)
        rows *= self.kept
        rows[-1] = row
        largest, limit = abs(rows).max(), self.eta0 * self.max_coef
        if largest > limit:
            rows *= limit / largest
            self.n_clipped += 1
        self.vectors.append(x)
        self.labels.append(y)
        self.inside.append(True)
        self.degradations.append(float(np.sqrt(max(squared_norm(self.gram(), rows - wanted), 0.0))))
        self.rows = list(rows)
        self.forget(p)
