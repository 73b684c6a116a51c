"""Passive-aggressive learning on a budget, slowly and plainly from Proposition 1 of Wang & Vucetic (2010).

When the budget is full, `simple`, `nn` and `joint` try every vector r that could leave, the newcomer t
included: the change `-alpha_r phi_r + sum_{i in S} beta_i phi_i` is solved for on the Gram matrix of S, and
its objective `|change|^2 / 2 + C loss` is evaluated from the change itself. Nothing is kept from one example
to the next but the vectors and their rows.
"""

from __future__ import annotations

import numpy as np

from oracle import DEPENDENT, TIE, Expansion, decades, squared_norm

PIVOT = 1e-10  # a neighbour whose squared residual is under this share of k_ii is left out of the system
JOINT = ("simple", "nn", "joint")


class PassiveAggressive(Expansion):
    """One classifier with the loss `hinge`, `squared_hinge` (PA-II) or `ramp`.

    With `direction . f` the margin of an example, its hinge is `max(0, target - direction . f)`, target 1.
    """

    def __init__(self, n_classes, *, C=1.0, loss="hinge", may_discard_new=False, **options):
        super().__init__(n_classes, **options)
        self.C, self.loss, self.may_discard_new = C, loss, may_discard_new

    def take_step(self, x, y, weight) -> None:
        scores = self.raw(x)[0]
        direction, target = self.judge(x, scores, y)
        hinge = target - direction @ scores
        rounding = abs(target) + self.terms(x).max()
        self.note("hinge", abs(hinge) / rounding)
        if hinge <= 0.0:
            return
        if self.loss == "ramp":
            self.note("ramp", abs(hinge - 2.0) / rounding)
            if hinge > 2.0:
                return
        own = float(self.kernel(x, x)[0, 0])
        if own == 0.0 or (self.maintenance == "stop" and self.full):
            return
        cap = self.C * weight
        self.n_updates += 1
        row = self.step(hinge, direction @ direction * own, cap) * direction
        # What the factor cannot take is in the span of the others: its removal costs nothing.
        dependent = self.maintenance == "joint" and not (all(self.inside) and self.independent(x))
        if self.full and self.maintenance in JOINT and not dependent:
            self.replace(x, row, direction, target, cap)
        else:
            self.insert(x, row)

    def judge(self, x, scores, y):
        """The direction of an update and the target of the margin in it; counts a mistake."""
        leading = np.sort(np.append(scores, 0.0) if self.n_classes == 2 else scores)
        if leading[-1] != leading[-2]:
            self.note("prediction", (leading[-1] - leading[-2]) / self.terms(x).max())
        self.n_mistakes += int(self.predict(x)[0] != y)
        return self.margin(scores, int(y))[1], 1.0

    def step(self, hinge, curvature, cap) -> float:
        """Tau. `curvature` is w k_tt, or w s when only a part of phi_t can be added."""
        if self.loss == "squared_hinge":
            return hinge / (curvature + 1 / (2 * cap))
        return hinge / curvature if hinge < cap * curvature else cap

    def penalty(self, hinge, cap) -> float:
        return cap * max(0.0, hinge) ** (2 if self.loss == "squared_hinge" else 1)

    def drop_joint(self) -> float:
        return self.project(self.inside.index(False))

    # One vector leaves, and the step is taken, in one go.

    def replace(self, x, row, direction, target, cap) -> None:
        """Drops one of the stored vectors and x; the indices go over the vectors in order of age, then t.

        `row` is the step without a budget, from which the degradation is counted.
        """
        points = np.array([*self.vectors, x])
        gram = self.kernel(points, points)
        changes = {r: self.solve(gram, r, direction, target, cap) for r in self.candidates()}
        objectives = {r: self.objective(gram, changes[r], direction, target, cap) for r in changes}
        r = self.leaver(gram, objectives)
        assert objectives[r] <= (1 + 1e-6) * min(objectives.values()) + 1e-12, (r, objectives)
        apart = changes[r].copy()
        apart[-1] -= row
        self.degradations.append(float(np.sqrt(max(squared_norm(gram, apart), 0.0))))
        self.make_room(x)
        members = self.members(gram, r)
        # The rows change as solved for; what else is kept goes to the members, as far as they express phi_r.
        shares = np.linalg.solve(gram[np.ix_(members, members)], gram[members, r])
        for one in self.companions:
            for j, share in zip(members, shares, strict=True):
                one.combine(j, 1.0, r, share)
        self.vectors.append(x)
        self.inside.append(True)
        self.rows = list(self.rows_with_newcomer() + changes[r])
        self.forget(r)

    def leaver(self, gram, objectives) -> int:
        """Who leaves: the objective of every old r has the same step in it, so that the cost of the removal
        decides among them, also where it is tiny beside the step. Then the newcomer is compared.
        """
        t = self.n_support_vectors
        old = [r for r in objectives if r != t]
        lengths = np.sqrt(self.norms2()[old])
        costs = lengths**2 * [self.residual(gram, r) for r in old]
        best = self.choose("leaves", costs)
        # Rounding of the largest coefficients goes into all others, rounding of k_rr into the residual.
        rounding = np.maximum(lengths, lengths[best]) * lengths.max() * gram[old, old].max()
        apart = costs > costs[best] * (1 + TIE)
        if apart.any():
            self.note("cost", ((costs - costs[best])[apart] / rounding[apart]).min())
        r = old[best]
        if t in objectives:
            # With all rows at the cap, budget 1 makes the two equal: only the border of a tie is in doubt.
            self.note("newcomer", decades(abs(objectives[r] - objectives[t]), TIE * objectives[t]))
            if objectives[r] > objectives[t] * (1 + TIE):
                return t
        return r

    def residual(self, gram, r) -> float:
        """The squared residual of phi_r on S; 0 when it is in the span, to rounding."""
        residual = residual_on(gram, r, self.members(gram, r))
        self.note("span", decades(residual, DEPENDENT * gram[r, r]))
        return residual if residual > DEPENDENT * gram[r, r] else 0.0

    def rows_with_newcomer(self) -> np.ndarray:
        return np.array([*self.rows, np.zeros_like(self.rows[0])])

    def candidates(self):
        t = self.n_support_vectors
        return range(t + 1) if self.maintenance != "simple" or self.may_discard_new else range(t)

    def solve(self, gram, r, direction, target, cap):
        """Proposition 1: the change of all rows when r leaves, (t + 1, columns)."""
        t = self.n_support_vectors
        alpha = self.rows_with_newcomer()
        members = self.members(gram, r)
        system = gram[np.ix_(members, members)]
        if members:
            self.note_condition(system)
        of_r = np.linalg.solve(system, gram[members, r])
        of_t = np.linalg.solve(system, gram[members, t])
        curvature = (direction @ direction) * (of_t @ gram[members, t])
        scores = alpha.T @ gram[:, t] - alpha[r] * gram[r, t] + alpha[r] * (of_r @ gram[members, t])
        tau = self.step(max(0.0, target - direction @ scores), curvature, cap)
        change = np.zeros_like(alpha)
        change[r] -= alpha[r]
        change[members] += np.outer(of_r, alpha[r]) + tau * np.outer(of_t, direction)
        return change

    def objective(self, gram, change, direction, target, cap) -> float:
        scores = (self.rows_with_newcomer() + change).T @ gram[:, -1]
        return squared_norm(gram, change) / 2 + self.penalty(target - direction @ scores, cap)

    def members(self, gram, r):
        """The set S of vectors that take over what r leaves behind."""
        t = self.n_support_vectors
        newcomer = [t] if r != t else []
        if self.maintenance == "simple":
            return newcomer
        if self.maintenance == "joint":
            return [j for j in range(t) if j != r] + newcomer
        members = newcomer
        for j in self.nearest(gram, r):
            pivot = residual_on(gram, j, members)
            self.note("pivot", decades(pivot, PIVOT * gram[j, j]))
            if pivot >= PIVOT * gram[j, j]:
                members = [*members, j]
        return members

    def nearest(self, gram, r):
        """The stored vectors nearest to r, from the nearest on; the oldest of equals first."""
        others = np.array([j for j in range(self.n_support_vectors) if j != r], dtype=int)
        scale = gram[others, others] + gram[r, r]
        distance = scale - 2 * gram[others, r]
        order = np.argsort(distance, kind="stable")
        if len(others) > self.n_neighbors:
            last, next_one = order[self.n_neighbors - 1 : self.n_neighbors + 1]
            if distance[last] != distance[next_one]:
                self.note("nearest", (distance[next_one] - distance[last]) / scale[last])
        return others[order[: self.n_neighbors]].tolist()

    def has_factor(self) -> bool:
        return self.maintenance == "joint" or super().has_factor()

    def independent(self, x) -> bool:
        independent = super().independent(x)
        if independent and self.has_factor():
            inside = [v for v, inside in zip(self.vectors, self.inside, strict=True) if inside]
            basis = np.array([*inside, x])
            self.note_condition(self.kernel(basis, basis))
        return independent


def residual_on(gram, j, members) -> float:
    """What is left of |phi_j|^2 beside the span of the members."""
    coefficients = np.linalg.solve(gram[np.ix_(members, members)], gram[members, j])
    return float(gram[j, j] - coefficients @ gram[members, j])


class PassiveAggressiveRegression(PassiveAggressive):
    """The loss `epsilon_insensitive`: direction sign(y - f), target `direction y - epsilon`."""

    def __init__(self, *, epsilon=0.1, **options):
        super().__init__(2, loss="epsilon_insensitive", **options)
        self.epsilon = epsilon

    def judge(self, x, scores, y):
        sign = 1.0 if y > scores[0] else -1.0
        return np.array([sign]), sign * y - self.epsilon
