"""Parsing the values of options."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .header import header_names
from .labels import parse_classes
from .spelling import asked, nearest


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Return the function that parses one of some names."""

    def parse(text: str) -> str:
        if text not in names:
            valid = f"{', '.join(names[:-1])} or {names[-1]}"
            raise ArgumentTypeError(f"expected {valid}, got {text!r}{asked(nearest(text, names))}")
        return text

    return parse


def positive(text: str) -> int:
    """Parse an integer of at least 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"expected an integer >= 1, got {text!r}")
    return int(text)


def seed(text: str) -> int:
    """Parse a seed; the model checks its range."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"expected an integer >= 0, got {text!r}") from None


def features(text: str) -> int:
    """Parse a number of features."""
    most = (1 << 31) - 1
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
        raise ArgumentTypeError(f"expected an integer from 1 to {most:,}, got {text!r}")
    return int(text)


def coverage(text: str) -> float:
    """Parse the coverage of prediction intervals and sets."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.5 <= found <= 0.99:
        raise ArgumentTypeError(f"expected a number from 0.5 to 0.99, got {text!r}")
    return found


def size(text: str) -> int:
    """Parse a number of bytes, which may end in K, M or G."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].upper() in tuple("KMG") else (text, "")
    if not number.isascii() or not number.isdigit() or int(number) < 1:
        raise ArgumentTypeError(f"expected a number of bytes, such as 500M or 8G, got {text!r}")
    return int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[unit]


def budget(text: str) -> int | None:
    """Parse a number of support vectors, or none."""
    if text.lower() == "none":
        return None
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"expected an integer >= 1 or none, got {text!r}") from None


def budgets(text: str) -> list[int | None]:
    """Parse a comma-separated list of budgets."""
    return [budget(part.strip()) for part in text.split(",")]


def classes(text: str) -> Any:
    """Parse a comma-separated list of labels."""
    found = parse_classes(text)
    if len(found) < 2:
        raise ArgumentTypeError(f"expected two or more labels separated by commas, got {text!r}")
    return found


def names(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of column names, as a line of CSV."""
    found = tuple(header_names(text.encode(), ","))
    if not all(found) or not found:
        raise ArgumentTypeError(f"expected column names separated by commas, got {text!r}")
    return found


def missing_values(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of values that mean missing, as a line of CSV."""
    found = tuple(header_names(text.encode(), ","))
    if not all(found) or not found:
        raise ArgumentTypeError(f"expected values separated by commas, got {text!r}")
    return found


def delimiter(text: str) -> str:
    """Parse the field separator of CSV."""
    text = {"\\t": "\t", "tab": "\t"}.get(text, text)
    try:
        _core.Reader("csv", delimiter=text if text.isascii() else "")
    except ValueError as error:
        raise ArgumentTypeError(str(error).removeprefix("delimiter ")) from None
    return text


def target(text: str) -> int | str:
    """Parse the number of a column, or its name."""
    if not text.strip():
        raise ArgumentTypeError(f"expected the name or the number of a column, got {text!r}")
    try:
        column = int(text)
    except ValueError:
        return text.strip()
    try:
        _core.Reader("csv", label_column=column)
    except (ValueError, OverflowError):
        raise ArgumentTypeError(f"expected the number of a column, got {text!r}") from None
    return column
