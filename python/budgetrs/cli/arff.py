"""ARFF, the format of WEKA and MOA, as CSV or LIBSVM text with the same line numbers.

The readers of CSV and LIBSVM text parse the rows; only quotes, comments and sparse rows are rewritten here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .errors import DataError
from .labels import class_array, label_of
from .number_text import is_number
from .source import Source

_MOST_LINES = 1 << 24
_NUMERIC = ("numeric", "real", "integer")
# Possessive repetitions do not try shorter runs: rows of any length take linear time and constant memory.
_QUOTED = r"'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\""
_ATTRIBUTE = re.compile(rf"@attribute\s++({_QUOTED}|[^\s{{]++)(.*)", re.IGNORECASE | re.DOTALL)
_VALUE = re.compile(rf"\s*+((?:{_QUOTED})\s*+|[^,]*+)(?:,|$)")
_FIELD = re.compile(rf"[ \t]*+((?:{_QUOTED})[ \t]*+|[^,%]*+)(,|$|%)")
_ENTRY = re.compile(rf"\s*+(\d{{1,9}})\s++((?:{_QUOTED})\s*+|[^,]*+)(?:,\s*+|$)")
_SPECIAL = re.compile(rb"[%'\"{\\\t]|,[ \t\r]*+$", re.MULTILINE)
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Attribute:
    """A column: its name, its type in lower case, and the values of a nominal column."""

    name: str
    kind: str
    values: tuple[str, ...] = ()

    @property
    def default(self) -> str:
        """The value that a sparse row leaves out."""
        return self.values[0] if self.values else "0"

    @property
    def is_number(self) -> bool:
        """Whether values are numbers in sparse rows: a nominal column of numbers is a column of numbers."""
        return self.kind in _NUMERIC or (self.kind == "nominal" and all(map(is_number, self.values)))


class Arff:
    """The header of an ARFF file, and its rows as CSV, or as LIBSVM text if they are sparse numbers.

    It has the methods of `Source` that the readers of text call.
    """

    def __init__(self, source: Source, target: int | str) -> None:
        self.name: str = source.name
        self._source = source
        source.take_returns()
        self.attributes: list[Attribute] = []
        self._n_header, first = self._header()
        count = len(self.attributes)
        index: int | None = None
        if isinstance(target, str):
            index = self.names.index(target) if target in self.names else None
        elif -count <= target < count:
            index = target % count
        self._target: int | None = index
        self._is_sparse = first.startswith("{")
        features = [each for i, each in enumerate(self.attributes) if i != index]
        is_numeric = all(each.is_number for each in features)
        self.format: str = "libsvm" if self._is_sparse and is_numeric and index is not None else "csv"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [each.name for each in self.attributes]

    @property
    def categorical(self) -> set[str]:
        """The names of the feature columns that are not numbers."""
        columns = enumerate(self.attributes)
        return {each.name for i, each in columns if i != self._target and each.kind not in _NUMERIC}

    @property
    def dates(self) -> set[str]:
        """The names of the columns of dates."""
        return {
            each.name for i, each in enumerate(self.attributes) if i != self._target and each.kind == "date"
        }

    @property
    def classes(self) -> Any:
        """The classes that the header declares; None if the target is not nominal."""
        if self._target is None or not self.attributes[self._target].values:
            return None
        return class_array(map(label_of, self.attributes[self._target].values))

    def first_line(self) -> bytes:
        """Return the names of the columns as a line of CSV."""
        return ",".join(map(_quoted, self.names)).encode("utf-8", "surrogateescape")

    def blocks(self) -> Iterator[tuple[bytes, bool]]:
        """Yield blocks of whole lines, each with whether it is the last."""
        line = 0
        for text, is_last in self._source.blocks():
            before, rest = [], text
            while line < self._n_header and rest:
                _, _, rest = rest.partition(b"\n")
                line += 1
                is_data = line == self._n_header and self.format == "csv"
                before.append(self.first_line() if is_data else b"")
            if rest and (self._is_sparse or _SPECIAL.search(rest)):
                lines = rest.split(b"\n")
                rest = b"\n".join(
                    [self._rewritten(each, number) for number, each in enumerate(lines, line + 1)]
                )
                line += len(lines) - 1
            else:
                line += rest.count(b"\n")
            yield b"\n".join([*before, rest]), is_last

    def _header(self) -> tuple[int, str]:
        """Read the attributes; return the number of lines of the header, and the first row."""
        lines = enumerate(self._source.lines(_MOST_LINES), 1)
        for number, raw in lines:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8", "surrogateescape").strip()
            word = line.split(None, 1)[0].lower() if line else ""
            if word == "@data":
                if not self.attributes:
                    raise self._error(number, "attributes before @data, got none")
                rows = (row.decode("utf-8", "replace").strip() for _, row in lines)
                return number, next((row for row in rows if row and row[0] != "%"), "")
            if word == "@attribute":
                self.attributes.append(self._attribute(line, number))
            elif word and word[0] != "%" and word != "@relation":
                raise self._error(number, f"@relation, @attribute or @data, got {line[:40]!r}")
        raise DataError(f"{self.name}: expected an ARFF file with @data, got none")

    def _attribute(self, line: str, number: int) -> Attribute:
        found = _ATTRIBUTE.fullmatch(line)
        if found is None:
            raise self._error(number, f"@attribute NAME TYPE, got {line[:40]!r}")
        name, kind = _plain(found[1]), found[2].strip()
        if kind.startswith("{"):
            end = kind.rfind("}")
            values = _values(kind[1:end])
            if end < 0 or not values:
                raise self._error(number, f"values in braces for attribute {name}, got {kind[:40]!r}")
            return Attribute(name, "nominal", values)
        word = kind.split(None, 1)[0].lower() if kind else "no type"
        if word not in (*_NUMERIC, "string", "date"):
            raise self._error(
                number,
                f"numeric, real, integer, string or nominal values in braces as the type of attribute "
                f"{name}, got {word}",
            )
        return Attribute(name, word)

    def _rewritten(self, raw: bytes, number: int) -> bytes:
        line = raw.decode("utf-8", "surrogateescape").strip()
        if not line or line[0] == "%":
            return b""
        fields = self._sparse(line, number) if self._is_sparse else self._dense(line, number)
        return (
            fields.encode("utf-8", "surrogateescape")
            if isinstance(fields, str)
            else (",".join(map(_quoted, fields)).encode("utf-8", "surrogateescape"))
        )

    def _dense(self, line: str, number: int) -> list[str]:
        """Return the fields of a dense row, which may be separated by tabs and end with a comma."""
        if _has_weight(line):
            raise self._error(
                number,
                f"a row without a weight, got {line[-40:]!r}; remove the weights, which are not read",
            )
        is_tabbed = "," not in line and len(self.attributes) > 1
        fields = _fields(",".join(filter(None, line.split("\t"))) if is_tabbed else line)
        # MOA ends rows with a comma.
        return fields[:-1] if len(fields) == len(self.attributes) + 1 and not fields[-1] else fields

    def _sparse(self, line: str, number: int) -> str | list[str]:
        """Return a sparse row as a row of LIBSVM text, or as the fields of a dense row."""
        entries, at = {}, 1
        end = line.rfind("}")
        while at < end:
            found = _ENTRY.match(line, at, end)
            if found is None or not found[2].strip() or int(found[1]) >= len(self.attributes):
                most, got = len(self.attributes) - 1, line[at : at + 40]
                raise self._error(number, f"INDEX VALUE with an index from 0 to {most}, got {got!r}")
            if int(found[1]) in entries:
                raise self._error(number, f"each index once in a row, got index {found[1]} again")
            entries[int(found[1])] = _plain(found[2])
            at = found.end()
        if line[0] != "{" or line[end + 1 :].strip()[:1] not in ("", "%"):
            raise self._error(number, f"a sparse row in braces, got {line[:40]!r}")
        if self.format == "csv":
            return [entries.get(i, each.default) for i, each in enumerate(self.attributes)]
        target = self._target
        assert target is not None
        label = entries.pop(target, self.attributes[target].default)
        pairs = " ".join(f"{i + (i < target)}:{value}" for i, value in sorted(entries.items()))
        return f"{label} {pairs}"

    def _error(self, number: int, expected: str) -> DataError:
        return DataError(f"{self.name}:{number}: expected {expected}", located=True)


def _values(text: str) -> tuple[str, ...]:
    """Return the values of a nominal column."""
    return tuple(_plain(value[1]) for value in _VALUE.finditer(text) if value[1].strip())


def _fields(line: str) -> list[str]:
    """Return the fields of a dense row."""
    fields = []
    for found in _FIELD.finditer(line):
        fields.append(_plain(found[1]))
        if found[2] != ",":
            break
    return fields


def _has_weight(line: str) -> bool:
    """Return whether a dense row ends with a weight in braces."""
    _, brace, weight = line.rpartition("{")
    return bool(brace) and weight.endswith("}") and is_number(weight[:-1].strip())


def _plain(text: str) -> str:
    """Return a text without blanks around it, quotes and escapes."""
    text = text.strip()
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        return _ESCAPED.sub(r"\1", text[1:-1]).strip()
    return text


def _quoted(text: str) -> str:
    """Return a field of CSV."""
    if text and not set(text) & set(',"\n\t '):
        return text
    return '"' + text.replace('"', '""') + '"'
