"""Warnings about the values of columns and labels, which the native classes raise."""

import math
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ._kernel_values import MIN_VECTORS, basis_warning, sample
from ._notations import is_date, is_number, main_notation, notation

MANY = 1000
"""The number of categories from which a column is always named."""

Outlier = tuple[int, str | None, float, int, int]
"""A feature, its name, a value, how many rows have it at least, and how many rows of the batch have it."""

_SHOWN = 5

_INDEX_NAMES = ("", "id", "index", "level_0", "rownames")
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

    Such an index has no name, or is named "id" or as pandas or R name it, and counts from 0 or 1.
    """
    is_index = name.lower() in _INDEX_NAMES or name.startswith(("Unnamed: ", "__index_level_"))
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


Errors = tuple[int, float, float, float]
"""The number of rows, and the sums of squared errors of the model, of the previous and of the mean target."""

_FIRST = {"labels", "runs", "targets", "kernel values"}
# Labels or rows from which the labels are examined, and how many labels.
_MANY_LABELS, _SAMPLE = 30, 200
# Rows from which the order of the labels is examined, the changes of the label that they would have at least
# in random order, and how many times fewer changes raise a warning.
_MIN_ROWS_OF_RUNS, _MIN_CHANGES, _FACTOR_OF_RUNS = 64, 20, 10
# The first rows are not compared with the previous target, since their errors can be huge.
_SKIPPED_ROWS = 500
# The smallest ratio of the root mean squared errors of the model and of the previous target.
_MIN_RATIO = 2.0


class Checks:
    """The warnings that a native model has raised, and the rules by which it raises each of them once."""

    def __init__(self) -> None:
        self.done: set[str] = set()
        self.categorical: set[str] = set()
        self.unseen: set[str] = set()
        self._begin: Errors | None = None

    def leave_first(self) -> None:
        """Leave out the checks of the first rows, their labels and their kernel values."""
        self.done |= _FIRST

    def warn_of_categories(self, columns: list[tuple[str, list[str], int]], rows: int) -> None:
        """Warn of categories of columns: a name, a sample of the categories, and their number."""
        for name, some, count in columns:
            if name not in self.categorical and (warning := categories_warning(name, some, count, rows)):
                self.categorical.add(name)
                warnings.warn(warning, stacklevel=2)

    def warn_of_unseen(
        self, name: str, unseen: str, near: str | None, known: str, counts: tuple[int, int]
    ) -> None:
        """Warn of rows that mostly have unseen categories in a column.

        `near` is a known category that is similar to the unseen one, `known` is any known category.
        """
        self.unseen.add(name)
        learned = f"{known!r} is one that is known" if near is None else f"the nearest known is {near!r}"
        found = (
            f"mostly categories that the model has not learned ({counts[0]} of {counts[1]} rows), such as "
            f"{unseen!r}; {learned}: write categories as in the rows learned before"
        )
        warnings.warn(
            ColumnWarning(f'column "{name}" of X has {found}', f"column {name} has {found}", column=name),
            stacklevel=2,
        )

    def kernel_sample(self, model: Any, rows: int) -> list[int]:
        """Return the rows of a batch whose kernel values are checked, once per model."""
        if (
            "kernel values" in self.done
            or model.n_samples_seen_ == 0
            or model.n_support_vectors_ < MIN_VECTORS
        ):
            return []
        self.done.add("kernel values")
        return sample(model, rows)

    def warn_of_basis(self, model: Any, basis: np.ndarray) -> None:
        """Warn if nearly all kernel values are 0 or 1, by the basis functions of a sample of the rows."""
        if text := basis_warning(model, basis):
            warnings.warn(text, stacklevel=2)

    def after_learning(
        self,
        model: Any,
        rows: int,
        open_classes: bool,
        label_changes: tuple[float, float] | None,
        errors: Errors,
        middle: Errors | None,
        outliers: list[Outlier],
    ) -> None:
        """Warn after rows were learned.

        Parameters
        ----------
        model : Classifier or Regressor
            The model.
        rows : int
            The number of rows.
        open_classes : bool
            Whether a new label is a new class.
        label_changes : tuple of float or None
            How often the label has changed, and would change in random order.
        errors, middle : tuple or None
            The errors so far, and in the middle of a large batch.
        outliers : list of tuple
            Features with a value that repeats far outside their range.
        """
        if outliers:
            warnings.warn(repeated_values_warning(outliers, rows, model.n_samples_seen_), stacklevel=2)
        if "runs" not in self.done and label_changes and errors[0] >= _MIN_ROWS_OF_RUNS:
            changes, expected = label_changes
            if expected >= max(_MIN_CHANGES, _FACTOR_OF_RUNS * changes):
                self.done.add("runs")
                warnings.warn(_runs_warning(int(changes), errors[0], expected), stacklevel=2)
        compares = "targets" not in self.done and not hasattr(model, "classes_")
        if compares and (warning := self._compared(errors, middle)):
            self.done.add("targets")
            warnings.warn(warning, stacklevel=2)
        if "labels" not in self.done and open_classes:
            text = self._labels_warning(model.classes_, model.n_samples_seen_)
            if text:
                warnings.warn(ColumnWarning(text), stacklevel=2)

    def _labels_warning(self, classes: np.ndarray, rows: int) -> str | None:
        """Return a warning if the labels of rows look like numbers: as text, or as different fractions."""
        if classes.dtype.kind == "U" and len(classes) >= _MANY_LABELS:
            self.done.add("labels")
            return labels_warning(classes[:_SAMPLE].tolist(), len(classes))
        fractions = classes[classes % 1 != 0] if classes.dtype.kind == "f" else classes[:0]
        if rows < _MANY_LABELS or 2 * len(fractions) <= rows:
            return None
        self.done.add("labels")
        return (
            f"the labels of {rows} rows are {len(fractions)} different fractions, such as "
            f"{float(fractions[0])!r}, and each is a class: for regression targets use Regressor, for "
            "fractional labels pass classes"
        )

    def _compared(self, errors: Errors, middle: Errors | None) -> ColumnWarning | None:
        """Compare the errors of a regressor with the errors of the previous target.

        The comparison begins after 500 rows or more, and again whenever the number of rows has doubled. If
        these came in one batch, it begins in its middle.
        """
        if errors[0] < _SKIPPED_ROWS:
            return None
        if self._begin is None:
            self._begin = middle if middle and middle[0] >= _SKIPPED_ROWS else errors
        if errors[0] < 2 * self._begin[0]:
            return None
        rows = errors[0] - self._begin[0]
        sums = [end - begin for end, begin in zip(errors[1:], self._begin[1:], strict=True)]
        error, previous, mean = (math.sqrt(each / rows) for each in sums)
        self._begin = errors
        # In random order the mean target predicts better than the previous target.
        return _targets_warning(rows, error, previous) if _MIN_RATIO * previous < min(error, mean) else None


def warn_of_index(name: str, column: np.ndarray | tuple[np.ndarray, list[str]]) -> None:
    """Warn the caller of a native `learn` of a first column that counts the rows."""
    if isinstance(column, np.ndarray) and (warning := index_warning(name, column)) is not None:
        warnings.warn(warning, stacklevel=2)


def _runs_warning(changes: int, rows: int, expected: float) -> ColumnWarning:
    """Return the warning of labels in runs far longer than in random order."""
    times = "once" if changes == 1 else f"{changes} times"
    text = (
        f"the label changes {times} in {rows} rows, and in random order it would change about "
        f"{expected:.0f} times:"
    )
    return ColumnWarning(
        f"{text} shuffle rows that are sorted by label; otherwise compare progressive_error_ with "
        "no_change_error_",
        f"{text} give --shuffle if the rows are sorted by label",
    )


def _targets_warning(rows: int, error: float, previous: float) -> ColumnWarning:
    """Return the warning of targets that the previous target predicts much better."""
    text = (
        f"the RMSE over the last {rows:,} rows is {error:.3g}, and predicting the previous target would give "
        f"{previous:.3g}: in a time series, add the previous target as a"
    )
    return ColumnWarning(
        f"{text} feature; if the rows are sorted by target, shuffle them",
        f"{text} column; if the rows are sorted by target, give --shuffle",
    )


def repeated_values_warning(outliers: list[Outlier], rows: int, n_seen: int) -> ColumnWarning:
    """Return the warning of values that repeat far outside the range of their feature."""
    values = list(dict.fromkeys(_shortest(value) for _, _, value, _, _ in outliers))
    listed = values[0] if len(values) == 1 else f"[{', '.join(values)}]"
    shown = [
        # Without an exact count, the votes are a lower bound.
        f"{_shortest(value)} in feature {{}} ({count} of {rows} rows, {count / rows:.1%})"
        if count >= votes
        else f"{_shortest(value)} in feature {{}} (at least {votes} of {n_seen} rows, {votes / n_seen:.1%})"
        for _, _, value, votes, count in outliers[:_SHOWN]
    ]
    more = f" and {len(outliers) - _SHOWN} more features" if len(outliers) > _SHOWN else ""
    text = (
        "values that repeat far outside the range of their feature are clipped: "
        f"{', '.join(shown)}{more}; if they mark missing values:"
    )
    names = [str(number) if name is None else f'"{name}"' for number, name, *_ in outliers]
    # Features without names are fields or indices, which are counted from 1.
    numbered = [str(number + 1) if name is None else name for number, name, *_ in outliers]
    return ColumnWarning(
        f"{text.format(*names)} missing_values={listed}",
        f"{text.format(*numbered)} --missing-values {','.join(values)}",
    )


def _shortest(value: float) -> str:
    """Return the shortest text of a value, also of one in float32."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return (str(single) if float(single) == value else repr(value)).removesuffix(".0")
