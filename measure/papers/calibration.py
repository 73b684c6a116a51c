"""How well calibrated are the probabilities of `BSGDClassifier(loss="log_loss")`? (No paper.)"""

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np

from ..cells import Options, Output, Record, table
from ..clock import seconds
from ..data import load, standardise
from ._common import Part, pyplot

RECORDS = "calibration.csv"
SETS = {"a9a": (32_561, 16_281), "ijcnn1": (35_000, 30_000)}  # training and test rows
OURS: dict[str, dict[str, Any]] = {
    "merge": {"maintenance": "merge"},
    "merge-average": {"maintenance": "merge", "average": True},
    "project": {"maintenance": "project"},
    "project-average": {"maintenance": "project", "average": True},
}
MODELS = (*OURS, "logistic")
WIDTHS = (0.25, 1, 4, 16)  # gamma times d
ALPHAS = (1e-3, 1e-4, 1e-5, 1e-6)
BUDGET, BINS, TINY = 500, 10, 1e-6
CHOICE_ROWS = 10_000
OPTIONS = {
    "sets": (tuple(SETS), "sets"),
    "models": (MODELS, "models"),
    "most": (int, "rows of each part at most"),
}
QUICK = {"sets": ["a9a"], "models": ["merge"], "most": 500}
COLUMNS = (
    *(("model", -16, "{model}"), ("rows", 8, "{rows}"), ("SVs", 7, "{size:d}")),
    *(("seconds", 9, "{seconds:.2f}"), ("accuracy", 10, "{accuracy:.2f}"), ("Brier", 9, "{brier:.4f}")),
    *(("log loss", 10, "{log_loss:.4f}"), ("ECE", 8, "{ece:.4f}"), ("slope", 7, "{slope:.2f}")),
    *(("gamma", 9, "{gamma:.4g}"), ("alpha", 10, "{cost:.3g}")),
)


@functools.lru_cache(maxsize=1)
def rows(name: str, most: int | None) -> tuple[Part, Part]:
    """Training rows in a random order and test rows, standardised; labels 0 and 1."""
    parts = []
    for part, limit in zip(("train", "test"), SETS[name], strict=True):
        x, y = load(f"{name}.{part}")
        order = np.random.default_rng(0).permutation(limit)[:most]
        parts.append((x[order], (y[order] > 0).astype(np.int64)))
    standardise(parts[0][0], parts[1][0])
    return parts[0], parts[1]


def log_loss(p: np.ndarray, y: np.ndarray) -> float:
    p = np.clip(p, TINY, 1 - TINY)
    return float(-np.where(y == 1, np.log(p), np.log1p(-p)).mean())


def new_model(name: str, gamma: float, alpha: float) -> Any:
    from budgetrs import BSGDClassifier

    known = {"loss": "log_loss", "random_state": 0}
    return BSGDClassifier(BUDGET, alpha=alpha, gamma=gamma, **known, **OURS[name])


def choose(name: str, train: Part) -> tuple[float, float]:
    """gamma and alpha of the least log loss on a fifth of some training rows."""
    x, y = (part[:CHOICE_ROWS] for part in train)
    cut, found = len(x) * 4 // 5, {}
    for width, alpha in itertools.product(WIDTHS, ALPHAS):
        model = new_model(name, width / x.shape[1], alpha).fit(x[:cut], y[:cut])
        found[width / x.shape[1], alpha] = log_loss(model.predict_proba(x[cut:])[:, 1], y[cut:])
    return min(found, key=found.__getitem__)


def cells(options: Options) -> list[Record]:
    most = {"most": options.most} if options.most else {}
    return [{"set": name, "model": model, **most} for name in options.sets for model in options.models]


def run(cell: Record) -> Record:
    """Train a model, and compare its probabilities with the labels of the test rows."""
    from sklearn.linear_model import LogisticRegression

    name, (train, (x_test, y_test)) = cell["model"], rows(cell["set"], cell.get("most"))
    gamma, cost = (None, None) if name == "logistic" else choose(name, train)
    model = LogisticRegression(max_iter=1_000) if gamma is None else new_model(name, gamma, cost)
    took = seconds(model.fit, *train)
    p = np.asarray(model.predict_proba(x_test), np.float64)[:, 1]
    bins = np.minimum((BINS * p).astype(int), BINS - 1)
    totals = [np.bincount(bins, values, BINS) for values in (p, y_test)]
    logits = np.log(np.clip(p, TINY, 1 - TINY) / (1 - np.clip(p, TINY, 1 - TINY)))[:, None]
    about = {"rows": len(train[0]), "gamma": gamma, "cost": cost, "seconds": took}
    return about | {
        "size": getattr(model, "n_support_vectors_", None),
        "accuracy": 100.0 * float(((p > 0.5) == y_test).mean()),
        "brier": float(((p - y_test) ** 2).mean()),
        "log_loss": log_loss(p, y_test),
        "ece": float(np.abs(totals[0] - totals[1]).sum() / len(p)),
        "slope": float(LogisticRegression(C=1e6).fit(logits, y_test).coef_[0, 0]),
        "counts": np.bincount(bins, minlength=BINS).tolist(),
        "sums": [total.tolist() for total in totals],
    }


def of_set(records: list[Record], name: str) -> list[Record]:
    return sorted((r for r in records if r["set"] == name), key=lambda record: MODELS.index(record["model"]))


def report(records: list[Record], output: Output) -> None:
    """The scores of each model, then its reliability curve."""

    def of_bin(record: Record, i: int) -> str:
        n = record["counts"][i]
        predicted, positive = (total[i] / max(n, 1) for total in record["sums"])
        return f"{positive:.3f}/{predicted:.3f}{n:6}" if n else "-"

    for name in dict.fromkeys(record["set"] for record in records):
        mine = of_set(records, name)
        output.print((f"\n{name}", *table(COLUMNS, mine)))
        output("\nshare of positive rows / mean probability, and rows, by bin")
        output(f"{'bin':7}" + "".join(f"{record['model']:>19}" for record in mine))
        for i in range(BINS):
            bins = "".join(f"{of_bin(record, i):>19}" for record in mine)
            output(f"{i / BINS:.1f}-{(i + 1) / BINS:.1f}{bins}")


def draw(records: list[Record], folder: Path) -> None:
    """The reliability curves."""
    figure, axes = pyplot().subplots(1, len(SETS), figsize=(12, 5.5))
    for axis, name in zip(axes, SETS, strict=True):
        axis.plot([0, 1], [0, 1], color="grey", linestyle=":", label="calibrated")
        for record in of_set(records, name):
            n = np.array(record["counts"])
            predicted, positive = (np.array(total)[n > 0] / n[n > 0] for total in record["sums"])
            label = f"{record['model']}, Brier {record['brier']:.4f}"
            axis.plot(predicted, positive, marker="o", markersize=4, label=label)
        axis.set(title=name, xlabel="mean predicted probability", ylabel="share of positive test rows")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.tight_layout()
    figure.savefig(folder / "calibration.png", dpi=120)
