"""Reading and writing model files, with errors for the command line."""

from pathlib import Path

from .. import _core
from .errors import ModelFileError


def load(path: str) -> _core.Classifier:
    """Load a model, or say why not."""
    try:
        return _core.Classifier.load(path)
    except (OSError, ValueError) as error:
        raise _about(path, error) from error


def check_target(path: str) -> None:
    """Find out before a long training whether its model can be written."""
    target = Path(path)
    if target.is_dir():
        raise ModelFileError(f"{path}: expected a file to write the model to, got a folder")
    if not target.absolute().parent.is_dir():
        raise ModelFileError(f"{path}: there is no folder {target.parent}")


def save(model: _core.Classifier, path: str) -> None:
    """Save a model, or say why not."""
    try:
        model.save(path)
    except (OSError, ValueError) as error:
        raise _about(path, error) from error


def _about(path: str, error: Exception) -> ModelFileError:
    message = str(error)
    return ModelFileError(message if message.startswith(f"{path}:") else f"{path}: {message}")
