"""Prediction intervals and prediction sets of the online kernel machine, slowly and plainly.

A threshold q for each coverage moves with every row that is predicted before it is learned: up if the row's
score is above q, else down, so that the share of rows with a score of at most q is the coverage (adaptive
conformal inference, Gibbs and Candes 2021). In regression the score is the absolute error over the error
that was expected at the row. In classification it is -ln p of the row's class, 0 if this class is predicted,
and infinite if it was never seen.

The expected error at x is the mean of the errors rho_j near the support vectors, weighted by k_j^2, and of
the mean error of all rows, weighted by 0.05.
"""

from __future__ import annotations

import numpy as np

from oracle_drift import OracleForgetting
from oracle_online import Averaged
from oracle_probabilities import Probabilities
from oracle_tube import OracleRegression

COVERAGES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])


class Thresholds:
    """One threshold for each of `COVERAGES`."""

    def __init__(self, largest):
        self.q, self.largest, self.n = np.full(7, 2.0), largest, 0

    def take(self, score) -> None:
        rate = 2 * max(0.02, 3 / (self.n + 10))
        self.q = np.clip(self.q + rate * ((score > self.q) - (1 - COVERAGES)), 0, self.largest)
        self.n += 1

    def at(self, coverage) -> float:
        return np.interp(-np.log(1 - coverage), -np.log(1 - COVERAGES), np.maximum.accumulate(self.q))


class WithErrors(Averaged):
    """An expansion with the error rho_j near each vector, and the mean error g of all rows."""

    def __init__(self, n_classes, **options):
        super().__init__(n_classes, **options)
        self.rho: list[float] = []
        self.g, self.n_errors = 0.0, 0
        self.pair = None

    def expected(self, x) -> np.ndarray:
        """The expected error at each row of x."""
        x = np.atleast_2d(x)
        if not self.vectors:
            return np.full(len(x), self.g)
        w = self.kernel(x, np.array(self.vectors)) ** 2
        return (w @ np.array(self.rho) + 0.05 * self.g) / (w.sum(axis=1) + 0.05)

    def take_error(self, x, error) -> None:
        if self.vectors:
            w = self.kernel(x, np.array(self.vectors))[0] ** 2
            step = 0.06 * w / (w.sum() + 0.05)
            self.rho = [rho + s * (error - rho) for rho, s in zip(self.rho, step, strict=True)]
        self.n_errors += 1
        self.g += max(0.001, 1 / self.n_errors) * (error - self.g)

    def insert(self, x, row) -> None:
        self.rho.append(float(self.expected(x)[0]))
        super().insert(x, row)

    def merge(self, m, **options) -> float:
        vectors, rho, self.pair = [np.array(x) for x in self.vectors], list(self.rho), None
        lost = super().merge(m, **options)
        if self.pair is not None:
            n, p = self.pair
            merged, way = n - (p < n), vectors[p] - vectors[n]
            h = np.clip((self.vectors[merged] - vectors[n]) @ way / (way @ way), 0, 1)
            self.rho[merged] = rho[n] + h * (rho[p] - rho[n])
        return lost

    def combine(self, n, own, p, share) -> None:
        self.pair = n, p
        super().combine(n, own, p, share)

    def forget(self, p) -> None:
        super().forget(p)
        del self.rho[p]


def with_errors(store) -> WithErrors:
    """An empty expansion like `store`, with errors."""
    expansion = WithErrors.__new__(WithErrors)
    vars(expansion).update(vars(store))
    expansion.rho, expansion.g, expansion.n_errors, expansion.pair = [], 0.0, 0, None
    # The kernel reads gamma from the expansion.
    expansion.kernel = lambda a, b: store_kernel(expansion, a, b)
    return expansion


def store_kernel(expansion, a, b) -> np.ndarray:
    """The rational quadratic kernel with the expansion's present gamma."""
    a, b = np.atleast_2d(np.asarray(a, float)), np.atleast_2d(np.asarray(b, float))
    distance = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
    return (1 + expansion.gamma * distance / expansion.tail) ** -expansion.tail


class OracleIntervals(OracleRegression):
    """One regressor with prediction intervals, with the options of OracleRegression."""

    def __init__(self, n_features, budget, **options):
        super().__init__(n_features, budget, **options)
        self.store = with_errors(self.store)
        self.thresholds = Thresholds(1e9)

    def look(self, x, y) -> np.ndarray:
        scores = super().look(x, y)
        if self.seen > 1:  # the prediction of the first row is 0
            served = scores[0]
            if self.average:
                served = self.scores(x[None], self.means, self.mean_V, self.mean_v0)[0, 0]
                served += self.excess @ self.mean_excess_V if self.has_excess else 0.0
            served = np.clip(served, self.targets.lowest, self.targets.highest)
            error, z = abs(y - served), self.A @ x
            expected = self.store.expected(z)[0]
            self.thresholds.take(0.0 if error == 0 else error / expected if expected > 0 else np.inf)
            self.store.take_error(z, error)
        return scores

    def predict_interval(self, X, coverage) -> np.ndarray:
        Z = (X if self.standard is None else self.standard(X)) @ self.A.T
        half = self.thresholds.at(coverage) * self.store.expected(Z)
        return self.predict(X)[:, None] + half[:, None] * [-1, 1]


class Steered(Probabilities):
    """Probabilities, and the thresholds of prediction sets."""

    def __init__(self, n_features, n_classes, **options):
        super().__init__(n_features, n_classes, **options)
        self.thresholds, self.classes_seen = Thresholds(-np.log(1e-6)), set()

    def take(self, f, x, y, weight) -> None:
        if y in self.classes_seen:
            f_served = self.scores(f, x)
            right = self.served.predicted(f_served) == y
            self.thresholds.take(0.0 if right else -np.log(max(self.served(f_served)[y], 1e-6)))
        elif self.classes_seen:
            self.thresholds.take(np.inf)
        self.classes_seen.add(y)
        super().take(f, x, y, weight)


class OracleSets(OracleForgetting):
    """One classifier with prediction sets, with the options of OracleForgetting."""

    def __init__(self, n_features, n_classes, budget, **options):
        super().__init__(n_features, n_classes, budget, **options)
        self.probabilities = Steered(n_features, n_classes, corrects=self.probabilities.corrects)

    def predict_set(self, X, coverage) -> np.ndarray:
        thresholds = self.probabilities.thresholds
        sets = -np.log(np.maximum(self.predict_proba(X), 1e-6)) <= thresholds.at(coverage)
        for row, f in zip(sets, self.decision_function(X), strict=True):
            row[self.probabilities.served.predicted(np.atleast_1d(f))] = True
        return sets
