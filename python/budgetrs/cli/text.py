"""Rows of CSV and of LIBSVM text."""

import re
from abc import abstractmethod
from collections.abc import Iterator
from functools import partial
from typing import Any

from .. import _core
from .advice import (
    ENCODING_HINT,
    delimiter_hint,
    distinct,
    explained,
    first_lines,
    is_categorical,
    looks_like_libsvm,
)
from .batch import Batch, Csr, Table, text_labels
from .bytes import PIECE, Source
from .columns import Columns, Layout, Rows, reject_large
from .errors import DataError, UsageError

# A comment, or the separator for Excel.
_NO_ROW = re.compile(r"#|\"?sep=.\"?$", re.IGNORECASE)
_INDEX_0 = re.compile(rb"^([^#\n]*[ \t])?0:", re.MULTILINE)


class Text(Rows):
    """The rows of a text file."""

    has_header: bool = False
    target_place: int | None = None

    def __init__(self, source: Source, layout: Layout, columns: Columns, form: str) -> None:
        super().__init__(source, layout, columns, form)
        self.is_known: bool = columns.is_known
        self.lines: list[str] = first_lines(source.head())
        if not self.lines:
            raise DataError(f"{self.name}: expected rows, got an empty file")
        self.fields: list[str] = []

    @abstractmethod
    def _reader(self) -> _core.Reader:
        """Return a new reader of the text."""

    @abstractmethod
    def _rows(self, reader: _core.Reader, features: list[Any]) -> Any:
        """Return rows as the model takes them."""

    def batches(self, *, whole: bool) -> Iterator[Batch]:  # noqa: D102
        reader, size, piece, error = self._reader(), 0, b"-", None
        while piece and error is None:
            piece = self._source.read(PIECE)
            size += len(piece)
            if whole:
                reject_large(self.name, size, self.layout.max_memory)
            try:
                reader.feed(piece) if piece else reader.finish()
            except ValueError as found:
                error = found
            # The rows before an error are predicted.
            if (not whole or not piece or error) and (taken := reader.take()) is not None:
                *features, target, lines = taken
                y = text_labels(*target) if isinstance(target, tuple) else target
                where = partial(self._line, lines)
                yield Batch(self._rows(reader, features), y, where, self._source.fraction())
        if error is not None:
            raise explained(error, self) from error

    def _line(self, lines: Any, row: int) -> str:
        return f"{self.name}:{lines[row]}"


