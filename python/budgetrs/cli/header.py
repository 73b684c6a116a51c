"""The header of a CSV file."""

import csv


def header_names(line: bytes, delimiter: str) -> list[str]:
    """Return the names in the first line of a CSV file, without spaces around them."""
    text = line.decode("utf-8-sig", "backslashreplace")
    return [name.strip() for name in next(csv.reader([text], delimiter=delimiter), [])]


def is_header(fields: list[str]) -> bool:
    """Say whether the fields of a line are names, each but once: none of them is empty or a number."""
    return len(set(fields)) == len(fields) > 0 and not any(not name or _is_number(name) for name in fields)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
