"""Features that appear one by one, compared with features that are all known from the first row."""

import statistics
from collections.abc import Iterable
from typing import Any

import numpy as np

from budgetrs import Classifier, river

from ..cells import Options, Output
from ..clock import seconds

WORDS, LENGTH = 3_000, 10
OPTIONS = {"texts": (1_000, "texts"), "rounds": (5, "rounds")}
QUICK = {"texts": 100, "rounds": 1}


def progressive(model: Any, rows: Iterable, labels: list[bool]) -> None:
    for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
        if i:
            model.predict_one(x)
        model.learn_one(x, y)


def main(options: Options, output: Output) -> None:
    rng, labels = np.random.default_rng(0), [bool(i % 2) for i in range(options.texts)]
    # Random words, and one word that depends on the label.
    texts = [dict.fromkeys([*rng.choice(WORDS, LENGTH).tolist(), WORDS + y], 1.0) for y in labels]
    table = np.zeros((options.texts, WORDS + 2))
    for row, text in zip(table, texts, strict=True):
        row[list(text)] = 1.0
    pairs = [
        (
            seconds(progressive, river.Classifier(), texts, labels),
            seconds(progressive, Classifier(classes=[False, True]), table, labels),
        )
        for _ in range(options.rounds)
    ]
    new, known = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    words = len({word for text in texts for word in text})
    output(f"{options.texts:,} texts, {words:,} words; median of {options.rounds} rounds")
    output(f"words that appear one by one {new:6.2f} s")
    output(f"all known from the first row {known:6.2f} s")
    output(f"ratio                        {ratio:6.2f}")
