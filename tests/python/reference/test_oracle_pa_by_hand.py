"""Passive-aggressive steps worked out on paper, as the reference implementation and the library take them.

All kernels are linear unless said otherwise; labels are 0 and 1, the second class is +1.
"""

from __future__ import annotations

import numpy as np
import pytest

from budgetrs import Classifier
from oracle_pa import PassiveAggressive, PassiveAggressiveRegression


def learned(x, y, weights=None, *, n_classes=2, kernel="linear", **options):
    """The vectors and the rows after learning, on which the reference and the library agree."""
    x = np.array(x, dtype=float)
    oracle = PassiveAggressive(n_classes, kernel=kernel, **options).learn(x, y, weights)
    model = Classifier("pa", kernel=kernel, classes=list(range(n_classes)), **options)
    model.learn(x, y, sample_weight=weights)
    vectors, rows = np.array(oracle.vectors), np.array(oracle.rows)
    assert model.support_vectors_.tolist() == vectors.tolist()
    np.testing.assert_allclose(model.dual_coef_.T, rows, rtol=1e-9, atol=1e-12)
    assert (model.n_updates_, model.n_mistakes_) == (oracle.n_updates, oracle.n_mistakes)
    return vectors.tolist(), rows if n_classes > 2 else rows[:, 0]


def test_steps():
    def step(**options):
        # H = 1 and k_tt = 4
        weight = options.pop("weight", None)
        return learned([[2.0]], [1], weight and [weight], budget=None, **options)[1][0]

    assert step() == 0.25
    assert step(C=0.125) == 0.125
    assert step(C=0.0625, weight=2.0) == 0.125
    assert step(C=0.5, loss="squared_hinge") == 0.2  # 1 / (4 + 1)
    assert step(C=0.25, weight=2.0, loss="squared_hinge") == 0.2
    # |v|^2 = 2: 1 / (2 * 4)
    assert step(n_classes=3).tolist() == [-0.125, 0.125, 0.0]
    assert step(n_classes=3, loss="squared_hinge", C=0.25).tolist() == pytest.approx([-0.1, 0.1, 0.0])


def test_the_ramp_ends_at_margin_minus_one():
    def rows(x, *, budget=None, **options):
        return learned([[1.0], [x]], [1, 0], budget=budget, C=4.0, **options)[1].tolist()

    # f(x) = x: H = 1 + x, which the ramp takes up to x = 1; k_tt = x^2
    assert rows(1.0, loss="ramp") == [1.0, -2.0]
    assert rows(2.0, loss="ramp") == [1.0]
    assert rows(2.0, loss="hinge") == [1.0, -0.75]
    # Full, such an example changes nothing either.
    assert rows(2.0, loss="ramp", budget=1, maintenance="simple") == [1.0]
    assert rows(2.0, loss="ramp", budget=1, maintenance="joint") == [1.0]


def test_simple():
    # alpha = 1, -1/4. At t: f = 1/2, H = 3/2, tau = 3/4. Residuals beside t: 1 - 1/2 and 4 - 4/2, the costs
    # are 1/2 and 2/16: the second leaves, and -1/4 of it are -1/4 * 2/2 of t.
    vectors, rows = learned([[1, 0], [0, 2], [1, 1]], [1, 0, 0], budget=2, maintenance="simple", C=10.0)
    assert vectors == [[1, 0], [1, 1]]
    assert rows == pytest.approx([1.0, -1.0])


@pytest.mark.parametrize("leaves", [False, True])
def test_simple_may_drop_the_newcomer(leaves):
    # As above with C = 1/10 for t: tau = 1/10. The second leaves for 1/16 + 1/100 + 1/10 (3/2 - 1/5) =
    # 0.2025, the newcomer for C H = 0.15.
    vectors, rows = learned(
        [[1, 0], [0, 2], [1, 1]],
        [1, 0, 0],
        [1.0, 1.0, 0.1],
        budget=2,
        maintenance="simple",
        may_discard_new=leaves,
    )
    assert vectors == ([[1, 0], [0, 2]] if leaves else [[1, 0], [1, 1]])
    assert rows == pytest.approx([1.0, -0.25] if leaves else [1.0, -0.35])


