"""Rows of CSV and of LIBSVM text."""

import re
from collections.abc import Iterator
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
from .columns import Columns, Layout, reject_large
from .errors import DataError, UsageError

# A comment, or the separator for Excel.
_NO_ROW = re.compile(r"#|\"?sep=.\"?$", re.IGNORECASE)
_INDEX_0 = re.compile(rb"^([^#\n]*[ \t])?0:", re.MULTILINE)


class Text:
    """The rows of a text file, with labels if there are any."""

    form: str
    names: list[str] | None = None
    """The names of the features; None if the columns have no names."""
    n_rows: int | None = None
    labelled: bool = True
    has_header: bool = False
    target: str | None = None
    target_place: int | None = None
    zero_based: bool | None = None

    def __init__(self, source: Source, layout: Layout, columns: Columns) -> None:
        self.name: str = source.name
        self.layout = layout
        self.is_known: bool = columns.is_known
        self._source, self._columns = source, columns
        head = source.head()
        self.lines: list[str] = first_lines(head)
        if not self.lines:
            raise DataError(f"{self.name}: expected rows, got an empty file")
        self.fields: list[str] = []
        self.empty: str = ""
        """What a file without rows has."""

    def _reader(self) -> _core.Reader:
        raise NotImplementedError

    def _rows(self, values: Any, categories: list[Any], indptr: Any, indices: Any) -> Any:
        raise NotImplementedError

    def batches(self, *, whole: bool) -> Iterator[Batch]:
        """Yield the rows as they are read, or all together."""
        self._current = reader = self._reader()
        size = 0
        while piece := self._source.read(PIECE):
            size += len(piece)
            if whole:
                reject_large(self.name, size, self.layout.max_memory)
            error = _tried(lambda piece=piece: reader.feed(piece))
            if not whole or error is not None:
                yield from self._taken(reader)
            if error is not None:
                raise explained(error, self) from error
        error = _tried(reader.finish)
        yield from self._taken(reader)
        if error is not None:
            raise explained(error, self) from error

    def _taken(self, reader: _core.Reader) -> Iterator[Batch]:
        taken = reader.take()
        if taken is None:
            return
        *features, target, lines = taken
        y = text_labels(*target) if isinstance(target, tuple) else target
        yield Batch(
            self._rows(*features), y, lambda row: f"{self.name}:{lines[row]}", self._source.fraction()
        )


def _tried(step: Any) -> ValueError | None:
    try:
        step()
    except ValueError as error:
        return error
    return None


class CsvText(Text):
    """The rows of a CSV file."""

    form = "csv"

    def __init__(self, source: Source, layout: Layout, columns: Columns) -> None:
        super().__init__(source, layout, columns)
        if (
            _NO_ROW.match(self.lines[0])
            and len({line.count(layout.delimiter) for line in self.lines[:2]}) > 1
        ):
            raise DataError(
                f"{self.name}:1: expected a header or a row, got `{self.lines[0][:40]}`; remove this line: "
                "tail -n +2 FILE > data.csv",
                located=True,
            )
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
        place = columns.target_place(self.fields if self.has_header else None, len(self.fields))
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
            raise DataError(
                f"{self.name}:1: expected text in UTF-8, got other bytes{ENCODING_HINT}", located=True
            )
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

    def _rows(self, values: Any, categories: list[Any], indptr: Any, indices: Any) -> Any:  # noqa: ARG002
        if self.names is None:
            return values
        if not categories:
            return Table(self.names, list(values.T), values, dtype=self.layout.dtype)
        numbers, texts = iter(values.T), iter(categories)
        kinds = self.kinds.replace("t", "")
        return Table(
            self.names, [next(texts if kind == "c" else numbers) for kind in kinds], dtype=self.layout.dtype
        )


class LibsvmText(Text):
    """The rows of LIBSVM text."""

    form = "libsvm"
    empty = "only comments"

    def __init__(self, source: Source, layout: Layout, columns: Columns) -> None:
        super().__init__(source, layout, columns)
        if isinstance(layout.target, str):
            raise UsageError(
                f"--target {layout.target}: expected CSV with a header, Parquet or Arrow, the format of "
                f"{self.name} is libsvm"
            )
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

    def _rows(self, values: Any, categories: list[Any], indptr: Any, indices: Any) -> Any:  # noqa: ARG002
        return Csr(indptr, indices, values, (len(indptr) - 1, self._current.n_features))
