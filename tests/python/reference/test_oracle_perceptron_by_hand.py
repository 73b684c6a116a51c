"""The Perceptron, MIRA and OGD worked out on paper, as the references and the library take them.

All kernels are linear; labels are 0 and 1, the second class is +1. E1, E2, E3 are the unit vectors.
"""

from __future__ import annotations

import numpy as np
import pytest

from budgetrs import Classifier, ParameterError
from oracle import draws
from oracle_mira import least_row
from oracle_named import reference
from oracle_perceptron import shrink, spent

E1, E2, E3, E4 = np.eye(4).tolist()
ZERO = [0.0] * 4


class Learned:
    """What the reference knows after learning, on which the library agrees."""

    def __init__(self, name, x, y, weights=None, *, n_classes=2, seed=0, **options):
        x = np.array(x, dtype=float)
        budget = options.get("budget")
        options["kernel"] = "linear"
        oracle = reference(name, n_classes, draw=budget and draws(seed, budget), **options)
        oracle.learn(x, y, weights)
        model = Classifier(name, classes=list(range(n_classes)), seed=seed, **options)
        model.learn(x, y, sample_weight=weights)
        vectors, rows = np.array(oracle.vectors), np.array(oracle.rows)
        assert model.support_vectors_.tolist() == vectors.tolist()
        np.testing.assert_allclose(model.dual_coef_.T, rows, rtol=1e-9, atol=1e-12)
        assert (model.n_updates_, model.n_mistakes_) == (oracle.n_updates, oracle.n_mistakes)
        assert model.n_maintenances_ == oracle.n_maintenances
        assert model.mean_weight_degradation_ == pytest.approx(oracle.mean_weight_degradation)
        self.vectors = vectors.tolist()
        self.rows = rows if n_classes > 2 else rows[:, 0]
        self.n_updates, self.n_mistakes = oracle.n_updates, oracle.n_mistakes
        self.n_maintenances, self.degradation = oracle.n_maintenances, oracle.mean_weight_degradation

    def assert_rows(self, *rows):
        np.testing.assert_allclose(self.rows, rows, rtol=1e-9, atol=1e-12)


# The Perceptron.


def test_a_zero_score_is_an_error_for_the_update():
    # w = x1, then f = -1 at (1, 1) of the other class: w = -x2. The zero scores of the others update; only
    # that of the second class is a mistake. f(0, -1) = 1 of the second class changes nothing.
    x = [[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, -1, 0]]
    found = Learned("perceptron", x, [1, 1, 0, 1, 0, 1])
    assert found.vectors == [x[0], x[2], x[3], x[4]]
    found.assert_rows(1, -1, 1, -1)
    assert (found.n_updates, found.n_mistakes, found.n_maintenances) == (4, 3, 0)


def test_weights_scale_the_row():
    # A row of weight 0 is not seen. w = 1/2 x1, then f = 1/2 is wrong.
    found = Learned("perceptron", [E1, E1, E1], [0, 1, 0], [0.0, 0.5, 2.0])
    found.assert_rows(0.5, -2.0)
    assert (found.n_updates, found.n_mistakes) == (2, 2)


def test_the_rival_is_the_first_of_the_strongest():
    # All scores are 0: the rival is class 0. At -x they are (1, 0, -1), and the rival of class 1 is 0; then
    # (0, 1, -1), and that of class 2 is 1. Where all are 0, class 0 is predicted and has the rival 1.
    found = Learned("perceptron", [E1, [-1, 0, 0, 0], [-1, 0, 0, 0], E2], [2, 1, 2, 0], n_classes=3)
    found.assert_rows([-1, 0, 1], [-1, 1, 0], [0, -1, 1], [1, -1, 0])
    assert found.n_mistakes == 3


def test_margins_up_to_beta_update():
    # f = 0, 1, then 2 * 1/2; at the last 5/2.
    found = Learned("perceptron", [[1.0], [1.0], [0.5], [1.0]], [1] * 4, margin=1.0)
    found.assert_rows(1, 1, 1)
    assert (found.n_updates, found.n_mistakes) == (3, 1)
    assert Learned("perceptron", [[1.0], [1.0], [0.5]], [1] * 3, margin=0.75).vectors == [[1.0], [0.5]]


