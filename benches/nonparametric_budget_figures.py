"""Figures 1 and 2 of "Nonparametric Budgeted Stochastic Gradient Descent" (Le et al. 2016), done again.

One pass with the hinge loss and removal, three permutations of the training rows of A9A and IJCNN. Of each
curve the objective lambda/2 |w|^2 + mean loss, the number of support vectors, the processor time of learning
and the accuracy on test rows are taken at points along the pass. The objective is that of all training rows,
estimated on 4,000 of them, and where there are more support vectors than that, |w|^2 from 4,000 of those.
SGD, BSGD and NBSGD share gamma and lambda, for the objectives are not to be compared otherwise: they are
those of the cross validation of NBSGD. BSGD has the paper's model size of NBSGD as its budget (3,559 and
759), NBSGD the B of nonparametric_budget.py, expected to end with that many.

Then beta: model size and accuracy of NBSGD after the pass, with that same B, from beta = 1 to the number of
training rows. The paper's figure is of SensIT Vehicle, which is not to be had: IJCNN here.

Finished runs are appended to OUT/nonparametric_budget_figures.jsonl; what is found there is drawn.
"""

from __future__ import annotations

import argparse
import functools
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import REPOSITORY, Stopwatch, pyplot, read_cells, run_cells
from nonparametric_budget_choice import Task, choose, derive_budget, new_model, score_of
from nonparametric_budget_data import PROBLEMS, Rows, cut, missing

SIZES = {"a9a": 3_559, "ijcnn1": 759}  # the paper's, of NBSGD
LINES = {"SGD": "sgd", "BSGD": "bsgd-removal", "NBSGD": "nbsgd-removal"}
POINTS = 20  # to the curve
JUDGED = 4_000  # rows behind the mean loss, and support vectors behind |w|^2
SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the rows: beta, at least 1


@dataclass(frozen=True)
class Cell:
    """The runs of one permutation of a set: three curves, or one model for each beta."""

    part: str  # "curves" or "beta"
    problem: str
    seed: int
    most: int | None


def objective(model, alpha: float, judged: Rows) -> float:
    """lambda/2 |w|^2 + mean hinge loss."""
    x, y = judged
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    loss = np.maximum(0.0, 1.0 - signs * np.asarray(model.decision_function(x), np.float64)).mean()
    vectors, coefficients = model.support_vectors_, np.asarray(model.dual_coef_, np.float64).ravel()
    drawn = np.random.default_rng(0).permutation(len(vectors))[:JUDGED]
    # |w|^2 is the sum of alpha_j f(x_j).
    scores = np.asarray(model.decision_function(vectors[drawn]), np.float64)
    squared = len(vectors) * (coefficients[drawn] * scores).mean()
    return float(alpha / 2 * squared + loss)


def curve(model, alpha: float, train: Rows, test: Rows, judged: Rows) -> list[dict]:
    """Learns all rows, and looks at the model on the way."""
    x, y = train
    ends = np.unique(np.geomspace(len(x) / 200, len(x), POINTS).astype(int))
    watch, start, points = Stopwatch(time.process_time), 0, []
    for end in ends:
        with watch:
            model.learn(x[start:end], y[start:end])
        start = end
        points.append(
            {
                "rows": int(end),
                "size": model.n_support_vectors_,
                "seconds": watch.seconds,
                "objective": objective(model, alpha, judged),
                "accuracy": score_of(PROBLEMS["a9a"], model, test),
            }
        )
    return points


