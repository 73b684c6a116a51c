"""What the Python benchmarks share: data sets, generators, standardisation, time and memory."""

from __future__ import annotations

import functools
import json
import lzma
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parent.parent
PIECE = 1 << 20  # bytes fed to the reader at a time
ROWS = 1 << 16  # rows generated or scaled at a time: temporaries stay in the cache


def data_folder() -> Path:
    """The folder of the LIBSVM files: BUDGETRS_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("BUDGETRS_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        sys.exit(f"no data in {folder}: set BUDGETRS_DATA to the folder of the *.libsvm.xz files")
    return folder


def pyplot() -> Any:
    """Matplotlib for files alone; None, and a word, where it is missing."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no figures: matplotlib is missing")
        return None
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    return plt


@functools.lru_cache(maxsize=4)
def load(name: str, n_features: int, task: str = "classification") -> tuple[np.ndarray, np.ndarray]:
    """`NAME.libsvm.xz` as (n, n_features) float32 and the labels as integers, or the numbers to predict."""
    path = data_folder() / f"{name}.libsvm.xz"
    if not path.is_file():
        sys.exit(f"{path} is missing; BUDGETRS_DATA names the folder")
    from budgetrs._core import Reader

    reader = Reader("libsvm", name=path.name, task=task, n_features=n_features)
    blocks, answers = [], []
    with lzma.open(path) as file:
        while piece := file.read(PIECE):
            reader.feed(piece)
            take(reader, n_features, blocks, answers)
    reader.finish()
    take(reader, n_features, blocks, answers)
    if task == "regression":
        return np.concatenate(blocks), np.concatenate(answers)
    labels = np.array(reader.labels).astype(np.int64)
    return np.concatenate(blocks), labels[np.concatenate(answers)]


def take(reader, n_features: int, blocks: list, answers: list) -> None:
    """Moves the complete rows out of the reader, as dense blocks."""
    rows = reader.take()
    if rows is None:
        return
    _, starts, columns, values, found, _ = rows
    block = np.zeros((len(found), n_features), np.float32)
    block[np.repeat(np.arange(len(found)), np.diff(starts)), columns] = values
    blocks.append(block)
    answers.append(found)


def checkerboard(n: int, seed: int, flip: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Points uniform on a 4 x 4 board, the class is the parity of the cell, a share `flip` of them wrong."""
    rng = np.random.default_rng(seed)
    x = 4 * rng.random((n, 2), np.float32)
    y = np.empty(n, np.int64)
    for i in range(0, n, ROWS):
        cells = x[i : i + ROWS].astype(np.int64)
        y[i : i + ROWS] = (cells[:, 0] + cells[:, 1]) % 2
    if flip:
        wrong = rng.random(n, np.float32) < flip
        y[wrong] = 1 - y[wrong]
    return x, y


def waveform(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Breiman's three classes of waves at 21 points: two of three triangles mixed at random, plus noise."""
    rng = np.random.default_rng(seed)
    points = np.arange(1, 22)
    triangles = np.maximum(6 - abs(points - np.array([[7], [15], [11]])), 0).astype(np.float32)
    first, second = triangles[[0, 0, 1]], triangles[[1, 2, 2]]
    y = rng.integers(0, 3, n)
    x = rng.standard_normal((n, 21), np.float32)
    for i in range(0, n, ROWS):
        classes = y[i : i + ROWS]
        u = rng.random((len(classes), 1), np.float32)
        x[i : i + ROWS] += u * first[classes] + (1 - u) * second[classes]
    return x, y


def standardise(train: np.ndarray, *others: np.ndarray) -> None:
    """Mean 0, standard deviation 1 over the rows of `train`, in place; a constant column is only shifted."""
    total, squares = np.zeros(train.shape[1]), np.zeros(train.shape[1])
    for i in range(0, len(train), ROWS):
        total += train[i : i + ROWS].sum(axis=0, dtype=np.float64)
    mean = total / len(train)
    for i in range(0, len(train), ROWS):
        squares += ((train[i : i + ROWS] - mean) ** 2).sum(axis=0)
    deviation = np.sqrt(squares / len(train))
    deviation[deviation == 0] = 1.0
    for x in (train, *others):
        for i in range(0, len(x), ROWS):
            x[i : i + ROWS] = (x[i : i + ROWS] - mean) / deviation


def deviation(values: list[float]) -> float:
    """The standard deviation of a sample; 0 of a single value."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


class Stopwatch:
    """Adds up the seconds spent inside its `with` blocks."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock = clock
        self.seconds = 0.0

    def __enter__(self) -> Stopwatch:
        self.start = self.clock()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds += self.clock() - self.start


def run_cells(
    run: Callable[[Any], dict], cells: Sequence[Any], path: Path, jobs: int, tell: Callable[[dict], str]
) -> int:
    """Runs cells in `jobs` processes, appends each record to `path` and tells of it; how many failed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    failed = 0
    with ProcessPoolExecutor(jobs, mp_context=context) as pool, path.open("a") as file:
        futures = {pool.submit(run, cell): cell for cell in cells}
        for number, future in enumerate(as_completed(futures), 1):
            at = f"[{number}/{len(cells)}]"
            if error := future.exception():
                print(f"{at} {futures[future]}: {error!r}", flush=True)
                failed += 1
                continue
            record = future.result()
            file.write(json.dumps(record) + "\n")
            file.flush()
            print(f"{at} {tell(record)}", flush=True)
    return failed


def read_cells(path: Path, key_of: Callable[[dict], tuple]) -> list[dict]:
    """All cells found so far, the last run of each."""
    if not path.is_file():
        return []
    found = {key_of(record): record for record in map(json.loads, path.read_text().splitlines())}
    return list(found.values())


def peak_memory(pid: int | str = "self") -> float:
    """The highest resident memory of a process so far, in MB; of this process where there is no /proc."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024
