"""Predictions of the rows of a collection, as a collection: nothing is computed yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.base import tokenize
from dask.delayed import Delayed, delayed

from .._errors import ParameterError
from ._models import copied, native_of, reject_other_models


def predict(model: Any, X: Any) -> Any:
    """Predict the label or target of each row of a collection, lazily.

    The model is copied when the function is called, and sent to each worker once. Each task predicts in one
    thread. The predictions are bit-identical to ``model.predict``. Errors name the row within its partition.

    Parameters
    ----------
    model : Classifier, Regressor or an estimator of budgetrs
        A trained model.
    X : dask array of shape (n, d), dask data frame or bag
        The rows. Chunks of columns are merged; the number of rows may be unknown. A bag has rows as dicts of
        values by column name (a name that a row lacks is a missing value), or as sequences of d numbers.
        The columns of arrays and frames are checked at the call, the columns of bags when the result is
        computed.

    Returns
    -------
    dask array of shape (n,), dask series or bag
        With the chunks or partitions of X, and with the index and divisions of a frame.

    Raises
    ------
    TypeError
        If X or the model has another type.
    NotFittedError, ValueError
        As ``model.predict``: if the model has not learned any rows, or X has other columns.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import budgetrs
    >>> from budgetrs.dask import predict
    >>> X = np.random.default_rng(0).uniform(-1, 1, (1000, 2))
    >>> model = budgetrs.Classifier(budget=50).learn(X, X[:, 0] > 0)
    >>> predict(model, da.from_array(X, chunks=(250, 1)))
    dask.array<budgetrs-predict, shape=(1000,), dtype=bool, chunksize=(250,), chunktype=numpy.ndarray>
    """
    return _scored(model, X, "predict")


def decision_function(model: Any, X: Any) -> Any:
    """Compute the scores of each row of a collection.

    Parameters
    ----------
    model : Classifier or a classifier of budgetrs
        A trained model.
    X : dask array of shape (n, d), dask data frame or bag
        The rows, as in `predict`.

    Returns
    -------
    dask array of shape (n,) or (n, n_classes), dask series or data frame, or bag
        For two classes one score, positive for ``classes_[1]``; otherwise one score per class. A frame has a
        column per class. A bag has a number, or a dict by class, per row.

    Raises
    ------
    TypeError, AttributeError, NotFittedError, ValueError
        As `predict`; an AttributeError for a regressor.
    """
    return _scored(model, X, "decision_function")


def predict_proba(model: Any, X: Any) -> Any:
    """Compute the probability of each class for each row of a collection.

    Parameters
    ----------
    model : Classifier or a classifier of budgetrs
        A trained model with probabilities.
    X : dask array of shape (n, d), dask data frame or bag
        The rows, as in `predict`.

    Returns
    -------
    dask array of shape (n, n_classes), dask data frame or bag
        In the order of ``classes_``. A frame has a column for each class; a bag holds a dict by class for
        each row.

    Raises
    ------
    TypeError, AttributeError, NotFittedError, ValueError
        As `predict`, and as ``model.predict_proba`` if there are no probabilities.
    """
    return _scored(model, X, "predict_proba")


def _scored(model: Any, X: Any, method: str) -> Any:
    reject_other_models(model)
    getattr(model, method)  # an estimator without the method raises with the reason
    score = {da.Array: _of_array, dd.DataFrame: _of_frame, db.Bag: _of_bag}
    for kind, scored in score.items():
        if isinstance(X, kind):
            model = copied(model)
            model.n_jobs = 1
            return scored(model, X, method)
    raise TypeError(
        f"X must be a dask array, data frame or bag, got {type(X).__module__}.{type(X).__qualname__}"
    )


def _sent(model: Any) -> Delayed:
    """Return the model as one key of the graph, which the tasks share: each worker gets it once."""
    return delayed(model, pure=True, name=f"budgetrs-model-{tokenize(model)}", traverse=False)


def _name_of(method: str) -> str:
    """Return the name of the tasks, which the dashboard shows."""
    return f"budgetrs-{method.replace('_', '-')}"


def _of_array(model: Any, X: Any, method: str) -> da.Array:
    meta = getattr(model, method)(_sample_of_array(X))[:0]
    if X.ndim == 2 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    more: dict[str, Any] = {"drop_axis": 1, "chunks": (X.chunks[0],)}
    if meta.ndim == 2:
        more = {"chunks": (X.chunks[0], (meta.shape[1],))}
    return da.map_blocks(
        _score_block, X, _sent(model), method, meta, meta=meta, token=_name_of(method), **more
    )


def _sample_of_array(X: Any) -> Any:
    """Return one row of the kind of X, whose prediction has the type of all predictions."""
    row = np.zeros((1, *X.shape[1:]), X.dtype)
    if hasattr(X._meta, "tocsr"):
        from scipy.sparse import csr_matrix

        return csr_matrix(row)
    return row


def _score_block(block: Any, model: Any, method: str, meta: np.ndarray) -> np.ndarray:
    # Estimators raise for blocks without rows.
    return getattr(model, method)(block) if block.shape[0] else meta


def _of_frame(model: Any, X: Any, method: str) -> Any:
    sample = _sample_of_frame(X, native_of(model))
    meta = _labelled(getattr(model, method)(sample), sample, model).iloc[:0]
    return X.map_partitions(_score_frame, _sent(model), method, meta, meta=meta, token=_name_of(method))


def _sample_of_frame(X: Any, native: Any) -> pd.DataFrame:
    """Return one row with the columns and types of X.

    A column of objects may hold anything: the sample has the type that the model has learned.
    """
    sample = X._meta_nonempty.iloc[:1].copy()
    numbers = {*native.get_feature_names_out()} if hasattr(native, "feature_names_in_") else set()
    for name, dtype in X.dtypes.items():
        if pd.api.types.is_object_dtype(dtype):
            sample[name] = 0.0 if name in numbers else ""
    return sample


def _score_frame(frame: pd.DataFrame, model: Any, method: str, meta: Any) -> Any:
    if not len(frame):
        return meta.set_axis(frame.index)
    return _labelled(getattr(model, method)(frame), frame, model)


def _labelled(values: np.ndarray, frame: pd.DataFrame, model: Any) -> Any:
    """Return values with the index of the frame, and with a column for each class if they are 2-d."""
    if values.ndim == 1:
        return pd.Series(values, index=frame.index)
    return pd.DataFrame(values, index=frame.index, columns=model.classes_.tolist())


def _of_bag(model: Any, X: db.Bag, method: str) -> db.Bag:
    _ = model.n_support_vectors_  # raises for a model without rows
    return X.map_partitions(_score_rows, _sent(model), method)


def _score_rows(rows: Iterable[Any], model: Any, method: str) -> list[Any]:
    rows = list(rows)
    if not rows:
        return []
    values = getattr(model, method)(rows_together(rows, native_of(model)))
    if values.ndim == 1:
        return values.tolist()
    classes = model.classes_.tolist()
    return [dict(zip(classes, row, strict=True)) for row in values.tolist()]


def rows_together(rows: list[Any], native: Any) -> Any:
    """Return the rows of a bag as a frame, if they are dicts, or as an array.

    The frame has the columns of the model, in its order, also those that all rows of the partition lack. New
    names follow.
    """
    named = isinstance(rows[0], Mapping)
    for number, row in enumerate(rows):
        if isinstance(row, Mapping) is not named:
            raise ParameterError("X must have either dicts or sequences as rows, got both", "X", number)
        if not named and np.shape(row) != np.shape(rows[0]):
            expected = f"X must have rows of one length, {np.size(rows[0])}"
            raise ParameterError(f"{expected}, got {np.size(row)} in row {number}", "X", number)
    if not named:
        return np.asarray(rows)
    known = dict.fromkeys(getattr(native, "feature_names_in_", ()))
    names = list({**known, **{name: None for row in rows for name in row}})
    return pd.DataFrame.from_records(rows, columns=names)
