"""How a data file is laid out, and the columns that a model expects."""

from abc import ABC, abstractmethod
from argparse import Namespace
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .advice import is_finite_number, listed, missing_hint, notation_hint
from .batch import Batch
from .bytes import Source
from .errors import DataError, UsageError


@dataclass(frozen=True)
class Layout:
    """The layout of a data file, as the arguments give it. The task decides how labels are read."""

    task: str = "classification"
    """"unlabelled" ignores labels."""
    format: str | None = None
    target: int | str = -1
    """A number, or the name of a column of CSV with a header, Parquet or Arrow."""
    delimiter: str = ","
    decimal: str = "."
    missing_texts: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    """Labels that are classes, even if they are texts of missing values."""
    zero_based: bool | None = None
    """Whether the indices of LIBSVM text start at 0; None looks at the first lines."""
    categorical: tuple[str, ...] = ()
    dtype: str = "float32"
    n_features: int = 0
    """The known number of features of LIBSVM text, which may grow."""
    max_features: int = 1 << 24
    max_memory: int = 4 << 30


def layout_of(args: Namespace, *, task: str, model: Any = None) -> Layout:
    """Return the layout of the data of a command, for a new model or for a known one."""
    given = args.missing_values
    known = getattr(args, "classes", None) if model is None else getattr(model, "classes_", None)
    if model is not None:
        numbers = np.atleast_1d(model.params.get("missing_values") or ()).tolist()
        if wrong := [text for text in given if is_finite_number(text) and float(text) not in numbers]:
            raise UsageError(
                f"--missing-values: expected the numbers of the model, {numbers or 'none'}, got {wrong[0]}; "
                "train the model with this option"
            )
        given = (*given, *map(str, numbers))
    return Layout(
        task=task,
        format=args.format,
        target=args.target,
        delimiter=args.delimiter,
        decimal=args.decimal,
        missing_texts=tuple(spelling for text in given for spelling in _spellings(text)),
        classes=() if known is None else tuple(map(str, known.tolist())),
        zero_based={"auto": None, "yes": True, "no": False}[args.zero_based],
        categorical=getattr(args, "categorical", None) or (),
        dtype=str(np.dtype(model.dtype)) if model is not None else getattr(args, "dtype", None) or "float32",
        max_features=args.max_features,
        max_memory=args.max_memory,
    )


def _spellings(text: str) -> set[str]:
    """Return how a missing value can be spelled: -999 and -999.0 are one number."""
    if not is_finite_number(text):
        return {text}
    number = float(text)
    return {text, *(each for each in (f"{number:g}", f"{number:.0f}", repr(number)) if float(each) == number)}


def reject_large(name: str, size: int, most: int) -> None:
    """Raise if the rows of a file are too large for memory."""
    if size > most:
        raise DataError(
            f"{name}: expected rows of at most {most:,} bytes, because all rows are held in memory, got "
            "more; --max-memory SIZE allows more"
        )


