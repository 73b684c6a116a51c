"""Batches of rows from a data file of any format."""

import csv
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Self

import numpy as np

from .arff import Arff
from .array_targets import ARRAY_TARGETS, TEXT_TARGETS
from .arrays import Matrix
from .batch import Batch
from .categorical_csv import open_categorical_csv
from .columns import Columns
from .delimiters import BLANKS, BlankSeparated, delimiter_hint, first_lines, has_other_delimiter
from .errors import DataError, UsageError
from .foreign import foreign
from .header import header_names, reject_preamble, reject_repeated
from .labels import Labels
from .layout import Layout, missing_label
from .number_text import MISSING
from .prefetch import Prefetch
from .source import Source
from .tables import MAGIC, Table, table_file
from .text import Text

FORMATS = ("libsvm", "csv", "arff", "npy", "parquet", "arrow")
_TABLES = ("parquet", "arrow")
_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".arff": "arff",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".npy": "npy",
    ".npz": "npy",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
# The characters of a header that a message shows.
_SHOWN_CHARACTERS = 80
# The fields of a line that are examined.
_FIELDS = 1000
# The first bytes in which a zero byte tells a binary file from text.
_TEXT = 1 << 12
_READ = "CSV, LIBSVM text, ARFF, NumPy, Parquet or Arrow"
# The texts of a missing label in the formats of text.
_MISSING = {"csv": MISSING, "arff": frozenset("?"), "libsvm": frozenset(("?", "NA", "na", "Na", "nA"))}
_SHOWN = {"npy": "NumPy or zip", "parquet": "Parquet", "arrow": "Arrow"}


