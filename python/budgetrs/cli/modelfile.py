"""Reading and writing model files, with errors for the command line."""

from pathlib import Path

from .. import _core
from .errors import ModelFileError


def load(path: str) -> _core.Classifier:
    """Load a model, or say why not."""
    try:
        return _core.Classifier.load(path)
    except OSError as error:
        raise ModelFileError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        message = str(error)
        raise ModelFileError(message if message.startswith(path) else f"{path}: {message}") from error


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
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelFileError(f"{path}: {reason}") from error
