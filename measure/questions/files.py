"""Parsing of text, ``budgetrs train`` compared with learning from arrays, and training on real files."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..cells import Options, Output
from ..clock import in_new_process, seconds
from ..data import data_file

SGD = ["--algorithm", "bsgd-merge"]  # fast, so that reading is a large share
FILES = {  # and the options of the model
    "a9a.train.libsvm.xz": [*SGD, "--set", "gamma=0.01"],
    "ijcnn1.train.libsvm.xz": [*SGD, "--set", "gamma=1"],
    "covertype.libsvm.xz": [*SGD, "--set", "gamma=0.3", "--scaling", "online"],
}
PIECE = 1 << 20  # bytes per read, as in the command
BLOCK, WIDTH, TIMES = 10_000, 8, 5  # rows made at a time, columns, and repetitions
SPELLINGS: dict[str, Callable[[float], str]] = {"6 digits": "{:.6g}".format, "all digits": repr}
OPTIONS = {"budget": (100, "support vectors"), "rows": (1_000_000, "rows of the longest file that is made")}
QUICK = {"rows": 200_000}


def write(path: Path, n_rows: int, shown: Callable[[float], str]) -> None:
    """Rows of two classes with a curved border between them, as CSV with a header or as LIBSVM text."""
    rng, is_csv = np.random.default_rng(0), path.suffix == ".csv"
    inner, outer = rng.normal(size=(WIDTH, 16)), rng.normal(size=16)
    with path.open("w") as file:
        if is_csv:
            file.write(",".join([*(f"x{j}" for j in range(WIDTH)), "label"]) + "\n")
        for start in range(0, n_rows, BLOCK):
            X = rng.normal(size=(min(BLOCK, n_rows - start), WIDTH))
            y = (np.tanh(X @ inner) @ outer > 0).astype(int)
            for row, label in zip(X.tolist(), y.tolist(), strict=True):
                numbers = [shown(x) for x in row]
                pairs = (f"{j}:{number}" for j, number in enumerate(numbers, 1))
                file.write(",".join([*numbers, str(label)]) if is_csv else f"{label} {' '.join(pairs)}")
                file.write("\n")


def parsed(path: Path) -> Iterator[tuple[Any, ...]]:
    """The batches of a file, read from memory."""
    from budgetrs._core import Reader

    kinds = "n" * WIDTH + "t"
    text, reader = path.read_bytes(), Reader(path.suffix[1:], kinds=kinds, header=True)
    for at in range(0, len(text), PIECE):
        reader.feed(text[at : at + PIECE])
        yield reader.take() or ()
    reader.finish()
    yield reader.take() or ()


def seconds_parsed(path: Path) -> float:
    """The median of several times; the first piece is not counted, when the file is read into memory."""
    times = []
    for _ in range(TIMES):
        batches = parsed(path)
        next(batches)
        times.append(seconds(lambda batches=batches: [None for _ in batches]))
    return median(times)


def seconds_learned(path: Path, algorithm: str, budget: int) -> float:
    """Wall seconds of learning a CSV file from arrays."""
    from budgetrs import Classifier

    batches = [(batch[0], batch[4][0]) for batch in parsed(path) if batch]
    model = Classifier(algorithm, budget=budget, classes=[0, 1])
    return sum(seconds(model.learn, X, y, clock=time.perf_counter) for X, y in batches)


def train(path: Path, options: list[str]) -> dict[str, str]:
    """Train a model on a file; return the output of the command."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "budgetrs", "train", str(path), "-q", "-o", f"{folder}/model"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{path.name}: {done.stderr.strip()}")
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def main(options: Options, output: Output) -> None:
    with tempfile.TemporaryDirectory() as name:
        output(f"{'text':24s} {'MB/s':>8s} {'rows/s':>12s}")
        for form in ("csv", "libsvm"):
            for spelling, shown in SPELLINGS.items():
                path = Path(name) / f"text.{form}"
                write(path, options.rows // 5, shown)
                took, total = in_new_process(seconds_parsed, path), path.stat().st_size
                size = total - PIECE
                rate = options.rows // 5 * size / total / took
                output(f"{f'{form}, {spelling}':24s} {size / took / 1e6:8.0f} {rate:12,.0f}")
        heads = f"{'rows':>10s} {'rows/s':>11s} {'learning':>11s} {'ratio':>6s} {'memory':>10s}"
        output(f"\n{'train':36s} {heads}")
        for spelling, shown in SPELLINGS.items():
            for count in (options.rows // 10, options.rows):
                path = Path(name) / "rows.csv"
                write(path, count, shown)
                for algorithm in ("bsgd-merge", "online-kernel"):
                    commands, arrays = [], []
                    for _ in range(TIMES):
                        commands.append(
                            train(path, ["--algorithm", algorithm, "--budget", str(options.budget)])
                        )
                        arrays.append(
                            count / in_new_process(seconds_learned, path, algorithm, options.budget)
                        )
                    rates = [float(found["rows/s"].replace(",", "")) for found in commands]
                    ratio = median(a / b for a, b in zip(rates, arrays, strict=True))
                    memory = max(found["peak memory"] for found in commands)
                    line = f"{f'{algorithm}, csv, {spelling}':36s} {count:10,d} {median(rates):11,.0f} "
                    output(f"{line}{median(arrays):11,.0f} {ratio:6.2f} {memory:>10s}")
    output()
    for name, model in FILES.items():
        if path := output.attempt(data_file, name):
            found = train(path, ["--budget", str(options.budget), *model])
            accuracy = found["progressive accuracy"]
            output(
                f"{name}: {found['rows/s']} rows/s, {accuracy} progressive accuracy, {found['peak memory']}"
            )