class Rows:
    """The rows of one data file, in order; iterate once.

    `like` is the model that reads the rows, or the named rows before. Rows of CSV, NumPy and table files must
    then have the number of features of `like`; rows for a model need no labels. Named columns are aligned
    with the columns of `like`. If the rows are learned (`learns`), categories may be new.
    """

    def __init__(self, path: str, layout: Layout, *, like: Any = None, learns: bool = True) -> None:
        self._layout = layout
        self._open = ExitStack()
        self.source: Source = self._open.enter_context(Source(path))
        self.name: str = self.source.name
        self.columns: Columns = Columns(self.name, like, layout, learns=learns)
        with self._open:
            self.format: str = layout.format or self._guess()
            if (
                self.source.stem_suffix() == ".tsv"
                and layout.delimiter == ","
                and b"\t" in self.source.head()
            ):
                self._layout = replace(layout, delimiter="\t")
            self.classes: Any = None
            """The classes that the file declares, if it does."""
            self._file: Matrix | Table | Text = self._opened()
            self._instead_of_rows = self._described()
            self.labelled: bool = self._file.labelled
            if not isinstance(self._file, Matrix) and self._file.names is not None:
                self.columns.check(self._file.names)
            self._open = self._open.pop_all()
        self._done = 0
        self._labels_checked = 0
        self._fraction: float | None = None

    def _described(self) -> str:
        """Describe what a file has if it has no rows."""
        if self.format == "csv":
            line = self.source.first_line()[: 5 * _SHOWN_CHARACTERS].decode("utf-8-sig", "replace").strip()
            return (
                f"only the header {line[:_SHOWN_CHARACTERS]}{'...' if len(line) > _SHOWN_CHARACTERS else ''}"
            )
        return {"arff": "only the header", "libsvm": "only comments"}.get(self.format, "a table of 0 rows")

    def _opened(self) -> Matrix | Table | Text:
        layout, column = self._layout, self._layout.target
        if layout.categorical and self.format not in ("csv", "arff"):
            raise UsageError(
                f"--categorical: expected CSV with a header, the format of {self.name} is {self.format}"
            )
        if self.format == "arff":
            return self._opened_arff()
        if self.format in _TABLES:
            return Table(self.name, table_file(self.source, self.format), layout, self.columns)
        if self.format == "csv":
            return self._opened_csv()
        if isinstance(column, str):
            raise UsageError(
                f"--target {column}: expected CSV with a header, Parquet or Arrow, the format of "
                f"{self.name} is {self.format}"
            )
        if self.format == "npy":
            return Matrix(self.source, layout, self.columns.count)
        self._reject_no_text()
        return Text(self.source, self.format, layout, self.columns)

    def _opened_arff(self) -> Table | Text:
        self._reject_no_text()
        arff = Arff(self.source, self._layout.target)
        layout = replace(self._layout, delimiter=",", decimal=".", zero_based=False)
        if arff.format == "libsvm":
            self.classes = arff.classes
            return Text(arff, "libsvm", replace(layout, target=-1), self.columns)
        reject_repeated(self.name, arff.names)
        categorical = open_categorical_csv(arff, layout, self.columns)
        self.classes = arff.classes
        return (
            Text(arff, "csv", layout, self.columns)
            if categorical is None
            else Table(self.name, categorical, layout, self.columns)
        )

    def _opened_csv(self) -> Table | Text:
        self._reject_no_text()
        lines, layout = first_lines(self.source), self._layout
        hint = delimiter_hint(lines, layout.delimiter)
        if lines:
            reject_preamble(self.name, lines, layout.delimiter)
        if lines and has_other_delimiter(lines, layout.delimiter):
            raise DataError(f"{self.name}: expected fields separated by {layout.delimiter}{hint}")
        if not hint and lines and all(map(_looks_like_libsvm, lines)):
            hint = "; the lines look like LIBSVM text: give --format libsvm"
        source = BlankSeparated(self.source) if layout.delimiter == BLANKS else self.source
        layout = replace(
            layout, delimiter="\t" if layout.delimiter == BLANKS else layout.delimiter, hint=hint
        )
        try:
            reject_repeated(self.name, header_names(source.first_line(), layout.delimiter))
            categorical = open_categorical_csv(source, layout, self.columns)
            if categorical is not None:
                return Table(self.name, categorical, layout, self.columns)
            return Text(source, self.format, layout, self.columns)
        except DataError as error:
            raise DataError(f"{error}{hint}", located=error.located) from error
        except csv.Error as error:
            # The messages of the csv module are about programs.
            what = (
                "no carriage return within"
                if "new-line" in str(error)
                else f"fields that can be read ({error})"
            )
            raise DataError(f"{self.name}: expected lines with {what}") from error

    def _reject_no_text(self) -> None:
        head = self.source.head()
        self._reject_foreign(head)
        if (form := _by_magic(head)) is not None:
            raise DataError(
                f"{self.name}: expected text for --format {self.format}, got a {_SHOWN.get(form, form)} file"
            )
        self.source.take_returns()

    def _reject_foreign(self, head: bytes, suffix: str = "") -> None:
        """Raise for a format that is not read."""
        if (form := foreign(head, suffix)) is not None:
            advice = form.advice.replace(
                "FILE", "FILE" if self.source.path == "-" else repr(self.source.path)
            )
            raise DataError(f"{self.name}: expected {_READ}, got {form.name}; {advice}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __iter__(self) -> Iterator[Batch]:
        with self._open:
            # The reading thread must end before the file is closed.
            batches = self._open.enter_context(Prefetch(self._read(), self.source.interrupt))
            for batch, self._fraction in batches:
                self._reject_missing_labels(batch)
                self._done += len(batch)
                yield batch
            if self._done == 0:
                raise DataError(f"{self.name}: expected rows, got {self._instead_of_rows}")

    def _read(self) -> Iterator[tuple[Batch, float | None]]:
        """Yield the batches, each with the fraction of the file that was read up to its end."""
        file = self._file
        for batch in file.batches() if isinstance(file, Text) else self._array_batches(file):
            yield batch, self.source.fraction()

    def _reject_missing_labels(self, batch: Batch) -> None:
        """Raise for a label of text that means missing, as in a column of categories."""
        if not isinstance(batch.y, Labels) or self.format not in _MISSING:
            return
        missing = _MISSING[self.format] | set(self._layout.missing_words)
        for code in range(self._labels_checked, len(batch.y.names)):
            label = batch.y.names[code]
            if label in missing and label not in self._layout.classes:
                where = batch.where(int((batch.y.codes == code).argmax()))
                raise missing_label(where, self._layout, label)
        self._labels_checked = len(batch.y.names)

    def collect_categories(self, rows: int) -> None:
        """Collect the categories of the next `rows` rows in advance, since a pipe cannot be read twice."""
        if isinstance(self._file, Table):
            self._file.collect_categories(rows)

    @property
    def target(self) -> str | None:
        """The name of the label or target column, once rows with named columns have been read."""
        return None if isinstance(self._file, Matrix) else self._file.target

    @property
    def zero_based(self) -> bool | None:
        """Whether the indices of LIBSVM text start at 0; for other formats as the layout says."""
        file = self._file
        return (
            file.zero_based if isinstance(file, Text) and self.format == "libsvm" else self._layout.zero_based
        )

    @property
    def has_one_width(self) -> bool:
        """Whether all rows have the features of the first row, without new categories."""
        return isinstance(self._file, Matrix) or (isinstance(self._file, Text) and self._file.format == "csv")

    def fraction(self) -> float | None:
        """Return the fraction read so far; None if it is unknown."""
        count = self._file.n_rows
        return self._fraction if count is None else self._done / max(1, count)

    def _guess(self) -> str:
        head, suffix = self.source.head(), self.source.stem_suffix()
        self._reject_foreign(head, suffix)
        form = _by_magic(head)
        if form is not None:
            return form
        known = _BY_SUFFIX.get(suffix)
        if known is not None:
            return known
        line = self.source.first_line()
        tokens = line.split(None, _FIELDS)
        if _is_arff(head):
            return "arff"
        if len(tokens) > 1 and all(b":" in token for token in tokens[1:]):
            return "libsvm"
        if self._layout.delimiter.encode() in line:
            return "csv"
        if b"\0" in head[:_TEXT]:
            raise DataError(f"{self.name}: expected {_READ}, got a binary file of an unknown format")
        hint = delimiter_hint(first_lines(self.source), self._layout.delimiter, form="csv")
        raise DataError(
            f"{self.name}: the format is unknown; give --format, one of {', '.join(FORMATS)}{hint}"
        )

    def _array_batches(self, file: Matrix | Table) -> Iterator[Batch]:
        kinds = ARRAY_TARGETS if self.format in (*_TABLES, "npy") else TEXT_TARGETS
        targets = kinds[self._layout.task]()
        for rows, y, where in file.pieces():
            named = None if isinstance(rows, np.ndarray) else rows
            # Values too large for the type become infinite and are rejected below.
            with np.errstate(over="ignore"):
                dense = np.ascontiguousarray(rows if named is None else named.array, self._layout.dtype)
            _reject_infinite(dense, self._layout, where, named)
            yield Batch(
                dense if named is None else named, None if y is None else targets.read(y, where), where
            )


def _is_arff(head: bytes) -> bool:
    """Return whether the first line that is neither blank nor a comment declares a relation of ARFF."""
    lines = map(bytes.strip, head.split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    return first.lower().startswith(b"@relation")


def _looks_like_libsvm(line: bytes) -> bool:
    """Return whether a line of CSV is a row of LIBSVM text."""
    label, *pairs = line.split(None, _FIELDS)[:_FIELDS]
    parts = [pair.partition(b":") for pair in pairs]
    return bool(parts) and b":" not in label and all(index.isdigit() and value for index, _, value in parts)


def _by_magic(head: bytes) -> str | None:
    """Return the format of a binary file, by its first bytes."""
    if head.startswith((b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06")):
        return "npy"
    return next((form for magic, form in MAGIC.items() if head.startswith(magic)), None)


def _reject_infinite(X: np.ndarray, layout: Layout, where: Callable[[int], str], named: Any) -> None:
    """Reject infinity, including numbers too large for the type, and NaN unless values may be missing."""
    bad = np.isinf(X) if layout.missing else ~np.isfinite(X)
    if not bad.any():
        return
    row, column = divmod(int(np.flatnonzero(bad)[0]), X.shape[1])
    place = f"feature {column + 1}" if named is None else f"column {named.column_of(column)}"
    is_missing = np.isnan(X[row, column])
    hint = (
        layout.missing_hint
        if is_missing
        else "; replace infinity by a number, or leave the value empty if it is missing"
    )
    raise DataError(
        f"{where(row)}: expected finite {layout.dtype} numbers, got {X[row, column]} in {place}{hint}",
        located=True,
    )
