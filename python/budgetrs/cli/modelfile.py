"""Reading and writing model files, with errors for the command line."""

from .. import _core
from . import target
from .errors import ModelFileError, UsageError, reason


def load(path: str) -> _core.Classifier:
    """Load a model, or say why not."""
    try:
        return _core.Classifier.load(path)
    except (OSError, ValueError) as error:
        raise _about(path, error) from error


def load_any(path: str) -> _core.Model:
    """Load a model of any task, or say why not."""
    try:
        return _core.Classifier.load(path)
    except ValueError:
        try:
            return _core.Regressor.load(path)
        except (OSError, ValueError):
            # What the first attempt says of the file is as true.
            return load(path)
    except OSError as error:
        raise _about(path, error) from error


def check_target(path: str) -> None:
    """Find out before a long training whether its model can be written."""
    if path == "-":
        raise UsageError("-o: expected a file for the model, got -, which is standard output")
    try:
        target.check(path)
    except OSError as error:
        raise _about(path, error) from error


def save(model: _core.Classifier, path: str) -> None:
    """Save a model, or say why not."""
    try:
        model.save(path)
    except (OSError, ValueError) as error:
        raise _about(path, error) from error


def _about(path: str, error: Exception) -> ModelFileError:
    message = reason(error)
    return ModelFileError(message if message.startswith(f"{path}:") else f"{path}: {message}")