@pytest.mark.parametrize("name", ["perceptron", "mira", "bogd"])
def test_rows_with_no_norm_are_never_inserted(name):
    budget = 2 if name == "bogd" else None
    found = Learned(name, [E1, ZERO, ZERO], [1, 1, 0], budget=budget)
    assert (found.vectors, found.n_updates, found.n_mistakes) == ([E1], 1, 2)


def test_removals():
    # All scores are 0; |alpha|^2 k = 9, 1, 4.
    x = np.diag([3.0, 1.0, 2.0]).tolist()

    def left(maintenance, **options):
        found = Learned("perceptron", x, [1, 1, 0], budget=2, maintenance=maintenance, **options)
        return [max(v) for v in found.vectors], found.degradation

    assert left("oldest") == ([1.0, 2.0], 3.0)
    assert left("smallest") == ([3.0, 2.0], 1.0)
    assert left("stop") == ([3.0, 1.0], 0.0)
    assert left("random", seed=0) == ([3.0, 2.0], 1.0)  # draws 1
    assert left("random", seed=3) == ([1.0, 2.0], 3.0)  # draws 0


# The caches of Crammer, Kandola and Singer.


def test_the_best_without_itself_leaves_first():
    # w = a - b/2. f(t) = -1/2 is wrong. Without a its margin is -1/2 * 2 = -1; that of b without b is -2.
    a, b, t = [2, 0], [1, 1], [1, 4]
    found = Learned("budget-perceptron", [a, b, t], [1, 0, 1], [1.0, 0.5, 1.0], budget=2)
    assert found.vectors == [b, t]
    found.assert_rows(-0.5, 1.0)
    assert (found.n_maintenances, found.degradation) == (1, 2.0)


def test_of_equally_good_ones_the_oldest_leaves():
    # With rows of one length two vectors always have the same margin without themselves: y1 y2 k12.
    found = Learned("budget-perceptron", [E1, [1, 1, 0, 0], E3], [1, 0, 1], budget=2)
    assert found.vectors == [[1, 1, 0, 0], E3]


def test_nobody_leaves_for_an_example_that_does_not_trigger():
    # beta = 0.01: f(e1) = 1 is enough, f = 1/128 is not, though it is right.
    assert Learned("budget-perceptron", [E1, E1], [1, 1], budget=1).n_maintenances == 0
    found = Learned("budget-perceptron", [E1, [1 / 128, 1, 0, 0]], [1, 1], budget=1)
    assert (found.n_maintenances, found.n_mistakes) == (1, 1)
    assert Learned("budget-perceptron", [E1, [1 / 64, 1, 0, 0]], [1, 1], budget=1).n_maintenances == 0


def test_margins_over_many_classes():
    # Rows (-2, 0, 2), (1, 0, -1), (0, -1, 1). Without itself the first has the scores (1, -1, 0) and the
    # margin -1; the second (-2, 0, 2), -4; the third (-2, 0, 2) and 2: it leaves, sqrt 2 times sqrt 2 long.
    x = [E1, [1, 1, 0, 0], [1, -1, 0, 0], E4]
    options = {"n_classes": 3, "budget": 3, "margin": 6.0}
    found = Learned("budget-perceptron", x, [2, 0, 2, 1], [2.0, 1.0, 1.0, 1.0], **options)
    assert found.vectors == [x[0], x[1], x[3]]
    found.assert_rows([-2, 0, 2], [1, 0, -1], [-1, 1, 0])
    assert found.degradation == pytest.approx(2.0)


def test_distilling():
    # w = a - b = (0, -1); f(t) = -1, w = (2, 0). Without themselves: a has (1, 0) . a = 1 and leaves, b has
    # -(3, 1) . (1, 1). Then b has -(2, 1) . (1, 1).
    a, b, t = [1, 0], [1, 1], [2, 1]
    found = Learned("budget-perceptron-distill", [a, b, t], [1, 0, 1], budget=None, margin=0.0)
    assert found.vectors == [b, t]
    found.assert_rows(-1, 1)
    assert (found.n_updates, found.n_maintenances, found.degradation) == (3, 1, 1.0)


def test_the_newcomer_is_not_distilled():
    # Each margin without itself is 0: with beta = 0 all leave but the newcomer, with 0.01 none.
    x = [E1, E2, E3]
    assert Learned("budget-perceptron-distill", x, [1, 0, 1], budget=None, margin=0.0).vectors == [E3]
    assert Learned("budget-perceptron-distill", x, [1, 0, 1], budget=None).vectors == x
    assert Learned("budget-perceptron-distill", x, [1, 0, 1], budget=2).vectors == [E2, E3]


