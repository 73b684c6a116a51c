"""`compare_budgets`: from rows, or batches of rows, to a comparison."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .._core import NativeModel
from .._errors import shown
from .._parameters import AlgorithmName
from .result import BudgetComparison
from .training import new_training


def compare_budgets(
    X: Any,
    y: Any = None,
    budgets: Sequence[int | None] = (50, 100, 200, 500),
    algorithm: AlgorithmName = "online-kernel",
    *,
    task: str = "classification",
    classes: Any = None,
    sample_weight: Any = None,
    checkpoints: int | Sequence[int] | None = None,
    **params: Any,
) -> BudgetComparison:
    """Train one model per budget in one pass over the rows, to choose a budget.

    Use it before a long run: take `best_budget`, which has the lowest error, or `sufficient_budget`, the
    smallest budget whose error is within one standard error of the lowest. Each model predicts every row just
    before it learns the row, so the error rate of these predictions (regression: the mean absolute error)
    needs no held-out rows. Each model is bit-identical to a model trained alone.

    Parameters
    ----------
    X : {array-like, CSR matrix, data frame} of shape (n, d), or iterable of batches
        The rows, in the order in which they are learned. Without `y`, an iterable of batches ``(X, y)`` or
        ``(X, y, sample_weight)``. Each batch is read once and not kept, so a stream may be larger than
        memory.
    y : array-like of shape (n,), optional
        Class labels, or targets for regression.
    budgets : sequence of int or None, default=(50, 100, 200, 500)
        The budgets, all different, for example increasing by factors of 2. None is unbounded: the model of
        this budget has ``maintenance="none"`` if its strategy needs a budget.
    algorithm : str, default="online-kernel"
        One of `ALGORITHMS`.
    task : {"classification", "regression"}, default="classification"
        Whether to train a `Classifier` or a `Regressor` for each budget.
    classes : sequence, optional
        All class labels of the stream. By default new classes may appear at any time.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows. Rows of weight 0 are skipped and not counted.
    checkpoints : int or sequence of int, optional
        The numbers of rows after which the errors of all models are recorded (no model is saved): an integer
        n for every n rows, or an increasing sequence. By default ten per decade: 10, 12, 16, 20, 25, 32, 40,
        50, 63, 80, 100, 125 and so on. The end is always recorded.
    **params
        Other parameters of `Classifier` or `Regressor`, equal for all models. `average` must be False except
        with ``algorithm="online-kernel"``, because the other algorithms score their latest, unaveraged model;
        "random" is not available. ``rate="auto"`` uses the length of `y`; batches need `stream_length`.

    Returns
    -------
    BudgetComparison
        The curves and models, with the best budget, a table and figures.

    Raises
    ------
    ValueError, TypeError
        If the budgets, a parameter or the rows are invalid.

    Notes
    -----
    Time and memory are the sums over the budgets.

    References
    ----------
    Crammer, Kandola and Singer, "Online classification on a budget", NeurIPS 2003, section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import compare_budgets
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (3000, 2))
    >>> y = np.floor(4 * X).sum(axis=1) % 2
    >>> comparison = compare_budgets(X, y, [10, 40, 160])
    >>> comparison.best_budget
    160
    >>> comparison.rows[-3:].tolist()
    [2000, 2500, 3000]
    >>> comparison.error[:, -1].round(2).tolist()
    [0.34, 0.31, 0.22]
    >>> comparison.models[160].n_support_vectors_
    160
    """
    if hasattr(X, "get_params") or isinstance(X, NativeModel | type):
        raise TypeError(
            f"X must be rows, got {shown(X)}: compare_budgets creates its models, from parameters such as "
            'compare_budgets(X, y, algorithm="bsgd-merge", alpha=1e-4)'
        )
    if params.get("rate") == "auto" and y is not None:
        params = {"stream_length": length_of(y), **params}
    training = new_training(budgets, algorithm, task=task, classes=classes, checkpoints=checkpoints, **params)
    for batch in batches_of(X, y, sample_weight):
        training.learn(*batch)
    return training.result()


def length_of(y: Any) -> int:
    """Return the number of targets."""
    return len(y) if hasattr(y, "__len__") else np.asanyarray(y).size


def batches_of(X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the batches of a call: rows, targets and weights."""
    if y is not None:
        if _are_batches(X):
            raise TypeError(
                f"y must be the labels of the rows of X, got {_short(y)} with batches (X, y); pass the "
                "budgets by name: budgets=[...]"
            )
        yield X, y, sample_weight
        return
    if sample_weight is not None:
        raise TypeError("sample_weight must be None with batches: pass batches (X, y, sample_weight)")
    if not isinstance(X, Iterable):
        raise TypeError(f"X must be rows, with y, or an iterable of batches (X, y), got {type(X).__name__}")
    for batch in X:
        if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
            raise TypeError(
                "without y, X must be batches (X, y) or (X, y, sample_weight), "
                f"got a batch of type {type(batch).__name__}"
            )
        rows, targets, *weights = batch
        yield rows, targets, weights[0] if weights else None


def _are_batches(X: Any) -> bool:
    """Whether X is an iterable of batches, of which none is read, or a list of them."""
    if not isinstance(X, list | tuple):
        return isinstance(X, Iterator) and not hasattr(X, "__arrow_c_stream__")
    first = X[0] if len(X) else None
    return isinstance(first, list | tuple) and len(first) in (2, 3) and hasattr(first[0], "__len__")


def _short(y: Any) -> str:
    """Return how a message writes y: as Python does, unless that is long."""
    text = repr(y)
    return text if len(text) <= 40 else f"a {type(y).__name__}"
