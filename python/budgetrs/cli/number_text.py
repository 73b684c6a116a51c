"""The text of numbers and of missing values in CSV, and advice on other text."""

from collections.abc import Sequence
from math import isfinite
from shlex import quote

from .. import _notations
from .._notations import Notation, is_date, main_notation, notation

__all__ = ["Notation", "is_date", "main_notation", "notation"]

MISSING = frozenset(
    ("", "?", "\\N", "na", "nan", "+nan", "+NaN", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN")
) | frozenset(("-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"))
"""The texts of a missing value in any column: the texts of ``pandas.read_csv``, ``?`` and ``\\N``."""

MISSING_NUMBERS: frozenset[str] = frozenset(text.lower() for text in MISSING) | {"-", "."}
"""The texts of a missing value in a column of numbers, in lower case."""


def is_number(text: str, decimal: str = ".") -> bool:
    """Return whether a text is a number with this decimal sign, not NaN or infinity."""
    return _notations.is_number(text, decimal) and isfinite(float(text.replace(decimal, ".")))


def missing_hint(texts: Sequence[str]) -> str:
    """Return advice on texts that may mean missing."""
    # In quotes, -- is not the end of the options.
    listed = ",".join(f'"{text}"' if text.startswith("-") else text for text in texts)
    return f"--missing-values {quote(listed)} takes {'it' if len(texts) == 1 else 'them'} as missing"


def categories_hint(name: str) -> str:
    """Return advice on a numeric column with a value that is no number."""
    return f"--categorical {quote(name)} takes its values as categories"


def notation_hint(text: str, decimal: str) -> str:
    """Return advice on a text that is nearly a number."""
    found = notation(text, decimal)
    return f"; it has {found.what}: {found.in_file}" if found else ""


def number_hint(text: str, decimal: str, column: str | None) -> str:
    """Return advice on a value that is no number, in a column that may be categorical if it is named."""
    if text and text == column:
        return "; the line repeats the header: remove it"
    hint = notation_hint(text, decimal) or (f"; {missing_hint([text])}" if text and "," not in text else "")
    return hint if column is None else f"{hint}; {categories_hint(column)}"
