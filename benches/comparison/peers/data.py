"""The rows that all models learn: sets with test rows, and streams, predicted before they are learned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benches.comparison.front_door import data as front_door
from benches.comparison.front_door.data import Rows
from experiments.common import MissingDataError

from .limits import Limits

SETS = ("a9a", "letter", "covertype-200k", "checkerboard", "waveform")
STREAMS = ("elec2", "sea", "hyperplane", "noaa")
SPARSE = ("a9a",)
GENERATED = 200_000  # training rows of a generated set; a tenth as many test rows


@dataclass(frozen=True)
class Found:
    """The rows of a set or of a stream; a stream has no test rows."""

    name: str
    rows: Rows
    is_stream: bool = False

    @property
    def is_sparse(self) -> bool:
        return self.name in SPARSE

    def write(self, folder: Path) -> None:
        """The rows as arrays, a file each: dense, and sparse where most are zeros; classes from 0 on."""
        folder.mkdir(parents=True, exist_ok=True)
        for part in ("x", "x_test"):
            np.save(folder / f"{part}.npy", getattr(self.rows, part))
        for part in ("y", "y_test"):  # River's models of two classes know labels as bool, 0 and 1 alone
            np.save(folder / f"{part}.npy", np.searchsorted(self.rows.classes, getattr(self.rows, part)))
        if self.is_sparse:
            from scipy.sparse import csr_matrix, save_npz

            for part in ("x", "x_test"):
                save_npz(folder / f"{part}.npz", csr_matrix(getattr(self.rows, part)), compressed=False)


def load_set(name: str, limits: Limits) -> Found:
    if name in ("checkerboard", "waveform"):
        from budgetrs import _core

        make = getattr(_core, name)
        n = min(GENERATED, limits.rows or GENERATED)
        return Found(name, Rows(*make(n, seed=1), *make(max(n // 10, 1000), seed=2)))
    return Found(name, front_door.rows(name, 0, limits.rows))


def load_stream(name: str, limits: Limits) -> Found:
    x, y = elec2() if name == "elec2" else front_door.stream(name, 0, None)
    x, y = x[: limits.stream_rows], y[: limits.stream_rows]
    return Found(name, Rows(x, y, x[:0], y[:0]), is_stream=True)


def elec2() -> front_door.Stream:
    """The electricity market of New South Wales, as benches/comparison/on_river.py finds it."""
    try:
        from benches.comparison import on_river
    except ModuleNotFoundError as error:
        raise MissingDataError(f"Elec2 needs the package {error.name}") from error
    pairs = list(on_river.elec2())
    x = np.array([list(x.values()) for x, _ in pairs], np.float32)
    return x, np.array([int(y) for _, y in pairs])
