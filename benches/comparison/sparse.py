"""The cost of inserting a sparse row, by strategy: into a model below its budget, and into a full model.

python -m benches.comparison.sparse [--features 1000000] [--entries 10] [--budget 100]
"""

import argparse
import time

import numpy as np
from scipy.sparse import csr_matrix

from budgetrs import Classifier

ALGORITHMS = (
    "bsgd-random",
    "bsgd-smallest",
    "bpa-s",
    "budget-perceptron",
    "bpa-nn",
    "bsgd-project-nn",
    "bsgd-merge",
    "bsgd-project",
)
SECONDS = 10.0


def rows(count: int, features: int, entries: int) -> tuple[csr_matrix, np.ndarray]:
    """Draw rows with `entries` non-zero entries each."""
    rng = np.random.default_rng(0)
    columns = [np.sort(rng.choice(features, entries, replace=False)) for _ in range(count)]
    values = rng.normal(size=count * entries).astype(np.float32)
    starts = np.arange(0, count * entries + 1, entries)
    X = csr_matrix((values, np.concatenate(columns), starts), shape=(count, features))
    return X, np.arange(count) % 2


def seconds(model: Classifier, X: csr_matrix, y: np.ndarray) -> list[float]:
    """Learn the rows one by one within the time limit; return the seconds of each."""
    taken: list[float] = []
    for x, label in zip(X, y, strict=True):
        start = time.perf_counter()
        model.learn(x, [label])
        taken.append(time.perf_counter() - start)
        if sum(taken) > SECONDS:
            break
    return taken


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=int, default=1_000_000)
    parser.add_argument("--entries", type=int, default=10)
    parser.add_argument("--budget", type=int, default=100)
    args = parser.parse_args()
    X, y = rows(args.budget * 3, args.features, args.entries)
    print(f"{args.entries} entries among {args.features} features, budget {args.budget}; median in us")
    print(f"{'algorithm':>20} {'with room':>12} {'full':>12}")
    for name in ALGORITHMS:
        model = Classifier(name, budget=args.budget, gamma=1.0).learn(X[:2], y[:2])
        room = args.budget // 2
        with_room = np.median(seconds(model, X[2:room], y[2:room])) * 1e6
        model.learn(X[room : args.budget], y[room : args.budget])
        full = np.median(seconds(model, X[args.budget :], y[args.budget :])) * 1e6
        print(f"{name:>20} {with_room:12.0f} {full:12.0f}", flush=True)


if __name__ == "__main__":
    main()
