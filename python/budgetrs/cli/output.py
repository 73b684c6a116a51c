"""Files that are written, checked before the work and written completely or not at all, and model files."""

import io
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from .. import _core
from .errors import DataError, InterruptionError, ModelFileError, UsageError, reason
from .parameters import in_options

PICTURES = (".png", ".pdf", ".svg")


def reject_sources(output: str | None, *sources: str | None) -> None:
    """Raise if the output is one of the input files, under any name; None is standard output."""
    written = _status(output, sys.stdout)
    for source in filter(None, sources):
        read = _status(source, sys.stdin)
        if written and read and stat.S_ISREG(read.st_mode) and os.path.samestat(written, read):
            shown = "standard output" if output is None else output
            raise UsageError(f"{shown}: expected an output file, got the input {source}")


def _status(path: str | None, standard: TextIO | None) -> os.stat_result | None:
    try:
        if path in (None, "-"):
            return os.fstat(standard.fileno()) if standard else None
        return Path(path or "").stat()
    except (OSError, ValueError):
        return None


@contextmanager
def writing(path: str | None) -> Iterator[Callable[[str], object]]:
    """Yield a function that writes text to a file or, if it is None, to standard output.

    The file replaces the old one when it is complete. Devices and pipes are written directly.
    """
    if path is None:
        with _named("standard output"):
            if sys.stdout is None:
                raise OSError("it is closed")
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(encoding="utf-8")  # as in a file, whatever the locale
            yield sys.stdout.write
            sys.stdout.flush()
    else:
        with _writing(path) as write:
            yield lambda text: write(text.encode())


@contextmanager
def _writing(path: str) -> Iterator[Callable[[bytes], object]]:
    with _named(path):
        if _is_device(path):
            with Path(path).open("wb") as out:
                yield out.write
            return
        draft = _draft(path)
        try:
            yield draft.write
            draft.commit()
        except KeyboardInterrupt as stop:
            raise InterruptionError(stop, f"{path} was not written") from None
        finally:
            draft.discard()


@contextmanager
def _named(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"{name}: {reason(error)}") from error


def check_file(option: str, path: str, *read: str | None) -> None:
    """Check in advance that `write` can succeed and that the file is no input."""
    if path == "-":
        raise UsageError(f"{option}: expected a file, got - (standard output)")
    reject_sources(path, *read)
    with _named(path):
        if not _is_device(path):
            _draft(path).discard()


def check_picture(option: str, path: str, *read: str | None) -> None:
    """Check in advance that a picture can be drawn and written and overwrites no input."""
    suffix = Path(path).suffix.lower()
    if suffix not in PICTURES:
        raise UsageError(
            f'{option} {path}: expected a file name ending in {", ".join(PICTURES)}, got "{suffix}"'
        )
    try:
        import matplotlib.figure  # noqa: F401  a missing package is reported before the work
    except ImportError as error:
        raise UsageError(f"{option} needs {error.name or error}: pip install 'budgetrs[plot]'") from error
    check_file(option, path, *read)


def write(path: str, content: bytes) -> None:
    """Replace a file atomically; devices and pipes are written directly."""
    with _writing(path) as out:
        out(content)


def write_picture(path: str, figure: Any) -> None:
    """Write a figure in the format of the name."""
    content = io.BytesIO()
    figure.savefig(content, format=Path(path).suffix.lower().removeprefix("."))
    write(path, content.getvalue())


def _is_device(path: str) -> bool:
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()


def _draft(path: str) -> _core.AtomicFile:
    """Return a draft of the file, with its permissions; links are followed."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OSError(f"expected a file, got the directory {target}")
    if not target.parent.is_dir():
        raise OSError(f"no such directory {target.parent}")
    old = target.stat().st_mode if target.exists() else None
    if old is not None and not stat.S_ISREG(old):
        raise OSError("expected a regular file, got a device or a pipe")
    if old is not None and not old & 0o222:
        raise OSError("the file is read-only")
    try:
        return _core.AtomicFile(target)
    except OSError as error:
        raise OSError(f"cannot create a file in {target.parent}: {reason(error)}") from error


def load_model(path: str) -> Any:
    """Load a model of any task."""
    try:
        return _core.load(path)
    except OSError as error:
        raise _about_model(path, error) from error
    except ValueError as error:
        expected = "expected a model file of budgetrs train (predict and evaluate: MODEL DATA)"
        raise ModelFileError(f"{_about_model(path, error)}; {expected}") from error


def load_fitted(path: str) -> Any:
    """Load a model that has learned."""
    model = load_model(path)
    if not hasattr(model, "n_features_in_"):
        raise ModelFileError(f"{path}: expected a trained model, got one that has learned no rows")
    return model


def has_fixed_scaling(path: str) -> bool:
    """Return whether a model that can be loaded has a mean and deviation that were set."""
    with Path(path).open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return header.get("learner.scaling.factor", {}).get("shape", [0]) != [0]


def check_model(path: str) -> None:
    """Check before a long training that the model file can be written."""
    if path == "-":
        raise UsageError("-o: expected a file for the model, got - (standard output)")
    try:
        _draft(path).discard()
    except OSError as error:
        raise _about_model(path, error) from error


def save_model(model: Any, path: str) -> None:
    """Save a model."""
    try:
        model.save(path)
    except (OSError, ValueError) as error:
        raise _about_model(path, error) from error


def _about_model(path: str, error: Exception) -> ModelFileError:
    if isinstance(error, FileNotFoundError) and not Path(path).parent.is_dir():
        return ModelFileError(f"{path}: no such directory")
    if isinstance(error, FileNotFoundError):
        return ModelFileError(f'{path}: no such model file; "budgetrs train DATA -o {path}" writes one')
    text = reason(error) if isinstance(error, OSError) else in_options(str(error))
    return ModelFileError(text if text.startswith(f"{path}:") else f"{path}: {text}")
