"""Accuracy of models that are trained on shards and averaged, compared with one model of all rows."""

import numpy as np

from budgetrs import Classifier, combine

from ..cells import Options, Output
from ..data import Rows, rows

LENGTHS = {"covertype": 400_000, "letter": None, "mnist": None}
SHARDS, BUDGET = 4, 500
OPTIONS = {
    "sets": (tuple(LENGTHS), "sets"),
    "runs": (3, "orders of the rows"),
    "rows": (int, "rows at most (all)"),
}
QUICK = {"sets": ["letter"], "runs": 1, "rows": 2_000}


def accuracy(model: Classifier, data: Rows) -> float:
    return 100 * float(np.mean(model.predict(data.x_test) == data.y_test))


def measure(x: np.ndarray, y: np.ndarray, data: Rows) -> list[float]:
    """The numbers of a run: four accuracies, and the relative error of the budget."""
    one = Classifier(budget=BUDGET, classes=data.classes).learn(x, y)
    new = [Classifier(budget=BUDGET, classes=data.classes, feature_space=one) for _ in range(SHARDS)]
    workers = [worker.learn(x[i::SHARDS], y[i::SHARDS]) for i, worker in enumerate(new)]
    few, lost = combine(workers, budget=BUDGET, return_error=True)
    whole = combine(workers)
    alone = float(np.mean([accuracy(worker, data) for worker in workers]))
    return [alone, *(accuracy(model, data) for model in (few, whole, one)), lost]


def main(options: Options, output: Output) -> None:
    output(f"accuracy in %, means of {options.runs} orders; {SHARDS} shards, budget {BUDGET}\n")
    output(
        "| set | rows | one of four | averaged | averaged, no budget | one pass over all | relative error |"
    )
    output("|---|---|---|---|---|---|---|")
    for name in options.sets:
        found = []
        for run in range(options.runs):
            data = output.attempt(rows, name, run, options.rows)
            if data is not None:
                x, y = data.x[: LENGTHS[name]], data.y[: LENGTHS[name]]
                found.append(measure(x, y, data))
        if found:
            *accuracies, lost = np.mean(found, axis=0)
            output(f"| {name} | {len(y):,} | {' | '.join(f'{v:.1f}' for v in accuracies)} | {lost:.2f} |")
