"""Budgeted SGD with any loss, slowly and plainly from its specification.

Each derivative is written down from its loss. With a `rate` of maintenance it is NBSGD (Le et al. 2016).
"""

from __future__ import annotations

import numpy as np

from cases import LOSSES_OF_CLASSES
from oracle import squared_norm
from oracle_perceptron import Labelled

DISTILLED = 0.01  # Crammer's beta: the margin without itself from which "distill" removes a vector


class StochasticGradient(Labelled):
    """One classifier (with a loss of `LOSSES_OF_CLASSES`) or regressor. `n_classes=2` is one output.

    The model is kept as `v = lambda t w`: an update adds exactly minus the derivative of the loss, there is
    no decay, and the scores before example t are `raw / (lambda (t - 1))`. So `degradations` are
    |Delta w| / eta_t.
    """

    def __init__(
        self,
        n_classes,
        *,
        loss="hinge",
        alpha=1e-4,
        project_to_ball=False,
        epsilon=0.1,
        delta=1.0,
        quantile=0.5,
        grad_tol=1e-3,
        rate=None,
        max_size=None,
        stream_length=None,
        **options,
    ):
        super().__init__(n_classes, stream_length=stream_length, **options)
        self.loss, self.alpha, self.project_to_ball = loss, alpha, project_to_ball
        self.epsilon, self.delta, self.quantile, self.grad_tol = epsilon, delta, quantile, grad_tol
        self.rate, self.max_size = 0.6 * stream_length if rate == "auto" else rate, max_size
        self.classifies, self.one_rival = loss in LOSSES_OF_CLASSES, loss != "log_loss"
        self.t = self.n_drawn = 0
        self.largest = 0.0  # |y|

    def take_step(self, x, y, weight) -> None:
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
        elif self.loss == "modified_huber":
            unit = self.alpha * max(self.t - 1, 1)
            self.compare("hinge", margin, unit, rounding)
            descent = direction * np.clip(2 * (1 - margin / unit), 0, 4)
        else:
            descent = self.log_descent(scores, int(y)) if self.classifies else self.descent(scores[0], y, x)
        if not descent.any() or not self.takes(x):
            return
        self.n_updates += 1
        self.add(x, int(y) if self.classifies else 0, weight * descent)
        if self.project_to_ball:
            self.project_on_ball()

    def log_descent(self, scores, y) -> np.ndarray:
        """Minus the derivative of `-log p_y`; zero where it is shorter than the tolerance."""
        if self.n_classes == 2:
            sign = 2.0 * y - 1.0
            descent = np.array([sign * np.exp(-np.logaddexp(0.0, sign * scores[0]))])
        else:
            p = np.exp(scores - scores.max())
            descent = np.eye(self.n_classes)[y] - p / p.sum()
        length = np.linalg.norm(descent)
        self.note("tolerance", abs(length - self.grad_tol) / self.grad_tol)
        return descent if length >= self.grad_tol else np.zeros_like(descent)

    def descent(self, f, y, x) -> np.ndarray:
        """Minus the derivative with respect to f of a loss of `y - f`."""
        self.largest = max(self.largest, abs(y))
        residual = y - f
        kinks = {"epsilon_insensitive": self.epsilon, "huber": self.delta, "squared_error": None}
        kink = kinks.get(self.loss, 0.0)
        if kink is not None:
            rounding = abs(y) + float(np.max(self.terms(x))) / (self.alpha * max(self.t - 1, 1))
            self.note("kink", abs(abs(residual) - kink) / rounding)
        sign = np.sign(residual)
        derivatives = {
            "squared_error": residual,
            "absolute_error": sign,
            "epsilon_insensitive": sign * (abs(residual) > self.epsilon),
            "huber": np.clip(residual, -self.delta, self.delta),
            "quantile": sign * (self.quantile if residual > 0 else 1.0 - self.quantile),
        }
        return np.array([derivatives[self.loss]])

    def project_on_ball(self) -> None:
        """Scales w into its radius: `1/sqrt(lambda)`, with the squared loss `max |y| / sqrt(lambda)`."""
        rows = np.array(self.rows)
        norm2 = squared_norm(self.gram(), rows)
        most = self.largest if self.loss == "squared_error" else 1.0
        radius = most * np.sqrt(self.alpha) * self.t
        if norm2 > radius**2:
            self.rows = [row * (radius / np.sqrt(norm2)) for row in self.rows]

    def rows_at_scale(self) -> np.ndarray:
        """The coefficients of the last model itself, where `rows` are `lambda t` times as large."""
        return super().rows_at_scale() / (self.alpha * max(self.t, 1))

    # The rate of maintenance.

    def maintain(self) -> None:
        if self.rate is None or self.n_support_vectors <= self.budget or self.is_due():
            super().maintain()

    def is_due(self) -> bool:
        """NBSGD: one vector leaves with probability min(rate / t, 1), and at the hard bound in any case."""
        drawn, chance = self.rng.unit(), min(self.rate / self.t, 1.0)
        self.n_drawn += 1
        self.note("rate", abs(drawn - chance))
        return drawn < chance or (self.max_size is not None and self.n_support_vectors > self.max_size)
