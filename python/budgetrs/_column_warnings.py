"""Warnings about the values of columns and labels, which the native classes raise."""

import math
import warnings
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ._notations import is_date, is_number, main_notation, notation

MANY = 1000
"""The number of categories from which a column is always named."""

RepeatedValue = tuple[int, str | None, float, tuple[int, int], bool]
"""A feature, its name, a value, how many of how many rows have the value, and whether this is exact."""

_SHOWN = 5

_INDEX_NAMES = ("", "index", "level_0", "rownames")
# The rows that an index must count at least.
_COUNTED = 10


class ColumnWarning(UserWarning):
    """A warning about a column or the labels, with the text for the command line, which is empty for none.

    Warnings about categories are raised before rows are learned, others after it: if those are errors,
    the rows of the call are learned.
    """

    def __init__(self, text: str, shell: str = "", *, column: str = "", count: int = 0) -> None:
        super().__init__(text)
        self.shell: str = shell
        # The column and the number of its categories.
        self.column: str = column
        self.count: int = count


def categories_warning(name: str, sample: Sequence[str], count: int, rows: int) -> ColumnWarning | None:
    """Return a warning if a column should probably not be categorical.

    `sample` has some of its `count` categories in `rows` rows. There is a warning if more than half as many
    categories as rows occur, if they are numbers in a notation that is not read, or if they are more than
    1000.
    """
    look = _look(tuple(sample))
    is_readable = look is None or look[0] is None
    if is_readable and 2 * count <= rows and count <= MANY:
        return None
    text, advice = (sample[0], "drop the column if it identifies the rows") if look is None else look[1:]
    found = (
        f"{count} categories after {rows} rows, such as {text!r}, and each category is a feature: {advice}"
    )
    return ColumnWarning(
        f'column "{name}" of X is categorical with {found}, or set hash_features',
        f"column {name} is categorical with {found}, or give --set hash_features=16384",
        column=name,
        count=count,
    )


def index_warning(name: str, values: np.ndarray) -> ColumnWarning | None:
    """Return a warning if the first column of a table is an index that counts its first rows.

    Such an index has no name, or a name that pandas or R gives it, and counts from 0 or 1.
    """
    is_index = name in _INDEX_NAMES or name.startswith(("Unnamed: ", "__index_level_"))
    if not is_index or len(values) < _COUNTED or values[0] not in (0, 1):
        return None
    if not np.array_equal(values, np.arange(len(values)) + values[0]):
        return None
    what = f'column "{name}"' if name else "the first column, which has no name,"
    found = (
        f"{what} counts the rows ({values[0]:g}, {values[1]:g}, ...): if it is a row number, leave it out:"
    )
    return ColumnWarning(
        f"{found} X.iloc[:, 1:] in pandas",
        f"{found} cut -d, -f2- FILE, or index=False where pandas writes the file",
        column=name or " ",
    )


def labels_warning(sample: Sequence[str], count: int) -> str | None:
    """Return a warning if labels that are text look like regression targets or dates."""
    look = _look(tuple(sample))
    if look is None or all(map(_is_integer, sample)):
        return None
    _, text, advice = look
    return (
        f"the labels are {count} different texts, such as {text!r}, and each is a class: {advice}; "
        "Regressor predicts numbers"
    )


def _is_integer(text: str) -> bool:
    return is_number(text) and float(text).is_integer()


@lru_cache(maxsize=64)
def _look(sample: tuple[str, ...]) -> tuple[str | None, str, str] | None:
    """Return what most texts look like, one of them, and advice; None for other text.

    What they look like is None for plain numbers and dates.
    """
    numbers = [text for text in sample if is_number(text) and math.isfinite(float(text))]
    found = main_notation(sample)
    if 2 * (len(numbers) + (found[1] if found else 0)) > len(sample):
        if found is None or 10 * found[1] < len(sample):
            return None, numbers[0], "the values look like numbers: convert them by astype(float)"
        main = found[0]
        text = next(text for text in sample if notation(text) is main)
        advice = (
            f"the values look like numbers with {main.what}: {main.in_frame}, and convert them to numbers"
        )
        return main.what, text, advice
    dates = [text for text in sample if is_date(text)]
    if 2 * len(dates) > len(sample):
        advice = "the values look like dates: convert them to numbers, such as days since a date"
        return None, dates[0], advice
    return None


def warn_of_categories(name: str, sample: Sequence[str], count: int, rows: int) -> bool:
    """Warn the caller of a native `learn` of categories; return whether there was a warning."""
    warning = categories_warning(name, sample, count, rows)
    if warning is not None:
        warnings.warn(warning, stacklevel=2)
    return warning is not None


