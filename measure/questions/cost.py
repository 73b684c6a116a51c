"""The cost of a row against the length of the stream, the budget, and the numbers of features and classes.

`python -m scripts.pictures cost` draws the result.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_matrix, random_array

from budgetrs import Classifier
from budgetrs._core import isa

from ..cells import Options, Output
from ..clock import seconds

BUDGET, FEATURES = 100, 20  # the fixed values, where the other one varies
BATCH, SECONDS = 1_000, 0.1  # rows of a call, and the shortest measurement of a point in a round
MODELS: dict[str, Callable[[int, int], Classifier]] = {  # of a budget and a number of features
    "default": lambda budget, _: Classifier(budget=budget),
    "bsgd-merge": lambda budget, features: Classifier("bsgd-merge", budget=budget, gamma=1 / features),
    "bpa-nn": lambda budget, features: Classifier("bpa-nn", budget=budget, gamma=1 / features),
}
ROWS, BUDGETS = tuple(5_000 << i for i in range(7)), tuple(50 << i for i in range(9))
WIDTHS, COLUMNS = tuple(8 << i for i in range(9)), tuple(512 << i for i in range(6))
CLASSES = (2, 8, 32, 128, 512)
ENTRIES = 50  # of a sparse row
OPTIONS = {
    "rounds": (5, "times that each point is measured"),
    "points": (9, "points of rows and budgets at most"),
}
QUICK = {"rounds": 1, "points": 4}


class Coin:
    """An endless stream of random rows and labels: dense and normal, or sparse with values in [0, 1)."""

    def __init__(self, features: int, classes: int = 2, *, sparse: bool = False) -> None:
        self.rng, self.features = np.random.default_rng(1), features
        self.classes, self.sparse = classes, sparse

    def rows(self, n: int) -> tuple[np.ndarray | csr_matrix, np.ndarray]:
        y = self.rng.integers(self.classes, size=n)
        if not self.sparse:
            return self.rng.standard_normal((n, self.features), dtype=np.float32), y
        density, shape = ENTRIES / self.features, (n, self.features)
        return csr_matrix(random_array(shape, density=density, rng=self.rng, dtype=np.float32)), y


def learn(model: Classifier, stream: Coin, rows: int) -> float:
    """Processor seconds of learning `rows` rows."""
    return sum(seconds(model.learn, *stream.rows(min(BATCH, rows - i))) for i in range(0, rows, BATCH))


def along(name: str, points: tuple[int, ...]) -> list[float]:
    """Microseconds per row of the tenth of the stream that ends at each point."""
    model, stream, found, learned = MODELS[name](BUDGET, FEATURES), Coin(FEATURES), [], 0
    for point in points:
        part = point // 10
        learn(model, stream, point - part - learned)
        found.append(1e6 * learn(model, stream, part) / part)
        learned = point
    return found


def full(name: str, budget: int, stream: Coin) -> float:
    """Microseconds per row of a full model."""
    model = MODELS[name](budget, stream.features)
    learn(model, stream, max(2_000, 3 * budget))
    rows, spent = 0, 0.0
    while spent < SECONDS:
        spent += learn(model, stream, BATCH)
        rows += BATCH
    return 1e6 * spent / rows


def exponent(points: tuple[int, ...], costs: list[float]) -> float:
    return float(np.polyfit(np.log(points), np.log(costs), 1)[0])


def main(options: Options, output: Output) -> None:
    def measure(cost: Callable[[str], list[float]]) -> dict[str, list[float]]:
        """The medians over rounds."""
        runs = [{name: cost(name) for name in MODELS} for _ in range(options.rounds)]
        return {name: np.median([run[name] for run in runs], axis=0).tolist() for name in MODELS}

    def table(title: str, points: tuple[int, ...], found: dict[str, list[float]]) -> None:
        output(f"\nagainst the {title}")
        output(f"{'':12}" + "".join(f"{p:>9,}" for p in points) + "   exponent, of the last three")
        for name, costs in found.items():
            last = exponent(points[-3:], costs[-3:])
            costs_text = "".join(f"{cost:9.2f}" for cost in costs)
            output(f"{name:12}{costs_text}{exponent(points, costs):11.2f}{last:19.2f}")

    output(f"microseconds per row, {isa()}")
    rows, budgets = ROWS[: options.points], BUDGETS[: options.points]
    fixed = f"budget {BUDGET}, {FEATURES} features"
    table(f"rows learned before; {fixed}", rows, measure(lambda name: along(name, rows)))
    found = measure(lambda name: [full(name, b, Coin(FEATURES)) for b in budgets])
    table(f"budget; {FEATURES} features", budgets, found)
    found = measure(lambda name: [full(name, BUDGET, Coin(d)) for d in WIDTHS])
    for title, part in (("with a matrix, up to 64", slice(4)), ("above 64, with a diagonal", slice(4, None))):
        costs = {name: costs[part] for name, costs in found.items()}
        table(f"features, the default {title}; budget {BUDGET}", WIDTHS[part], costs)
    found = measure(lambda name: [full(name, BUDGET, Coin(FEATURES, n)) for n in CLASSES])
    table(f"classes; {fixed}", CLASSES, found)
    found = measure(lambda name: [full(name, BUDGET, Coin(d, sparse=True)) for d in COLUMNS])
    table(f"columns of sparse rows; {ENTRIES} entries, budget {BUDGET}", COLUMNS, found)
