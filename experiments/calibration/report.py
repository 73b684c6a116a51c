"""The calibration of `predict_proba` from results/calibration.csv."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..common import pyplot, report

PROBLEMS = {  # features, training rows and test rows at most
    "a9a": (123, 32_561, 16_281),
    "ijcnn1": (22, 35_000, 30_000),
}
BINS = 10
OURS: dict[str, dict[str, Any]] = {
    "merge": {"maintenance": "merge"},
    "merge-average": {"maintenance": "merge", "average": True},
    "project": {"maintenance": "project"},
    "project-average": {"maintenance": "project", "average": True},
    "unbounded": {"maintenance": "none"},
}
MODELS = (*OURS, "logistic", "svc")


def key_of(record: dict) -> tuple:
    """What names a model."""
    return record["set"], record["model"]


def show(records: list[dict]) -> None:
    """Print the scores of each model, then its reliability curve."""
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


def draw(records: list[dict], folder: Path) -> None:
    """The reliability curves."""
    plt = pyplot()
    if plt is None:
        return

    figure, axes = plt.subplots(1, len(PROBLEMS), figsize=(12, 5.5))
    for axis, name in zip(axes, PROBLEMS, strict=True):
        axis.plot([0, 1], [0, 1], color="grey", linestyle=":", label="calibrated")
        for record in (r for model in MODELS for r in records if key_of(r) == (name, model)):
            n = np.array(record["counts"])
            predicted, positive = (np.array(total)[n > 0] / n[n > 0] for total in record["sums"])
            label = f"{record['model']}, Brier {record['brier']:.4f}"
            axis.plot(predicted, positive, marker="o", markersize=4, label=label)
        axis.set(title=name, xlabel="mean predicted probability", ylabel="share of positive test rows")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.tight_layout()
    path = folder / "calibration.png"
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


if __name__ == "__main__":
    report(__file__, __doc__, "calibration.csv", show, draw)
