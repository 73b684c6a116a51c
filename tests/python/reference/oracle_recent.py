"""The vote of the most recent rows, slowly and plainly."""

from __future__ import annotations

import numpy as np

from oracle_probabilities import Calibration

WINDOW = 512


class RecentRows:
    """A vote of the last 512 rows, which predicts instead of the model.

    It predicts while it has saved more than three errors. A row with the image z votes for its class with its
    weight, times exp(-4 gamma |z - z'|^2) for the row with the image z'. Rows enter the window during a
    trial, and while the vote predicts.
    """

    def __init__(self, n_classes):
        self.n_classes, self.calibration = n_classes, Calibration(n_classes)
        self.rows: list[tuple[np.ndarray, int, float]] = []
        self.saved, self.trial = 0.0, 2 * WINDOW

    @property
    def predicts(self) -> bool:
        return self.saved > 3

    @property
    def is_collecting(self) -> bool:
        return self.predicts or self.trial > 0

    def __call__(self, z, gamma) -> np.ndarray:
        f = np.zeros(self.n_classes)
        for other, y, weight in self.rows:
            f[y] += weight * np.exp(-4 * gamma * ((z - other) ** 2).sum())
        return f[1:] - f[:1] if self.n_classes == 2 else f

    def take(self, z, y, weight, gamma, hit) -> None:
        """A row that the model predicted right (`hit`) or wrong."""
        if not self.is_collecting:
            return
        if self.predicts or (0 < self.trial <= WINDOW and self.trial % 4 == 0):
            f = self(z, gamma)
            self.saved += weight * (int(Calibration.predicted(f) == y) - int(hit)) - 0.002 * self.saved
            self.calibration.take(f, y)
        self.rows = [*self.rows, (z, y, weight)][-WINDOW:]
        self.trial = max(self.trial - 1, 0)
        if not self.is_collecting:
            self.rows, self.saved = [], 0.0

    def begin_trial(self) -> None:
        self.trial = 2 * WINDOW
