"""The tables and figures of multiclass_pegasos.py: ours beside the paper's."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

METHODS = {
    "unbounded": "pegasos",
    "random": "bsgd-random",
    "smallest": "bsgd-smallest",
    "project": "bsgd-project",
    "project-best": "bsgd-project-best",
    "merge": "bsgd-merge",
}
VARIANTS = {
    "paper": "alpha = 1e-4, ball off",
    "alpha": "alpha chosen, ball off",
    "ball": "alpha = 1e-4, ball on",
}
PAPER = {  # test accuracy in %: B = 100, B = 500; unbounded
    "usps": {
        "unbounded": 94.2,
        "random": (78.3, 88.5),
        "smallest": (78.6, 89.4),
        "project": (90.5, 92.4),
        "merge": (92.0, 93.9),
    },
    "letter": {
        "unbounded": 95.7,
        "random": (39.9, 68.1),
        "smallest": (41.7, 68.5),
        "project": (76.3, 87.3),
        "merge": (72.0, 89.5),
    },
    "covertype": {
        "unbounded": 81.1,
        "random": (58.1, 61.6),
        "smallest": (57.5, 62.3),
        "project": (70.1, 74.9),
        "merge": (72.0, 76.8),
    },
    "waveform": {
        "unbounded": 86.1,
        "random": (79.1, 82.7),
        "smallest": (79.1, 82.9),
        "project": (85.0, 86.1),
        "merge": (85.9, 86.9),
    },
    "checkerboard": {
        "unbounded": 99.2,
        "random": (83.6, 90.3),
        "smallest": (83.9, 90.9),
        "project": (98.2, 99.0),
        "merge": (99.5, 99.8),
    },
}


def paper_cell(record: dict) -> float | None:
    """The paper's accuracy of a cell, where it has one."""
    value = PAPER[record["set"]].get(record["method"])
    if record["method"] == "unbounded" or value is None:
        return value
    return dict(zip((100, 500), value, strict=True)).get(record["budget"])


def key_of(record: dict) -> tuple:
    """What names a cell."""
    return record["variant"], record["set"], record["method"], record["budget"]


def order_of(record: dict) -> tuple:
    variant, name, method = list(VARIANTS), list(PAPER), list(METHODS)
    return (
        variant.index(record["variant"]),
        name.index(record["set"]),
        record["budget"] or 0,
        method.index(record["method"]),
    )


def print_tables(records: list[dict]) -> None:
    """One table to the variant; LOW marks a cell more than one point below the paper's."""
    previous = None
    for record in sorted(records, key=order_of):
        if record["variant"] != previous:
            previous = record["variant"]
            print(f"\n{previous}: {VARIANTS[previous]}")
            print(
                f"{'set':13}{'B':>5} {'method':13}{'accuracy':>13}{'paper':>7}{'diff':>7}     "
                f"{'gamma':>8}{'alpha':>7}{'rows':>10}{'SVs':>7}{'seconds':>9}{'mean WD':>9}{'grad err':>9}"
            )
        paper, low = paper_cell(record), ""
        beside = 14 * " "
        if paper is not None:
            difference = record["accuracy"] - paper
            beside = f"{paper:7.1f}{difference:+7.2f}"
            low = "LOW" if difference < -1.0 else ""
        print(
            f"{record['set']:13}{record['budget'] or '-':>5} {record['method']:13}"
            f"{record['accuracy']:7.2f} ±{record['sd']:5.2f}{beside} {low:3} "
            f"{record['gamma']:8.4g}{record['alpha']:7.0e}{record['n_seen']:10.0f}"
            f"{record['n_support_vectors']:7.0f}{record['seconds']:9.2f}"
            f"{record['mean_weight_degradation']:9.4f}{record['gradient_error']:9.5f}"
        )


def write_csv(records: list[dict], path: Path) -> None:
    """One line to the cell."""
    skipped = ("choices", "curve", "accuracies")
    with path.open("w", newline="") as file:
        names = [name for name in records[0] if name not in skipped]
        writer = csv.DictWriter(file, [*names, "paper"], extrasaction="ignore")
        writer.writeheader()
        for record in sorted(records, key=order_of):
            writer.writerow({**record, "paper": paper_cell(record)})


def draw(records: list[dict], out: Path) -> None:
    """The paper's three figures, from the first repetition of each cell."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no figures: matplotlib is missing")
        return
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    cells = {key_of(record): record for record in records}
    for number, name in ((1, "checkerboard"), (2, "waveform")):
        figure, axes = plt.subplots(figsize=(6, 4.5))
        for method in METHODS:
            record = cells.get(("paper", name, method, None if method == "unbounded" else 100))
            if record:
                n, score, _ = zip(*record["curve"], strict=True)
                axes.semilogx(n, np.array(score) / 100, label=method)
        axes.set(xlabel="length of data sequence", ylabel="accuracy", title=f"{name}, B = 100")
        finish(figure, axes, out / f"figure{number}_{name}.png")
    figure, axes = plt.subplots(figsize=(6, 4.5))
    for method, budget in (
        ("project", 100),
        ("project", 500),
        ("merge", 100),
        ("merge", 500),
        ("unbounded", None),
    ):
        record = cells.get(("paper", "waveform", method, budget))
        if record:
            n, _, seconds = zip(*record["curve"], strict=True)
            axes.loglog(n, seconds, label=f"{method}, B = {budget}" if budget else method)
    axes.set(xlabel="length of data sequence", ylabel="training time (seconds)", title="waveform")
    finish(figure, axes, out / "figure3_time.png")


def finish(figure, axes, path: Path) -> None:
    if axes.lines:
        axes.grid(alpha=0.3)
        axes.legend()
        figure.tight_layout()
        figure.savefig(path, dpi=120)
        print(f"wrote {path}")
