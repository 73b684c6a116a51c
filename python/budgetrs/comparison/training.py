"""Training of models with several budgets, which learn each block of rows in turn."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any

import numpy as np

from .. import _core
from .._errors import ParameterError, shown
from .._frames import Frame, frame_of
from .._parameters import AlgorithmName
from .checkpoints import Checkpoints
from .curves import Snapshot
from .result import BudgetComparison

# The number of rows in a block: large enough that switching models costs nothing, small enough that after an
# interruption all models reach the same row quickly.
_BLOCK = 1024

# Algorithms whose progressive errors are the errors of the averaged model.
_SERVED = ("online-kernel",)
# Parameters that need a budget, although they apply to every maintenance.
_OF_A_BUDGET = ("maintenance", "rate", "max_size")


def new_training(
    budgets: Sequence[int | None],
    algorithm: AlgorithmName,
    *,
    task: str = "classification",
    classes: Any = None,
    checkpoints: int | Sequence[int] | None = None,
    **params: Any,
) -> "Training":
    """Create an untrained model for each budget; `compare_budgets` documents the parameters."""
    if task not in ("classification", "regression"):
        raise ValueError(f'task must be "classification" or "regression", got {shown(task)}')
    if task == "regression" and classes is not None:
        raise TypeError('classes are for task="classification", not for "regression"')
    if "budget" in params:
        raise TypeError(f"the budgets are given together, as budgets=[...], got budget={params['budget']!r}")
    average = params.get("average", False)
    if average is not False and str(algorithm).replace("_", "-") not in _SERVED:
        raise ValueError(
            f"average must be False with algorithm={shown(algorithm)}, which counts the errors of the last "
            f"model, got {shown(average)}"
        )
    if average == "random":
        raise ValueError('average must not be "random", whose errors cannot be counted in one pass')
    native = _core.Regressor if task == "regression" else _core.Classifier
    more = params if task == "regression" else {**params, "classes": classes}
    unbounded = _without_budget(algorithm, more)
    models = {
        budget: native(algorithm, budget=budget, **(unbounded if budget is None else more))
        for budget in _checked(budgets)
    }
    for model in models.values():
        # One warning per budget would say the same.
        model._checks.done.add("kernel values")
    return Training(models, Checkpoints(checkpoints))


def _checked(budgets: Any) -> list[int | None]:
    """Check the list of budgets; the range of each is checked by its model."""
    if isinstance(budgets, str | bytes) or not hasattr(budgets, "__iter__"):
        raise TypeError(
            f"budgets must be a sequence of integers >= 1 or None, such as [50, 100], got {shown(budgets)}"
        )
    checked = [_budget(budget) for budget in budgets]
    if not checked:
        raise ValueError("budgets must have at least one budget, got none")
    for position, budget in enumerate(checked):
        if budget in checked[:position]:
            raise ValueError(f"budgets must all be different, got {budget} twice")
    return checked


def _budget(budget: Any) -> int | None:
    if budget is None:
        return None
    # In Python, True is an integer.
    if isinstance(budget, bool) or not hasattr(budget, "__index__"):
        raise TypeError(f"budgets must be integers >= 1 or None, got {shown(budget)} among them")
    return index(budget)


@dataclass
class Training:
    """One model for each budget, and the snapshots recorded so far.

    After each call all models have seen the same rows. An interrupted call may leave some of them ahead;
    `result` then describes the last rows that all models have learned.
    """

    models: dict[int | None, Any]
    checkpoints: Checkpoints
    _snapshots: list[Snapshot] = field(default_factory=list)
    _now: Snapshot | None = None
    _seconds: dict[int | None, float] = field(default_factory=dict)

    @property
    def n_samples_seen_(self) -> int:
        """The number of rows that all models have learned; rows of weight 0 are not counted."""
        return 0 if self._now is None else self._now.rows

    @property
    def _first(self) -> Any:
        return next(iter(self.models.values()))

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Train every model on a batch; an invalid batch changes nothing."""
        frame = frame_of(X)
        first = self._first
        X = X if frame is None else frame
        # All models are at the same row, so a batch that is valid for one is valid for all.
        try:
            first.validate(X, y, sample_weight=sample_weight)
        except ParameterError as error:
            message = str(error).replace("use Regressor", 'pass task="regression"')
            raise ParameterError(message, error.parameter, error.row) from None
        X, y = _sliceable(X, y)
        weight = None if sample_weight is None else np.asanyarray(sample_weight)
        # Row i of the batch is learned as row `before + learned[i]`; rows of weight 0 are not counted.
        learned = np.cumsum(self._is_counted(y, weight))
        before, start = self.n_samples_seen_, 0
        while start < len(y):
            goal = self.checkpoints.after(self.n_samples_seen_)
            end = min(start + _BLOCK, int(np.searchsorted(learned, goal - before)) + 1, len(y))
            part = slice(start, end)
            its_weight = None if weight is None else weight[part]
            self._learn_part(X[part], y[part], its_weight, before + int(learned[end - 1]), goal)
            start = end

    def _is_counted(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """Return whether the weight of each row and of its class is positive."""
        counted = np.ones(len(y), bool) if weight is None else weight.reshape(-1) > 0
        by_class = self._first.params.get("class_weight")
        if isinstance(by_class, dict):
            counted &= ~np.isin(y, [label for label, weight in by_class.items() if not weight])
        return counted

    def _learn_part(self, X: Any, y: Any, weight: np.ndarray | None, rows: int, goal: float) -> None:
        seconds = dict(self._seconds)
        for budget, model in self.models.items():
            start = time.perf_counter()
            model.learn(X, y, sample_weight=weight)
            seconds[budget] = seconds.get(budget, 0.0) + time.perf_counter() - start
        self._seconds = seconds
        if rows > self.n_samples_seen_:
            self._now = Snapshot.of(rows, self.models, seconds)
            if rows == goal:
                self._snapshots.append(self._now)

    def add_features(self, n_features: int) -> None:
        """Append features to all models."""
        for model in self.models.values():
            model.add_features(n_features)

    def so_far(self) -> BudgetComparison:
        """Return the comparison so far."""
        if self._now is None:
            raise ValueError("X must have rows of weight > 0, got none")
        snapshots = self._snapshots
        if not snapshots or snapshots[-1].rows < self._now.rows:
            snapshots = [*snapshots, self._now]
        return BudgetComparison.of(self.models, snapshots)

    def result(self) -> BudgetComparison:
        """Return the comparison after the end of the stream; raises if it had only one class."""
        comparison = self.so_far()
        if isinstance(self._first, _core.Classifier) and len(self._first.classes_) < 2:
            only = self._first.classes_.tolist()[0]
            raise ValueError(
                f"y must hold at least 2 different labels to compare budgets by, got only {only!r}"
            )
        return comparison


def _sliceable(X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Return rows and targets that can be sliced, without a change for the models."""
    if not isinstance(X, Frame):
        X = X.tocsr() if hasattr(X, "tocsr") else np.asanyarray(X)
    typed = hasattr(y, "dtype") or hasattr(y, "__array__")
    return X, np.asanyarray(y, dtype=None if typed else object).reshape(-1)


def _without_budget(algorithm: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of an algorithm without a budget."""
    if algorithm not in _core.ALGORITHMS:
        return params
    maintenance = params.get("maintenance", _core.parameters(algorithm)["maintenance"])
    if maintenance in _core.UNBOUNDED_STRATEGIES:
        return params
    choices = {name: params[name] for name in ("loss", "kernel") if name in params}
    before = _core.applicable(algorithm, **choices, maintenance=maintenance)
    after = _core.applicable(algorithm, **choices, maintenance="none")
    dropped = {*_OF_A_BUDGET, *(name for name in before if name not in after)}
    unbounded = {name: value for name, value in params.items() if name not in dropped}
    # The default margin is 0.01 with caches; the Perceptron's default is 0 with all other strategies.
    if maintenance in _core.MARGIN_STRATEGIES and "margin" in after and unbounded.get("margin") is None:
        unbounded["margin"] = 0.01
    return {**unbounded, "maintenance": "none"}