def test_distilling_the_best_first_may_save_the_others():
    # Along e1, w is 1/2, then 3/4, and 1 with t: without themselves the two have 1/2 and 3/4. The second
    # leaves, and with 3/4 the first has 1/4. The other way round the second would stay.
    x = [[1, 0], [1, 0], [0.5, 1]]
    options = {"budget": None, "margin": 0.5}
    found = Learned("budget-perceptron-distill", x, [1, 1, 1], [0.5, 0.25, 0.5], **options)
    assert found.vectors == [x[0], x[2]]
    assert found.degradation == 0.25


def test_distilling_goes_on():
    # As above with a full step: w is 5/4 along e1; the second leaves, and the first has 1/2.
    x = [[1, 0], [1, 0], [0.5, 1]]
    found = Learned("budget-perceptron-distill", x, [1, 1, 1], [0.5, 0.25, 1.0], budget=None, margin=0.5)
    assert found.vectors == [x[2]]
    assert (found.n_maintenances, found.degradation) == (2, 0.375)


def test_a_hard_budget_takes_the_best_of_the_bad():
    # w = a - b/2 + t = (1/2, 7/2): without themselves a has (-3/2, 7/2) . a = -3, b has -(1, 4) . (1, 1).
    a, b, t = [2, 0], [1, 1], [-1, 4]
    found = Learned("budget-perceptron-distill", [a, b, t], [1, 0, 1], [1.0, 0.5, 1.0], budget=2)
    assert found.vectors == [b, t]
    assert (found.n_maintenances, found.degradation) == (1, 2.0)


def test_nothing_is_distilled_after_a_hard_removal():
    # w = 4 a - b/2, f(t) = 1 is wrong, w = 4 a - b/2 - t. Without themselves: a has -1/2 - 1/2, b has 2 - 4.
    # a leaves; without it b has 2, which would be enough to leave, but nothing asks for that any more.
    a, b, t = [1, 0], [1, 1], [0.5, 1.5]
    found = Learned("budget-perceptron-distill", [a, b, t], [1, 0, 0], [4.0, 0.5, 1.0], budget=2)
    assert found.vectors == [b, t]
    assert (found.n_maintenances, found.degradation) == (1, 4.0)


# The Forgetron: r is the oldest, M counts the updates.


def test_the_forgetron_scales_and_forgets():
    # M = 2, sigma = mu = 1: -phi^2 + 2 phi = 30/32 gives 3/4, and Q = 30/32. The change is -e1 - 1/4 e2.
    found = Learned("forgetron", [E1, E2], [1, 1], budget=1)
    assert found.vectors == [E2]
    found.assert_rows(0.75)
    assert (found.n_maintenances, found.degradation) == (1, pytest.approx(np.sqrt(1.0625)))
    # M = 3, sigma = mu = 3/4: -9/16 phi^2 + 3/2 phi = 45/32 - Q = 15/32.
    phi = 4 / 3 * (1 - np.sqrt(1 - 15 / 32))
    Learned("forgetron", [E1, E2, E3], [1, 1, 0], budget=1).assert_rows(-phi)


def test_the_forgetron_need_not_scale():
    # M = 3, sigma = mu = 1: with phi = 1 it is 1, under 45/32. Then M = 4, Q = 1: -phi^2 + 2 phi = 7/8.
    found = Learned("forgetron", [E1, E2, E3], [1, 0, 1], budget=2)
    assert (found.vectors, found.degradation) == ([E2, E3], 1.0)
    found.assert_rows(-1, 1)
    phi = 1 - np.sqrt(1 / 8)
    Learned("forgetron", [E1, E2, E3, E4], [1, 0, 1, 1], budget=2).assert_rows(phi, phi)


