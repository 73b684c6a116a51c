"""Kernel expansions on a budget, slowly and plainly from their specification.

The fast code must agree with this. Vectors and coefficient rows are plain lists in order of age, the kernel
matrix is rebuilt at every step, projections solve their system from scratch and merging searches every
partner by golden section. Everything is float64. The update rules are in oracle_sgd.py, oracle_pa.py,
oracle_perceptron.py, oracle_mira.py and oracle_ogd.py.
"""

from __future__ import annotations

import copy

import numpy as np

from merge_reference import best_merge

TIE = 1e-9  # values this close (relative) are equal, and the oldest one is taken
DEPENDENT = 1e-12  # a squared residual under this share of k_tt is in the span, to rounding
MASK = (1 << 64) - 1


def kernel_matrix(
    kernel: str, a, b, gamma: float = 1.0, degree: int = 3, coef0: float = 0.0, alpha_rq: float = 1.0
) -> np.ndarray:
    """All `k(a_i, b_j)`; `a` is (n, d), `b` is (m, d)."""
    a, b = np.atleast_2d(np.asarray(a, float)), np.atleast_2d(np.asarray(b, float))
    if kernel in ("rbf", "laplacian", "rational-quadratic"):
        difference = a[:, None, :] - b[None, :, :]
        distance = (abs(difference) if kernel == "laplacian" else difference**2).sum(axis=2)
        if kernel == "rational-quadratic":
            return (1 + gamma * distance / alpha_rq) ** -alpha_rq
        return np.exp(-gamma * distance)
    dot = (a[:, None, :] * b[None, :, :]).sum(axis=2)
    if kernel == "linear":
        return dot
    if kernel == "poly":
        return (gamma * dot + coef0) ** degree
    if kernel == "sigmoid":
        return np.tanh(gamma * dot + coef0)
    if kernel == "cosine":
        norms = np.sqrt((a**2).sum(axis=1))[:, None] * np.sqrt((b**2).sum(axis=1))[None, :]
        return np.divide(dot, norms, out=np.zeros_like(dot), where=norms > 0)
    raise ValueError(kernel)


def draws(seed: int, n: int):
    """The model's generator: SplitMix64, uniform in [0, n) by Lemire's multiplication with rejection."""
    state, reject = seed & MASK, ((1 << 64) - n) % n
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        wide = (z ^ (z >> 31)) * n
        if wide & MASK >= reject:
            yield wide >> 64


def oldest_smallest(values) -> int:
    """The index of the smallest value; those within TIE of it count as equal and the first of them wins."""
    values = np.asarray(values)
    low = values.min()
    return int(np.flatnonzero(values <= low + TIE * abs(low))[0])


def decades(residual, threshold) -> float:
    """How many powers of ten a residual is away from a threshold."""
    return abs(np.log10(max(residual, 1e-300) / max(threshold, 1e-300)))


def squared_norm(gram, rows) -> float:
    """|sum_j rows_j phi_j|^2 over all classes."""
    return float(((rows @ rows.T) * gram).sum())


