"""The table, the findings and the figure of "Online Classification on a Budget", from results/."""

from __future__ import annotations

from pathlib import Path

from ..common import pyplot, report

METHODS = {  # the algorithm of each
    "fixed": "budget-mira",
    "variable": "budget-mira-distill",
    "unbounded": "mira",
    "svm": "SVC of scikit-learn",
    "raw": "budget-mira",
}
SETS = {"mnist": "MNIST", "usps": "USPS", "letter": "Letter"}
NOTE = """
In the paper a broad range of fixed sizes does better than unbounded MIRA, on MNIST and USPS some better than
the SVM; the variable cache comes near the SVM in size and in error, at the price of more insertions than a
fixed one makes; the online error tells which size is good. The numbers of its figures are lost."""


def key_of(record: dict) -> tuple:
    """What names a cell."""
    return record["set"], record["method"], record["budget"]


def order_of(record: dict) -> tuple:
    return list(SETS).index(record["set"]), list(METHODS).index(record["method"]), record["budget"] or 0


def points(records: list[dict]) -> list[dict]:
    """The points of the figure, in order."""
    return sorted((record for record in records if record["method"] != "raw"), key=order_of)


def print_table(records: list[dict]) -> None:
    """One line to the point; errors in % of the rows, mean and standard deviation over the shuffles."""
    print(
        f"\n{'set':8}{'cache':18}{'shuffles':>8}{'SVs':>8}{'test error':>14}{'online error':>15}"
        f"{'margin errors':>16}{'seconds':>9}   parameters"
    )
    for record in points(records):
        cache = f"fixed, {record['budget']}" if record["method"] == "fixed" else record["method"]
        errors = ""
        for key, width in (("test_error", 9), ("online_error", 10), ("margin_error", 11)):
            one = f"{record[key]:{width}.2f} ±{record[key + '_sd']:.2f}" if key in record else ""
            errors += one.ljust(width + 6)
        kernel = " ".join(f"{key}={value}" for key, value in record["kernel"].items())
        print(
            f"{record['set']:8}{cache:18}{record['reps']:8}{record['n_support_vectors']:8.0f}{errors}"
            f"{record['seconds']:8.1f}   {kernel}"
        )


def span(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes)) if sizes else "none"


def print_findings(records: list[dict]) -> None:
    """What the paper found, looked for in ours."""
    print(NOTE)
    for name, title in SETS.items():
        here = [record for record in points(records) if record["set"] == name]
        fixed = [record for record in here if record["method"] == "fixed"]
        one = {record["method"]: record for record in here if record["method"] != "fixed"}
        if fixed:
            print(f"\n{title}, fixed sizes {span([record['budget'] for record in fixed])}")
        for other in ("unbounded", "svm"):
            if other in one and fixed:
                least = one[other]["test_error"]
                found = [record["budget"] for record in fixed if record["test_error"] <= least]
                print(f"  test error at or below that of {other} ({least:.2f}%) at sizes {span(found)}")
        if fixed:
            online, test = (
                min(fixed, key=lambda record, key=key: record[key]) for key in ("online_error", "test_error")
            )
            print(
                f"  least online error at size {online['budget']} (test error {online['test_error']:.2f}%), "
                f"least test error at size {test['budget']} ({test['test_error']:.2f}%)"
            )
        if "variable" in one:
            variable = one["variable"]
            for other in ("svm", "unbounded"):
                if other not in one:
                    continue
                ratio = variable["n_support_vectors"] / one[other]["n_support_vectors"]
                print(
                    f"  variable: {variable['n_support_vectors']:.0f} support vectors and "
                    f"{variable['test_error']:.2f}%; {other}: {one[other]['n_support_vectors']:.0f} and "
                    f"{one[other]['test_error']:.2f}%; sizes as 1 to {1 / ratio:.2f}"
                )
            if fixed:
                near = min(fixed, key=lambda r: abs(r["budget"] - variable["n_support_vectors"]))
                print(
                    f"  insertions: variable {variable['margin_error']:.1f}% of the rows, fixed at size "
                    f"{near['budget']} {near['margin_error']:.1f}%"
                )
    for record in records:
        if record["method"] == "raw":
            print_raw(record)


def print_raw(record: dict) -> None:
    """What became of raw pixels."""
    print(f"\nraw pixels of MNIST, fixed cache, {record['rows']} rows, |x|^2 up to {record['longest']:.3g}")
    for scaling in ("float32 raw", "float64 raw", "float64 length 1"):
        found = record[scaling]
        print(f"  {scaling}: " + (found if isinstance(found, str) else f"test error {found:.2f}%"))


LOOKS = {  # of each point or line
    "fixed": {"color": "C0", "marker": "o", "markersize": 4, "label": "fixed size"},
    "variable": {
        "color": "C1",
        "marker": "*",
        "markersize": 14,
        "linestyle": "",
        "label": "variable size",
    },
    "unbounded": {"color": "black", "marker": "s", "markersize": 7, "linestyle": "", "label": "no bound"},
    "svm": {"color": "C2", "marker": "D", "markersize": 7, "linestyle": "", "label": "SVM (batch)"},
}


def draw(records: list[dict], folder: Path) -> None:
    """The paper's nine panels: three errors against the cache size, one column to the set."""
    plt = pyplot()
    if plt is None:
        return
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    shown = points(records)
    names = [name for name in SETS if any(record["set"] == name for record in shown)]
    if not names:
        return
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    figure, axes = plt.subplots(3, len(names), figsize=(4.4 * len(names), 10), sharex="col", squeeze=False)
    rows = (
        ("test_error", "test error (%)"),
        ("online_error", "online training error (%)"),
        ("margin_error", "margin errors = insertions (%)"),
    )
    for row, (key, words) in enumerate(rows):
        for column, name in enumerate(names):
            axis = axes[row, column]
            for method, look in LOOKS.items():
                mine = [r for r in shown if r["set"] == name and r["method"] == method and key in r]
                if mine:
                    axis.errorbar(
                        [record["n_support_vectors"] for record in mine],
                        [record[key] for record in mine],
                        yerr=[record[key + "_sd"] for record in mine],
                        capsize=2,
                        **look,
                    )
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5, 7)))
            for side in (axis.xaxis, axis.yaxis):
                side.set_major_formatter(plain)
                side.set_minor_formatter(NullFormatter())
            axis.grid(alpha=0.3)
            if column == 0:
                axis.set_ylabel(words)
            if row == 0:
                axis.set_title(SETS[name])
            if row == 2:
                axis.set_xlabel("support vectors")
    axes[0, 0].legend()
    title = ("MIRA with a cache on a budget, one pass:", "mean and deviation over shuffles")
    # Above a single column there is room for half of it.
    figure.suptitle((" " if axes.shape[1] > 1 else "\n").join(title))
    figure.tight_layout()
    path = folder / "budget_mira.png"
    figure.savefig(path, dpi=110)
    print(f"wrote {path}")


def show(records: list[dict]) -> None:
    """Print the table and the findings."""
    print_table(records)
    print_findings(records)


if __name__ == "__main__":
    report(__file__, __doc__, "budget_mira.csv", show, draw)
