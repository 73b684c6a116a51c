"""CSV with categorical columns, read by pyarrow."""

import csv as text_csv
import io
from collections.abc import Iterator
from shlex import quote
from typing import Any

from .arff import Arff
from .array_targets import Where
from .column_kinds import categorical_columns, fields_of
from .columns import Columns
from .delimiters import BlankSeparated
from .errors import ENCODING_HINT, DataError, UsageError, need_pyarrow
from .header import UNCLOSED, are_names, header_names
from .layout import Layout
from .number_text import MISSING, MISSING_NUMBERS, is_number, notation_hint, number_hint
from .source import Source


def open_categorical_csv(
    source: Source | BlankSeparated | Arff, layout: Layout, columns: Columns
) -> "CategoricalCsv | None":
    """Open CSV with categorical columns; None if all columns except the label are numeric.

    A model knows which of its columns are categorical. For a new model the file needs a header; a column is
    categorical if --categorical names it, or if less than half of its first values look like numbers. The
    header of ARFF declares the categorical columns instead.
    """
    names = header_names(source.first_line(), layout.delimiter)
    categorical = columns.categorical() if columns.is_given else _found(source, names, layout)
    if not categorical:
        return None
    need_pyarrow(source.name, "CSV with text columns")
    label = columns.label(names, layout.target)
    # Columns that a model does not know raise later, whatever their values.
    new = set(names).difference(columns.known or names) if columns.is_given else set()
    missing = frozenset("?") if isinstance(source, Arff) else MISSING
    advises = not columns.is_given
    return CategoricalCsv(source, layout, names, label, categorical | new, missing, advises=advises)


def _found(source: Source | BlankSeparated | Arff, names: list[str], layout: Layout) -> set[str]:
    """Return the categorical columns of a file for a new model."""
    named, label = set(layout.categorical), _label(names, layout.target)
    if missing := sorted(named.difference(names)):
        raise UsageError(f"--categorical: expected columns of {source.name}, got {', '.join(missing)}")
    if label is None:
        return set()
    if names[label] in named:
        raise UsageError(f"--categorical: expected feature columns, got the target {names[label]}")
    if isinstance(source, Arff):
        for name in source.dates - named:
            raise DataError(
                f"{source.name}: expected numbers or categories in column {name}, got dates; convert them to "
                f"numbers, or give --categorical {quote(name)} to one-hot encode them"
            )
        return named | source.categorical
    features = [name for i, name in enumerate(names) if i != label]
    if not (named or are_names(features, layout.decimal) or isinstance(layout.target, str)):
        return set()
    return named | categorical_columns(source.name, source.lines(1 + layout.sample), names, label, layout)


def _label(names: list[str], column: int | str) -> int | None:
    """Return the index of the label column; None if it is not found, which the reader of rows reports."""
    if isinstance(column, str):
        return names.index(column) if names.count(column) == 1 else None
    return column % len(names) if -len(names) <= column < len(names) else None


class _LineError(DataError):
    """An error in the line of a row."""

    def __init__(self, where: Where, row: int, expected: str) -> None:
        super().__init__(f"{where(row)}: expected {expected}", located=True)
        self.row = row


