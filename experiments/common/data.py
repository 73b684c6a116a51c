"""The data files of the experiments, and their standardisation."""

from __future__ import annotations

import functools
import lzma
import os
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
PIECE = 1 << 20  # bytes fed to the reader at a time
ROWS = 1 << 16  # rows scaled at a time: temporaries stay in the cache


class MissingDataError(Exception):
    """A data file is not in the data folder."""


def data_folder() -> Path:
    """The folder of the data files: BUDGETRS_DATA, or ../shared/data beside the repository."""
    return Path(os.environ.get("BUDGETRS_DATA") or REPOSITORY.parent / "shared" / "data")


def data_file(name: str) -> Path:
    """The path of a data file; a `MissingDataError` where there is none."""
    path = data_folder() / name
    if not path.is_file():
        raise MissingDataError(f"{path} is missing (set BUDGETRS_DATA to the folder of the data)")
    return path


@functools.lru_cache(maxsize=4)
def load(name: str, n_features: int, task: str = "classification") -> tuple[np.ndarray, np.ndarray]:
    """`NAME.libsvm.xz` as (n, n_features) float32 and the labels as integers, or the regression targets."""
    path = data_file(f"{name}.libsvm.xz")
    from budgetrs._core import Reader

    reader = Reader("libsvm", task="regression", max_features=n_features)
    blocks, targets = [], []
    with lzma.open(path) as file:
        while piece := file.read(PIECE):
            reader.feed(piece)
            take(reader, n_features, blocks, targets)
    reader.finish()
    take(reader, n_features, blocks, targets)
    found = np.concatenate(targets)
    return np.concatenate(blocks), found if task == "regression" else found.astype(np.int64)


def take(reader, n_features: int, blocks: list, targets: list) -> None:
    """Move the complete rows out of the reader, as dense blocks."""
    rows = reader.take()
    if rows is None:
        return
    values, _, starts, columns, found, _ = rows
    block = np.zeros((len(found), n_features), np.float32)
    block[np.repeat(np.arange(len(found)), np.diff(starts)), columns] = values
    blocks.append(block)
    targets.append(found)


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