def test_the_forgetron_on_parabolas_of_all_kinds():
    # f' at the oldest is with the newcomer: mu = 1/2, so that a = 0 and 2 phi = 30/32.
    Learned("forgetron", [[1, 0], [-0.5, 1]], [1, 1], budget=1).assert_rows(15 / 32)
    # mu = 0: phi^2 + 2 phi = 30/32.
    Learned("forgetron", [[1, 0], [-1, 1]], [1, 1], budget=1).assert_rows(np.sqrt(31 / 16) - 1)
    # sigma = 2, mu = 2 - 3/4: -phi^2 + 4 phi = 30/32.
    Learned("forgetron", [[1, 0], [-0.75, 1]], [1, 1], [2.0, 1.0], budget=1).assert_rows(1 / 4)
    # sigma = mu = 2: -4 phi^2 + 4 phi is too much at 1/2, but 0 at 1.
    Learned("forgetron", [E1, E2], [1, 1], [2.0, 1.0], budget=1).assert_rows(1)


def test_the_forgetron_with_many_classes():
    # (-1, 0, 1), and (1, 0, -1) at 1/4 of it: sigma = sqrt 2, sigma mu = 3/2, -phi^2 + 2 sqrt 2 phi = 30/32.
    phi = np.sqrt(2) - np.sqrt(17 / 16)
    Learned("forgetron", [[1, 0], [0.25, 1]], [2, 0], n_classes=3, budget=1).assert_rows([phi, 0, -phi])
    # At 1/2 of it sigma mu = 1, so that a = sigma^2 - 2 sigma mu is 0 to rounding.
    phi = 15 / 64 * np.sqrt(2)
    Learned("forgetron", [[1, 0], [0.5, 1]], [2, 0], n_classes=3, budget=1).assert_rows([phi, 0, -phi])