class CategoricalCsv:
    """The rows of CSV in record batches: numbers as float64, categories and labels as strings.

    One line is one row. Text is read in blocks of whole lines as they arrive.
    """

    n_rows: int | None = None

    def __init__(
        self,
        source: Source | BlankSeparated | Arff,
        layout: Layout,
        names: list[str],
        label: int | None,
        categorical: set[str],
        missing: frozenset[str],
        *,
        advises: bool,
    ) -> None:
        import pyarrow
        from pyarrow import compute, csv

        self._csv, self._compute = csv, compute
        self._arrow: Any = pyarrow
        self._source, self._layout, self._label = source, layout, label
        self._advises = advises
        is_text = [name in categorical for name in names]
        if label is not None:
            is_text[label] = layout.task != "regression"
        types = [pyarrow.string() if text else pyarrow.float64() for text in is_text]
        self.schema: Any = pyarrow.schema(list(zip(names, types, strict=True)))
        self._missing: Any = pyarrow.array(sorted(missing | layout.missing_texts), pyarrow.string())
        self._missing_numbers: Any = pyarrow.array(sorted(MISSING_NUMBERS), pyarrow.string())
        # Blanks around a field are stripped.
        self._blanks: str = " \t".replace(layout.delimiter, "")
        self._blank_starts: tuple[bytes, ...] = (b"\n ", f"{layout.delimiter} ".encode())

    def batches(self, rows: int) -> Iterator[tuple[Any, Where]]:  # noqa: ARG002
        """Yield a batch for each block, and the function that names the line of a row."""
        before, header, blanks = 0, True, f"{self._blanks}\r".encode()
        for text, is_last in self._source.blocks():
            lines = text.split(b"\n")
            if not is_last and lines[-1]:
                raise DataError(f"{self._source.name}:{before + 1}: expected a shorter line", located=True)
            kept = [(number, line) for number, line in enumerate(lines, before + 1) if line.strip(blanks)]
            before += len(lines) - 1
            if header and kept:
                kept, header = kept[1:], False
            if kept:
                where = self._where([number for number, _ in kept])
                batch, error = self._readable([line for _, line in kept], where)
                if batch is not None:
                    yield batch, where
                if error is not None:
                    raise error

    def _readable(self, lines: list[bytes], where: Where) -> tuple[Any, "_LineError | None"]:
        """Return the rows before the first invalid line, and the error of that line."""
        error = None
        while lines:
            try:
                return self._batch(lines, where), error
            except _LineError as found:
                error, lines = found, lines[: found.row]
        return None, error

    def _where(self, numbers: list[int]) -> Where:
        return lambda row: f"{self._source.name}:{numbers[row]}"

    def _batch(self, lines: list[bytes], where: Where) -> Any:
        pa = self._arrow
        texts, columns = self._texts(lines, where), []
        for i, field in enumerate(self.schema):
            column = self._cleaned(texts.column(i).combine_chunks(), i)
            if field.type == pa.float64():
                column = self._numbers(column, i, where)
            columns.append(column)
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _texts(self, lines: list[bytes], where: Where) -> Any:
        """Return the fields of the lines as a table of strings."""
        reader = self._csv
        pa, text, wrong = self._arrow, b"\n".join(lines), []
        # pyarrow does not skip blanks before quotes.
        if b' "' in text and (text[:1] == b" " or any(start in text for start in self._blank_starts)):
            text = self._tidied(lines)
        try:
            text.decode()
        except UnicodeDecodeError as error:
            # pyarrow cannot pass a row that it cannot decode to `reject`.
            raise self._fault(lines, wrong, where) or error from error

        def reject(row: Any) -> str:
            wrong.append(row)
            return "error"

        places = [str(i) for i in range(len(self.schema))]  # names need not be distinct
        try:
            table = reader.read_csv(
                pa.BufferReader(text),
                reader.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=places),
                reader.ParseOptions(delimiter=self._layout.delimiter, invalid_row_handler=reject),
                reader.ConvertOptions(
                    column_types=dict.fromkeys(places, pa.string()), strings_can_be_null=False
                ),
            )
        except pa.ArrowInvalid as error:
            raise self._fault(lines, wrong, where) or error from error
        if table.num_rows != len(lines):
            raise self._fault(lines, wrong, where) or _LineError(where, 0, "one row in each line")
        return table

    def _tidied(self, lines: list[bytes]) -> bytes:
        """Return the lines without blanks before fields."""
        text, decoded = io.StringIO(), (line.decode("utf-8", "surrogateescape") for line in lines)
        writer = text_csv.writer(text, delimiter=self._layout.delimiter, lineterminator="\n")
        writer.writerows(fields_of(decoded, self._layout.delimiter))
        return text.getvalue().encode("utf-8", "surrogateescape")

    def _fault(self, lines: list[bytes], wrong: list[Any], where: Where) -> "_LineError | None":
        """Return the error of the first invalid line."""
        row = wrong[0].number - 1 if wrong else None
        if row is not None and lines[row].count(b'"') % 2 == 0:
            found, expected = wrong[0].actual_columns, wrong[0].expected_columns
            return _LineError(where, row, f"{expected:,} fields, got {found:,}")
        for row, line in enumerate(lines):
            if line.count(b'"') % 2:
                return _LineError(where, row, UNCLOSED)
            try:
                line.decode()
            except UnicodeDecodeError:
                return _LineError(where, row, f"text in UTF-8; {ENCODING_HINT}")
        return None

    def _cleaned(self, column: Any, place: int) -> Any:
        """Return stripped strings, with null for missing values."""
        pa, compute = self._arrow, self._compute
        column = compute.ascii_trim(column, characters=self._blanks)
        if place == self._label:
            is_missing = compute.equal(column, "")
        elif self.schema.field(place).type == pa.float64():
            is_missing = compute.is_in(compute.ascii_lower(column), value_set=self._missing_numbers)
            if self._layout.missing_words:
                words = compute.is_in(column, value_set=pa.array(self._layout.missing_words, pa.string()))
                is_missing = compute.or_(is_missing, words)
        else:
            is_missing = compute.is_in(column, value_set=self._missing)
        return compute.if_else(is_missing, pa.scalar(None, pa.string()), column)

    def _numbers(self, column: Any, place: int, where: Where) -> Any:
        """Return a column of numbers."""
        pa, decimal, texts = self._arrow, self._layout.decimal, column
        if decimal != ".":
            # A point is then invalid.
            column = self._compute.replace_substring(column, ".", "#")
            column = self._compute.replace_substring(column, decimal, ".")
        try:
            return column.cast(pa.float64())
        except pa.ArrowInvalid:
            pass
        found = enumerate(texts.to_pylist())
        row, text = next((row, text) for row, text in found if text and not is_number(text, decimal))
        name = self.schema.field(place).name
        if place == self._label:
            hint = notation_hint(text, decimal)
            raise _LineError(where, row, f"a number as the target, got {text!r}{hint}")
        hint = number_hint(text, decimal, name if self._advises else None)
        raise _LineError(where, row, f"a number in column {name}, got {text!r}{hint}")
