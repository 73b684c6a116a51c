"""Predictions of the rows of a collection, as a collection: nothing is computed yet."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, overload

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.base import tokenize
from dask.delayed import delayed

from .._errors import ParameterError
from ._models import native_of
from ._partitions import in_memory, kind_of, with_whole_rows

C = TypeVar("C", da.Array, dd.DataFrame, db.Bag)


@overload
def predict(model: Any, X: da.Array) -> da.Array: ...
@overload
def predict(model: Any, X: dd.DataFrame) -> dd.Series: ...
@overload
def predict(model: Any, X: db.Bag) -> db.Bag: ...
def predict(model: Any, X: Any) -> Any:
    """Predict the label or target of each row of a collection, lazily.

    The model is copied when the function is called, and sent to each worker once. Each task predicts in one
    thread. The predictions are bit-identical to ``model.predict``.

    Parameters
    ----------
    model : Classifier, Regressor or an estimator of budgetrs
        A trained model.
    X : dask array of shape (n, d), dask data frame or bag
        The rows. The number of rows may be unknown. A bag has dicts of values by column name (a name that a
        row lacks is a missing value), or sequences of d numbers.

    Returns
    -------
    dask array of shape (n,), dask series or bag
        With the chunks or partitions of X, and with the index and divisions of a frame.

    Raises
    ------
    TypeError, NotFittedError, ValueError
        As ``model.predict``. The columns of a bag are checked when the result is computed.

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
    """Compute the scores of each row, lazily, with the parameters and errors of `predict`.

    Two classes have one score, positive for ``classes_[1]``; otherwise there is one score per class: a column
    of an array or a frame, or a value of the dicts of a bag.
    """
    return _scored(model, X, "decision_function")


def predict_proba(model: Any, X: C) -> C:
    """Compute the class probabilities of each row, lazily, with the parameters and errors of `predict`.

    Arrays and frames have a column per class, in the order of ``classes_``; bags have dicts by class.
    """
    return _scored(model, X, "predict_proba")


def _scored(model: Any, X: Any, method: str) -> Any:
    native = native_of(model)
    getattr(model, method)  # an estimator without the method raises with the reason
    if not isinstance(X, da.Array | dd.DataFrame | db.Bag):
        advice = in_memory(X, f"model.{method}(X)")
        raise TypeError(f"X must be a dask array, data frame or bag, got {kind_of(X)}{advice}")
    model = copy.deepcopy(model)
    model.n_jobs = 1
    # One key of the graph, which the tasks share: each worker gets it once.
    sent = delayed(model, pure=True, name=f"budgetrs-model-{tokenize(model)}", traverse=False)
    if isinstance(X, db.Bag):
        _ = model.gamma_  # raises for a model without rows
        return X.map_partitions(_score_rows, sent, method)
    is_array = isinstance(X, da.Array)
    sample: Any = np.zeros((1, *map(int, X.shape[1:])), X.dtype) if is_array else _sample_of_frame(X, native)
    if is_array and hasattr(X._meta, "tocsr"):
        sample = type(X._meta)(sample)
    meta = _labelled(getattr(model, method)(sample), sample, model)[:0]
    what: dict[str, Any] = {"meta": meta, "token": f"budgetrs-{method.replace('_', '-')}"}
    if not is_array:
        return X.map_partitions(_score, sent, method, meta, **what)
    what["chunks"] = (X.chunks[0], *meta.shape[1:])
    dropped = [] if meta.ndim == 2 else 1
    return da.map_blocks(_score, with_whole_rows(X), sent, method, meta, drop_axis=dropped, **what)


def _score(rows: Any, model: Any, method: str, meta: Any) -> Any:
    # Estimators raise for blocks without rows.
    return _labelled(getattr(model, method)(rows), rows, model) if rows.shape[0] else meta


def _sample_of_frame(X: Any, native: Any) -> pd.DataFrame:
    """Return one row with the columns and types of X; objects get the type that the model has learned."""
    sample = X._meta_nonempty.iloc[:1].copy()
    numbers = {*native.get_feature_names_out()} if hasattr(native, "feature_names_in_") else set()
    for name, dtype in X.dtypes.items():
        if pd.api.types.is_object_dtype(dtype):
            sample[name] = 0.0 if name in numbers else ""
    return sample


def _labelled(values: np.ndarray, rows: Any, model: Any) -> Any:
    """Return predictions of a frame with its index, and with a column for each class if they are 2-d."""
    if not isinstance(rows, pd.DataFrame):
        return values
    if values.ndim == 1:
        return pd.Series(values, index=rows.index)
    return pd.DataFrame(values, index=rows.index, columns=model.classes_.tolist())


def _score_rows(rows: Iterable[Any], model: Any, method: str) -> list[Any]:
    rows = list(rows)
    if not rows:
        return []
    values = getattr(model, method)(_together(rows, native_of(model)))
    if values.ndim == 1:
        return values.tolist()
    classes = model.classes_.tolist()
    return [dict(zip(classes, row, strict=True)) for row in values.tolist()]


def _together(rows: list[Any], native: Any) -> Any:
    """Return dicts as a frame with the columns of the model first; return other rows unchanged."""
    named = [isinstance(row, Mapping) for row in rows]
    if not any(named):
        return rows
    if not all(named):
        row = named.index(not named[0])
        raise ParameterError("X must have either dicts or sequences as rows, got both", "X", row)
    known = dict.fromkeys(getattr(native, "feature_names_in_", ()))
    names = list({**known, **{name: None for row in rows for name in row}})
    return pd.DataFrame.from_records(rows, columns=names)
