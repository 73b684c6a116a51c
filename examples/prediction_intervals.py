"""An interval instead of a number: where do nine of ten rows fall?

The quantile loss has its least mean at a quantile of y given x. Two regressors, for the quantiles 0.05 and
0.95, enclose nine of ten rows, wide where the rows scatter and narrow where they do not. Each learns in one
pass with a bounded number of support vectors; the mean of its models over the last half of the pass
(``average=True``) is steadier than the last of them. What is projected on the other vectors is projected in
that mean too, where merging would blur it.

Run with ``python examples/prediction_intervals.py [PICTURE]``. It needs scikit-learn beside budgetrs, and
draws with matplotlib where that is installed, into out/prediction_intervals.png unless told otherwise. With
BUDGETRS_DATA set to a folder that holds cadata.libsvm.xz the prices of Californian houses follow.
"""

from __future__ import annotations

import lzma
import os
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from budgetrs import BSGDRegressor

SEED = 0
LOW, HIGH = 0.05, 0.95


def interval(X: np.ndarray, y: np.ndarray, X_test: np.ndarray, **params) -> tuple[np.ndarray, np.ndarray]:
    """The lower and the upper end for each test row."""
    ends = []
    for quantile in (LOW, HIGH):
        model = BSGDRegressor(
            loss="quantile",
            quantile=quantile,
            maintenance="project",
            average=True,
            random_state=SEED,
            **params,
        )
        ends.append(model.fit(X, y).predict(X_test))
    return ends[0], ends[1]


def report(name: str, y: np.ndarray, low: np.ndarray, high: np.ndarray, fixed: np.ndarray) -> None:
    """Coverage and mean width: of all rows, of the third with the narrowest intervals, and of the widest.

    `fixed` are the quantiles of y itself, the interval of whoever does not look at x.
    """
    inside, width = (low <= y) & (y <= high), high - low
    inside_fixed = (fixed[0] <= y) & (y <= fixed[1])
    thirds = np.array_split(np.argsort(width), 3)
    print(f"\n{name}: {HIGH - LOW:.0%} of the rows are to fall inside")
    print(f"{'':18}{'coverage':>10}{'mean width':>12}{'fixed: coverage':>18}{'mean width':>12}")
    groups = (("all", np.arange(len(y))), ("narrowest third", thirds[0]), ("widest third", thirds[2]))
    for title, rows in groups:
        print(
            f"{title:18}{100 * inside[rows].mean():9.1f}%{width[rows].mean():12.3f}"
            f"{100 * inside_fixed[rows].mean():17.1f}%{fixed[1] - fixed[0]:12.3f}"
        )
    if (crossed := int((width < 0).sum())) > 0:
        print(f"the two ends have crossed in {crossed} of {len(y):,} rows")


def waves(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A sine whose noise grows from left to right: x, y and the standard deviation of the noise."""
    x = rng.uniform(0, 10, n)
    deviation = 0.1 + 0.06 * x
    return x[:, None], np.sin(x) + deviation * rng.standard_normal(n), deviation


def draw(path: Path, x: np.ndarray, y: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """The rows, the interval that was learned, and the true one."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no picture: matplotlib is missing")
        return
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    order = np.argsort(x[:, 0])
    at = x[order, 0]
    figure, axes = plt.subplots(figsize=(8, 4.5))
    axes.plot(at, y[order], ".", color="grey", markersize=2, alpha=0.5, label="test rows")
    axes.fill_between(at, low[order], high[order], alpha=0.4, label="learned 90% interval")
    for sign in (-1.645, 1.645):
        true = np.sin(at) + sign * (0.1 + 0.06 * at)
        axes.plot(at, true, "k--", linewidth=1, label="true 90% interval" if sign > 0 else None)
    axes.set(xlabel="x", ylabel="y")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


def houses() -> tuple[np.ndarray, ...] | None:
    """Training and test inputs and prices, standardised, or None where there is no file."""
    path = Path(os.environ.get("BUDGETRS_DATA", ".")) / "cadata.libsvm.xz"
    if not path.is_file():
        print("\nno houses: BUDGETRS_DATA names no folder with cadata.libsvm.xz")
        return None
    with lzma.open(path) as file:
        rows, prices = load_svmlight_file(file, n_features=8)
    X, X_test, y, y_test = train_test_split(rows.toarray(), prices / 1e5, random_state=SEED)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test), y, y_test


def main() -> None:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/prediction_intervals.png")
    rng = np.random.default_rng(SEED)
    (X, y, _), (X_test, y_test, deviation) = waves(50_000, rng), waves(5_000, rng)
    low, high = interval(X, y, X_test, budget=50, gamma=0.5, alpha=1e-3)
    report("a sine with growing noise", y_test, low, high, np.quantile(y, [LOW, HIGH]))
    print(f"mean width of the true interval: {2 * 1.645 * deviation.mean():.3f}")
    draw(path, X_test, y_test, low, high)

    parts = houses()
    if parts is not None:
        X, X_test, y, y_test = parts
        low, high = (
            end + y.mean() for end in interval(X, y - y.mean(), X_test, budget=500, gamma=0.1, alpha=3e-4)
        )
        report("houses, in 100,000 dollars", y_test, low, high, np.quantile(y, [LOW, HIGH]))


if __name__ == "__main__":
    main()
