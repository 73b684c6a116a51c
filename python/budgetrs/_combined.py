"""`combine`: one model of many."""

from collections.abc import Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from . import _core

M = TypeVar("M", _core.Classifier, _core.Regressor)


class Combined(NamedTuple, Generic[M]):
    """What `combine` returns.

    Attributes
    ----------
    model : Classifier or Regressor
        The mean of the models; it predicts, learns on and is saved as any other.
    relative_error : float
        What the budget costs: the length of what is left out, as a share of the length of the mean, in the
        space of the kernel; 0 where no support vector had to go.
    """

    model: M
    relative_error: float


def combine(models: Iterable[M], budget: int | None = None, weights: Any = None) -> Combined[M]:
    """Return the weighted mean of models that are alike, as one model.

    It is ``f = sum(w * f_m) / sum(w)`` of the functions ``f_m`` that the models predict with, their averages
    where they have some. Linear parts and the calibration of probabilities are averaged too. Without a budget
    the mean has the support vectors of all models. With a smaller one it is projected on as many of them,
    chosen one by one: each time the one that brings the projection nearest to the mean (orthogonal least
    squares: Chen, Cowan and Grant 1991).

    Models are alike that have the same kernel, scaling, metric and columns. Those that scale rows by
    themselves or learn a metric, as the default does, have each its own, unless they begin like one model:
    see `like` of `Classifier` and `Regressor`.

    Parameters
    ----------
    models : iterable of Classifier or of Regressor
        At least one; each has learned. Classes are matched by their labels.
    budget : int or None, default=None
        The most support vectors of the result; by default as many as it takes.
    weights : array-like of shape (n_models,), optional
        The weights of the models, at least 0; by default they are equal. The numbers of rows that they have
        learned are a usual choice.

    Returns
    -------
    Combined
        The model, and what the budget costs. The model goes on learning as the one of the largest weight, the
        first of equals, would: with its parameters, its counters and the order of its classes. Averages start
        from the mean.

    Raises
    ------
    ValueError
        When there is no model, one has not learned, two are not alike, or the weights or the budget are not
        legal.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import Classifier, combine
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (4000, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "even", "odd")
    >>> first = Classifier(budget=50).learn(X[:1000], y[:1000])
    >>> shards = [Classifier(budget=50, feature_space=first).learn(X[i::3], y[i::3]) for i in range(3)]
    >>> model, relative_error = combine(shards, budget=50)
    >>> model.n_support_vectors_
    50
    >>> relative_error < 0.2
    True
    """
    model, relative_error = _core.combine(models, budget, weights)
    return Combined(model, relative_error)