@pytest.mark.parametrize("seed", range(20))
def test_the_forgetrons_phi_solves_its_equation(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        sigma, mu = rng.choice([1.0, np.sqrt(2), rng.uniform(0.05, 3)]), rng.choice([0.0, 1.0, rng.normal()])
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
def test_those_with_a_rule_of_their_own_have_no_margin(name):
    with pytest.raises(ParameterError, match="margin does not apply to algorithm"):
        Classifier(name, margin=0.1)


# The Projectron.


def test_the_projectron_absorbs_what_is_near_the_span():
    # (1, 1/4) is the first and a residual of 1/4, which counts as near.
    x, y = [[1, 0], [1, 0.25]], [1, 0]
    for eta in (0.25, 0.3):
        found = Learned("projectron", x, y, budget=None, eta=eta)
        assert (found.vectors, found.n_updates, found.n_mistakes) == ([x[0]], 2, 2)
        found.assert_rows(0)
        assert (found.n_maintenances, found.degradation) == (1, 0.25)
    found = Learned("projectron", x, y, [1.0, 0.5], budget=None)
    found.assert_rows(0.5)
    assert found.degradation == 0.125
    found = Learned("projectron", x, y, budget=None, eta=0.2)
    found.assert_rows(1, -1)
    assert found.n_maintenances == 0


def test_the_projectron_always_absorbs_when_full():
    # w = x1 - x2 = (0, -1, 0), f(x3) = -2. On the two, x3 is -2 x1 + 2 x2 and a residual of 1.
    x = [[1, 0, 0], [1, 1, 0], [0, 2, 1]]
    found = Learned("projectron", x, [1, 0, 1], budget=2, eta=0.0)
    assert found.vectors == x[:2]
    found.assert_rows(-1, 1)
    assert (found.n_updates, found.n_maintenances, found.degradation) == (3, 1, pytest.approx(1.0))


@pytest.mark.parametrize("name", ["projectron", "projectron++"])
def test_the_projectron_has_one_basis_for_all_classes(name):
    # x2 is twice x1 and a residual of 1/5; its scores are (-2, 0, 2).
    found = Learned(name, [[1, 0], [2, 0.2]], [2, 1], n_classes=3, budget=None)
    found.assert_rows([-1, 2, -1])
    assert found.degradation == pytest.approx(0.2 * np.sqrt(2))


def test_what_is_dependent_to_rounding_is_kept_and_not_projected_on():
    # eta = 0 inserts x2, of residual 1e-14. w = (0, -1e-7), so that x3 is wrong and inserted, w = (0, 1); x4
    # is x1 + x3, and with them alone in the factor it takes 1 from each.
    x = [[1, 0], [1, 1e-7], [0, 1], [1, 1]]
    found = Learned("projectron", x, [1, 0, 1, 0], budget=4, eta=0.0)
    assert found.vectors == x[:3]
    found.assert_rows(0, -1, 0)


# (4, 0) with 1/16: f(2, 1/4) = 1/2, H = 1/2. It is 1/2 of the first and a residual of 1/4: P = 4.
NEAR = [[4, 0], [2, 0.25]]


@pytest.mark.parametrize(
    ("eta", "weight", "row"),
    [
        (2.0, 1.0, 1 / 16 + 1 / 16),  # tau = H/P = 1/8
        (0.625, 1.0, 1 / 16 + 1 / 40),  # 1/4 / eta = 2/5: tau = 2 (1/2 - 2/5) / 4
        (0.5, 1.0, 1 / 16),  # H = 1/4 / eta is not worth it
        (2.0, 2.0, 1 / 16 + 1 / 8),
    ],
)
@pytest.mark.parametrize("budget", [None, 1])
def test_projectron_plus_plus_steps_within_the_span(eta, weight, row, budget):
    found = Learned("projectron++", NEAR, [1, 1], [1 / 16, weight], budget=budget, eta=eta)
    assert found.vectors == NEAR[:1]
    found.assert_rows(row)
    assert (found.n_updates, found.n_maintenances) == (1 + (row > 1 / 16), 0)
    assert Learned("projectron", NEAR, [1, 1], [1 / 16, weight], budget=budget, eta=eta).n_updates == 1


def test_projectron_plus_plus_steps_by_one_at_most():
    # f(1/2, 1/16) = 1/2, P = 1/4 and 1/16 / eta = 1/4: H/P = 2, and so is 2 (1/2 - 1/4) / (1/4).
    Learned("projectron++", [[1, 0], [0.5, 0.0625]], [1, 1], budget=None, eta=0.25).assert_rows(1.5)


def test_projectron_plus_plus_leaves_margins_of_one():
    assert Learned("projectron++", [[1, 0], [1, 0]], [1, 1], budget=None).n_updates == 1


def test_projectron_plus_plus_with_many_classes():
    # (-1/2, 0, 1/2): margin 1/2 over class 1, w = 2, tau = H/(2 P) = 1/16, on half of the first.
    found = Learned("projectron++", NEAR, [2, 2], [1 / 16, 1.0], n_classes=3, budget=None, eta=2.0)
    found.assert_rows([-1 / 16, -1 / 32, 3 / 32])


# MIRA.


def test_mira_steps():
    def row(x=E1, weight=1.0, **options):
        return Learned("mira", [x], [1], [weight], budget=None, **options).rows[0]

    assert row() == 0.01
    assert row([2.0]) == 0.0025
    assert row(margin=3.0) == 1.0
    assert row(margin=3.0, C=2.0, weight=0.75) == 1.5
    assert row(margin=0.5, C=2.0, weight=0.75) == 0.5
    # The step ends at beta, where there is nothing to do.
    found = Learned("mira", [E1, E1], [1, 1], budget=None, margin=0.5)
    assert (found.n_updates, found.n_mistakes) == (1, 1)


def test_mira_moves_the_rivals_that_are_too_high():
    # k = 1: (0, 1, 1) level out at 2/3. Then f = (2/3, -1/3, -1/3) and class 1 is right: B = (5/3, -1/3,
    # 2/3), the cap 3/4 is reached, and 3/4 of class 0 bring it to 11/12, which is more than 2/3.
    found = Learned("mira", [E1, E1], [0, 1], n_classes=3, margin=1.0, C=0.75, budget=None)
    found.assert_rows([2 / 3, -1 / 3, -1 / 3], [-3 / 4, 3 / 4, 0])
    # The cap is reached at once.
    found = Learned("mira", [E1], [0], [0.5], n_classes=3, margin=1.0, budget=None)
    found.assert_rows([1 / 2, -1 / 4, -1 / 4])
    # k = 4
    found = Learned("mira", [[2.0]], [0], n_classes=3, margin=1.0, budget=None)
    found.assert_rows([1 / 6, -1 / 12, -1 / 12])


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
        # All are under their bounds, and those that are free have one slope, which no other one is under.
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


def test_mira_without_a_margin_stays_at_zero():
    for n_classes in (2, 3):
        assert reference("mira", n_classes, margin=0.0).learn(np.eye(3), [1, 0, 1]).n_updates == 0


def test_miras_step_is_taken_before_the_removal():
    # 1, -1/4, then f(t) = 1 - 1/4 * 4 = 0, tau = 1/5. Both have the margin 0 without themselves: the first
    # leaves, after which f(t) would be -1 and tau 2/5.
    x = [[1, 0], [0, 2], [1, 2]]
    found = Learned("budget-mira", x, [1, 0, 1], budget=2, margin=1.0, C=10.0)
    assert found.vectors == x[1:]
    found.assert_rows(-0.25, 0.2)
    assert (found.n_maintenances, found.degradation) == (1, 1.0)


def test_mira_distils_at_its_own_margin():
    # beta = 1: 1/4 at (2, 0), f(t) = 1/2: tau = 1/2 at (1, 0), and w = (1, 0). Without itself the first has
    # the margin 1 and leaves.
    found = Learned("budget-mira-distill", [[2, 0], [1, 0]], [1, 1], budget=None, margin=1.0)
    assert found.vectors == [[1, 0]]
    found.assert_rows(0.5)
    assert found.degradation == 0.5


# Gradient descent with a constant step, 1/2 here; lambda = 1/2, so that 3/4 of everything is kept.


HALF = {"eta0": 0.5, "alpha": 0.5}


def test_gradient_steps():
    # f = 0, 0, then 9/8, which is enough; decayed before it would not be.
    x = [E1, E2, [3, 0, 0, 0]]
    found = Learned("bogd", x, [1, 0, 1], budget=None, maintenance="none", **HALF)
    found.assert_rows(9 / 32, -3 / 8)
    assert (found.n_updates, found.n_mistakes, found.n_maintenances) == (2, 1, 0)
    # A margin of exactly 1 is enough.
    assert Learned("bogd", [E1, [2, 0, 0, 0]], [1, 1], budget=2, **HALF).n_updates == 1
    # A row of weight 0 makes nothing decay; a weight scales the step.
    found = Learned("bogd", [E1, E2, E3], [1, 0, 1], [1.0, 0.0, 3.0], budget=2, **HALF)
    found.assert_rows(3 / 8, 3 / 2)


def test_gradient_descent_with_another_maintenance():
    # 9/32 leaves, in units of the step.
    found = Learned("bogd", [E1, E2, E3], [1, 0, 1], budget=2, maintenance="oldest", **HALF)
    found.assert_rows(-3 / 8, 1 / 2)
    assert found.degradation == pytest.approx(9 / 16)
    # It decays also where nothing is inserted any more.
    found = Learned("bogd", [E1, E2, E3], [1, 0, 1], budget=2, maintenance="stop", **HALF)
    found.assert_rows(9 / 32, -3 / 8)


@pytest.mark.parametrize(
    ("clip", "rows", "change"),
    [(10.0, (-3 / 4, 1 / 2), (-9 / 32, -3 / 8, 0)), (1.0, (-1 / 2, 1 / 3), (-9 / 32, -1 / 8, -1 / 6))],
)
def test_bogd(clip, rows, change):
    # e1 leaves (3/8 before it); e2, with -1/2, gets twice as much, and 3/4 of it. The limit is 1/2 clip.
    found = Learned("bogd", [E1, E2, E3], [1, 0, 1], budget=2, max_coef=clip, seed=3, **HALF)
    assert found.vectors == [E2, E3]
    found.assert_rows(*rows)
    assert found.degradation == pytest.approx(2 * np.linalg.norm(change))


def test_bogd_draws_among_the_old_ones():
    # Seed 0 draws 1: e2 leaves; twice and 3/4 of 3/8 remain of e1.
    found = Learned("bogd", [E1, E2, E3], [1, 0, 1], budget=2, seed=0, **HALF)
    assert found.vectors == [E1, E3]
    found.assert_rows(9 / 16, 1 / 2)
    # With a budget of 1 there is nobody to grow.
    found = Learned("bogd", [E1, E2], [1, 0], budget=1, **HALF)
    found.assert_rows(-1 / 2)
    assert found.degradation == pytest.approx(3 / 4)


def test_bogd_clips_only_when_full():
    # The limit is 1/2 for each coefficient, whatever the class.
    x, y, weights = [E1, E2], [2, 0], [4.0, 4.0]
    options = {"n_classes": 3, "budget": 1, "max_coef": 1.0, **HALF}
    Learned("bogd", x[:1], y[:1], weights[:1], **options).assert_rows([-2, 0, 2])
    Learned("bogd", x, y, weights, **options).assert_rows([1 / 2, -1 / 2, 0])
