"""Online scaling that faulty values do not break, slowly and plainly from its specification.

Each feature has a sample of 32 recent values and, from it, bounds of its usual values. Only values inside the
bounds count in mean and deviation. A feature whose recent values are mostly unusual starts anew.

In regression a feature keeps the centre and scale that it is standardised by, while they are near mean and
deviation.
"""

from __future__ import annotations

import numpy as np

GRID, WARMUP = 32, 256
"""Statistics change at every row up to a feature's row 256, and then before rows 1, 33, 65, ..."""


class Feature:
    """One feature: `memory` is the number of rows that mean and deviation follow."""

    centre, scale = 0.0, 1.0
    """What values are standardised by."""

    def __init__(self):
        self.n, self.mean, self.squares, self.held = 0, 0.0, 0.0, []
        self.rows = 0
        self.median, self.mad = 0.0, 0.0
        self.ring, self.samples, self.wait, self.step = [0.0] * 32, 0, 0, 1
        self.outside_run = self.near_run = 0
        self.last_outside = self.last_inside = None

    def inside(self, x) -> bool:
        return self.mad == 0 or self.median - 30 * self.mad <= x <= self.median + 30 * self.mad

    def counted(self, x) -> float:
        """The value as it counts: at most 2 sqrt(n) deviations from the mean, unless all were equal."""
        farthest = 2 * np.sqrt(self.squares)  # as n deviations squared are the sum of squares
        return float(np.clip(x, self.mean - farthest, self.mean + farthest)) if farthest > 0 else x

    def begin(self, values) -> None:
        """Values that were all equal count as at most 32 once others come, unless these differ by 1."""
        before = np.asarray(values) - self.mean
        if self.squares == 0 and before.sum() != (before**2).sum():
            self.n = min(self.n, 32)

    def add(self, x, memory) -> None:
        before = x - self.mean
        self.n += 1
        self.mean += before / self.n
        self.squares += before * (x - self.mean)
        self.fade(memory)

    def fade(self, memory) -> None:
        if self.n > memory:
            self.n, self.squares = memory, self.squares * (memory / self.n)

    def add_held(self, memory) -> None:
        """The rows that are added together also fade together."""
        self.begin(self.held)
        for x in self.held:
            self.add(x, np.inf)
        self.held = []
        self.fade(memory)

    def take(self, x, memory) -> bool:
        """Learn a value; return whether the feature started anew with it."""
        self.rows += 1
        inside = self.inside(x)
        repeats = not inside and x == self.last_outside
        if not inside:
            self.outside_run += not repeats
            self.last_outside = x
        else:
            self.outside_run = 0
            if x != self.last_inside:
                self.near_run = self.near_run + 1 if abs(x - self.median) < 0.05 * self.mad else 0
            self.last_inside = x
        anew = self.outside_run >= 64 or self.near_run >= 64
        if anew:
            self.__init__()
            self.rows, self.last_inside, inside, repeats = 1, x, True, False
        if not repeats:
            self.sample(x)
        if inside and self.rows <= WARMUP:
            self.begin([x])
            self.add(self.counted(x), memory)
        elif inside:
            self.held.append(self.counted(x))
        if self.rows in (16, 32) or self.rows % 64 == 0:
            self.set_bounds(memory)
        return anew

    def sample(self, x) -> None:
        """Every `step`-th value; the step doubles with each full ring."""
        if self.wait > 0:
            self.wait -= 1
        if self.wait == 0:
            self.ring[self.samples % 32] = x
            self.samples += 1
            self.wait = self.step
            if self.samples % 32 == 0:
                self.step = min(2 * self.step, 64)

    def set_bounds(self, memory) -> None:
        values = np.array(self.ring[: self.samples])
        median = upper_median(values)
        deviations = abs(values - median)
        others = deviations[deviations > 0]
        if len(others) == 0:
            return
        mad = upper_median(deviations)
        if mad == 0:
            self.median = self.mad = 0.0
            return
        self.median, self.mad = median, mad
        # Many different values outside are no corrupt values.
        while len(set(outside := [x for x in values if not self.inside(x)])) >= 6:
            self.mad = upper_median([abs(x - median) for x in outside])
        deviation = np.sqrt(self.squares / max(self.n, 1))
        if self.n > 0 and (not self.inside(self.mean) or deviation > 30 * self.mad):
            inside = np.array([x for x in values if self.inside(x)])
            self.n, self.held = len(inside), []
            self.mean, self.squares = inside.mean(), ((inside - inside.mean()) ** 2).sum()
            self.fade(memory)

    def __call__(self, x, clip=3.0) -> float:
        """The value in deviations, at most `clip` either way; 0 for a missing one."""
        if np.isnan(x):
            return 0.0
        return float(np.clip((x - self.centre) / self.scale, -clip, clip))

    @property
    def deviation(self) -> float:
        """The standard deviation; 1 if all values were equal."""
        deviation = np.sqrt(self.squares / max(self.n, 1))
        return 1.0 if deviation <= 1e-15 * abs(self.mean) else deviation

    def follow(self) -> None:
        self.centre, self.scale = self.mean, self.deviation

    @property
    def keeps(self) -> bool:
        """Whether centre and scale may stay: not in the first rows, nor if most sampled values are equal."""
        return self.n > 64 and self.mad > 0

    def change(self) -> tuple[float, float] | None:
        """Follow mean and deviation if they are far off; return these in units of centre and scale."""
        shift, ratio = (self.mean - self.centre) / self.scale, self.deviation / self.scale
        if abs(shift) <= 0.5 and 1 / 1.5 <= ratio <= 1.5:
            return None
        self.follow()
        return shift, ratio


def upper_median(values) -> float:
    return float(np.sort(values)[len(values) // 2])


class RobustScaling:
    """The features of a row, each on its own; `memory` is the number of rows that count.

    With `keeps_scales` a feature keeps centre and scale. `changes` are the changes before the last row: the
    feature, and the new centre and scale in units of the old.
    """

    def __init__(self, n_features, memory=np.inf, *, keeps_scales=False):
        self.features = [Feature() for _ in range(n_features)]
        self.memory, self.t, self.restarts = memory, 0, 0
        self.keeps_scales, self.changes = keeps_scales, []

    def take(self, x) -> None:
        self.changes = []
        if self.t % GRID == 0:
            for feature in self.features:
                feature.add_held(self.memory)
            self.follow()
            if self.keeps_scales:
                found = [(j, feature.change()) for j, feature in enumerate(self.features)]
                self.changes = [(j, *change) for j, change in found if change is not None]
        self.t += 1
        for feature, value in zip(self.features, x, strict=True):
            if not np.isnan(value):
                self.restarts += feature.take(float(value), self.memory)
        self.follow()

    def follow(self) -> None:
        for feature in self.features:
            if not (self.keeps_scales and feature.keeps):
                feature.follow()

    def excess(self, X) -> np.ndarray:
        """What the linear term sees of values beyond the clip."""
        return 0.3 * (self(X, 40.0) - self(X))

    def __call__(self, X, clip=3.0) -> np.ndarray:
        rows = np.atleast_2d(np.asarray(X, float))
        scaled = [[feature(x, clip) for feature, x in zip(self.features, row, strict=True)] for row in rows]
        return np.array(scaled).reshape(np.shape(X))
