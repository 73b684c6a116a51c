"""Error messages about data that cannot be read: the expected content, the actual content, and advice."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from math import isfinite
from shlex import quote
from typing import Any

from .._notations import MANY, is_date, is_number, main_notation, notation
from .batch import Labels
from .errors import DataError

ENCODING_HINT = "; convert the file: iconv -f WINDOWS-1252 -t UTF-8 FILE > data.csv"

READ = "CSV, LIBSVM text, NumPy, Parquet or Arrow"

_TO_CSV = "convert it in Python: pandas.{}.to_csv('data.csv', index=False)"
_ARFF = _TO_CSV.format("DataFrame(scipy.io.arff.loadarff({})[0])")
_UNPACK = "unpack it first, or compress the table by gzip, xz, bzip2 or zstd"
_ENCODE = "convert it: iconv -f UTF-16 -t UTF-8 {} > data.csv"
_MODEL = "the model is the first argument of predict and evaluate"
_OTHER = "read it in Python, and write it as CSV or Parquet"

# The formats that are not read: name, suffixes, first bytes, and a function of pandas or another advice.
_FORMATS = tuple(
    (name, suffixes, re.compile(rb"\A(" + start + rb")", re.DOTALL | re.IGNORECASE), advice)
    for name, suffixes, start, advice in (
        ("a budgetrs model", "", rb".{8}\{\"__metadata__\"", _MODEL),
        ("Excel", ".xlsx .xls .xlsm .xlsb .ods", rb"\xd0\xcf\x11\xe0", "read_excel({})"),
        ("JSON lines", ".jsonl .ndjson", rb"\s*\{\s*\"[^\n]*\}[ \t\r]*\n\s*\{", "read_json({}, lines=True)"),
        ("JSON", ".json", rb"\s*(\[\s*)?\{\s*\"|\s*\[\s*[\[\"]", "read_json({})"),
        ("ARFF", ".arff", rb"(\s*%[^\n]*\n)*\s*@relation", _ARFF),
        ("HDF5", ".h5 .hdf5 .hdf", rb"\x89HDF\r\n", "read_hdf({})"),
        ("ORC", ".orc", rb"ORC.{0,16}\0", "read_orc({})"),
        ("SAS", ".sas7bdat .xpt", rb"HEADER RECORD\*{7}", "read_sas({})"),
        ("SPSS", ".sav .zsav .por", rb"\$FL[23]@\(#\)", "read_spss({})"),
        ("Stata", ".dta", rb"<stata_dta>", "read_stata({})"),
        ("pickle", ".pkl .pickle .joblib", rb"\x80[\x02-\x05](\x95|[}c\]])", "read_pickle({})"),
        ("HTML", ".html .htm", rb"\s*(<!doctype html|<html|<table)", "read_html({})"),
        ("XML", ".xml", rb"\s*<\?xml", "read_xml({})"),
        ("UTF-16 text", "", rb"\xff\xfe|\xfe\xff|([\t\n\r -~]\0){4}|(\0[\t\n\r -~]){4}", _ENCODE),
        ("an archive", ".7z .rar .tar .tgz .lz4 .z", rb"7z\xbc\xaf|Rar!|\x1f\x9d|.{257}ustar", _UNPACK),
        (
            "another format",
            ".sqlite .db .avro .rda .rds .rdata .mat .nc .mtx",
            rb"SQLite format 3\0|Obj\x01",
            _OTHER,
        ),
        ("another format", ".tfrecord", rb"MATLAB [57]|CDF[\x01\x02\x05]|FEA1\0|%%MatrixMarket", _OTHER),
        ("another format", ".pdf .png .jpg .jpeg .gif", rb"%PDF-|\x89PNG|\xff\xd8\xff", _OTHER),
    )
)


def reject_foreign(name: str, path: str, head: bytes, suffix: str = "") -> None:
    """Raise for a format that is not read."""
    by_start = (each for each in _FORMATS if each[2].match(head))
    by_suffix = (each for each in _FORMATS if suffix in each[1].split())
    for form, _, _, advice in islice(chain(by_start, by_suffix), 1):
        advice = _TO_CSV.format(advice) if advice.startswith("read_") else advice
        advice = advice.format("FILE" if path == "-" else repr(path))
        raise DataError(f"{name}: expected {READ}, got {form}; {advice}")


_DELIMITERS = (";", "\t", "|", ",")
_FEW = 10


def first_lines(head: bytes) -> list[str]:
    """Return the first lines that are not blank."""
    lines = head[: 1 << 16].decode("utf-8-sig", "replace").splitlines()
    return [line for line in lines if line.strip()][:_FEW]


def other_delimiter(lines: Sequence[str], delimiter: str) -> str | None:
    """Return the delimiter that lines seem to have instead of this one; text in quotes does not count."""
    if delimiter == " " or not lines:
        return None
    bare = ['"'.join(line.split('"')[::2]) for line in lines]
    for other in _DELIMITERS:
        counts = {line.count(other) for line in bare}
        if other == delimiter or len(counts) > 1 or 0 in counts:
            continue
        commas = [field for line in bare for field in line.split(other) if "," in field]
        is_decimal = delimiter == "," and bool(commas) and all(map(notation, commas))
        if delimiter not in bare[0] or is_decimal:
            return other
    widths, fields = {len(line.split()) for line in bare}, bare[-1].split()
    are_blanks = delimiter not in bare[0] and len(widths) == 1 and len(fields) > 1
    return " " if are_blanks and all(is_number(each) or '"' in each for each in fields) else None


def delimiter_hint(lines: Sequence[str], delimiter: str) -> str:
    """Return advice if lines seem to have another delimiter, or else an empty string."""
    other = other_delimiter(lines, delimiter)
    if other is None:
        return ""
    option = "tab" if other == "\t" else quote(other)
    shown = "blanks" if other == " " else option
    return f"; the fields seem to be separated by {shown}: give --delimiter {option}"


def looks_like_libsvm(line: str) -> bool:
    """Return whether a line is a row of LIBSVM text."""
    label, *pairs = line.split()[:100] or [""]
    parts = [pair.partition(":") for pair in pairs]
    return bool(parts) and ":" not in label and all(index.isdigit() and value for index, _, value in parts)


def missing_hint(text: str) -> str:
    """Return advice on a text that may mean missing."""
    return f"; --missing-values {quote(text)} takes it as missing" if text and "," not in text else ""


def categories_hint(column: str) -> str:
    """Return advice on a numeric column with a value that is no number."""
    return f"; --categorical {quote(column)} takes its values as categories"


def notation_hint(text: str, decimal: str) -> str:
    """Return advice on a text that is nearly a number."""
    found = notation(text, decimal)
    return f"; it has {found.what}: {found.in_file}" if found else ""


_QUOTES = (
    "a closing quote in this line (line breaks within quotes are not supported; pandas.read_csv(FILE)."
    "to_parquet('data.parquet') converts them), or no quote within a field"
)


def explained(error: Any, file: Any) -> DataError:
    """Return the sentence about an error of the text reader; `file` is the file that is read."""
    layout, at = file.layout, error.field
    got = f"`{error.got}`" if error.got else "an empty field"
    column = None if at is None or not file.has_header else file.fields[at]
    is_target = (at is not None and at == file.target_place) or error.code == "target"
    where = "" if at is None else f" in {f'field {at + 1}' if column is None else f'column {column}'}"
    expected, hint = f"{error.expected}{where}", ""
    match error.code:
        case "number" | "target" if is_target:
            what = "target" if layout.task == "regression" else "label"
            expected = "a number as the target" if what == "target" else "a label"
            hint = notation_hint(error.got, layout.decimal)
            if what == "target" and error.line <= 2 and error.got.isalpha():
                hint = (
                    "; the model is for regression"
                    if file.is_known
                    else "; for labels: --task classification"
                )
            if error.code == "target":
                more = ", or name all classes by --classes" if error.got and what == "label" else ""
                hint = f"; remove the rows without a {what}{more}"
        case "number" if error.got and error.got == column:
            hint = _REPEATED
        case "number":
            hint = notation_hint(error.got, layout.decimal) or missing_hint(error.got)
            if column is not None and not file.is_known:
                hint += categories_hint(column)
            elif column is None and file.form == "csv":
                hint += "; text columns need a header with the names of all columns"
            if at == 0 and layout.target == -1 and not file.is_known:
                hint += _target_hint(column or "0")
        case "range" if "float32" in error.expected:
            hint = "; --dtype float64 reads it"
        case "fields":
            got = error.got
            hint = delimiter_hint(file.lines, layout.delimiter)
        case "quotes":
            expected = _QUOTES
        case "utf8":
            hint = ENCODING_HINT
        case "index":
            hint = "; --zero-based yes reads indices that start at 0"
        case "max_index":
            hint = "; --max-features N allows more"
        case "label" | "pair" if ":" not in file.lines[0]:
            hint = "; the lines look like CSV: give --format csv"
    where = f"{file.name}:{error.line}:{error.column}"
    return DataError.at(where, f"expected {expected}, got {got}{hint}")


_REPEATED = "; the line repeats the header: remove it"


def _target_hint(column: str) -> str:
    return f"; if the first column is the target: --target {quote(column)}"


Texts = dict[str, tuple[int, int]]
"""The texts of a column that are no numbers: how often each occurs, and the line of its first occurrence."""


def is_categorical(file: Any, column: str, numbers: int, texts: Texts) -> bool:
    """Return whether a column of a file is categorical: less than half of its values look like numbers.

    Raises
    ------
    DataError
        If half of the values or more look like numbers, but not all are; or if most values are dates.
    """
    if not texts:
        return False
    decimal, count = file.layout.decimal, numbers + sum(times for times, _ in texts.values())
    by_line = sorted(texts, key=lambda text: texts[text][1])
    found = main_notation(chain.from_iterable([text] * texts[text][0] for text in by_line), decimal)
    if found and found[0].needs_many and len(texts) < MANY:
        found = None
    nearly = found[1] if found else 0
    if 2 * (numbers + nearly) >= count:
        text = next((text for text in by_line if found and notation(text, decimal) is found[0]), by_line[0])
        what, hint = f"as in {numbers:,} of {count:,} values, got `{text}`", missing_hint(text)
        if found:
            what = f"got `{text}`, with {found[0].what} as in {nearly:,} of {count:,} values"
            hint = f"; {found[0].in_file}"
        elif by_line == [column]:
            what, hint = f"got `{text}`", _REPEATED
        elif file.fields[0] == column and file.layout.target == -1 and 4 * (count - numbers) >= count:
            hint = _target_hint(column) + hint
        expected = f"expected a number in column {column}, {what}{hint}{categories_hint(column)}"
        raise DataError.at(f"{file.name}:{texts[text][1]}", expected)
    dates = [text for text in by_line if is_date(text)]
    if 2 * sum(texts[text][0] for text in dates) > count:
        raise DataError(
            f"{file.name}: expected numbers or categories in column {column}, got the date or time "
            f"{dates[0]}; convert it to numbers, or give --categorical {quote(column)} to one-hot encode it"
        )
    return True


SHOWN = 20
"""The largest number of classes that are listed or have a table."""


def _fractions(labels: Labels) -> list[float]:
    return [label for label in labels.names if isinstance(label, float) and not label.is_integer()]


def are_fractions(labels: Labels, rows: int) -> bool:
    """Return whether most labels are different fractions, which the native model takes for targets."""
    return 2 * len(_fractions(labels)) > rows


def check_labels(labels: Labels, rows: int, name: str, decimal: str) -> str | None:
    """Return a warning about the first labels of a file, if they are probably regression targets.

    Raises
    ------
    DataError
        If most labels look like dates, or like numbers that are not read.
    """
    names = labels.names
    texts = [label for label in names if isinstance(label, str)]
    got = f"{len(names):,} distinct {'values' if texts else 'numbers'} in {rows:,} rows, such as"
    if texts and (len(names) > SHOWN or 2 * len(names) > rows):
        found, dates = main_notation(texts, decimal), [text for text in texts if is_date(text)]
        what = ""
        if found and 2 * (found[1] + len(names) - len(texts)) > len(names):
            text = next(text for text in texts if notation(text, decimal) is found[0])
            advice = f"{found[0].in_file}, and --task regression predicts numbers"
            what = f"`{text}`, with {found[0].what}; {advice}"
        elif 2 * len(dates) > len(names):
            what = f"`{dates[0]}`, a date or time; --target NAME chooses another column"
        if what:
            each = "--task classification takes each value as a class"
            raise DataError(f"{name}: expected class labels, got {got} {what}; {each}")
    fractions = _fractions(labels)
    if texts or len(names) <= SHOWN:
        return None
    advice = "--task regression predicts numbers, --target NAME chooses another column"
    if 2 * len(fractions) <= len(names) and 2 * len(names) <= rows:
        # Integers may be classes or numbers.
        different = f"the labels are {len(names)} different integers, each a class"
        return f"{different}; if they are numbers: --task regression"
    return f"the labels are {got} {(fractions or names)[0]}, each taken as a class; {advice}"


def listed(names: Iterable[object], most: int = SHOWN) -> str:
    """List the first names for a message."""
    shown = [str(name) for name in names]
    return ", ".join([*shown[:most], *(["..."] if len(shown) > most else [])])


def is_finite_number(text: str) -> bool:
    """Return whether a text is a number, not NaN or infinity."""
    return is_number(text) and isfinite(float(text))


def distinct(names: Sequence[str], name: str) -> None:
    """Raise if a name occurs twice in a header."""
    repeated = [each for each, times in Counter(names).items() if times > 1]
    if repeated:
        raise DataError(f'{name}: expected distinct column names, got two columns named "{repeated[0]}"')
