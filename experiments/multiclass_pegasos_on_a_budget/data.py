"""The data sets of "Multi-Class Pegasos on a Budget" (Wang, Crammer, Vucetic 2010)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from budgetrs._core import checkerboard, waveform

from ..common import load, standardise


@dataclass(frozen=True)
class Problem:
    """A data set: how many rows a repetition trains on, and what they look like."""

    n_features: int
    n_classes: int
    length: int
    n_test: int = 50_000
    choice_rows: int = 100_000  # on which gamma and lambda are chosen; a width depends on the stream's length
    choice_cuts: int = 1  # how often a fifth is held out: a model that removes depends on its last steps

    @property
    def small(self) -> bool:
        """Whether one choice of gamma is so cheap, and so noisy, that it is made on every permutation."""
        return self.length <= 20_000


PROBLEMS = {
    "usps": Problem(256, 10, 7_291, choice_cuts=5),
    "letter": Problem(16, 26, 16_000, 4_000, choice_cuts=5),
    "covertype": Problem(54, 7, 500_000, 81_012, choice_cuts=5),
    "waveform": Problem(21, 3, 2_000_000, choice_cuts=5),
    "checkerboard": Problem(2, 2, 10_000_000, choice_rows=1_000_000, choice_cuts=5),
}


@functools.lru_cache(maxsize=6)
def rows(name: str, seed: int, length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The first `length` training rows of one repetition, and its test rows, standardised by the former."""
    problem, rng = PROBLEMS[name], np.random.default_rng(seed)
    if name in ("waveform", "checkerboard"):
        generate = waveform if name == "waveform" else checkerboard
        x, y = generate(length, seed=2 * seed)
        x_test, y_test = generate(problem.n_test, seed=2 * seed + 1)
    elif name in ("covertype", "letter"):
        parts = [name] if name == "covertype" else [f"{name}.train", f"{name}.test"]
        loaded = [load(part, problem.n_features) for part in parts]
        all_x, all_y = (np.concatenate(part) for part in zip(*loaded, strict=True))
        order = rng.permutation(len(all_x))
        test, train = order[: problem.n_test], order[problem.n_test :][:length]
        x, y, x_test, y_test = all_x[train], all_y[train] - 1, all_x[test], all_y[test] - 1
    else:
        (x, y), (x_test, y_test) = (load(f"{name}.{part}", problem.n_features) for part in ("train", "test"))
        order = rng.permutation(len(x))[:length]
        x, y, x_test, y_test = x[order], y[order] - 1, x_test.copy(), y_test - 1
    standardise(x, x_test)
    return x, y, x_test, y_test
