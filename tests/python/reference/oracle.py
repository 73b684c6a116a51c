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
from oracle_average import SplitMix, average_of

TIE = 1e-9  # values this close (relative) are equal, and the oldest one is taken
DEPENDENT = 1e-12  # a squared residual under this share of k_tt is in the span, to rounding
RIDGE = 1e-8  # of a projection on neighbours, relative to each k_ii


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


def oldest_smallest(values) -> int:
    """The index of the smallest value; values within TIE of it count as equal, and the first of them wins."""
    values = np.asarray(values)
    low = values.min()
    return int(np.flatnonzero(values <= low + TIE * abs(low))[0])


def decades(residual, threshold) -> float:
    """How many powers of ten a residual is away from a threshold."""
    return abs(np.log10(max(residual, 1e-300) / max(threshold, 1e-300)))


def squared_norm(gram, rows) -> float:
    """|sum_j rows_j phi_j|^2 over all classes."""
    return float(((rows @ rows.T) * gram).sum())


def most_correlated(gram, p, k):
    """The k vectors of largest `|k_ip| / sqrt(k_ii)`, the oldest of equals first, and how clear that is.

    The second value is the least distance from the border between a tie and none, in widths of a tie.
    """
    left = [j for j in range(len(gram)) if j != p]
    correlation = abs(gram[p]) / np.sqrt(np.diag(gram))
    chosen, clear = [], np.inf
    for _ in range(min(k, len(left))):
        high = correlation[left].max()
        below = high - correlation[left]
        chosen.append(left[int(np.flatnonzero(below <= TIE * high)[0])])
        if high > 0.0:
            clear = min(clear, abs(below / (TIE * high) - 1.0).min())
        left.remove(chosen[-1])
    return chosen, clear


def ridge_projection(gram, p, members):
    """The coefficients d of phi_p on the members, and the squared norm of `phi_p - sum_i d_i phi_i`."""
    system, row = gram[np.ix_(members, members)], gram[members, p]
    d = np.linalg.solve(system + RIDGE * np.diag(np.diag(system)), row)
    residual = gram[p, p] - 2.0 * (d @ row) + d @ system @ d
    return d, max(float(residual), 0.0)


