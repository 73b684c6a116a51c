"""The results that commands print: lines of text, or with --json one object per line."""

import json
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .errors import DataError, reason

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


# The fields of the object that is printed at the end; None if results are lines of text.
_fields: dict[str, Any] | None = None


class Line(NamedTuple):
    """A result: its name and value as text, and its fields in JSON."""

    key: str
    value: object
    fields: dict[str, Any]


@contextmanager
def results(*, as_json: bool, command: str) -> Iterator[None]:
    """Print results as text, or collect them and print one object at the end, also after an error."""
    global _fields
    outer, _fields = _fields, {} if as_json else None
    try:
        yield
    finally:
        found, _fields = _fields, outer
        if found:
            _print_object({"event": "result", "command": command, **found})


def is_json() -> bool:
    """Return whether results are printed as JSON."""
    return _fields is not None


def line(key: str, value: object, /, **fields: Any) -> None:
    """Print one ``key: value`` line, an integer with separators of thousands; in JSON the fields."""
    if _fields is None:
        shown = f"{value:,}" if type(value) is int else str(value)
        _print(f"{key}:{shown}" if shown.startswith("\n") else f"{key}: {shown}")
    else:
        _fields.update(fields)


def lines(found: Iterable[Line]) -> None:
    """Print several results."""
    for key, value, fields in found:
        line(key, value, **fields)


def text(content: str, /, **fields: Any) -> None:
    """Print text; in JSON the fields."""
    if _fields is None:
        _print(content)
    else:
        _fields.update(fields)


def event(name: str, **fields: Any) -> None:
    """Print an object immediately."""
    _print_object({"event": name, **fields})


def _print_object(fields: dict[str, Any]) -> None:
    _print(json.dumps(_plain(fields), allow_nan=False))


def _plain(value: Any) -> Any:
    """Return a value for JSON; numbers that are not finite become null."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _print(content: str) -> None:
    """Print a line; a failure to write becomes a `DataError`."""
    try:
        print(content, flush=is_json())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"standard output: {reason(error)}") from error


def percent(part: float, whole: float) -> str:
    """Format a percentage with two digits."""
    return f"{100 * part / whole:.2f}%" if whole else "none"


def share(part: float, whole: float) -> float | None:
    """Return a fraction; None if the whole is 0."""
    return part / whole if whole else None


def size(n_bytes: float) -> str:
    """Format a number of bytes."""
    unit = 0
    while n_bytes >= 1024 and unit < len(_UNITS) - 1:
        n_bytes /= 1024
        unit += 1
    return f"{n_bytes:.0f} {_UNITS[unit]}" if unit == 0 else f"{n_bytes:.1f} {_UNITS[unit]}"


def support_vectors(model: Any) -> Line:
    """Return the number of support vectors for a display of progress."""
    count = model.n_support_vectors_
    return Line("support vectors", f"{count:,} support vectors", {"support_vectors": count})


def drifts(model: Any) -> list[Line]:
    """Return the number of drifts, with the rows of the last ones; nothing if the model detects none."""
    if model.params.get("forget") != "auto":
        return []
    count, rows = model.n_drifts_, model.drift_rows_.tolist()
    last = "rows" if count == len(rows) else "the last at rows"
    shown = f"{count:,} ({last} {', '.join(map(str, rows))})" if rows else count
    return [Line("drifts", shown, {"drifts": count, "drift_rows": rows})]


def file(key: str, path: str) -> None:
    """Print the name of a file with its size."""
    n_bytes = Path(path).stat().st_size
    line(key, f"{path} ({size(n_bytes)})", **{key: path, f"{key}_bytes": n_bytes})


def pace(rows: int, seconds: float) -> None:
    """Print rows per second and seconds."""
    line("rows/s", rate(rows, seconds), rows_per_second=share(rows, seconds))
    line("seconds", f"{seconds:.2f}", seconds=seconds)


def memory() -> None:
    """Print the peak memory of this process."""
    peak = _peak_memory()
    line("peak memory", "unknown on this system" if peak is None else size(peak), peak_memory_bytes=peak)


def _peak_memory() -> int | None:
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def rate(rows: int, seconds: float) -> str:
    """Format rows per second."""
    return f"{rows / seconds:,.0f}" if seconds > 0 else "-"
