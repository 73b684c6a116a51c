"""What ``verbose`` prints: a line for each pass over the data."""

from typing import Any

import numpy as np

from ._baseline import Baseline


class Progress:
    """Prints a line after each pass of a fit, or nothing.

    The predictions that it reports on were made just before each row of the pass was learned.
    """

    def __init__(self, model: Any, losses: type[Baseline], *, passes: int, verbose: int) -> None:
        self._losses, self._passes, self._verbose = losses, passes, verbose
        # A model that has learned nothing has no counts yet.
        goes_on = verbose and hasattr(model, "n_seen_")
        self._number, self._before = 0, self._counts(model) if goes_on else np.zeros(1)

    def pass_ended(self, model: Any) -> None:
        """Print what the last pass has learned."""
        if not self._verbose:
            return
        counts = self._counts(model)
        rows, updates, *losses = counts - self._before
        self._number, self._before = self._number + 1, counts
        print(
            f"pass {self._number} of {self._passes}: {rows:,.0f} rows, {updates:,.0f} updates, "
            f"{model.n_support_vectors_:,} support vectors, {self._losses.error(losses, int(rows))}",
            flush=True,
        )

    def _counts(self, model: Any) -> np.ndarray:
        """Count the rows so far, those that changed the model, and the losses of the predictions."""
        return np.array([model.n_seen_, model.n_updates_, *self._losses.of(model)], dtype=float)


def checked_verbose(verbose: Any) -> int:
    """Return ``verbose`` as an integer."""
    if not isinstance(verbose, bool | np.bool_) and not hasattr(verbose, "__index__"):
        raise TypeError(f"verbose must be an integer >= 0, got {verbose!r}")
    if verbose < 0:
        raise ValueError(f"verbose must be an integer >= 0, got {verbose!r}")
    return int(verbose)
