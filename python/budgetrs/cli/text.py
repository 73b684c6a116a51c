"""Rows of LIBSVM text, and of CSV whose features are all numeric."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from shlex import quote
from typing import Any

import numpy as np

from .. import _core
from .arff import Arff
from .arrays import has_label
from .batch import Batch, Csr
from .columns import Columns
from .delimiters import BlankSeparated
from .errors import ENCODING_HINT, DataError, data_error
from .header import UNCLOSED, header_names, is_header
from .labels import Labels
from .layout import Layout
from .number_text import is_number, missing_hint, notation_hint, number_hint
from .source import Source

_INDEX_0 = re.compile(rb"^([^#\n]*[ \t])?0:", re.MULTILINE)
# The parts of the errors of the native reader.
_FIELD = re.compile(r"in field (\d+)")
_BAD_NUMBER = re.compile(r"expected a number in field (\d++)(.*), got `")
_BAD_FIRST_NUMBER = re.compile(r":[12]:[12]: expected a number")
_BAD_LABEL = re.compile(r"expected one label.*, got `[^:`]*$")
_NO_TARGET = re.compile(r"expected a (label|target) in field")
_GOT = re.compile(r", got `(.*?)(\.\.\.)?`$")
_GOT_INTEGER = re.compile(r", got `(\d{1,10})`$")


def _has_index_0(text: bytes) -> bool:
    """Return whether index 0 occurs in LIBSVM text."""
    if not any(start in text for start in (b" 0:", b"\t0:", b"\n0:")) and not text.startswith(b"0:"):
        return False
    return _INDEX_0.search(text) is not None


class Text:
    """The rows of a text file, with labels if there are any."""

    n_rows: None = None

    def __init__(
        self, source: Source | BlankSeparated | Arff, form: str, layout: Layout, columns: Columns
    ) -> None:
        self.name: str = source.name
        self.format: str = form
        self._source, self._layout, self._columns = source, layout, columns
        self.zero_based: bool = bool(layout.zero_based)
        self._expected = columns.count
        self._header: bool | None = None
        self.labelled: bool = True
        self.names: list[str] | None = None
        if form == "csv":
            self._open_csv(layout.target)
            self._header = True if isinstance(source, Arff) else self._header
            return
        assert isinstance(layout.target, int)
        self._label_column = layout.target
        self._head = source.first_line().decode("utf-8", "replace")
        if layout.zero_based is None and isinstance(source, Source):
            self.zero_based = _has_index_0(source.head())

    def _open_csv(self, column: int | str) -> None:
        self._first = self._source.first_line()
        self._names = names = header_names(self._first, self._layout.delimiter)
        # Without a second line there is no advice about it.
        lines = () if isinstance(self._source, Arff) else self._source.lines(1)
        rows = (line for line in lines if line.strip())
        self._second = header_names(next(islice(rows, 1, 2), b""), self._layout.delimiter)
        self._second += [""] * (len(names) - len(self._second))
        known = self._columns.known
        has_known = known is not None and not set(known).isdisjoint(names)
        if isinstance(column, str):
            label = self._columns.label(names, column)
            # A first line without the label's name may be a row.
            self._header = has_known or label is not None or None
        elif has_known:
            label, self._header = self._columns.label(names, column), True
        else:
            self.labelled = self._has_labels()
            label = column
        self._label_column: int = -1 if label is None else label
        self.labelled = self.labelled and label is not None
        if self._header and known is not None:
            # The columns are compared by name.
            self._expected = len(names) - self.labelled
            self.names = [name for i, name in enumerate(names) if i != label]

    @property
    def target(self) -> str | None:
        """The name of the label or target column; None before the names are known, or without names."""
        has_name = self._columns.known is not None and self.labelled
        return self._names[self._label_column] if has_name else None

    def _has_labels(self) -> bool:
        if self._expected is None or self._header:
            return True
        names = _core.Reader("csv", task="unlabelled", delimiter=self._layout.delimiter, header=True)
        try:
            names.feed(self._first + b"\n")
        except ValueError:
            return True  # the reader of the rows reports the error with its position
        return has_label(names.n_columns, self._expected, self.name)

    def _reader(self, header: bool | None) -> _core.Reader:
        return _core.Reader(
            self.format,
            name=self.name,
            task=self._layout.task if self.labelled else "unlabelled",
            dtype=self._layout.dtype,
            n_features=self._expected if self.format == "csv" else None,
            max_features=max(self._layout.max_features, self._expected or 0),
            label_column=self._label_column if self.labelled else None,
            delimiter=self._layout.delimiter,
            header=header,
            missing=self._layout.missing,
            missing_words=self._layout.missing_words,
            decimal=self._layout.decimal,
            zero_based=self.zero_based,
        )

    def batches(self) -> Iterator[Batch]:
        """Yield the rows as they are read."""
        reader = self._reader(self._header)
        # Whole lines only, so that the line of any row can be found again.
        for text, is_last in self._source.blocks():
            before, rejected = reader.line, None
            try:
                reader.feed(text)
                if is_last:
                    reader.finish()
            except ValueError as error:
                rejected = error
            # Before an invalid line, the rows can be read.
            taken = reader.take()
            if taken is not None:
                yield self._batch(taken, reader, self._locator(text, before))
            if rejected is not None:
                raise self._error(rejected, text, before) from rejected

    def _batch(self, taken: tuple[Any, ...], reader: _core.Reader, where: Any) -> Batch:
        if taken[0] == "csr":
            _, indptr, indices, data, y, width = taken
            rows: Any = Csr(indptr, indices, data, (len(indptr) - 1, width))
        else:
            _, X, y = taken
            rows = self._named(reader.names, X)
        if y is not None and self._layout.task == "classification":
            y = Labels(y, reader.labels)
        return Batch(rows, y, where)

    def _named(self, names: list[str] | None, X: np.ndarray) -> Any:
        named = None if names is None else self._columns.arranged(names, list(X.T), X)
        return X if named is None else named

    def _error(self, error: ValueError, text: bytes, before: int) -> DataError:
        """Return the error of a line in a block of text, with advice."""
        number = str(error).removeprefix(f"{self.name}:").partition(":")[0]
        if not number.isdecimal() or self.format != "csv":
            return data_error(self.name, ValueError(f"{error}{self._index_hint(error)}"))
        lines, found = text.split(b"\n")[int(number) - before - 1 :], len(self._names)
        if lines and lines[0].count(b'"') % 2 and not self._layout.hint:
            return DataError(f"{self.name}:{number}: expected {UNCLOSED}", located=True)
        with suppress(csv.Error):  # a carriage return within the line, which the error is about
            found = len(header_names(lines[0], self._layout.delimiter)) if lines else 0
        if found != len(self._names) and not self._layout.hint:
            message = f"{self.name}:{number}: expected {len(self._names):,} fields, got {found:,}"
            return DataError(message, located=True)
        message = f"{error}{self._hint(error)}"
        if is_header(self._names, self._layout.decimal):
            message = _FIELD.sub(lambda n: f"in column {self._names[int(n[1]) - 1]}", message, count=1)
        return data_error(self.name, ValueError(message))

    def _index_hint(self, error: ValueError) -> str:
        """Return advice for a line of LIBSVM text that cannot be read."""
        if "(max_features)" in str(error):
            found = _GOT_INTEGER.search(str(error))
            is_valid = found is not None and int(found[1]) < 1 << 31
            return "; --max-features N allows more" if is_valid else ""
        if "in UTF-8" in str(error):
            return f"; {ENCODING_HINT}"
        if _BAD_LABEL.search(str(error).removesuffix("`")) and ":" not in self._head:
            return "; the lines look like CSV: give --format csv"
        is_0 = "an index from 1 on, got `0" in str(error) and isinstance(self._source, Source)
        return "; --zero-based yes reads indices that start at 0" if is_0 else ""

    def _hint(self, error: ValueError) -> str:
        """Return advice for a line of CSV that cannot be read."""
        if "(max_features)" in str(error):
            return "; --max-features N allows more"
        if "in UTF-8" in str(error):
            return f"; {ENCODING_HINT}"
        if self._layout.hint:
            return self._layout.hint
        if "(a missing value)" in str(error):
            return self._missing_hint(str(error))
        got = _GOT.search(str(error))
        text = got[1] if got and not got[2] else ""
        if "a statement that the first line is a header" in str(error):
            hint = notation_hint(text, self._layout.decimal)
            if not hint and text in self._names and is_number(self._second[self._names.index(text)]):
                hint = f"; {missing_hint([text])}"
            return (
                f"{self._label_hint(error)}{hint}; text columns need a header with the names of all columns"
            )
        if "expected a number as the target" in str(error):
            return notation_hint(text, self._layout.decimal)
        field = _BAD_NUMBER.search(str(error))
        if not field:
            return self._label_hint(error)
        if field[2]:
            return "; --dtype float64 reads it" if "of float32" in field[2] else f"; {missing_hint([text])}"
        has_names = is_header(self._names, self._layout.decimal) and not self._columns.is_given
        column = self._names[int(field[1]) - 1] if has_names else None
        label = "" if notation_hint(text, self._layout.decimal) else self._label_hint(error)
        return label + number_hint(text, self._layout.decimal, column)

    def _missing_hint(self, error: str) -> str:
        """Return advice for a missing value."""
        if not _NO_TARGET.search(error):
            return self._layout.missing_hint
        return self._layout.label_hint

    def _label_hint(self, error: ValueError) -> str:
        # In the first field (at byte 1 or 2) of the first row, which may be the label.
        is_first = _BAD_FIRST_NUMBER.search(str(error))
        if not is_first or not self.labelled or self._label_column != -1:
            return ""
        column = self._names[0] if is_header(self._names, self._layout.decimal) else "0"
        return f"; if the first column is the target: --target {quote(column)}"

    def _locator(self, text: bytes, before: int) -> Any:
        def where(row: int) -> str:
            reader = self._reader(self._header if before == 0 else False)
            for number, line in enumerate(text.split(b"\n"), before + 1):
                reader.feed(line + b"\n")
                if reader.n_rows > row:
                    return f"{self.name}:{number}"
            return self.name

        return where
