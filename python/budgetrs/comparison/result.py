"""What came out of a comparison: curves and models, as a table, a file or a picture."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

import numpy as np

from .. import _core
from . import picture
from .curves import Curves, Moment, named
from .table import table


@dataclass(frozen=True, eq=False, repr=False)
class BudgetComparison(Curves):
    """The progressive error of several budgets along one stream; `compare_budgets` makes it.

    Every row was predicted just before it was learned. ``str()`` of it is a table.

    Attributes
    ----------
    algorithm : str
        The name of the algorithm.
    budgets : tuple of int or None
        The budgets, as they were given; None is unbounded.
    rows : ndarray of int64, shape (n_checkpoints,)
        The numbers of rows after which the following was noted; the last one is the end.
    error : ndarray of float64, shape (n_budgets, n_checkpoints)
        The progressive error so far: of classifiers the share of rows predicted wrongly, of regressors the
        mean absolute error.
    standard_error : ndarray of float64, shape (n_budgets, n_checkpoints)
        Its standard error, ``sqrt((mean square - error^2) / rows)``; of classifiers the binomial
        ``sqrt(error (1 - error) / rows)``. It takes the rows as independent.
    n_mistakes : ndarray of int64, shape (n_budgets, n_checkpoints), or None
        Rows predicted wrongly; None of regressors.
    root_mean_squared_error : ndarray of float64, shape (n_budgets, n_checkpoints), or None
        That of regressors; None of classifiers.
    n_support_vectors, n_updates : ndarray of int64, shape (n_budgets, n_checkpoints)
        Support vectors, and rows that changed the model.
    seconds : ndarray of float64, shape (n_budgets, n_checkpoints)
        The time that learning took so far.
    models : dict
        The `Classifier` or `Regressor` of each budget, which can go on learning.
    best_budget, sufficient_budget : int or None
        The budget of the lowest error in the end, and the smallest one within one standard error of it.
    """

    models: dict[int | None, Any]

    @classmethod
    def of(cls, models: dict[int | None, Any], moments: Sequence[Moment]) -> "BudgetComparison":
        """Put the moments in a row."""
        first = next(iter(models.values()))
        regression = isinstance(first, _core.Regressor)
        rows = np.array([moment.rows for moment in moments], dtype=np.int64)
        error = _curves([moment.loss for moment in moments])
        square = _curves([moment.square for moment in moments])
        return cls(
            algorithm=first.algorithm,
            budgets=tuple(models),
            rows=rows,
            error=error,
            standard_error=np.sqrt(np.maximum(square - error**2, 0) / rows),
            n_mistakes=None if regression else _curves([moment.mistakes for moment in moments], np.int64),
            root_mean_squared_error=np.sqrt(square) if regression else None,
            n_support_vectors=_curves([moment.vectors for moment in moments], np.int64),
            n_updates=_curves([moment.updates for moment in moments], np.int64),
            seconds=_curves([moment.seconds for moment in moments]),
            models=dict(models),
        )

    def to_records(self) -> list[dict[str, Any]]:
        """Give one dict for each budget and checkpoint, for a data frame or a file.

        Returns
        -------
        list of dict
            With the keys ``budget``, ``rows``, of classifiers ``n_mistakes`` and ``error_rate``, of
            regressors ``mean_absolute_error`` and ``root_mean_squared_error``, ``standard_error``,
            ``n_support_vectors``, ``n_updates`` and ``seconds``; ordered by budget as given, then rows.
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
        """Write the records as CSV text with a header; an unbounded budget is ``none``.

        Parameters
        ----------
        path : path or text file, optional
            Where to write.

        Returns
        -------
        str or None
            The text, where no path is given.
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

    def plot(self, ax: Any = None, *, against: Literal["rows", "budget"] = "rows") -> Any:
        """Draw the progressive error along the rows, or in the end against the budget.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        against : {"rows", "budget"}, default="rows"
            One curve for each budget along the rows; or the error of each budget in the end, with its
            standard error and the line below which budgets are sufficient.

        Returns
        -------
        matplotlib axes
            With the drawing.

        Raises
        ------
        ImportError
            If matplotlib is missing.
        """
        if against not in ("rows", "budget"):
            raise ValueError(f'against must be "rows" or "budget", got {against!r}')
        draw = picture.curves if against == "rows" else picture.choice
        return draw(self, picture.new_axes() if ax is None else ax)

    def __str__(self) -> str:
        return table(self)

    def __repr__(self) -> str:
        return f"BudgetComparison({self.algorithm!r}, budgets={self.budgets}, rows={int(self.rows[-1])})"


def _curves(moments: list[list[Any]], dtype: Any = np.float64) -> np.ndarray:
    """Turn one list per moment into one row per budget."""
    return np.array(moments, dtype=dtype).T.copy()
