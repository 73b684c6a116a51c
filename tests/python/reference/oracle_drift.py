"""The classifier that needs no tuning on a stream that changes, slowly and plainly.

Two models share the vectors of oracle_online.py: the mean and the last one. Each has a running error, by
which one of them is served. With `forget="auto"` the errors also tell how much of the past is of use: its
age, by which the steps and the mean go.
"""

from __future__ import annotations

import numpy as np

from oracle_online import OracleOnline
from oracle_probabilities import Calibration
from oracle_recent import RecentRows
from oracle_scaling import RobustScaling

MEAN, LAST = range(2)


class Adwin:
    """A window of the last values that loses its oldest ones once they differ from the others.

    They are summed up in buckets, at most five of each power of two of them. The oldest bucket is dropped
    while the means before and after some bucket differ by more than chance (Bernstein's bound) allows.
    """

    def __init__(self, delta=0.002):
        self.delta, self.n_seen = delta, 0
        self.buckets: list[np.ndarray] = []  # number and sum of values

    @property
    def length(self) -> float:
        return sum(self.buckets)[0]

    @property
    def mean(self) -> float:
        return sum(self.buckets)[1] / self.length

    def take(self, value) -> float | None:
        """The mean of what is cut off because it has risen; every 32nd value is a time to look."""
        self.n_seen += 1
        self.buckets.append(np.array([1.0, value]))
        size = 1
        while (sizes := [n for n, _ in self.buckets]).count(size) > 5:
            i = sizes.index(size)
            self.buckets[i : i + 2] = [self.buckets[i] + self.buckets[i + 1]]
            size *= 2
        risen, cut = False, np.zeros(2)
        if self.n_seen % 32 == 0:
            while rise := self.rise():
                risen = risen or rise > 0
                cut += self.buckets.pop(0)
        return cut[1] / cut[0] if risen else None

    def rise(self) -> float:
        """By how much the mean rises where it first changes; 0 where it never does."""
        confidence, variance = np.log(2 * np.log(self.length) / self.delta), self.mean * (1 - self.mean)
        for old in np.cumsum(self.buckets, axis=0):
            new = sum(self.buckets) - old
            if min(old[0], new[0]) >= 10:
                spread = (1 / old[0] + 1 / new[0]) * confidence
                rise = new[1] / new[0] - old[1] / old[0]
                if abs(rise) > np.sqrt(2 * spread * variance) + 2 / 3 * spread:
                    return rise
        return 0.0


class OracleForgetting(OracleOnline):
    """One classifier; `forget` is "auto", a number of rows or None, the other options are of OracleOnline."""

    def __init__(self, n_features, n_classes, budget, *, forget, **options):
        super().__init__(n_features, n_classes, budget, **options)
        self.forget = forget
        if self.standard is not None and forget is not None:
            self.least_memory = 3000 if forget == "auto" else forget
            self.standard = RobustScaling(n_features, self.least_memory)
        self.window = Adwin()
        self.errors, self.shares = np.full(2, 0.5), np.zeros(n_classes)
        self.heaviest = self.share = 0.0
        self.mistakes = self.drifts = self.restarts = 0
        self.recent = RecentRows(n_classes) if forget == "auto" else None

    def better(self, deviations) -> bool:
        """Whether the last model errs less than the mean, by so many standard deviations."""
        p = self.errors[MEAN]
        bar = p - deviations * np.sqrt(p * (1 - p) * 0.002)
        self.store.note("error", abs(self.errors[LAST] - bar))
        return self.errors[LAST] < bar

    @property
    def served(self) -> int:
        return MEAN if self.average and not self.better(0.5) else LAST

    def both(self, X) -> np.ndarray:
        """The scores of scaled rows by each model: (model, n, output)."""
        models = (self.means, self.mean_V, self.mean_v0), (self.alpha, self.V, self.v0)
        return np.array([self.scores(X, *model) for model in models])

    def uncorrected(self, X) -> np.ndarray:
        return self.both(X)[self.served]

    @property
    def votes(self) -> bool:
        """Whether the recent rows predict."""
        return self.recent is not None and self.recent.predicts

    def decision_function(self, X) -> np.ndarray:
        if not self.votes:
            return super().decision_function(X)
        X = X if self.standard is None else self.standard(X)
        f = np.array([self.recent(self.A @ x, self.store.gamma) for x in X])
        return f[:, 0] if self.n_outputs == 1 else f

    def predict_proba(self, X) -> np.ndarray:
        calibration = self.recent.calibration if self.votes else self.probabilities.served
        return np.array([calibration(np.atleast_1d(f)) for f in self.decision_function(X)])

    def learn(self, x, y, weight=1.0) -> None:
        if self.standard is not None and self.forget is not None and self.standard.t % 32 == 0:
            self.standard.memory = max(self.least_memory, int(self.age))
        if weight > 0:
            self.heaviest = max(weight, 0.998 * self.heaviest)
            self.share = float(np.float32(weight / self.heaviest))
        super().learn(x, y, weight)

    def look(self, x, y, weight, repeated) -> np.ndarray:
        scores, served = self.both(x[None])[:, 0], self.served
        wrong = (scores[:, 0] > 0 if self.n_outputs == 1 else scores.argmax(axis=1)) != y
        f, z = self.probabilities.scores(scores[served], x), self.A @ x
        hit = Calibration.predicted(f) == y
        f = self.recent(z, self.store.gamma) if self.votes else f
        self.mistakes += int(Calibration.predicted(f) != y)
        self.probabilities.take(scores[served], x, y, weight)
        if self.recent is not None:
            self.recent.take(z, y, weight, self.store.gamma, hit)
            self.store.note("vote", abs(self.recent.saved - 3))
        if self.forget != "auto":
            self.age = min(self.seen, self.forget or np.inf)
            return scores[LAST]
        self.age += 1
        wrong = self.share * wrong
        self.errors += 0.002 * (wrong - self.errors)
        seen = self.share * (np.arange(len(self.shares)) == y)
        self.shares += (seen - self.shares) * max(0.001, 1 / self.seen)
        if self.seen > 200 and self.better(1.0):
            self.age = max(self.age - 1 - 0.001 * self.age, 200.0)
        before = self.window.take(wrong[served])
        if before is not None:
            self.start_again(before)
        if before is not None or self.seen % 4096 == 0:
            self.recent.begin_trial()
        return self.scores(x[None], self.alpha, self.V, self.v0)[0]

    def start_again(self, before) -> None:
        """The mean is dropped.

        So are the coefficients if errors have come three tenths of the way to the errors of a guess.
        """
        self.drifts += 1
        self.age = min(self.age, self.window.length)
        self.probabilities.limit(self.age)
        guess = self.shares.sum() - self.shares.max()
        if self.window.mean > before + 0.3 * max(guess - before, 0):
            self.restarts += 1
            self.store.rows = [0.0 * row for row in self.store.rows]
            self.V, self.v0 = 0.0 * self.V, 0.0 * self.v0
        self.take_means(1.0)
