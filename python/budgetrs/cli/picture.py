"""Files of pictures: checked before the work, then written completely or not at all."""

from pathlib import Path
from typing import Any

from . import target
from .errors import UsageError

FORMATS = (".png", ".pdf", ".svg")


def check(option: str, path: str, *read: str | None) -> None:
    """Check that the picture of an option can be drawn and written and overwrites no input."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise UsageError(
            f"{option} {path}: expected a file name ending in {', '.join(FORMATS)}, got {suffix!r}"
        )
    try:
        from . import figure  # noqa: F401  a missing package is reported before the work
    except ImportError as error:
        raise UsageError(f"{option} needs {error.name or error}: pip install 'budgetrs[plot]'") from error
    target.check_file(option, path, *read)


def write(path: str, figure: Any) -> None:
    """Write a figure in the format of the name."""
    from .figure import content_of

    target.write(path, content_of(figure, Path(path).suffix.lower()))
