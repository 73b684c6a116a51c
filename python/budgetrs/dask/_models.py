"""The kinds of models that Dask functions accept, and copies of models."""

from __future__ import annotations

import pickle
import sys
from typing import Any

from .. import _core


def reject_other_models(model: Any) -> None:
    """Raise a TypeError unless it is a native model or an estimator of this package."""
    if not (isinstance(model, _core.NativeModel) or is_estimator(model)):
        raise TypeError(
            "model must be a Classifier, a Regressor or an estimator of budgetrs, got "
            f"{type(model).__module__}.{type(model).__qualname__}"
        )


def is_estimator(model: Any) -> bool:
    """Return whether a model is an estimator of this package, without importing the estimators."""
    estimators = sys.modules.get("budgetrs.estimators._saved")
    return estimators is not None and isinstance(model, estimators.SavedEstimator)


def is_regressor(model: Any) -> bool:
    """Return whether a model is a regressor."""
    native = model._native if is_estimator(model) else type(model)
    return native is _core.Regressor


def native_of(model: Any) -> Any:
    """Return the native model; None for an estimator that is not fitted."""
    return vars(model).get("_model") if is_estimator(model) else model


def copied(model: Any) -> Any:
    """Copy a model with its whole state, through pickle."""
    return pickle.loads(pickle.dumps(model))
