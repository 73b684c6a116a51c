"""The generated streams: their distributions and their errors."""

import numpy as np
import pytest

from budgetrs._core import checkerboard, waveform


def test_the_checkerboard_has_four_cells_a_side():
    X, y = checkerboard(20_000, seed=3)
    assert (X.dtype, y.dtype, X.shape) == (np.float32, np.int64, (20_000, 2))
    assert abs(X).max() <= 3**0.5
    np.testing.assert_allclose([X.mean(axis=0), X.std(axis=0)], [[0, 0], [1, 1]], atol=0.02)
    cells = np.floor((X + 3**0.5) * (2 / 3**0.5)).astype(int)
    assert (y == cells.sum(axis=1) % 2).mean() > 0.9999  # single precision may round across a line


def test_noise_flips_labels():
    clean, noisy = checkerboard(20_000, seed=3)[1], checkerboard(20_000, 1.0, seed=3)[1]
    assert abs(clean.mean() - 0.5) < 0.02
    assert abs(noisy.mean() - 0.5) < 0.02
    X, y = checkerboard(20_000, 0.15, seed=3)
    cells = np.floor((X + 3**0.5) * (2 / 3**0.5)).astype(int)
    assert abs((y != cells.sum(axis=1) % 2).mean() - 0.15) < 0.01


def test_waveform_has_three_classes_of_21_features():
    X, y = waveform(20_000, seed=3)
    assert (X.dtype, y.dtype, X.shape) == (np.float32, np.int64, (20_000, 21))
    np.testing.assert_allclose(np.bincount(y) / len(y), 1 / 3, atol=0.02)
    assert abs(X.mean()) < 0.3
    assert abs(X.std() - 1) < 0.1


def test_a_waveform_row_is_the_mean_of_two_waves_on_average():
    X, y = waveform(20_000, seed=3)
    points = np.arange(1, 22)
    waves = [np.maximum(6 - abs(points - peak), 0) for peak in (11, 15, 7)]
    for label, (one, other) in enumerate([(0, 1), (0, 2), (1, 2)]):
        mean = X[y == label].mean(axis=0) * 1.8 + 2
        # The deviation is at most 2; there are more than 6,000 rows of each class.
        np.testing.assert_allclose(mean, (waves[one] + waves[other]) / 2, atol=5 * 2 / 6000**0.5)


@pytest.mark.parametrize("draw", [checkerboard, waveform])
def test_equal_seeds_give_equal_rows(draw):
    one, same, other = draw(100, seed=1), draw(100, seed=1), draw(100, seed=2)
    np.testing.assert_array_equal(one[0], same[0])
    np.testing.assert_array_equal(one[1], same[1])
    assert not np.array_equal(one[0], other[0])
    assert draw(0)[0].shape == (0, one[0].shape[1])


@pytest.mark.parametrize("noise", [-0.1, 1.1, float("nan")])
def test_noise_is_a_probability(noise):
    with pytest.raises(ValueError, match=r"noise must be a probability from 0 to 1, got"):
        checkerboard(10, noise)


def test_a_count_beyond_memory_raises():
    with pytest.raises(ValueError, match=r"n must be an integer from 0 to 1000000000, got 1000000001"):
        waveform(1_000_000_001)
