"""Figures 1 and 2 of "Nonparametric Budgeted Stochastic Gradient Descent" from results/figures.csv."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..common import pyplot, report
from .data import PROBLEMS

SIZES = {"a9a": 3_559, "ijcnn1": 759}  # the paper's, of NBSGD
LINES = {"SGD": "sgd", "BSGD": "bsgd-removal", "NBSGD": "nbsgd-removal"}


def key_of(record: dict) -> tuple:
    """What names a run."""
    return record["part"], record["set"], record["seed"]


def mean_curve(records: list[dict], line: str, key: str) -> np.ndarray:
    """The mean over the permutations."""
    return np.mean([[point[key] for point in record[line]] for record in records], axis=0)


def show(records: list[dict]) -> None:
    """Print the curves as numbers."""
    for name in SIZES:
        mine = [record for record in records if record["part"] == "curves" and record["set"] == name]
        if not mine:
            continue
        head = mine[0]
        print(
            f"\n{PROBLEMS[name].title}: gamma {head['gamma']:.4g}, lambda {head['alpha']:.4g}, BSGD B = "
            f"{head['size']}, NBSGD B = {head['budget']}, mean of {len(mine)} permutations"
        )
        print(f"{'rows':>8}" + "".join(f"{line:>10}{'SVs':>8}{'seconds':>9}{'acc.':>7}" for line in LINES))
        for i, point in enumerate(head["SGD"]):
            cells = "".join(
                f"{mean_curve(mine, line, 'objective')[i]:10.4f}{mean_curve(mine, line, 'size')[i]:8.0f}"
                f"{mean_curve(mine, line, 'seconds')[i]:9.3f}{mean_curve(mine, line, 'accuracy')[i]:7.2f}"
                for line in LINES
            )
            print(f"{point['rows']:8}{cells}")
        finals = {line: mean_curve(mine, line, "objective")[-1] for line in LINES}
        print("objective at the end, from the best: " + ", ".join(sorted(finals, key=finals.__getitem__)))
    swept = [record for record in records if record["part"] == "beta"]
    if swept:
        print(
            f"\n{PROBLEMS['ijcnn1'].title}, B = {swept[0]['budget']}\n{'beta':>8}{'SVs':>8}{'accuracy':>10}"
        )
        for i, point in enumerate(swept[0]["points"]):
            size, accuracy = (np.mean([r["points"][i][key] for r in swept]) for key in ("size", "accuracy"))
            print(f"{point['beta']:8.0f}{size:8.0f}{accuracy:10.2f}")


def draw(records: list[dict], folder: Path) -> None:
    """Figure 1, an objective for each set, and Figure 2, three panels."""
    plt = pyplot()
    if plt is None:
        return

    curves = {name: [r for r in records if r["part"] == "curves" and r["set"] == name] for name in SIZES}
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    for axis, (name, mine) in zip(axes, curves.items(), strict=True):
        plot(axis, mine, "objective", PROBLEMS[name].title, "objective")
        axis.set(xscale="log", yscale="log")
    save(figure, folder / "nonparametric_budget_figure1.png")
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.2))
    title = PROBLEMS["ijcnn1"].title
    plot(axes[0], curves["ijcnn1"], "size", title, "support vectors")
    plot(axes[1], curves["ijcnn1"], "seconds", title, "training time (seconds)")
    swept = [record for record in records if record["part"] == "beta"]
    if swept:
        plot_beta(axes[2], swept, title)
    save(figure, folder / "nonparametric_budget_figure2.png")


def plot(axis, records: list[dict], key: str, title: str, label: str) -> None:
    axis.set(title=title, xlabel="iterations", ylabel=label)
    axis.grid(alpha=0.3)
    if not records:
        return
    for line in LINES:
        axis.plot(mean_curve(records, line, "rows"), mean_curve(records, line, key), label=line)
    axis.legend()


def plot_beta(axis, records: list[dict], title: str) -> None:
    """Model size on the left axis, accuracy on the right one."""
    beta = [point["beta"] for point in records[0]["points"]]
    means = {
        key: np.mean([[point[key] for point in record["points"]] for record in records], axis=0)
        for key in ("size", "accuracy")
    }
    axis.plot(beta, means["size"], color="C0", marker="o", markersize=3)
    axis.set(title=f"{title}, B = {records[0]['budget']}", xlabel="beta", yscale="log")
    axis.set_ylabel("support vectors", color="C0")
    axis.grid(alpha=0.3)
    other = axis.twinx()
    other.plot(beta, means["accuracy"], color="C1", marker="s", markersize=3)
    other.set_ylabel("accuracy (%)", color="C1")


def save(figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


if __name__ == "__main__":
    report(__file__, __doc__, "figures.csv", show, draw)
