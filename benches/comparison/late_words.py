"""Features that appear one by one, compared with features that are all known from the first row.

    python -m benches.comparison.late_words [--keep]

1,000 texts of 11 of 3,002 words are predicted, then learned: by the River model as dicts of their words, and
by the native model as arrays of all words. `--keep` writes the output to
benches/comparison/results/late_words.txt.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from benches.comparison.kept import Shown

from budgetrs import Classifier, river

TEXTS, WORDS, LENGTH, ROUNDS = 1_000, 3_000, 10, 5


def texts() -> list[tuple[dict[int, float], bool]]:
    """Texts of random words and one word that tells the label."""
    rng = np.random.default_rng(0)
    words = [dict.fromkeys(rng.choice(WORDS, LENGTH).tolist(), 1.0) for _ in range(TEXTS)]
    return [({**text, WORDS + i % 2: 1.0}, bool(i % 2)) for i, text in enumerate(words)]


def one_by_one(rows: list[tuple[dict[int, float], bool]]) -> float:
    model, start = river.Classifier(), time.process_time()
    for x, y in rows:
        model.predict_one(x)
        model.learn_one(x, y)
    return time.process_time() - start


def all_known(rows: list[tuple[dict[int, float], bool]]) -> float:
    table = np.zeros((TEXTS, WORDS + 2))
    for row, (x, _) in zip(table, rows, strict=True):
        row[list(x)] = 1.0
    model, start = Classifier(classes=[False, True]), time.process_time()
    for i, (row, (_, y)) in enumerate(zip(table, rows, strict=True)):
        if i:
            model.predict_one(row)
        model.learn_one(row, y)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", action="store_true", help="write the result file")
    options, show, rows = parser.parse_args(), Shown(), texts()
    pairs = [(one_by_one(rows), all_known(rows)) for _ in range(ROUNDS)]
    late, known = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    show(f"{TEXTS:,} texts, {len({word for x, _ in rows for word in x}):,} words; median of {ROUNDS} rounds")
    show(f"words that appear one by one {late:6.2f} s")
    show(f"all known from the first row {known:6.2f} s")
    show(f"ratio                        {ratio:6.2f}")
    if options.keep:
        show.keep("late_words")


if __name__ == "__main__":
    main()
