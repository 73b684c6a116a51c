"""Coverage of prediction intervals and sets, compared with split conformal prediction."""

import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor

from ..cells import Options, Output
from ..data import MissingDataError
from ..package_tables import CLASSIFICATION, REGRESSION, folds_of, load

COVERAGES, NEAR = (0.8, 0.9, 0.95), 0.03
ROWS, CHANGE, BLOCK = 20_000, 10_000, 10
WINDOWS = ((5000, 10_000), (10_000, 10_500), (10_500, 11_000), (11_000, 12_000), (15_000, 20_000))
KINDS = ("abrupt", "gradual", "noise", "inputs", "trend")
OPTIONS = {
    "tables": ((*REGRESSION, *CLASSIFICATION), "tables"),
    "folds": (5, "folds of each table that are measured"),
    "kinds": (KINDS, "streams"),
    "processes": (1, "processes"),
}
QUICK = {"tables": ["diabetes", "iris"], "folds": 1, "kinds": ["abrupt"]}


def rank(scores: np.ndarray, coverage: float) -> float:
    """The quantile of split conformal prediction."""
    return np.sort(scores)[min(len(scores), int(np.ceil((len(scores) + 1) * coverage))) - 1]


def of_intervals(ends: Any, y: np.ndarray, coverage: float, unit: float) -> list[float]:
    """Coverage, width and interval score."""
    lower, upper = ends
    outside, width = np.maximum(lower - y, 0) + np.maximum(y - upper, 0), upper - lower
    score = (width + 2 / (1 - coverage) * outside).mean()
    return [((lower <= y) & (y <= upper)).mean(), width.mean() / unit, score / unit]


def of_sets(sets: np.ndarray, truth: np.ndarray) -> list[float]:
    return [sets[np.arange(len(truth)), truth].mean(), sets.sum(axis=1).mean(), 0.0]


def regression(
    models: list, X: Any, y: np.ndarray, test: np.ndarray, rest: np.ndarray
) -> Iterator[list[float]]:
    model, part = models
    errors, predicted = abs(y[rest] - part.predict(X.iloc[rest])), part.predict(X.iloc[test])
    for coverage in COVERAGES:
        q = rank(errors, coverage)
        ours = of_intervals(
            model.predict_interval(X.iloc[test], coverage=coverage).T, y[test], coverage, y.std()
        )
        yield [*ours, *of_intervals((predicted - q, predicted + q), y[test], coverage, y.std()), coverage]


def classification(models: list, X: Any, y: np.ndarray, test: np.ndarray, rest: np.ndarray) -> Iterator[list]:
    (model, part), classes = models, np.unique(y)

    def by_class(values: np.ndarray, of: Any) -> np.ndarray:
        found = np.zeros((len(values), len(classes)), values.dtype)
        found[:, np.searchsorted(classes, of.classes_)] = values
        return found

    truth, of_rest = np.searchsorted(classes, y[test]), np.searchsorted(classes, y[rest])
    scores = 1 - by_class(part.predict_proba(X.iloc[rest]), part)[np.arange(len(rest)), of_rest]
    p = by_class(part.predict_proba(X.iloc[test]), part)
    accuracy = (model.predict(X.iloc[test]) == y[test]).mean()
    for coverage in COVERAGES:
        split = 1 - p <= rank(scores, coverage)
        split[np.arange(len(p)), p.argmax(axis=1)] = True
        ours = of_sets(by_class(model.predict_set(X.iloc[test], coverage=coverage), model), truth)
        yield [*ours, *of_sets(split, truth), max(coverage, accuracy)]


def measure(name: str, n_folds: int) -> tuple[int, np.ndarray] | str:
    """The rows of a table and means over folds, one line per coverage; the reason if data are missing."""
    warnings.simplefilter("ignore")
    try:
        X, y = load(name)
    except MissingDataError as error:
        return str(error)
    is_classification, found = name in CLASSIFICATION, []
    stratified = is_classification and np.unique(y, return_counts=True)[1].min() >= 5
    make = OnlineKernelClassifier if is_classification else OnlineKernelRegressor
    for fold, (train, test) in enumerate(folds_of(X, y, is_classification)[:n_folds]):
        labels = y[train] if stratified else None
        most, rest = train_test_split(train, test_size=0.25, random_state=fold, stratify=labels)
        models = [make(random_state=fold).fit(X.iloc[rows], y[rows]) for rows in (train, most)]
        run = classification if is_classification else regression
        found.append(list(run(models, X, y, test, rest)))
    return len(y), np.mean(found, axis=0)


