"""The time of the passive-aggressive budgets as a ratio to the time of BSGD with merging, in one run.

float32, the same rows, kernel and budget; rounds take the methods in turn, and the medians over all rounds
are compared. Times are processor times of `learn`. Four times:

- row: a pass over a stream, over its rows;
- pass/update: the time of the pass per update, rows without an update included;
- update: the cost of an update beyond the pass over its row. A full model learns rows with a large margin, of
  which next to none updates it, and then rows within the margin or wrong, of which nearly all do. From the
  numbers of rows and updates of both and their times follow the times of a row and of an update;
- updating row: the sum of scoring and update: the cost of a row if every row updates.

The targets follow from the methods' costs: simple at most 1, nn at most 2, joint at most 10 at B = 100.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from budgetrs import Classifier
from budgetrs._core import checkerboard, waveform

METHODS = ("bsgd-merge", "bpa-s", "bpa-nn", "bpa-p", "pa-merge")
TARGETS = {
    "bpa-s": lambda _: 1.0,
    "bpa-nn": lambda _: 2.0,
    "bpa-p": lambda budget: 10.0 if budget == 100 else None,
}
TIMES = ("row", "pass/update", "update", "updating row")
PART = 5_000  # rows of each kind that a full model learns
LARGE = 1.1  # margin of a row that updates nothing


@dataclass(frozen=True)
class Stream:
    """The generator of rows, their number of classes, and gamma."""

    generate: Callable[[int, int], tuple[np.ndarray, np.ndarray]]
    n_classes: int
    gamma: float


STREAMS = {
    "checkerboard": Stream(lambda n, seed: checkerboard(n, 0.15, seed), 2, 8.0),
    "waveform": Stream(waveform, 3, 1 / 21),
}


@dataclass
class Contest:
    """A method at one budget: the model that is full, rows of both kinds for it, and the times measured."""

    new: Callable
    full: bytes
    easy: tuple[np.ndarray, np.ndarray]
    hard: tuple[np.ndarray, np.ndarray]
    times: list[dict[str, float]]
    updates: float = 0.0  # share of the rows of the pass


def margins(model, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The papers': `y f`, or the score of the true class less the strongest rival's."""
    scores = np.asarray(model.decision_function(x), np.float64)
    if scores.ndim == 1:
        return np.where(y == 1, scores, -scores)
    own = scores[np.arange(len(y)), y]
    rivals = scores.copy()
    rivals[np.arange(len(y)), y] = -np.inf
    return own - rivals.max(axis=1)


def timed(model, x: np.ndarray, y: np.ndarray) -> tuple[float, int]:
    """Seconds of the processor, and updates."""
    before = getattr(model, "n_updates_", 0)
    start = time.process_time()
    model.learn(x, y)
    return time.process_time() - start, model.n_updates_ - before


def prepare(method: str, budget: int, stream: Stream, rows: tuple, fresh: tuple) -> Contest:
    def new():
        return Classifier(
            method, budget=budget, gamma=stream.gamma, seed=0, classes=list(range(stream.n_classes))
        )

    model = new().learn(*rows)
    margin = margins(model, *fresh)
    easy, hard = np.flatnonzero(margin > LARGE)[:PART], np.flatnonzero(margin < 1)[:PART]
    return Contest(new, model.to_bytes(), tuple(a[easy] for a in fresh), tuple(a[hard] for a in fresh), [])


def measure(contest: Contest, rows: tuple[np.ndarray, np.ndarray]) -> None:
    """One round of one method: the three timed calls, and the four times from them."""
    whole, updates = timed(contest.new(), *rows)
    parts = []
    for x, y in (contest.easy, contest.hard):
        model = Classifier.from_bytes(contest.full)
        model.learn(x[:100], y[:100])  # what the model makes anew after loading is not timed
        parts.append((len(x[100:]), *timed(model, x[100:], y[100:])))
    counts = [[rows, updated] for rows, _, updated in parts]
    per_row, per_update = np.linalg.solve(counts, [seconds for _, seconds, _ in parts])
    n = len(rows[0])
    contest.updates = updates / n
    contest.times.append(
        dict(zip(TIMES, (whole / n, whole / updates, per_update, per_row + per_update), strict=True))
    )


def report(name: str, budget: int, contests: dict[str, Contest]) -> None:
    """The medians in microseconds, and their ratios to merging."""
    medians = {
        method: {key: float(np.median([times[key] for times in contest.times])) for key in TIMES}
        for method, contest in contests.items()
    }
    print(f"\n{name}, B = {budget}: microseconds (ratio to {METHODS[0]})")
    print(f"{'':12}{'updates':>8}" + "".join(f"{key:>20}" for key in TIMES) + "    target")
    for method, contest in contests.items():
        cells = (
            f"{1e6 * medians[method][key]:11.3f} ({medians[method][key] / medians[METHODS[0]][key]:5.2f}) "
            for key in TIMES
        )
        target = TARGETS.get(method, lambda _: None)(budget)
        limit = f"<= {target:g}" if target else ""
        print(f"{method:12}{100 * contest.updates:7.1f}%" + "".join(cells) + f"   {limit}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", choices=STREAMS, default=list(STREAMS), metavar="NAME")
    parser.add_argument("--budgets", nargs="+", type=int, default=[100, 500], metavar="B")
    parser.add_argument("--rows", type=int, default=50_000, help="of a pass (50,000)")
    parser.add_argument("--rounds", type=int, default=15, help="times that each is measured (15)")
    parser.add_argument("--quick", action="store_true", help="3 rounds of 10,000 rows: does it run?")
    options = parser.parse_args()
    if options.quick:
        options.rows, options.rounds = 10_000, 3
    for name in options.sets:
        stream = STREAMS[name]
        rows, fresh = stream.generate(options.rows, 1), stream.generate(100_000, 2)
        for budget in options.budgets:
            contests = {method: prepare(method, budget, stream, rows, fresh) for method in METHODS}
            for _ in range(options.rounds):
                for contest in contests.values():
                    measure(contest, rows)
            report(name, budget, contests)


if __name__ == "__main__":
    main()
