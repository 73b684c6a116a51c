"""Models by key: rows per second, bytes per key, the time of single rows, and equality to separate models.

python -m benches.comparison.keyed [--keys 200000] [--rows 20000000] [--memory 1000000000] [--keep]
"""

import argparse
import resource
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from benches.comparison.kept import Shown

from budgetrs import Classifier, KeyedModels

FEATURES = 8
BATCH = 1_000_000


def batch(number: int, size: int, keys: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of random keys; each key has another decision boundary."""
    rng = np.random.default_rng([number, keys])
    X = rng.standard_normal((size, FEATURES), dtype=np.float32)
    of = rng.integers(0, keys, size)
    return X, (X[:, 0] * X[:, 1] > (of % 10 - 5) / 10).astype(np.int64), of


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.comparison.keyed", description=__doc__)
    parser.add_argument("--keys", type=int, default=20_000)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--memory", type=int, default=100_000_000)
    parser.add_argument("--algorithm", default="online-kernel")
    parser.add_argument(
        "--keep", action="store_true", help="write what is printed to benches/comparison/results"
    )
    given = parser.parse_args()
    show = Shown()
    make = Classifier(given.algorithm, budget=20)
    folder = Path(tempfile.mkdtemp())
    models = KeyedModels(make, max_memory=given.memory, spill_dir=folder)
    drawn = np.random.default_rng(7).choice(given.keys, min(200, given.keys), replace=False)
    alone = {int(key): Classifier(given.algorithm, budget=20) for key in drawn}
    spent = 0.0
    for number, first in enumerate(range(0, given.rows, BATCH)):
        X, y, of = batch(number, min(BATCH, given.rows - first), given.keys)
        began = time.perf_counter()
        models.learn(X, y, of)
        spent += time.perf_counter() - began
        for key in np.intersect1d(drawn, of).tolist():
            alone[key].learn(X[of == key], y[of == key])
        rows = first + len(X)
        show(f"{rows:>10,} rows  {rows / spent:>9,.0f} rows/s  {models.n_in_memory_:>7,} in memory")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    show(f"peak memory of the process {peak / 1e9:.2f} GB, of models {models.memory_used_ / 1e9:.2f} GB")
    times = []
    X, y, of = batch(10**6, 20_000, given.keys)
    for x, label, key in zip(X, y.tolist(), of.tolist(), strict=True):
        began = time.perf_counter()
        models.learn_one(x, label, key)
        times.append(time.perf_counter() - began)
        if key in alone:
            alone[key].learn_one(x, label)
    half, late = np.quantile(times, [0.5, 0.99]) * 1e6
    show(f"learn_one by random keys: median {half:.0f} us, p99 {late:.0f} us")
    began = time.perf_counter()
    models.save(folder / "saved")
    saving = time.perf_counter() - began
    size = (folder / "saved").stat().st_size
    began = time.perf_counter()
    again = KeyedModels.load(folder / "saved", max_memory=given.memory)
    loading = time.perf_counter() - began
    show(f"saved in {saving:.1f} s, {size / len(models):,.0f} bytes to the key; loaded in {loading:.2f} s")
    known = [key for key in alone if key in models]
    equal = sum(again[key].to_bytes() == alone[key].to_bytes() for key in known)
    show(f"of {len(known)} keys drawn, {equal} equal a model alone after saving and loading, bit for bit")
    shutil.rmtree(folder)
    if given.keep:
        show.keep("keyed", given.algorithm)


if __name__ == "__main__":
    main()
