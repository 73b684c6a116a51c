"""The window of the oracle for streams that change."""

from collections import Counter

import numpy as np

from oracle_drift import Adwin


def test_the_window_of_the_oracle_is_cut_at_a_rise_and_at_a_fall():
    window, rng = Adwin(), np.random.default_rng(4)
    values = [float(rng.random() < (0.1, 0.6, 0.1, 0.1)[i // 500]) for i in range(2000)]
    risen = [i for i, value in enumerate(values) if window.take(value) is not None]
    assert 500 < min(risen) <= max(risen) < 600
    assert 900 < window.length < 1100
    assert max(Counter(n for n, _ in window.buckets).values()) <= 5
