"""The classifier that needs no tuning on a stream that changes, and its probabilities, slowly and plainly.

Three models share the vectors of oracle_online.py: the long mean, a short one of about the last thousand
models, and the last one. Each has a running error, by which one of them is served. With `forget="auto"` the
errors also tell how old the stream is since its last change; the steps and the means go by that age.
"""

from __future__ import annotations

import numpy as np

from oracle_online import OracleOnline, Standard

LONG, SHORT, LAST = range(3)


class Fading(Standard):
    """Mean and deviation of about the last `memory` rows."""

    def __init__(self, n_features, memory):
        super().__init__(n_features)
        self.memory = memory

    def take(self, x) -> None:
        super().take(x)
        if self.n > self.memory:
            self.n, self.squares = self.memory, self.squares * (self.memory / self.n)


class Adwin:
    """A window of the last values that is cut where its mean has changed.

    The values are summed up in buckets, at most five of each power of two of them. Of two halves whose means
    differ by more than chance (Bernstein, with the confidence delta) the oldest bucket is dropped.
    """

    def __init__(self, delta=0.002):
        self.delta, self.n_seen = delta, 0
        self.sizes: list[int] = []
        self.sums: list[float] = []

    @property
    def mean(self) -> float:
        return sum(self.sums) / sum(self.sizes)

    def take(self, value) -> bool:
        """Whether the mean has risen; every 32nd value is a time to look."""
        self.n_seen += 1
        self.sizes.append(1)
        self.sums.append(value)
        size = 1
        while self.sizes.count(size) > 5:
            oldest = self.sizes.index(size)
            for column in (self.sizes, self.sums):
                column[oldest : oldest + 2] = [sum(column[oldest : oldest + 2])]
            size *= 2
        risen = False
        while self.n_seen % 32 == 0 and (sum(self.sizes) >= 64 or risen is not False) and (rise := self.rise()):
            risen = risen or rise > 0
            del self.sizes[0], self.sums[0]
        return risen
