"""Table 1 and Figures 1-3 of "Multi-Class Pegasos on a Budget" (Wang, Crammer, Vucetic 2010), done again.

One pass in float32, mean and standard deviation of five permutations (fresh streams where the data are
generated), attributes standardised by the training rows, gamma from {1, 4, 16, 64}/d by the mean over five
cuts that hold out a fifth of the training rows, lambda = 1e-4; then with lambda chosen too, and once more
with the projection on the ball of its Algorithm 1. The paper permutes each data set and names no test rows:
letter and covertype are cut anew in each permutation, USPS has its own test set. In the small sets gamma is
chosen in each permutation. Where vectors are removed, the last model depends on its last steps and
scatters by points from one permutation to the next: these cells take four times as many.

Projectron++, as in the paper, has a threshold eta such that it ends with B support vectors. It is found by
bisection, to 1%, in each permutation, and for each gamma on the first cut. That is slow: gamma is chosen once
for all permutations. "projectron++-mean" is the same, but the mean of 20 models on the way is tested in place
of the last, on 10,000 rows: the paper does not say which it tests. "projectron++-full" has eta = 0 and a
budget: every mistake is inserted until it is full, and projected then; no steps are taken on small margins.
None of these has a lambda.

Each finished cell is one line of results/table1.csv, so that a run may be cut into several (--sets,
--methods, ...). report.py prints and draws what is there.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common import (
    Arguments,
    Stopwatch,
    checkpoints,
    deviation,
    feed,
    main,
    peak_memory,
)
from ..common.projectron import Found, bisect, mean_scores
from .data import PROBLEMS, rows
from .report import METHODS, PROJECTRONS, VARIANTS, key_of

ALPHAS = {"paper": (1e-4,), "alpha": (1e-3, 1e-4, 1e-5, 1e-6, 1e-7), "ball": (1e-4,)}  # lambda, by variant
WIDTHS = (1, 4, 16, 64)  # gamma times d
CHOICE_SEED = 10_000  # of the rows on which gamma and lambda are chosen
CURVE_ROWS = 10_000  # test rows behind each point of a curve
MORE = {"random": 4, "smallest": 4}  # times as many permutations


@dataclass(frozen=True)
class Cell:
    """One cell of the table."""

    variant: str
    problem: str
    method: str
    budget: int | None
    reps: int
    choice_rows: int  # rows of the choice of gamma and lambda, a fifth of them held out
    length: int
    stop: int  # support vectors at which the unbounded model is no longer fed

    @property
    def cost(self) -> float:
        """A rough measure, to begin with the long ones."""
        slow = {"unbounded": 0.5, "project": 20.0, "project-best": 30.0}
        per_row = slow.get(self.method, 30.0 if self.method in PROJECTRONS else 1.0)
        return self.length * per_row * (self.budget or 1000) * len(self.alphas)

    @property
    def alphas(self) -> tuple[float | None, ...]:
        return (None,) if self.method in PROJECTRONS else ALPHAS[self.variant]


def new_model(cell: Cell, gamma: float, alpha: float | None, seed: int, eta: float = 0.0):
    """The native learner of a cell; a Projectron has no budget but the threshold `eta`, or a budget and 0."""
    from budgetrs import Classifier

    options: dict[str, Any] = {"alpha": alpha, "project_to_ball": cell.variant == "ball"}
    if cell.method in PROJECTRONS:
        options = {"eta": eta}
    if cell.budget is not None:
        options["budget"] = None if eta else cell.budget
    classes = list(range(PROBLEMS[cell.problem].n_classes))
    return Classifier(METHODS[cell.method], **options, gamma=gamma, seed=seed, classes=classes)


def search(cell: Cell, gamma: float, seed: int, x, y, near: float | None) -> Found:
    """Projectron++ after all rows, with the threshold that leaves its budget of support vectors."""
    return bisect(lambda eta: new_model(cell, gamma, None, seed, eta), x, y, cell.budget, near)


def accuracy(model, x, y) -> float:
    return 100.0 * float((np.asarray(model.predict(x)) == y).mean())


def choose(cell: Cell, seed: int) -> tuple[float, float | None, dict[str, float]]:
    """The gamma and lambda of the highest accuracy on held-out training rows, and all those accuracies."""
    problem = PROBLEMS[cell.problem]
    stop = cell.stop if cell.method == "unbounded" else None
    x, y, _, _ = rows(cell.problem, seed, min(cell.length, cell.choice_rows))
    cut, cuts = len(x) * 4 // 5, problem.choice_cuts
    found: dict[tuple[float, float | None], float] = {}
    etas: dict[float, float] = {}
    for i in range(cuts):
        order = np.random.default_rng([seed, i]).permutation(len(x))
        kept, held = order[:cut], order[cut:]
        for alpha in cell.alphas:
            for width in WIDTHS:
                gamma = width / problem.n_features
                if cell.method == "projectron++" and i == 0:
                    searched = search(cell, gamma, seed, x[kept], y[kept], None)
                    model, etas[gamma] = searched.model, searched.eta
                else:
                    model = new_model(cell, gamma, alpha, seed, etas.get(gamma, 0.0))
                    feed(model, x[kept], y[kept], stop, Stopwatch())
                score = accuracy(model, x[held], y[held]) / cuts
                found[gamma, alpha] = found.get((gamma, alpha), 0.0) + score
    gamma, alpha = max(found, key=found.__getitem__)
    told = {
        f"gamma={g:g}" + ("" if a is None else f" alpha={a:g}"): round(value, 2)
        for (g, a), value in found.items()
    }
    return gamma, alpha, told


def learn(cell: Cell, gamma: float, alpha: float | None, seed: int, near: float | None) -> tuple[dict, list]:
    """The results of one repetition, and of the first one the curve of its accuracy."""
    x, y, x_test, y_test = rows(cell.problem, seed, min(cell.length, PROBLEMS[cell.problem].length))
    curve, eta = [], None
    if cell.method == "projectron++":
        searched = search(cell, gamma, seed, x, y, near)
        model, eta, seconds = searched.model, searched.eta, searched.seconds
    else:
        model, watch, start = new_model(cell, gamma, alpha, seed), Stopwatch(), 0
        stop = cell.stop if cell.method == "unbounded" else None
        for end in checkpoints(len(x)) if seed == 0 else [len(x)]:
            stopped = feed(model, x[start:end], y[start:end], stop, watch)
            start = end
            if seed == 0:
                seen = model.n_samples_seen_
                curve.append((seen, accuracy(model, x_test[:CURVE_ROWS], y_test[:CURVE_ROWS]), watch.seconds))
            if stopped:
                break
        seconds = watch.seconds
    steps = model.n_maintenances_
    results = {
        "accuracy": accuracy(model, x_test, y_test),
        "seconds": seconds,
        "n_seen": model.n_samples_seen_,
        "n_support_vectors": model.n_support_vectors_,
        "n_updates": model.n_updates_,
        "mean_weight_degradation": model.mean_weight_degradation_,
        # Theorem 1: the mean of |E_t| = |Delta w_t| / eta_t over all examples, maintenance or not
        "gradient_error": model.mean_weight_degradation_ * steps / model.n_samples_seen_,
    }
    if eta is not None:
        again = new_model(cell, gamma, alpha, seed, eta)
        scores = mean_scores(again, x, y, x_test[:CURVE_ROWS])
        best = scores.argmax(axis=1) if scores.ndim > 1 else scores > 0
        results |= {"eta": eta, "mean_accuracy": 100.0 * float((best == y_test[:CURVE_ROWS]).mean())}
    return results, curve


def run(cell: Cell) -> dict:
    """Chooses the parameters of a cell, trains and tests it in all repetitions."""
    began = time.perf_counter()
    each = PROBLEMS[cell.problem].small and cell.method != "projectron++"
    choices = [choose(cell, seed) for seed in (range(cell.reps) if each else [CHOICE_SEED])]
    results, curve, near = [], [], None
    for seed in range(cell.reps):
        gamma, alpha, _ = choices[seed if each else 0]
        result, points = learn(cell, gamma, alpha, seed, near)
        near = result.get("eta")
        results.append(result)
        curve += points
    means = {key: float(np.mean([result[key] for result in results])) for key in results[0]}
    scores = [result["accuracy"] for result in results]
    mean_scored = [result["mean_accuracy"] for result in results if "mean_accuracy" in result]
    return {
        "variant": cell.variant,
        "set": cell.problem,
        "method": cell.method,
        "budget": cell.budget,
        "length": cell.length,
        "reps": cell.reps,
        "gamma": statistics.mode(gamma for gamma, _, _ in choices),
        "alpha": statistics.mode(alpha for _, alpha, _ in choices),
        "sd": deviation(scores),
        **({"mean_sd": deviation(mean_scored)} if mean_scored else {}),
        **means,
        "accuracies": [round(score, 3) for score in scores],
        "curve": curve,
        "peak_mb": round(peak_memory()),
        "wall_seconds": round(time.perf_counter() - began, 1),
    }


def plan(options) -> list[Cell]:
    """The cells of a run: set by set, so that processes keep their data, the long ones first."""
    cells = []
    for name in options.sets:
        length = min(PROBLEMS[name].length, options.length or PROBLEMS[name].length)
        length = min(length, 3_000) if options.quick and name == "usps" else length
        choice_rows = min(PROBLEMS[name].choice_rows, options.choice_rows or math.inf)
        shared = (2_500 if options.quick else choice_rows, length, options.stop)
        group = [
            Cell(variant, name, method, budget, options.reps * MORE.get(method, 1), *shared)
            for variant in options.variants
            for method in options.methods
            if variant == "paper" or method not in PROJECTRONS
            for budget in ((None,) if method == "unbounded" else options.budgets)
        ]
        cells += sorted(group, key=lambda cell: -cell.cost)
    return cells


def parse() -> argparse.Namespace:
    parser = Arguments(__file__, __doc__)
    parser.add_choice("--sets", PROBLEMS)
    parser.add_choice("--methods", METHODS)
    parser.add_choice("--variants", VARIANTS)
    parser.add_argument("--budgets", nargs="+", type=int, default=[100, 500], metavar="B")
    parser.add_argument("--reps", type=int, default=5, help="permutations (5)")
    parser.add_argument("--stop", type=int, default=20_000, help="support vectors that end the unbounded run")
    parser.add_argument("--choice-rows", type=int, help="at most so many rows to choose gamma and lambda on")
    parser.add_argument("--length", type=int, help="training rows at most (those of the paper)")
    options = parser.parsed("short streams, one repetition", reps=1, stop=1_000)
    if options.quick:
        options.length = options.length or 10_000
    return options


def line(record: dict) -> str:
    """Summarise a finished cell."""
    return (
        f"{record['variant']} {record['set']} {record['method']} B={record['budget'] or '-'}: "
        f"{record['accuracy']:.2f}% in {record['wall_seconds']} s, peak {record['peak_mb']} MB"
    )


if __name__ == "__main__":
    options = parse()
    main(run, plan(options), "table1.csv", options, key_of=key_of, line=line)
