"""Text that is nearly a number, and text of dates: one rule for data frames, files and labels."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

# Repetitions of blanks are possessive: where two of them meet, they would share a run of blanks in many ways.
_BLANKS = r"\s*+"
_SPACE = r"[\s\u00a0\u202f]*+"
_SIGN = r"[-+\u2212]?"
_GROUPED = (
    rf"{_SIGN}(\d{{1,3}}(,\d\d)*(,\d{{3}})+|\d{{1,3}}([., _'\u2019\u00a0\u202f]\d{{3}})+|\d+)?"
    r"([.,]\d*)?(e[-+]?\d+)?"
)
_QUOTES = r"['`\"\u2018\u2019\u201c\u201d\u00b4]++"
_CURRENCY = r"([$€£¥₹₽₩]|[A-Z]{2,3}\$|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|Rs\.?|kr\.?|zł)"
_UNIT = (
    r"([kmcµμn]?m|km/h|kmph|kmpl|m/s|mph|mi|ft|inch|in|[kmµμ]?g|lbs?|oz|t|[mcd]?l|cc|[mµμ]?s|secs?|min|mins|h|hrs?|"
    r"days?|weeks?|months?|years?|yrs?|[kMG]?Hz|[kMGm]?Wh?|m?V|m?A|°\s?[CFK]?|C|F|K|M|B|G|[kMGT]i?B|[hkM]?Pa|bar|"
    r"psi|b?hp|PS|rpm|Nm|bps|bn|px|pcs)"
)
_MONTH = (
    r"(jan|ene|gen|feb|fév|fev|mar|mär|mrz|apr|avr|abr|may|mai|mag|maj|jun|juin|giu|jul|juil|lug|aug|ago|aoû|"
    r"sep|set|oct|okt|ott|out|nov|dec|dez|déc|dic)[a-zéûäç]{0,7}\.?"
)
_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?(\s?[ap]\.?m\.?)?"
_YEAR = r"(19|20)\d{2}"
_DATE = re.compile(
    rf"([a-z]{{2,9}}\.?,?\s++)?(\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](\d{{4}}|\d{{2}})|"
    rf"\d{{1,2}}(st|nd|rd|th)?[-., /]*{_MONTH}[-., /]*\d{{2,4}}|"
    rf"{_MONTH}[-. /]*\d{{1,2}}(st|nd|rd|th)?[-., /]+\d{{4}}|"
    rf"\d{{4}}[-., /]*{_MONTH}[-., /]*\d{{1,2}}|{_MONTH}[-., /']*\d{{4}}|"
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[-']\d{2}|"
    rf"{_YEAR}[-/.](0?[1-9]|1[0-2])|"
    rf"(0?[1-9]|1[0-2])[-/.]{_YEAR}|{_YEAR}\s?[-/]?\s?(Q[1-4]|W\d{{1,2}})|Q[1-4]\s?[-/]?\s?{_YEAR}|"
    rf"{_YEAR}年\d{{1,2}}月(\d{{1,2}}日)?)(,?[T ]{_BLANKS}{_TIME}.*)?|{_TIME}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Notation:
    """A notation of numbers that is not read: what values have, and the advice for files and for frames."""

    what: str
    in_file: str
    in_frame: str
    pattern: re.Pattern[str]
    # Few distinct values of this notation are categories, such as 1st or 3D.
    needs_many: bool = False


def _notation(what: str, advice: str, pattern: str, *, frame: str = "", needs_many: bool = False) -> Notation:
    # ASCII: the digits of other scripts have a notation of their own.
    compiled = re.compile(pattern, re.IGNORECASE | re.ASCII)
    return Notation(what, advice, frame or advice, compiled, needs_many)


_COMMA = _notation(
    "a decimal comma",
    "--decimal , reads it",
    rf"{_SIGN}(\d*,\d+|\d+,)(e[-+]?\d+)?",
    frame='replace it by a point (decimal="," in pandas)',
)
_BOTH = _notation(
    "thousands separators and a decimal comma",
    "remove the separators; --decimal , reads the decimal comma",
    rf"{_SIGN}\d{{1,3}}([. '\u2019\u00a0\u202f]\d{{3}})+,\d*",
    frame='remove the separators and replace the comma by a point (thousands=".", decimal="," in pandas)',
)
_POINT = _notation("a decimal point", "--decimal . reads it", rf"{_SIGN}(\d*\.\d+|\d+\.)(e[-+]?\d+)?")
_THOUSANDS = _notation(
    "thousands separators", "remove them", _GROUPED, frame='remove them (thousands="," in pandas)'
)
_COMMA_OR_THOUSANDS = _notation(
    "thousands separators or a decimal comma",
    "remove the separators, or read the decimal comma by --decimal ,",
    rf"{_SIGN}[1-9]\d{{0,2}},\d{{3}}",
    frame='remove the separators (thousands="," in pandas), or replace the decimal comma by a point '
    '(decimal="," in pandas)',
)
_POINT_THOUSANDS = _notation("thousands separators", "remove them", rf"{_SIGN}[1-9]\d{{0,2}}(\.\d{{3}})+")
_SCRIPT = _notation("the digits of another script", "write the digits 0 to 9 instead", "(?!)")
_OTHERS = (
    _notation("another minus sign", "write - instead", r"\u2212(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?"),
    _THOUSANDS,
    _notation("a percent sign", "remove it", rf"{_GROUPED}{_SPACE}[%‰]"),
    _notation(
        "a currency sign",
        "remove it",
        rf"[-+\u2212(]?{_SPACE}{_CURRENCY}{_SPACE}{_GROUPED}\)?|\(?{_GROUPED}{_SPACE}{_CURRENCY}\)?",
    ),
    _notation(
        "an exponent with the letter D",
        "write the letter E instead",
        rf"{_SIGN}(\d+[.,]\d*|[.,]\d+)d[-+]?\d+|{_SIGN}\d+d[-+]\d+",
    ),
    _notation(
        "an Excel formula", "remove = and the quotes", rf"={_QUOTES}{_BLANKS}{_GROUPED}{_BLANKS}{_QUOTES}"
    ),
    _notation("quotes", "remove them", rf"{_QUOTES}{_BLANKS}{_GROUPED}{_BLANKS}({_QUOTES})?"),
    _notation("parentheses", "write a minus sign instead", rf"\({_BLANKS}{_GROUPED}{_BLANKS}\)"),
    _notation("a comparison sign", "remove it", rf"([<>≤≥~≈=]=?|ca\.|approx\.?){_BLANKS}{_GROUPED}"),
    _notation("a sign after the number", "write it in front", rf"[\d.,]++{_BLANKS}[-+\u2212]"),
    _notation("a unit", "remove it", rf"{_GROUPED}{_SPACE}{_UNIT}", needs_many=True),
)

MANY = 30
"""The number of distinct values from which a column or the labels are examined."""

# A longer text is no number and no date.
_LONGEST = 100


def is_number(text: str, decimal: str = ".") -> bool:
    """Return whether a text is a number with this decimal sign, NaN and infinity included."""
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
    return True


def notation(text: str, decimal: str = ".") -> Notation | None:
    """Return the notation of a text that is nearly a number; None for a number and for any other text."""
    return _notation_of(text, decimal) if len(text) <= _LONGEST else None


@lru_cache(maxsize=1 << 14)
def _notation_of(text: str, decimal: str) -> Notation | None:
    if not any(c.isdecimal() for c in text) or is_number(text, decimal):
        return None
    if not text.isascii():
        digits = "".join(
            str(int(c)) if c.isdecimal() else {"\u066b": ".", "\u066c": ","}.get(c, c) for c in text
        )
        if digits != text:
            return _SCRIPT if is_number(digits) or notation(digits) else None
    first = (_POINT_THOUSANDS, _POINT) if decimal == "," else (_COMMA_OR_THOUSANDS, _COMMA, _BOTH)
    return next((each for each in (*first, *_OTHERS) if each.pattern.fullmatch(text)), None)


def main_notation(texts: Iterable[str], decimal: str = ".") -> tuple[Notation, int] | None:
    """Return the notation that explains the texts of a column best, and the number of texts with a notation.

    A decimal sign in a tenth of the texts explains the others too: 1,5 tells how to read 1,234.
    """
    found = Counter(each for text in texts if (each := notation(text, decimal)))
    if not found:
        return None
    total = found.total()
    clear = [each for each in (_BOTH, _COMMA, _POINT) if 10 * found[each] >= total]
    return (clear or [each for each, _ in found.most_common(1)])[0], total


def is_date(text: str) -> bool:
    """Return whether a text is a date, a time, or both."""
    return len(text) <= _LONGEST and any(map(str.isdigit, text)) and _DATE.fullmatch(text) is not None
