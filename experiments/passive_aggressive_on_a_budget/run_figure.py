"""The figure of "Online Passive-Aggressive Algorithms on a Budget" (Wang and Vucetic 2010), done again.

One pass over 1,000,000 rows of the noisy checkerboard (15% of the labels switched), tested on clean rows. As
in the paper gamma and C are chosen on the first 10,000 rows, and the unbounded algorithms end at 10,000
support vectors. Four panels: (a) time against rows, (b) accuracy against rows of the joint forms and (c) of
the nearest-neighbour forms, both beside the unbounded ones, (d) accuracy against labels queried. Then time
per update against the budget, on 100,000 rows.

Time is processor time of `learn` alone, so that other work on the machine does not count. Runs follow each
other in one process. Each finished one is a line of results/figure.csv; report_figure.py prints and draws
what is there.
"""

from __future__ import annotations

import argparse
import time

from budgetrs._core import checkerboard

from ..common import Arguments, Stopwatch, checkpoints, feed
from ..common.cells import read_records, write_records
from .report_figure import GROWTH, GROWTH_BUDGETS, LINES, key_of, name_of
from .run import Candidate, accuracy, choose, new_model

NOISE = 0.15
CHOICE_ROWS = 10_000
CUTS = 5
GROWTH_REPS = 3


def curve(method: str, budget: int | None, train, test, stop: int) -> dict:
    """Chooses the parameters on the first rows, learns all, and looks at the model every now and then."""
    x, y = train
    candidate, _ = choose(method, budget, (x[:CHOICE_ROWS], y[:CHOICE_ROWS]), CUTS)
    model, watch = new_model(method, budget, candidate), Stopwatch(time.process_time)
    points, start = [], 0
    for end in checkpoints(len(x)):
        stopped = feed(model, x[start:end], y[start:end], stop if budget is None else None, watch)
        start = end
        points.append(
            {
                "rows": model.n_samples_seen_,
                "queries": model.n_queries_,
                "updates": model.n_updates_,
                "support": model.n_support_vectors_,
                "seconds": watch.seconds,
                "accuracy": accuracy(model, test),
            }
        )
        if stopped:
            break
    return {
        "part": "curve",
        "method": method,
        "budget": budget,
        "gamma": candidate.gamma,
        "C": candidate.c,
        "points": points,
    }


def growth(method: str, candidate: Candidate, budget: int, train) -> dict:
    """The time of a pass at one budget, the least of several."""
    x, y = train
    seconds = []
    for _ in range(GROWTH_REPS):
        model, watch = new_model(method, budget, candidate), Stopwatch(time.process_time)
        with watch:
            model.learn(x, y)
        seconds.append(watch.seconds)
    return {
        "part": "growth",
        "method": method,
        "budget": budget,
        "rows": len(x),
        "updates": model.n_updates_,
        "seconds": min(seconds),
    }


def parse() -> argparse.Namespace:
    parser = Arguments(__file__, __doc__, parallel=False)
    parser.add_choice("--methods", LINES)
    parser.add_argument("--budgets", nargs="+", type=int, default=[100, 200], metavar="B")
    parser.add_argument("--length", type=int, default=1_000_000, help="rows (1,000,000)")
    parser.add_argument("--stop", type=int, default=10_000, help="support vectors that end an unbounded run")
    return parser.parsed("20,000 rows", length=20_000, stop=1_000)


def main() -> None:
    options = parse()
    path = options.out / "figure.csv"
    records = {key_of(record): record for record in read_records(path)}
    train, test = checkerboard(options.length, NOISE, seed=1), checkerboard(20_000, seed=2)
    short = tuple(part[: options.length // 10] for part in train)
    for method in options.methods:
        for budget in options.budgets if method.startswith("bpa") else (None,):
            found = [curve(method, budget, train, test, options.stop)]
            if method in GROWTH and budget == options.budgets[0]:
                candidate = Candidate(found[0]["gamma"], found[0]["C"])
                found += [growth(method, candidate, grown, short) for grown in GROWTH_BUDGETS]
            records |= {key_of(record): record for record in found}
            write_records(list(records.values()), path)
            print(f"{name_of(found[0])}: {found[0]['points'][-1]}", flush=True)


if __name__ == "__main__":
    main()
