"""The output of ``verbose``: a line for each pass over the data."""

from typing import Any

import numpy as np

from ._baseline import Baseline


class Progress:
    """Prints a line after each pass of a fit, or nothing.

    The reported error is progressive: each row of the pass was predicted just before it was learned. A pass
    over rows that are known has none.
    """

    def __init__(self, model: Any, losses: type[Baseline], *, passes: int, verbose: int) -> None:
        self._losses, self._passes, self._verbose = losses, passes, verbose
        # A model without rows has no counts yet.
        continues = verbose and hasattr(model, "n_features_in_")
        self._number, self._before = 0, self._counts(model) if continues else np.zeros(1)

    def pass_ended(self, model: Any, *, repeated: bool) -> None:
        """Print the line of the last pass."""
        if not self._verbose:
            return
        counts = self._counts(model)
        rows, updates, *losses = counts - self._before
        self._number, self._before = self._number + 1, counts
        error = "" if repeated else f", {self._losses.error(losses, int(rows))}"
        print(
            f"pass {self._number} of {self._passes}: {rows:,.0f} rows, {updates:,.0f} updates, "
            f"{model.n_support_vectors_:,} support vectors{error}",
            flush=True,
        )

    def _counts(self, model: Any) -> np.ndarray:
        """Return the numbers of rows and updates so far, and the losses of the progressive predictions."""
        return np.array([model.n_samples_seen_, model.n_updates_, *self._losses.of(model)], dtype=float)


def checked_verbose(verbose: Any) -> int:
    """Return ``verbose`` as an integer."""
    if not isinstance(verbose, bool | np.bool_) and not hasattr(verbose, "__index__"):
        raise TypeError(f"verbose must be an integer >= 0, got {verbose!r}")
    if verbose < 0:
        raise ValueError(f"verbose must be an integer >= 0, got {verbose!r}")
    return int(verbose)
