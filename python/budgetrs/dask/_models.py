"""The models that the functions accept."""

import sys
from typing import Any

from dask.base import is_dask_collection

from .. import _core
from ._partitions import kind_of


def is_estimator(model: Any) -> bool:
    """Return whether a model is an estimator of this package, without importing the estimators."""
    estimators = sys.modules.get("budgetrs.estimators._saved")
    return estimators is not None and isinstance(model, estimators.SavedEstimator)


def native_of(model: Any) -> Any:
    """Return the native model; None for an estimator that is not fitted; raise for other objects."""
    if isinstance(model, _core.NativeModel):
        return model
    if is_estimator(model):
        return vars(model).get("_model")
    expected = "a Classifier, a Regressor or an estimator of budgetrs"
    advice = ": pass the model first, and then the rows" if is_dask_collection(model) else ""
    if isinstance(model, type):
        advice = f": pass an instance, {model.__name__}()"
    raise TypeError(f"model must be {expected}, got {kind_of(model)}{advice}")
