"""The experiment of "Online Classification on a Budget" (Crammer, Kandola and Singer 2003) on USPS."""

import functools
from pathlib import Path
from typing import Any

import numpy as np

from ..cells import Options, Output, Record, table
from ..clock import deviation, seconds
from ..data import load
from ._common import Part, accuracy, held_out, pyplot

RECORDS = "crammer2003.csv"
METHODS = {"fixed": "budget-mira", "variable": "budget-mira-distill", "unbounded": "mira", "svm": "SVC"}
BETA, KERNEL = 0.01, {"kernel": "poly", "degree": 9, "gamma": 1.0, "coef0": 0.0}
SVM_DEGREES, SVM_COSTS = (3, 5, 9), (1.0, 10.0, 100.0)
CHOICE_SEED = 10_000  # of the rows on which the parameters of the SVM are chosen
OPTIONS = {
    "methods": (tuple(METHODS), "methods"),
    "budgets": ((50, 100, 200, 300, 500, 700, 1000, 1400, 2000), "sizes of the fixed caches"),
    "reps": (5, "shuffles"),
    "rows": (int, "training rows at most"),
}
QUICK = {"methods": ["fixed", "unbounded"], "budgets": [50], "reps": 1, "rows": 500}
COLUMNS = (
    *(("set", -8, "{set}"), ("cache", -18, "{cache}"), ("shuffles", 8, "{reps}")),
    *(("SVs", 8, "{n_support_vectors:.0f}"), ("test error", 14, "{test_error:.2f} ±{test_error_sd:.2f}")),
    *(("online error", 15, "{online_error:.2f} ±{online_error_sd:.2f}"),),
    *(("margin errors", 16, "{margin_error:.2f} ±{margin_error_sd:.2f}"), ("seconds", 9, "{seconds:.1f}")),
    *(("   parameters", 0, "   {parameters}"),),
)


@functools.cache
def rows() -> tuple[Part, Part]:
    """The training rows in their own order and the test rows."""
    parts = []
    for x, y in (load("usps.train"), load("usps.test")):
        x = ((x + 1) / 2).astype(np.float32)
        parts.append((x / np.linalg.norm(x, axis=1, keepdims=True), y - 1))
    return parts[0], parts[1]


def learned(cell: Record, seed: int) -> tuple[Record, Record]:
    """The kernel, and the results of one pass over a shuffle, or of the SVM."""
    from budgetrs import Classifier

    (x, y), test = rows()
    order = np.random.default_rng(seed).permutation(len(x))[: cell.get("rows")]
    (x, y), n = (x[order], y[order]), len(order)
    if cell["method"] == "svm":
        chosen, model = svm(x, y)
        took, size = seconds(model.fit, x, y), len(model.support_)
    else:
        bounds, chosen = {} if cell["method"] == "unbounded" else {"budget": cell["budget"]}, KERNEL
        model = Classifier(METHODS[cell["method"]], **bounds, **KERNEL, margin=BETA, classes=list(range(10)))
        took, size = seconds(model.learn, x, y), model.n_support_vectors_
    found = {"n_support_vectors": size, "test_error": 100.0 - accuracy(model, test)}
    if cell["method"] != "svm":
        found |= {"online_error": 100.0 * model.n_mistakes_ / n, "margin_error": 100.0 * model.n_updates_ / n}
    return chosen, {**found, "seconds": took}


def svm(x: np.ndarray, y: np.ndarray) -> tuple[Record, Any]:
    """The parameters of the least error on held-out rows, and a new model."""
    from sklearn.svm import SVC

    kept, held = held_out(x, y, CHOICE_SEED)
    candidates = [{**KERNEL, "degree": degree, "C": cost} for degree in SVM_DEGREES for cost in SVM_COSTS]
    chosen = max(candidates, key=lambda candidate: accuracy(SVC(**candidate).fit(*kept), held))
    return chosen, SVC(**chosen, cache_size=500)


def cells(options: Options) -> list[Record]:
    most = {"rows": options.rows} if options.rows else {}
    return [
        {"set": "usps", "method": method, "budget": budget, "reps": 1 if method == "svm" else options.reps}
        | most
        for method in options.methods
        for budget in (options.budgets if method == "fixed" else (None,))
    ]


