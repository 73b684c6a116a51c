"""Budgeted SGD with the hinge loss, slowly and plainly from its specification."""

from __future__ import annotations

import numpy as np

from oracle import Expansion, squared_norm


class Oracle(Expansion):
    """One classifier.

    The model is kept as `v = lambda t w`: an update adds exactly the direction (+1 or -1), there is no decay,
    and the scores before example t are `raw / (lambda (t - 1))`. So `degradations` are |Delta w| / eta_t.
    """

    def __init__(self, n_classes, *, alpha=1e-4, project_to_ball=False, **options):
        super().__init__(n_classes, **options)
        self.alpha, self.project_to_ball = alpha, project_to_ball
        self.t = 0

    def decision_function(self, x) -> np.ndarray:
        scores = super().decision_function(x)
        return scores / (self.alpha * self.t) if self.t else scores

    def learn(self, xs, ys) -> Oracle:
        for x, y in zip(np.asarray(xs, float), ys, strict=True):
            self.learn_one(x, int(y))
        return self

    def learn_one(self, x, y) -> None:
        raw = self.raw(x)[0]
        self.n_mistakes += int(self.predict(x)[0] != y)
        self.t += 1
        margin, direction = self.margin(raw, y)
        threshold = self.alpha * (self.t - 1)
        if self.t > 1:
            self.note("hinge", abs(margin - threshold) / max(abs(margin), threshold))
        if not (self.t == 1 or margin < threshold):
            return
        if self.kernel(x, x)[0, 0] == 0.0:
            return
        if self.maintenance == "stop" and self.full:
            return
        self.n_updates += 1
        self.insert(x, direction)
        if self.project_to_ball:
            self.project_on_ball()

    def project_on_ball(self) -> None:
        """Scales w into the radius 1/sqrt(lambda): |v| = lambda t |w| <= sqrt(lambda) t."""
        rows = np.array(self.rows)
        norm2 = squared_norm(self.gram(), rows)
        radius = np.sqrt(self.alpha) * self.t
        if norm2 > radius**2:
            self.rows = [row * (radius / np.sqrt(norm2)) for row in self.rows]