def warn_of_unseen(name: str, unseen: str, near: str | None, known: str, counts: tuple[int, int]) -> None:
    """Warn the caller of a native method of rows that mostly have unseen categories in a column.

    `near` is a known category that is similar to the unseen one, `known` is any known category.
    """
    learned = f"{known!r} is one that is known" if near is None else f"the nearest known is {near!r}"
    found = (
        f"mostly categories that the model has not learned ({counts[0]} of {counts[1]} rows), such as "
        f"{unseen!r}; {learned}: write categories as in the rows learned before"
    )
    warnings.warn(
        ColumnWarning(f'column "{name}" of X has {found}', f"column {name} has {found}", column=name),
        stacklevel=2,
    )


def warn_of_index(name: str, column: np.ndarray | tuple[np.ndarray, list[str]]) -> None:
    """Warn the caller of a native `learn` of a first column that counts the rows."""
    if isinstance(column, np.ndarray) and (warning := index_warning(name, column)) is not None:
        warnings.warn(warning, stacklevel=2)


def warn_of_labels(sample: Sequence[str], count: int) -> None:
    """Warn the caller of a native `learn` of labels."""
    if text := labels_warning(sample, count):
        warnings.warn(ColumnWarning(text), stacklevel=2)


def warn_of_fractions(first: float, count: int, rows: int) -> None:
    """Warn the caller of a native `learn` of labels that are mostly different fractions."""
    text = (
        f"the labels of {rows} rows are {count} different fractions, such as {first!r}, and each is a class: "
        "for regression targets use Regressor, for fractional labels pass classes"
    )
    warnings.warn(ColumnWarning(text), stacklevel=2)


def warn_of_runs(changes: int, rows: int, expected: float) -> None:
    """Warn the caller of a native `learn` of labels in runs far longer than in random order."""
    times = "once" if changes == 1 else f"{changes} times"
    text = (
        f"the label changes {times} in {rows} rows, and in random order it would change about "
        f"{expected:.0f} times:"
    )
    warnings.warn(
        ColumnWarning(
            f"{text} shuffle rows that are sorted by label; otherwise compare progressive_error_ with "
            "no_change_error_",
            f"{text} give --shuffle if the rows are sorted by label",
        ),
        stacklevel=2,
    )


def warn_of_previous_target(rows: int, error: float, previous: float) -> None:
    """Warn the caller of a native `learn` of targets that the previous target predicts much better."""
    text = (
        f"the RMSE over the last {rows:,} rows is {error:.3g}, and predicting the previous target would give "
        f"{previous:.3g}: in a time series, add the previous target as a"
    )
    warnings.warn(
        ColumnWarning(
            f"{text} feature; if the rows are sorted by target, shuffle them",
            f"{text} column; if the rows are sorted by target, give --shuffle",
        ),
        stacklevel=2,
    )


def warn_of_repeated_values(found: list[RepeatedValue]) -> None:
    """Warn the caller of a native `learn` of values that repeat far outside the range of their feature."""
    values = list(dict.fromkeys(_shortest(value) for _, _, value, _, _ in found))
    listed = values[0] if len(values) == 1 else f"[{', '.join(values)}]"
    text = _repeated(found, [str(number) if name is None else name for number, name, *_ in found])
    # Features without names are fields or indices, which are counted from 1.
    numbered = [str(number + 1) if name is None else name.strip('"') for number, name, *_ in found]
    warnings.warn(
        ColumnWarning(
            f"{text} missing_values={listed}",
            f"{_repeated(found, numbered)} --missing-values {','.join(values)}",
        ),
        stacklevel=2,
    )


def _repeated(found: list[RepeatedValue], names: list[str]) -> str:
    shown = [
        f"{_shortest(value)} in feature {name} ({'' if is_exact else 'at least '}{count} of {rows} rows, "
        f"{count / rows:.1%})"
        for name, (_, _, value, (count, rows), is_exact) in zip(names, found[:_SHOWN], strict=False)
    ]
    more = f" and {len(found) - _SHOWN} more features" if len(found) > _SHOWN else ""
    return (
        "values that repeat far outside the range of their feature are clipped: "
        f"{', '.join(shown)}{more}; if they mark missing values:"
    )


def _shortest(value: float) -> str:
    """Return the shortest text of a value, also of one in float32."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return (str(single) if float(single) == value else repr(value)).removesuffix(".0")
