"""The rows of a file in memory, for learning in random order."""

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

    all: Batch
    """The rows in the order of the file."""

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
        # The last batch knows all categories.
        rows_like, X = held[-1].rows, _joined([batch.X for batch in held])
        is_named = isinstance(rows_like, _core.NamedRows)
        y = _joined([batch.y for batch in held])
        self.all = Batch(rows_like.with_array(X) if is_named else X, y, place(self.name, 1))
        self._rng = np.random.default_rng(seed)
        self._done = 0

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[Batch]:
        order = self._rng.permutation(len(self))
        for start in range(0, len(self), _BLOCK):
            rows = order[start : start + _BLOCK]
            self._done = start + len(rows)
            yield self.all.take(rows)

    def fraction(self) -> float:
        """Return the fraction of the rows of this iteration that were returned."""
        return self._done / len(self)


def _size(X: Any) -> int:
    return X.data.nbytes + X.indices.nbytes if isinstance(X, Csr) else X.nbytes


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], Csr | Labels):
        return type(parts[0]).joined(parts)
    return np.concatenate(parts)
