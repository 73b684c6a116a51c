"""Accuracy, speed and probabilities of the default without tuning, compared with tuned models on raw rows.

Finished runs are not repeated: add --again after a change of the model.
"""

import csv
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .. import models
from ..cells import RESULTS, Options, Output, Record
from ..clock import LeftOutError, deviation, in_new_process, seconds
from ..data import ORDERED, Rows, rows, stream
from ..models import ALPHAS, COSTS, WIDTHS, Facts

SETS = {
    "classification": (
        *("letter", "covertype-200k", "covertype-500k", "mnist", "waveform", "shuttle", "a9a", "noaa"),
        *("usps", "dna", "ijcnn1"),
    ),
    "passes": ("letter", "covertype-50k", "usps", "dna", "ijcnn1", "a9a"),
    "probabilities": ("a9a", "letter", "covertype-50k", "noaa"),
}
SETS["speed"] = SETS["classification"]
MEASURES = {  # and their decimals
    "classification": {"accuracy": 2},
    "passes": {"accuracy": 2},
    "probabilities": {"ece": 2, "brier": 2},
    "speed": {"rows/second": 0, "ratio": 2},
}
LOWER_IS_BETTER = ("ece", "brier")
LARGE = ("covertype", "waveform", "mnist")  # names begin so; three runs suffice
CHUNK, TUNING_ROWS, SVM_TUNING_ROWS, SVM_ROWS, SVM_SECONDS = 10_000, 50_000, 5_000, 30_000, 1800
OTHERS = {
    "RBFSampler-500 + SGD": partial(models.OnePass, features="RBFSampler", chunk=CHUNK),
    "Nystroem-500 + SGD": partial(models.OnePass, features="Nystroem", chunk=CHUNK),
    "LightGBM": models.LIGHTGBM,
    "SVM": models.SVM,
}
NAMES = {"classification": tuple(OTHERS), "probabilities": ("LogisticRegression", "calibrated LinearSVC")}
OPTIONS = {
    "table": (tuple(SETS), "tables"),
    "sets": (tuple(dict.fromkeys(name for names in SETS.values() for name in names)), "sets"),
    "budgets": ((100, 500), "budgets"),
    "runs": (int, "runs of each cell (5; of large sets 3)"),
    "rows": (int, "rows to learn and to test on at most (all)"),
    "algorithm": ("online-kernel", "algorithm of budgetrs"),
    "others": (True, "run the other models"),
}
QUICK = {"sets": ["letter", "a9a", "ijcnn1"], "budgets": [100], "runs": 2, "others": False}


def variant(options: Options) -> str:
    return "-".join(options.table) if len(options.table) < len(SETS) else ""


def cells(options: Options) -> list[Record]:
    return [
        {"table": table, "set": name, **cell, "rows": options.rows, "run": run}
        for table in options.table
        for name in SETS[table]
        if name in options.sets
        for cell, runs in cells_of(table, name, options)
        for run in range(runs)
    ]


def cells_of(table: str, name: str, options: Options) -> Iterator[tuple[Record, int]]:
    """The cells of a set, and how often each is run."""
    ordered = name in ORDERED and table == "probabilities"
    runs = 1 if ordered else options.runs or (3 if name.startswith(LARGE) else 5)
    for budget in options.budgets:
        for passes in (1, 2, 3, 5) if table == "passes" else (1,):
            setting = f"{passes} pass{'es' if passes > 1 else ''}" if table == "passes" else "-"
            yield {"setting": setting, "model": options.algorithm, "budget": budget}, runs
    for model in NAMES.get(table, ()) if options.others else ():
        yield {"setting": "-", "model": model, "budget": None}, 1 if model in ("LightGBM", "SVM") else runs


def run(cell: Record) -> Record:
    is_ours = cell["budget"] is not None
    if cell["table"] == "probabilities":
        return probabilities(cell, is_ours)
    most = min(20_000, cell["rows"] or 20_000) if cell["table"] == "speed" else cell["rows"]
    data = rows(cell["set"], cell["run"], most)
    if cell["table"] == "speed":
        return pair(cell, data)
    predicted, more = (fit if is_ours else fit_other)(cell, data)
    return {"accuracy": 100.0 * float((np.asarray(predicted) == data.y_test).mean()), **more}


def ours(cell: Record, classes: np.ndarray, algorithm: str | None = None) -> Any:
    """A new model that takes raw rows."""
    from budgetrs import Classifier
    from budgetrs._core import parameters

    algorithm = algorithm or cell["model"]
    scaling = {"scaling": "online"} if parameters(algorithm).get("scaling") == "none" else {}
    return Classifier(algorithm, budget=cell["budget"], seed=cell["run"], classes=classes, **scaling)


def fit(cell: Record, data: Rows) -> tuple[Any, Record]:
    """Predictions of our model for the test rows, and the processor seconds of the first pass."""
    model, order = ours(cell, data.classes), np.random.default_rng(cell["run"])
    took = seconds(model.learn, data.x, data.y)
    for _ in range(1, int(cell["setting"][0]) if cell["table"] == "passes" else 1):
        rows = order.permutation(len(data.x))
        model.learn(data.x[rows], data.y[rows])
    return model.predict(data.x_test), {"seconds": took}


