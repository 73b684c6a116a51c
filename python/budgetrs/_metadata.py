"""The metadata of model files as JSON."""

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any

from ._errors import ParameterError, shown

_MAX_DEPTH = 100

_EXPECTED = (
    "metadata must be a dict of JSON values: dict with str keys, list, str, int, finite float, bool, None"
)


def to_json(metadata: Any) -> str:
    """Return metadata as JSON, with sorted keys; a ParameterError for what JSON would change."""
    problem = (
        next(_problems(metadata, "metadata", 0), None) if isinstance(metadata, dict) else shown(metadata)
    )
    if problem is not None:
        raise ParameterError(f"{_EXPECTED}; got {problem}", "metadata", None)
    return json.dumps(metadata, sort_keys=True, separators=(",", ":"))


def _problems(value: Any, place: str, depth: int) -> Iterator[str]:
    """Yield what JSON cannot keep, with its place."""
    if depth > _MAX_DEPTH:
        yield f"more than {_MAX_DEPTH} levels"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                yield f"the key {shown(key)} in {place} (pass str(key))"
            yield from _problems(inner, f"{place}[{key!r}]", depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _problems(inner, f"{place}[{index}]", depth + 1)
    elif not (
        value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
    ):
        yield f"{shown(value)} in {place}"
