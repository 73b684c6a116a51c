"""Accuracy of models that were trained on shards and averaged, beside one model trained on all rows.

    python -m benches.comparison.combine [--keep] [--runs 3] [set ...]

The rows of each set are shuffled and cut into four shards. Each of four workers learns one shard, with the
preprocessing of a model that has learned all rows (`like`), which is the best case for the workers. The table
has the test accuracy of one worker (the mean of the four), of their averaged model within one budget
(`budgetrs.combine`), of their averaged model with all support vectors, and of the model that has learned all
rows in one pass; the last column is the relative error that the budget adds to the averaged model. Data are
read from the folder that BUDGETRS_DATA names, by default ../shared/data beside the repository; missing sets
are skipped and named.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from benches.comparison.front_door.data import Rows, rows
from benches.comparison.kept import Shown
from experiments.common import MissingDataError

from budgetrs import Classifier, combine

SETS = {"covertype": 400_000, "letter": None, "mnist": None}
SHARDS, BUDGET = 4, 500


def accuracy(model: Classifier, data: Rows) -> float:
    return 100 * float(np.mean(model.predict(data.x_test) == data.y_test))


def measured(data: Rows) -> list[float]:
    """Return the numbers of a run: four accuracies, and the relative error of the budget."""
    one = Classifier(budget=BUDGET, classes=data.classes).learn(data.x, data.y)
    parts = [(data.x[i::SHARDS], data.y[i::SHARDS]) for i in range(SHARDS)]
    workers = [
        Classifier(budget=BUDGET, classes=data.classes, feature_space=one).learn(*part) for part in parts
    ]
    few, lost = combine(workers, budget=BUDGET)
    whole, _ = combine(workers)
    alone = float(np.mean([accuracy(worker, data) for worker in workers]))
    return [alone, *(accuracy(model, data) for model in (few, whole, one)), lost]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benches.comparison.combine", description="Four workers and one."
    )
    parser.add_argument("sets", nargs="*", help=f"some of {', '.join(SETS)} (default: all)", metavar="set")
    parser.add_argument("--runs", type=int, default=3, help="orders of the rows (default: 3)")
    parser.add_argument(
        "--keep", action="store_true", help="keep what is printed in benches/comparison/results"
    )
    given = parser.parse_args()
    for name in set(given.sets) - set(SETS):
        parser.error(f"set must be one of {', '.join(SETS)}, got {name!r}")
    show, missing = Shown(), []
    show(f"accuracy in %, means of {given.runs} orders; {SHARDS} shards, budget {BUDGET}")
    show()
    show("| set | rows | one of four | mean of four | the same, all vectors | one pass over all | lost |")
    show("|---|---|---|---|---|---|---|")
    for name in given.sets or SETS:
        try:
            found = []
            for run in range(given.runs):
                data = rows(name, run, None)
                most = SETS[name] or len(data.x)
                found.append(measured(Rows(data.x[:most], data.y[:most], data.x_test, data.y_test)))
        except MissingDataError as error:
            missing.append(str(error))
            continue
        *accuracies, lost = np.mean(found, axis=0)
        cells = " | ".join(f"{value:.1f}" for value in accuracies)
        show(f"| {name} | {min(most, len(data.x)):,} | {cells} | {lost:.2f} |")
    if missing:
        print("left out:", *missing, sep="\n", file=sys.stderr)
    if given.keep:
        show.keep("combine")


if __name__ == "__main__":
    main()
