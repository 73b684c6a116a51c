"""Coverage of prediction intervals and sets, beside split conformal prediction.

    python -m benches.comparison.coverage [--keep] [--folds 5] [--jobs 2] [table ...]

Tables: the estimators are fitted on four of five folds, and predict the fifth. Split conformal prediction
fits the same estimator on three quarters of these rows, and takes the quantile of the absolute errors, or of
one minus the probability of the class, on the last quarter. Its sets have the predicted class too. A width is
in standard deviations of the targets, a size is a number of classes. The interval score is the width plus
2 / (1 - coverage) times the distance of each target outside (Gneiting and Raftery 2007).

The tables come from benches.comparison.tables, which names the packages that hold them.

Streams: 20,000 rows are predicted in blocks of ten, each before it is learned, and change at row 10,000, or
from row 5,000 to 15,000. Split conformal prediction has the fixed quantile of the last 2,500 rows before the
change, and its model learns on.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from benches.comparison.kept import Shown

from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor

COVERAGES = (0.8, 0.9, 0.95)
NEAR = 0.03
ROWS, CHANGE, BLOCK = 20_000, 10_000, 10
WINDOWS = ((5000, 10_000), (10_000, 10_500), (10_500, 11_000), (11_000, 12_000), (15_000, 20_000))


def rank(scores, coverage):
    """Return the quantile of split conformal prediction."""
    return np.sort(scores)[min(len(scores), int(np.ceil((len(scores) + 1) * coverage))) - 1]


def of_intervals(ends, y, coverage, unit):
    """Return coverage, width and interval score."""
    lower, upper = ends
    outside = np.maximum(lower - y, 0) + np.maximum(y - upper, 0)
    width = upper - lower
    score = (width + 2 / (1 - coverage) * outside).mean()
    return [((lower <= y) & (y <= upper)).mean(), width.mean() / unit, score / unit]


def regression(X, y, train, test, fold, few):
    fit, rest = few
    model = OnlineKernelRegressor(random_state=fold).fit(X.iloc[train], y[train])
    part = OnlineKernelRegressor(random_state=fold).fit(X.iloc[fit], y[fit])
    errors, predicted = abs(y[rest] - part.predict(X.iloc[rest])), part.predict(X.iloc[test])
    for coverage in COVERAGES:
        q = rank(errors, coverage)
        ours = of_intervals(model.predict_interval(X.iloc[test], coverage).T, y[test], coverage, y.std())
        yield [*ours, *of_intervals((predicted - q, predicted + q), y[test], coverage, y.std()), coverage]


def classification(X, y, train, test, fold, few):
    fit, rest = few
    classes = np.unique(y)
    model = OnlineKernelClassifier(random_state=fold).fit(X.iloc[train], y[train])
    part = OnlineKernelClassifier(random_state=fold).fit(X.iloc[fit], y[fit])

    def by_class(values, of):
        found = np.zeros((len(values), len(classes)), values.dtype)
        found[:, np.searchsorted(classes, of.classes_)] = values
        return found

    truth, of_rest = np.searchsorted(classes, y[test]), np.searchsorted(classes, y[rest])
    scores = 1 - by_class(part.predict_proba(X.iloc[rest]), part)[np.arange(len(rest)), of_rest]
    p = by_class(part.predict_proba(X.iloc[test]), part)
    accuracy = (model.predict(X.iloc[test]) == y[test]).mean()
    for coverage in COVERAGES:
        sets = by_class(model.predict_set(X.iloc[test], coverage), model)
        split = 1 - p <= rank(scores, coverage)
        split[np.arange(len(p)), p.argmax(axis=1)] = True
        both = [[s[np.arange(len(truth)), truth].mean(), s.sum(axis=1).mean(), 0.0] for s in (sets, split)]
        yield [*both[0], *both[1], max(coverage, accuracy)]


def measured(folds, name):
    """Return whether a table is of classes, its rows, and means over folds, one row per coverage.

    None if the table's package is missing.
    """
    from benches.comparison.tables.data import load
    from experiments.common import MissingDataError
    from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

    warnings.simplefilter("ignore")
    try:
        task = load(name)
    except MissingDataError:
        return None
    X, y, of_classes = task.X, task.y, task.is_classification
    stratified = of_classes and np.unique(y, return_counts=True)[1].min() >= 5
    parts = (StratifiedKFold if stratified else KFold)(5, shuffle=True, random_state=0)
    found = []
    for fold, (train, test) in list(enumerate(parts.split(X, y)))[:folds]:
        labels = y[train] if stratified else None
        few = train_test_split(train, test_size=0.25, random_state=fold, stratify=labels)
        run = classification if of_classes else regression
        found.append(list(run(X, y, train, test, fold, few)))
    return of_classes, len(y), np.mean(found, axis=0)


def of_tables(show, names, folds, jobs):
    from benches.comparison.tables.data import CLASSIFICATION, REGRESSION

    results = {False: [], True: []}
    names = names or [*REGRESSION, *CLASSIFICATION]
    with ProcessPoolExecutor(jobs) as pool:
        for name, result in zip(names, pool.map(partial(measured, folds), names), strict=True):
            if result is None:
                print(f"{name} is left out: its package is missing", file=sys.stderr)
                continue
            of_classes, rows, found = result
            results[of_classes].append((name, rows, found))
    for of_classes, title in ((False, "width"), (True, "size")):
        if not results[of_classes]:
            continue
        what = "Prediction sets" if of_classes else "Prediction intervals"
        show(f"{what}: coverage and {title}, split conformal after the slash")
        show()
        show("| table | rows | " + " | ".join(f"{c:.0%}" for c in COVERAGES) + " |")
        show("|---|---|" + "---|" * len(COVERAGES))
        for name, rows, found in results[of_classes]:
            cells = [f"{a:.3f} ({w:.2f}) / {b:.3f} ({v:.2f})" for a, w, _, b, v, _, _ in found]
            show(f"| {name} | {rows:,} | {' | '.join(cells)} |")
        show()
        for i, coverage in enumerate(COVERAGES):
            rows = np.array([found[i] for *_, found in results[of_classes]]).reshape(-1, 7)
            near = [int((abs(rows[:, k] - rows[:, 6]) <= NEAR).sum()) for k in (0, 3)]
            ratios = [np.exp(np.log(rows[:, k] / rows[:, k + 3]).mean()) for k in (1, 2) if rows[0, k]]
            score = "" if of_classes else f", interval score {ratios[1]:.3f} times"
            other = "that of split conformal prediction"
            show(
                f"{coverage:.0%}: within {NEAR} on {near[0]} of {len(rows)} tables "
                f"(split conformal {near[1]}); {title} {ratios[0]:.3f} times {other}{score}"
            )
        show()
    show("A set has the predicted class, so its coverage is compared with the accuracy if that is larger.")
    show()


def surface(kind, rng):
    X, now = rng.normal(size=(ROWS, 6)), np.arange(ROWS)
    late, share = now >= CHANGE, np.clip((now - 5000) / 10_000, 0, 1)
    noise = rng.normal(size=ROWS) * (0.5 + abs(X[:, 4]))
    other = -3 * X[:, 0] + 4 * np.cos(X[:, 1] + X[:, 5])
    if kind == "inputs":
        X[late] += 2
    first = 3 * X[:, 0] + 2 * np.sin(2 * X[:, 1]) * X[:, 2] + abs(X[:, 3])
    if kind == "abrupt":
        return X, np.where(late, other + 10, first) + noise
    if kind == "gradual":
        return X, (1 - share) * first + share * other + noise
    if kind == "noise":
        return X, first + np.where(late, 3, 1) * noise
    return X, first + noise + (0.002 * now if kind == "trend" else 0)


def classes(kind, rng):
    X, now = rng.normal(size=(ROWS, 6)), np.arange(ROWS)
    late, share = now >= CHANGE, np.clip((now - 5000) / 10_000, 0, 1)[:, None]
    if kind == "inputs":
        X[late] += 1.5
    scores = [
        X[:, 0] + X[:, 1] * X[:, 2],
        2 * np.sin(2 * X[:, 1]),
        X[:, 3] * X[:, 0] - 0.5,
        abs(X[:, 4]) - 0.5,
    ]
    scores = 1.5 * np.stack(scores, axis=1)
    if kind == "gradual":
        scores = (1 - share) * scores + share * np.roll(scores, 1, axis=1)
    if kind == "trend":
        scores = scores - np.where(late, 1, 0)[:, None] * [3, 0, 0, -3]
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    if kind == "abrupt":
        y[late] = (y[late] + 1) % 4
    if kind == "noise":
        y = np.where(late & (rng.random(ROWS) < 0.4), rng.integers(0, 4, ROWS), y)
    return X, y


def followed(task, kind, coverage=0.9):
    """Return whether each row is covered, and by the fixed quantile."""
    X, y = (surface if task == "regression" else classes)(kind, np.random.default_rng(0))
    model = Regressor() if task == "regression" else Classifier(classes=list(range(4)))
    hits, scores = np.zeros(ROWS, bool), np.zeros(ROWS)
    model.learn(X[:BLOCK], y[:BLOCK])
    for first in range(BLOCK, ROWS, BLOCK):
        rows = slice(first, first + BLOCK)
        if task == "regression":
            lower, upper = model.predict_interval(X[rows], coverage).T
            hits[rows] = (lower <= y[rows]) & (y[rows] <= upper)
            scores[rows] = abs(y[rows] - model.predict(X[rows]))
        else:
            p, each = model.predict_proba(X[rows]), np.arange(BLOCK)
            hits[rows] = model.predict_set(X[rows], coverage)[each, y[rows]]
            scores[rows] = np.where(p.argmax(axis=1) == y[rows], 0, 1 - p[each, y[rows]])
        model.learn(X[rows], y[rows])
    before = 5000 if kind == "gradual" else CHANGE
    return hits, scores <= rank(scores[before - 2500 : before], coverage)


def of_streams(show):
    show("Streams: coverage of 90% intervals and sets by rows, split conformal after the slash")
    show()
    show("| stream | " + " | ".join(f"{a:,} to {b:,}" for a, b in WINDOWS) + " |")
    show("|---|" + "---|" * len(WINDOWS))
    for task in ("regression", "classification"):
        for kind in ("abrupt", "gradual", "noise", "inputs", "trend"):
            hits, fixed = followed(task, kind)
            cells = [f"{hits[a:b].mean():.3f} / {fixed[a:b].mean():.3f}" for a, b in WINDOWS]
            name = "classes" if (task, kind) == ("classification", "trend") else kind
            show(f"| {task}: {name} | {' | '.join(cells)} |")
    show()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benches.comparison.coverage",
        description="Coverage, beside split conformal prediction.",
    )
    parser.add_argument("tables", nargs="*", help="some of the tables (default: all)", metavar="table")
    parser.add_argument("--folds", type=int, default=5, help="folds of each table (default: 5)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--keep", action="store_true", help="keep what is printed in benches/comparison/results"
    )
    given = parser.parse_args()
    show = Shown()
    of_streams(show)
    of_tables(show, given.tables, given.folds, given.jobs)
    if given.keep:
        show.keep("coverage")


if __name__ == "__main__":
    main()
