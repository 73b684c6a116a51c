"""The comparison of budgets, with one task per budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import distributed
import numpy as np
from dask.sizeof import sizeof

from ..comparison import BudgetComparison, new_training
from ..comparison.budgets import batches_of, length_of


def compare_budgets(
    X: Any,
    y: Any = None,
    budgets: Sequence[int | None] = (50, 100, 200, 500),
    algorithm: str = "online-kernel",
    *,
    task: str = "classification",
    classes: Any = None,
    sample_weight: Any = None,
    checkpoints: int | Sequence[int] | None = None,
    client: distributed.Client | None = None,
    **params: Any,
) -> BudgetComparison:
    """Train one model per budget, with one task per budget, in one pass over the rows, to choose a budget.

    The rows are in memory and are sent to each worker once; Dask collections raise an error. The result is
    bit-identical to `budgetrs.compare_budgets`, except the seconds, which the workers measure.

    Parameters
    ----------
    X : {array-like, CSR matrix, data frame} of shape (n, d), or iterable of batches
        The rows, which must fit in the memory of this process and of each worker: not a Dask collection. All
        batches are read before they are sent.
    y : array-like of shape (n,), optional
        Class labels, or targets for regression. Omit it if X is an iterable of batches.
    budgets : sequence of int or None, default=(50, 100, 200, 500)
        The budgets, all different.
    algorithm : str, default="online-kernel"
        One of `ALGORITHMS`.
    task : {"classification", "regression"}, default="classification"
        Whether to train a `Classifier` or a `Regressor` for each budget.
    classes : sequence, optional
        All class labels of the stream.
    sample_weight : array-like of shape (n,), optional
        The weights of the rows.
    checkpoints : int or sequence of int, optional
        The numbers of rows after which the errors of all models are recorded, as in
        `budgetrs.compare_budgets`.
    client : distributed.Client, optional
        By default the current one.
    **params
        Other parameters of `Classifier` or `Regressor`, the same for all models.

    Returns
    -------
    BudgetComparison
        The curves and models, with the best budget, a table and figures.

    Raises
    ------
    ValueError, TypeError
        As `budgetrs.compare_budgets` does.

    Examples
    --------
    >>> import numpy as np
    >>> from distributed import Client
    >>> from budgetrs.dask import compare_budgets
    >>> X = np.random.default_rng(0).uniform(-1, 1, (3000, 2))
    >>> y = np.floor(4 * X).sum(axis=1) % 2
    >>> with Client(processes=False, dashboard_address=":0"):
    ...     comparison = compare_budgets(X, y, [10, 40, 160])
    >>> comparison.best_budget
    160
    """
    for name, value in (("X", X), ("y", y), ("sample_weight", sample_weight)):
        if hasattr(value, "__dask_graph__"):
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise TypeError(f"{name} must fit in memory, got a {kind}: call .compute() first")
    if params.get("rate") == "auto" and y is not None:
        params = {"stream_length": length_of(y), **params}
    common: dict[str, Any] = {"task": task, "classes": classes, "checkpoints": checkpoints, **params}
    # Invalid parameters raise here, not on a worker.
    each = list(new_training(budgets, algorithm, **common).models)
    client = distributed.get_client() if client is None else client
    rows: Any = client.scatter(_Rows(list(batches_of(X, y, sample_weight))), broadcast=True, hash=False)
    futures = [
        client.submit(_compare, rows, budget, algorithm, common, key=f"budgetrs-compare-{budget}-{rows.key}")
        for budget in each
    ]
    found: Any = client.gather(futures)
    return _joined(found)


class _Rows:
    """Batches, which Dask shall not take for several things to send."""

    def __init__(self, batches: list[tuple[Any, Any, Any]]) -> None:
        self.batches = batches

    def __sizeof__(self) -> int:
        return sum(sizeof(part) for batch in self.batches for part in batch)


def _compare(rows: _Rows, budget: int | None, algorithm: str, common: dict[str, Any]) -> BudgetComparison:
    """Compare one budget with none."""
    training = new_training([budget], algorithm, **common)
    for batch in rows.batches:
        training.learn(*batch)
    return training.result()


def _joined(found: list[BudgetComparison]) -> BudgetComparison:
    """Return one comparison of all budgets, from a comparison for each budget."""
    first = found[0]
    joined: dict[str, Any] = {
        "algorithm": first.algorithm,
        "budgets": tuple(budget for one in found for budget in one.budgets),
        "rows": first.rows,
        "models": {budget: model for one in found for budget, model in one.models.items()},
    }
    for field in fields(BudgetComparison):
        if field.name not in joined:
            parts = [getattr(one, field.name) for one in found]
            joined[field.name] = None if parts[0] is None else np.concatenate(parts)
    return BudgetComparison(**joined)