class Expansion:
    """Vectors with coefficient rows, and the maintenance of their budget that goes with every update rule.

    `n_classes=2` (labels 0 and 1) has one column of coefficients, more classes have one each. The model of
    the last example is in `vectors` and `rows`; what predicts is `served`. `companions` are what else is kept
    for each vector, first the average: whatever is done to the rows is done to them.

    After learning, `closest` tells how near to a tie the decisions fell: the smallest relative gap of each
    kind. A stream on which some gap is about as large as rounding proves nothing about an implementation.
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
        n_neighbors=None,
        average=False,
        stream_length=None,
        seed=0,
    ):
        self.n_classes, self.budget, self.maintenance = n_classes, budget, maintenance
        self.n_outputs = 1 if n_classes == 2 else n_classes
        self.n_neighbors = n_neighbors or (4 if maintenance == "project-nn" else 1)
        self.rng = SplitMix(seed)
        self.companions = [average_of(self.n_outputs, average, stream_length)]
        self.kernel_options = {"kernel": kernel, "degree": degree, "coef0": coef0, "alpha_rq": alpha_rq}
        self.gamma, self.tail = gamma, None if kernel == "rbf" else alpha_rq
        self.vectors: list[np.ndarray] = []
        self.rows: list[np.ndarray] = []  # coefficients
        self.inside: list[bool] = []  # whether the factor holds the vector (only projections look at it)
        self.n_updates = 0
        self.n_mistakes = 0
        self.degradations: list[float] = []  # the change of the weight vector by each maintenance step
        self.closest: dict[str, float] = {}
        self.worst_condition = 1.0

    def copy(self):
        """A copy; its arrays are the same, for none is ever changed in place."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | dict | SplitMix):
                setattr(other, name, copy.copy(value))
        other.companions = [copy.copy(one) for one in self.companions]
        return other

    @property
    def average(self):
        return self.companions[0]

    def kernel(self, a, b) -> np.ndarray:
        return kernel_matrix(a=a, b=b, gamma=self.gamma, **self.kernel_options)

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
        """Learns the rows in order; the update rules have `take_step`."""
        weights = np.ones(len(xs)) if sample_weight is None else sample_weight
        for x, y, weight in zip(np.asarray(xs, float), ys, weights, strict=True):
            self.learn_one(x, y, weight)
        return self

    def learn_one(self, x, y, weight=1.0) -> None:
        """The example is judged by the last model, whatever predicts."""
        if weight == 0.0:
            return
        self.average.before(self.vectors, self.rows_at_scale(), self.rng)
        self.take_step(x, y, weight)
        self.average.after(self.rows_at_scale())

    def rows_at_scale(self) -> np.ndarray:
        """The coefficients of the last model itself, (vector, output)."""
        return np.reshape(self.rows, (-1, self.n_outputs))

    def served(self):
        """The vectors of the model that predicts and its coefficients, (vector, output)."""
        return self.average.served(self.vectors, self.rows_at_scale())

    def decision_function(self, x) -> np.ndarray:
        scores = self.scores(x, *self.served())
        return scores[:, 0] if self.n_outputs == 1 else scores

    def raw(self, x) -> np.ndarray:
        """The value of the last model's `rows` at each row of x: (n, output)."""
        return self.scores(x, self.vectors, self.rows)

    def scores(self, x, vectors, rows) -> np.ndarray:
        x = np.atleast_2d(np.asarray(x, float))
        if not len(vectors):
            return np.zeros((len(x), self.n_outputs))
        return self.kernel(x, np.array(vectors)) @ np.array(rows)

    def predict(self, x) -> np.ndarray:
        raw = self.raw(x)
        return (raw[:, 0] > 0).astype(int) if self.n_classes == 2 else raw.argmax(axis=1)

    def terms(self, x) -> np.ndarray:
        """The sums of |alpha_j k_j| by column: what the rounding of the scores of x is relative to."""
        if not self.vectors:
            return np.zeros(self.n_outputs)
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
        self.make_room(x)
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
        return self.remove(self.rng.below(self.n_support_vectors - 1))

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

    def drop_project_nn(self) -> float:
        p, gram = self.smallest(), self.gram()
        members, clear = most_correlated(gram, p, self.n_neighbors)
        self.note("correlation", clear)
        d, residual = ridge_projection(gram, p, members)
        length = float(np.linalg.norm(self.rows[p]))
        self.hand_over(p, members, d)
        self.forget(p)
        return length * float(np.sqrt(residual))

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
        for one in self.companions:
            one.move(n, h, m)
        self.combine(n, v, m, u)
        self.forget(m)
        return float(np.sqrt(max(lost, 0.0)))

    # The pieces of the above.

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
        return self.maintenance.startswith("project") and self.maintenance != "project-nn"

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
        self.hand_over(p, members, coefficients)
        self.forget(p)
        return float(np.sqrt(lost))

    # The edits of the model, which are made of its companions alike.

    def make_room(self, x) -> None:
        for one in self.companions:
            one.insert(x)

    def hand_over(self, p, members, shares) -> None:
        """The members take over their shares of p."""
        for j, share in zip(members, shares, strict=True):
            self.combine(j, 1.0, p, share)

    def combine(self, n, own, p, share) -> None:
        """The row of n becomes `own` times itself and `share` times the row of p."""
        for one in self.companions:
            one.combine(n, own, p, share)
        self.rows[n] = own * self.rows[n] + share * self.rows[p]

    def remove(self, p) -> float:
        own = float(self.kernel(self.vectors[p], self.vectors[p])[0, 0])
        lost = float(self.rows[p] @ self.rows[p]) * own
        self.forget(p)
        return float(np.sqrt(lost))

    def forget(self, p) -> None:
        for one in self.companions:
            one.forget(p)
        del self.vectors[p], self.rows[p], self.inside[p]

    def note(self, kind, gap) -> None:
        self.closest[kind] = min(float(gap), self.closest.get(kind, np.inf))