class CsvText(Text):
    """The rows of a CSV file."""

    def __init__(self, source: Source, layout: Layout, columns: Columns) -> None:
        super().__init__(source, layout, columns, "csv")
        first = self.lines[0]
        if _NO_ROW.match(first) and len({line.count(layout.delimiter) for line in self.lines[:2]}) > 1:
            got = f"got `{first[:40]}`; remove this line: tail -n +2 FILE > data.csv"
            raise DataError.at(f"{self.name}:1", f"expected a header or a row, {got}")
        hint = delimiter_hint(self.lines, layout.delimiter)
        if hint:
            raise DataError(f"{self.name}: expected fields separated by {layout.delimiter!r}{hint}")
        if all(map(looks_like_libsvm, self.lines)):
            raise DataError(f"{self.name}: the lines look like LIBSVM text: give --format libsvm")
        self._options: dict[str, Any] = {
            "delimiter": layout.delimiter,
            "decimal": layout.decimal,
            "missing": layout.missing_texts,
        }
        first, values = _core._sample_csv(source.head(), **self._options)
        self.fields: list[str] = [text for text, _ in first]
        looks = [kind for _, kind in first]
        if not first:
            values = [(0, {})] * len(self.lines[0].split(layout.delimiter))
            self.fields, looks = [""] * len(values), ["n"] * len(values)
        self.has_header: bool = self._is_header(looks)
        columns.check_width(len(self.fields))
        texts = {
            name for name, (numbers, found) in zip(self.fields, values, strict=False) if found and not numbers
        }
        place = columns.target_place(self.fields if self.has_header else None, len(self.fields), texts)
        self.target_place: int | None = place
        self.labelled: bool = place is not None
        if self.has_header:
            self._read_header(place)
        if unknown := sorted(set(layout.categorical).difference(self.names or ())):
            raise UsageError(
                f"--categorical: expected feature columns of {self.name}, got {', '.join(unknown)}"
            )
        self.kinds: str = "".join(self._kind(i, *column) for i, column in enumerate(values))

    def _read_header(self, place: int | None) -> None:
        distinct(self.fields, self.name)
        if "\ufffd" in "".join(self.fields):
            raise DataError.at(f"{self.name}:1", f"expected text in UTF-8, got other bytes{ENCODING_HINT}")
        self.names: list[str] | None = [name for i, name in enumerate(self.fields) if i != place]
        self.target: str | None = None if place is None else self.fields[place]
        self.empty: str = f"only the header {','.join(self.fields)[:80]}"

    def _is_header(self, looks: list[str]) -> bool:
        """Return whether the first line has names: no feature in it is a number."""
        target, known = self.layout.target, self._columns.known
        if (isinstance(target, str) and target in self.fields) or not set(known).isdisjoint(self.fields):
            return True
        if isinstance(target, str):
            raise self._columns.no_target(self.fields)
        is_labelled = not self._columns.width or len(looks) != self._columns.width
        features = [kind for i, kind in enumerate(looks) if not (is_labelled and i == target % len(looks))]
        if "t" in features and "n" in features:
            text = self.fields[looks.index("t", int(is_labelled and target == 0))]
            raise self._columns.mixed_header(text, self.layout)
        return "t" in features

    def _kind(self, place: int, numbers: int, texts: Any) -> str:
        """Return the kind of a field for the reader."""
        if place == self.target_place:
            return "t"
        if not self.has_header:
            return "n"
        column = self.fields[place]
        if self.is_known and self._columns.known:
            return "c" if column in self._columns.categorical or column not in self._columns.known else "n"
        if self.is_known:
            return "n"
        is_named = column in self.layout.categorical
        return "c" if is_named or is_categorical(self, column, numbers, texts) else "n"

    def _reader(self) -> _core.Reader:
        layout = self.layout
        return _core.Reader(
            "csv",
            task=layout.task,
            dtype=layout.dtype,
            kinds=self.kinds,
            classes=layout.classes,
            header=self.has_header,
            **self._options,
        )

    def _rows(self, reader: _core.Reader, features: list[Any]) -> Any:  # noqa: ARG002
        values, categories, *_ = features
        if self.names is None:
            return values
        dtype = self.layout.dtype
        if not categories:
            return Table(self.names, list(values.T), values, dtype=dtype)
        numbers, texts = iter(values.T), iter(categories)
        kinds = self.kinds.replace("t", "")
        return Table(self.names, [next(texts if kind == "c" else numbers) for kind in kinds], dtype=dtype)


class LibsvmText(Text):
    """The rows of LIBSVM text."""

    empty: str = "only comments"

    def __init__(self, source: Source, layout: Layout, columns: Columns) -> None:
        super().__init__(source, layout, columns, "libsvm")
        head = source.head()
        may_start_at_0 = head.startswith(b"0:") or any(each in head for each in (b" 0:", b"\t0:", b"\n0:"))
        starts_at_0 = may_start_at_0 and _INDEX_0.search(head) is not None
        self.zero_based: bool | None = starts_at_0 if layout.zero_based is None else layout.zero_based

    def _reader(self) -> _core.Reader:
        return _core.Reader(
            "libsvm",
            task=self.layout.task,
            dtype=self.layout.dtype,
            first_index=0 if self.zero_based else 1,
            n_features=max(self.layout.n_features, self._columns.width),
            max_features=max(self.layout.max_features, self._columns.width),
        )

    def _rows(self, reader: _core.Reader, features: list[Any]) -> Any:
        values, _, indptr, indices = features
        return Csr(indptr, indices, values, (len(indptr) - 1, reader.n_features))
