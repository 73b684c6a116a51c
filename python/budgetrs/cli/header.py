"""The header of a CSV file."""

import csv
import re
from shlex import quote

from .errors import ENCODING_HINT, DataError
from .number_text import MISSING_NUMBERS, is_number, notation

_SEPARATOR = re.compile(rb'"?sep=(.)"?\s*', re.IGNORECASE)

UNCLOSED = (
    "a closing quote in this line (line breaks within quotes are not supported); convert the file in Python: "
    "pandas.read_csv(FILE).to_parquet('data.parquet')"
)
"""The expectation of an error about a line with an open quote."""


def reject_preamble(name: str, lines: list[bytes], delimiter: str) -> None:
    """Raise for a comment, `sep=` of Excel, empty columns at the end of lines, and text not in UTF-8."""
    first = lines[0].removeprefix(b"\xef\xbb\xbf")
    rows = [line for line in lines if not line.startswith(b"#")]
    if first.startswith(b"#") and rows and _width(first, delimiter) != _width(rows[0], delimiter):
        raise DataError(
            f"{name}:1: expected a header or a row, got a comment; remove comments: "
            "grep -v '^#' FILE > data.csv",
            located=True,
        )
    if found := _SEPARATOR.fullmatch(first):
        shown = "tab" if found[1] == b"\t" else quote(found[1].decode("latin-1"))
        raise DataError(
            f"{name}:1: expected a header or a row, got {first.decode('latin-1').strip()}, a line for Excel; "
            f"remove it: tail -n +2 FILE > data.csv, and give --delimiter {shown}",
            located=True,
        )
    ends = [line.rstrip(b"\r\n") for line in lines]
    if delimiter.strip() and len(ends) > 1 and all(line.endswith(delimiter.encode()) for line in ends):
        count = len(ends[0]) - len(ends[0].rstrip(delimiter.encode()))
        raise DataError(
            f"{name}:1: expected a column after each {delimiter!r}, got {count} at the end of each line; "
            f"remove them: sed 's/{delimiter}*\\r*$//' FILE > data.csv",
            located=True,
        )
    for number, line in enumerate(lines, 1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            byte = line[error.start : error.start + 1].hex()
            raise DataError(
                f"{name}:{number}: expected text in UTF-8, got the byte {byte}; {ENCODING_HINT}", located=True
            ) from error


def _width(line: bytes, delimiter: str) -> int:
    return line.count(delimiter.encode())


def header_names(line: bytes, delimiter: str) -> list[str]:
    """Return the names in the first line of a CSV file, without spaces around them."""
    text = line.decode("utf-8-sig", "backslashreplace")
    return [name.strip() for name in next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])]


def is_header(fields: list[str], decimal: str = ".") -> bool:
    """Return whether the fields of a line are distinct names: no field is empty or a number."""
    return len(set(fields)) == len(fields) > 0 and all(fields) and are_names(fields, decimal)


def are_names(fields: list[str], decimal: str = ".") -> bool:
    """Return whether fields are names: none is a number, and not all are nearly numbers or missing."""
    return not (any(is_number(field, decimal) for field in fields) or all(map(_is_value, fields)))


def reject_repeated(name: str, fields: list[str]) -> None:
    """Raise if a name occurs twice in a header."""
    repeated = _repeated(fields)
    if repeated is not None and not any(_is_value(field) for field in fields):
        raise DataError(f'{name}: expected distinct column names, got two columns named "{repeated}"')


def _is_value(field: str) -> bool:
    """Return whether a field is no name: a number, nearly a number, or a missing value."""
    return is_number(field) or notation(field) is not None or field.lower() in MISSING_NUMBERS


def _repeated(fields: list[str]) -> str | None:
    """Return the first field that occurs again."""
    seen: set[str] = set()
    for field in fields:
        if field in seen:
            return field
        seen.add(field)
    return None
