"""The reference of rates, projection on neighbours and averages against values worked out by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from oracle import draws
from oracle_average import SplitMix, restarts, suffix_start
from oracle_nbsgd import Nonparametric
from oracle_nearest import most_correlated, ridge_projection


def learned(xs, ys, n_classes=2, **options):
    model = Nonparametric(n_classes, **{"alpha": 0.5, "kernel": "linear", **options})
    for x, y in zip(np.asarray(xs, float), ys, strict=True):
        model.learn_one(x, y)
    return model


def test_the_generator():
    # From 1234567: 6457827717110365317 = 0.35007... 2^64, then 3203168211198807973 = 0.17364... 2^64
    rng = SplitMix(1_234_567)
    assert rng.unit() == (6_457_827_717_110_365_317 >> 11) / 2**53
    assert rng.unit() == pytest.approx(3_203_168_211_198_807_973 / 2**64, abs=2**-53)
    for n in (1, 5, 10, 2**63 + 1):
        rng = SplitMix(9)
        assert [rng.below(n) for _ in range(20)] == list(itertools.islice(draws(9, n), 20))


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


def served(**options):
    """The one coefficient after each example of a stream on which the model is 2, 1, 2/3, 1/2, ... times x.

    lambda = 1/2, x = 1: the first example gives w_2 = 1 / (1/2) = 2, and a margin of 2, 1, ... is never
    below 1 until w_4 = 2/3. With `stop` and a budget of one nothing is ever added.
    """
    options = {"maintenance": "stop", "budget": 1, **options}
    return [learned(np.ones((t, 1)), [1] * t, **options).served()[1].ravel() for t in range(1, 9)]


def test_averages_of_a_model_that_only_decays():
    # w_1 ... w_8 = 0, 2, 1, 2/3, 1/2, 2/5, 1/3, 2/7
    w = [0, 2, 1, 2 / 3, 1 / 2, 2 / 5, 1 / 3, 2 / 7]
    # Restarts after 1, 2, 4 and 8: w_1; w_2; w_2, w_3; w_3, w_4; ..., and after 8 examples w_5 to w_8
    expected = [0, 2, 3 / 2, 5 / 6, (5 / 3 + 1 / 2) / 3, sum(w[2:6]) / 4, sum(w[2:7]) / 5, sum(w[4:]) / 4]
    assert np.ravel(served(average=True)) == pytest.approx(expected)
    # The length 6: restarts after 1, 3 and 6
    expected = [0, 1, sum(w[1:3]) / 2, sum(w[1:4]) / 3, sum(w[1:5]) / 4, sum(w[3:6]) / 3]
    assert np.ravel(served(average=0.5, stream_length=6))[:6] == pytest.approx(expected)
    assert np.ravel(served(average=1.0)) == pytest.approx(np.cumsum(w) / np.arange(1, 9))
    # A quarter of eight: w_7 and w_8
    assert served(average=0.25, stream_length=8)[-1] == pytest.approx(sum(w[6:]) / 2)


def test_a_drawn_model_is_one_of_the_suffix():
    w = [0, 2, 1, 2 / 3, 1 / 2, 2 / 5, 1 / 3, 2 / 7]
    counts = np.zeros(9)
    for seed in range(400):
        model = learned(np.ones((8, 1)), [1] * 8, maintenance="stop", budget=1, average="random", seed=seed)
        found = float(model.served()[1][0, 0])
        counts[next(s for s, value in enumerate(w, start=1) if value == pytest.approx(found))] += 1
    assert counts[:5].sum() == 0
    # A hundred each, with a deviation of sqrt(400 / 4 * 3/4) = 8.7
    assert (abs(counts[5:] - 100) < 35).all()


def test_what_leaves_takes_its_share_along():
    # t = 1 inserts (2, 0, 0), t = 2 the orthogonal (0, 1, 0), t = 3 (1, 1, 1) against its label.
    # w_2 = 2 (2, 0, 0); w_3 = (2, 0, 0) + (0, 1, 0); the raw score of t = 3 is 3, for the label 0.
    xs, ys = [[2.0, 0, 0], [0, 1.0, 0], [1.0, 1.0, 1.0]], [1, 1, 0]
    first, second = (0 + 2 + 1) / 3, (0 + 0 + 1) / 3
    whole = learned(xs, ys, average=1.0, maintenance="none")
    assert np.ravel(whole.served()[1]) == pytest.approx([first, second, 0])
    assert whole.served_scores(np.array([[1.0, 10.0, 0]])) == pytest.approx(
        np.array([[2 * first + 10 * second]])
    )
    # |alpha|^2 k = 4, 1, 3: the second leaves, and its share with it.
    model = learned(xs, ys, average=1.0, maintenance="smallest", budget=2)
    assert np.ravel(model.served()[1]) == pytest.approx([first, 0])
    # Projected on the others it is (1, 1, 1) / 2 - (2, 0, 0) / 4: they take these parts of its share.
    model = learned(xs, ys, average=1.0, maintenance="project", budget=2)
    assert np.ravel(model.served()[1]) == pytest.approx([first - second / 4, second / 2])
    assert np.ravel(model.rows) == pytest.approx([1 - 1 / 4, -1 + 1 / 2])
    # On its nearest alone: the correlations are 0 and 1 / sqrt 3, and a third of (1, 1, 1) takes over.
    model = learned(xs, ys, average=1.0, maintenance="project-nn", n_neighbors=1, budget=2)
    assert np.ravel(model.served()[1]) == pytest.approx([first, second / 3])
    assert np.ravel(model.rows) == pytest.approx([1, -1 + 1 / 3])
    assert model.degradations == pytest.approx([np.sqrt(2 / 3)])


def test_merged_shares():
    # k = 1/4, equal rows 1 and 1: h = 1/2, u = v = k^(1/4) = 2^(-1/2). Before t = 2: w_1 = 0, w_2 = 1/lambda.
    model = learned(
        [[0.0], [1.0]], [1, 1], kernel="rbf", gamma=np.log(4.0), average=1.0, maintenance="merge", budget=1
    )
    assert model.vectors[0] == pytest.approx([0.5])
    assert model.rows[0] == pytest.approx([np.sqrt(2.0)])
    assert model.served()[1] == pytest.approx(np.array([[(0 + 2) / 2 / np.sqrt(2.0)]]))


def test_the_ball_does_not_reach_back():
    # lambda = 1/4: |w_2| = 3 / lambda = 12 is scaled to 2, so that w_2 = (2/3) x; w_1 = 0 and w_3 = w_2 / 2.
    model = learned([[3.0], [3.0], [3.0]], [1, 1, 0], alpha=0.25, project_to_ball=True, average=1.0)
    assert model.n_updates == 2
    assert model.served()[1] == pytest.approx(np.array([[(0 + 2 / 3 + 1 / 3) / 3], [0.0]]))


def test_the_most_correlated():
    # |k_ip| / sqrt(k_ii) of p = (1, 0) with (0, 1), (-3, 4), (2, 0), (1, 0), (0.5, 0.5)
    x = np.array([[0.0, 1.0], [-3.0, 4.0], [2.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 0.0]])
    assert [most_correlated(x @ x.T, 3, k)[0] for k in (1, 2, 3, 4, 9)] == [
        [2],
        [2, 5],
        [2, 5, 4],
        [2, 5, 4, 1],
        [2, 5, 4, 1, 0],
    ]


def test_the_projection_on_neighbours_has_its_ridge():
    # Two copies share what a copy of them has: d = 1 / (2 + 1e-8) each
    gram = np.ones((3, 3))
    d, residual = ridge_projection(gram, 2, [0, 1])
    assert d == pytest.approx([1 / (2 + 1e-8)] * 2, rel=1e-7)
    assert residual < 1e-15
    # k_pp = 1, k_qq = 4, k_pq = 1: d = 1 / 4, and 1 - 1/4 remains
    d, residual = ridge_projection(np.array([[4.0, 1.0], [1.0, 1.0]]), 1, [0])
    assert d == pytest.approx([0.25])
    assert residual == pytest.approx(0.75)


def rated(n, seed, **options):
    """Orthogonal rows, each of which is inserted."""
    return learned(np.eye(n), [1] * n, **{"maintenance": "oldest", "budget": 2, "seed": seed, **options})


def test_a_rate():
    seed, rng = 5, SplitMix(5)
    # From t = 3 on the model is over its budget, and each example draws.
    leaves = [rng.unit() < 4 / t for t in range(3, 41)]
    assert leaves[:2] == [True, True]
    model = rated(40, seed, rate=4.0)
    assert model.n_drawn == 38
    assert model.n_maintenances == sum(leaves)
    assert model.n_support_vectors == 40 - sum(leaves)
    assert [int(v.argmax()) for v in model.vectors] == list(range(sum(leaves), 40))


def test_a_rate_with_a_bound_draws_all_the_same():
    seed, rng = 5, SplitMix(5)
    size = 2
    for t in range(3, 41):
        size += 0 if rng.unit() < 4 / t or size == 6 else 1
    model = rated(40, seed, rate=4.0, max_size=6)
    assert (model.n_drawn, model.n_support_vectors, model.n_maintenances) == (38, size, 40 - size)
    assert size == 6
    assert rated(40, seed, rate=4.0, max_size=2).n_support_vectors == 2


def test_a_rate_and_random_removal_take_turns():
    seed, rng = 8, SplitMix(8)
    expected = [0, 1]
    for t in range(2, 30):
        expected.append(t)
        if rng.unit() < 5 / (t + 1):
            del expected[rng.below(len(expected) - 1)]
    model = rated(30, seed, rate=5.0, maintenance="random")
    assert [int(v.argmax()) for v in model.vectors] == expected


def test_the_automatic_rate():
    assert learned([[1.0]], [1], rate="auto", stream_length=50, maintenance="oldest", budget=3).rate == 30.0


def test_steps_of_the_hinge_are_those_of_the_plain_reference():
    # t = 2: raw 2 >= 1/2; t = 3: raw 1/2 < 1
    model = learned([[1.0], [2.0], [0.5]], [1, 1, 1])
    assert (model.n_updates, model.n_mistakes, model.n_support_vectors) == (2, 1, 2)
    # t = 2: raw 1/2 is exactly the threshold: no update
    assert learned([[1.0], [0.5]], [1, 1]).n_updates == 1


def test_rows_without_weight_are_not_counted():
    model = learned([[1.0]], [1], average=1.0)
    model.learn_one(np.array([3.0]), 0, 0.0)
    assert model.t == len(model.average.models) == 1
