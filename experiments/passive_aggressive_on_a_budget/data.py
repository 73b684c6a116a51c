"""The data sets of "Online Passive-Aggressive Algorithms on a Budget" (Wang and Vucetic 2010)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from budgetrs._core import checkerboard

from ..common import load, standardise

DRAW_SEED = 2010  # of the rows that are drawn once


@dataclass(frozen=True)
class Problem:
    """A data set: its size, and how its parameters are chosen."""

    n_features: int
    n_train: int
    n_test: int = 20_000
    noise: float = 0.0  # share of training labels that are switched
    redrawn: bool = False  # whether each repetition has test rows, and a choice of parameters, of its own
    choice_rows: int = 10_000  # at most so many training rows in a choice
    cuts: int = 3  # how often a fifth of them is held out at first


PROBLEMS = {
    "adult": Problem(123, 32_561, 16_281, cuts=5),
    "banana": Problem(2, 4_300, 1_000, redrawn=True),
    "checkerboard": Problem(2, 10_000),
    "ncheckerboard": Problem(2, 10_000, noise=0.15),
    "covertype": Problem(54, 10_000),
    "usps": Problem(256, 7_291, 2_007),
}

Rows = tuple[np.ndarray, np.ndarray]


@functools.lru_cache(maxsize=2)
def draw(name: str, seed: int) -> tuple[Rows, Rows]:
    """Training and test rows of a set as float32, standardised by the former, and their classes 0 and 1."""
    problem, rng = PROBLEMS[name], np.random.default_rng(seed)
    if "checkerboard" in name:
        train = checkerboard(problem.n_train, problem.noise, seed=seed)
        test = checkerboard(problem.n_test, seed=seed + 1)
    elif name in ("covertype", "banana"):
        parts = [name] if name == "covertype" else [f"{name}.train", f"{name}.test"]
        loaded = [load(part, problem.n_features) for part in parts]
        x, labels = (np.concatenate(part) for part in zip(*loaded, strict=True))
        y = (labels == (2 if name == "covertype" else 1)).astype(np.int64)
        order = rng.permutation(len(x))[: problem.n_train + problem.n_test]
        kept, held = order[: problem.n_train], order[problem.n_train :]
        train, test = (x[kept], y[kept]), (x[held], y[held])
    else:
        file = {"adult": "a9a", "usps": "usps"}[name]
        parts = [load(f"{file}.{part}", problem.n_features) for part in ("train", "test")]
        # USPS labels are the digit plus 1.
        of = (lambda y: y > 5) if name == "usps" else (lambda y: y == 1)
        train, test = ((x.copy(), of(y).astype(np.int64)) for x, y in parts)
    standardise(train[0], test[0])
    return train, test


def rows(name: str, seed: int) -> tuple[Rows, Rows]:
    """The training rows of one repetition in their order, and its test rows."""
    (x, y), test = draw(name, seed if PROBLEMS[name].redrawn else DRAW_SEED)
    order = np.random.default_rng([seed, 1]).permutation(len(x))
    return (x[order], y[order]), test
