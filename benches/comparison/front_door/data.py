"""The raw rows of each set: in one of several orders, and cut into training and test rows."""

from __future__ import annotations

import functools
import gzip
from dataclasses import dataclass

import numpy as np
from experiments.common import data_file, load, standardise

from . import generate
from .generate import Stream, shuffle

FEATURES = {  # of the files
    "letter": 16,
    "usps": 256,
    "dna": 180,
    "a9a": 123,
    "ijcnn1": 22,
    "shuttle": 9,
    "noaa-weather": 8,
    "covertype": 54,
    "skin_nonskin": 3,
    "cadata": 8,
    "abalone": 8,
    "space_ga": 6,
}
N_TEST = {"noaa-weather": 3_631, "covertype": 50_000, "skin_nonskin": 50_000}  # of sets in one file
FILES = {"noaa": "noaa-weather", "skin": "skin_nonskin"}  # else the name up to its first hyphen
LENGTHS = {"covertype-50k": 50_000, "covertype-200k": 200_000, "covertype-500k": 500_000}
ORDERED = {"noaa": "noaa-weather", "covertype-ordered": "covertype"}  # streams in the order of their file
GENERATED = {
    "sea": (generate.sea, 5),
    "hyperplane": (generate.hyperplane, 6),
    "checkerboard": (generate.checkerboard, 7),
    "easy": (generate.easy, 8),
    "easy-sharp": (generate.easy_sharp, 8),
}
REGRESSION = ("cadata", "abalone", "space_ga", "friedman1", "friedman1-noisy")


@dataclass(frozen=True)
class Rows:
    """Training rows in the order of a run, and test rows; float32, and integer labels or float64 targets."""

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
def split(name: str) -> tuple[Stream, Stream]:
    """Training and test rows of a classification set, always the same."""
    file = FILES.get(name, name.partition("-")[0])
    if name == "waveform":
        return generate.waveform(200_000, 1), generate.waveform(20_000, 2)
    if name == "mnist":
        return mnist("train"), mnist("t10k")
    if file in N_TEST:
        x, y = load(file, FEATURES[file])
        order, n = shuffle(len(x), 4242), N_TEST[file]
        return (x[order[n:]], y[order[n:]]), (x[order[:n]], y[order[:n]])
    return load(f"{file}.train", FEATURES[file]), load(f"{file}.test", FEATURES[file])


def mnist(part: str) -> Stream:
    images, labels = (
        np.frombuffer(gzip.decompress(data_file(f"mnist-{part}-{kind}-ubyte.gz").read_bytes()), np.uint8)
        for kind in ("images-idx3", "labels-idx1")
    )
    return images[16:].reshape(-1, 784).astype(np.float32), labels[8:].astype(np.int64)


@functools.lru_cache(maxsize=1)
def targets(name: str) -> Stream:
    """All rows of a regression set."""
    if name.startswith("friedman1"):
        return generate.friedman(220_000, 5.0 if name == "friedman1-noisy" else 1.0)
    return load(name, FEATURES[name], "regression")


def rows(name: str, run: int, most: int | None) -> Rows:
    """The rows of a run: a permutation of the training rows; of a regression set a split as well."""
    if name in REGRESSION:
        x, y = targets(name)
        order, n = shuffle(len(x), 4000 + run), 20_000 if name.startswith("friedman1") else len(x) // 5
        (x, y), (x_test, y_test) = (x[order[n:]], y[order[n:]]), (x[order[:n]], y[order[:n]])
    else:
        (x, y), (x_test, y_test) = split(name)
    order = np.random.default_rng(run).permutation(len(x))[: LENGTHS.get(name)][:most]
    return Rows(x[order], y[order], x_test[:most], y_test[:most])


def stream(name: str, run: int, most: int | None) -> Stream:
    """The rows and labels of a stream in order; sets without drift are permuted."""
    if name in ORDERED:
        file = ORDERED[name]
        x, y = (part[:100_000] for part in load(file, FEATURES[file]))
    elif name in GENERATED:
        make, seed = GENERATED[name]
        x, y = make(seed + run)
    elif name == "letter-permuted":
        x, y = load("letter.train", FEATURES["letter"])
        first, second = (shuffle(len(x), 2 * run + i)[: most and most // 2] for i in (1, 2))
        x, y = x[np.concatenate([first, second])], np.concatenate([y[first], (7 * y[second] + 4) % 26 + 1])
    else:
        data = rows(name, run, most)
        x, y = data.x, data.y
    return x[:most], y[:most]