# Two unit vectors with alpha = 1, -1/2, and t = (1, 1, 1) of the second's class: f = 1/2, H = 3/2. Each of
# the two is half of t less the other, to a residual of 1/2 (t's third entry): the costs are 1/2 and 1/8.
CORNER = [[1, 0, 0], [0, 1, 0], [1, 1, 1]]


@pytest.mark.parametrize("maintenance", ["nn", "joint"])
def test_an_old_one_leaves(maintenance):
    # tau = 1/2, objective 1/16 + 3/8 = 0.4375. The newcomer's: 1 along its nearest (tau = 1), and along both
    # (s = 2, tau = 3/4) 9/16. Half of the second's -1/2 goes to t, and with the other sign to the first.
    vectors, rows = learned(CORNER, [1, 0, 0], [1.0, 0.5, 1.0], budget=2, maintenance=maintenance)
    assert vectors == [[1, 0, 0], [1, 1, 1]]
    assert rows == pytest.approx([1.25, -0.75])


def test_the_newcomer_stays_on_a_tie():
    # C = 1/4 for t: 1/16 + 3/32 + 1/4 (3/2 - 3/4) = 11/32, and for the newcomer, along the first alone,
    # 1/32 + 1/4 (3/2 - 1/4) = 11/32.
    vectors, rows = learned(CORNER, [1, 0, 0], [1.0, 0.5, 0.25], budget=2, maintenance="nn")
    assert vectors == [[1, 0, 0], [1, 1, 1]]
    assert rows == pytest.approx([1.25, -0.5])


@pytest.mark.parametrize(("maintenance", "n_neighbors"), [("nn", 2), ("joint", 1)])
def test_the_newcomer_leaves(maintenance, n_neighbors):
    # Along both: s = 2, 1/16 + 1/4 (3/2 - 1/2) = 10/32, which is less. The step -1/4 goes to each of them.
    options = {"n_neighbors": n_neighbors} if maintenance == "nn" else {}
    vectors, rows = learned(CORNER, [1, 0, 0], [1.0, 0.5, 0.25], budget=2, maintenance=maintenance, **options)
    assert vectors == [[1, 0, 0], [0, 1, 0]]
    assert rows == pytest.approx([0.75, -0.75])


def test_the_squared_hinge_is_weighed_squared():
    # 1/(2C) = 1: alpha = 1/2, -1/2 and f = 0. An old one: costs 1/8 each, tau = 1/4, objective 1/16 + 3/32 +
    # 1/2 (1/4)^2 = 3/16. The newcomer: along both tau = 1/3, 1/9 + 1/2 (1/3)^2 = 1/6; along one tau = 1/2,
    # 1/8 + 1/2 (1/2)^2 = 1/4.
    options = {"budget": 2, "C": 0.5, "loss": "squared_hinge"}
    vectors, rows = learned(CORNER, [1, 0, 0], maintenance="joint", **options)
    assert vectors == [[1, 0, 0], [0, 1, 0]]
    assert rows == pytest.approx([1 / 6, -5 / 6])
    # The first of equals leaves: half of it is 1/4 t - 1/4 of the second.
    vectors, rows = learned(CORNER, [1, 0, 0], maintenance="nn", **options)
    assert vectors == [[0, 1, 0], [1, 1, 1]]
    assert rows == pytest.approx([-0.75, 0.0])


def test_the_nearest_neighbour_is_an_old_one_and_the_oldest_of_equals():
    # The nearest of the fourth are the first and the third, both at distance 2, not t at 1/4. alpha = 1,
    # 1/16, -1, 1; f(t) = 3/2, H = 5/2, tau = 2: the fourth is t less half of the first, and costs nothing.
    x = [[1, 0, 0, 0], [0, 4, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0.5, 0, 0, 1]]
    vectors, rows = learned(x, [1, 1, 0, 1, 0], [1.0, 1.0, 1.0, 0.25, 1.0], budget=4, maintenance="nn", C=4.0)
    assert vectors == [*x[:3], x[4]]
    assert rows == pytest.approx([0.5, 0.0625, -1.0, -1.0])


