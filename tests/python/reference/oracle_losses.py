"""Budgeted SGD with any loss, slowly and plainly: each derivative is written down from its loss."""

from __future__ import annotations

import numpy as np

from oracle import squared_norm
from oracle_sgd import Oracle


class DescentOracle(Oracle):
    """One classifier with the log loss, or one regressor. `n_classes=2` has one output, as regression has."""

    def __init__(self, n_classes, *, loss, epsilon=0.1, delta=1.0, quantile=0.5, grad_tol=1e-3, **options):
        super().__init__(n_classes, **options)
        self.loss, self.epsilon, self.delta, self.quantile = loss, epsilon, delta, quantile
        self.grad_tol = grad_tol
        self.largest = 0.0  # |y|

    @property
    def classifies(self) -> bool:
        return self.loss == "log_loss"

    def predict(self, x) -> np.ndarray:
        return super().predict(x) if self.classifies else self.decision_function(x)

    def learn_one(self, x, y, weight=1.0) -> None:
        if weight == 0.0:
            return
        if self.classifies:
            self.n_mistakes += int(self.predict(x)[0] != y)
        raw = self.raw(x)[0]
        scores = raw / (self.alpha * self.t) if self.t else np.zeros_like(raw)
        self.t += 1
        descent = self.log_descent(scores, int(y)) if self.classifies else self.descent(scores[0], y, x)
        if not descent.any() or self.kernel(x, x)[0, 0] == 0.0:
            return
        if self.maintenance == "stop" and self.full:
            return
        self.n_updates += 1
        self.insert(x, weight * descent)
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
        return np.array(
            [
                {
                    "squared_error": residual,
                    "absolute_error": np.sign(residual),
                    "epsilon_insensitive": np.sign(residual) * (abs(residual) > self.epsilon),
                    "huber": np.clip(residual, -self.delta, self.delta),
                    "quantile": np.sign(residual) * (self.quantile if residual > 0 else 1.0 - self.quantile),
                }[self.loss]
            ]
        )

    def project_on_ball(self) -> None:
        """Scales w into its radius: `1/sqrt(lambda)`, with the squared loss `max |y| / sqrt(lambda)`."""
        rows = np.array(self.rows)
        norm2 = squared_norm(self.gram(), rows)
        most = self.largest if self.loss == "squared_error" else 1.0
        radius = most * np.sqrt(self.alpha) * self.t
        if norm2 > radius**2:
            self.rows = [row * (radius / np.sqrt(norm2)) for row in self.rows]
