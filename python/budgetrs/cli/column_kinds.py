"""The kinds of the columns of CSV, numbers or categories, from a sample of rows."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from shlex import quote

from .._notations import MANY
from .errors import DataError
from .layout import Layout
from .number_text import (
    MISSING,
    MISSING_NUMBERS,
    categories_hint,
    is_date,
    is_number,
    main_notation,
    missing_hint,
    notation,
)

# The sample ends after so many rows or bytes, as soon as each column has a value.
_ROWS = 1000
_BYTES = 1 << 18

# The texts without a number that a message lists.
_SHOWN = 5


def fields_of(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Return the fields of lines of CSV."""
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


@dataclass
class _Sample:
    """The values of a column in a sample of rows; texts with the line of their first appearance."""

    numbers: int = 0
    others: Counter[str] = field(default_factory=Counter)
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, text: str, line: int, layout: Layout) -> None:
        """Add a value that is not missing."""
        if is_number(text, layout.decimal):
            self.numbers += 1
        else:
            self.others[text] += 1
            self.lines.setdefault(text, line)

    @property
    def count(self) -> int:
        """The number of values."""
        return self.numbers + self.others.total()


def categorical_columns(
    name: str, lines: Iterable[bytes], names: list[str], label: int, layout: Layout
) -> set[str]:
    """Return the categorical columns, from the first lines of a file; the first line is the header.

    A column is categorical if less than half of its values in the sample look like numbers.

    Raises
    ------
    DataError
        If half of the values or more look like numbers, but not all are; or if most values are dates.
    """
    samples = _sampled(lines, len(names), label, layout)
    return {
        names[i]
        for i, sample in enumerate(samples)
        if i != label
        and names[i] not in layout.categorical
        and sample.others
        and _is_categorical(name, names[i], sample, layout, may_be_target=i == 0 and layout.target == -1)
    }


def _sampled(lines: Iterable[bytes], width: int, label: int, layout: Layout) -> list[_Sample]:
    samples = [_Sample() for _ in range(width)]
    open_columns = set(range(width)) - {label}
    numeric = rows = size = 0
    known = set(layout.missing_words)
    is_header = True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if is_header:
            is_header = False
            continue
        text = line.decode("utf-8", "replace")
        fields = [each.strip() for each in next(fields_of([text], layout.delimiter), [])]
        if len(fields) != width or line.count(b'"') % 2:
            break  # the reader of the rows reports this line
        rows, size = rows + 1, size + len(line)
        if _are_numbers(fields, label, layout):
            numeric += 1
            open_columns.clear()
        else:
            for i, value in enumerate(fields):
                # `-` and `.` are missing in a column of numbers only.
                if i == label or value in MISSING or value in known:
                    continue
                if value.lower() in MISSING_NUMBERS:
                    continue
                samples[i].add(value, number, layout)
                open_columns.discard(i)
        if not open_columns and (rows >= _ROWS or size >= _BYTES):
            break
    for sample in samples:
        sample.numbers += numeric
    return samples


def _are_numbers(fields: list[str], label: int, layout: Layout) -> bool:
    """Return whether all features of a row are numbers; False at the first other character is fast enough."""
    if layout.decimal != ".":
        return False
    features = [*fields[:label], *fields[label + 1 :]]
    try:
        numbers = list(map(float, features))
    except ValueError:
        return False
    # float() takes 1_000 and the digits of other scripts.
    joined = "".join(features)
    return joined.isascii() and "_" not in joined and all(each == each for each in numbers)


def _is_categorical(name: str, column: str, sample: _Sample, layout: Layout, *, may_be_target: bool) -> bool:
    """Return whether a column with other values than numbers is categorical, or raise."""
    count = sample.count
    found = main_notation(sample.others.elements(), layout.decimal)
    if found and found[0].needs_many and len(sample.others) < MANY:
        found = None
    place, first = next((line, text) for text, line in sample.lines.items())
    if 2 * (sample.numbers + (found[1] if found else 0)) >= count:
        where = f"{name}:{place}: expected a number in column {column}"
        if found:
            main, times = found
            text = next(text for text in sample.others if notation(text, layout.decimal) is main)
            raise DataError(
                f"{name}:{sample.lines[text]}: expected a number in column {column}, got {text!r}, with "
                f"{main.what} as in {times:,} of {count:,} values; {main.in_file}; "
                f"{categories_hint(column)}",
                located=True,
            )
        texts = list(sample.others)
        if texts == [column]:
            raise DataError(f"{where}, got {first!r}; the line repeats the header: remove it", located=True)
        # A stray text is no label.
        is_target = may_be_target and 4 * sample.others.total() >= count
        target = f"; if the first column is the target: --target {quote(column)}" if is_target else ""
        hint = f"; {missing_hint(texts)}" if len(texts) <= _SHOWN and not any("," in t for t in texts) else ""
        raise DataError(
            f"{where}, as in {sample.numbers:,} of {count:,} values, got {first!r}{target}{hint}; "
            f"{categories_hint(column)}",
            located=True,
        )
    dates = sum(times for text, times in sample.others.items() if is_date(text))
    if 2 * dates > count:
        text = next(text for text in sample.others if is_date(text))
        raise DataError(
            f"{name}: expected numbers or categories in column {column}, got the date or time {text}; "
            f"convert it to numbers, or give --categorical {quote(column)} to one-hot encode it"
        )
    return True
