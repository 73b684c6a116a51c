"""The header of a CSV file."""

import csv
from shlex import quote

from .errors import DataError
from .number_text import MISSING_NUMBERS, is_number, nearly


def header_names(line: bytes, delimiter: str) -> list[str]:
    """Return the names in the first line of a CSV file, without spaces around them."""
    text = line.decode("utf-8-sig", "backslashreplace")
    return [name.strip() for name in next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])]


def is_header(fields: list[str], decimal: str = ".") -> bool:
    """Return whether the fields of a line are distinct names: no field is empty or a number."""
    return len(set(fields)) == len(fields) > 0 and not any(
        not name or is_number(name, decimal) for name in fields
    )


def reject_repeated(name: str, fields: list[str]) -> None:
    """Raise if a name occurs twice in a header."""
    repeated = _repeated(fields)
    if repeated is not None and not any(_is_value(field) for field in fields):
        raise DataError(f'{name}: expected distinct column names, got two columns named "{repeated}"')


def _is_value(field: str) -> bool:
    """Return whether a field is no name: a number, nearly a number, or a missing value."""
    return is_number(field) or nearly(field) is not None or field.lower() in MISSING_NUMBERS


def _repeated(fields: list[str]) -> str | None:
    """Return the first field that occurs again."""
    seen: set[str] = set()
    for field in fields:
        if field in seen:
            return field
        seen.add(field)
    return None


def delimiter_hint(line: bytes, delimiter: str, form: str = "") -> str:
    """Return advice if the first line seems to have another delimiter, or else an empty string."""
    other = max(";", "\t", "|", ",", key=lambda byte: line.count(byte.encode()))
    if line.count(other.encode()) <= line.count(delimiter.encode()):
        are_blanks = (
            form
            and len(line.split()) > 1
            and all(is_number(text.decode("ascii", "replace")) for text in line.split())
        )
        return (
            "; the fields seem to be separated by blanks: convert them: tr -s ' ' , < FILE > data.csv"
            if are_blanks
            else ""
        )
    given = f"--format {form} " if form else ""
    shown = "tab" if other == "\t" else quote(other)
    return f"; the fields seem to be separated by {shown}: give {given}--delimiter {shown}"
