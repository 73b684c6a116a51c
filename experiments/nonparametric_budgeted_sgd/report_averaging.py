"""What averaging the models of a pass gains on a budget, from results/averaging.csv."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..common import deviation, pyplot, report

BUDGET = 100
SNAPSHOTS = 200  # in the mean that is meant
KINDS = {  # what is served, by the value of `average`
    "last": False,
    "last half": True,
    "last tenth": 0.1,
    "all": 1.0,
    "random": "random",
}
PROBLEMS = {"checkerboard": 2, "waveform": 21}  # features
METHODS = {"merge": "bsgd-merge", "projection": "bsgd-project", "removal": "bsgd-smallest"}


def key_of(record: dict) -> tuple:
    """What names a cell."""
    return record["set"], record["method"]


def show(records: list[dict]) -> None:
    """Print one line for each kind of average; then whether the claim holds."""
    print(
        f"\n{'set':13}{'maintenance':12}{'served':11}{'accuracy':>15}{'least':>8}{'gain':>15}{'SVs':>6}"
        f"{'seconds':>9}{'gamma':>8}"
    )
    for record in sorted(records, key=lambda r: (r["set"], list(METHODS).index(r["method"]))):
        last = np.array(record["kinds"]["last"]["accuracy"])
        for kind, results in record["kinds"].items():
            scores = np.array(results["accuracy"])
            gain = scores - last
            error = deviation(list(gain)) / len(gain) ** 0.5
            told = "" if kind == "last" else f"{gain.mean():+8.2f} ±{error:.2f}"
            print(
                f"{record['set']:13}{record['method']:12}{kind:11}"
                f"{scores.mean():8.2f} ±{deviation(list(scores)):5.2f}{scores.min():8.2f}{told:>15}"
                f"{max(results['size']):6}{np.mean(results['seconds']):9.3f}{record['gamma']:8.4g}"
            )
        more = np.array(record["meant"]) - last
        print(
            f"{record['set']:13}{record['method']:12}{f'{SNAPSHOTS} models':11}"
            f"{np.mean(record['meant']):8.2f} ±{deviation(record['meant']):5.2f}{min(record['meant']):8.2f}"
            f"{f'{more.mean():+8.2f} ±{deviation(list(more)) / len(more) ** 0.5:.2f}':>15}"
            f"{'-':>6}{'off':>9}{100 * record['off']:7.1f}%"
        )
    print_claim(records)


def print_claim(records: list[dict]) -> None:
    """Whether it holds."""
    kept = all(max(results["size"]) <= BUDGET for r in records for results in r["kinds"].values())
    print("\nthe mean of the last half against the last model:")
    for record in records:
        gain = np.mean(record["kinds"]["last half"]["accuracy"]) - np.mean(
            record["kinds"]["last"]["accuracy"]
        )
        words = "at least as accurate" if gain >= 0 else "LESS accurate"
        print(f"  {record['set']}, {record['method']}: {words} ({gain:+.2f})")
    print(f"no model has more than {BUDGET} support vectors: {'yes' if kept else 'NO'}")


def draw(records: list[dict], folder: Path) -> None:
    """The accuracies of all runs."""
    plt = pyplot()
    if plt is None:
        return

    figure, axes = plt.subplots(1, len(PROBLEMS), figsize=(12, 4.5), squeeze=False)
    for axis, name in zip(axes[0], PROBLEMS, strict=True):
        mine = [record for method in METHODS for record in records if key_of(record) == (name, method)]
        for i, record in enumerate(mine):
            for j, (kind, results) in enumerate(record["kinds"].items()):
                at = i + 0.15 * (j - 2)
                scores = results["accuracy"]
                axis.plot([at] * len(scores), scores, ".", color=f"C{j}", alpha=0.5)
                axis.plot(
                    at, np.mean(scores), "_", color=f"C{j}", markersize=14, label=kind if i == 0 else None
                )
        axis.set_xticks(range(len(mine)), [record["method"] for record in mine])
        axis.set(title=f"{name}, B = {BUDGET}", ylabel="accuracy (%)")
        axis.grid(alpha=0.3)
        axis.legend(title="model used")
    figure.tight_layout()
    path = folder / "averaging.png"
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


if __name__ == "__main__":
    report(__file__, __doc__, "averaging.csv", show, draw)
