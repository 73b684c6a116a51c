"""The text of numbers and of missing values in CSV, and of values that are nearly numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from shlex import quote

MISSING = frozenset(
    ("", "?", "\\N", "na", "nan", "+nan", "+NaN", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN")
) | frozenset(("-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"))
"""The texts of a missing value in any column: the texts of ``pandas.read_csv``, ``?`` and ``\\N``."""

MISSING_NUMBERS: frozenset[str] = frozenset(text.lower() for text in MISSING) | {"-", "."}
"""The texts of a missing value in a column of numbers, in lower case."""

_GROUPED = r"[-+\u2212]?(\d{1,3}([., _'\u2019\u00a0\u202f]\d{3})+|\d+)?([.,]\d*)?(e[-+]?\d+)?"
_QUOTES = r"['`\"\u2018\u2019\u201c\u201d\u00b4]+"
_CURRENCY = r"([$€£¥₹₽₩]|[A-Z]{2,3}\$|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|kr\.?|zł)"
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))"
    r"([T ]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?",
    re.ASCII,
)


@dataclass(frozen=True)
class Nearly:
    """A notation of numbers that is not read: what the values have, and what to do about it."""

    what: str
    advice: str
    pattern: re.Pattern[str]


def _nearly(what: str, advice: str, pattern: str) -> Nearly:
    return Nearly(what, advice, re.compile(rf"(?=.*\d)({pattern})", re.IGNORECASE))


_COMMA = _nearly("a decimal comma", "--decimal , reads it", r"[-+\u2212]?(\d*,\d+|\d+,)(e[-+]?\d+)?")
_POINT = _nearly("a decimal point", "--decimal . reads it", r"[-+\u2212]?(\d*\.\d+|\d+\.)(e[-+]?\d+)?")
_OTHERS = (
    _nearly("another minus sign", "write - instead", r"\u2212(\d+\.?\d*|\.\d+)(e[-+]?\d+)?"),
    _nearly("thousands separators", "remove them from the file", _GROUPED),
    _nearly("a percent sign", "remove it from the file", rf"{_GROUPED}\s*[%‰]"),
    _nearly(
        "a currency sign",
        "remove it from the file",
        rf"[-+\u2212(]?\s*{_CURRENCY}\s*{_GROUPED}\)?|\(?{_GROUPED}\s*{_CURRENCY}\)?",
    ),
    _nearly(
        "an exponent with the letter D",
        "write the letter E instead",
        r"[-+]?(\d+[.,]\d*|[.,]\d+)d[-+]?\d+|[-+]?\d+d[-+]\d+",
    ),
    _nearly("quotes", "remove them from the file", rf"{_QUOTES}\s*{_GROUPED}\s*{_QUOTES}"),
    _nearly("parentheses", "write a minus sign instead", rf"\(\s*{_GROUPED}\s*\)"),
    _nearly("a comparison sign", "remove it from the file", rf"[<>≤≥~≈=]=?\s*{_GROUPED}"),
    _nearly("a sign after the number", "write it in front", r"[\d.,]+\s*[-+\u2212]"),
)


@lru_cache(maxsize=1 << 14)
def nearly(text: str, decimal: str = ".") -> Nearly | None:
    """Return the notation of a text that is nearly a number; None for a number and for any other text."""
    if is_number(text, decimal):
        return None
    # A comma before three digits may separate thousands.
    first = (_POINT,) if decimal == "," else (_COMMA,)
    return next((each for each in (*first, *_OTHERS) if each.pattern.fullmatch(text)), None)


def is_date(text: str) -> bool:
    """Return whether a text is a date, a time, or both."""
    return _DATE.fullmatch(text) is not None


def is_number(text: str, decimal: str = ".") -> bool:
    """Return whether a text is a number with this decimal sign."""
    if decimal != ".":
        if "." in text:
            return False
        text = text.replace(decimal, ".")
    if not text.isascii() or "_" in text or text != text.strip():
        return False
    try:
        float(text)
    except ValueError:
        return False
    return text.lower() not in MISSING_NUMBERS


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
    found = nearly(text, decimal)
    return f"; it has {found.what}: {found.advice}" if found else ""


def number_hint(text: str, decimal: str, column: str | None) -> str:
    """Return advice on a value that is no number, in a column that may be categorical if it is named."""
    hint = notation_hint(text, decimal) or (f"; {missing_hint([text])}" if text and "," not in text else "")
    return hint if column is None else f"{hint}; {categories_hint(column)}"
