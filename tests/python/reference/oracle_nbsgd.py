"""SGD with a rate of maintenance (NBSGD, Le et al. 2016) and averages, slowly and plainly.

Any loss, any maintenance that goes with gradient descent. The model of the last example is in `vectors` and
`rows` as in oracle_sgd.py; what predicts is `served`.
"""

from __future__ import annotations

import numpy as np

from oracle_average import Averaged
from oracle_losses import DescentOracle
from oracle_nearest import Neighbours
from oracle_perceptron import Labelled

DISTILLED = 0.01  # Crammer's beta: the margin without itself from which "distill" removes a vector


class Nonparametric(Averaged, Neighbours, DescentOracle, Labelled):
    """One classifier (`loss` "hinge" or "log_loss") or regressor, with all options of gradient descent."""

    def __init__(
        self,
        n_classes,
        *,
        loss="hinge",
        rate=None,
        max_size=None,
        stream_length=None,
        **options,
    ):
        super().__init__(n_classes, loss=loss, stream_length=stream_length, **options)
        self.one_rival = loss == "hinge"
        self.rate = 0.6 * stream_length if rate == "auto" else rate
        self.max_size = max_size
        self.n_drawn = 0

    @property
    def classifies(self) -> bool:
        return self.loss in ("hinge", "log_loss")

    def take_step(self, x, y, weight) -> None:
        """The example is judged by the last model, and inserted where the loss has a slope."""
        if self.classifies:
            margin, direction, rounding = self.judge(x, y)
        raw = self.raw(x)[0]
        scores = raw / (self.alpha * self.t) if self.t else np.zeros_like(raw)
        self.t += 1
        self.beta = DISTILLED * self.alpha * self.t  # in the units of the rows
        if self.loss == "hinge":
            threshold = self.alpha * (self.t - 1)
            self.compare("hinge", margin, threshold, rounding)
            descent = direction * (self.t == 1 or margin < threshold)
        else:
            descent = self.log_descent(scores, int(y)) if self.classifies else self.descent(scores[0], y, x)
        if not descent.any() or not self.takes(x):
            return
        self.n_updates += 1
        self.add(x, int(y) if self.classifies else 0, weight * descent)
        if self.project_to_ball:
            self.project_on_ball()

    def rows_at_scale(self) -> np.ndarray:
        """The coefficients of the last model itself, where `rows` are `lambda t` times as large."""
        if not self.rows:
            return np.zeros((0, 1 if self.n_classes == 2 else self.n_classes))
        return np.array(self.rows) / (self.alpha * self.t)

    # The budget.

    def maintain(self) -> None:
        if self.rate is None or self.n_support_vectors <= self.budget or self.is_due():
            super().maintain()

    def is_due(self) -> bool:
        """NBSGD: one vector leaves with probability min(rate / t, 1), and at the hard bound in any case."""
        drawn, chance = self.rng.unit(), min(self.rate / self.t, 1.0)
        self.n_drawn += 1
        self.note("rate", abs(drawn - chance))
        return drawn < chance or (self.max_size is not None and self.n_support_vectors > self.max_size)

    def drop_random(self) -> float:
        return self.remove(self.rng.below(self.n_support_vectors - 1))