@functools.lru_cache(maxsize=2)
def settle(name: str, most: int | None) -> tuple[float, float, int, int, float]:
    """From the rows of the first permutation: gamma, lambda, the budgets of BSGD and NBSGD, the share."""
    train, _ = cut(name, 0, most)
    size = max(SIZES[name] * len(train[0]) // PROBLEMS[name].n_train, 4)
    task = Task(name, "nbsgd-removal", "hinge")
    gamma, alpha, _ = choose(task, size // 2, train)
    assert alpha is not None, "gradient descent has a lambda"
    return gamma, alpha, size, *derive_budget(task, size, train, gamma, alpha)


def run(cell: Cell) -> dict:
    """Learns one permutation."""
    began = time.perf_counter()
    name = cell.problem
    gamma, alpha, size, budget, share = settle(name, cell.most)
    train, test = cut(name, cell.seed, cell.most)
    length = len(train[0])
    record = {
        "part": cell.part,
        "set": name,
        "seed": cell.seed,
        "rows": length,
        "gamma": gamma,
        "alpha": alpha,
        "budget": budget,
        "size": size,
        "share": share,
    }
    if cell.part == "curves":
        test = test[0][:JUDGED], test[1][:JUDGED]
        order = np.random.default_rng(cell.seed).permutation(length)[:JUDGED]
        judged = train[0][order], train[1][order]
        for title, line in LINES.items():
            bound = {"SGD": None, "BSGD": size, "NBSGD": budget}[title]
            model = new_model(Task(name, line, "hinge"), bound, gamma, alpha, length, cell.seed)
            record[title] = curve(model, alpha, train, test, judged)
    else:
        record["points"] = [betas(cell, part, budget, gamma, alpha, train, test) for part in SHARES]
    return {**record, "wall_seconds": round(time.perf_counter() - began, 1)}


def betas(cell: Cell, share: float, budget: int, gamma: float, alpha: float, train: Rows, test: Rows) -> dict:
    """Model size and accuracy of NBSGD with beta that share of the rows."""
    beta = max(share * len(train[0]), 1.0)
    task = Task(cell.problem, "nbsgd-removal", "hinge")
    model = new_model(task, budget, gamma, alpha, len(train[0]), cell.seed, rate=beta)
    model.learn(*train)
    accuracy = score_of(PROBLEMS[cell.problem], model, test)
    return {"beta": beta, "size": model.n_support_vectors_, "accuracy": accuracy}


def key_of(record: dict) -> tuple:
    """What names a run."""
    return record["part"], record["set"], record["seed"]


def mean_curve(records: list[dict], line: str, key: str) -> np.ndarray:
    """The mean over the permutations."""
    return np.mean([[point[key] for point in record[line]] for record in records], axis=0)


def print_report(records: list[dict]) -> None:
    """The curves as numbers."""
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


def draw(records: list[dict], out: Path) -> None:
    """Figure 1, an objective for each set, and Figure 2, three panels."""
    plt = pyplot()
    if plt is None:
        return

    curves = {name: [r for r in records if r["part"] == "curves" and r["set"] == name] for name in SIZES}
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    for axis, (name, mine) in zip(axes, curves.items(), strict=True):
        plot(axis, mine, "objective", PROBLEMS[name].title, "objective")
        axis.set(xscale="log", yscale="log")
    save(figure, out / "nonparametric_budget_figure1.png")
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.2))
    title = PROBLEMS["ijcnn1"].title
    plot(axes[0], curves["ijcnn1"], "size", title, "support vectors")
    plot(axes[1], curves["ijcnn1"], "seconds", title, "training time (seconds)")
    swept = [record for record in records if record["part"] == "beta"]
    if swept:
        plot_beta(axes[2], swept, title)
    save(figure, out / "nonparametric_budget_figure2.png")


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
    axis.plot(beta, means["size"], color="tab:blue", marker="o", markersize=3)
    axis.set(title=f"{title}, B = {records[0]['budget']}", xlabel="beta", yscale="log")
    axis.set_ylabel("support vectors", color="tab:blue")
    axis.grid(alpha=0.3)
    other = axis.twinx()
    other.plot(beta, means["accuracy"], color="tab:red", marker="s", markersize=3)
    other.set_ylabel("accuracy (%)", color="tab:red")


def save(figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3, help="permutations (3)")
    parser.add_argument("--quick", action="store_true", help="1,000 rows, one run: does it run?")
    parser.add_argument("--report", action="store_true", help="run nothing, report what is in OUT")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "out")
    options = parser.parse_args()
    options.most = None
    if options.quick:
        options.runs, options.most, options.out = 1, 1_000, options.out / "quick"
    return options


def tell(record: dict) -> str:
    return f"{record['part']} {record['set']} {record['seed']} in {record['wall_seconds']} s"


def main() -> None:
    options = parse()
    path = options.out / "nonparametric_budget_figures.jsonl"
    failed = 0
    if not options.report:
        absent = missing()
        for name in SIZES.keys() & absent.keys():
            print(f"{PROBLEMS[name].title} is left out: {absent[name]} is missing")
        kinds = [("curves", name) for name in SIZES] + [("beta", "ijcnn1")]
        cells = [
            Cell(part, name, seed, options.most)
            for part, name in kinds
            if name not in absent
            for seed in range(options.runs)
        ]
        failed = run_cells(run, cells, path, options.jobs, tell)
    records = read_cells(path, key_of)
    if records:
        print_report(records)
        draw(records, options.out)
    if failed:
        raise SystemExit(f"{failed} runs failed")


if __name__ == "__main__":
    main()
