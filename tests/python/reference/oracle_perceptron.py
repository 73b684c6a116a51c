"""The Perceptron and its budgets, slowly and plainly from their specification.

`Labelled` is what MIRA and OGD share with it: the labels are kept beside the vectors, and with them the two
caches of Crammer, Kandola and Singer (2003), which remove a vector whose example is classified well without
it.
"""

from __future__ import annotations

import numpy as np

from oracle import TIE, Expansion, oldest_smallest, squared_norm


class Labelled(Expansion):
    """Vectors with their labels; `margin` is the papers' beta.

    Whether a decision is clear is measured against the terms that make up its sums. Without any terms it is
    exact everywhere; where equals count as a tie, it is the border of the tie that is in doubt.
    """

    one_rival = True  # whether an update depends on which of the rivals is the strongest

    def __init__(self, n_classes, *, margin=0.0, **options):
        super().__init__(n_classes, **options)
        self.beta = margin
        self.labels: list[int] = []

    def judge(self, x, y):
        """The margin of an example, its direction and what rounding is relative to; counts a mistake."""
        scores, terms = self.raw(x)[0], self.terms(x)
        self.n_mistakes += int(self.predict(x)[0] != y)
        margin, direction = self.margin(scores, y)
        if self.n_classes == 2:
            self.compare("prediction", scores[0], 0.0, terms[0])
            return margin, direction, terms[0]
        first, second = np.argsort(-scores, kind="stable")[:2]
        self.compare("prediction", scores[first], scores[second], terms[first] + terms[second])
        rival = int(direction.argmin())
        for other in set(range(self.n_classes)) - {y, rival} if self.one_rival else ():
            self.compare("rival", scores[other], scores[rival], terms[other] + terms[rival])
        return margin, direction, terms[y] + terms[rival]

    def compare(self, kind, value, threshold, rounding) -> None:
        if rounding > 0.0:
            self.note(kind, abs(value - threshold) / rounding)

    def takes(self, x) -> bool:
        """Whether the example may update at all."""
        return self.kernel(x, x)[0, 0] != 0.0 and not (self.maintenance == "stop" and self.full)

    def add(self, x, y, row) -> None:
        if self.maintenance == "margin" and self.full:
            self.degradations.append(self.remove(self.best_without_itself()[0]))
        self.labels.append(y)
        self.insert(x, row)

    def maintain(self) -> None:
        if self.has_factor():
            self.note_condition(self.gram()[np.ix_(self.inside, self.inside)])
        if self.maintenance == "distill":
            while self.n_support_vectors > 1:
                best, margin, rounding = self.best_without_itself(newcomer=True)
                self.compare("distill", margin, self.beta, rounding)
                if margin < self.beta:
                    break
                self.degradations.append(self.remove(best))
        super().maintain()

    def drop_distill(self) -> float:
        return self.remove(self.best_without_itself(newcomer=True)[0])

    def best_without_itself(self, newcomer=False):
        """The old vector whose example has the largest margin without it; that margin and its rounding.

        With `newcomer` the last vector is not an old one.
        """
        n_old = self.n_support_vectors - newcomer
        gram, rows, labels = self.gram(), np.array(self.rows), self.labels[:n_old]
        others = gram * (1.0 - np.eye(len(gram)))
        margins = self.margins(others @ rows, labels)
        rounding = (abs(gram) @ abs(rows)).max(axis=1)[:n_old]
        best = oldest_smallest(-margins)
        border = margins.max() - TIE * abs(margins.max())
        for j in range(n_old):
            if j != best:
                self.note("best", abs(margins[j] - border) / rounding[j])
        return best, margins[best], rounding[best]

    def margins(self, scores, labels) -> np.ndarray:
        """The margins of the first vectors, whose labels are given."""
        if self.n_classes == 2:
            return np.array(
                [score if y == 1 else -score for y, (score,) in zip(labels, scores, strict=False)]
            )
        return np.array([s[y] - max(np.delete(s, y)) for y, s in zip(labels, scores, strict=False)])

    def forget(self, p) -> None:
        super().forget(p)
        del self.labels[p]


