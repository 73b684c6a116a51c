"""The regressor that needs no tuning, slowly and plainly from its specification.

It is the machine of oracle_online.py with one output, in the units of the targets. A row teaches when its
error is over `epsilon min(1, 1.2533 m / s)` running deviations s of the targets, whose mean absolute
deviation is m. Predictions stay within the range of the targets that count. With `xb = (x, 1)` the linear
part learns as if the kernel were `kappa + xb' S xb`; the matrix S shrinks along every row that teaches.
When the scaling of a feature changes, the linear part stays the same function of the rows as they came.
"""

from __future__ import annotations

import numpy as np

from oracle_online import OracleOnline
from oracle_scaling import RobustScaling


class Targets:
    """Mean, deviation, mean absolute deviation and range of the targets (Welford).

    After 32 targets one that is over 30 mean absolute deviations from the mean does not count. They start
    anew at 64 such targets in a row, and at the end of a block of 256 that are no wider than a tenth of the
    mean absolute deviation, unless all are equal or 64 in a row have made them start anew before.
    """

    def __init__(self):
        self.n, self.mean, self.squares, self.absolute = 0, 0.0, 0.0, 0.0
        self.lowest, self.highest = np.inf, -np.inf

    far, levels, block = 0, False, ()

    def take(self, y) -> bool:
        """Whether they start anew with this target."""
        wide = self.absolute / max(self.n, 1)
        outlier = self.n >= 32 and abs(y - self.mean) > 30 * wide
        self.far = self.far + 1 if outlier else 0
        self.block = (*self.block[len(self.block) // 256 * 256 :], y)
        narrow = len(self.block) == 256 and 0 < max(self.block) - min(self.block) < 0.1 * wide
        anew = self.far == 64 or (narrow and not self.levels)
        if anew:
            self.levels = self.levels or self.far == 64
            self.far = 0
            self.__init__()
        elif outlier:
            return False
        self.count(y)
        return anew

    def count(self, y) -> None:
        self.lowest, self.highest = min(self.lowest, y), max(self.highest, y)
        self.n += 1
        before = y - self.mean
        self.mean = self.mean + before / self.n
        self.squares += before * (y - self.mean)
        self.absolute += abs(y - self.mean)

    @property
    def deviation(self) -> float:
        return np.sqrt(self.squares / max(self.n, 1))


class OracleRegression(OracleOnline):
    """One regressor; `linear_weight=None` leaves out the linear term. Other options: OracleOnline."""

    def __init__(self, n_features, budget, *, linear_weight=1.0, epsilon=0.1, C0=10.0, **options):
        options |= {"linear_weight": None, "C0": C0}
        super().__init__(n_features, 2, budget, **options)  # without its linear part, of first order
        self.epsilon, self.has_linear = epsilon, linear_weight is not None
        self.S = (linear_weight or 0.0) * np.eye(n_features + 1)
        self.learned = np.ones_like(self.S) if n_features <= 64 else np.eye(n_features + 1)  # what of S moves
        # With scaling, the excess of each feature beyond the clip is an input, uncorrelated with the others.
        self.has_excess = self.has_linear and self.standard is not None
        if self.has_excess:
            self.standard = RobustScaling(n_features, keeps_scales=True)
        self.excess_S = (linear_weight or 0.0) * np.ones(n_features)
        self.excess_V, self.mean_excess_V = np.zeros(n_features), np.zeros(n_features)
        self.n_changes = 0  # of the scaling
        self.targets = Targets()
        self.error = 1.0  # running mean of the squared error in deviations, each at most 4

    @property
    def coef_(self) -> np.ndarray:
        return self.mean_V if self.average else self.V

    @property
    def intercept_(self) -> np.ndarray:
        return self.mean_v0 if self.average else self.v0

    @property
    def served_excess_V(self) -> np.ndarray:  # noqa: N802
        return self.mean_excess_V if self.average else self.excess_V

    @property
    def tail_coef_(self) -> np.ndarray:
        return 0.3 * self.served_excess_V[None, :]

    def predict(self, X) -> np.ndarray:
        f = self.decision_function(X)
        return np.clip(f, self.targets.lowest, self.targets.highest) if self.seen else f

    def decision_function(self, X) -> np.ndarray:
        scores = super().decision_function(X)
        if not self.has_excess:
            return scores
        return scores + self.standard.excess(X) @ self.served_excess_V

    def look(self, x, y) -> np.ndarray:
        scores = self.last_scores(x)
        return scores + self.excess @ self.excess_V if self.has_excess else scores

    def take_means(self, rho) -> None:
        super().take_means(rho)
        self.mean_excess_V = self.mean_excess_V + rho * (self.excess_V - self.mean_excess_V)

    def learn(self, x, y, weight=1.0) -> None:
        if weight == 0.0:
            return
        x = self.scaled(np.asarray(x, float))
        if self.seen == 1 and self.has_linear:
            self.v0 = self.v0 + y
        relative = self.relative(weight)
        error = y - self.look(x, y)[0]
        if self.targets.take(y):
            error = self.start_anew(x, y)
        deviation = self.targets.deviation
        if deviation > 0:
            self.learn_from(x, error, deviation, relative)
        self.take_means(10 / (self.age + 9))  # the model after row t weighs t (t + 1) ... (t + 8)

    def scaled(self, x) -> np.ndarray:
        scaled = super().scaled(x)
        if self.has_excess:
            self.excess = self.standard.excess(x)
            for change in self.standard.changes:
                self.rescale(*change)
            self.n_changes += len(self.standard.changes)
        return scaled

    def rescale(self, j, shift, ratio) -> None:
        """Predict the same as before from values x of the feature that are now (x - shift) / ratio."""
        for V, v0, excess_V in (
            (self.V, self.v0, self.excess_V),
            (self.mean_V, self.mean_v0, self.mean_excess_V),
        ):
            v0 += shift * V[:, j]
            V[:, j] *= ratio
            excess_V[j] *= ratio
        T = np.eye(self.d + 1)
        T[-1, j], T[j, j] = shift, ratio
        # The constant does not learn from features whose correlations are not followed.
        T = T * self.learned
        self.S = T @ self.S @ T.T
        self.excess_S[j] *= ratio**2

    def start_anew(self, x, y) -> float:
        """Forget all but the vectors; the target becomes the constant. Returns the error."""
        self.store.rows = [0.0 * row for row in self.store.rows]
        self.V, self.v0, self.excess_V = 0.0 * self.V, 0.0 * self.v0, 0.0 * self.excess_V
        self.take_means(1.0)
        self.v0 = self.v0 + (y if self.has_linear else 0.0)
        return y - self.scores(x[None], self.alpha, self.V, self.v0)[0, 0]

    def learn_from(self, x, error, deviation, weight) -> None:
        size, direction = abs(error) / deviation, np.sign([error])
        self.error += (min(size**2, 4.0) - self.error) * max(0.001, 1 / self.seen)
        epsilon = self.epsilon * min(1.0, 1.2533 * self.targets.absolute / (self.targets.n * deviation))
        self.store.note("tube", abs(size - epsilon))
        if size <= epsilon:
            return
        xb = np.append(x, 1.0)
        reach = self.S @ xb
        excess_reach = self.excess_S * self.excess if self.has_excess else np.zeros(self.d)
        variance = xb @ reach + excess_reach @ (self.excess if self.has_excess else excess_reach)
        cap = weight * self.C0 * max(0.25, 1 - self.error) / (np.sqrt(self.age) if self.C_decay else 1.0)
        share = min(1.0, weight)
        g = min(share * (size - epsilon) / (1 + variance), cap) * deviation * direction
        self.V = self.V + np.outer(g, reach[:-1])
        self.v0 = self.v0 + g * reach[-1]
        self.excess_V = self.excess_V + g[0] * excess_reach
        self.excess_S = self.excess_S - excess_reach**2 / (30 + variance)
        self.S = self.S - self.learned * np.outer(reach, reach) / (30 + variance)
        self.update(x, g, direction)
