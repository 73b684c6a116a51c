"""Figures 1 and 2 of "Nonparametric Budgeted Stochastic Gradient Descent" (Le et al. 2016), done again.

One pass with the hinge loss and removal, three permutations of the training rows of A9A and IJCNN. Of each
curve the objective lambda/2 |w|^2 + mean loss, the number of support vectors, the processor time of learning
and the accuracy on test rows are taken at points along the pass. The objective is that of all training rows,
estimated on 4,000 of them, and where there are more support vectors than that, |w|^2 from 4,000 of those.
SGD, BSGD and NBSGD share gamma and lambda, for the objectives are not to be compared otherwise: they are
those of the cross validation of NBSGD. BSGD has the paper's model size of NBSGD as its budget (3,559 and
759), NBSGD the B of run.py, expected to end with that many.

Then beta: model size and accuracy of NBSGD after the pass, with that same B, from beta = 1 to the number of
training rows. The paper's figure is of SensIT Vehicle, which is not to be had: IJCNN here.

Each finished run is one line of results/figures.csv; report_figures.py prints and draws what is there.
"""

from __future__ import annotations

import argparse
import functools
import time
from dataclasses import dataclass

import numpy as np

from ..common import Arguments, Stopwatch, main
from .choice import Task, choose, derive_budget, new_model, score_of
from .data import PROBLEMS, Rows, cut
from .report_figures import LINES, SIZES, key_of

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
    """Learn all rows, and look at the model on the way."""
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
    gamma, alpha = choose(task, size // 2, train)
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


def parse() -> argparse.Namespace:
    parser = Arguments(__file__, __doc__)
    parser.add_choice("--sets", SIZES)
    parser.add_argument("--runs", type=int, default=3, help="permutations (3)")
    parser.set_defaults(most=None)
    return parser.parsed("1,000 rows, one run", runs=1, most=1_000)


def line(record: dict) -> str:
    """Summarise a finished run."""
    return f"{record['part']} {record['set']} {record['seed']} in {record['wall_seconds']} s"


def plan(options: argparse.Namespace) -> list[Cell]:
    """All cells that the options ask for."""
    kinds = [("curves", name) for name in SIZES] + [("beta", "ijcnn1")]
    return [
        Cell(part, name, seed, options.most)
        for part, name in kinds
        if name in options.sets
        for seed in range(options.runs)
    ]


if __name__ == "__main__":
    options = parse()
    main(run, plan(options), "figures.csv", options, key_of=key_of, line=line)
