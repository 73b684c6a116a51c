"""The oracles on cases small enough to work out on paper, as the oracles and the library take them.

All kernels are linear unless said otherwise, and lambda is 1/2 in stochastic gradient descent. Labels are 0
and 1, the second class is +1. E1 to E4 are the unit vectors.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from budgetrs import Classifier, ParameterError, Regressor
from merge_reference import best_merge, degradation
from oracle import kernel_matrix, most_correlated, oldest_smallest, ridge_projection
from oracle_average import SplitMix, restarts, suffix_start
from oracle_drift import Adwin
from oracle_mira import least_row
from oracle_named import reference
from oracle_perceptron import shrink, spent

E1, E2, E3, E4 = np.eye(4).tolist()
ZERO = [0.0] * 4
SQRT2 = np.sqrt(2)


def learned(algorithm, x, y, weights=None, *, n_classes=2, **options):
    """The oracle after learning, on which the library agrees."""
    x = np.array(x, dtype=float)
    options = {"kernel": "linear", "budget": None, **options}
    if algorithm == "pegasos":
        options = {"alpha": 0.5, **options}
    oracle = reference(algorithm, n_classes, **options).learn(x, y, weights)
    if n_classes is None:
        model = Regressor(algorithm, loss="epsilon_insensitive", **options)
    else:
        model = Classifier(algorithm, classes=list(range(n_classes)), **options)
    model.learn(x, y, sample_weight=weights)
    vectors, rows = map(np.array, oracle.served())
    if len(vectors):
        np.testing.assert_allclose(model.support_vectors_, vectors, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(model.dual_coef_.T, rows, rtol=1e-9, atol=1e-12)
    counts = model.n_updates_, model.n_maintenances_, model.n_support_vectors_
    assert counts == (oracle.n_updates, oracle.n_maintenances, len(vectors))
    assert n_classes is None or model.n_mistakes_ == oracle.n_mistakes
    assert model.mean_weight_degradation_ == pytest.approx(oracle.mean_weight_degradation, abs=1e-9)
    return oracle


EXPECTED = ("vectors", "rows", "n_updates", "n_mistakes", "n_maintenances", "inside")
CASES = []


def hand(algorithm, x, y, weights=None, *, degradation=None, scores=None, **given):
    """A case: what is expected of the oracle after the rows; `scores` has the scores of some rows."""
    expected = {name: given.pop(name) for name in EXPECTED if name in given}
    if degradation is not None:
        expected["mean_weight_degradation"] = degradation
    CASES.append((algorithm, x, y, weights, given, expected, scores or {}))


# Stochastic gradient descent.

# raw(1) = 0 is a mistake, and t = 1 always updates. t = 2: raw 2 >= 0.5, nothing. t = 3: raw 0.5 < 1, an
# update though the prediction was right. Then f(1) = 1 + 0.5, over lambda t = 1.5.
SGD = {"n_updates": 2, "n_mistakes": 1, "rows": [1, 1], "degradation": 0}
hand("pegasos", [[1], [2], [0.5]], [1, 1, 1], **SGD, scores={(1,): 1})
# t = 2: raw 0.5, lambda (t - 1) = 0.5: the hinge is exactly 0.
hand("pegasos", [[1], [0.5]], [1, 1], n_updates=1)
hand("pegasos", [[1], [0.4375]], [1, 1], n_updates=2)
# All scores 0: class 0 is predicted, and is the rival.
hand("pegasos", [[1]], [2], n_classes=3, rows=[[-1, 0, 1]], n_mistakes=1)
hand("pegasos", [[1]], [0], n_classes=3, n_mistakes=0)
# Scores (1, 0, -1): right, and the margin 1 >= 0.5. Then (.5, 0, -.5), margin .5 < 1, rival 1.
# raw(2) = 2 (-1, 0, 1) - 1 (1, -1, 0), over lambda t = 1.5.
hand("pegasos", [[1], [-1]], [2, 0], n_classes=3, n_updates=1, n_mistakes=1)
ROWS = [[-1, 0, 1], [1, -1, 0]]
hand("pegasos", [[1], [-1], [-0.5]], [2, 0, 0], n_classes=3, rows=ROWS, scores={(2,): [-2, 2 / 3, 4 / 3]})
# Rows with no norm are never inserted.
for kernel in ("linear", "cosine", "poly", "sigmoid"):
    hand("pegasos", [[0, 0], [1, 0]], [1, 1], kernel=kernel, n_updates=1, n_mistakes=2)
for name, budget in (("perceptron", None), ("mira", None), ("bogd", 2)):
    hand(name, [E1, ZERO, ZERO], [1, 1, 0], budget=budget, vectors=[E1], n_updates=1, n_mistakes=2)
# All scores are 0, so that every example updates; |alpha|^2 k = 9, 1, 4. Seed 0 draws 1, seed 3 draws 0.
for name in ("pegasos", "perceptron"):
    x = THREE, ONE, TWO = np.diag([3, 1, 2]).tolist()
    for maintenance, seed, vectors, lost in (
        ("oldest", 0, [ONE, TWO], 3),
        ("smallest", 0, [THREE, TWO], 1),
        ("random", 0, [THREE, TWO], 1),
        ("random", 3, [ONE, TWO], 3),
        ("stop", 0, [THREE, ONE], 0),
    ):
        options = {"maintenance": maintenance, "seed": seed, "budget": 2}
        hand(name, x, [1, 1, 0], **options, vectors=vectors, degradation=lost)
# All equal: the oldest.
hand("pegasos", [E1, E2, E3], [1, 1, 0], budget=2, maintenance="smallest", vectors=[E2, E3])
# It goes on decaying: 1 / (0.5 * 4).
STOP = {"budget": 1, "maintenance": "stop"}
hand("pegasos", [[1]] * 4, [1, 0, 0, 0], **STOP, n_updates=1, n_mistakes=4, scores={(1,): 0.5})
# k = 4, 4, 2: (1, 0, 1) leaves; on the others it is half of the first, and (0, 0, 1) is lost.
PROJECT = {"budget": 2, "maintenance": "project"}
hand("pegasos", [[2, 0, 0], [0, 2, 0], [1, 0, 1]], [1, 1, 0], **PROJECT, rows=[0.5, 1], degradation=1)
# k = 1, 4, 1/4: the second is dependent and waits. It leaves before the smallest, -1 * 2 on the first.
x = [[1, 0], [2, 0], [0, 0.5]]
hand("pegasos", x[:2], [1, 0], **PROJECT, inside=[True, False])
hand("pegasos", x, [1, 0, 1], **PROJECT, rows=[-1, 1], vectors=[x[0], x[2]], degradation=0)
# Residuals of each on the other two: 9 - 81/9.25 = 9/37, 9.25 - 81/9 = 1/4, and 1: the first leaves, not the
# smallest, and 81/9 / 9.25 = 36/37 of its coefficient goes to the second.
BEST = {"budget": 2, "maintenance": "project-best", "rows": [-1 / 37, 1], "degradation": np.sqrt(9 / 37)}
hand("pegasos", [[3, 0, 0], [3, 0, 0.5], [0, 1, 0]], [1, 0, 1], **BEST)
# k = 1/4, equal rows: h = 1/2, u = v = k^(1/4), WD = 2 (1 - sqrt k)^2 = 1/2, alpha_z = 2 k^(1/4) = sqrt 2
MERGE = {"budget": 1, "maintenance": "merge", "kernel": "rbf"}
hand(
    "pegasos",
    [[0], [1]],
    [1, 1],
    **MERGE,
    gamma=np.log(4),
    vectors=[[0.5]],
    rows=[SQRT2],
    degradation=SQRT2 / 2,
)
# With b = u/v = 1/2 the optimum of equal opposite rows is h = -b/(1-b) = -1, where b = k^(1-2h) = k^3:
# k = 2^(-1/3), u = k^4, v = k, alpha_z = v - u = 2^(-4/3) with n's sign, z = 2 x_n - x_m
LOST = np.sqrt(2 - 2 * 2 ** (-1 / 3) - 2 ** (-8 / 3))
OPPOSITE = {"vectors": [[2]], "rows": [-(2 ** (-4 / 3))], "degradation": LOST}
hand("pegasos", [[0], [1]], [1, 0], **MERGE, gamma=np.log(2) / 3, **OPPOSITE)
# The first is merged (all rows are equal): it is nearer to the third, whose place the merged vector takes.
PARTNER = {"budget": 3, "alpha": 10.0, "gamma": 0.1, "vectors": [[3], [0.5], [-4]]}
hand("pegasos", [[0], [3], [1], [-4]], [1, 1, 1, 1], **{**MERGE, **PARTNER})
# Opposite duplicates cancel, and the zero row is dropped.
hand("pegasos", [[1], [1]], [1, 0], **MERGE, gamma=1.0, vectors=[[1]], rows=[0], degradation=0)
hand("pegasos", [[1], [1], [5]], [1, 0, 1], **MERGE, gamma=1.0, vectors=[[5]], rows=[1], degradation=0)
# The ball, lambda = 1/4: radius 2. t = 1: |w| = 3 / lambda = 12, scaled to 2, so f(3) = 2 * 3. t = 2, no
# update: f decays by half (w is not touched by the ball). t = 3: raw(1) = 3 * 1/6 = 0.5, an update to 0.5 -
# 1, inside the radius sqrt(lambda) t = 1.5.
BALL = {"alpha": 0.25, "project_to_ball": True}
hand("pegasos", [[3]], [1], **BALL, scores={(3,): 6})
hand("pegasos", [[3], [3]], [1, 1], **BALL, scores={(3,): 3})
hand("pegasos", [[3], [3], [1]], [1, 1, 0], **BALL, scores={(1,): -0.5 / 0.75})

# The Perceptron.

# w = x1, then f = -1 at (1, 1) of the other class: w = -x2. The zero scores of the others update; only that
# of the second class is a mistake. f(0, -1) = 1 of the second class changes nothing.
x = [[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, -1, 0]]
ZEROS = {"vectors": [x[0], *x[2:5]], "n_updates": 4, "n_mistakes": 3, "n_maintenances": 0}
hand("perceptron", x, [1, 1, 0, 1, 0, 1], **ZEROS, rows=[1, -1, 1, -1])
# A row of weight 0 is not seen. w = 1/2 x1, then f = 1/2 is wrong.
hand("perceptron", [E1, E1, E1], [0, 1, 0], [0, 0.5, 2], rows=[0.5, -2], n_updates=2, n_mistakes=2)
# All scores are 0: the rival is class 0. At -x they are (1, 0, -1), and the rival of class 1 is 0; then
# (0, 1, -1), and the rival of class 2 is 1. Where all are 0, class 0 is predicted and has the rival 1.
x, rows = [E1, [-1, 0, 0, 0], [-1, 0, 0, 0], E2], [[-1, 0, 1], [-1, 1, 0], [0, -1, 1], [1, -1, 0]]
hand("perceptron", x, [2, 1, 2, 0], n_classes=3, rows=rows, n_mistakes=3)
# Margins up to beta update: f = 0, 1, then 2 * 1/2; at the last 5/2.
hand("perceptron", [[1], [1], [0.5], [1]], [1] * 4, margin=1.0, rows=[1, 1, 1], n_updates=3, n_mistakes=1)
hand("perceptron", [[1], [1], [0.5]], [1] * 3, margin=0.75, vectors=[[1], [0.5]])

# The caches of Crammer, Kandola and Singer.

# w = a - b/2. f(t) = -1/2 is wrong. Without a its margin is -1/2 * 2 = -1, b has -2 without b: a
# leaves.
a, b, t = [2, 0], [1, 1], [1, 4]
LEAVES = {"budget": 2, "vectors": [b, t], "n_maintenances": 1, "degradation": 2}
hand("budget-perceptron", [a, b, t], [1, 0, 1], [1, 0.5, 1], **LEAVES, rows=[-0.5, 1])
# With rows of one length two vectors always have the same margin without themselves, y1 y2 k12: the oldest.
hand("budget-perceptron", [E1, [1, 1, 0, 0], E3], [1, 0, 1], budget=2, vectors=[[1, 1, 0, 0], E3])
# beta = 0.01: nobody leaves where f(e1) = 1 is enough, but where f = 1/128 is not, though it is right.
hand("budget-perceptron", [E1, E1], [1, 1], budget=1, n_maintenances=0)
hand("budget-perceptron", [E1, [1 / 128, 1, 0, 0]], [1, 1], budget=1, n_maintenances=1, n_mistakes=1)
hand("budget-perceptron", [E1, [1 / 64, 1, 0, 0]], [1, 1], budget=1, n_maintenances=0)
# Rows (-2, 0, 2), (1, 0, -1), (0, -1, 1). Without itself the first has the scores (1, -1, 0) and the margin
# -1; the second (-2, 0, 2), -4; the third (-2, 0, 2) and 2: it leaves, sqrt 2 times sqrt 2 long.
x, rows = [E1, [1, 1, 0, 0], [1, -1, 0, 0], E4], [[-2, 0, 2], [1, 0, -1], [-1, 1, 0]]
MANY = {"n_classes": 3, "budget": 3, "margin": 6.0, "vectors": [x[0], x[1], x[3]], "degradation": 2}
hand("budget-perceptron", x, [2, 0, 2, 1], [2, 1, 1, 1], **MANY, rows=rows)
# w = a - b = (0, -1); f(t) = -1, w = (2, 0). Without themselves: a has (1, 0) . a = 1 and leaves, b has
# -(3, 1) . (1, 1). Then b has -(2, 1) . (1, 1).
a, b, t = [1, 0], [1, 1], [2, 1]
DISTILLED = {"margin": 0.0, "vectors": [b, t], "rows": [-1, 1], "n_updates": 3, "n_maintenances": 1}
hand("budget-perceptron-distill", [a, b, t], [1, 0, 1], **DISTILLED, degradation=1)
# Each margin without itself is 0: with beta = 0 all leave but the newcomer, with 0.01 none.
x = [E1, E2, E3]
hand("budget-perceptron-distill", x, [1, 0, 1], margin=0.0, vectors=[E3])
hand("budget-perceptron-distill", x, [1, 0, 1], vectors=x)
hand("budget-perceptron-distill", x, [1, 0, 1], budget=2, vectors=[E2, E3])
# Along e1, w is 1/2, then 3/4, and 1 with t: without themselves the two have 1/2 and 3/4. The second leaves,
# and with 3/4 the first has 1/4. The other way round the second would stay.
x = [[1, 0], [1, 0], [0.5, 1]]
SAVED = {"margin": 0.5, "vectors": [x[0], x[2]], "degradation": 0.25}
hand("budget-perceptron-distill", x, [1, 1, 1], [0.5, 0.25, 0.5], **SAVED)
# As above with a full step: w is 5/4 along e1; the second leaves, and the first has 1/2.
GOES_ON = {"margin": 0.5, "vectors": [x[2]], "n_maintenances": 2, "degradation": 0.375}
hand("budget-perceptron-distill", x, [1, 1, 1], [0.5, 0.25, 1], **GOES_ON)
# A hard budget takes the best of the bad: w = a - b/2 + t = (1/2, 7/2): without themselves a has
# (-3/2, 7/2) . a = -3, b has -(1, 4) . (1, 1).
a, b, t = [2, 0], [1, 1], [-1, 4]
HARD = {"budget": 2, "vectors": [b, t], "n_maintenances": 1}
hand("budget-perceptron-distill", [a, b, t], [1, 0, 1], [1, 0.5, 1], **HARD, degradation=2)
# w = 4 a - b/2, f(t) = 1 is wrong, w = 4 a - b/2 - t. Without themselves: a has -1/2 - 1/2, b has 2 - 4. a
# leaves; without it b has 2, which would be enough to leave, but nothing asks for that any more.
a, b, t = [1, 0], [1, 1], [0.5, 1.5]
hand(
    "budget-perceptron-distill",
    [a, b, t],
    [1, 0, 0],
    [4, 0.5, 1],
    **{**HARD, "vectors": [b, t]},
    degradation=4,
)

# The Forgetron: r is the oldest, M counts the updates.

# M = 2, sigma = mu = 1: -phi^2 + 2 phi = 30/32 gives 3/4, and Q = 30/32. The change is -e1 - 1/4 e2.
ONE = {"budget": 1}
hand(
    "forgetron",
    [E1, E2],
    [1, 1],
    **ONE,
    vectors=[E2],
    rows=[0.75],
    n_maintenances=1,
    degradation=np.sqrt(1.0625),
)
# M = 3, sigma = mu = 3/4: -9/16 phi^2 + 3/2 phi = 45/32 - Q = 15/32.
hand("forgetron", [E1, E2, E3], [1, 1, 0], **ONE, rows=[-4 / 3 * (1 - np.sqrt(1 - 15 / 32))])
# M = 3, sigma = mu = 1: with phi = 1 it is 1, under 45/32. Then M = 4, Q = 1: -phi^2 + 2 phi = 7/8.
hand("forgetron", [E1, E2, E3], [1, 0, 1], budget=2, vectors=[E2, E3], rows=[-1, 1], degradation=1)
hand("forgetron", [E1, E2, E3, E4], [1, 0, 1, 1], budget=2, rows=[1 - np.sqrt(1 / 8)] * 2)
# f' at the oldest is with the newcomer: mu = 1/2, so that a = 0 and 2 phi = 30/32.
hand("forgetron", [[1, 0], [-0.5, 1]], [1, 1], **ONE, rows=[15 / 32])
# mu = 0: phi^2 + 2 phi = 30/32.
hand("forgetron", [[1, 0], [-1, 1]], [1, 1], **ONE, rows=[np.sqrt(31 / 16) - 1])
# sigma = 2, mu = 2 - 3/4: -phi^2 + 4 phi = 30/32.
hand("forgetron", [[1, 0], [-0.75, 1]], [1, 1], [2, 1], **ONE, rows=[1 / 4])
# sigma = mu = 2: -4 phi^2 + 4 phi is too much at 1/2, but 0 at 1.
hand("forgetron", [E1, E2], [1, 1], [2, 1], **ONE, rows=[1])
# (-1, 0, 1), and (1, 0, -1) at 1/4 of it: sigma = sqrt 2, sigma mu = 3/2, -phi^2 + 2 sqrt 2 phi = 30/32.
phi = SQRT2 - np.sqrt(17 / 16)
hand("forgetron", [[1, 0], [0.25, 1]], [2, 0], n_classes=3, **ONE, rows=[[phi, 0, -phi]])
# At 1/2 of it sigma mu = 1, so that a = sigma^2 - 2 sigma mu is 0 to rounding.
phi = 15 / 64 * SQRT2
hand("forgetron", [[1, 0], [0.5, 1]], [2, 0], n_classes=3, **ONE, rows=[[phi, 0, -phi]])

# The Projectron.

# (1, 1/4) is the first and a residual of 1/4, which counts as near.
x, y = [[1, 0], [1, 0.25]], [1, 0]
for eta in (0.25, 0.3):
    NEAR = {"vectors": [x[0]], "rows": [0], "n_updates": 2, "n_mistakes": 2, "n_maintenances": 1}
    hand("projectron", x, y, eta=eta, **NEAR, degradation=0.25)
hand("projectron", x, y, [1, 0.5], rows=[0.5], degradation=0.125)
hand("projectron", x, y, eta=0.2, rows=[1, -1], n_maintenances=0)
# It always absorbs when full: w = x1 - x2 = (0, -1, 0), f(x3) = -2. On the two, x3 is -2 x1 + 2 x2 and a
# residual of 1.
x = [[1, 0, 0], [1, 1, 0], [0, 2, 1]]
FULL = {"budget": 2, "vectors": x[:2], "rows": [-1, 1], "n_updates": 3, "n_maintenances": 1, "degradation": 1}
hand("projectron", x, [1, 0, 1], eta=0.0, **FULL)
for name in ("projectron", "projectron++"):
    # One basis for all classes: x2 is twice x1 and a residual of 1/5; its scores are (-2, 0, 2).
    hand(name, [[1, 0], [2, 0.2]], [2, 1], n_classes=3, rows=[[-1, 2, -1]], degradation=0.2 * SQRT2)
# eta = 0 inserts x2, of residual 1e-14, which is dependent to rounding and not projected on. w = (0, -1e-7),
# so that x3 is wrong and inserted, w = (0, 1); x4 is x1 + x3, and with them alone in the factor it takes 1
# from each.
x = [[1, 0], [1, 1e-7], [0, 1], [1, 1]]
hand("projectron", x, [1, 0, 1, 0], budget=4, eta=0.0, vectors=x[:3], rows=[0, -1, 0])
# (4, 0) with 1/16: f(2, 1/4) = 1/2, H = 1/2. It is 1/2 of the first and a residual of 1/4: P = 4.
x = [[4, 0], [2, 0.25]]
for eta, weight, row in (
    (2.0, 1.0, 1 / 16 + 1 / 16),  # tau = H/P = 1/8
    (0.625, 1.0, 1 / 16 + 1 / 40),  # 1/4 / eta = 2/5: tau = 2 (1/2 - 2/5) / 4
    (0.5, 1.0, 1 / 16),  # H = 1/4 / eta is not worth it
    (2.0, 2.0, 1 / 16 + 1 / 8),
):
    for budget in (None, 1):
        options = {"budget": budget, "eta": eta, "n_maintenances": 0}
        found = {"vectors": x[:1], "rows": [row], "n_updates": 1 + (row > 1 / 16)}
        hand("projectron++", x, [1, 1], [1 / 16, weight], **options, **found)
        hand("projectron", x, [1, 1], [1 / 16, weight], **options, n_updates=1)
# By one at most: f(1/2, 1/16) = 1/2, P = 1/4 and 1/16 / eta = 1/4: H/P = 2, and so is 2 (1/2 - 1/4) / (1/4).
hand("projectron++", [[1, 0], [0.5, 0.0625]], [1, 1], eta=0.25, rows=[1.5])
# A margin of one is left alone.
hand("projectron++", [[1, 0], [1, 0]], [1, 1], n_updates=1)
# (-1/2, 0, 1/2): margin 1/2 over class 1, w = 2, tau = H/(2 P) = 1/16, on half of the first.
hand("projectron++", x, [2, 2], [1 / 16, 1], n_classes=3, eta=2.0, rows=[[-1 / 16, -1 / 32, 3 / 32]])

# MIRA.

for x, weight, options, row in (
    (E1, 1, {}, 0.01),
    ([2], 1, {}, 0.0025),
    (E1, 1, {"margin": 3.0}, 1),
    (E1, 0.75, {"margin": 3.0, "C": 2.0}, 1.5),
    (E1, 0.75, {"margin": 0.5, "C": 2.0}, 0.5),
):
    hand("mira", [x], [1], [weight], **options, rows=[row])
# The step ends at beta, where there is nothing to do.
hand("mira", [E1, E1], [1, 1], margin=0.5, n_updates=1, n_mistakes=1)
# k = 1: (0, 1, 1) level out at 2/3. Then f = (2/3, -1/3, -1/3) and class 1 is right: B = (5/3, -1/3, 2/3),
# the cap 3/4 is reached, and 3/4 of class 0 bring it to 11/12, which is more than 2/3.
rows = [[2 / 3, -1 / 3, -1 / 3], [-3 / 4, 3 / 4, 0]]
hand("mira", [E1, E1], [0, 1], n_classes=3, margin=1.0, C=0.75, rows=rows)
# The cap is reached at once. Then k = 4.
hand("mira", [E1], [0], [0.5], n_classes=3, margin=1.0, rows=[[1 / 2, -1 / 4, -1 / 4]])
hand("mira", [[2]], [0], n_classes=3, margin=1.0, rows=[[1 / 6, -1 / 12, -1 / 12]])
# Without a margin it stays at zero.
for n_classes in (2, 3):
    hand("mira", [E1, E2, E3], [1, 0, 1], n_classes=n_classes, margin=0.0, n_updates=0)
# The step is taken before the removal: 1, -1/4, then f(t) = 1 - 1/4 * 4 = 0, tau = 1/5. Both have the margin
# 0 without themselves: the first leaves, after which f(t) would be -1 and tau 2/5.
x = [[1, 0], [0, 2], [1, 2]]
BEFORE = {"budget": 2, "margin": 1.0, "C": 10.0, "vectors": x[1:], "rows": [-0.25, 0.2], "n_maintenances": 1}
hand("budget-mira", x, [1, 0, 1], **BEFORE, degradation=1)
# It distils at its own margin, beta = 1: 1/4 at (2, 0), f(t) = 1/2: tau = 1/2 at (1, 0), and w = (1, 0).
# Without itself the first has the margin 1 and leaves.
hand(
    "budget-mira-distill", [[2, 0], [1, 0]], [1, 1], margin=1.0, vectors=[[1, 0]], rows=[0.5], degradation=0.5
)

# Gradient descent with a constant step, 1/2 here; lambda = 1/2, so that 3/4 of everything is kept.

HALF = {"eta0": 0.5, "alpha": 0.5}
# f = 0, 0, then 9/8, which is enough; decayed before it would not be.
STEPS = {
    "maintenance": "none",
    "rows": [9 / 32, -3 / 8],
    "n_updates": 2,
    "n_mistakes": 1,
    "n_maintenances": 0,
}
hand("bogd", [E1, E2, [3, 0, 0, 0]], [1, 0, 1], **HALF, **STEPS)
# A margin of exactly 1 is enough.
hand("bogd", [E1, [2, 0, 0, 0]], [1, 1], budget=2, **HALF, n_updates=1)
# A row of weight 0 makes nothing decay; a weight scales the step.
x, y = [E1, E2, E3], [1, 0, 1]
hand("bogd", x, y, [1, 0, 3], budget=2, **HALF, rows=[3 / 8, 3 / 2])
# 9/32 leaves, in units of the step. It decays also where nothing is inserted any more.
hand("bogd", x, y, budget=2, maintenance="oldest", **HALF, rows=[-3 / 8, 1 / 2], degradation=9 / 16)
hand("bogd", x, y, budget=2, maintenance="stop", **HALF, rows=[9 / 32, -3 / 8])
# Seed 3: e1 leaves (3/8 before it); e2, with -1/2, gets twice as much, and 3/4 of it. The limit is 1/2
# max_coef.
for max_coef, rows, change in (
    (10.0, [-3 / 4, 1 / 2], (-9 / 32, -3 / 8, 0)),
    (1.0, [-1 / 2, 1 / 3], (-9 / 32, -1 / 8, -1 / 6)),
):
    BOGD = {"budget": 2, "max_coef": max_coef, "seed": 3, **HALF, "vectors": [E2, E3], "rows": rows}
    hand("bogd", x, y, **BOGD, degradation=2 * np.linalg.norm(change))
# Seed 0 draws 1: e2 leaves; twice and 3/4 of 3/8 remain of e1.
hand("bogd", x, y, budget=2, seed=0, **HALF, vectors=[E1, E3], rows=[9 / 16, 1 / 2])
# With a budget of 1 there is nobody to grow.
hand("bogd", x[:2], y[:2], budget=1, **HALF, rows=[-1 / 2], degradation=3 / 4)
# It clips only when full. The limit is 1/2 for each coefficient, whatever the class.
CLIPS = {"n_classes": 3, "budget": 1, "max_coef": 1.0, **HALF}
hand("bogd", [E1], [2], [4], **CLIPS, rows=[[-2, 0, 2]])
hand("bogd", [E1, E2], [2, 0], [4, 4], **CLIPS, rows=[[1 / 2, -1 / 2, 0]])

# Passive-aggressive steps: H = 1 and k_tt = 4.

for options, row in (
    ({}, 0.25),
    ({"C": 0.125}, 0.125),
    ({"C": 0.5, "loss": "squared_hinge"}, 0.2),  # 1 / (4 + 1)
    # |v|^2 = 2: 1 / (2 * 4)
    ({"n_classes": 3}, [-0.125, 0.125, 0]),
    ({"n_classes": 3, "loss": "squared_hinge", "C": 0.25}, [-0.1, 0.1, 0]),
):
    hand("pa", [[2]], [1], **options, rows=[row])
hand("pa", [[2]], [1], [2], C=0.0625, rows=[0.125])
hand("pa", [[2]], [1], [2], C=0.25, loss="squared_hinge", rows=[0.2])
# f(x) = x: H = 1 + x, which the ramp takes up to x = 1; k_tt = x^2. Full, such an example changes nothing
# either.
hand("pa", [[1], [1]], [1, 0], C=4.0, loss="ramp", rows=[1, -2])
hand("pa", [[1], [2]], [1, 0], C=4.0, loss="hinge", rows=[1, -0.75])
for options in ({}, {"budget": 1, "maintenance": "simple"}, {"budget": 1, "maintenance": "joint"}):
    hand("pa", [[1], [2]], [1, 0], C=4.0, loss="ramp", **options, rows=[1])
# alpha = 1, -1/4. At t: f = 1/2, H = 3/2, tau = 3/4. Residuals beside t: 1 - 1/2 and 4 - 4/2, the costs are
# 1/2 and 2/16: the second leaves, and -1/4 of it are -1/4 * 2/2 of t.
x, y = [[1, 0], [0, 2], [1, 1]], [1, 0, 0]
SIMPLE = {"budget": 2, "maintenance": "simple"}
hand("pa", x, y, **SIMPLE, C=10.0, vectors=[x[0], x[2]], rows=[1, -1])
# As above with C = 1/10 for t: tau = 1/10. The second leaves for 1/16 + 1/100 + 1/10 (3/2 - 1/5) = 0.2025,
# the newcomer for C H = 0.15.
hand("pa", x, y, [1, 1, 0.1], **SIMPLE, vectors=[x[0], x[2]], rows=[1, -0.35])
hand("pa", x, y, [1, 1, 0.1], **SIMPLE, may_discard_new=True, vectors=x[:2], rows=[1, -0.25])
# Two unit vectors with alpha = 1, -1/2, and t = (1, 1, 1) of the second's class: f = 1/2, H = 3/2. Each of
# the two is half of t less the other, to a residual of 1/2 (t's third entry): the costs are 1/2 and 1/8. tau
# = 1/2, objective 1/16 + 3/8 = 0.4375. The newcomer's: 1 along its nearest (tau = 1), and along both (s = 2,
# tau = 3/4) 9/16. Half of the second's -1/2 goes to t, and with the other sign to the first.
x = [[1, 0, 0], [0, 1, 0], [1, 1, 1]]
OLD = {"budget": 2, "vectors": [x[0], x[2]]}
for maintenance in ("nn", "joint"):
    hand("pa", x, y, [1, 0.5, 1], maintenance=maintenance, **OLD, rows=[1.25, -0.75])
# C = 1/4 for t: 1/16 + 3/32 + 1/4 (3/2 - 3/4) = 11/32, and for the newcomer, along the first alone,
# 1/32 + 1/4 (3/2 - 1/4) = 11/32: on a tie it stays.
hand("pa", x, y, [1, 0.5, 0.25], maintenance="nn", **OLD, rows=[1.25, -0.5])
# Along both: s = 2, 1/16 + 1/4 (3/2 - 1/2) = 10/32, which is less. The step -1/4 goes to each of them.
for options in ({"maintenance": "nn", "n_neighbors": 2}, {"maintenance": "joint"}):
    hand("pa", x, y, [1, 0.5, 0.25], budget=2, **options, vectors=x[:2], rows=[0.75, -0.75])
# 1/(2C) = 1: alpha = 1/2, -1/2 and f = 0. An old one: costs 1/8 each, tau = 1/4, objective 1/16 + 3/32 +
# 1/2 (1/4)^2 = 3/16. The newcomer: along both tau = 1/3, 1/9 + 1/2 (1/3)^2 = 1/6; along one tau = 1/2,
# 1/8 + 1/2 (1/2)^2 = 1/4, and the first of equals leaves: half of it is 1/4 t - 1/4 of the second.
SQUARED = {"budget": 2, "C": 0.5, "loss": "squared_hinge"}
hand("pa", x, y, maintenance="joint", **SQUARED, vectors=x[:2], rows=[1 / 6, -5 / 6])
hand("pa", x, y, maintenance="nn", **SQUARED, vectors=x[1:], rows=[-0.75, 0])
# The nearest of the fourth are the first and the third, both at distance 2, not t at 1/4: the oldest of them.
# alpha = 1, 1/16, -1, 1; f(t) = 3/2, H = 5/2, tau = 2: the fourth is t less half of the first, and costs
# nothing.
x, y, weights = [E1, [0, 4, 0, 0], E3, E4, [0.5, 0, 0, 1]], [1, 1, 0, 1, 0], [1, 1, 1, 0.25, 1]
NEAREST = {"budget": 4, "maintenance": "nn", "C": 4.0, "vectors": [*x[:3], x[4]]}
hand("pa", x, y, weights, **NEAREST, rows=[0.5, 0.0625, -1, -1])
# alpha = 1/2 (-1, 0, 1). At t: f = (-1/2, 0, 1/2), rival 2, H = 3/2, tau = 3/2 / (2 * 2) = 3/8; half of the
# old row goes to t.
CLASSES = {"n_classes": 3, "budget": 1, "maintenance": "simple", "vectors": [[1, 1]]}
hand("pa", [[1, 0], [1, 1]], [2, 1], **CLASSES, rows=[[-0.25, 0.375, -0.125]])
# (2, 0) is twice the first and waits: alpha = 1, then H = 3, tau = 3/4. The third comes with H = 1, tau = 1,
# and -3/4 * 2 goes to the first. A dependent newcomer: f = -1/2, H = 3/2, tau = 3/2 / 1/4, capped at 1; half
# of it goes to the first.
x, y = [[1, 0], [2, 0], [0, 1], [0.5, 0]], [1, 0, 1, 1]
for maintenance in ("project", "joint"):
    WAITS = {"budget": 2, "maintenance": maintenance, "vectors": [x[0], x[2]]}
    hand("pa", x[:3], y[:3], **WAITS, rows=[-0.5, 1])
    hand("pa", x, y, **WAITS, rows=[0, 1])
# Regression: f = 0, |y - f| - epsilon = 3/2: tau = min(1, 3/2). At t: f = 1, y - f = -2, H = 3/2, tau = 3/4;
# half of the old row goes to t, and f(t) = -1/2 is epsilon away from y.
TARGETS = {"n_classes": None, "epsilon": 0.5, "C": 1.0, "budget": 1, "maintenance": "simple"}
hand("pa", [[1, 0]], [2.0], **TARGETS, rows=[1])
FIRST = {"vectors": [[1, 1]], "rows": [-0.25], "scores": {(1, 1): -0.5}, "n_updates": 2}
hand("pa", [[1, 0], [1, 1]], [2.0, -1.0], **TARGETS, **FIRST)
hand("pa", [[1, 0], [1, 1], [1, 1]], [2.0, -1.0, 0.0], **TARGETS, n_updates=2)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_by_hand(case):
    algorithm, x, y, weights, options, expected, scores = case
    oracle = learned(algorithm, x, y, weights, **options)
    for name, value in expected.items():
        found = np.array(getattr(oracle, name))
        found = found[:, 0] if name == "rows" and oracle.n_outputs == 1 else found
        np.testing.assert_allclose(found, np.array(value), rtol=1e-9, atol=1e-12, err_msg=name)
    for row, value in scores.items():
        np.testing.assert_allclose(oracle.decision_function([row])[0], value, rtol=1e-9)


# The pieces of the oracles.


def test_kernels():
    a, b = [[1.0, 2.0]], [[3.0, -1.0], [0.0, 0.0]]
    # differences (-2, 3) and (1, 2); dot products 1 and 0; norms sqrt 5, sqrt 10, 0
    assert kernel_matrix("rbf", a, b, 0.5) == pytest.approx(np.exp([[-6.5, -2.5]]))
    assert kernel_matrix("laplacian", a, b, 0.5) == pytest.approx(np.exp([[-2.5, -1.5]]))
    assert kernel_matrix("linear", a, b).tolist() == [[1.0, 0.0]]
    assert kernel_matrix("poly", a, b, 2.0, 3, 1.0).tolist() == [[27.0, 1.0]]
    assert kernel_matrix("poly", a, b, 2.0, 3, 0.0).tolist() == [[8.0, 0.0]]
    assert kernel_matrix("sigmoid", a, b, 0.5, coef0=0.25) == pytest.approx(np.tanh([[0.75, 0.25]]))
    assert kernel_matrix("cosine", a, b) == pytest.approx(np.array([[1 / np.sqrt(50), 0.0]]))


def test_ties_go_to_the_oldest():
    assert oldest_smallest([2.0, 1.0 + 5e-10, 1.0]) == 1
    assert oldest_smallest([2.0, 1.0 + 5e-9, 1.0]) == 2
    assert oldest_smallest([1e-30, 0.0, 0.0]) == 1


def test_the_generator():
    # From 1234567: 6457827717110365317 = 0.35007... 2^64, then 3203168211198807973 = 0.17364... 2^64
    rng = SplitMix(1_234_567)
    assert rng.unit() == (6_457_827_717_110_365_317 >> 11) / 2**53
    assert rng.unit() == pytest.approx(3_203_168_211_198_807_973 / 2**64, abs=2**-53)
    rng = SplitMix(1_234_567)
    assert [rng.below(10), rng.below(10), rng.below(1)] == [3, 1, 0]
    counts = np.bincount([rng.below(5) for _ in range(5000)], minlength=5)
    assert counts.sum() == 5000
    assert (abs(counts - 1000) < 150).all()


def test_merging_unequal_rows():
    # p = 1, q = 4, r = 2 and b = k^(1-2h) = 1/2: b^2 (1-h) + 2 b (1-2h) = 4 h gives h = 1/5, L = ln 2 / 0.6
    h, lost = best_merge(1.0, [4.0], [2.0], [np.log(2.0) / 0.6])
    k = 2.0 ** (-1 / 0.6)
    assert h == pytest.approx([0.2])
    assert lost == pytest.approx([5 + 4 * k - (k**0.64 + 2 * k**0.04) ** 2])


@pytest.mark.parametrize("seed", range(5))
def test_no_point_of_a_fine_grid_merges_better(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        p = rng.choice([1.0, rng.uniform(), 1e-4])
        rho = rng.choice([-1.0, 1.0, rng.uniform(-1, 1)])
        L = 10 ** rng.uniform(-6, 2)
        r, reach = rho * np.sqrt(p), 2 / np.sqrt(L)
        h, lost = best_merge(p, [1.0], [r], [L])
        grid = np.concatenate([np.linspace(-1 - reach, 2 + reach, 20_001), np.linspace(-1, 2, 20_001)])
        best = np.nanmin(degradation(grid, p, 1.0, r, L))
        assert h[0] <= 0.5
        assert lost[0] <= best * (1 + 1e-6), (p, rho, L)


def test_the_most_correlated():
    # |k_ip| / sqrt(k_ii) of p = (1, 0) with (0, 1), (-3, 4), (2, 0), (1, 0), (0.5, 0.5)
    x = np.array([[0.0, 1.0], [-3.0, 4.0], [2.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 0.0]])
    for k in (1, 2, 3, 4, 9):
        assert most_correlated(x @ x.T, 3, k)[0] == [2, 5, 4, 1, 0][:k]


def test_the_projection_on_neighbours_has_its_ridge():
    # Two copies share what a copy of them has: d = 1 / (2 + 1e-8) each
    d, residual = ridge_projection(np.ones((3, 3)), 2, [0, 1])
    assert d == pytest.approx([1 / (2 + 1e-8)] * 2, rel=1e-7)
    assert residual < 1e-15
    # k_pp = 1, k_qq = 4, k_pq = 1: d = 1 / 4, and 1 - 1/4 remains
    d, residual = ridge_projection(np.array([[4.0, 1.0], [1.0, 1.0]]), 1, [0])
    assert d == pytest.approx([0.25])
    assert residual == pytest.approx(0.75)


@pytest.mark.parametrize("seed", range(20))
def test_the_forgetrons_phi_solves_its_equation(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        sigma, mu = rng.choice([1.0, SQRT2, rng.uniform(0.05, 3)]), rng.choice([0.0, 1.0, rng.normal()])
        mu = rng.choice([mu, sigma / 2])
        m = int(rng.integers(1, 200))
        q = rng.choice([0.0, 15 * (m - 1) / 32, rng.uniform(0, 15 * (m - 1) / 32)])
        a, b, c = sigma**2 - 2 * sigma * mu, 2 * sigma, q - 15 * m / 32
        root = -c / b if a == 0.0 else (-b + np.sqrt(max(b * b - 4 * a * c, 0.0))) / (2 * a)
        phi = 1.0 if a + b + c <= 0.0 else root
        found = shrink(sigma, mu, q, m)
        assert found == pytest.approx(phi, rel=1e-9), (sigma, mu, q, m)
        assert q + spent(sigma, mu, found) <= 15 * m / 32 * (1 + 1e-12)
        larger = np.linspace(found, 1.0, 50)[1:]
        assert found == 1.0 or (q + spent(sigma, mu, larger) > 15 * m / 32).all()


@pytest.mark.parametrize("name", ["forgetron", "projectron", "projectron++"])
def test_algorithms_with_a_rule_of_their_own_have_no_margin(name):
    with pytest.raises(ParameterError, match="margin does not apply to algorithm"):
        Classifier(name, margin=0.1)


@pytest.mark.parametrize("seed", range(10))
def test_miras_row_solves_its_program(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        n_classes = int(rng.integers(2, 7))
        own, beta, cap = rng.uniform(0.1, 4), rng.uniform(0.01, 2), 10 ** rng.uniform(-2, 1)
        scores, y = rng.normal(size=n_classes).round(int(rng.integers(0, 3))), int(rng.integers(n_classes))
        row = least_row(own, scores, y, beta, cap)
        right = np.arange(n_classes) == y
        slopes = scores + beta * ~right
        assert row.sum() == pytest.approx(0, abs=1e-9)
        # All are under their bounds, and the free ones have one slope, which no other one is under.
        room = np.where(right, cap, 0.0) - row
        assert room.min() >= -1e-9
        level = (own * row + slopes)[room > 1e-9].max(initial=-np.inf)
        assert (own * row + slopes <= level + 1e-9).all() or not (room > 1e-9).any()
        np.testing.assert_allclose((own * row + slopes)[room > 1e-9], level, atol=1e-8)
        # The threshold of the simplex projection, by bisection.
        targets = slopes / own + cap * right
        low, high = targets.min() - cap, targets.max()
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if np.maximum(targets - middle, 0).sum() > cap else (low, middle)
        np.testing.assert_allclose(row, np.minimum(low - slopes / own, cap * right), atol=1e-9)
        if not (scores + beta * ~right > scores[y]).any():
            assert row == pytest.approx(np.zeros(n_classes), abs=1e-9)


# Passive-aggressive learning of copies.


@pytest.mark.parametrize("apart", [1e-3, 1e-4, 2e-5, 5e-6])
def test_a_neighbour_in_the_span_of_the_others_is_left_out(apart):
    # The third, of the least weight, leaves. The second and then the first are its nearest; with gamma = 1/2
    # the residual of the first on its twin (and t, far away) is about their squared distance: 1e-10 at 1e-5.
    x = [[0.0, 0.0], [apart, 0.0], [0.5, 1.0], [2.0, -2.0]]
    options = {"budget": 3, "maintenance": "nn", "n_neighbors": 2, "kernel": "rbf", "gamma": 0.5, "C": 1.0}
    oracle = learned("pa", x, [1, 0, 1, 1], [1.0, 4.0, 1e-6, 1.0], **options)
    assert np.array(oracle.vectors).tolist() == [x[0], x[1], x[3]]
    assert (oracle.rows[0][0] != 1.0) == (apart > 1e-5)


@pytest.mark.parametrize("maintenance", ["simple", "nn"])
def test_of_copies_the_oldest_leaves(maintenance):
    # Two copies of x with alpha = 2/100, 1/100, and x again, of the other class: tau = 1/100. Both copies
    # cost nothing, whatever rounding says, so the oldest leaves to t: 2/100 - 1/100.
    options = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0, "C": 0.01, "budget": 2}
    for x in np.random.default_rng(0).uniform(-1, 1, size=(200, 2)).round(1):
        oracle = learned("pa", [x] * 3, [1, 1, 0], [2.0, 1.0, 1.0], maintenance=maintenance, **options)
        assert np.ravel(oracle.rows) == pytest.approx([0.01, 0.01]), x


def test_of_two_pairs_of_copies_the_oldest_leaves():
    # a, b, a, b: each pair holds its other half, so all four cost nothing.
    options = {"kernel": "rbf", "gamma": 0.5, "C": 0.05, "budget": 4, "maintenance": "nn"}
    for seed in range(200):
        a, b, t = np.random.default_rng(seed).normal(size=(3, 2)).round(2).tolist()
        oracle = learned("pa", [a, b, a, b, t], [1, 0, 1, 0, 1], **options)
        assert np.array(oracle.vectors).tolist() == [b, a, b, t], seed


# Averages.


def test_the_grid_of_restarts():
    assert restarts("0.5", None, 20) == (0, 1, 2, 4, 8, 16)
    # 100, 50, 25, 12.5, 6.25, 3.1, 1.6, 0.8, and 200
    assert restarts("0.5", 100, 250) == (0, 1, 3, 6, 12, 25, 50, 100, 200)
    # 16, 12, 9, 6.75, 5.06, 3.8, 2.8, 2.1, 1.6, 1.2, 0.9, and 21.3
    assert restarts("0.25", 16, 25) == (0, 1, 2, 3, 5, 6, 9, 12, 16, 21)
    # A tenth of a hundred is ten, also where 1 - 0.9 is not a tenth in binary.
    assert restarts("0.9", 100, 999) == (0, 1, 10, 100)
    assert restarts("1.0", 100, 250) == (0,)


def test_the_suffix_is_the_papers_at_the_end_of_the_stream():
    assert [suffix_start("0.5", None, t) for t in range(10)] == [0, 0, 1, 1, 2, 2, 2, 2, 4, 4]
    for gamma, length, start in (("0.5", 100, 50), ("0.5", 7, 3), ("0.25", 16, 12), ("0.9", 100, 10)):
        assert suffix_start(gamma, length, length) == start
    assert suffix_start("0.25", 16, 17) == 12
    assert suffix_start("0.25", 16, 15) == 9
    assert suffix_start("1.0", 100, 100) == 0


def coefficients(*given, **options):
    """The coefficients that predict."""
    return np.ravel(learned("pegasos", *given, **options).served()[1])


# lambda = 1/2, x = 1: the first example gives w_2 = 1 / (1/2) = 2, and a margin of 2, 1, ... is never below 1
# until w_4 = 2/3. With `stop` and a budget of one nothing is ever added: w_1 ... w_8.
W = [0, 2, 1, 2 / 3, 1 / 2, 2 / 5, 1 / 3, 2 / 7]


def decaying(n=8, **options):
    """The one coefficient after each example of a stream: the model is 2, 1, 2/3, 1/2, ... times x."""
    return [coefficients(np.ones((t, 1)), [1] * t, **STOP, **options)[0] for t in range(1, n + 1)]


def test_averages_of_a_model_that_only_decays():
    # Restarts after 1, 2, 4 and 8: w_1; w_2; w_2, w_3; w_3, w_4; ..., and after 8 examples w_5 to w_8
    expected = [0, 2, 3 / 2, 5 / 6, (5 / 3 + 1 / 2) / 3, sum(W[2:6]) / 4, sum(W[2:7]) / 5, sum(W[4:]) / 4]
    assert decaying(average=True) == pytest.approx(expected)
    # The length 6: restarts after 1, 3 and 6
    expected = [0, 1, sum(W[1:3]) / 2, sum(W[1:4]) / 3, sum(W[1:5]) / 4, sum(W[3:6]) / 3]
    assert decaying(6, average=0.5, stream_length=6) == pytest.approx(expected)
    assert decaying(average=1.0) == pytest.approx(np.cumsum(W) / np.arange(1, 9))
    # A quarter of eight: w_7 and w_8
    assert decaying(average=0.25, stream_length=8)[-1] == pytest.approx(sum(W[6:]) / 2)


def test_a_drawn_model_is_one_of_the_suffix():
    counts = np.zeros(9)
    for seed in range(400):
        found = coefficients(np.ones((8, 1)), [1] * 8, **STOP, average="random", seed=seed)[0]
        counts[next(s for s, value in enumerate(W, start=1) if value == pytest.approx(found))] += 1
    assert counts[:5].sum() == 0
    # A hundred each, with a deviation of sqrt(400 / 4 * 3/4) = 8.7
    assert (abs(counts[5:] - 100) < 35).all()


def test_what_leaves_takes_its_share_along():
    # t = 1 inserts (2, 0, 0), t = 2 the orthogonal (0, 1, 0), t = 3 (1, 1, 1) against its label.
    # w_2 = 2 (2, 0, 0); w_3 = (2, 0, 0) + (0, 1, 0); the raw score of t = 3 is 3, for the label 0.
    given, options = ([[2.0, 0, 0], [0, 1.0, 0], [1.0, 1.0, 1.0]], [1, 1, 0]), {"average": 1.0}
    first, second = (0 + 2 + 1) / 3, (0 + 0 + 1) / 3
    whole = learned("pegasos", *given, **options, maintenance="none")
    assert np.ravel(whole.served()[1]) == pytest.approx([first, second, 0])
    assert whole.decision_function([[1.0, 10.0, 0]]) == pytest.approx([2 * first + 10 * second])
    # |alpha|^2 k = 4, 1, 3: the second leaves, and its share with it. Projected on the others it is
    # (1, 1, 1) / 2 - (2, 0, 0) / 4: they take these parts of its share. On its nearest alone: the
    # correlations are 0 and 1 / sqrt 3, and a third of (1, 1, 1) takes over.
    for maintenance, share, rows in (
        ("smallest", [first, 0], [1, -1]),
        ("project", [first - second / 4, second / 2], [1 - 1 / 4, -1 + 1 / 2]),
        ("project-nn", [first, second / 3], [1, -1 + 1 / 3]),
    ):
        more = {"n_neighbors": 1} if maintenance == "project-nn" else {}
        model = learned("pegasos", *given, **options, maintenance=maintenance, budget=2, **more)
        assert np.ravel(model.served()[1]) == pytest.approx(share)
        assert np.ravel(model.rows) == pytest.approx(rows)
    assert model.degradations == pytest.approx([np.sqrt(2 / 3)])


def test_merged_shares():
    # k = 1/4, equal rows 1 and 1: h = 1/2, u = v = k^(1/4) = 2^(-1/2). Before t = 2: w_1 = 0, w_2 = 1/lambda.
    found = coefficients([[0.0], [1.0]], [1, 1], **MERGE, gamma=np.log(4.0), average=1.0)
    assert found == pytest.approx([(0 + 2) / 2 / SQRT2])


def test_the_ball_does_not_reach_back():
    # lambda = 1/4: |w_2| = 3 / lambda = 12 is scaled to 2, so that w_2 = (2/3) x; w_1 = 0 and w_3 = w_2 / 2.
    found = coefficients([[3.0], [3.0], [3.0]], [1, 1, 0], **BALL, average=1.0)
    assert found == pytest.approx([(0 + 2 / 3 + 1 / 3) / 3, 0.0])


def test_rows_without_weight_are_not_counted():
    model = learned("pegasos", [[1.0], [3.0]], [1, 0], [1.0, 0.0], average=1.0)
    assert model.t == len(model.average.models) == 1


# Rates of maintenance.


def rated(n, seed, **options):
    """The oracle after orthogonal rows, each of which is inserted, and which of them are left."""
    options = {"maintenance": "oldest", "budget": 2, "seed": seed, **options}
    model = learned("pegasos", np.eye(n), [1] * n, **options)
    return model, [int(v.argmax()) for v in model.vectors]


@pytest.mark.parametrize("seed", range(20))
def test_a_rate(seed):
    rng = SplitMix(seed)
    # From t = 3 on the model is over its budget, and each example draws.
    leaves = [rng.unit() < 4 / t for t in range(3, 41)]
    assert leaves[:2] == [True, True]
    model, left = rated(40, seed, rate=4.0)
    assert (model.n_drawn, model.n_maintenances) == (38, sum(leaves))
    assert left == list(range(sum(leaves), 40))


def test_a_rate_with_a_bound_draws_all_the_same():
    rng, size = SplitMix(5), 2
    for t in range(3, 41):
        size += 0 if rng.unit() < 4 / t or size == 6 else 1
    model, _ = rated(40, 5, rate=4.0, max_size=6)
    assert (model.n_drawn, model.n_support_vectors, model.n_maintenances) == (38, size, 40 - size)
    assert size == 6
    assert len(rated(40, 5, rate=4.0, max_size=2)[1]) == 2


def test_a_rate_and_random_removal_take_turns():
    rng, expected = SplitMix(8), [0, 1]
    for t in range(2, 30):
        expected.append(t)
        if rng.unit() < 5 / (t + 1):
            del expected[rng.below(len(expected) - 1)]
    assert rated(30, 8, rate=5.0, maintenance="random")[1] == expected


def test_the_automatic_rate():
    assert rated(1, 0, rate="auto", stream_length=50)[0].rate == 30.0


# Streams that change.


def test_the_window_is_cut_at_a_rise_and_at_a_fall():
    window, rng = Adwin(), np.random.default_rng(4)
    values = [float(rng.random() < (0.1, 0.6, 0.1, 0.1)[i // 500]) for i in range(2000)]
    risen = [i for i, value in enumerate(values) if window.take(value) is not None]
    assert 500 < min(risen) <= max(risen) < 600
    assert 900 < window.length < 1100
    assert max(Counter(n for n, _ in window.buckets).values()) <= 5