def fit_other(cell: Record, data: Rows) -> tuple[Any, Record]:
    """Predictions of a model of another library, and the chosen parameters."""
    facts = Facts(data.classes, scaled=True, seed=cell["run"])
    if cell["model"] == "SVM" and len(data.x) > SVM_ROWS:
        raise LeftOutError(f"more than {SVM_ROWS:,} rows")
    limit = SVM_SECONDS if cell["model"] == "SVM" else None
    predicted, chosen = in_new_process(tuned, cell["model"], facts, data.standardised(), limit=limit)
    return predicted, {"parameters": chosen}


def tuned(name: str, facts: Facts, data: Rows) -> tuple[np.ndarray, Record]:
    """Predictions for the test rows after a choice of parameters on the first rows."""
    fixed: Record = {}
    grid: dict[str, tuple] = {"gamma": WIDTHS, "C": COSTS} if name == "SVM" else {}
    if name.endswith("SGD"):
        grid, n_features = {"gamma": WIDTHS, "alpha": ALPHAS}, min(models.FEATURES, len(data.x) // 2)
        fixed = {"average": True, "features": n_features}
    n, facts = SVM_TUNING_ROWS if name == "SVM" else TUNING_ROWS, replace(facts, parameters=fixed)
    chosen = models.choose(OTHERS[name], facts, grid, data.x[:n], data.y[:n]) if grid else {}
    model = OTHERS[name](replace(facts, parameters={**fixed, **chosen})).fit(data.x, data.y)
    return np.asarray(model.predict(data.x_test)), chosen


def pair(cell: Record, data: Rows) -> Record:
    """Both learn the same rows, one after the other."""
    took = {}
    for algorithm in (cell["model"], "bsgd-merge")[:: -1 if cell["run"] % 2 else 1]:
        took[algorithm] = seconds(ours(cell, data.classes, algorithm).learn, data.x, data.y)
    own = took[cell["model"]]
    return {"rows/second": len(data.x) / own, "ratio": took["bsgd-merge"] / own}


def probabilities(cell: Record, is_ours: bool) -> Record:
    x, y = stream(cell["set"], cell["run"], cell["rows"])
    half, classes = len(x) // 2, np.unique(y)
    p = np.zeros((len(x) - half, len(classes)))
    if is_ours:
        model = ours(cell, classes)
        model.learn(x[:half], y[:half])
        for i, label in enumerate(y[half:].tolist()):
            p[i] = model.predict_proba(x[half + i][None])[0]
            model.learn_one(x[half + i], label)
    else:
        from sklearn import calibration, linear_model, pipeline, preprocessing, svm

        linear: Any = linear_model.LogisticRegression(max_iter=1_000)
        if cell["model"] != "LogisticRegression":
            linear = calibration.CalibratedClassifierCV(svm.LinearSVC())
        model = pipeline.make_pipeline(preprocessing.StandardScaler(), linear).fit(x[:half], y[:half])
        p[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(x[half:])
    truth, confidence = np.searchsorted(classes, y[half:]), p.max(axis=1)
    right = p.argmax(axis=1) == truth
    gaps = np.bincount(np.minimum((15 * confidence).astype(int), 14), confidence - right)
    squares = ((p - np.eye(len(classes))[truth]) ** 2).sum(axis=1)
    return {"ece": 100.0 * float(np.abs(gaps).sum() / len(p)), "brier": 100.0 * float(squares.mean())}


def report(records: list[Record], output: Output) -> None:
    """Means and standard deviations, but medians of speeds, which other programs disturb."""
    with (RESULTS / "prototype.csv").open() as file:
        lines = list(csv.DictReader(file))
    floors = {(r["table"], r["measure"], r["set"], b): r[f"B = {b}"] for r in lines for b in (100, 500)}
    groups: dict[tuple, list[Record]] = {}
    for record in records:
        key = (record[name] for name in ("table", "set", "setting", "model", "budget"))
        groups.setdefault(tuple(key), []).append(record)
    last = None
    for (table, name, setting, model, budget), found in groups.items():
        if table != last:
            heads = "".join(f"{measure:>19}" for measure in MEASURES[table])
            output(f"\n{table}\n{'set':34}{'model':24}{'B':>5}{'runs':>6}{heads}   floor")
        last, label, texts, ends = table, name if setting == "-" else f"{name}, {setting}", "", ""
        for measure, digits in MEASURES[table].items():
            values = [record[measure] for record in found]
            mean, sd = float((np.median if table == "speed" else np.mean)(values)), deviation(values)
            texts += f"{mean:10.{digits}f} ±{sd:7.{digits}f}" if len(values) > 1 else f"{mean:19.{digits}f}"
            if floor := floors.get((table, measure, label, budget)):
                goal, slack = float(floor.partition("±")[0]), 2 * sd / len(values) ** 0.5
                is_ok = mean - slack <= goal if measure in LOWER_IS_BETTER else mean + slack >= goal
                ends += f"   {floor}" + ("" if found[0]["rows"] else " ok" if is_ok else " BELOW")
        output(f"{label:34}{model:24}{budget or '-':>5}{len(found):>6}{texts}{ends}")
