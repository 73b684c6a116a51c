"""The data sets of "Nonparametric Budgeted Stochastic Gradient Descent" (Le et al. 2016), cut as there."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from ..common import load, standardise


@dataclass(frozen=True)
class Problem:
    """A data set: how it is cut, and how many training rows its parameters are chosen on."""

    title: str
    n_features: int
    classes: tuple[int, ...]  # none: the target is a number
    n_train: int
    choice_rows: int
    parts: tuple[str, ...]  # the files: all rows, or training and test rows

    @property
    def redrawn(self) -> bool:
        """Whether each run has test rows of its own."""
        return len(self.parts) == 1

    @property
    def regression(self) -> bool:
        return not self.classes


DNA = ("dna.train", "dna.test")
PROBLEMS = {
    "skin": Problem("Skin", 3, (1, 2), 220_551, 10_000, ("skin_nonskin",)),
    "dna-1400": Problem("DNA, 1,400 rows", 180, (1, 2, 3), 1_400, 1_400, DNA),
    "space_ga": Problem("Space GA", 6, (), 2_795, 2_795, ("space_ga",)),
    "cadata": Problem("Cadata", 8, (), 18_576, 5_000, ("cadata",)),
    "a9a": Problem("A9A", 123, (-1, 1), 32_561, 5_000, ("a9a.train", "a9a.test")),
    "dna": Problem("DNA", 180, (1, 2, 3), 2_000, 2_000, DNA),
    "ijcnn1": Problem("IJCNN", 22, (-1, 1), 35_000, 35_000, ("ijcnn1.train", "ijcnn1.test")),
}

Rows = tuple[np.ndarray, np.ndarray]


@functools.lru_cache(maxsize=2)
def rows(name: str, seed: int) -> tuple[Rows, Rows]:
    """The training rows of a run in their order, and its test rows."""
    problem, rng = PROBLEMS[name], np.random.default_rng(seed)
    task = "regression" if problem.regression else "classification"
    parts = [load(part, problem.n_features, task) for part in problem.parts]
    if problem.redrawn:
        x, y = parts[0]
        order = rng.permutation(len(x))
        held = order[problem.n_train :]
        test = x[held], y[held]
    else:
        x, y = parts[0]
        # The first 35,000 rows of IJCNN are its training set proper; of DNA's no cut of 1,400 is known.
        order = rng.permutation(problem.n_train if name == "ijcnn1" else len(x))
        test = parts[1]
    kept = order[: problem.n_train]
    train = x[kept], y[kept]
    return standardised(train, test) if problem.regression else (train, test)


def cut(name: str, seed: int, most: int | None) -> tuple[Rows, Rows]:
    """The first training and test rows of a run."""
    (x, y), (x_test, y_test) = rows(name, seed)
    return (x[:most], y[:most]), (x_test[:most], y_test[:most])


def standardised(train: Rows, test: Rows) -> tuple[Rows, Rows]:
    """Inputs and targets with mean 0 and standard deviation 1 over the training rows."""
    columns = [np.column_stack([x, y]).astype(np.float32) for x, y in (train, test)]
    standardise(*columns)
    first, second = ((np.ascontiguousarray(c[:, :-1]), c[:, -1].astype(np.float64)) for c in columns)
    return first, second
