"""The cost of a row against the length of the stream, the budget, and the numbers of features and classes.

    python -m benches.comparison.cost [--quick] [--keep]

Run it from the root of the repository. Features are normal and labels are random, so that margins stay small
and nearly every row updates the model: the worst case. Models are full before they are measured. The time is
processor time of `learn` in one thread; rounds take the models in turn, and the medians are shown. `--keep`
writes the output to benches/comparison/results/cost.txt; `python -m scripts.pictures cost` draws it.

Each line ends with the exponent p of cost ~ x^p, fitted to all of its points and to its last three. The
expected exponents are 0 for rows and 1 for support vectors, features and classes, once a row costs more than
its overhead. The default learns a full metric matrix for up to 64 features, whose updates cost d^2. Where the
support vectors outgrow a cache, cost grows faster over that step. Sparse rows have ENTRIES values: merged
support vectors are dense, so updates cost as much as with dense rows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from benches.comparison.kept import Shown
from scipy.sparse import csr_matrix, random_array

from budgetrs import Classifier
from budgetrs._core import isa

Make = Callable[[int, int], Classifier]  # of a budget and a number of features

BUDGET, FEATURES = 100, 20  # the fixed values, where the other one varies
BATCH = 1_000
SECONDS = 0.1  # the shortest measurement of each point in each round
LAST = 3  # the number of points of the second exponent


def front_door(budget: int, _: int) -> Classifier:
    return Classifier(budget=budget)


def named(algorithm: str) -> Make:
    return lambda budget, features: Classifier(algorithm, budget=budget, gamma=1 / features)


MODELS = {
    "default": front_door,
    "bsgd-merge": named("bsgd-merge"),
    "bpa-nn": named("bpa-nn"),
}
ROWS = tuple(5_000 << i for i in range(7))
BUDGETS = (50, 100, 200, 400, 800, 1600, 3200, 6400, 12800)
WIDTHS = (8, 16, 32, 64, 128, 256, 512, 1024, 2048)
MATRIX = 64  # features of the default's matrix at most
CLASSES = (2, 8, 32, 128, 512)
COLUMNS = tuple(1 << i for i in range(9, 15))  # of sparse rows
ENTRIES = 50  # of a sparse row


class Coin:
    """An endless stream of random rows and labels: dense and normal, or sparse with values in [0, 1)."""

    def __init__(self, features: int, classes: int = 2, *, sparse: bool = False) -> None:
        self.rng, self.features, self.classes = np.random.default_rng(1), features, classes
        self.sparse = sparse

    def rows(self, n: int = BATCH) -> tuple[np.ndarray | csr_matrix, np.ndarray]:
        y = self.rng.integers(self.classes, size=n)
        if not self.sparse:
            return self.rng.standard_normal((n, self.features), dtype=np.float32), y
        density = ENTRIES / self.features
        x = random_array((n, self.features), density=density, rng=self.rng, dtype=np.float32)
        return csr_matrix(x), y


def learn(model: Classifier, stream: Coin, rows: int) -> float:
    """Processor seconds of learning `rows` rows."""
    seconds, left = 0.0, rows
    while left > 0:
        x, y = stream.rows(min(BATCH, left))
        began = time.process_time()
        model.learn(x, y)
        seconds += time.process_time() - began
        left -= len(y)
    return seconds


def along(make: Make, points: tuple[int, ...]) -> list[float]:
    """Microseconds per row of the tenth of the stream that ends at each point."""
    model, stream, found = make(BUDGET, FEATURES), Coin(FEATURES), []
    for point in points:
        part = point // 10
        learn(model, stream, point - part - (model.n_samples_seen_ if found else 0))
        found.append(1e6 * learn(model, stream, part) / part)
    return found


def full(make: Make, budget: int, stream: Coin) -> float:
    """Microseconds per row of a full model."""
    model = make(budget, stream.features)
    learn(model, stream, max(2_000, 3 * budget))
    rows, seconds = 0, 0.0
    while seconds < SECONDS:
        seconds += learn(model, stream, BATCH)
        rows += BATCH
    return 1e6 * seconds / rows


def exponent(points: tuple[int, ...], costs: list[float]) -> float:
    return float(np.polyfit(np.log(points), np.log(costs), 1)[0])


def table(show: Shown, title: str, points: tuple[int, ...], found: dict[str, list[float]]) -> None:
    show(f"\n{title}")
    show(f"{'':12}" + "".join(f"{point:>9,}" for point in points) + "   exponent, of the last three")
    for name, costs in found.items():
        cells = "".join(f"{cost:9.2f}" for cost in costs)
        last = exponent(points[-LAST:], costs[-LAST:])
        show(f"{name:12}{cells}{exponent(points, costs):11.2f}{last:19.2f}")


def measure(rounds: int, cost: Callable[[str], list[float]]) -> dict[str, list[float]]:
    """The medians over rounds."""
    runs = [{name: cost(name) for name in MODELS} for _ in range(rounds)]
    return {name: np.median([run[name] for run in runs], axis=0).tolist() for name in MODELS}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benches.comparison.cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=5, help="times that each point is measured (5)")
    parser.add_argument("--quick", action="store_true", help="once, fewer points")
    parser.add_argument("--keep", action="store_true", help="write the result file")
    options = parser.parse_args()
    rounds = 1 if options.quick else options.rounds
    rows, budgets = (ROWS[:4], BUDGETS[:5]) if options.quick else (ROWS, BUDGETS)
    show = Shown()
    show(f"microseconds per row, {isa()}")
    of_rows = measure(rounds, lambda name: along(MODELS[name], rows))
    table(show, f"against the rows learned before; budget {BUDGET}, {FEATURES} features", rows, of_rows)
    of_budgets = measure(rounds, lambda name: [full(MODELS[name], b, Coin(FEATURES)) for b in budgets])
    table(show, f"against the budget; {FEATURES} features", budgets, of_budgets)
    of_widths = measure(rounds, lambda name: [full(MODELS[name], BUDGET, Coin(d)) for d in WIDTHS])
    at = WIDTHS.index(MATRIX) + 1
    for title, part in (
        (f"with a matrix, up to {MATRIX}", slice(at)),
        (f"above {MATRIX}, with a diagonal", slice(at, None)),
    ):
        costs = {name: costs[part] for name, costs in of_widths.items()}
        table(show, f"against the features, the default {title}; budget {BUDGET}", WIDTHS[part], costs)
    of_classes = measure(
        rounds, lambda name: [full(MODELS[name], BUDGET, Coin(FEATURES, n)) for n in CLASSES]
    )
    table(show, f"against the classes; budget {BUDGET}, {FEATURES} features", CLASSES, of_classes)
    of_columns = measure(
        rounds, lambda name: [full(MODELS[name], BUDGET, Coin(d, sparse=True)) for d in COLUMNS]
    )
    table(
        show, f"against the columns of sparse rows; {ENTRIES} entries, budget {BUDGET}", COLUMNS, of_columns
    )
    if options.keep:
        show.keep("cost")


if __name__ == "__main__":
    main()
