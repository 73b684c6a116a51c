"""Models of several budgets, abreast: each learns some rows, then the next learns the same."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any

import numpy as np

from .. import _core
from .checkpoints import Checkpoints
from .curves import Moment
from .result import BudgetComparison

# So many rows one model learns before the next does: enough that changing over costs nothing, few enough that
# all stand abreast at once when they are interrupted.
_BLOCK = 1024

# What means nothing to a model that has no maintenance.
_OF_MAINTENANCE = ("maintenance", "n_neighbors", "newcomer_may_leave", "rate", "max_size", "eta", "clip")
# Strategies that need no budget.
_UNBOUNDED = ("none", "distill", "projectron", "projectron++")
# Strategies with which the margin is 0.01 unless it is given; without them that of the Perceptron is 0.
_CACHES = ("margin", "distill")


def new_race(
    budgets: Sequence[int | None],
    algorithm: str,
    *,
    task: str = "classification",
    classes: Any = None,
    checkpoints: int | Sequence[int] | None = None,
    **params: Any,
) -> "Race":
    """Make models that have learned nothing yet, one for each budget; `compare_budgets` documents it."""
    if task not in ("classification", "regression"):
        raise ValueError(f'task must be "classification" or "regression", got {task!r}')
    if task == "regression" and classes is not None:
        raise TypeError('classes are for task="classification", got some for "regression"')
    if "budget" in params:
        raise TypeError(f"the budgets are given together, as budgets=[...], got budget={params['budget']!r}")
    if params.get("average", False) is not False:
        raise ValueError(
            f"average must be False, for the errors are those of the last models, got {params['average']!r}"
        )
    native = _core.Regressor if task == "regression" else _core.Classifier
    more = params if task == "regression" else {**params, "classes": classes}
    unbounded = _without_budget(algorithm, more)
    models = {
        budget: native(algorithm, budget=budget, **(unbounded if budget is None else more))
        for budget in _checked(budgets)
    }
    return Race(models, Checkpoints(checkpoints))


def _checked(budgets: Any) -> list[int | None]:
    """Refuse what no models can be made for; the models themselves refuse what is too small or too large."""
    if isinstance(budgets, str | bytes) or not hasattr(budgets, "__iter__"):
        raise TypeError(f"budgets must be a sequence of integers >= 1 or None, got {budgets!r}")
    checked = [_budget(budget) for budget in budgets]
    if not checked:
        raise ValueError("budgets must be at least one, got none")
    for position, budget in enumerate(checked):
        if budget in checked[:position]:
            raise ValueError(f"budgets must all be different, got {budget} twice")
    return checked


def _budget(budget: Any) -> int | None:
    if budget is None:
        return None
    # True is an integer to Python.
    if isinstance(budget, bool) or not hasattr(budget, "__index__"):
        raise TypeError(f"budgets must be integers >= 1 or None, got {budget!r} among them")
    return index(budget)


@dataclass
class Race:
    """One model for each budget, and what was noted of them on the way.

    All models have seen the same rows whenever a call has returned. One that was interrupted may leave some
    of them ahead; `result` is then that of the last rows that all had learned.
    """

    models: dict[int | None, Any]
    checkpoints: Checkpoints
    _moments: list[Moment] = field(default_factory=list)
    _now: Moment | None = None
    _seconds: dict[int | None, float] = field(default_factory=dict)

    @property
    def n_seen_(self) -> int:
        """How many rows all models have learned; those of weight 0 are not counted."""
        return 0 if self._now is None else self._now.rows

    @property
    def gamma_(self) -> float:
        """The gamma in use, which is the same in all models."""
        return self._first.gamma_

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the first model."""
        return self._first.params

    @property
    def _first(self) -> Any:
        return next(iter(self.models.values()))

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Let every model learn a batch; one that is refused changes nothing."""
        # All models stand at the same row, so what one of them takes they all take. The error names the row.
        self._first.check(X, y, sample_weight=sample_weight)
        X, y = _sliceable(X, y)
        weight = None if sample_weight is None else np.asanyarray(sample_weight)
        # Row i of the batch is learned as row `before + learned[i]`.
        learned = np.arange(1, len(y) + 1) if weight is None else np.cumsum(weight > 0)
        # The classes are the labels of the first batch, not those of its first piece.
        more: dict[str, Any] = {} if self._knows_classes() else {"classes": y}
        before, start = self.n_seen_, 0
        while start < len(y):
            goal = self.checkpoints.after(self.n_seen_)
            end = min(start + _BLOCK, int(np.searchsorted(learned, goal - before)) + 1, len(y))
            part = slice(start, end)
            more["sample_weight"] = None if weight is None else weight[part]
            self._learn_part(X[part], y[part], before + int(learned[end - 1]), goal, more)
            more, start = {}, end

    def _knows_classes(self) -> bool:
        return not isinstance(self._first, _core.Classifier) or hasattr(self._first, "classes_")

    def _learn_part(self, X: Any, y: Any, rows: int, goal: float, more: dict[str, Any]) -> None:
        seconds = dict(self._seconds)
        for budget, model in self.models.items():
            start = time.perf_counter()
            model.learn(X, y, **more)
            seconds[budget] = seconds.get(budget, 0.0) + time.perf_counter() - start
        self._seconds = seconds
        if rows > self.n_seen_:
            self._now = Moment.of(rows, self.models, seconds)
            if rows == goal:
                self._moments.append(self._now)

    def set_scaling(self, mean: Any, std: Any) -> None:
        """Put a scaling into all models."""
        for model in self.models.values():
            model.set_scaling(mean, std)

    def widen(self, n_features: int) -> None:
        """Append features to all models."""
        for model in self.models.values():
            model.widen(n_features)

    def result(self) -> BudgetComparison:
        """Give what was noted so far."""
        if self._now is None:
            raise ValueError("X must hold rows to compare budgets by (of a weight > 0), got none")
        moments = self._moments
        if not moments or moments[-1].rows < self._now.rows:
            moments = [*moments, self._now]
        return BudgetComparison.of(self.models, moments)


def _sliceable(X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Give rows and answers that can be cut, where the models would read the same in them."""
    X = X.tocsr() if hasattr(X, "tocsr") else np.asanyarray(X)
    typed = hasattr(y, "dtype") or hasattr(y, "__array__")
    return X, np.asanyarray(y, dtype=None if typed else object).reshape(-1)


def _without_budget(algorithm: str, params: dict[str, Any]) -> dict[str, Any]:
    """Give the parameters of the same learner without a budget: its own maintenance where that needs none."""
    own = _core.parameters(algorithm) if algorithm in _core.ALGORITHMS else {}
    maintenance = params.get("maintenance", own.get("maintenance"))
    if maintenance in _UNBOUNDED:
        return params
    unbounded = {name: value for name, value in params.items() if name not in _OF_MAINTENANCE}
    if maintenance in _CACHES and "margin" in own and unbounded.get("margin") is None:
        unbounded["margin"] = 0.01
    return {**unbounded, "maintenance": "none"}
