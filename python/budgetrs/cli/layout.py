"""The layout of a data file: format, columns, types and limits."""

from argparse import Namespace
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import DataError, UsageError
from .number_text import is_number


@dataclass(frozen=True)
class Layout:
    """The layout of the data. The task decides how labels are read; "unlabelled" ignores them."""

    format: str | None = None
    # A number, or the name of a column of CSV with a header, Parquet or Arrow.
    target: int | str = -1
    delimiter: str = ","
    # The advice for lines that cannot be cut at the delimiter.
    hint: str = ""
    dtype: str = "float32"
    task: str = "classification"
    # Whether features may be missing, as NaN.
    missing: bool = False
    # The advice for a missing value if features may not be missing.
    missing_hint: str = ""
    # The decimal sign of numbers in CSV.
    decimal: str = "."
    # Texts of CSV that are missing values, in addition to the usual ones.
    missing_words: tuple[str, ...] = ()
    # Numbers that are missing values; the model replaces them.
    missing_numbers: tuple[float, ...] = ()
    # Labels that are classes, even if they are texts of missing values.
    classes: frozenset[str] = frozenset()
    # Whether the indices of LIBSVM text start at 0; None looks at the first lines.
    zero_based: bool | None = None
    # Columns of CSV that are categorical, whatever their values.
    categorical: tuple[str, ...] = ()
    # The largest number of features, unless a model has more.
    max_features: int = 1 << 24
    # The largest size in bytes of a row of an array, of an array that must be read whole, and of a model.
    max_memory: int = 4 << 30
    # The number of rows in which the first value of a CSV column is searched.
    sample: int = 10_000

    @property
    def label_hint(self) -> str:
        """The advice for a missing label or target."""
        return f"; remove the rows without a {'target' if self.task == 'regression' else 'label'}"

    @property
    def missing_texts(self) -> set[str]:
        """The texts and numbers that are missing values, as they appear in categorical columns."""
        numbers = [spelling for x in self.missing_numbers for spelling in (f"{x:g}", f"{x:.0f}", repr(x))]
        return {*self.missing_words, *(text for text in numbers if float(text) in self.missing_numbers)}


def reject_too_many(name: str, features: int, most: int) -> None:
    """Raise if rows have more features than a new model may have."""
    if features > most:
        raise DataError(
            f"{name}: expected at most {most:,} features, got {features:,}; --max-features N allows more"
        )


def missing_label(where: str, layout: Layout, got: str = "none") -> DataError:
    """Return the error of a row without a label or target."""
    what = "a number as the target" if layout.task == "regression" else "a label"
    found, hint = (
        (got, "") if got == "none" else (f"{got!r} (a missing value)", ", or name all classes by --classes")
    )
    return DataError(f"{where}: expected {what}, got {found}{layout.label_hint}{hint}", located=True)


def reading(args: Namespace) -> dict[str, Any]:
    """Return the fields of a layout that have options in every command that reads data."""
    return {
        "format": args.format,
        "target": args.target,
        "delimiter": args.delimiter,
        "decimal": args.decimal,
        "missing_words": tuple(text for text in args.missing_values if not is_number(text)),
        "zero_based": {"auto": None, "yes": True, "no": False}[args.zero_based],
        "max_features": args.max_features,
        "max_memory": args.max_memory,
    }


def layout_of(args: Namespace, model: Any, task: str) -> Layout:
    """Return the layout of the data for a model."""
    missing = model.params.get("missing") == "mean"
    known = model.params.get("missing_values")
    numbers = () if known is None else tuple(np.atleast_1d(known).tolist())
    for text in args.missing_values:
        if is_number(text) and float(text) not in numbers:
            raise UsageError(
                f"--missing-values: expected the numbers of the model, {list(numbers) or 'none'}, got "
                f"{text}; train the model with this option"
            )
    return Layout(
        **reading(args),
        dtype=str(np.dtype(model.dtype)),
        task=task,
        missing=missing,
        missing_numbers=numbers,
        classes=frozenset(map(str, getattr(model, "classes_", ()))),
    )
