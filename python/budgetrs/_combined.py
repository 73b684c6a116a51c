"""`combine`: one model from many."""

from collections.abc import Iterable
from typing import Any, Literal, TypeVar, overload

from . import _core
from ._errors import ParameterError, shown

M = TypeVar("M", _core.Classifier, _core.Regressor)


@overload
def combine(models: Iterable[M], budget: int | None = None, weights: Any = None) -> M: ...
@overload
def combine(
    models: Iterable[M], budget: int | None = None, weights: Any = None, *, return_error: Literal[True]
) -> tuple[M, float]: ...
def combine(
    models: Iterable[M], budget: int | None = None, weights: Any = None, *, return_error: bool = False
) -> M | tuple[M, float]:
    """Average trained models that share a feature space into one model.

    Use it to merge models that were trained in parallel on parts of the data. Train one model on all data
    instead if time allows: at equal budgets one model is usually more accurate than a combined model.

    The result is ``f = sum(w * f_m) / sum(w)`` for the functions ``f_m`` that the models predict with. Linear
    terms and calibrations are averaged too. Without a budget the result has the support vectors of all
    models. With a smaller budget the result is projected onto support vectors chosen by orthogonal least
    squares, one at a time.

    Parameters
    ----------
    models : iterable of Classifier or of Regressor
        At least one trained model. All models must have the same kernel, scaling, metric and columns. The
        default algorithm learns scaling and metric, so create the models with ``feature_space=first``, where
        `first` has learned some rows. Classes are matched by label.
    budget : int or None, default=None
        The largest number of support vectors of the result. None keeps all support vectors.
    weights : array-like of shape (n_models,), optional
        Weights of the models, >= 0, such as their numbers of rows; by default equal.

    return_error : bool, default=False
        Whether to return the relative error of the budget too.

    Returns
    -------
    model : Classifier or Regressor
        The averaged model. It predicts, continues training and is saved like any model. It has the
        parameters, counters and class order of the model with the largest weight (of several, the first). If
        training continues, model averaging (`average`) starts anew from the result.
    relative_error : float
        Only with `return_error`: the norm of the part of the average that the budget discards, divided by the
        norm of the average, in feature space. It is 0 if no support vector was discarded.

    Raises
    ------
    ValueError
        If there is no model, a model has not learned any rows, two models differ in kernel, scaling, metric
        or columns, or the weights or the budget are invalid.

    See Also
    --------
    budgetrs.dask.learn : Training on one worker while other workers load rows.

    References
    ----------
    Chen, Cowan and Grant, "Orthogonal least squares learning algorithm for radial basis function networks",
    IEEE Transactions on Neural Networks 2, 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import Classifier, combine
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (4000, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "even", "odd")
    >>> first = Classifier(budget=50).learn(X[:1000], y[:1000])
    >>> shards = [Classifier(budget=50, feature_space=first).learn(X[i::3], y[i::3]) for i in range(3)]
    >>> model, relative_error = combine(shards, budget=50, return_error=True)
    >>> model.n_support_vectors_
    50
    >>> relative_error < 0.2
    True
    """
    if isinstance(models, _core.NativeModel):
        raise ParameterError(f"models must be a list: combine([a, b]), got {shown(models)}", "models")
    model, relative_error = _core.combine(models, budget, weights)
    return (model, relative_error) if return_error else model
