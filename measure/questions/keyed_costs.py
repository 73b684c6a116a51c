"""Models per key: what the order of rows, disk, saving and the index cost.

Seconds are of the processor, of one thread; a ratio above 1 is slower. Everything is learned in batches.
"""

import tempfile
from pathlib import Path

import numpy as np

from budgetrs import Classifier, KeyedModels

from ..cells import Options, Output
from ..clock import in_new_process, peak_memory, reset_peak, seconds
from .keyed import BUDGET, batch

OPTIONS = {
    "keys": (100_000, "keys"),
    "rows": (1_000_000, "rows in a batch"),
    "share": (0.1, "share of the models that fit into memory, if not all do"),
    "algorithm": ("bsgd-merge", "algorithm"),
}
QUICK = {"keys": 300, "rows": 6_000}


def main(options: Options, output: Output) -> None:
    keys, rows = options.keys, options.rows
    template = Classifier(options.algorithm, budget=BUDGET)

    def new(memory: int = 2**40) -> KeyedModels:
        return KeyedModels(template, max_memory=memory, n_jobs=1)

    X, y, of = batch(0, rows, keys)
    order = np.argsort(of, kind="stable")
    times: list[list[float]] = [[], []]
    for _ in range(3):
        for spent, what in zip(times, ((X, y, of), (X[order], y[order], of[order])), strict=True):
            spent.append(seconds(new().learn, *what))
    scattered, sorted_ = map(min, times)
    models = new().learn(X, y, of)
    output(f"learning {rows:,} rows of {len(models):,} keys, the fastest of 3 times each")
    output(
        f"in random order {scattered:.2f} s, sorted by key {sorted_:.2f} s, ratio {scattered / sorted_:.2f}"
    )

    X, y, of = batch(1, rows, keys)
    spilling = new(int(models.memory_used_ * options.share))
    spilling.learn(*batch(0, rows, keys))
    spilled, held = seconds(spilling.learn, X, y, of), seconds(models.learn, X, y, of)
    some = f"{spilling.n_in_memory_:,} in memory {spilled:.2f} s, ratio {spilled / held:.2f}"
    output(f"as many again, all models in memory {held:.2f} s, {some}")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "models"

        def save(what: str) -> None:
            before = path.stat().st_size if path.exists() else 0
            spent = seconds(models.save, path)
            size = path.stat().st_size
            output(f"{what:<40} {spent:>7.3f} s {size / 1e6:>8.1f} MB, {(size - before) / 1e6:+.1f} MB")

        save("first save")
        save("save without a change")
        for n in (1, keys // 100, keys // 10, keys):
            some = np.arange(n)
            models.learn(X[some], y[some], some)
            save(f"save after a row of {n:,} keys")
        del models[0]
        save("save after a deleted key")
        output(f"loading {seconds(KeyedModels.load, path):.3f} s")
        loaded = KeyedModels.load(path)
        some = np.arange(1, min(1001, keys)).tolist()
        reading = seconds(lambda: [loaded[key] for key in some]) / len(some)
        output(f"index {in_new_process(index, path):.0f} bytes per key, at the peak of loading")

    counting = seconds(models.counts)
    output(
        f"counts of {len(models):,} keys {counting:.3f} s; reading models instead {reading * 1e6:.0f} us each"
    )
    unseen = [0]

    def remove() -> None:
        unseen[0] = models.remove_unseen(keys // 2)

    spent = seconds(remove)
    output(f"remove_unseen of {unseen[0]:,} keys {spent:.3f} s")


def index(path: Path) -> float:
    """The bytes per key that loading takes, without any model."""
    reset_peak()
    before = peak_memory()
    loaded = KeyedModels.load(path)
    return (peak_memory() - before) * 2**20 / len(loaded)
