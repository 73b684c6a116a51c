"""What averaging the models of a pass gains on a budget (Le et al. 2016, Algorithms 2 and 3).

One pass over 100,000 rows of the noisy checkerboard (15% of the training labels switched, tested on clean
rows) and of waveform, hinge loss, alpha = 1e-4, B = 100, attributes standardised by the training rows, fresh
rows in each of 10 runs. gamma is the one from {1, 4, 16, 64}/d with the best last model on a stream of its
own, for each set and maintenance.

The last model, the mean of the models of the last half (average=True), of the last tenth, of all, and one
drawn at random from the last half ("random", the paper's Theorems 6 and 12). The budget is that of every
model: the mean has coefficients for the support vectors of the last model, no others. What is merged or
projected is merged or projected along in the mean; what is removed is lost there, and with it most of the
mean. "200 models" is the mean that is meant, of the scores of 200 models on the way through the last half,
which no budget could keep; "off" is how far the scores of the served mean of the last half lie from it, as a
share of its length.

"gain" is that over the last model in the same run, with its standard error. The claim: where vectors are
merged or projected, the mean of the last half is at least as accurate as the last model; and no model exceeds
the budget.
"""

from __future__ import annotations

import argparse
import itertools
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import (
    REPOSITORY,
    Stopwatch,
    checkerboard,
    deviation,
    pyplot,
    read_cells,
    run_cells,
    standardise,
    waveform,
)

ALPHA = 1e-4
BUDGET = 100
WIDTHS = (1, 4, 16, 64)  # gamma times d
NOISE = 0.15
TEST_ROWS = 20_000
CHOICE_SEED = 10_000
KINDS = {  # what is served, by the value of `average`
    "last": False,
    "last half": True,
    "last tenth": 0.1,
    "all": 1.0,
    "random": "random",
}
PROBLEMS = {"checkerboard": 2, "waveform": 21}  # features
SNAPSHOTS = 200  # in the mean that is meant
METHODS = {"merge": "bsgd-merge", "projection": "bsgd-project", "removal": "bsgd-smallest"}

Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Cell:
    """All runs of a set with one maintenance."""

    problem: str
    method: str
    length: int
    runs: int


def rows(name: str, length: int, seed: int) -> tuple[Rows, Rows]:
    """Training and test rows of a run."""
    if name == "checkerboard":
        train, test = checkerboard(length, 2 * seed, NOISE), checkerboard(TEST_ROWS, 2 * seed + 1)
    else:
        train, test = waveform(length, 2 * seed), waveform(TEST_ROWS, 2 * seed + 1)
    standardise(train[0], test[0])
    return train, test


def new_model(cell: Cell, gamma: float, kind: str, seed: int, train: Rows):
    """The native learner of such a stream."""
    from budgetrs import Classifier

    return Classifier(
        METHODS[cell.method],
        budget=BUDGET,
        alpha=ALPHA,
        gamma=gamma,
        seed=seed,
        classes=sorted(set(train[1].tolist())),
        average=KINDS[kind],
        stream_length=len(train[0]),
    )


def learned(cell: Cell, gamma: float, kind: str, seed: int, train: Rows):
    """The native learner after the pass, and the seconds of processor time."""
    model = new_model(cell, gamma, kind, seed, train)
    watch = Stopwatch(time.process_time)
    with watch:
        model.learn(*train)
    return model, watch.seconds


def accuracy(model, test: Rows) -> float:
    return 100.0 * float((np.asarray(model.predict(test[0])) == test[1]).mean())


