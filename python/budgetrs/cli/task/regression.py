"""Regression: each row has a numeric target."""

import math
from argparse import Namespace
from typing import Any, ClassVar

import numpy as np

from ... import _core
from ..batch import Batch
from ..errors import row_error
from ..report import RECENT, Line
from ..scan import Moments, Scan
from .base import Score, TargetEncoder, Task


class Regression(Task):
    """Predicts numeric targets."""

    name = "regression"
    native: ClassVar[type[_core.Classifier] | type[_core.Regressor]] = _core.Regressor
    foreign: ClassVar[tuple[str, ...]] = ("classes",)

    def new_model(self, algorithm: str, classes: np.ndarray | None, params: dict[str, Any]) -> Any:  # noqa: ARG002, D102
        return _core.Regressor(algorithm, **params)

    def targets(self, args: Namespace, found: Scan, name: str, *, is_whole: bool) -> TargetEncoder:  # noqa: ARG002, D102
        return _Numbers()

    def resumed(self, model: _core.Regressor) -> TargetEncoder:  # noqa: ARG002, D102
        return _Numbers()

    def progressive(self, model: _core.Regressor) -> list[Line]:  # noqa: D102
        errors = _errors(model.mean_squared_error_, model.mean_absolute_error_)
        return [
            *(_line("progressive", name, f"{error:.6g}", error) for name, error in errors),
            Line(RECENT.format("MAE"), f"{model.recent_error_:.6g}", {"recent_mae": model.recent_error_}),
            *_baselines(model.constant_error_, model.no_change_error_),
        ]

    def status(self, model: _core.Regressor) -> list[Line]:  # noqa: D102
        (rmse, mae) = _errors(model.mean_squared_error_, model.mean_absolute_error_)
        first = _line("progressive", rmse[0], f"progressive RMSE {rmse[1]:.4g}", rmse[1])
        return [first, _line("progressive", mae[0], f"{mae[0]} {mae[1]:.4g}", mae[1])]

    def score(self, model: _core.Regressor) -> Score:  # noqa: D102
        return _Residuals(model)

    def measures(self, model: _core.Regressor) -> Score:  # noqa: D102
        return _Measures(model)

    def predictions(self, found: np.ndarray, digits: str) -> list[str]:  # noqa: D102
        return [digits % number for number in found.tolist()]


def _errors(square: float, absolute: float) -> list[tuple[str, float]]:
    """Return RMSE and MAE with their names."""
    return [("RMSE", math.sqrt(square)), ("MAE", absolute)]


def _line(prefix: str, name: str, text: str, error: float | None) -> Line:
    """Return the line of an error, with its field."""
    key = "r2" if name == "R^2" else name.lower()
    return Line(f"{prefix} {name}", text, {f"{prefix}_{key}": error})


def _baselines(constant: float, no_change: float) -> list[Line]:
    """Return the lines of two predictions that need no model, from their mean squared errors."""
    errors = (("mean target", "constant_rmse", constant), ("previous target", "no_change_rmse", no_change))
    return [
        Line(f"baseline RMSE, {key}", f"{math.sqrt(square):.6g}", {name: math.sqrt(square)})
        for key, name, square in errors
    ]


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

    def add(self, batch: Batch, *found: np.ndarray) -> None:
        (numbers,) = found
        try:
            # Targets out of range are rejected here as in training.
            self._model.validate(batch.matrix(self._model.n_features_encoded_), batch.y)
        except ValueError as error:
            raise row_error(batch.where, error) from error
        residuals = batch.y - numbers.astype(np.float64)
        self.rows += len(batch)
        self._square += float(residuals @ residuals)
        self._absolute += float(np.abs(residuals).sum())
        self._targets.add(batch.y[:, None])
        self._span = (min(self._span[0], batch.y.min()), max(self._span[1], batch.y.max()))

    def lines(self) -> list[Line]:
        errors = [_line("test", name, f"{error:.6g}", error) for name, error in self._means()]
        part = self._determination()
        text = "none (all targets are equal)" if part is None else f"{part:.6g}"
        return [*errors, _line("test", "R^2", text, part)]

    def status(self) -> list[Line]:
        return [_line("test", name, f"{name} {error:.4g}", error) for name, error in self._means()]

    def _means(self) -> list[tuple[str, float]]:
        rows = max(1, self.rows)
        return _errors(self._square / rows, self._absolute / rows)

    def _determination(self) -> float | None:
        """Return R^2; None if all targets are equal, where it is undefined."""
        if self._span[0] == self._span[1]:
            return None
        return 1 - self._square / self.rows / float(self._targets.variance()[0])


class _Measures(_Residuals):
    """RMSE, MAE, R^2, and the RMSE of two predictions that need no model."""

    def __init__(self, model: _core.Regressor) -> None:
        super().__init__(model)
        self._last = np.zeros(0)
        self._change = 0.0

    def add(self, batch: Batch, *found: np.ndarray) -> None:
        super().add(batch, *found)
        changes = np.diff(batch.y, prepend=self._last)
        self._change += float(changes @ changes)
        self._last = batch.y[-1:]

    def lines(self) -> list[Line]:
        squares = (float(self._targets.variance()[0]), self._change / self.rows)
        return [*super().lines(), *_baselines(*squares)]
