"""The separators of fields: advice on another delimiter, and fields that are separated by blanks."""

import csv
import re
from collections.abc import Iterator
from itertools import islice
from shlex import quote

from .header import header_names
from .number_text import MISSING_NUMBERS, is_number, notation
from .source import Source

_LINES = 10
_OTHERS = (";", "\t", "|", ",")
# Longer lines are read without advice.
_LONGEST = 1 << 18
_BLANKS = re.compile(rb"\s+")

BLANKS = " "
"""The delimiter of fields that are separated by any number of blanks and tabs."""


class BlankSeparated:
    """A file whose fields are separated by blanks, as a file whose fields are separated by tabs.

    It has the methods of `Source` that the readers of CSV call.
    """

    def __init__(self, source: Source) -> None:
        self.name: str = source.name
        self._source = source

    def first_line(self) -> bytes:
        """Return the first line that is not blank."""
        return _tabbed(self._source.first_line())

    def lines(self, least: int) -> Iterator[bytes]:
        """Yield the first lines without consuming them."""
        return map(_tabbed, self._source.lines(least))

    def blocks(self) -> Iterator[tuple[bytes, bool]]:
        """Yield blocks of whole lines, each with whether it is the last."""
        for text, is_last in self._source.blocks():
            yield b"\n".join(map(_tabbed, text.split(b"\n"))), is_last


def _tabbed(line: bytes) -> bytes:
    if b'"' not in line:
        return b"\t".join(line.split())
    parts = line.split(b'"')
    parts[::2] = [_BLANKS.sub(b"\t", part) for part in parts[::2]]
    return b'"'.join(parts).strip(b"\t")


def _bare(line: bytes) -> bytes:
    """Return a line with one quote in place of each text in quotes."""
    return b'"'.join(line.split(b'"')[::2])


def first_lines(source: Source) -> list[bytes]:
    """Return the first lines that are not blank without consuming them; a live pipe may have sent one.

    The lines serve for advice; there are none if a line is longer than 256 KiB.
    """
    lines = list(islice((line for line in source.lines(1) if line.strip()), _LINES))
    return lines if max(map(len, lines), default=0) <= _LONGEST else []


def delimiter_hint(lines: list[bytes], delimiter: str, form: str = "") -> str:
    """Return advice if the first lines of a file seem to have another delimiter, or else an empty string."""
    other = other_delimiter(lines, delimiter)
    if other is None:
        return ""
    given = f"--format {form} " if form else ""
    shown = {"\t": "tab", BLANKS: "blanks"}.get(other, quote(other))
    option = quote(other) if other == BLANKS else shown
    return f"; the fields seem to be separated by {shown}: give {given}--delimiter {option}"


def has_other_delimiter(lines: list[bytes], delimiter: str) -> bool:
    """Return whether the lines cannot be cut at the delimiter, but at another one."""
    is_cut = delimiter.encode() in _bare(lines[0])
    return other_delimiter(lines, delimiter) is not None and (
        not is_cut or _decimal(lines, delimiter) is not None
    )


def other_delimiter(lines: list[bytes], delimiter: str) -> str | None:
    """Return the delimiter that the lines seem to have instead of this one; text in quotes does not count."""
    if delimiter == BLANKS or not lines:
        return None
    if (found := _decimal(lines, delimiter)) is not None:
        return found
    bare = list(map(_bare, lines))
    other = max(_OTHERS, key=lambda each: bare[0].count(each.encode()))
    if other != delimiter and bare[0].count(other.encode()) > bare[0].count(delimiter.encode()):
        widths, last = {len(line.split()) for line in bare}, bare[-1].split()
        are_blanks = len(widths) == 1 and len(last) > 1 + bare[0].count(other.encode())
        return BLANKS if are_blanks and _are_numbers(last) else other
    fields = bare[-1].split()
    if delimiter.encode() not in bare[0] and len(fields) > 1 and _are_numbers(fields):
        return BLANKS
    return None


def _are_numbers(fields: list[bytes]) -> bool:
    texts = [field.decode("ascii", "replace") for field in fields if field[:1] != b'"']
    return all(is_number(text) or text.lower() in MISSING_NUMBERS for text in texts)


def _decimal(lines: list[bytes], delimiter: str) -> str | None:
    """Return the delimiter of lines in which a comma, the given delimiter, is the decimal sign."""
    if delimiter != ",":
        return None
    for other in _OTHERS[:3]:
        counts = {_bare(line).count(other.encode()) for line in lines}
        if len(counts) != 1 or 0 in counts:
            continue
        try:
            texts = [field for line in lines for field in header_names(line, other) if "," in field]
        except csv.Error:  # the reader of the rows reports this line
            return None
        if texts and all(notation(text) for text in texts):
            return other
    return None