class Expansion:
    """Vectors with coefficient rows, and the maintenance of their budget that goes with every update rule.

    `n_classes=2` (labels 0 and 1) has one column of coefficients, more classes have one each.

    `draw` is an iterator of the indices that `maintenance="random"` removes. After learning, `closest` tells
    how near to a tie the decisions fell: the smallest relative gap of each kind. A stream on which some gap
    is about as large as rounding proves nothing about an implementation.
    """

    def __init__(
        self,
        n_classes,
        *,
        budget=None,
        maintenance="none",
        kernel="rbf",
        gamma=1.0,
        degree=3,
        coef0=0.0,
        alpha_rq=1.0,
        draw=None,
    ):
        self.n_classes, self.budget, self.maintenance = n_classes, budget, maintenance
        self.draw = draw
        self.kernel = lambda a, b: kernel_matrix(kernel, a, b, self.gamma, degree, coef0, alpha_rq)
        self.gamma, self.tail = gamma, None if kernel == "rbf" else alpha_rq
        self.vectors: list[np.ndarray] = []
        self.rows: list[np.ndarray] = []  # coefficients
        self.inside: list[bool] = []  # whether the factor holds the vector (only projections look at it)
        self.n_updates = 0
        self.n_mistakes = 0
        self.degradations: list[float] = []  # the change of the weight vector by each maintenance step
        self.closest: dict[str, float] = {}
        self.worst_condition = 1.0

    # What is copied with the expansion; its arrays need not be, for none is ever changed in place.
    held = list, dict, type(iter([]))

    def __deepcopy__(self, memo):
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, self.held):
                setattr(other, name, copy.copy(value))
        return other

    @property
    def n_support_vectors(self) -> int:
        return len(self.vectors)

    @property
    def n_maintenances(self) -> int:
        return len(self.degradations)

    @property
    def mean_weight_degradation(self) -> float:
        return float(np.mean(self.degradations)) if self.degradations else 0.0

    @property
    def full(self) -> bool:
        return self.budget is not None and self.n_support_vectors >= self.budget

    def learn(self, xs, ys, sample_weight=None):
        """Learns the rows in order; the update rules have `learn_one`."""
        weights = np.ones(len(xs)) if sample_weight is None else sample_weight
        for x, y, weight in zip(np.asarray(xs, float), ys, weights, strict=True):
            self.learn_one(x, y, weight)
        return self

    def raw(self, x) -> np.ndarray:
        """The value of the expansion at each row of x: (n, 1) for two classes, else (n, n_classes)."""
        x = np.atleast_2d(np.asarray(x, float))
        if not self.vectors:
            return np.zeros((len(x), 1 if self.n_classes == 2 else self.n_classes))
        return self.kernel(x, np.array(self.vectors)) @ np.array(self.rows)

    def decision_function(self, x) -> np.ndarray:
        scores = self.raw(x)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, x) -> np.ndarray:
        raw = self.raw(x)
        return (raw[:, 0] > 0).astype(int) if self.n_classes == 2 else raw.argmax(axis=1)

    def terms(self, x) -> np.ndarray:
        """The sums of |alpha_j k_j| by column: what the rounding of the scores of x is relative to."""
        if not self.vectors:
            return np.zeros(1 if self.n_classes == 2 else self.n_classes)
        return (abs(self.kernel(x, np.array(self.vectors))) @ abs(np.array(self.rows)))[0]

    def margin(self, raw, y):
        """The margin of `raw` scores, and the direction in which an update goes."""
        if self.n_classes == 2:
            sign = 1.0 if y == 1 else -1.0
            return sign * raw[0], np.array([sign])
        rivals = raw.copy()
        rivals[y] = -np.inf
        rival = int(rivals.argmax())  # the first of equals
        others = np.delete(raw, [y, rival])
        gaps = rivals[rival] - others[others != rivals[rival]]
        if gaps.size:
            self.note("rival", gaps.min() / abs(raw).max())
        direction = np.zeros(self.n_classes)
        direction[y], direction[rival] = 1.0, -1.0
        return raw[y] - raw[rival], direction

    def insert(self, x, row) -> None:
        self.make_room()
        self.inside.append(self.independent(x))
        self.vectors.append(x)
        self.rows.append(row)
        self.maintain()

    def maintain(self) -> None:
        """What follows an insertion."""
        if self.budget is not None and self.n_support_vectors > self.budget:
            self.degradations.append(getattr(self, "drop_" + self.maintenance.replace("-", "_"))())

    # What leaves, and what is done about it: each returns the norm of the change.

    def drop_oldest(self) -> float:
        return self.remove(0)

    def drop_random(self) -> float:
        return self.remove(self.drawn())

    def drop_smallest(self) -> float:
        return self.remove(self.smallest())

    def drop_project(self) -> float:
        waiting = [i for i, inside in enumerate(self.inside) if not inside]
        return self.project(waiting[0] if waiting else self.smallest())

    def drop_project_best(self) -> float:
        waiting = [i for i, inside in enumerate(self.inside) if not inside]
        if waiting:
            return self.project(waiting[0])
        inverse = np.linalg.inv(self.gram())
        return self.project(self.choose("project", self.norms2() / np.diag(inverse)))

    def drop_merge(self) -> float:
        return self.merge(self.smallest())

    def drop_merge_newest(self) -> float:
        return self.merge(self.n_support_vectors - 1, may_be_heavier=True)

    def merge(self, m, *, may_be_heavier=False) -> float:
        """Merge m with the best partner under the Gaussian kernel of the same kernel values."""
        norms2 = self.norms2()
        if norms2[m] == 0.0:
            return self.remove(m)
        others = [j for j in range(self.n_support_vectors) if j != m]
        x, a = self.vectors, self.rows
        p, q = norms2[m], norms2[others]
        if may_be_heavier:
            p, q = np.minimum(p, q), np.maximum(p, q)
        r = np.array([a[m] @ a[j] for j in others])
        distance = np.array([((x[m] - x[j]) ** 2).sum() for j in others])
        h, degradation = best_merge(p, q, r, self.exponent(distance))
        best = self.choose("merge", degradation)
        n, h, lost, distance = others[best], h[best], degradation[best], distance[best]
        if may_be_heavier and norms2[m] > norms2[n]:
            m, n = n, m  # h is the share of the lighter one
        k, u, v = np.exp(-self.exponent(distance * np.array([1, (1 - h) ** 2, h**2])))
        if self.tail is not None:
            row = u * a[m] + v * a[n]
            lost = norms2[m] + norms2[n] + 2 * r[best] * k - row @ row
        x[n] = x[n] + h * (x[m] - x[n])
        self.combine(n, v, m, u)
        self.forget(m)
        return float(np.sqrt(max(lost, 0.0)))

    # The pieces of the above.

    def make_room(self) -> None:
        """What is kept for each vector has one more, the newcomer."""

    def drawn(self) -> int:
        """Which of the old vectors leaves, by chance."""
        return next(self.draw)

    def exponent(self, distance):
        """-ln k of squared distances, of a kernel whose support vectors are merged."""
        if self.tail is None:
            return self.gamma * distance
        return self.tail * np.log1p(self.gamma * distance / self.tail)

    def gram(self) -> np.ndarray:
        return self.kernel(np.array(self.vectors), np.array(self.vectors))

    def norms2(self) -> np.ndarray:
        """|alpha_j|^2."""
        return np.array([row @ row for row in self.rows])

    def smallest(self) -> int:
        return self.choose("smallest", self.norms2() * np.diag(self.gram()))

    def choose(self, kind, values) -> int:
        values = np.asarray(values)
        best = oldest_smallest(values)
        low = values.min()
        if low > 0:
            gaps = values[values > low * (1 + TIE)] / low - 1
            if gaps.size:
                self.note(kind, gaps.min())
        return best

    def has_factor(self) -> bool:
        return self.maintenance.startswith("project")

    def independent(self, x) -> bool:
        """Whether x is out of the span of the factor's vectors."""
        if not self.has_factor():
            return True
        members = [j for j, inside in enumerate(self.inside) if inside]
        if not members:
            return True
        own = float(self.kernel(x, x)[0, 0])
        row, coefficients = self.on_span(members, x)
        residual = own - float(row @ coefficients)
        self.note("dependent", decades(residual, DEPENDENT * own))
        return residual > DEPENDENT * own

    def on_span(self, members, x):
        """The kernel row of x on the members, and the coefficients of its projection on their span."""
        basis = np.array([self.vectors[j] for j in members])
        gram, row = self.kernel(basis, basis), self.kernel(basis, x)[:, 0]
        self.note_condition(gram)
        return row, np.linalg.solve(gram, row)

    def note_condition(self, gram) -> None:
        self.worst_condition = max(self.worst_condition, float(np.linalg.cond(gram)))

    def project(self, p) -> float:
        """Drops p; the vectors of the factor take over what they can express of it."""
        members = [j for j, inside in enumerate(self.inside) if inside and j != p]
        row, coefficients = self.on_span(members, self.vectors[p])
        own = float(self.kernel(self.vectors[p], self.vectors[p])[0, 0])
        lost = float(self.rows[p] @ self.rows[p]) * max(own - float(row @ coefficients), 0.0)
        for j, share in zip(members, coefficients, strict=True):
            self.combine(j, 1.0, p, share)
        self.forget(p)
        return float(np.sqrt(lost))

    def combine(self, n, own, p, share) -> None:
        """The row of n becomes `own` times itself and `share` times that of p."""
        self.rows[n] = own * self.rows[n] + share * self.rows[p]

    def remove(self, p) -> float:
        own = float(self.kernel(self.vectors[p], self.vectors[p])[0, 0])
        lost = float(self.rows[p] @ self.rows[p]) * own
        self.forget(p)
        return float(np.sqrt(lost))

    def forget(self, p) -> None:
        del self.vectors[p], self.rows[p], self.inside[p]

    def note(self, kind, gap) -> None:
        self.closest[kind] = min(float(gap), self.closest.get(kind, np.inf))
