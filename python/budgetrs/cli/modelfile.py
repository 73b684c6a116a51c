"""Reading and writing model files; failures become errors of the command line."""

from contextlib import suppress

from .. import _core
from . import target
from .errors import ModelFileError, UsageError, reason
from .task import TASKS


def load(path: str) -> _core.Classifier | _core.Regressor:
    """Load a model of any task."""
    first, *others = (task.native for task in TASKS.values())
    try:
        return first.load(path)
    except OSError as error:
        raise _about(path, error) from error
    except ValueError as error:
        for other in others:
            with suppress(OSError, ValueError):
                return other.load(path)
        # The message of the first attempt applies to any task.
        raise _about(path, error) from error


def check_target(path: str) -> None:
    """Check before a long training that the model file can be written."""
    if path == "-":
        raise UsageError("-o: expected a file for the model, got -, which is standard output")
    try:
        target.check(path)
    except OSError as error:
        raise _about(path, error) from error


def save(model: _core.Model, path: str) -> None:
    """Save a model."""
    try:
        model.save(path)
    except (OSError, ValueError) as error:
        raise _about(path, error) from error


def _about(path: str, error: Exception) -> ModelFileError:
    message = reason(error)
    return ModelFileError(message if message.startswith(f"{path}:") else f"{path}: {message}")
