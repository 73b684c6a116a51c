"""The tasks, classification and regression: one file each, with their interface in `base`."""

from .base import Score, TargetEncoder, Task
from .classification import Classification
from .regression import Regression

__all__ = ["TASKS", "Score", "TargetEncoder", "Task", "task_of"]

TASKS: dict[str, Task] = {task.name: task for task in (Classification(), Regression())}
"""The tasks by name."""


def task_of(model: object) -> Task:
    """Return the task of a native model."""
    return next(task for task in TASKS.values() if isinstance(model, task.native))
