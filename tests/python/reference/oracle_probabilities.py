"""The probabilities of the classifier that needs no tuning, slowly and plainly."""

from __future__ import annotations

import numpy as np


class Calibration:
    """Probabilities from scores: a scale, by Newton steps on the log loss.

    Bins of the predicted class' confidence count how often it was right. Lines through their means, made to
    increase (isotonic regression), correct it, but leave the predicted class the likeliest.
    """

    def __init__(self, n_classes):
        self.n_classes, self.least = n_classes, 1 / n_classes
        self.scale, self.curvature = 2.0, 1.0  # a
        self.bins = np.zeros((20, 3))  # rows, their confidences, hits

    @staticmethod
    def predicted(f) -> int:
        return int(f[0] > 0) if len(f) == 1 else int(f.argmax())

    def uncorrected(self, f) -> np.ndarray:
        f = self.of_all(f)
        e = np.exp(self.scale * (f - f.max()))
        return e / e.sum()

    @staticmethod
    def of_all(f) -> np.ndarray:
        """One score for each class: of two classes the first has 0."""
        return np.append(0.0, f) if len(f) == 1 else f

    def bin(self, confidence) -> int:
        return int(np.clip(20 * (confidence * self.n_classes - 1) / (self.n_classes - 1), 0, 19))

    def corrected(self, confidence) -> float:
        centre = self.least + (1 - self.least) * (np.arange(20) + 0.5) / 20
        rows, sums, hits = (self.bins + 10 * np.c_[np.ones(20), centre, centre]).T
        mean = [[hits[a:b].sum() / rows[a:b].sum() for b in range(a + 1, 21)] for a in range(20)]
        increasing = [max(min(mean[a][i - a :]) for a in range(i + 1)) for i in range(20)]
        nodes = [(self.least, self.least)]
        nodes += [node for node in zip(sums / rows, increasing, strict=True) if node[0] > self.least]
        to = next((i for i, node in enumerate(nodes) if i > 0 and confidence <= node[0]), len(nodes) - 1)
        (x, u), (y, v) = nodes[to - 1], nodes[to]
        return float(np.clip(u + (v - u) * (max(confidence, self.least) - x) / (y - x), 0, 1))

    def __call__(self, f) -> np.ndarray:
        p, top = self.uncorrected(f), self.predicted(f)
        rest = np.delete(p, top)
        least = rest.max() / (rest.sum() + rest.max())
        confidence = 0.999 * max(self.corrected(p[top]), least) + 0.001 * (least + (1 - least) * p[top])
        return np.insert(rest * (1 - confidence) / rest.sum(), top, confidence)

    def limit(self, rows) -> None:
        """All rows so far count as at most so many."""
        share = min(1.0, rows / self.bins[:, 0].sum())
        self.bins, self.curvature = share * self.bins, 1 + share * (self.curvature - 1)

    def take(self, f, y) -> None:
        p, top = self.uncorrected(f), self.predicted(f)
        b = self.bin(p[top])
        self.bins[b] += [1, p[top], top == y]
        f = self.of_all(f)
        self.curvature += max(p @ f**2 - (p @ f) ** 2, 1e-4)
        self.scale = np.clip(self.scale - (p @ f - f[y]) / self.curvature, 0.05, 50.0)


class Correction:
    """The rows V and the numbers v0 of corrected scores f + V x + v0, by steps on the log loss."""

    def __init__(self, n_features, n_outputs):
        self.rows = np.zeros((n_outputs, n_features + 1))
        self.squares = np.ones(n_outputs)  # of the gradient of each class, per number of its row

    def __call__(self, f, x) -> np.ndarray:
        return f + self.rows @ np.append(x, 1.0)

    def take(self, x, p, y, weight, scale) -> None:
        """A row with the probabilities p; errors below a hundredth are left out."""
        errors, x = weight * (p - (np.arange(len(p)) == y)), np.append(x, 1.0)
        if weight * (1 - p[y]) < 0.01:
            return
        for r, error in enumerate(errors[-len(self.rows) :]):
            if abs(error) >= 0.01:
                self.squares[r] += error**2 * (x @ x) / len(x)
                self.rows[r] -= 0.05 * error * x / (scale * np.sqrt(self.squares[r]))


class Probabilities:
    """Scores and corrected scores with a calibration each; what has the smaller log loss is served."""

    def __init__(self, n_features, n_classes, *, corrects):
        self.n_features, self.n_outputs = n_features, 1 if n_classes == 2 else n_classes
        self.calibration, self.of_corrected = Calibration(n_classes), Calibration(n_classes)
        self.corrects, self.saved = corrects, 0.0
        self.correction = Correction(n_features, self.n_outputs)

    @property
    def is_corrected(self) -> bool:
        return self.corrects and self.saved > 3

    @property
    def served(self) -> Calibration:
        return self.of_corrected if self.is_corrected else self.calibration

    def scores(self, f, x) -> np.ndarray:
        """The scores that are served for a scaled row."""
        return self.correction(f, x) if self.is_corrected else f

    def take(self, f, x, y, weight) -> None:
        if self.corrects:
            g, scale = self.correction(f, x), self.of_corrected.scale
            before, after = self.calibration.uncorrected(f), self.of_corrected.uncorrected(g)
            loss, loss_after = (-np.log(max(p[y], 1e-9)) for p in (before, after))
            self.saved += weight * (loss - loss_after) - 0.0005 * self.saved
            self.of_corrected.take(g, y)
            self.correction.take(x, after, y, weight, scale)
        self.calibration.take(f, y)

    def take_again(self, f, x, y, weight) -> None:
        """A row of a later pass."""
        if self.corrects:
            p = self.of_corrected.uncorrected(self.correction(f, x))
            self.correction.take(x, p, y, weight, self.of_corrected.scale)

    def limit(self, rows) -> None:
        """All rows so far count as at most so many; the correction is forgotten."""
        self.calibration.limit(rows)
        self.of_corrected.limit(rows)
        self.correction, self.saved = Correction(self.n_features, self.n_outputs), 0.0
