"""Merging two Gaussian support vectors: the best h by golden section, in float64, for many partners at once.

Coefficient rows `a_m`, `a_n` with `p = |a_m|^2 <= q = |a_n|^2` and `r = a_m . a_n`; `L = -ln k_mn`. The pair
is replaced by `z = h x_m + (1 - h) x_n` with the row `u a_m + v a_n`, `u = k^((1-h)^2)`, `v = k^(h^2)`. What
remains of the pair after taking out its part along z has the squared norm

    WD(h) = p (1 - u^2) + q (1 - v^2) + 2 r (k - u v) = p + q + 2 r k - g(h),   g = p u^2 + 2 r u v + q v^2.

h ranges over all reals; the best one is never above 1/2, nearer to the larger partner.
"""

from __future__ import annotations

import numpy as np

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


def degradation(h, p, q, r, L):
    """WD(h), written so that small L does not cancel."""
    uv = np.exp(-L * ((1 - h) ** 2 + h**2))
    exponent = -2 * L * h * (1 - h)  # k = u v exp(exponent)
    small = abs(exponent) < 0.5
    cross = np.where(small, uv * np.expm1(np.where(small, exponent, 0.0)), np.exp(-L) - uv)
    return -p * np.expm1(-2 * L * (1 - h) ** 2) - q * np.expm1(-2 * L * h**2) + 2 * r * cross


def log_gain(h, p, q, r, L):
    """ln g(h). The logarithm keeps its slope where g itself is flat: far apart, or nearly opposite pairs."""
    e = np.expm1(-L * (1 - 2 * h))  # u/v - 1
    inner = (p + 2 * r + q) + e * (2 * (p + r) + p * e)
    return -2 * L * h**2 + np.log(np.maximum(inner, 1e-300))


def slope(h, p, q, r, L):
    """g'(h) / (4 L v^2): positive to the left of the best h, negative between it and 1/2."""
    e = np.expm1(-L * (1 - 2 * h))
    return (p + r) - h * (p + 2 * r + q) + e * ((2 * p * (1 - h) + r * (1 - 2 * h)) + e * p * (1 - h))


def best_merge(p, q, r, L):
    """The best h and its WD for each partner; `p` is a number, `q`, `r`, `L` are arrays of one length."""
    q, r, L = np.broadcast_arrays(*(np.asarray(value, float) for value in (q, r, L)))
    gain = lambda h: log_gain(h, p, q, r, L)  # noqa: E731
    low, high = np.full(q.shape, -1.0), np.full(q.shape, 0.5)
    while (further := gain(2 * low) > gain(low)).any():
        low = np.where(further, 2 * low, low)
    low *= 2
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = gain(left), gain(right)
    while (high - low > 1e-7 * (1 + abs(low))).any():
        lower = at_left > at_right
        low, high = np.where(lower, low, left), np.where(lower, right, high)
        probe = np.where(lower, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        at_probe = gain(probe)
        left, right = np.where(lower, probe, right), np.where(lower, left, probe)
        at_left, at_right = np.where(lower, at_probe, at_right), np.where(lower, at_left, at_probe)
    h = polish((low + high) / 2, p, q, r, L)
    return h, degradation(h, p, q, r, L)


def polish(h, p, q, r, L):
    """Golden section finds h to the square root of rounding at best; halve the slope's sign change there."""
    width = 1e-2 * (1 + abs(h))
    low, high = h - width, np.minimum(h + width, 0.5)
    inside = (slope(low, p, q, r, L) >= 0) & (slope(high, p, q, r, L) <= 0)
    for _ in range(52):
        middle = (low + high) / 2
        rising = slope(middle, p, q, r, L) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.where(inside, (low + high) / 2, h)