def run(cell: Record) -> Record:
    """The means and standard deviations over the shuffles."""
    runs, summary = [learned(cell, seed) for seed in range(cell["reps"])], {}
    for key in runs[0][1]:
        values = [float(result[key]) for _, result in runs]
        summary |= {key: float(np.mean(values)), f"{key}_sd": deviation(values)}
    return {"kernel": runs[0][0], **summary}


def order_of(record: Record) -> tuple:
    return list(METHODS).index(record["method"]), record["budget"] or 0


def report(records: list[Record], output: Output) -> None:
    """One line per cell; errors in % of the rows. Then what the paper found, looked for in ours."""
    texts = []
    for record in sorted(records, key=order_of):
        cache = f"fixed, {record['budget']}" if record["method"] == "fixed" else record["method"]
        parameters = " ".join(f"{key}={value}" for key, value in record["kernel"].items())
        texts.append({**record, "cache": cache, "parameters": parameters})
    output.print(("", *table(COLUMNS, texts)))
    fixed = [record for record in texts if record["method"] == "fixed"]
    others = {record["method"]: record for record in texts if record["method"] != "fixed"}
    if not fixed:
        return
    output(f"\nUSPS, fixed sizes {', '.join(str(record['budget']) for record in fixed)}")
    for other in (name for name in ("unbounded", "svm") if name in others):
        least = others[other]["test_error"]
        sizes = ", ".join(str(record["budget"]) for record in fixed if record["test_error"] <= least)
        output(f"  test error at or below the error of {other} ({least:.2f}%) at sizes {sizes or 'none'}")
    online, test = (min(fixed, key=lambda r, key=key: r[key]) for key in ("online_error", "test_error"))
    least = f"least test error at size {test['budget']} ({test['test_error']:.2f}%)"
    output(
        f"  least online error at size {online['budget']} (test error {online['test_error']:.2f}%), {least}"
    )
    if variable := others.get("variable"):
        size = variable["n_support_vectors"]
        for other in (name for name in ("svm", "unbounded") if name in others):
            n, error = (others[other][key] for key in ("n_support_vectors", "test_error"))
            ours = f"  variable: {size:.0f} support vectors and {variable['test_error']:.2f}%"
            output(f"{ours}; {other}: {n:.0f} and {error:.2f}%; sizes as 1 to {n / size:.2f}")
        near = min(fixed, key=lambda record: abs(record["budget"] - size))
        share = f"fixed at size {near['budget']} {near['margin_error']:.1f}%"
        output(f"  insertions: variable {variable['margin_error']:.1f}% of the rows, {share}")


LOOKS: dict[str, dict[str, Any]] = {  # of each point or line
    "fixed": {"color": "C0", "marker": "o", "markersize": 4, "label": "fixed size"},
    "variable": {"color": "C1", "marker": "*", "markersize": 14, "linestyle": "", "label": "variable size"},
    "unbounded": {"color": "black", "marker": "s", "markersize": 7, "linestyle": "", "label": "no bound"},
    "svm": {"color": "C2", "marker": "D", "markersize": 7, "linestyle": "", "label": "SVM (batch)"},
}
PANELS = {
    "test_error": "test error (%)",
    "online_error": "online training error (%)",
    "margin_error": "margin errors = insertions (%)",
}


def draw(records: list[Record], folder: Path) -> None:
    """Three errors against the cache size."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    figure, axes = pyplot().subplots(3, figsize=(4.4, 10), sharex="col")
    for axis, (key, label) in zip(axes, PANELS.items(), strict=True):
        for method, look in LOOKS.items():
            mine = sorted((r for r in records if r["method"] == method and key in r), key=order_of)
            if mine:
                points = ([record[name] for record in mine] for name in ("n_support_vectors", key))
                axis.errorbar(*points, yerr=[record[f"{key}_sd"] for record in mine], capsize=2, **look)
        axis.set(xscale="log", yscale="log", ylabel=label)
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5, 7)))
        for side in (axis.xaxis, axis.yaxis):
            side.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            side.set_minor_formatter(NullFormatter())
        axis.grid(alpha=0.3)
    axes[0].set_title("USPS")
    axes[0].legend()
    axes[-1].set_xlabel("support vectors")
    figure.suptitle("MIRA with a cache on a budget, one pass:\nmean and deviation over shuffles")
    figure.tight_layout()
    figure.savefig(folder / "crammer2003.png", dpi=110)
