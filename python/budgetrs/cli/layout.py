"""The layout of a data file: format, columns, types and limits."""

from argparse import Namespace
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import DataError


@dataclass(frozen=True)
class Layout:
    """The layout of the data. The task decides how labels are read; "unlabelled" ignores them."""

    format: str | None = None
    # A number, or the name of a column of CSV with a header, Parquet or Arrow.
    target: int | str = -1
    delimiter: str = ","
    dtype: str = "float32"
    task: str = "classification"
    # Whether features may be missing, as NaN.
    missing: bool = False
    # The advice for a missing value if features may not be missing.
    missing_hint: str = ""
    # Columns of CSV that are categorical, whatever their values.
    categorical: tuple[str, ...] = ()
    # The largest number of features, unless a model has more.
    max_features: int = 1 << 24
    # The largest size in bytes of a row of an array, of an array that must be read whole, and of a model.
    max_memory: int = 4 << 30
    # The number of rows in which the first value of a CSV column is searched.
    sample: int = 10_000


def reject_too_many(name: str, features: int, most: int) -> None:
    """Raise if rows have more features than a new model may have."""
    if features > most:
        raise DataError(
            f"{name}: expected at most {most:,} features, got {features:,}; --max-features N allows more"
        )


def layout_of(args: Namespace, model: Any, task: str) -> Layout:
    """Return the layout of the data for a model."""
    dtype, missing = str(np.dtype(model.dtype)), model.params.get("missing") == "mean"
    return Layout(
        args.format,
        args.target,
        args.delimiter,
        dtype,
        task,
        missing,
        max_features=args.max_features,
        max_memory=args.max_memory,
    )
