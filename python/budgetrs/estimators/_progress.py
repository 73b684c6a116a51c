"""The output of ``verbose``: a line for each pass over the data."""

from typing import Any

import numpy as np

from .._errors import shown
from ._baseline import Baseline, Counters


class Progress:
    """Prints a line after each pass of a fit, or nothing.

    The reported error is progressive: each row of the pass was predicted just before it was learned. A pass
    over rows that are known has none.
    """

    def __init__(self, losses: type[Baseline], before: Counters, *, verbose: int) -> None:
        self._losses, self._before, self._verbose = losses, before, verbose

    def pass_ended(
        self, number: int, passes: int, counters: Counters, n_support: int, *, repeated: bool
    ) -> None:
        """Print the line of a pass."""
        if not self._verbose:
            return
        rows, updates = counters[0] - self._before[0], counters[1] - self._before[1]
        losses = self._losses.of(counters) - self._losses.of(self._before)
        self._before = counters
        error = "" if repeated else f", {self._losses.error(losses.tolist(), rows)}"
        print(
            f"pass {number} of {passes}: {rows:,} rows, {updates:,} updates, {n_support:,} support "
            f"vectors{error}",
            flush=True,
        )


def checked_verbose(verbose: Any) -> int:
    """Return ``verbose`` as an integer."""
    if not isinstance(verbose, bool | np.bool_) and not hasattr(verbose, "__index__"):
        raise TypeError(f"verbose must be an integer >= 0, got {shown(verbose)}")
    if verbose < 0:
        raise ValueError(f"verbose must be an integer >= 0, got {shown(verbose)}")
    return int(verbose)
