"""Reading files: parsing of text, then ``budgetrs train`` beside learning from arrays, then real files.

The files of the first two parts are generated: 8 columns and a label, with 6 digits per number and with all
digits. One thread parses text; rates are per second of processor time. The command reads and learns in two
threads; the time that it prints is wall time. Learning from arrays takes the same rows in the same batches.
Real files are read from the folder that BUDGETRS_DATA names, by default ../shared/data beside the repository;
missing files are skipped and listed, and the exit code is then 77.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from budgetrs import Classifier
from budgetrs._core import Reader

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BUDGETRS_DATA") or REPOSITORY.parent / "shared" / "data")
MISSING = 77
SGD = ["--algorithm", "bsgd-merge"]  # fast, so that reading shows
RUNS = {  # the file, and the options of the model
    "a9a.train.libsvm.xz": [*SGD, "--set", "gamma=0.01"],
    "ijcnn1.train.libsvm.xz": [*SGD, "--set", "gamma=1"],
    "covertype.libsvm.xz": [*SGD, "--set", "gamma=0.3", "--scaling", "online"],
}
PIECE = 1 << 20  # bytes per read, as in the command
BLOCK = 10_000  # rows made at a time
WIDTH = 8
TIMES = 5


def rows(n_rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of two classes with a curved border between them."""
    rng = np.random.default_rng(0)
    inner, outer = rng.normal(size=(WIDTH, 16)), rng.normal(size=16)
    for start in range(0, n_rows, BLOCK):
        X = rng.normal(size=(min(BLOCK, n_rows - start), WIDTH))
        yield X, (np.tanh(X @ inner) @ outer > 0).astype(int)


def write(path: Path, n_rows: int, shown: Callable[[float], str]) -> None:
    """A file of such rows, as CSV with a header or as LIBSVM text."""
    is_csv = path.suffix == ".csv"
    with path.open("w") as file:
        if is_csv:
            file.write(",".join([*(f"x{j}" for j in range(WIDTH)), "label"]) + "\n")
        for X, y in rows(n_rows):
            for row, label in zip(X.tolist(), y.tolist(), strict=True):
                numbers = [shown(x) for x in row]
                pairs = (f"{j}:{number}" for j, number in enumerate(numbers, 1))
                file.write(",".join([*numbers, str(label)]) if is_csv else f"{label} {' '.join(pairs)}")
                file.write("\n")


SPELLINGS: dict[str, Callable[[float], str]] = {"6 digits": "{:.6g}".format, "all digits": repr}


def parsed(path: Path) -> Iterator[tuple[Any, ...]]:
    """The batches of a file, read from memory."""
    text = path.read_bytes()
    reader = Reader(path.suffix[1:], kinds="n" * text[: text.find(b"\n")].count(b",") + "t")
    for at in range(0, len(text), PIECE):
        reader.feed(text[at : at + PIECE])
        yield reader.take() or ()
    reader.finish()
    yield reader.take() or ()


def seconds_parsed(path: Path) -> float:
    """Seconds of the processor for the text; the median of several times."""
    times = []
    for _ in range(TIMES):
        batches = parsed(path)
        next(batches)  # the file is in memory then
        start = time.process_time()
        for _ in batches:
            pass
        times.append(time.process_time() - start)
    return median(times)


def apart(work: Callable[..., float], *given: object) -> float:
    """Call `work` in a separate process, since a command inherits the peak memory of its parent."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(work, *given).result()


def text(folder: Path, n_rows: int) -> None:
    """Print the rate of each format and number of digits."""
    print(f"{'text':24s} {'MB/s':>8s} {'rows/s':>12s}")
    for form in ("csv", "libsvm"):
        for spelling, shown in SPELLINGS.items():
            path = folder / f"text.{form}"
            write(path, n_rows, shown)
            seconds = apart(seconds_parsed, path)
            size = path.stat().st_size - PIECE
            read = n_rows * size / path.stat().st_size
            print(
                f"{f'{form}, {spelling}':24s} {size / seconds / 1e6:8.0f} {read / seconds:12,.0f}",
                flush=True,
            )
            path.unlink()


def learned_alone(path: Path, algorithm: str, budget: int) -> float:
    """Seconds of learning a CSV file from arrays."""
    batches = [batch[1:] for batch in parsed(path) if batch]
    model = Classifier(algorithm, budget=budget, classes=[0, 1])
    start = time.perf_counter()
    for X, y in batches:
        model.learn(X, y)
    return time.perf_counter() - start


def beside_learning(folder: Path, n_rows: int, budget: int) -> None:
    """Print the rate of the command for a file, beside the rate of learning from arrays."""
    print(f"\n{'train':36s} {'rows':>10s} {'rows/s':>11s} {'learning':>11s} {'ratio':>6s} {'memory':>10s}")
    for spelling, shown in SPELLINGS.items():
        for count in (n_rows // 10, n_rows):
            path = folder / "rows.csv"
            write(path, count, shown)
            for algorithm in ("bsgd-merge", "online-kernel"):
                runs = []
                for _ in range(TIMES):
                    found = train(path, ["--algorithm", algorithm, "--budget", str(budget)])
                    runs.append((float(found["rows/s"].replace(",", "")), found["peak memory"]))
                    runs[-1] += (count / apart(learned_alone, path, algorithm, budget),)
                pace, alone = median(run[0] for run in runs), median(run[2] for run in runs)
                print(
                    f"{f'{algorithm}, csv, {spelling}':36s} {count:10,d} {pace:11,.0f} {alone:11,.0f} "
                    f"{median(run[0] / run[2] for run in runs):6.2f} {max(run[1] for run in runs):>10s}",
                    flush=True,
                )


def train(path: Path, options: list[str]) -> dict[str, str]:
    """Train a model on a file; return the output of the command."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "budgetrs", "train", str(path), "-q", "-o", f"{folder}/model"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{path.name}: {done.stderr.strip()}")
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budget", type=int, default=100, metavar="N", help="support vectors (100)")
    parser.add_argument(
        "--rows",
        type=int,
        default=1_000_000,
        metavar="N",
        help="rows of the longest file that is made (1000000)",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text(Path(folder), options.rows // 5)
        beside_learning(Path(folder), options.rows, options.budget)
    print()
    missing = [name for name in RUNS if not (DATA / name).is_file()]
    for name, model in RUNS.items():
        if name not in missing:
            found = train(DATA / name, ["--budget", str(options.budget), *model])
            accuracy = found["progressive accuracy"]
            print(
                f"{name}: {found['rows/s']} rows/s, {accuracy} progressive accuracy, {found['peak memory']}"
            )
    for name in missing:
        print(f"missing: {DATA / name}")
    sys.exit(MISSING if missing else 0)


if __name__ == "__main__":
    main()