def meant(cell: Cell, gamma: float, seed: int, train: Rows, test: Rows) -> np.ndarray:
    """The mean of the scores of models on the way through the last half of the rows."""
    x, y = train
    model, scores = new_model(cell, gamma, "last", seed, train), 0.0
    ends = np.linspace(len(x) // 2, len(x), SNAPSHOTS + 1).astype(int)
    model.learn(x[: ends[0]], y[: ends[0]])
    for start, end in itertools.pairwise(ends):
        scores = scores + np.asarray(model.decision_function(test[0]), np.float64) / SNAPSHOTS
        model.learn(x[start:end], y[start:end])
    return np.asarray(scores)


def beside_meant(scores: np.ndarray, served: np.ndarray, test: Rows) -> tuple[float, float]:
    """The accuracy of the mean that is meant, and how far the one that is served is from it."""
    best = scores.argmax(axis=1) if scores.ndim > 1 else scores > 0
    off = np.linalg.norm(np.asarray(served, np.float64) - scores) / np.linalg.norm(scores)
    return 100.0 * float((best == test[1]).mean()), float(off)


def run(cell: Cell) -> dict:
    """Chooses gamma, and learns every run with each kind of average."""
    d = PROBLEMS[cell.problem]
    train, test = rows(cell.problem, cell.length, CHOICE_SEED)
    choice = {width / d: accuracy(learned(cell, width / d, "last", 0, train)[0], test) for width in WIDTHS}
    gamma = max(choice, key=choice.__getitem__)
    found: dict[str, list[dict]] = {kind: [] for kind in KINDS}
    beside = []
    for seed in range(cell.runs):
        train, test = rows(cell.problem, cell.length, seed)
        for kind, results in found.items():
            model, seconds = learned(cell, gamma, kind, seed, train)
            size = max(model.n_support_vectors_, len(model.support_vectors_))
            results.append({"accuracy": accuracy(model, test), "size": size, "seconds": seconds})
            if kind == "last half":
                scores = meant(cell, gamma, seed, train, test)
                beside.append(beside_meant(scores, model.decision_function(test[0]), test))
    return {
        "set": cell.problem,
        "method": cell.method,
        "length": cell.length,
        "runs": cell.runs,
        "gamma": gamma,
        "choice": {f"{g:.4g}": round(score, 2) for g, score in choice.items()},
        "meant": [round(score, 3) for score, _ in beside],
        "off": float(np.mean([off for _, off in beside])),
        "kinds": {
            kind: {key: [result[key] for result in results] for key in results[0]}
            for kind, results in found.items()
        },
    }


def key_of(record: dict) -> tuple:
    """What names a cell."""
    return record["set"], record["method"]


def print_table(records: list[dict]) -> None:
    """One line to the kind of average; then whether the claim holds."""
    print(
        f"\n{'set':13}{'maintenance':12}{'served':11}{'accuracy':>15}{'least':>8}{'gain':>15}{'SVs':>6}"
        f"{'seconds':>9}{'gamma':>8}"
    )
    for record in sorted(records, key=lambda r: (r["set"], list(METHODS).index(r["method"]))):
        last = np.array(record["kinds"]["last"]["accuracy"])
        for kind, results in record["kinds"].items():
            scores = np.array(results["accuracy"])
            gain = scores - last
            error = deviation(list(gain)) / len(gain) ** 0.5
            told = "" if kind == "last" else f"{gain.mean():+8.2f} ±{error:.2f}"
            print(
                f"{record['set']:13}{record['method']:12}{kind:11}"
                f"{scores.mean():8.2f} ±{deviation(list(scores)):5.2f}{scores.min():8.2f}{told:>15}"
                f"{max(results['size']):6}{np.mean(results['seconds']):9.3f}{record['gamma']:8.4g}"
            )
        more = np.array(record["meant"]) - last
        print(
            f"{record['set']:13}{record['method']:12}{f'{SNAPSHOTS} models':11}"
            f"{np.mean(record['meant']):8.2f} ±{deviation(record['meant']):5.2f}{min(record['meant']):8.2f}"
            f"{f'{more.mean():+8.2f} ±{deviation(list(more)) / len(more) ** 0.5:.2f}':>15}"
            f"{'-':>6}{'off':>9}{100 * record['off']:7.1f}%"
        )
    print_claim(records)


def print_claim(records: list[dict]) -> None:
    """Whether it holds."""
    kept = all(max(results["size"]) <= BUDGET for r in records for results in r["kinds"].values())
    print("\nthe mean of the last half against the last model:")
    for record in records:
        gain = np.mean(record["kinds"]["last half"]["accuracy"]) - np.mean(
            record["kinds"]["last"]["accuracy"]
        )
        words = "at least as accurate" if gain >= 0 else "LESS accurate"
        print(f"  {record['set']}, {record['method']}: {words} ({gain:+.2f})")
    print(f"no model has more than {BUDGET} support vectors: {'yes' if kept else 'NO'}")


def draw(records: list[dict], path: Path) -> None:
    """The accuracies of all runs."""
    plt = pyplot()
    if plt is None:
        return

    figure, axes = plt.subplots(1, len(PROBLEMS), figsize=(12, 4.5), squeeze=False)
    for axis, name in zip(axes[0], PROBLEMS, strict=True):
        mine = [record for method in METHODS for record in records if key_of(record) == (name, method)]
        for i, record in enumerate(mine):
            for j, (kind, results) in enumerate(record["kinds"].items()):
                at = i + 0.15 * (j - 2)
                scores = results["accuracy"]
                axis.plot([at] * len(scores), scores, ".", color=f"C{j}", alpha=0.5)
                axis.plot(
                    at, np.mean(scores), "_", color=f"C{j}", markersize=14, label=kind if i == 0 else None
                )
        axis.set_xticks(range(len(mine)), [record["method"] for record in mine])
        axis.set(title=f"{name}, B = {BUDGET}", ylabel="accuracy (%)")
        axis.grid(alpha=0.3)
        axis.legend(title="served")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


def tell(record: dict) -> str:
    """One line of a finished cell."""
    means = (f"{kind} {np.mean(results['accuracy']):.2f}%" for kind, results in record["kinds"].items())
    return f"{record['set']} {record['method']}: " + ", ".join(means)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    many = {"nargs": "+", "metavar": "NAME"}
    parser.add_argument("--sets", **many, choices=PROBLEMS, default=list(PROBLEMS), help=", ".join(PROBLEMS))
    parser.add_argument("--methods", **many, choices=METHODS, default=list(METHODS), help=", ".join(METHODS))
    parser.add_argument("--length", type=int, default=100_000, help="training rows (100,000)")
    parser.add_argument("--runs", type=int, default=10, help="streams (10)")
    parser.add_argument("--quick", action="store_true", help="5,000 rows, two runs: does it run?")
    parser.add_argument("--report", action="store_true", help="run nothing, report what is in OUT")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "out")
    options = parser.parse_args()
    if options.quick:
        options.length, options.runs, options.out = 5_000, 2, options.out / "quick"
    return options


def main() -> None:
    options = parse()
    path = options.out / "averaging.jsonl"
    cells = [
        Cell(name, method, options.length, options.runs)
        for name in options.sets
        for method in options.methods
        if not options.report
    ]
    failed = run_cells(run, cells, path, options.jobs, tell)
    records = read_cells(path, key_of)
    if records:
        print_table(records)
        draw(records, path.with_suffix(".png"))
    if failed:
        raise SystemExit(f"{failed} cells failed")


if __name__ == "__main__":
    main()
