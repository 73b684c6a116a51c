"""Wide sparse rows: generated text with and without `hash_features`, accuracy, rows per second and memory."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..cells import Options, Output, Record, table
from ..clock import in_new_process, peak_memory, seconds

GROUPS, WORDS, TOPICAL = 20, 150_000, 1500
BATCH, NARROW, WIDE = 1000, 13, 18
FOR_TEXT = {"algorithm": "online-kernel", "budget": 100, "maintenance": "oldest"}
FOR_TEXT |= {"scaling": "none", "metric_learning": "none"}  # and a linear term with the weight of the kernel
# The parameters, and the numbers of hashed features; 0 is no hashing.
MODELS: dict[str, tuple[dict[str, Any], tuple[int, ...]]] = {
    "online-kernel for text": (FOR_TEXT, (0, 1 << 10, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16)),
    "online-kernel": ({"algorithm": "online-kernel"}, (0, 1 << 8, 1 << 10)),
    "bsgd-merge": ({"algorithm": "bsgd-merge"}, (0, 1 << 10, 1 << 12)),
}
OPTIONS = {"rows": (20_000, "rows, of which four fifths are learned")}
QUICK = {"rows": 2_000}
COLUMNS = (
    *(("columns", -8, "2^{bits}"), ("model", -22, "{model}"), ("hashed", 8, "{features:d}")),
    *(("accuracy", 9, "{accuracy:.1%}"), ("learned/s", 10, "{learned:,.0f}")),
    *(("predicted/s", 12, "{predicted:,.0f}"), ("MB before", 10, "{before:.0f}"), ("peak", 6, "{peak:.0f}")),
)


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
    found = csr_matrix((counts.astype(np.float32), column[word], indptr), shape=(rows, 1 << bits))
    found.sum_duplicates()  # words that share a column are added up
    found.data = np.log1p(found.data)
    lengths = np.sqrt(np.add.reduceat(found.data**2, found.indptr[:-1]))
    found.data /= np.repeat(lengths, np.diff(found.indptr))
    for name, array in {
        "indptr": found.indptr,
        "indices": found.indices,
        "data": found.data,
        "y": group,
    }.items():
        np.save(folder / f"{name}{bits}.npy", array)


def measure(folder: Path, bits: int, title: str, features: int) -> Record:
    """The measurements of one model, in a process of its own."""
    from scipy.sparse import csr_matrix

    from budgetrs import Classifier

    names = ("data", "indices", "indptr", "y")
    data, indices, indptr, y = (np.load(folder / f"{name}{bits}.npy", mmap_mode="r") for name in names)
    last = round(0.8 * len(y))

    def batches(first: int, end: int) -> Iterator[tuple[csr_matrix, np.ndarray]]:
        for start in range(first, end, BATCH):
            part = indptr[start : min(start + BATCH, end) + 1]
            entries = slice(int(part[0]), int(part[-1]))
            arrays, n = (np.array(data[entries]), np.array(indices[entries]), part - part[0]), len(part) - 1
            yield csr_matrix(arrays, shape=(n, 1 << bits)), np.array(y[start : start + n])

    chosen = dict(MODELS[title][0])
    if chosen.get("maintenance"):
        chosen["linear_weight"] = float(features or 1 << bits)
    model = Classifier(hash_features=features or None, classes=list(range(GROUPS)), **chosen)
    before, right, predicting = peak_memory(), 0, 0.0
    learning = sum(seconds(model.learn, *batch) for batch in batches(0, last))
    for rows, labels in batches(last, len(y)):
        began = time.process_time()
        predicted = model.predict(rows)
        predicting += time.process_time() - began
        right += int((predicted == labels).sum())
    rest = len(y) - last
    speeds = {"learned": last / learning, "predicted": rest / predicting}
    return {"accuracy": right / rest, **speeds, "before": before, "peak": peak_memory()}


def main(options: Options, output: Output) -> None:
    output("".join(table(COLUMNS, [])))
    with tempfile.TemporaryDirectory() as folder:
        for bits in (NARROW, WIDE):
            write(Path(folder), options.rows, bits)
            for title, (_, widths) in MODELS.items():
                for features in widths:
                    if bits == WIDE and not features and title != "online-kernel for text":
                        continue  # gigabytes, and minutes
                    about = {"bits": bits, "model": title, "features": features or None}
                    record = about | in_new_process(measure, Path(folder), bits, title, features)
                    output(list(table(COLUMNS, [record]))[1])