def of_tables(output: Output, options: Options) -> None:
    with ProcessPoolExecutor(options.processes) as pool:
        found = list(pool.map(measure, options.tables, [options.folds] * len(options.tables)))
    output.missing += [result for result in found if isinstance(result, str)]
    for names, what, title in ((REGRESSION, "intervals", "width"), (CLASSIFICATION, "sets", "size")):
        results = {
            n: r for n, r in zip(options.tables, found, strict=True) if n in names and not isinstance(r, str)
        }
        if not results:
            continue
        output(f"Prediction {what}: coverage and {title}, split conformal after the slash\n")
        output("| table | rows | " + " | ".join(f"{c:.0%}" for c in COVERAGES) + " |")
        output("|---|---|" + "---|" * len(COVERAGES))
        for name, (rows, lines) in results.items():
            cells = [f"{a:.3f} ({w:.2f}) / {b:.3f} ({v:.2f})" for a, w, _, b, v, _, _ in lines]
            output(f"| {name} | {rows:,} | {' | '.join(cells)} |")
        output()
        for i, coverage in enumerate(COVERAGES):
            lines = np.array([lines[i] for _, lines in results.values()])
            near = [int((abs(lines[:, k] - lines[:, 6]) <= NEAR).sum()) for k in (0, 3)]
            ratios = [np.exp(np.log(lines[:, k] / lines[:, k + 3]).mean()) for k in (1, 2) if lines[0, k]]
            score = f", interval score {ratios[1]:.3f}" if what == "intervals" else ""
            shares = f"within {NEAR} on {near[0]} of {len(lines)} tables (split conformal {near[1]})"
            times = f"{title} {ratios[0]:.3f} of split conformal prediction"
            output(f"{coverage:.0%}: {shares}; {times}{score}")
        output()
    output(
        "A set has the predicted class, so its coverage is compared with the accuracy if that is larger.\n"
    )


def numbers(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
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


def classes(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X, now = rng.normal(size=(ROWS, 6)), np.arange(ROWS)
    late, share = now >= CHANGE, np.clip((now - 5000) / 10_000, 0, 1)[:, None]
    if kind == "inputs":
        X[late] += 1.5
    scores = [X[:, 0] + X[:, 1] * X[:, 2], 2 * np.sin(2 * X[:, 1])]
    scores += [X[:, 3] * X[:, 0] - 0.5, abs(X[:, 4]) - 0.5]
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


def followed(is_regression: bool, kind: str, coverage: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
    """Whether each row is covered, and whether it is covered by the fixed quantile."""
    X, y = (numbers if is_regression else classes)(kind, np.random.default_rng(0))
    model: Any = Regressor() if is_regression else Classifier(classes=list(range(4)))
    hits, scores, each = np.zeros(ROWS, bool), np.zeros(ROWS), np.arange(BLOCK)
    model.learn(X[:BLOCK], y[:BLOCK])
    for first in range(BLOCK, ROWS, BLOCK):
        rows = slice(first, first + BLOCK)
        if is_regression:
            lower, upper = model.predict_interval(X[rows], coverage=coverage).T
            hits[rows] = (lower <= y[rows]) & (y[rows] <= upper)
            scores[rows] = abs(y[rows] - model.predict(X[rows]))
        else:
            p = model.predict_proba(X[rows])
            hits[rows] = model.predict_set(X[rows], coverage=coverage)[each, y[rows]]
            scores[rows] = np.where(p.argmax(axis=1) == y[rows], 0, 1 - p[each, y[rows]])
        model.learn(X[rows], y[rows])
    before = 5000 if kind == "gradual" else CHANGE
    return hits, scores <= rank(scores[before - 2500 : before], coverage)


def main(options: Options, output: Output) -> None:
    output("Streams: coverage of 90% intervals and sets by rows, split conformal after the slash\n")
    output("| stream | " + " | ".join(f"{a:,} to {b:,}" for a, b in WINDOWS) + " |")
    output("|---|" + "---|" * len(WINDOWS))
    for task in ("regression", "classification"):
        for kind in options.kinds:
            hits, fixed = followed(task == "regression", kind)
            cells = [f"{hits[a:b].mean():.3f} / {fixed[a:b].mean():.3f}" for a, b in WINDOWS]
            name = "classes" if (task, kind) == ("classification", "trend") else kind
            output(f"| {task}: {name} | {' | '.join(cells)} |")
    output()
    of_tables(output, options)
