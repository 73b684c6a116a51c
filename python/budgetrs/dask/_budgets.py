"""The comparison of budgets, with one task per budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import distributed
import numpy as np

from ..comparison import BudgetComparison, new_training
from ..comparison.budgets import batches_of, length_of
from ._loading import client_of_call
from ._partitions import kind_of


def compare_budgets(
    X: Any,
    y: Any = None,
    budgets: Sequence[int | None] = (50, 100, 200, 500),
    algorithm: str = "online-kernel",
    *,
    sample_weight: Any = None,
    client: distributed.Client | None = None,
    **params: Any,
) -> BudgetComparison:
    """Train one model per budget, with one task per budget, in one pass over the rows, to choose a budget.

    The result is bit-identical to `budgetrs.compare_budgets`, except the seconds, which the workers measure.

    Parameters
    ----------
    X, y, budgets, algorithm, sample_weight
        As in `budgetrs.compare_budgets`. The rows are sent to each worker once, and must fit in the memory of
        this process and of each worker: a Dask collection raises an error.
    client : distributed.Client, optional
        By default the current one.
    **params
        Other parameters of `budgetrs.compare_budgets`.

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
    ...     compare_budgets(X, y, [10, 40, 160]).best_budget
    160
    """
    for name, value in (("X", X), ("y", y), ("sample_weight", sample_weight)):
        if hasattr(value, "__dask_graph__"):
            raise TypeError(f"{name} must fit in memory, got a {kind_of(value)}: call .compute() first")
    if params.get("rate") == "auto" and y is not None:
        params = {"stream_length": length_of(y), **params}
    # Invalid parameters raise here, not on a worker.
    each = list(new_training(budgets, algorithm, **params).models)
    with client_of_call(client) as cluster:
        batches = [list(batches_of(X, y, sample_weight))]  # scatter sends each item of a list
        (rows,) = cluster.scatter(batches, broadcast=True, hash=False)
        tasks = [
            cluster.submit(
                _compare, rows, budget, algorithm, params, key=f"budgetrs-compare-{budget}-{rows.key}"
            )
            for budget in each
        ]
        found = cluster.gather(tasks)
    joined: dict[str, Any] = {
        "algorithm": found[0].algorithm,
        "budgets": tuple(budget for one in found for budget in one.budgets),
        "rows": found[0].rows,
        "models": {budget: model for one in found for budget, model in one.models.items()},
    }
    for field in fields(BudgetComparison):
        if field.name not in joined:
            parts = [getattr(one, field.name) for one in found]
            joined[field.name] = None if parts[0] is None else np.concatenate(parts)
    return BudgetComparison(**joined)


def _compare(batches: Any, budget: int | None, algorithm: str, params: dict[str, Any]) -> BudgetComparison:
    """Compare one budget with none."""
    training = new_training([budget], algorithm, **params)
    for batch in batches:
        training.learn(*batch)
    return training.result()
