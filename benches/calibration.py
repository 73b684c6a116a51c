"""Are the probabilities of `BSGDClassifier(loss="log_loss")` to be believed?

A9A (who earns more than 50,000 dollars a year) and IJCNN (first 35,000 training rows, 30,000 test rows),
attributes standardised by the training rows. One pass in float32 with 500 support vectors, merged or
projected; gamma from {1/4, 1, 4, 16}/d and alpha from {1e-3, ..., 1e-6} by the log loss on a fifth of 10,000
training rows, for each model. "-average" is the mean of the models of the last half in place of the last
model, "unbounded" keeps every support vector. Beside them scikit-learn's LogisticRegression on all
training rows, and its SVC on 8,000 of them, with the sigmoid that CalibratedClassifierCV fits to its scores.

Test rows are put into ten bins by the predicted probability: where it can be believed, the share of positive
rows in a bin is the mean probability there. Brier score and log loss are means over the test rows; ECE is the
mean distance of share and probability over the bins, weighted by rows; "slope" is that of a logistic
regression of the label on the logit of the probability: 1 is right, below it the model is too sure of itself.
All probabilities are of the second class, and clipped to 1e-6 .. 1 - 1e-6 for the log loss.

What one sees: on A9A the probabilities are off by two hundredths in the mean, a little shy at both ends,
and projection with averaging is nearly as good as logistic regression; but the mean of merged models is too
high by up to a fifth. On IJCNN, where the classes are one to nine, accuracy is better than that of logistic
regression, but the probabilities are far too shy: the model has no intercept, so that a row far from all
support vectors is given 1/2 where one tenth is right.

Finished models are appended to OUT/calibration.jsonl; table and picture are made from all found there.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import REPOSITORY, Stopwatch, data_folder, load, pyplot, read_cells, run_cells, standardise

PROBLEMS = {  # features, training rows and test rows at most
    "a9a": (123, 32_561, 16_281),
    "ijcnn1": (22, 35_000, 30_000),
}
WIDTHS = (0.25, 1, 4, 16)  # gamma times d
ALPHAS = (1e-3, 1e-4, 1e-5, 1e-6)
BUDGET = 500
CHOICE_ROWS = 10_000  # a fifth of them held out
SVC_ROWS = 8_000
SVC_COSTS = (0.25, 1.0, 4.0)
BINS = 10
TINY = 1e-6
OURS: dict[str, dict[str, Any]] = {
    "merge": {"maintenance": "merge"},
    "merge-average": {"maintenance": "merge", "average": True},
    "project": {"maintenance": "project"},
    "project-average": {"maintenance": "project", "average": True},
    "unbounded": {"maintenance": "none"},
}
MODELS = (*OURS, "logistic", "svc")

Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Cell:
    """One model of one set."""

    problem: str
    model: str
    most: int | None  # rows at most, of each part


@functools.lru_cache(maxsize=1)
def rows(name: str, most: int | None) -> tuple[Rows, Rows]:
    """Training rows in a random order and test rows, standardised; labels 0 and 1."""
    d, *limits = PROBLEMS[name]
    parts = []
    for part, limit in zip(("train", "test"), limits, strict=True):
        x, y = load(f"{name}.{part}", d)
        order = np.random.default_rng(0).permutation(limit)[:most]
        parts.append((x[order], (y[order] > 0).astype(np.int64)))
    standardise(parts[0][0], parts[1][0])
    return parts[0], parts[1]


def log_loss(p: np.ndarray, y: np.ndarray) -> float:
    p = np.clip(p, TINY, 1 - TINY)
    return float(-np.where(y == 1, np.log(p), np.log1p(-p)).mean())


def new_model(cell: Cell, gamma: float, cost: float) -> Any:
    """An estimator; `cost` is alpha for ours and C for the SVC."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.svm import SVC

    from budgetrs import BSGDClassifier

    if cell.model == "svc":
        return CalibratedClassifierCV(SVC(gamma=gamma, C=cost), method="sigmoid", cv=5, ensemble=False)
    budget = None if cell.model == "unbounded" else BUDGET
    own = OURS[cell.model]
    return BSGDClassifier(budget, loss="log_loss", alpha=cost, gamma=gamma, random_state=0, **own)


def choose(cell: Cell, train: Rows) -> tuple[float, float]:
    """gamma and cost of the least log loss on held-out training rows."""
    rows_of_choice = SVC_ROWS // 4 if cell.model == "svc" else CHOICE_ROWS
    x, y = (part[:rows_of_choice] for part in train)
    at = len(x) * 4 // 5
    found = {}
    for width, cost in itertools.product(WIDTHS, SVC_COSTS if cell.model == "svc" else ALPHAS):
        model = new_model(cell, width / x.shape[1], cost).fit(x[:at], y[:at])
        found[width / x.shape[1], cost] = log_loss(model.predict_proba(x[at:])[:, 1], y[at:])
    return min(found, key=found.__getitem__)


