"""SGD with a rate of maintenance (NBSGD, Le et al. 2016) and averages, slowly and plainly.

Any loss, any maintenance that goes with gradient descent. The model of the last example is in `vectors` and
`rows` as in oracle_sgd.py; what predicts is `served`.
"""

from __future__ import annotations

import copy

import numpy as np

from oracle import MASK
from oracle_average import Drawn, Late, Suffix
from oracle_losses import DescentOracle
from oracle_nearest import Neighbours
from oracle_perceptron import Labelled

DISTILLED = 0.01  # Crammer's beta: the margin without itself from which "distill" removes a vector


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


class Nonparametric(Neighbours, DescentOracle, Labelled):
    """One classifier (`loss` "hinge" or "log_loss") or regressor, with all options of gradient descent."""

    def __init__(
        self,
        n_classes,
        *,
        loss="hinge",
        rate=None,
        max_size=None,
        stream_length=None,
        average=False,
        seed=0,
        **options,
    ):
        super().__init__(n_classes, loss=loss, **options)
        self.one_rival = loss == "hinge"
        self.rate = 0.6 * stream_length if rate == "auto" else rate
        self.max_size = max_size
        self.rng = SplitMix(seed)
        self.n_drawn = 0
        outputs = 1 if n_classes == 2 else n_classes
        self.average = None
        if average == "random":
            self.average = Drawn(outputs, stream_length)
        elif average == "late":
            self.average = Late(outputs)
        elif average is not False:
            self.average = Suffix(outputs, average, stream_length)

    def __deepcopy__(self, memo):
        """No array is ever changed in place: copies of what holds them are enough."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | dict | SplitMix | Suffix | Drawn):
                setattr(other, name, copy.copy(value))
        return other

    @property
    def classifies(self) -> bool:
        return self.loss in ("hinge", "log_loss")

    def learn_one(self, x, y, weight=1.0) -> None:
        if weight == 0.0:
            return
        if self.average:
            self.average.before(self.vectors, self.rows_at_scale(), self.rng)
        self.take_step(x, y, weight)
        if self.average:
            self.average.after(self.rows_at_scale())

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
        if self.ball:
            self.project_on_ball()

    def rows_at_scale(self) -> np.ndarray:
        """The coefficients of the last model itself, where `rows` are `lambda t` times as large."""
        if not self.rows:
            return np.zeros((0, 1 if self.n_classes == 2 else self.n_classes))
        return np.array(self.rows) / (self.alpha * self.t)

    # What predicts.

    def served(self):
        """Its vectors and its coefficients, (vector, output)."""
        return self.average.served(self.vectors) if self.average else (self.vectors, self.rows_at_scale())

    def served_scores(self, x) -> np.ndarray:
        """Its scores, (n, output)."""
        vectors, rows = self.served()
        if not vectors:
            return np.zeros((len(x), 1 if self.n_classes == 2 else self.n_classes))
        return self.kernel(x, np.array(vectors)) @ rows

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

    # The edits of the model, which are made of all models in an average alike.

    def insert(self, x, row) -> None:
        if self.average:
            self.average.insert()
        super().insert(x, row)

    def combine(self, n, own, p, share) -> None:
        if self.average:
            self.average.combine(n, own, p, share)
        super().combine(n, own, p, share)

    def forget(self, p) -> None:
        if self.average:
            self.average.forget(p)
        super().forget(p)
