"""The reference implementation on cases small enough to work out on paper."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from merge_reference import best_merge, degradation
from oracle import draws, kernel_matrix, oldest_smallest
from oracle_sgd import Oracle


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


def test_generator():
    # SplitMix64 from 1234567 gives 6457827717110365317 = .3500 2^64, then 3203168211198807973 = .1736 2^64
    assert list(itertools.islice(draws(1_234_567, 10), 2)) == [3, 1]
    assert list(itertools.islice(draws(1_234_567, 1), 3)) == [0, 0, 0]
    counts = np.bincount(list(itertools.islice(draws(7, 5), 5000)), minlength=5)
    assert counts.sum() == 5000
    assert (abs(counts - 1000) < 150).all()


def test_ties_go_to_the_oldest():
    assert oldest_smallest([2.0, 1.0 + 5e-10, 1.0]) == 1
    assert oldest_smallest([2.0, 1.0 + 5e-9, 1.0]) == 2
    assert oldest_smallest([1e-30, 0.0, 0.0]) == 1


def test_steps_without_a_budget():
    model = Oracle(2, alpha=0.5, kernel="linear")
    # t = 1 always updates (f = 0 predicts the first class: a mistake). t = 2: raw 2 >= 0.5, nothing.
    # t = 3: raw 0.5 < 1, an update though the prediction was right.
    model.learn([[1.0], [2.0], [0.5]], [1, 1, 1])
    assert (model.n_updates, model.n_mistakes, model.n_support_vectors) == (2, 1, 2)
    assert [row.tolist() for row in model.rows] == [[1.0], [1.0]]
    # raw(1) = 1 + 0.5, over lambda t = 1.5
    assert model.decision_function([[1.0]]).tolist() == [1.0]
    assert model.mean_weight_degradation == 0.0


def test_a_margin_of_exactly_one_is_no_update():
    # t = 2: raw 0.5, lambda (t - 1) = 0.5: the hinge is exactly 0
    assert Oracle(2, alpha=0.5, kernel="linear").learn([[1.0], [0.5]], [1, 1]).n_updates == 1
    assert Oracle(2, alpha=0.5, kernel="linear").learn([[1.0], [0.4375]], [1, 1]).n_updates == 2


def test_multi_class_rival_and_prediction_take_the_lowest_index():
    model = Oracle(3, alpha=0.5, kernel="linear")
    model.learn([[1.0]], [2])  # all scores 0: class 0 is predicted, and is the rival
    assert model.rows[0].tolist() == [-1.0, 0.0, 1.0]
    assert model.n_mistakes == 1
    model.learn([[-1.0]], [0])  # scores (1, 0, -1): right, and the margin 1 >= 0.5
    assert (model.n_updates, model.n_mistakes) == (1, 1)
    model.learn([[-0.5]], [0])  # scores (.5, 0, -.5), margin .5 < 1, rival 1
    assert model.rows[1].tolist() == [1.0, -1.0, 0.0]
    # raw(2) = 2 (-1, 0, 1) - 1 (1, -1, 0), over lambda t = 1.5
    assert model.decision_function([[2.0]]) == pytest.approx(np.array([[-3.0, 1.0, 2.0]]) / 1.5)
    assert Oracle(3, kernel="linear").predict([[1.0]]).tolist() == [0]


def test_rows_with_no_norm_are_never_inserted():
    for kernel in ("linear", "cosine", "poly", "sigmoid"):
        model = Oracle(2, alpha=0.5, kernel=kernel).learn([[0.0, 0.0], [1.0, 0.0]], [1, 1])
        assert (model.t, model.n_updates, model.n_mistakes) == (2, 1, 2)


ORTHOGONAL = np.diag([3.0, 1.0, 2.0])  # every raw score is 0, so every example updates


def test_removals():
    def left(maintenance, **options):
        model = Oracle(2, budget=2, maintenance=maintenance, kernel="linear", **options)
        model.learn(ORTHOGONAL, [1, 1, 0])
        return [v.max() for v in model.vectors], model.degradations

    assert left("oldest") == ([1.0, 2.0], [3.0])
    assert left("smallest") == ([3.0, 2.0], [1.0])  # |alpha|^2 k = 9, 1, 4
    assert left("random", draw=iter([1])) == ([3.0, 2.0], [1.0])
    assert left("stop") == ([3.0, 1.0], [])
    equal = Oracle(2, budget=2, maintenance="smallest", kernel="linear").learn(np.eye(3), [1, 1, 0])
    assert [v.tolist() for v in equal.vectors] == [[0, 1, 0], [0, 0, 1]]  # all equal: the oldest


def test_stop_goes_on_decaying():
    model = Oracle(2, budget=1, maintenance="stop", alpha=0.5, kernel="linear").learn(
        [[1.0]] * 4, [1, 0, 0, 0]
    )
    assert (model.n_updates, model.n_mistakes) == (1, 4)
    assert model.decision_function([[1.0]]).tolist() == [0.5]  # 1 / (0.5 * 4)


def test_projection_of_the_smallest():
    # k = 4, 4, 2: (1, 0, 1) leaves; on the others it is half of the first, and (0, 0, 1) is lost
    model = Oracle(2, budget=2, maintenance="project", alpha=0.5, kernel="linear")
    model.learn([[2.0, 0, 0], [0, 2.0, 0], [1.0, 0, 1.0]], [1, 1, 0])
    assert np.array(model.rows).ravel() == pytest.approx([0.5, 1.0])
    assert model.degradations == pytest.approx([1.0])


def test_a_dependent_newcomer_waits_and_leaves_first():
    model = Oracle(2, budget=2, maintenance="project", alpha=0.5, kernel="linear")
    model.learn([[1.0, 0], [2.0, 0]], [1, 0])
    assert model.inside == [True, False]
    model.learn([[0, 0.5]], [1])  # k = 1, 4, 1/4: the waiting vector leaves all the same, -1 * 2 on the first
    assert np.array(model.rows).ravel() == pytest.approx([-1.0, 1.0])
    assert [v.tolist() for v in model.vectors] == [[1.0, 0.0], [0.0, 0.5]]
    assert model.degradations == pytest.approx([0.0])


def test_the_best_projection_is_not_that_of_the_smallest():
    # Residuals of each on the other two: 9 - 81/9.25 = 9/37, 9.25 - 81/9 = 1/4, and 1: the first leaves, and
    # 81/9 / 9.25 = 36/37 of its coefficient goes to the second
    model = Oracle(2, budget=2, maintenance="project-best", alpha=0.5, kernel="linear")
    model.learn([[3.0, 0, 0], [3.0, 0, 0.5], [0, 1.0, 0]], [1, 0, 1])
    assert np.array(model.rows).ravel() == pytest.approx([-1 / 37, 1.0])
    assert model.degradations == pytest.approx([np.sqrt(9 / 37)])


def test_merging_equals_meets_halfway():
    # k = 1/4, equal rows: h = 1/2, u = v = k^(1/4), WD = 2 (1 - sqrt k)^2 = 1/2, alpha_z = 2 k^(1/4) = sqrt 2
    model = Oracle(2, budget=1, maintenance="merge", alpha=0.5, gamma=np.log(4.0)).learn(
        [[0.0], [1.0]], [1, 1]
    )
    assert model.vectors[0] == pytest.approx([0.5])
    assert model.rows[0] == pytest.approx([np.sqrt(2.0)])
    assert model.degradations == pytest.approx([np.sqrt(0.5)])


def test_merging_opposites_goes_beyond_the_larger():
    # With b = u/v = 1/2 the optimum of equal opposite rows is h = -b/(1-b) = -1, where b = k^(1-2h) = k^3:
    # k = 2^(-1/3), u = k^4, v = k, alpha_z = v - u = 2^(-4/3) with n's sign, z = 2 x_n - x_m
    model = Oracle(2, budget=1, maintenance="merge", alpha=0.5, gamma=np.log(2.0) / 3).learn(
        [[0.0], [1.0]], [1, 0]
    )
    assert model.vectors[0] == pytest.approx([2.0])
    assert model.rows[0] == pytest.approx([-(2.0 ** (-4 / 3))])
    assert model.degradations == pytest.approx([np.sqrt(2 - 2 * 2 ** (-1 / 3) - 2 ** (-8 / 3))])


def test_merging_unequal_rows():
    # p = 1, q = 4, r = 2 and b = k^(1-2h) = 1/2: b^2 (1-h) + 2 b (1-2h) = 4 h gives h = 1/5, L = ln 2 / 0.6
    h, lost = best_merge(1.0, [4.0], [2.0], [np.log(2.0) / 0.6])
    k = 2.0 ** (-1 / 0.6)
    assert h == pytest.approx([0.2])
    assert lost == pytest.approx([5 + 4 * k - (k**0.64 + 2 * k**0.04) ** 2])


def test_the_partner_is_the_one_that_costs_least_and_keeps_its_place():
    # The first is merged (all rows are equal): it is nearer to the third, whose place the merged vector takes
    model = Oracle(2, budget=3, maintenance="merge", alpha=10.0, gamma=0.1)
    model.learn([[0.0], [3.0], [1.0], [-4.0]], [1, 1, 1, 1])
    assert [v[0] for v in model.vectors] == pytest.approx([3.0, 0.5, -4.0])


def test_opposite_duplicates_cancel_and_the_zero_row_is_dropped():
    model = Oracle(2, budget=1, maintenance="merge", alpha=0.5).learn([[1.0], [1.0]], [1, 0])
    assert (model.rows[0].tolist(), model.vectors[0].tolist(), model.degradations) == ([0.0], [1.0], [0.0])
    model.learn([[5.0]], [1])
    assert (model.rows[0].tolist(), model.vectors[0].tolist(), model.degradations) == (
        [1.0],
        [5.0],
        [0.0, 0.0],
    )


def test_the_ball():
    # lambda = 1/4: radius 2. t = 1: |w| = 3 / lambda = 12, scaled to 2, so f(3) = 2 * 3
    model = Oracle(2, alpha=0.25, kernel="linear", project_to_ball=True).learn([[3.0]], [1])
    assert model.decision_function([[3.0]]).tolist() == pytest.approx([6.0])
    # t = 2, no update: f decays by half (w is not touched by the ball)
    model.learn([[3.0]], [1])
    assert model.decision_function([[3.0]]).tolist() == pytest.approx([3.0])
    # t = 3: raw(1) = 3 * 1/6 = 0.5, an update to 0.5 - 1, inside the radius sqrt(lambda) t = 1.5
    model.learn([[1.0]], [0])
    assert model.decision_function([[1.0]]).tolist() == pytest.approx([-0.5 / 0.75])


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
