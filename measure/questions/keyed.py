"""Models per key: rows per second, bytes per key, time of single rows, equality to separate models."""

import tempfile
import time
from pathlib import Path

import numpy as np

from budgetrs import Classifier, KeyedModels

from ..cells import Options, Output
from ..clock import peak_memory, seconds

FEATURES, BATCH, BUDGET = 8, 1_000_000, 20
OPTIONS = {
    "keys": (20_000, "keys"),
    "rows": (2_000_000, "rows"),
    "memory": (100_000_000, "bytes of the models at most"),
    "algorithm": ("online-kernel", "algorithm"),
}
QUICK = {"keys": 200, "rows": 20_000, "memory": 1_000_000}


def variant(options: Options) -> str:
    return options.algorithm


def batch(number: int, size: int, keys: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of random keys; the decision boundary depends on the key."""
    rng = np.random.default_rng([number, keys])
    X, of = rng.standard_normal((size, FEATURES), dtype=np.float32), rng.integers(0, keys, size)
    return X, (X[:, 0] * X[:, 1] > (of % 10 - 5) / 10).astype(np.int64), of


def main(options: Options, output: Output) -> None:
    drawn = np.random.default_rng(7).choice(options.keys, min(200, options.keys), replace=False)
    alone = {int(key): Classifier(options.algorithm, budget=BUDGET) for key in drawn}
    with tempfile.TemporaryDirectory() as name:
        folder, saved, spent = Path(name), Path(name) / "saved", 0.0
        template = Classifier(options.algorithm, budget=BUDGET)
        models = KeyedModels(template, max_memory=options.memory, spill_dir=folder)
        for number, first in enumerate(range(0, options.rows, BATCH)):
            X, y, of = batch(number, min(BATCH, options.rows - first), options.keys)
            spent += seconds(models.learn, X, y, of, clock=time.perf_counter)
            for key in np.intersect1d(drawn, of).tolist():
                alone[key].learn(X[of == key], y[of == key])
            rows = first + len(X)
            output(f"{rows:>10,} rows  {rows / spent:>9,.0f} rows/s  {models.n_in_memory_:>7,} in memory")
        peak, held = peak_memory() * 2**20 / 1e9, models.memory_used_ / 1e9
        output(f"peak memory of the process {peak:.2f} GB, of models {held:.2f} GB")
        times = []
        X, y, of = batch(10**6, 20_000, options.keys)
        for x, label, key in zip(X, y.tolist(), of.tolist(), strict=True):
            times.append(seconds(models.learn_one, x, label, key, clock=time.perf_counter))
            if key in alone:
                alone[key].learn_one(x, label)
        half, late = np.quantile(times, [0.5, 0.99]) * 1e6
        output(f"learn_one by random keys: median {half:.0f} us, p99 {late:.0f} us")
        saving = seconds(models.save, saved, clock=time.perf_counter)
        size = saved.stat().st_size / len(models)
        began = time.perf_counter()
        again = KeyedModels.load(saved, max_memory=options.memory)
        loading = time.perf_counter() - began
        output(f"saved in {saving:.1f} s, {size:,.0f} bytes to the key; loaded in {loading:.2f} s")
        known = [key for key in alone if key in models]
        equal = sum(again[key].to_bytes() == alone[key].to_bytes() for key in known)
        output(
            f"of {len(known)} keys drawn, {equal} equal a model alone after saving and loading, bit for bit"
        )
