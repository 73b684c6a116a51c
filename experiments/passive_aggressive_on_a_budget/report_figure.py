"""The figure of "Online Passive-Aggressive Algorithms on a Budget" from results/figure.csv."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ..common import pyplot, report

LINES = ("pa", "pa-ramp", "bpa-s", "bpa-s-ramp", "bpa-nn", "bpa-nn-ramp", "bpa-p", "bpa-p-ramp")
GROWTH = ("bpa-s", "bpa-nn", "bpa-p")  # whose time is measured at more budgets
GROWTH_BUDGETS = (100, 200, 400, 800)


def key_of(record: dict) -> tuple:
    """What names a run."""
    return record["part"], record["method"], record["budget"]


def name_of(record: dict) -> str:
    return record["method"] + (f", B = {record['budget']}" if record["budget"] else "")


def order_of(record: dict) -> tuple:
    return LINES.index(record["method"]), record["budget"] or 0


def slope(x, y) -> float:
    """That of a straight line through the logarithms: 1 is linear growth, 2 quadratic."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def fitted(points: list[dict], against: str) -> float:
    """The slope over the last tenfold of the stream."""
    late = [point for point in points if 10 * point["rows"] >= points[-1]["rows"]]
    return slope([point[against] for point in late], [point["seconds"] for point in late])


def bend(points: list[dict]) -> float:
    """The greatest distance of the times from a straight line in the rows, as a share of the last time."""
    rows, seconds = (np.array([point[key] for point in points]) for key in ("rows", "seconds"))
    first, rest = np.polynomial.polynomial.polyfit(rows, seconds, 1)
    return float(np.abs(first + rest * rows - seconds).max() / seconds[-1])


def show(records: list[dict]) -> None:
    """Print the panels as numbers."""
    curves = sorted((r for r in records if r["part"] == "curve"), key=order_of)
    print(
        f"\n{'':22}{'gamma':>8}{'C':>9}{'rows':>9}{'labels':>9}{'updates':>9}{'seconds':>9}"
        f"{'slope':>7}{'by updates':>12}{'bend':>7}"
    )
    for record in curves:
        last = record["points"][-1]
        print(
            f"{name_of(record):22}{record['gamma']:8.4g}{record['C']:9.4g}{last['rows']:9}{last['queries']:9}"
            f"{last['updates']:9}{last['seconds']:9.3f}{fitted(record['points'], 'rows'):7.2f}"
            f"{fitted(record['points'], 'updates'):12.2f}{100 * bend(record['points']):6.0f}%"
        )
    print("slope: of log seconds against log rows over the last tenfold, 1 is linear, 2 quadratic;")
    print(
        "by updates: against log updates, which get rarer; bend: the greatest distance from a straight line"
    )
    rows = sorted({point["rows"] for r in curves for point in r["points"] if r["budget"]})
    steps = rows[2:-1:2] + rows[-1:]
    print(f"\naccuracy after so many rows\n{'':22}" + "".join(f"{n:>9}" for n in steps))
    for record in curves:
        found = {point["rows"]: point["accuracy"] for point in record["points"]}
        print(f"{name_of(record):22}" + "".join(f"{found.get(n, math.nan):9.2f}" for n in steps))
    print("\nlabels queried and accuracy")
    for record in curves:
        told = (f"{point['queries']}: {point['accuracy']:.2f}" for point in record["points"][2::3])
        print(f"{name_of(record):22}" + "  ".join(told))
    grown = [record for record in records if record["part"] == "growth"]
    if grown:
        print_growth(grown)


def print_growth(records: list[dict]) -> None:
    """Time against the budget, with the line `first + rest * B` through it."""
    print("\nmicroseconds per update at a budget of")
    print(f"{'':10}" + "".join(f"{budget:8}" for budget in GROWTH_BUDGETS) + f"{'slope':>8}   fitted line")
    for method in GROWTH:
        mine = sorted((r for r in records if r["method"] == method), key=lambda r: r["budget"])
        if len(mine) < 3:
            continue
        budgets = np.array([record["budget"] for record in mine])
        micros = np.array([1e6 * record["seconds"] / record["updates"] for record in mine])
        rest, first = np.polyfit(budgets, micros, 1)
        off = np.abs(first + rest * budgets - micros).max() / micros.max()
        print(
            f"{method:10}" + "".join(f"{value:8.3f}" for value in micros) + f"{slope(budgets, micros):8.2f}"
            f"   {first:.2f} + {1000 * rest:.2f} B/1000, off by {100 * off:.0f}% of the largest at most"
        )


def draw(records: list[dict], folder: Path) -> None:
    """The four panels."""
    plt = pyplot()
    if plt is None:
        return

    found = {key_of(record): record for record in records}
    unbounded = [("pa", None), ("pa-ramp", None)]
    both = {
        method: [(method + form, budget) for form in ("", "-ramp") for budget in (100, 200)]
        for method in ("bpa-nn", "bpa-p")
    }
    panels = [
        ("(a) time", "rows", "seconds", [*unbounded, *both["bpa-nn"], *both["bpa-p"]]),
        ("(b) BPA-P", "rows", "accuracy", [*unbounded, *both["bpa-p"]]),
        ("(c) BPA-NN", "rows", "accuracy", [*unbounded, *both["bpa-nn"]]),
        ("(d) labels", "queries", "accuracy", [*unbounded, ("bpa-p", 200), ("bpa-p-ramp", 200)]),
    ]
    words = {
        "rows": "rows seen",
        "seconds": "training time (seconds)",
        "accuracy": "accuracy on clean rows (%)",
        "queries": "labels queried",
    }
    names = [*unbounded, *both["bpa-nn"], *both["bpa-p"]]
    colours = {"pa": "black", "pa-ramp": "grey"}
    colours |= {"bpa-nn": "C0", "bpa-nn-ramp": "C2"}
    colours |= {"bpa-p": "C1", "bpa-p-ramp": "C4"}
    figure, axes = plt.subplots(2, 2, figsize=(12, 9))
    for axis, (title, across, up, shown) in zip(axes.flat, panels, strict=True):
        for key in names:
            record = found.get(("curve", *key))
            if key not in shown or record is None:
                continue
            points = [point for point in record["points"] if point["rows"] >= 100]
            style = {"color": colours[key[0]], "linestyle": "--" if key[1] == 100 else "-"}
            axis.plot(
                [point[across] for point in points],
                [point[up] for point in points],
                marker="o" if key[1] is None else None,
                markersize=3,
                label=name_of(record),
                **style,
            )
        axis.set(title=title, xlabel=words[across], ylabel=words[up], xscale="log")
        if up == "seconds":
            axis.set_yscale("log")
        else:
            axis.set_ylim(bottom=75, top=100)
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    figure.suptitle("noisy checkerboard: 15% of the training labels are wrong")
    figure.tight_layout()
    path = folder / "passive_aggressive.png"
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


if __name__ == "__main__":
    report(__file__, __doc__, "figure.csv", show, draw)
