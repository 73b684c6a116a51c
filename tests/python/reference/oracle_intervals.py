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

from oracle_average import Last
from oracle_drift import OracleForgetting
from oracle_probabilities import Probabilities
from oracle_tube import OracleRegression

COVERAGES = np.array([0.1, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999])


class Thresholds:
    """One threshold for each of `COVERAGES`."""

    def __init__(self, largest):
        self.q, self.largest, self.n = np.full(len(COVERAGES), 2.0), largest, 0

    def take(self, score) -> None:
        rate = 2 * max(0.02, 3 / (self.n + 10)) * np.where(COVERAGES == 0.999, 10, 1)
        self.q = np.clip(self.q + rate * ((score > self.q) - (1 - COVERAGES)), 0, self.largest)
        self.n += 1

    def at(self, coverage) -> float:
        # At coverage 0 the threshold is 0.
        q, c = np.append(0, np.maximum.accumulate(self.q)), np.append(0, COVERAGES)
        return np.interp(-np.log(1 - coverage), -np.log(1 - c), q)


class Errors(Last):
    """The error rho_j near each vector of an expansion, and the mean error g of all rows."""

    def __init__(self, store):
        self.store = store
        self.rho: list[float] = []
        self.g, self.n = 0.0, 0

    def nearness(self, x) -> np.ndarray:
        x = np.atleast_2d(x)
        if not self.store.vectors:
            return np.zeros((len(x), 0))
        return self.store.kernel(x, np.array(self.store.vectors)) ** 2

    def expected(self, x) -> np.ndarray:
        """The expected error at each row of x."""
        w = self.nearness(x)
        return (w @ np.array(self.rho) + 0.05 * self.g) / (w.sum(axis=1) + 0.05)

    def take(self, x, error) -> None:
        w = self.nearness(x)[0]
        step = 0.06 * w / (w.sum() + 0.05)
        self.rho = [rho + s * (error - rho) for rho, s in zip(self.rho, step, strict=True)]
        self.n += 1
        self.g += max(0.001, 1 / self.n) * (error - self.g)

    def insert(self, x) -> None:
        self.rho.append(float(self.expected(x)[0]))

    def move(self, n, h, p) -> None:
        self.rho[n] += np.clip(h, 0, 1) * (self.rho[p] - self.rho[n])

    def forget(self, p) -> None:
        del self.rho[p]


class OracleIntervals(OracleRegression):
    """One regressor with prediction intervals, with the options of OracleRegression."""

    def __init__(self, n_features, budget, **options):
        super().__init__(n_features, budget, **options)
        self.errors = Errors(self.store)
        self.store.companions.append(self.errors)
        self.thresholds = Thresholds(1e9)

    def look(self, x, y) -> np.ndarray:
        scores = super().look(x, y)
        if self.seen > 1:  # the prediction of the first row is 0
            served = scores[0]
            if self.average:
                served = self.uncorrected(x[None])[0, 0]
                served += self.excess @ self.mean_excess_V if self.has_excess else 0.0
            served = np.clip(served, self.targets.lowest, self.targets.highest)
            error, z = abs(y - served), self.A @ x
            expected = self.errors.expected(z)[0]
            self.thresholds.take(0.0 if error == 0 else error / expected if expected > 0 else np.inf)
            self.errors.take(z, error)
        return scores

    def predict_interval(self, X, coverage) -> np.ndarray:
        Z = (X if self.standard is None else self.standard(X)) @ self.A.T
        half = self.thresholds.at(coverage) * self.errors.expected(Z)
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
