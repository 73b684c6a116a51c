"""Wide sparse rows: generated text with and without `hash_features`, accuracy, rows per second and memory.

    python -m benches.comparison.text [--quick]

The rows are documents of 20 groups: about 130 different words of 150,000, with frequencies by Zipf's law,
some of them typical of the group. A word is one of 2^18 columns (in the narrow set, 2^13); a row has the
logarithms of the counts, scaled to norm 1. Each model learns the rows once, 1000 at a time, in a separate
process, and then predicts other rows. Rows per second are of processor time, on one processor. The memory is
the peak of the process; the first number is the memory before learning.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from benches.comparison.memory import peak_memory

GROUPS, WORDS, TOPICAL = 20, 150_000, 1500
BATCH = 1000
NARROW, WIDE = 13, 18


def for_text(features: int) -> dict[str, object]:
    """The parameters for rows of norm 1: no scaling, and a linear term with the weight of the kernel."""
    plain = {"scaling": "none", "metric_learning": "none", "linear_weight": float(features)}
    return {"algorithm": "online-kernel", "budget": 100, "maintenance": "oldest", **plain}


# The parameters by the number of features, and the numbers of hashed features; 0 is no hashing.
MODELS = {
    "online-kernel for text": (for_text, (0, 1 << 10, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16)),
    "online-kernel": (lambda _: {"algorithm": "online-kernel"}, (0, 1 << 8, 1 << 10)),
    "bsgd-merge": (lambda _: {"algorithm": "bsgd-merge"}, (0, 1 << 10, 1 << 12)),
}


def draw(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The documents: groups, offsets of their words, words and counts."""
    heights = np.cumsum(1.0 / (np.arange(WORDS) + 10.0))
    heights /= heights[-1]
    fixed = np.random.default_rng(0)  # the language does not depend on the rows
    # Words of a group have all frequencies except the highest; groups share some words.
    topical = np.array([fixed.choice(np.arange(100, 30_000), TOPICAL, replace=False) for _ in range(GROUPS)])
    share = np.cumsum(1.0 / (np.arange(TOPICAL) + 20.0))
    share /= share[-1]
    group = rng.integers(GROUPS, size=rows)
    length = np.clip(rng.lognormal(4.8, 0.6, rows).astype(int), 15, 2000)
    row = np.repeat(np.arange(rows), length)
    word = np.searchsorted(heights, rng.random(len(row)))
    # Some documents have few words of their group.
    of_group = rng.random(len(row)) < np.repeat(rng.beta(2.0, 8.0, rows), length)
    inside = np.searchsorted(share, rng.random(len(row)))
    word[of_group] = topical[group[row], inside][of_group]
    key, counts = np.unique(row * np.int64(WORDS) + word, return_counts=True)
    indptr = np.searchsorted(key, np.arange(rows + 1) * np.int64(WORDS))
    return group, indptr, key % WORDS, counts


def write(folder: Path, rows: int, bits: int) -> None:
    """Write the rows as a CSR matrix, one file per array."""
    from scipy.sparse import csr_matrix

    group, indptr, word, counts = draw(np.random.default_rng(1), rows)
    column = np.random.default_rng(2).permutation(1 << WIDE)[:WORDS] % (1 << bits)
    # Words that share a column are added up.
    found = csr_matrix((counts.astype(np.float32), column[word], indptr), shape=(rows, 1 << bits))
    found.sum_duplicates()
    found.data = np.log1p(found.data)
    lengths = np.sqrt(np.add.reduceat(found.data**2, found.indptr[:-1]))
    found.data /= np.repeat(lengths, np.diff(found.indptr))
    for name in ("indptr", "indices", "data"):
        np.save(folder / f"{name}{bits}.npy", getattr(found, name))
    np.save(folder / f"y{bits}.npy", group)


def learn(folder: Path, bits: int, title: str, features: int | None) -> None:
    """The child process: prints the measurements of one model."""
    from scipy.sparse import csr_matrix

    from budgetrs import Classifier

    names = ("data", "indices", "indptr", "y")
    data, indices, indptr, y = (np.load(folder / f"{name}{bits}.npy", mmap_mode="r") for name in names)
    last = round(0.8 * len(y))

    def batches(first: int, end: int):
        for start in range(first, end, BATCH):
            part = indptr[start : min(start + BATCH, end) + 1]
            entries = slice(int(part[0]), int(part[-1]))
            rows = csr_matrix(
                (np.array(data[entries]), np.array(indices[entries]), part - part[0]),
                shape=(len(part) - 1, 1 << bits),
            )
            yield rows, np.array(y[start : start + rows.shape[0]])

    params = MODELS[title][0](features or 1 << bits)
    model = Classifier(hash_features=features, classes=list(range(GROUPS)), **params)
    before, seconds = peak_memory(), 0.0
    for rows, labels in batches(0, last):
        began = time.process_time()
        model.learn(rows, labels)
        seconds += time.process_time() - began
    right, predicting = 0, 0.0
    for rows, labels in batches(last, len(y)):
        began = time.process_time()
        predicted = model.predict(rows)
        predicting += time.process_time() - began
        right += int((predicted == labels).sum())
    rest = len(y) - last
    print(
        f"2^{bits:<4} {title:22} {features or '-':>7} {right / rest:8.1%} {last / seconds:9,.0f} "
        f"{rest / predicting:11,.0f} {before:8.0f} {peak_memory():6.0f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000, help="four fifths are learned (20000)")
    parser.add_argument("--quick", action="store_true", help="5000 rows")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        folder, bits, title, features = args.child
        learn(Path(folder), int(bits), title, int(features) or None)
        return
    rows = 5000 if args.quick else args.rows
    print(
        f"{'columns':6} {'model':22} {'hashed':>7} {'accuracy':>8} {'learned/s':>9} {'predicted/s':>11} "
        f"{'MB before':>8} {'peak':>5}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for bits in (NARROW, WIDE):
            write(Path(folder), rows, bits)
            for title, (_, widths) in MODELS.items():
                for features in widths:
                    if bits == WIDE and not features and title != "online-kernel for text":
                        continue  # gigabytes, and minutes
                    child = [
                        sys.executable,
                        "-m",
                        "benches.comparison.text",
                        "--child",
                        folder,
                        str(bits),
                        title,
                        str(features),
                    ]
                    subprocess.run(child, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})


if __name__ == "__main__":
    main()
