"""The data sets of "Online Classification on a Budget" (Crammer, Kandola, Singer 2003)."""

from __future__ import annotations

import functools
import gzip
from dataclasses import dataclass

import numpy as np

from ..common import data_file, load, standardise


@dataclass(frozen=True)
class Problem:
    """A data set, the cache sizes that are tried, and the number of shuffles."""

    n_features: int
    n_classes: int
    sizes: tuple[int, ...]
    reps: int = 5
    choice_rows: int = 20_000  # at most so many training rows to choose the parameters of the SVM on


PROBLEMS = {
    "mnist": Problem(784, 10, (500, 1000, 2000, 4000, 8000, 12000), reps=2, choice_rows=4_000),
    "usps": Problem(256, 10, (50, 100, 200, 300, 500, 700, 1000, 1400, 2000)),
    "letter": Problem(16, 26, (500, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000)),
}

Rows = tuple[np.ndarray, np.ndarray]


def mnist(part: str) -> Rows:
    """The pixels as bytes, one image to the row, and the digits."""
    arrays = []
    for kind, header in (("images-idx3", 16), ("labels-idx1", 8)):
        path = data_file(f"mnist-{part}-{kind}-ubyte.gz")
        arrays.append(np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8, offset=header))
    pixels, digits = arrays
    return pixels.reshape(len(digits), -1), digits.astype(np.int64)


@functools.lru_cache(maxsize=1)
def rows(name: str) -> tuple[Rows, Rows]:
    """The training rows in their own order and the test rows, scaled, as float32."""
    if name == "mnist":
        parts = [mnist("train"), mnist("t10k")]
    else:
        loaded = [load(f"{name}.{part}", PROBLEMS[name].n_features) for part in ("train", "test")]
        parts = [(x.copy(), y - 1) for x, y in loaded]
    (x, y), (x_test, y_test) = parts
    if name == "letter":
        standardise(x, x_test)
        return (x, y), (x_test, y_test)
    if name == "usps":
        x, x_test = (x + 1) / 2, (x_test + 1) / 2
    return (to_length_1(x), y), (to_length_1(x_test), y_test)


def to_length_1(x: np.ndarray) -> np.ndarray:
    x = x.astype(np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return x
