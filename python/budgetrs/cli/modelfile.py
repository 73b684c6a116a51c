"""Reading and writing model files; failures become errors of the command line."""

from .. import _core
from . import target
from .errors import ModelFileError, UsageError, reason


def load(path: str) -> _core.Classifier | _core.Regressor:
    """Load a model of any task."""
    try:
        return _core.load(path)
    except (OSError, ValueError) as error:
        raise _about(path, error) from error


def check_target(path: str) -> None:
    """Check before a long training that the model file can be written."""
    if path == "-":
        raise UsageError("-o: expected a file for the model, got -, which is standard output")
    try:
        target.check(path)
    except OSError as error:
        raise _about(path, error) from error


def save(model: _core.NativeModel, path: str) -> None:
    """Save a model."""
    try:
        model.save(path)
    except (OSError, ValueError) as error:
        raise _about(path, error) from error


def _about(path: str, error: Exception) -> ModelFileError:
    message = reason(error)
    return ModelFileError(message if message.startswith(f"{path}:") else f"{path}: {message}")
