"""The header of a CSV file."""

import csv


def header_names(line: bytes, delimiter: str) -> list[str]:
    """Return the names in the first line of a CSV file, without spaces around them."""
    text = line.decode("utf-8-sig", "backslashreplace")
    return [name.strip() for name in next(csv.reader([text], delimiter=delimiter), [])]
