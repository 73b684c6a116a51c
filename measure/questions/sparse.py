"""The cost of inserting a sparse row, by strategy: into a model below its budget, and into a full model."""

import time
from functools import partial

import numpy as np
from scipy.sparse import csr_matrix

from budgetrs import Classifier

from ..cells import Options, Output
from ..clock import seconds

ALGORITHMS = (
    *("bsgd-random", "bsgd-smallest", "bpa-s", "budget-perceptron"),
    *("bpa-nn", "bsgd-project-nn", "bsgd-merge", "bsgd-project"),
)
LIMIT = 10.0  # seconds of the rows of a median at most
OPTIONS = {
    "features": (1_000_000, "columns"),
    "entries": (10, "entries of a row"),
    "budget": (100, "support vectors"),
}
QUICK = {"features": 100_000}


def rows(count: int, features: int, entries: int) -> tuple[csr_matrix, np.ndarray]:
    rng = np.random.default_rng(0)
    columns = [np.sort(rng.choice(features, entries, replace=False)) for _ in range(count)]
    values = rng.normal(size=count * entries).astype(np.float32)
    starts = np.arange(0, count * entries + 1, entries)
    return csr_matrix((values, np.concatenate(columns), starts), (count, features)), np.arange(count) % 2


def median(model: Classifier, X: csr_matrix, y: np.ndarray) -> float:
    """Learn the rows one by one within the time limit; return the median of microseconds."""
    taken: list[float] = []
    for x, label in zip(X, y, strict=True):
        taken.append(seconds(partial(model.learn, x, [label]), clock=time.perf_counter))
        if sum(taken) > LIMIT:
            break
    return 1e6 * float(np.median(taken))


def main(options: Options, output: Output) -> None:
    X, y = rows(options.budget * 3, options.features, options.entries)
    shape = f"{options.entries} entries among {options.features} features"
    output(f"{shape}, budget {options.budget}; median in us")
    output(f"{'algorithm':>20} {'with room':>12} {'full':>12}")
    half, full = options.budget // 2, options.budget
    for name in ALGORITHMS:
        model = Classifier(name, budget=options.budget, gamma=1.0).learn(X[:2], y[:2])
        with_room = median(model, X[2:half], y[2:half])
        model.learn(X[half:full], y[half:full])
        output(f"{name:>20} {with_room:12.0f} {median(model, X[full:], y[full:]):12.0f}")
