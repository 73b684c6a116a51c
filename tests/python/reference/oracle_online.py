"""The classifier that needs no tuning, slowly and plainly from its specification.

A row x, standardised or as it came, is `z = A x` in the metric A, and its scores are

    f_r = sum_j alpha_jr kappa(|z - s_j|^2) + V_r x + v0_r,

with the vectors s_j kept in the metric. The kernel row is computed again wherever it is needed, and vectors
are merged as in oracle.py.
"""

from __future__ import annotations

import numpy as np

from oracle import Expansion
from oracle_average import Last
from oracle_mira import least_row
from oracle_probabilities import Probabilities
from oracle_scaling import RobustScaling


class RunningMean:
    """The mean of all values so far, and of about the last thousand once there are more."""

    def __init__(self):
        self.n, self.value = 0, 0.0

    def take(self, value) -> float:
        self.value += (value - self.value) * max(0.001, 1 / (self.n + 1))
        self.n += 1
        return self.value


class Metric:
    """The matrix A, learned along the axes and, with `full`, across them.

    Both go up the gradient of a row's margin, collected over many steps; A moves before rows 1, 33, 65, ...,
    once there are enough. `w` holds the `b_i (-kappa'(D_i))` of the stored vectors, up to a factor: b_i is
    the coefficient of the true class minus the coefficient of the rival.
    """

    def __init__(self, n_features, full):
        self.d, self.full = n_features, full
        self.A, self.E = np.eye(n_features), np.zeros((n_features, n_features))
        self.log_w, self.collected = np.zeros(n_features), np.zeros(n_features)
        self.n_steps = self.n_across = self.n_along = 0
        self.off_diagonal, self.along, self.total = RunningMean(), RunningMean(), RunningMean()

    def move(self, vectors) -> np.ndarray:
        """The stored vectors in the metric of afterwards."""
        if self.n_across >= 32:
            move = np.eye(self.d) + self.E
            self.A, vectors = move @ self.A, vectors @ move.T
            self.E, self.n_across = np.zeros((self.d, self.d)), 0
        if self.n_along >= 32:
            log_w = np.clip(self.log_w + self.collected, -6.9, 6.9)
            q = np.exp((log_w - self.log_w) / 2)
            self.log_w, self.collected, self.n_along = log_w, np.zeros(self.d), 0
            self.A, vectors = q[:, None] * self.A, vectors * q
        return vectors

    def step(self, x, vectors, w) -> None:
        """One step for the row x."""
        if self.full and self.n_steps % -(-self.d // 16) == 0:
            self.step_off_diagonal(x, vectors, w)
        self.n_steps += 1
        self.step_diagonal(x, vectors, w)

    def step_off_diagonal(self, x, vectors, w) -> None:
        """The margin's gradient by the two vectors that weigh most: A is to become (I + E) A."""
        differences = self.A @ x - vectors
        weight = abs(w) * (differences**2).sum(axis=1)
        gradient = np.zeros((self.d, self.d))
        for i in np.argsort(-weight, kind="stable")[:2]:
            gradient -= 2 * w[i] * np.outer(differences[i], differences[i])
        np.fill_diagonal(gradient, 0.0)
        square = self.off_diagonal.take((gradient**2).sum() / max(1, self.d * (self.d - 1)))
        eta = 0.003 / np.sqrt(1 + self.off_diagonal.n / 2000)
        self.E = self.E + 0.5 * 5 / self.d * eta * gradient / np.sqrt(square + 1e-30)
        self.n_across += 1

    def step_diagonal(self, x, vectors, w) -> None:
        """The margin's gradient by the logarithm of each axis's weight, and by all of them at once."""
        gradient = -w @ (self.A @ x - vectors) ** 2
        square = self.along.take((gradient**2).mean())
        square_of_total = self.total.take(gradient.sum() ** 2)
        eta, eta_total = np.array([0.003, 0.005]) / np.sqrt(1 + self.along.n / 2000)
        change = eta * gradient / np.sqrt(square + 1e-20)
        change += eta_total * gradient.sum() / np.sqrt(square_of_total + 1e-20)
        self.collected = self.collected + change
        self.n_along += 1


class Means(Last):
    """The mean of the coefficients over the models so far, which is merged as they are."""

    def __init__(self, n_outputs):
        self.n_outputs = n_outputs
        self.rows: list[np.ndarray] = []

    def take(self, rho, rows) -> None:
        """The model of now gets the share rho of the mean."""
        self.rows = [mean + rho * (row - mean) for mean, row in zip(self.rows, rows, strict=True)]

    def insert(self, x) -> None:
        self.rows.append(np.zeros(self.n_outputs))

    def combine(self, n, own, p, share) -> None:
        self.rows[n] = own * self.rows[n] + share * self.rows[p]

    def forget(self, p) -> None:
        del self.rows[p]


class OracleOnline:
    """One classifier; `y` is the index of a class.

    `gamma=None` is 8 over the mean squared length of the scaled rows before rows 2, 4, ..., 1024.
    `kernel` is "rational-quadratic" or "rbf", `metric_learning` "full", "diagonal" or "none", `maintenance`
    "merge-newest" or "merge"; None leaves out `noise_margin` and `linear_weight`, False leaves out `average`.
    """

    def __init__(
        self,
        n_features,
        n_classes,
        budget,
        *,
        C0=60.0,
        C_decay=True,
        noise_margin=1.25,
        linear_weight=0.2,
        metric_learning="full",
        gamma=None,
        alpha_rq=2.0,
        kernel="rational-quadratic",
        maintenance="merge-newest",
        average="polynomial",
        scaling="online",
    ):
        self.d, self.n_outputs = n_features, 1 if n_classes == 2 else n_classes
        self.C0, self.C_decay, self.noise_margin = C0, C_decay, noise_margin
        self.linear = linear_weight or 0.0
        self.average = average
        self.standard = RobustScaling(n_features) if scaling == "online" else None
        self.metric = Metric(n_features, metric_learning == "full")
        self.metric_from = np.inf if metric_learning == "none" else min(budget, 100)
        self.slope_power = 1.0 if kernel == "rbf" else 1 + 1 / alpha_rq  # -kappa' goes as this power of kappa
        self.squared_lengths: list[float] | None = [] if gamma is None else None
        gamma = 8.0 if gamma is None else gamma
        kernel_options = {"kernel": kernel, "gamma": gamma, "alpha_rq": alpha_rq}
        self.store = Expansion(n_classes, budget=budget, maintenance=maintenance, **kernel_options)
        self.mean_rows = Means(self.n_outputs)
        self.store.companions.append(self.mean_rows)
        self.V, self.v0 = np.zeros((self.n_outputs, n_features)), np.zeros(self.n_outputs)
        self.mean_V, self.mean_v0 = self.V, self.v0
        self.seen = self.updates = self.age = 0
        self.class_error = np.ones(n_classes)  # e_y of each class
        self.class_rows = np.zeros(n_classes)  # n_y
        self.confident = 0.0  # o
        self.weights: list[float] = []
        self.probabilities = Probabilities(n_features, n_classes, corrects=linear_weight is not None)

    @property
    def A(self) -> np.ndarray:  # noqa: N802
        return self.metric.A

    @property
    def vectors(self) -> np.ndarray:
        return np.reshape(self.store.vectors, (-1, self.d))

    @property
    def alpha(self) -> np.ndarray:
        return np.reshape(self.store.rows, (-1, self.n_outputs))

    @property
    def means(self) -> np.ndarray:
        return np.reshape(self.mean_rows.rows, (-1, self.n_outputs))

    @property
    def components_(self) -> np.ndarray:
        return self.A if self.metric.full else np.diag(self.A)[None, :]

    def decision_function(self, X) -> np.ndarray:
        X = np.atleast_2d(np.asarray(X, float))
        X = X if self.standard is None else self.standard(X)
        scores = np.array(
            [self.probabilities.scores(f, x) for f, x in zip(self.uncorrected(X), X, strict=True)]
        )
        return scores[:, 0] if self.n_outputs == 1 else scores

    def uncorrected(self, X) -> np.ndarray:
        """The scores of scaled rows by the model that is served."""
        averaged, last = (self.means, self.mean_V, self.mean_v0), (self.alpha, self.V, self.v0)
        return self.scores(X, *(averaged if self.average else last))

    def predict_proba(self, X) -> np.ndarray:
        return np.array([self.probabilities.served(np.atleast_1d(f)) for f in self.decision_function(X)])

    def scores(self, X, alpha, V, v0) -> np.ndarray:
        """The scores of scaled rows, (n, output), by one model or the other."""
        return self.store.kernel(X @ self.A.T, self.vectors) @ alpha + X @ V.T + v0

    def learn_all(self, X, y, weights, **options) -> None:
        for x, target, weight in zip(X, y.tolist(), weights.tolist(), strict=True):
            self.learn(x, target, weight, **options)

    def learn(self, x, y, weight=1.0, repeated=False) -> None:
        if weight == 0.0:
            return
        x = self.scaled(np.asarray(x, float))
        relative = self.relative(weight)
        scores = self.look(x, y, relative, repeated)
        margin, direction = self.store.margin(scores, y)  # y against the rival: +1 and -1, or one sign
        wrong = not margin > 0
        self.class_error[y] += 0.01 * (wrong - self.class_error[y])
        if not repeated:
            self.class_rows[y] += 1
            self.store.note("margin", abs(margin + 0.5))
            self.confident += max(0.001, 1 / self.class_rows.sum()) * ((margin < -0.5) - self.confident)
        share, wanted = self.acts_as(relative)
        if self.teaches(margin, y, wanted):
            cap = self.cap() * relative * (0.5 if repeated else 1.0)
            k_tt = (1 + self.linear * (x @ x + 1) / (self.d + 1)) / share
            passive_aggressive = min(cap, (wanted - margin) / k_tt) * direction
            g = passive_aggressive if self.n_outputs == 1 else least_row(k_tt, scores, y, wanted, cap)
            self.update(x, g, direction)
        self.take_means(10 / (self.age + 9))  # the model after row t weighs t (t + 1) ... (t + 8)

    def scaled(self, x) -> np.ndarray:
        """The next row, scaled; what depends on the rows before it is brought up to date."""
        self.seen += 1
        if self.standard is not None:
            self.standard.take(x)
            x = self.standard(x)
        self.set_gamma(x)
        self.move_metric()
        return x

    def relative(self, weight) -> float:
        """The weight over the mean of all weights so far."""
        self.weights.append(weight)
        return weight / np.mean(self.weights)

    def guessing(self) -> float:
        """The error of always predicting the largest class."""
        return 1 - self.class_rows.max() / self.class_rows.sum()

    def cap(self) -> float:
        """The cap of the step, at most 0.5 where many mistakes are confident."""
        cap = self.C0 / (np.sqrt(self.age) if self.C_decay else 1.0)
        follows_noise = self.noise_margin and not self.follows_drift() and self.confident > 0
        noise = self.confident / (0.05 * self.guessing()) - 1 if follows_noise else 0.0
        return min(cap, 0.5 / min(noise, 1.0)) if noise > 0 else cap

    def acts_as(self, relative) -> tuple[float, float]:
        """The part of a step that a row takes, and the margin that it wants: it acts as so many rows."""
        return min(1.0, relative), min(3.0, max(1.0, relative))

    def set_gamma(self, x) -> None:
        """Takes the width from the rows before x, at rows 2, 4, ..., 1024."""
        if self.squared_lengths is None or self.seen > 1024:
            return
        if self.seen in 2 ** np.arange(1, 11):
            self.store.gamma = 8 / (np.mean(self.squared_lengths) or 1.0)
        self.squared_lengths.append(x @ x)

    def move_metric(self) -> None:
        """A moves with the vectors, where it may."""
        if (self.seen - 1) % 32 == 0:
            self.store.vectors = list(self.metric.move(self.vectors))

    def look(self, x, y, weight, repeated) -> np.ndarray:
        """The scores that the row is learned from, which probabilities are learned from first."""
        scores = self.last_scores(x)
        if repeated:
            self.probabilities.take_again(self.without_itself(scores, x, weight), x, y, weight)
        else:
            self.probabilities.take(self.uncorrected(x[None])[0], x, y, weight)
        self.store.note("saved", abs(self.probabilities.saved - 3))
        return scores

    def last_scores(self, x) -> np.ndarray:
        self.age = self.seen
        return self.scores(x[None], self.alpha, self.V, self.v0)[0]

    def without_itself(self, scores, x, weight) -> np.ndarray:
        """The scores of a row that counts more than others, without the vector that it has become, if any."""
        k = self.store.kernel(self.A @ x, self.vectors)[0]
        if weight <= 1 or len(k) == 0 or k.max() ** 2 <= 0.5:
            return scores
        return scores - k.max() * self.alpha[k.argmax()]

    def take_means(self, rho) -> None:
        self.mean_rows.take(rho, self.store.rows)
        self.mean_V = self.mean_V + rho * (self.V - self.mean_V)
        self.mean_v0 = self.mean_v0 + rho * (self.v0 - self.mean_v0)

    def teaches(self, margin, y, wanted) -> bool:
        """Whether the margin is low enough to teach, and not so low that the label must be wrong."""
        learn_below = wanted if self.n_outputs == 1 else 0.8 * wanted
        noise = () if self.noise_margin is None else (-self.noise_margin,)
        for border in (0.0, learn_below, *noise):
            if margin != border:
                self.store.note("margin", abs(margin - border))
        is_noise = self.noise_margin is not None and margin < -self.noise_margin and self.class_error[y] < 0.5
        return margin < learn_below and (self.follows_drift() or not is_noise)

    def follows_drift(self) -> bool:
        """Whether a drift is so recent that mistakes may be due to it."""
        return self.age < min(self.seen, 5000)

    def update(self, x, g, direction) -> None:
        """The step g: in the metric, in the linear part, and as a support vector."""
        self.updates += 1
        if self.store.n_support_vectors >= self.metric_from:
            k = self.store.kernel(self.A @ x, self.vectors)[0]
            w = (self.alpha @ direction) * k**self.slope_power
            self.metric.step(x, self.vectors, w)
        self.V = self.V + self.linear / (self.d + 1) * np.outer(g, x)
        self.v0 = self.v0 + self.linear / (self.d + 1) * g
        self.store.insert(self.A @ x, g)
