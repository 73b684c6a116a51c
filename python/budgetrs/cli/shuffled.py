"""The rows of a file in memory, in random order."""

from argparse import Namespace
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .. import _core
from .arrays import place
from .batch import Batch, Csr
from .errors import DataError, UsageError
from .labels import Labels
from .rows import Rows
from .source import is_rewindable, name_of

# The number of rows that are learned at once.
_BLOCK = 1024


def reject_streams(args: Namespace) -> None:
    """Raise if --shuffle is given for data that are not read into memory."""
    if args.shuffle and not is_rewindable(args.data):
        raise UsageError(
            f"--shuffle: expected a file that can be read again, got {name_of(args.data)}; shuffle its rows "
            "before, such as by shuf"
        )


class Shuffled:
    """All rows of a file, in a new random order in each iteration."""

    def __init__(self, rows: Rows, batches: Iterable[Batch], *, seed: int, max_memory: int) -> None:
        self.name: str = rows.name
        held, size = [], 0
        for batch in batches:
            size += _size(batch.X)
            if size > max_memory:
                raise DataError(
                    f"{self.name}: expected rows of at most {max_memory:,} bytes for --shuffle, which holds "
                    "all rows in memory, got more; --max-memory SIZE allows more, or shuffle the rows before"
                )
            held.append(batch)
        self.target: str | None = rows.target
        self._y: Any = _joined([batch.y for batch in held])
        # Rows with names cannot be created here: each block overwrites the rows of this batch.
        self._block: Any = max(held, key=len).rows
        self._X: Any = _joined([batch.X for batch in held])
        self._rng = np.random.default_rng(seed)
        self._done = 0

    def __len__(self) -> int:
        return len(self._y)

    def __iter__(self) -> Iterator[Batch]:
        order = self._rng.permutation(len(self))
        length = min(_BLOCK, len(self._block) if isinstance(self._block, _core.NamedRows) else _BLOCK)
        for start in range(0, len(self), length):
            rows = order[start : start + length]
            self._done = start + len(rows)
            yield Batch(self._taken(rows), self._y[rows], self._where(rows))

    def _taken(self, rows: np.ndarray) -> Any:
        if isinstance(self._block, _core.NamedRows):
            block = self._block[: len(rows)]
            np.take(self._X, rows, axis=0, out=block.array)
            return block
        return self._X.take(rows) if isinstance(self._X, Csr) else self._X[rows]

    def _where(self, rows: np.ndarray) -> Any:
        return lambda row: place(self.name, 1)(int(rows[row]))

    def fraction(self) -> float:
        """Return the fraction of the rows of this iteration that were returned."""
        return self._done / len(self)


def _size(X: Any) -> int:
    return X.data.nbytes + X.indices.nbytes if isinstance(X, Csr) else X.nbytes


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], Csr | Labels):
        return type(parts[0]).joined(parts)
    return np.concatenate(parts)
