"""How the data are to be read."""

from argparse import Namespace
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import DataError


@dataclass(frozen=True)
class Layout:
    """How to read the data. Labels are read according to the task; with "unlabelled" they are ignored."""

    format: str | None = None
    # A number, or the name of a column of CSV with a header, Parquet or Arrow.
    label_column: int | str = -1
    delimiter: str = ","
    dtype: str = "float32"
    task: str = "classification"
    # Whether features may be missing, as NaN.
    missing: bool = False
    # What to try where they may not.
    missing_hint: str = ""
    # Columns of CSV that hold words, whatever stands in them.
    word_columns: tuple[str, ...] = ()
    # More features than that are refused, unless a model has them.
    max_features: int = 1 << 24
    # The most bytes of a row of an array, or of an array that can only be read whole; also of a model.
    max_memory: int = 4 << 30
    # The rows in which the first value of a column of CSV is looked for.
    sample: int = 10_000


def refuse_too_many(name: str, features: int, most: int) -> None:
    """Refuse rows of more features than a new model may have."""
    if features > most:
        raise DataError(
            f"{name}: expected at most {most} features, got {features}; --max-features N takes more"
        )


def layout_of(args: Namespace, model: Any, task: str) -> Layout:
    """Return how the data for a model are read."""
    dtype, missing = str(np.dtype(model.dtype)), model.params.get("missing") == "mean"
    return Layout(
        args.format,
        args.label_column,
        args.delimiter,
        dtype,
        task,
        missing,
        max_features=args.max_features,
        max_memory=args.max_memory,
    )
