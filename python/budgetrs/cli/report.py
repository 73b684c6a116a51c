"""The results that commands print."""

import sys
from pathlib import Path

from .errors import DataError, reason

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def line(key: str, value: object) -> None:
    """Print one ``key: value`` line."""
    text(f"{key}: {value}")


def text(said: str) -> None:
    """Print a line; a failure to write becomes a `DataError`."""
    try:
        print(said)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"standard output: {reason(error)}") from error


def percent(part: int, whole: int) -> str:
    """Format a percentage with two digits."""
    return f"{100 * part / whole:.2f}%" if whole else "none"


def size(n_bytes: float) -> str:
    """Format a number of bytes."""
    unit = 0
    while n_bytes >= 1024 and unit < len(_UNITS) - 1:
        n_bytes /= 1024
        unit += 1
    return f"{n_bytes:.0f} {_UNITS[unit]}" if unit == 0 else f"{n_bytes:.1f} {_UNITS[unit]}"


def file_with_size(path: str) -> str:
    """Format a file name with its size."""
    return f"{path} ({size(Path(path).stat().st_size)})"


def peak_memory() -> str:
    """Format the peak memory of this process."""
    try:
        import resource
    except ImportError:
        return "not known on this system"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size(peak if sys.platform == "darwin" else peak * 1024)


def rate(rows: int, seconds: float) -> str:
    """Format rows per second."""
    return f"{rows / seconds:,.0f}" if seconds > 0 else "-"
