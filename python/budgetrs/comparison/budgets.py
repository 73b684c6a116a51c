"""The function: rows or batches of them in, a comparison out."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .race import new_race
from .result import BudgetComparison


def compare_budgets(
    X: Any,
    y: Any = None,
    budgets: Sequence[int | None] = (50, 100, 200, 500),
    algorithm: str = "bsgd-merge",
    *,
    task: str = "classification",
    classes: Any = None,
    sample_weight: Any = None,
    checkpoints: int | Sequence[int] | None = None,
    **params: Any,
) -> BudgetComparison:
    """Compare budgets by their progressive error: one model for each, all learning the same rows in one pass.

    Every row is predicted by each model just before the model learns it, so the share of wrong predictions so
    far (of regressors: their mean absolute error) is honest without rows set aside. It is how Crammer,
    Kandola and Singer (2003) suggest to choose the cache size. Each model comes out as if it had been trained
    alone, bit for bit.

    Parameters
    ----------
    X : {array-like, CSR matrix} of shape (n, d), or iterable of batches
        The rows, in the order in which they are learned. Without `y`, batches ``(X, y)`` or
        ``(X, y, sample_weight)``, each of which is taken once and then forgotten: a stream may be larger
        than memory.
    y : array-like of shape (n,), optional
        Labels, or numbers for regressors.
    budgets : sequence of int or None, default=(50, 100, 200, 500)
        The budgets, all different; None is unbounded (and stands for ``maintenance="none"``).
    algorithm : str, default="bsgd-merge"
        One of `ALGORITHMS`.
    task : {"classification", "regression"}, default="classification"
        Whether the models are those of `Classifier` or of `Regressor`.
    classes : sequence, optional
        All labels there will ever be; without it those of `y`, or of the first batch.
    sample_weight : array-like of shape (n,), optional
        The weights of the rows; those of weight 0 are skipped and not counted.
    checkpoints : int or sequence of int, optional
        After how many rows the state of all models is noted: every so many, or after these numbers of rows,
        which increase. By default about ten times per decade, at 10, 12, 16, 20, 25, 32, 40, 50, 63, 80, 100,
        125 and so on. The end is always noted too.
    **params
        Other parameters of `Classifier` or `Regressor`, the same for all; but `average`, for the errors are
        those of the last models. With ``rate="auto"`` the rows of `y` are the stream; batches need
        `stream_length`.

    Returns
    -------
    BudgetComparison
        The curves, the models, and what follows from them: the best budget, a table, a picture.

    Raises
    ------
    ValueError, TypeError
        When the budgets, a parameter, or the rows are refused, as `Classifier` refuses them.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import compare_budgets
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (3000, 2))
    >>> y = np.floor(4 * X).sum(axis=1) % 2
    >>> comparison = compare_budgets(X, y, [10, 40, 160], gamma=30.0)
    >>> comparison.best_budget
    160
    >>> comparison.rows[-3:].tolist()
    [2000, 2500, 3000]
    >>> comparison.error[:, -1].round(1).tolist()
    [0.5, 0.4, 0.2]
    >>> comparison.models[160].n_support_vectors_
    160
    """
    if params.get("rate") == "auto" and y is not None:
        params = {"stream_length": _length(y), **params}
    runners = new_race(budgets, algorithm, task=task, classes=classes, checkpoints=checkpoints, **params)
    for batch in _batches(X, y, sample_weight):
        runners.learn(*batch)
    return runners.result()


def _length(y: Any) -> int:
    return len(y) if hasattr(y, "__len__") else np.asanyarray(y).size


def _batches(X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Any, Any, Any]]:
    if y is not None:
        yield X, y, sample_weight
        return
    if sample_weight is not None:
        raise TypeError("sample_weight goes with X and y; a batch brings its own: (X, y, sample_weight)")
    if not isinstance(X, Iterable):
        raise TypeError(f"X must be rows, with y, or an iterable of batches (X, y), got {type(X).__name__}")
    for batch in X:
        if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
            raise TypeError(
                "without y, X must hold batches (X, y) or (X, y, sample_weight), "
                f"got {type(batch).__name__} among them"
            )
        rows, answers, *weights = batch
        yield rows, answers, weights[0] if weights else None