class Perceptron(Labelled):
    """The Perceptron, aggressive with a `margin` above 0, with the generic budgets and the Forgetron's."""

    def __init__(self, n_classes, *, margin=None, maintenance="none", **options):
        if margin is None:
            margin = 0.01 if maintenance in ("margin", "distill") else 0.0
        super().__init__(n_classes, margin=margin, maintenance=maintenance, **options)
        self.q = 0.0  # what the Forgetron has spent so far

    def take_step(self, x, y, weight) -> None:
        margin, direction, rounding = self.judge(x, y)
        self.compare("margin", margin, self.beta, rounding)
        if margin <= self.beta and self.takes(x):
            self.n_updates += 1
            self.add(x, int(y), weight * direction)

    def drop_forgetron(self) -> float:
        gram, rows = self.gram(), np.array(self.rows)
        sigma = np.linalg.norm(rows[0])
        mu = rows[0] @ (gram[0] @ rows) / sigma
        phi = shrink(sigma, mu, self.q, self.n_updates)
        self.q += spent(sigma, mu, phi)
        change = (phi - 1.0) * rows
        change[0] = -rows[0]
        self.rows = list(phi * rows)
        self.forget(0)
        return float(np.sqrt(max(squared_norm(gram, change), 0.0)))


def spent(sigma, mu, phi) -> float:
    """What a removal adds to Q when the model is scaled by phi before it."""
    return (sigma * phi) ** 2 + 2 * sigma * phi * (1 - phi * mu)


def shrink(sigma, mu, q, n_updates) -> float:
    """The Forgetron's phi: the largest in (0, 1] that keeps Q within 15 M / 32, by bisection.

    At phi = 0 nothing is spent, which is within the limit; a parabola that is above the limit at 1 crosses it
    once in between.
    """
    limit = 15 * n_updates / 32 - q
    if spent(sigma, mu, 1.0) <= limit:
        return 1.0
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if spent(sigma, mu, middle) <= limit else (low, middle)
    return low


class Projectron(Perceptron):
    """`maintenance` is "projectron" or "projectron++". Nothing is projected on vectors outside the factor."""

    def __init__(self, n_classes, *, eta=0.3, **options):
        super().__init__(n_classes, **options)
        self.eta = eta

    def take_step(self, x, y, weight) -> None:
        margin, direction, rounding = self.judge(x, y)
        self.compare("margin", margin, 0.0, rounding)
        if margin <= 0.0:
            if self.takes(x):
                self.n_updates += 1
                self.correct(x, int(y), weight * direction)
        elif self.maintenance == "projectron++":
            self.compare("hinge", margin, 1.0, rounding)
            if margin < 1.0 and self.takes(x):
                self.step(x, 1.0 - margin, weight, direction)

    def correct(self, x, y, row) -> None:
        """A mistake: the example is absorbed or inserted."""
        own, members, coefficients, residual = self.on_basis(x)
        if not self.full:
            self.note("eta", abs(residual - self.eta**2) / own)
        if self.full or np.sqrt(residual) <= self.eta:
            self.spread(row, members, coefficients)
            self.degradations.append(float(np.linalg.norm(row) * np.sqrt(residual)))
        else:
            self.add(x, y, row)

    def step(self, x, hinge, weight, direction) -> None:
        """A margin between 0 and 1: along the projection only, if that is worth it."""
        own, members, coefficients, residual = self.on_basis(x)
        away = np.sqrt(residual) / self.eta if self.eta > 0.0 else np.inf
        self.note("step", abs(hinge - away))
        if hinge > away:
            length = (direction @ direction) * (own - residual)
            tau = min(hinge / length, 2.0 * (hinge - away) / length, 1.0)
            self.n_updates += 1
            self.spread(weight * tau * direction, members, coefficients)

    def on_basis(self, x):
        """k_tt, the vectors in the factor, the projection of phi_t on them and the squared residual."""
        own = float(self.kernel(x, x)[0, 0])
        members = [j for j, inside in enumerate(self.inside) if inside]
        if not members:
            return own, members, [], own
        row, coefficients = self.on_span(members, x)
        return own, members, coefficients, max(own - float(row @ coefficients), 0.0)

    def spread(self, row, members, coefficients) -> None:
        for j, share in zip(members, coefficients, strict=True):
            self.rows[j] = self.rows[j] + share * row
