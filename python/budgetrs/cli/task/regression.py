"""Regression: each row has a numeric target."""

import math
from argparse import Namespace
from typing import Any

import numpy as np

from ... import _core
from ..errors import row_error
from ..rows import Batch
from ..survey import Moments, Survey
from .base import Score, TargetEncoder, Task


class Regression(Task):
    """Predicts numeric targets."""

    name = "regression"
    native = _core.Regressor
    foreign = ("classes",)

    def new_model(self, algorithm: str, classes: np.ndarray | None, params: dict[str, Any]) -> Any:  # noqa: ARG002, D102
        return _core.Regressor(algorithm, **params)

    def targets(self, args: Namespace, found: Survey, name: str, *, is_whole: bool) -> TargetEncoder:  # noqa: ARG002, D102
        return _Numbers()

    def progressive(self, model: _core.Regressor) -> list[tuple[str, str]]:  # noqa: D102
        errors = _errors(model.mean_squared_error_, model.mean_absolute_error_)
        return [(f"progressive {name}", f"{error:.6g}") for name, error in errors]

    def status(self, model: _core.Regressor) -> list[str]:  # noqa: D102
        (rmse, mae) = _errors(model.mean_squared_error_, model.mean_absolute_error_)
        return [f"{rmse[0]} {rmse[1]:.4g} progressive", f"{mae[0]} {mae[1]:.4g}"]

    def score(self, model: _core.Regressor) -> Score:  # noqa: D102
        return _Residuals(model)

    def predictions(self, found: np.ndarray, digits: str) -> list[str]:  # noqa: D102
        return [digits % number for number in found.tolist()]


def _errors(square: float, absolute: float) -> list[tuple[str, float]]:
    """Return RMSE and MAE with their names."""
    return [("RMSE", math.sqrt(square)), ("MAE", absolute)]


class _Numbers(TargetEncoder):
    """The targets as they are in the file."""

    def of(self, batch: Batch) -> np.ndarray:
        return batch.y


class _Residuals(Score):
    """RMSE, MAE and R^2, in double precision."""

    def __init__(self, model: _core.Regressor) -> None:
        self._model = model
        self._targets = Moments()
        self._span = (math.inf, -math.inf)
        self._square = 0.0
        self._absolute = 0.0

    def add(self, batch: Batch, found: np.ndarray) -> None:
        try:
            # Targets out of range are rejected here as in training.
            self._model.check(batch.matrix(self._model.n_features_in_), batch.y)
        except ValueError as error:
            raise row_error(batch.where, error) from error
        residuals = batch.y - found.astype(np.float64)
        self.rows += len(batch)
        self._square += float(residuals @ residuals)
        self._absolute += float(np.abs(residuals).sum())
        self._targets.add(batch.y[:, None])
        self._span = (min(self._span[0], batch.y.min()), max(self._span[1], batch.y.max()))

    def lines(self) -> list[tuple[str, object]]:
        errors = [(f"test {name}", f"{error:.6g}") for name, error in self._means()]
        return [*errors, ("test R^2", self._determination())]

    def status(self) -> str:
        return "  ".join(f"{name} {error:.4g}" for name, error in self._means())

    def _means(self) -> list[tuple[str, float]]:
        rows = max(1, self.rows)
        return _errors(self._square / rows, self._absolute / rows)

    def _determination(self) -> str:
        """Format R^2, which is undefined if all targets are equal."""
        if self._span[0] == self._span[1]:
            return "none, the targets are all equal"
        return f"{1 - self._square / self.rows / float(self._targets.variance()[0]):.6g}"