def test_many_classes():
    # alpha = 1/2 (-1, 0, 1). At t: f = (-1/2, 0, 1/2), rival 2, H = 3/2, tau = 3/2 / (2 * 2) = 3/8; half of
    # the old row goes to t.
    vectors, rows = learned([[1, 0], [1, 1]], [2, 1], n_classes=3, budget=1, maintenance="simple")
    assert vectors == [[1, 1]]
    assert rows[0].tolist() == pytest.approx([-0.25, 0.375, -0.125])


@pytest.mark.parametrize("maintenance", ["project", "joint"])
def test_what_is_in_the_span_leaves_first(maintenance):
    # (2, 0) is twice the first and waits: alpha = 1, then H = 3, tau = 3/4. The third comes with H = 1,
    # tau = 1, and -3/4 * 2 goes to the first.
    vectors, rows = learned([[1, 0], [2, 0], [0, 1]], [1, 0, 1], budget=2, maintenance=maintenance)
    assert vectors == [[1, 0], [0, 1]]
    assert rows == pytest.approx([-0.5, 1.0])
    # A dependent newcomer: f = -1/2, H = 3/2, tau = 3/2 / 1/4, capped at 1; half of it goes to the first.
    vectors, rows = learned(
        [[1, 0], [2, 0], [0, 1], [0.5, 0]], [1, 0, 1, 1], budget=2, maintenance=maintenance
    )
    assert vectors == [[1, 0], [0, 1]]
    assert rows == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("apart", [1e-3, 1e-4, 2e-5, 5e-6])
def test_a_neighbour_in_the_span_of_the_others_is_left_out(apart):
    # The third, of the least weight, leaves. The second and then the first are its nearest; with gamma = 1/2
    # the residual of the first on its twin (and t, far away) is about their squared distance: 1e-10 at 1e-5.
    x = [[0.0, 0.0], [apart, 0.0], [0.5, 1.0], [2.0, -2.0]]
    vectors, rows = learned(
        x,
        [1, 0, 1, 1],
        [1.0, 4.0, 1e-6, 1.0],
        budget=3,
        maintenance="nn",
        n_neighbors=2,
        kernel="rbf",
        gamma=0.5,
        C=1.0,
    )
    assert vectors == [x[0], x[1], x[3]]
    assert (rows[0] != 1.0) == (apart > 1e-5)


def test_regression():
    # f = 0, |y - f| - epsilon = 3/2: tau = min(1, 3/2). At t: f = 1, y - f = -2, H = 3/2, tau = 3/4; half of
    # the old row goes to t, and f(t) = -1/2 is epsilon away from y.
    model = PassiveAggressiveRegression(
        epsilon=0.5, C=1.0, kernel="linear", budget=1, maintenance="simple"
    ).learn([[1.0, 0.0]], [2.0])
    assert model.rows[0].tolist() == [1.0]
    model.learn([[1.0, 1.0]], [-1.0])
    assert [v.tolist() for v in model.vectors] == [[1.0, 1.0]]
    assert model.rows[0].tolist() == [-0.25]
    assert model.learn([[1.0, 1.0]], [0.0]).n_updates == 2


@pytest.mark.parametrize("maintenance", ["simple", "nn"])
def test_of_copies_the_oldest_leaves(maintenance):
    # Two copies of x with alpha = 2/100, 1/100, and x again, of the other class: tau = 1/100. Both copies
    # cost nothing, whatever rounding says, so the oldest leaves to t: 2/100 - 1/100.
    options = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0, "C": 0.01}
    for x in np.random.default_rng(0).uniform(-1, 1, size=(200, 2)).round(1):
        _, rows = learned([x] * 3, [1, 1, 0], [2.0, 1.0, 1.0], budget=2, maintenance=maintenance, **options)
        assert rows == pytest.approx([0.01, 0.01]), x


def test_of_two_pairs_of_copies_the_oldest_leaves():
    # a, b, a, b: each pair holds its other half, so all four cost nothing.
    for seed in range(200):
        a, b, t = np.random.default_rng(seed).normal(size=(3, 2)).round(2).tolist()
        options = {"kernel": "rbf", "gamma": 0.5, "C": 0.05}
        vectors, _ = learned([a, b, a, b, t], [1, 0, 1, 0, 1], budget=4, maintenance="nn", **options)
        assert vectors == [b, a, b, t], seed
