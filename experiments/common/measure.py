"""Runs, measured: time, memory, spread, and points along a pass."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np


def deviation(values: list[float]) -> float:
    """The standard deviation of a sample; 0 of a single value."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


class Stopwatch:
    """Adds up the seconds spent inside its `with` blocks."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock = clock
        self.seconds = 0.0

    def __enter__(self) -> Stopwatch:
        self.start = self.clock()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds += self.clock() - self.start


def peak_memory(pid: int | str = "self") -> float:
    """The highest resident memory of a process so far, in MB; of this process where there is no /proc."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024


def feed(model, x, y, stop: int | None, watch: Stopwatch) -> bool:
    """Learn the rows, or stop at that many support vectors and return True."""
    if stop is None:
        with watch:
            model.learn(x, y)
        return False
    start = 0
    while start < len(x):
        # Each row adds one vector at most, so this many cannot overshoot.
        room = stop - getattr(model, "n_support_vectors_", 0)
        if room == 0:
            return True
        with watch:
            model.learn(x[start : start + room], y[start : start + room])
        start += room
    return False


def checkpoints(length: int) -> list[int]:
    """Four to the decade from 100 on, and the end."""
    steps = [round(100 * 10 ** (i / 4)) for i in range(4 * 8)]
    return [n for n in steps if n < length] + [length]
