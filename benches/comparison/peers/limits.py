"""How much is measured: all of it, or little to see that everything runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The rounds, rows and seconds of a run."""

    rounds: int
    rows: int | None  # of a set, to learn and to test on
    stream_rows: int | None
    slow_rows: int  # that a model marked as slow learns
    tuning_rows: int  # whose last fifth validates the parameters
    singles: int  # rows learned and predicted one at a time
    seconds: float  # at most, per process


FULL = Limits(
    rounds=3, rows=None, stream_rows=20_000, slow_rows=5_000, tuning_rows=5_000, singles=500, seconds=300
)
QUICK = Limits(
    rounds=1, rows=3_000, stream_rows=2_000, slow_rows=1_000, tuning_rows=2_000, singles=200, seconds=60
)
