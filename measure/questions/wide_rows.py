"""The cost of a sparse row against the number of columns, in learning and in prediction."""

import numpy as np
from scipy.sparse import csr_matrix

from budgetrs import Classifier

from ..cells import Options, Output
from ..clock import seconds

ALGORITHMS = ("online-kernel", "bsgd-merge")
COLUMNS = (1_000, 10_000, 100_000, 1_000_000)
ROUNDS = 3
OPTIONS = {
    "entries": (50, "entries of a row"),
    "budget": (100, "support vectors"),
    "rows": (1_500, "rows learned before the measurement"),
    "measured": (200, "rows measured"),
    "columns": (1_000_000, "columns at most"),
}
QUICK = {"rows": 1_100, "measured": 50, "columns": 10_000}


def stream(count: int, columns: int, entries: int) -> tuple[csr_matrix, np.ndarray]:
    """Rows of normal values in random columns; the label is the sign of a linear function."""
    rng = np.random.default_rng(0)
    places = np.concatenate([np.sort(rng.choice(columns, entries, replace=False)) for _ in range(count)])
    values = rng.normal(size=count * entries).astype(np.float32)
    starts = np.arange(0, count * entries + 1, entries)
    weights = rng.normal(size=columns)
    y = np.add.reduceat(values * weights[places], starts[:-1]) > 0
    return csr_matrix((values, places, starts), (count, columns)), y.astype(int)


def main(options: Options, output: Output) -> None:
    entries, before, measured = options.entries, options.rows, options.measured
    output(f"{entries} entries, budget {options.budget}; us per row, {measured} rows after {before:,}")
    output(f"{'algorithm':>14} {'columns':>10} {'learn':>10} {'predict':>10}")
    for name in ALGORITHMS:
        for columns in (columns for columns in COLUMNS if columns <= options.columns):
            X, y = stream(before + 2 * measured, columns, entries)
            model = Classifier(name, budget=options.budget).learn(X[:before], y[:before])
            end = before + measured
            learn = seconds(model.learn, X[before:end], y[before:end])
            predict = min(seconds(model.decision_function, X[end:]) for _ in range(ROUNDS))
            learn, predict = 1e6 * learn / measured, 1e6 * predict / measured
            output(f"{name:>14} {columns:10,} {learn:10.1f} {predict:10.1f}")
