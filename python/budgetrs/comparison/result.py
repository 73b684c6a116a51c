"""The result of a comparison: curves and models, as a table, a file or a figure."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

import numpy as np

from .. import _core
from .._errors import shown
from .._style import check_axes, new_axes
from . import picture
from .curves import Curves, Snapshot, named
from .table import table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class BudgetComparison(Curves):
    """The result of `compare_budgets`: the models of several budgets, and their progressive errors.

    Every row was predicted just before it was learned. ``str()`` returns a table, `plot` draws a figure.

    Attributes
    ----------
    algorithm : str
        The name of the algorithm.
    budgets : tuple of int or None
        The budgets in the order given; None is unbounded.
    rows : ndarray of int64, shape (n_checkpoints,)
        The checkpoints: the numbers of rows learned when the errors were recorded; not the rows themselves.
        The last number counts all rows.
    error : ndarray of float64, shape (n_budgets, n_checkpoints)
        The progressive error over the rows so far: the error rate of classifiers, the mean absolute error of
        regressors.
    standard_error : ndarray of float64, shape (n_budgets, n_checkpoints)
        The standard error of `error`, ``sqrt((mean square - error^2) / rows)``; for classifiers the binomial
        ``sqrt(error (1 - error) / rows)``. The formula assumes independent rows.
    n_mistakes : ndarray of int64, shape (n_budgets, n_checkpoints), or None
        The number of rows predicted wrongly; None for regressors.
    root_mean_squared_error : ndarray of float64, shape (n_budgets, n_checkpoints), or None
        The root mean squared error of regressors; None for classifiers.
    n_support_vectors, n_updates : ndarray of int64, shape (n_budgets, n_checkpoints)
        The numbers of support vectors, and of rows that changed the model.
    seconds : ndarray of float64, shape (n_budgets, n_checkpoints)
        The training time so far.
    models : dict
        The `Classifier` or `Regressor` of each budget, which can continue training.
    best_budget, sufficient_budget : int or None
        The budget with the lowest final error, and the smallest budget whose final error is within one
        standard error of the lowest.
    """

    models: dict[int | None, Any]

    @classmethod
    def of(cls, models: dict[int | None, Any], snapshots: Sequence[Snapshot]) -> "BudgetComparison":
        """Collect the snapshots into curves."""
        first = next(iter(models.values()))
        regression = isinstance(first, _core.Regressor)
        rows = np.array([snapshot.rows for snapshot in snapshots], dtype=np.int64)
        error = _curves([snapshot.loss for snapshot in snapshots])
        square = _curves([snapshot.square for snapshot in snapshots])
        return cls(
            algorithm=first.algorithm,
            budgets=tuple(models),
            rows=rows,
            error=error,
            standard_error=np.sqrt(np.maximum(square - error**2, 0) / rows),
            n_mistakes=None
            if regression
            else _curves([snapshot.mistakes for snapshot in snapshots], np.int64),
            root_mean_squared_error=np.sqrt(square) if regression else None,
            n_support_vectors=_curves([snapshot.vectors for snapshot in snapshots], np.int64),
            n_updates=_curves([snapshot.updates for snapshot in snapshots], np.int64),
            seconds=_curves([snapshot.seconds for snapshot in snapshots]),
            models=dict(models),
        )

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dict for each budget and checkpoint, for a data frame or a file.

        Returns
        -------
        list of dict
            With the keys ``budget``, ``rows``, ``n_mistakes`` and ``error_rate`` (classifiers) or
            ``mean_absolute_error`` and ``root_mean_squared_error`` (regressors), ``standard_error``,
            ``n_support_vectors``, ``n_updates`` and ``seconds``; ordered by budget as given, then by rows.
        """
        if self.n_mistakes is None:
            errors = {
                "mean_absolute_error": self.error,
                "root_mean_squared_error": self.root_mean_squared_error,
            }
        else:
            errors = {"n_mistakes": self.n_mistakes, "error_rate": self.error}
        columns = {
            **errors,
            "standard_error": self.standard_error,
            "n_support_vectors": self.n_support_vectors,
            "n_updates": self.n_updates,
            "seconds": self.seconds,
        }
        lists = {name: values.tolist() for name, values in columns.items() if values is not None}
        return [
            {"budget": budget, "rows": rows, **{name: values[at][step] for name, values in lists.items()}}
            for at, budget in enumerate(self.budgets)
            for step, rows in enumerate(self.rows.tolist())
        ]

    def to_csv(self, path: "str | Path | TextIO | None" = None) -> str | None:
        """Write the records as CSV with a header line; an unbounded budget is written as ``none``.

        Parameters
        ----------
        path : path or text file, optional
            Where to write; by default the text is returned.

        Returns
        -------
        str or None
            The text if no path is given.
        """
        text = io.StringIO()
        records = self.to_records()
        writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({**record, "budget": named(record["budget"])} for record in records)
        if path is None:
            return text.getvalue()
        if isinstance(path, str | Path):
            Path(path).write_text(text.getvalue(), encoding="utf-8")
        else:
            path.write(text.getvalue())
        return None

    def plot(self, ax: "Axes | None" = None, *, against: Literal["rows", "budget"] = "rows") -> "Axes":
        """Plot the progressive error against the number of rows, or the final error against the budget.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to plot; by default a new figure.
        against : {"rows", "budget"}, default="rows"
            ``"rows"``: one curve for each budget. ``"budget"``: the final error of each budget with its
            standard error, a line at the lowest final error plus its standard error, and a mark at
            `sufficient_budget`, the smallest budget with an error up to this line.

        Returns
        -------
        matplotlib axes
            The axes with the plot.

        Raises
        ------
        ImportError
            If matplotlib is missing.
        """
        if against not in ("rows", "budget"):
            raise ValueError(f'against must be "rows" or "budget", got {shown(against)}')
        check_axes(ax)
        draw = picture.curves if against == "rows" else picture.choice
        return draw(self, new_axes() if ax is None else ax)

    def __str__(self) -> str:
        return table(self)

    def __repr__(self) -> str:
        return f"BudgetComparison({self.algorithm!r}, budgets={self.budgets}, rows={int(self.rows[-1])})"


def _curves(snapshots: list[list[Any]], dtype: Any = np.float64) -> np.ndarray:
    """Convert one list per snapshot into one row per budget."""
    return np.array(snapshots, dtype=dtype).T.copy()