def run(cell: Cell) -> dict:
    """Trains a model, and compares its probabilities with the labels of the test rows."""
    from sklearn.linear_model import LogisticRegression

    train, (x_test, y_test) = rows(cell.problem, cell.most)
    x, y = (part[:SVC_ROWS] for part in train) if cell.model == "svc" else train
    if cell.model == "logistic":
        gamma = cost = None
        model = LogisticRegression(max_iter=1_000)
    else:
        gamma, cost = choose(cell, train)
        model = new_model(cell, gamma, cost)
    watch = Stopwatch(time.process_time)
    with watch:
        model.fit(x, y)
    p = np.asarray(model.predict_proba(x_test), np.float64)[:, 1]
    bins = np.minimum((BINS * p).astype(int), BINS - 1)
    counts = np.bincount(bins, minlength=BINS)
    totals = [np.bincount(bins, values, BINS) for values in (p, y_test)]
    return {
        "set": cell.problem,
        "model": cell.model,
        "rows": len(x),
        "gamma": gamma,
        "cost": cost,
        "size": getattr(model, "n_support_vectors_", None),
        "seconds": watch.seconds,
        "accuracy": 100.0 * float(((p > 0.5) == y_test).mean()),
        "brier": float(((p - y_test) ** 2).mean()),
        "log_loss": log_loss(p, y_test),
        "ece": float(np.abs(totals[0] - totals[1]).sum() / len(p)),
        "slope": slope(p, y_test),
        "counts": counts.tolist(),
        "sums": [total.tolist() for total in totals],
    }


def slope(p: np.ndarray, y: np.ndarray) -> float:
    """Of the logistic regression of the labels on the logits."""
    from sklearn.linear_model import LogisticRegression

    p = np.clip(p, TINY, 1 - TINY)
    logits = np.log(p / (1 - p))[:, None]
    return float(LogisticRegression(C=1e6).fit(logits, y).coef_[0, 0])


def key_of(record: dict) -> tuple:
    """What names a model."""
    return record["set"], record["model"]


def print_table(records: list[dict]) -> None:
    """The scores of each model, then its reliability curve."""
    for name in PROBLEMS:
        mine = [record for model in MODELS for record in records if key_of(record) == (name, model)]
        if not mine:
            continue
        print(
            f"\n{name}\n{'model':16}{'rows':>8}{'SVs':>7}{'seconds':>9}{'accuracy':>10}{'Brier':>9}"
            f"{'log loss':>10}{'ECE':>8}{'slope':>7}{'gamma':>9}{'alpha, C':>10}"
        )
        for r in mine:
            chosen = "" if r["gamma"] is None else f"{r['gamma']:9.4g}{r['cost']:10.3g}"
            print(
                f"{r['model']:16}{r['rows']:8}{r['size'] or '-':>7}{r['seconds']:9.2f}{r['accuracy']:10.2f}"
                f"{r['brier']:9.4f}{r['log_loss']:10.4f}{r['ece']:8.4f}{r['slope']:7.2f}{chosen}"
            )
        print(f"\nshare of positive rows / mean probability, and rows, by bin\n{'bin':7}", end="")
        print("".join(f"{record['model']:>19}" for record in mine))
        for i in range(BINS):
            print(f"{i / BINS:.1f}-{(i + 1) / BINS:.1f}", end="")
            print("".join(f"{of_bin(record, i):>19}" for record in mine))


def of_bin(record: dict, i: int) -> str:
    n = record["counts"][i]
    if n == 0:
        return "-"
    predicted, positive = (total[i] / n for total in record["sums"])
    return f"{positive:.3f}/{predicted:.3f}{n:6}"


def draw(records: list[dict], path: Path) -> None:
    """The reliability curves."""
    plt = pyplot()
    if plt is None:
        return

    figure, axes = plt.subplots(1, len(PROBLEMS), figsize=(12, 5.5))
    for axis, name in zip(axes, PROBLEMS, strict=True):
        axis.plot([0, 1], [0, 1], color="grey", linestyle=":", label="to be believed")
        for record in (r for model in MODELS for r in records if key_of(r) == (name, model)):
            n = np.array(record["counts"])
            predicted, positive = (np.array(total)[n > 0] / n[n > 0] for total in record["sums"])
            label = f"{record['model']}, Brier {record['brier']:.4f}"
            axis.plot(predicted, positive, marker="o", markersize=4, label=label)
        axis.set(title=name, xlabel="mean predicted probability", ylabel="share of positive test rows")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


def tell(record: dict) -> str:
    """One line of a finished model."""
    return f"{record['set']} {record['model']}: Brier {record['brier']:.4f}, ECE {record['ece']:.4f}"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    many = {"nargs": "+", "metavar": "NAME"}
    parser.add_argument("--sets", **many, choices=PROBLEMS, default=list(PROBLEMS), help=", ".join(PROBLEMS))
    parser.add_argument("--models", **many, choices=MODELS, default=list(MODELS), help=", ".join(MODELS))
    parser.add_argument("--quick", action="store_true", help="1,000 rows: does it run?")
    parser.add_argument("--report", action="store_true", help="run nothing, report what is in OUT")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "out")
    options = parser.parse_args()
    options.most = None
    if options.quick:
        options.most, options.out = 1_000, options.out / "quick"
    return options


def main() -> None:
    options = parse()
    path = options.out / "calibration.jsonl"
    cells = []
    for name in options.sets if not options.report else ():
        lost = [f"{name}.{part}.libsvm.xz" for part in ("train", "test")]
        lost = [file for file in lost if not (data_folder() / file).is_file()]
        if lost:
            print(f"{name} is left out: {lost[0]} is missing")
            continue
        cells += [Cell(name, model, options.most) for model in options.models]
    failed = run_cells(run, cells, path, options.jobs, tell)
    records = read_cells(path, key_of)
    if records:
        print_table(records)
        draw(records, path.with_suffix(".png"))
    if failed:
        raise SystemExit(f"{failed} models failed")


if __name__ == "__main__":
    main()
