"""The header of a CSV file."""

import csv
from shlex import quote

from .errors import DataError


def header_names(line: bytes, delimiter: str) -> list[str]:
    """Return the names in the first line of a CSV file, without spaces around them."""
    text = line.decode("utf-8-sig", "backslashreplace")
    return [name.strip() for name in next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])]


def is_header(fields: list[str]) -> bool:
    """Say whether the fields of a line are names, each but once: none of them is empty or a number."""
    return len(set(fields)) == len(fields) > 0 and not any(not name or _is_number(name) for name in fields)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def words_hint(name: str) -> str:
    """Return what to try where a column of numbers has a word."""
    return f"; --word-columns {quote(name)} reads words there"


def refuse_repeated(name: str, fields: list[str]) -> None:
    """Refuse a header in which a name comes twice."""
    repeated = _repeated(fields)
    missing = ("", "?", "na")
    if repeated is not None and not any(_is_number(field) or field.lower() in missing for field in fields):
        raise DataError(f'{name}: expected a name of its own for each column, got two named "{repeated}"')


def _repeated(fields: list[str]) -> str | None:
    """Return the first field that comes again."""
    seen: set[str] = set()
    for field in fields:
        if field in seen:
            return field
        seen.add(field)
    return None


def delimiter_hint(line: bytes, delimiter: str, form: str = "") -> str:
    """Return what to try where the first line seems to have another delimiter; else nothing."""
    other = max(";", "\t", "|", ",", key=lambda byte: line.count(byte.encode()))
    if line.count(other.encode()) <= line.count(delimiter.encode()):
        return ""
    given = f"--format {form} " if form else ""
    shown = "tab" if other == "\t" else quote(other)
    return f"; the fields seem to be separated by {shown}: {given}--delimiter {shown}"
