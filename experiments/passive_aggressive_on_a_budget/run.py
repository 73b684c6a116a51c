"""Table 1 of "Online Passive-Aggressive Algorithms on a Budget" (Wang and Vucetic 2010), done again.

One pass in float32 over each of ten shuffles of the training rows, attributes standardised by the training
rows, accuracy on separate test rows. The paper chooses the width of the rbf kernel and C by cross validation
"for all combinations of algorithm, data set and budget" and does not give its grid. Here: on training rows
alone, each candidate learns four fifths of them and is judged on the last fifth, the mean over several
random cuts; first gamma from {1/64, 1/16, ..., 64, 256}/d and C from {1/256, 1/64, ..., 1, 4}, then, on four
times as many cuts, the best five, and the neighbours of the best at factors of 2 on both sides. A budgeted
model depends on its last steps, so few cuts would choose by luck.

Projectron++ has no budget in the paper, which follows Orabona et al.: its threshold eta is such that it ends
with B support vectors, found by bisection, to 1%, on each shuffle (in the choice of gamma on the first cut).
"projectron++-mean" is the same, but the mean of 20 models on the way is tested in place of the last: the
paper does not say which it tests. "projectron++-full" has eta = 0 and a budget: every mistake is inserted
until it is full, and projected then; no steps are taken on small margins.

The sets. adult: a9a, 32,561 rows where the paper has 21K. banana: its 5,300 rows cut anew into 4,300 and
1,000 in each repetition, and the parameters chosen anew on those 4,300. checkerboard and its noisy form:
10,000 rows drawn once, 15% of the latter's labels switched, tested on 20,000 clean ones. covertype: class 2
against the rest, 10,000 and 20,000 rows drawn once. usps: digits 0-4 against 5-9. The paper's phoneme set is
not public.

Each finished cell is one line of results/table1.csv, so that a run may be cut into several (--sets,
--methods, ...). report.py prints what is there.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common import Arguments, Stopwatch, deviation, main
from ..common.projectron import Found, bisect, mean_scores
from .data import DRAW_SEED, PROBLEMS, Rows, rows
from .report import METHODS, key_of

WIDTHS = tuple(4.0**i for i in range(-3, 5))  # gamma times d
CAPS = tuple(4.0**i for i in range(-4, 2))  # C


@dataclass(frozen=True)
class Candidate:
    """What is chosen: the width of the kernel, and the cap on steps where the algorithm has one."""

    gamma: float
    c: float | None


def new_model(method: str, budget: int | None, candidate: Candidate, seed: int = 0, eta: float | None = None):
    """The native learner of a method; with `eta` a Projectron of that threshold and no budget."""
    from budgetrs import Classifier

    algorithm, options = METHODS[method]
    bounds: dict[str, Any] = {} if budget is None else {"budget": budget}
    if eta is not None:
        bounds = {"budget": None, "eta": eta}
    cap = {} if candidate.c is None else {"C": candidate.c}
    return Classifier(algorithm, **bounds, **cap, **options, gamma=candidate.gamma, seed=seed, classes=[0, 1])


def learn(
    method: str,
    budget: int | None,
    candidate: Candidate,
    seed: int,
    train: Rows,
    near: float | None = None,
    search: bool = True,
) -> Found:
    """A model that has learned the rows. Projectron++ searches for a threshold near that one, or takes it."""
    eta = None
    if method == "projectron++":
        if search:
            return bisect(lambda eta: new_model(method, budget, candidate, seed, eta), *train, budget, near)
        eta = near
    model, watch = new_model(method, budget, candidate, seed, eta), Stopwatch()
    with watch:
        model.learn(*train)
    return Found(model, eta, watch.seconds)


def accuracy(model, test: Rows) -> float:
    return 100.0 * float((np.asarray(model.predict(test[0])) == test[1]).mean())


def unbounded(method: str) -> bool:
    return METHODS[method][0] in ("perceptron", "pa", "pa-ramp")


def choose(method: str, budget: int | None, train: Rows, cuts: int) -> tuple[Candidate, dict[str, float]]:
    """The candidate of the highest accuracy on held-out rows, and the accuracies of the last comparison."""
    from budgetrs._core import parameters

    x, y = train
    capped = "C" in parameters(METHODS[method][0])

    def judge(candidates: list[Candidate], cuts: int) -> dict[Candidate, float]:
        scores = dict.fromkeys(candidates, 0.0)
        etas: dict[Candidate, float | None] = {}
        for i in range(cuts):
            order = np.random.default_rng([DRAW_SEED, i]).permutation(len(x))
            kept, held = order[: len(x) * 4 // 5], order[len(x) * 4 // 5 :]
            learned, judged = (x[kept], y[kept]), (x[held], y[held])
            for candidate in candidates:
                near, first = etas.get(candidate), candidate not in etas
                found = learn(method, budget, candidate, i, learned, near, search=first)
                scores[candidate] += accuracy(found.model, judged) / cuts
                etas[candidate] = found.eta
        return scores

    d = x.shape[1]
    coarse = judge([Candidate(w / d, c) for w in WIDTHS for c in (CAPS if capped else (None,))], cuts)
    best, *others = sorted(coarse, key=coarse.__getitem__, reverse=True)[:5]
    caps = (None,) if best.c is None else (best.c, best.c / 2, best.c * 2)
    widths = (best.gamma, best.gamma / 2, best.gamma * 2)
    around = [Candidate(gamma, c) for gamma, c in itertools.product(widths, caps)]
    fine = judge(list(dict.fromkeys([*around, *others])), 4 * cuts)
    told = {f"gamma={g.gamma:g} C={g.c}": round(score, 2) for g, score in fine.items()}
    return max(fine, key=fine.__getitem__), told


@dataclass(frozen=True)
class Cell:
    """One cell of the table."""

    problem: str
    method: str
    budget: int | None
    reps: int
    quick: bool


def run(cell: Cell) -> dict:
    """Chooses the parameters of a cell, trains and tests it in all repetitions."""
    began = time.perf_counter()
    problem = PROBLEMS[cell.problem]
    n_train, n_choice, cuts = problem.n_train, problem.choice_rows, problem.cuts
    if cell.quick:
        n_train, n_choice, cuts = 2_000, 1_000, 1
    choices, results, etas = [], [], []
    for seed in range(cell.reps):
        (x, y), test = rows(cell.problem, seed)
        x, y = x[:n_train], y[:n_train]
        if not choices or problem.redrawn:
            choices.append(choose(cell.method, cell.budget, (x[:n_choice], y[:n_choice]), cuts))
            near = None
        found = learn(cell.method, cell.budget, choices[-1][0], seed, (x, y), near)
        model, near = found.model, found.eta
        etas.append(found.eta)
        results.append(
            {
                "accuracy": accuracy(model, test),
                "seconds": found.seconds,
                "n_support_vectors": model.n_support_vectors_,
                "n_updates": model.n_updates_,
                "n_queries": model.n_queries_,
            }
        )
        if found.eta is not None:
            again = new_model(cell.method, cell.budget, choices[-1][0], seed, found.eta)
            right = (mean_scores(again, x, y, test[0]) > 0) == test[1]
            results[-1]["mean_accuracy"] = 100.0 * float(right.mean())
    scores = [result["accuracy"] for result in results]
    mean_scored = [result["mean_accuracy"] for result in results if "mean_accuracy" in result]
    chosen = statistics.mode(candidate for candidate, _ in choices)
    return {
        "set": cell.problem,
        "method": cell.method,
        "budget": cell.budget,
        "reps": cell.reps,
        "rows": len(x),
        "gamma": chosen.gamma,
        "C": chosen.c,
        "eta": None if None in etas else float(np.median(etas)),
        "sd": deviation(scores),
        **({"mean_sd": deviation(mean_scored)} if mean_scored else {}),
        **{key: float(np.mean([result[key] for result in results])) for key in results[0]},
        "accuracies": [round(score, 3) for score in scores],
        "wall_seconds": round(time.perf_counter() - began, 1),
    }


def known() -> list[str]:
    """The methods whose algorithm this build of the library has."""
    from budgetrs import ALGORITHMS

    return [method for method, (algorithm, _) in METHODS.items() if algorithm in ALGORITHMS]


def parse() -> argparse.Namespace:
    parser = Arguments(__file__, __doc__)
    methods = known()
    parser.add_choice("--sets", PROBLEMS)
    parser.add_choice("--methods", methods)
    parser.add_argument("--budgets", nargs="+", type=int, default=[100, 200], metavar="B")
    parser.add_argument("--reps", type=int, default=10, help="shuffles (10)")
    return parser.parsed("2,000 rows, one repetition", reps=1)


def line(record: dict) -> str:
    """Summarise a finished cell."""
    return (
        f"{record['set']} {record['method']} B={record['budget'] or '-'}: "
        f"{record['accuracy']:.2f}% ±{record['sd']:.2f} in {record['wall_seconds']} s"
    )


def plan(options: argparse.Namespace) -> list[Cell]:
    """All cells that the options ask for."""
    return [
        Cell(name, method, budget, options.reps, options.quick)
        for name in options.sets
        for method in options.methods
        for budget in ((None,) if unbounded(method) else options.budgets)
    ]


if __name__ == "__main__":
    options = parse()
    main(run, plan(options), "table1.csv", options, key_of=key_of, line=line)
