"""Streams and shuffles from SplitMix64, independent of the version of NumPy."""

import numpy as np

Rows = tuple[np.ndarray, np.ndarray]


def words(seed: int, n: int) -> np.ndarray:
    """The first n numbers of SplitMix64."""
    z = np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, n + 1, dtype=np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def below(word: np.ndarray, bound: np.ndarray | int) -> np.ndarray:
    """Integers below bounds of 32 bits: the upper half of the product with a word of 64 bits."""
    bound, half = np.asarray(bound, np.uint64), np.uint64(32)
    low = (word & np.uint64(0xFFFFFFFF)) * bound
    return ((word >> half) * bound + (low >> half)) >> half


def unit(word: np.ndarray) -> np.ndarray:
    """Uniform numbers from 0 to 1."""
    return (word >> np.uint64(11)) * 2.0**-53


def normal(word: np.ndarray) -> np.ndarray:
    """Standard normal numbers, one from each two words of the last axis."""
    u = unit(word)
    return np.sqrt(-2 * np.log(u[..., ::2] + 1e-300)) * np.cos(2 * np.pi * u[..., 1::2])


def shuffle(n: int, seed: int) -> np.ndarray:
    """A random order of n rows."""
    order = list(range(n))
    others = below(words(seed, n)[1:], np.arange(n, 1, -1)).tolist()
    for i, j in zip(range(n - 1, 0, -1), others, strict=True):
        order[i], order[j] = order[j], order[i]
    return np.array(order)


def waveform(n: int, seed: int) -> Rows:
    """Breiman's waveforms: 21 features, three classes, each a mixture of two of three triangles."""
    word = words(seed, 44 * n).reshape(n, 44)
    y, share = below(word[:, 0], 3).astype(np.int64), unit(word[:, 1])[:, None]
    triangles = np.maximum(6.0 - np.abs(np.arange(1, 22) - np.array([[11], [15], [7]])), 0)
    first, second = np.where(y == 2, 1, 0), np.where(y == 0, 1, 2)
    x = share * triangles[first] + (1 - share) * triangles[second] + normal(word[:, 2:])
    return x.astype(np.float32), y


def sea(seed: int) -> Rows:
    """Three features and a threshold on the sum of two that moves three times; 10% of the labels flipped."""
    u = unit(words(seed, 4 * 50_000)).reshape(50_000, 4)
    x, threshold = 10 * u[:, :3], np.repeat([8, 9, 7, 9.5], 12_500)
    return x.astype(np.float32), ((x[:, 0] + x[:, 1] <= threshold) ^ (u[:, 3] < 0.1)).astype(np.int64)


def hyperplane(seed: int) -> Rows:
    """Ten features and a plane that turns slowly, to and fro; 5% of the labels flipped."""
    n = 50_000
    u = unit(words(seed, 10 + 21 * n))
    start, u = u[:10], u[10:].reshape(n, 21)
    x, turns = u[:, :10], np.where(u[:, 11:] < 0.01, -1.0, 1.0)
    directions = np.cumprod(np.vstack([np.ones(10), turns[:-1]]), axis=0)
    weights = start + 0.001 * (np.cumsum(directions, axis=0) - directions)
    label = (weights * (x - 0.5)).sum(axis=1) > 0
    return x.astype(np.float32), (label ^ (u[:, 10] < 0.05)).astype(np.int64)
