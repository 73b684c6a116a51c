"""The tasks, classes and numbers: one file each, and what is common to both in `base`."""

from .base import Score, Targets, Task
from .classification import Classification
from .regression import Regression

__all__ = ["TASKS", "Score", "Targets", "Task", "task_of"]

TASKS: dict[str, Task] = {task.name: task for task in (Classification(), Regression())}
"""Each task by its name."""


def task_of(model: object) -> Task:
    """Give the task of a native model."""
    return next(task for task in TASKS.values() if isinstance(model, task.native))