class Columns:
    """The columns that a file must have, for the model `like` or for a new model (None)."""

    def __init__(self, name: str, like: Any, layout: Layout) -> None:
        self._name, self._like, self._layout = name, like, layout
        self.is_known: bool = like is not None
        names = getattr(like, "feature_names_in_", None)
        self.known: list[str] = [] if names is None else names.tolist()
        """The names of the features of the model."""
        self.categorical: set[str] = set(self.known)
        if self.known:
            # A numeric feature has the name of its column; the feature of a category has a longer name.
            self.categorical -= set(like.get_feature_names_out().tolist())
        self.width: int = 0 if like is None else like.n_features_encoded_
        """The number of features of the model, or 0."""

    def check_width(self, count: int, target: bool = True) -> None:
        """Raise if a new model would have too many features."""
        most = self._layout.max_features
        if not self.is_known and count - target > most:
            raise DataError(
                f"{self._name}: expected at most {most:,} features, got {count - target:,}; --max-features N "
                "allows more"
            )

    def target_place(self, names: list[str] | None, count: int, texts: Collection[str] = ()) -> int | None:
        """Return the place of the target among the columns; None without one. The columns `texts` have text.

        A number counts from 0, or from the end if it is negative. For a model whose columns have names, the
        default -1 is the column with the name that the model learned.
        """
        target, needs_target = self._layout.target, self._layout.task != "unlabelled"
        if isinstance(target, str):
            if names is None:
                raise self.no_target([])
            if target in names:
                return names.index(target)
            if self.is_known and (len(names) == len(self.known) or set(self.known) <= set(names)):
                return None
            raise self.no_target(names)
        if names is not None and not set(self.known).isdisjoint(names):
            learned = self._like.target_name
            if target == -1 and (learned or not needs_target):
                return self._learned_place(names, learned, texts)
            is_there = -count <= target < count and names[target] not in self.known
            return target % count if is_there else None
        expected = len(self.known) or self.width
        if self.is_known and count == expected:
            return None
        if self.is_known and count != expected + 1:
            raise DataError(
                f"{self._name}: expected {expected:,} columns, or {expected + 1:,} with the target, got "
                f"{count:,}"
            )
        if not -count <= target < count or count < 2:
            wanted = f"the target in column {target} (--target)"
            wanted = "a target and at least one feature" if count < 2 else wanted
            raise DataError(f"{self._name}: expected {wanted}, got {count:,} columns")
        return target % count

    def _learned_place(self, names: list[str], learned: str | None, texts: Collection[str]) -> int | None:
        new = [each for each in names if each not in self.known]
        if learned in new:
            return names.index(learned)
        if new and self._layout.task != "unlabelled":
            kind = getattr(getattr(self._like, "classes_", None), "dtype", np.dtype(float)).kind
            wanted, other = ("text", "numbers") if kind == "U" else ("numbers", "text")
            advice = "; if one of these is the target: --target NAME"
            if kind != "b" and all((name in texts) != (wanted == "text") for name in new):
                advice = f" ({other}): the model predicts {wanted}, so train another model for this file"
            raise DataError(
                f"{self._name}: expected a column named {learned}, the target that the {self._layout.task} "
                f"model learned, got {listed(new)}{advice}"
            )
        return None

    def no_target(self, names: list[str]) -> DataError:
        """Return the error about a file without the column of --target."""
        target = self._layout.target
        near = [name for name in names if name.lower() == str(target).lower()]
        shown = listed(names) or "no header"
        hint = f"; did you mean {near[0]}?" if near else ""
        return DataError(f"{self._name}: expected one column named {target} (--target), got {shown}{hint}")

    def mixed_header(self, text: str, layout: Layout) -> DataError:
        """Return the error about a first line with both names and numbers."""
        hint = notation_hint(text, layout.decimal) or missing_hint(text)
        return DataError.at(
            f"{self._name}:1",
            f"expected numbers or names in the first line, got both, such as `{text}`{hint}; if it is a "
            "header: --target NAME; text columns need a header with the names of all columns",
        )


class Rows(ABC):
    """The rows of a data file of one format, with labels if there are any."""

    names: Any = None
    """The names of the features; None if the columns have no names."""
    n_rows: Any = None
    """The number of rows, if the file says it."""
    labelled: bool = True
    target: str | None = None
    """The name of the column of labels or targets."""
    zero_based: bool | None = None
    empty: str = "a table of 0 rows"
    """What a file without rows has."""

    def __init__(self, source: Source, layout: Layout, columns: Columns, form: str) -> None:
        self.name: str = source.name
        self.form = form
        self.layout = layout
        self._source, self._columns = source, columns
        if isinstance(layout.target, str) and form in ("libsvm", "npy"):
            raise UsageError(
                f"--target {layout.target}: expected CSV with a header, Parquet or Arrow, the format of "
                f"{self.name} is {form}"
            )

    @abstractmethod
    def batches(self, *, whole: bool) -> Iterator[Batch]:
        """Yield the rows in batches as they are read, or all together."""
