"""Reading and writing model files; failures become errors of the command line."""

import json
from pathlib import Path

from .. import _core
from . import target
from .errors import ModelFileError, UsageError, message, reason


def load(path: str) -> _core.Classifier | _core.Regressor:
    """Load a model of any task."""
    try:
        return _core.load(path)
    except OSError as error:
        raise _about(path, error) from error
    except ValueError as error:
        raise ModelFileError(f"{_about(path, error)}; expected a model file of budgetrs train") from error


def load_fitted(path: str) -> _core.Classifier | _core.Regressor:
    """Load a model that has learned."""
    model = load(path)
    if not hasattr(model, "n_features_in_"):
        raise ModelFileError(f"{path}: expected a trained model, got one that has learned no rows")
    return model


def has_scaling(path: str) -> bool:
    """Return whether a model that can be loaded has a mean and deviation that were set."""
    with Path(path).open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return header.get("learner.scaling.factor", {}).get("shape", [0]) != [0]


def check_target(path: str) -> None:
    """Check before a long training that the model file can be written."""
    if path == "-":
        raise UsageError("-o: expected a file for the model, got - (standard output)")
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
    if isinstance(error, FileNotFoundError) and not Path(path).parent.is_dir():
        return ModelFileError(f"{path}: no such directory")
    if isinstance(error, FileNotFoundError):
        return ModelFileError(f'{path}: no such model file; "budgetrs train DATA -o {path}" writes one')
    text = reason(error) if isinstance(error, OSError) else message(error)
    return ModelFileError(text if text.startswith(f"{path}:") else f"{path}: {text}")
