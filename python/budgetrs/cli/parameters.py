"""The parameters of a model: some have options, all others are set by ``--set NAME=VALUE``."""

import csv
import json
import re
import warnings
from argparse import Action, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from shlex import quote
from typing import Any, NoReturn

import numpy as np

from .. import _core
from .._errors import ParameterError
from .._table import TABLE, is_published, quoted
from .advice import is_finite_number
from .batch import Batch, Labels, Table, label_of
from .bytes import name_of
from .errors import DataError, UsageError

TASKS: dict[str, Any] = {"classification": _core.Classifier, "regression": _core.Regressor}
"""The native class of each task."""

OPTIONS = ("budget", "scaling", "seed", "missing_values")
"""The parameters that have options."""

Reader = Callable[[str], Any]

_OTHER_NAMES = {
    "alpha": "lambda",
    "algorithm": "method",
    "budget": "max-sv n-support",
    "C0": "lr learning-rate",
    "classes": "class-labels",
    "delimiter": "sep separator",
    "maintenance": "strategy",
    "metric-learning": "metric",
    "passes": "epochs max-iter n-iter",
    "proba": "predict-proba probabilities",
    "scaling": "normalize scale standardize",
    "scores": "decision decision-function",
    "seed": "random-state",
    "target": "label label-column y",
    "task": "regression",
}
NAMES = {other: name for name, others in _OTHER_NAMES.items() for other in others.split()}
"""Options and parameters by other names for them."""

OTHER_OPTIONS = {
    "-C": "did you mean --set C0=VALUE? C0 is the largest step of online-kernel",
    "-b": "did you mean --budget?",
    "-y": "did you mean --target?",
    "--regression": "did you mean --task regression?",
    "--classification": "did you mean --task classification?",
    "--header": "leave it out: a first line with names is read as the header",
    "--no-header": "leave it out: a first line with numbers is read as a row",
    "--threads": "leave it out: training takes one thread, and reading another",
    "--jobs": "leave it out: training takes one thread, and reading another",
    "--verbose": "leave it out: progress is shown on a terminal; -q hides it",
    "-v": "leave it out: progress is shown on a terminal; -q hides it",
}
"""What to do instead of options of other programs."""


def asked(near: str | None) -> str:
    """Return the question about a near name."""
    return f"; did you mean {near}?" if near else ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that means a name, or is most similar in any case of letters; else None."""
    by_lower = {each.lower(): each for each in known}
    if (meant := NAMES.get(name.lower(), "").lower()) in by_lower:
        return by_lower[meant]
    found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.65)
    return by_lower[found[0]] if found else None


def task_of(model: Any) -> str:
    """Return the task of a native model."""
    return next(name for name, native in TASKS.items() if isinstance(model, native))


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Return the function that parses one of some names."""

    def parse(text: str) -> str:
        if text not in names:
            valid = f"{', '.join(names[:-1])} or {names[-1]}"
            near = asked(nearest(text, names))
            raise ArgumentTypeError(f'expected {valid}, got "{text}"{near}')
        return text

    return parse


def _reader(expected: str, read: Reader, advice: Callable[[str], str] = lambda _: "") -> Reader:
    """Return a function that reads an argument; `read` returns None or raises ValueError if it is invalid.

    `advice` returns what an invalid text probably means.
    """

    def parse(text: str) -> Any:
        with suppress(ValueError):
            if (value := read(text)) is not None:
                return value
        raise ArgumentTypeError(f'expected {expected}, got "{text}"{advice(text)}')

    return parse


def integer(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return the function that reads an integer."""

    def read(text: str) -> int | None:
        number = int(text) if text.isascii() and text.isdigit() else least - 1
        return number if least <= number <= (most or number) else None

    return _reader(f"an integer >= {least}" if most is None else f"an integer from {least} to {most:,}", read)


coverage: Reader = _reader(
    "a number from 0.01 to 0.999",
    lambda text: x if 0.01 <= (x := float(text)) <= 0.999 else None,
    lambda text: asked(f"0.{text}") if len(text) == 2 and text.isdigit() else "",
)
"""Reads the coverage of prediction intervals and sets."""


_SIZE = re.compile(r"(\d+)([KMG]?)", re.ASCII)
_INTEGER = re.compile(r"\s*[-+]?\d+\s*")


def _size(text: str) -> int | None:
    found = _SIZE.fullmatch(text.upper())
    return (found and (int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]])) or None


size: Reader = _reader("a number of bytes, such as 500M or 8G", _size)
"""Reads a number of bytes, which may end in K, M or G."""


def budget(text: str) -> int | None:
    """Read a number of support vectors, or none; the model checks its range."""
    return None if text.lower() == "none" else _budget(text)


_budget = _reader("an integer >= 1 or none", int)


def budgets(text: str) -> list[int | None]:
    """Read a comma-separated list of budgets."""
    return [budget(part.strip()) for part in text.split(",")]


def _listed(text: str) -> tuple[str, ...] | None:
    found = tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))
    return found if found and all(found) else None


names: Reader = _reader("column names separated by commas", _listed)
missing_values: Reader = _reader("values separated by commas", _listed)


def as_labels(texts: Iterable[str]) -> list[Any]:
    """Return labels from their texts: numbers if all are."""
    texts = list(texts)
    labels = [label_of(text.strip()) for text in texts]
    return [text.strip() for text in texts] if any(isinstance(label, str) for label in labels) else labels


def _classes(text: str) -> np.ndarray | None:
    found = list(dict.fromkeys(as_labels(filter(str.strip, text.split(",")))))
    return np.array(found) if len(found) > 1 else None


classes: Reader = _reader("two or more labels separated by commas", _classes)


def delimiter(text: str) -> str:
    """Read the field separator of CSV."""
    text = {"\\t": "\t", "tab": "\t"}.get(text, text)
    try:
        _core.Reader("csv", delimiter=text)
    except ValueError as error:
        raise ArgumentTypeError(str(error).removeprefix("delimiter ")) from None
    return text


def _target(text: str) -> int | str | None:
    return int(text) if _INTEGER.fullmatch(text) else text.strip() or None


target: Reader = _reader("the name or the number of a column", _target)
"""Reads the number of a column, or its name."""


_DICT = re.compile(r"a dict of ([^,]*)")
_CONSTANTS = {"true": True, "false": False, "none": None}
_CONSTANT = re.compile(r"\b(None|True|False)\b")
_ASSIGNED = re.compile(r"\b(\w+) ?= ?(\"[\w-]+\"|[\w.]+)")

# Sentences in addition to the table.
_MORE = {"stream_length": "; by default, if DATA is a file, the number of rows learned in all passes"}


def settable(*, without: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the parameters that ``--set`` takes."""
    return tuple(name for name in TABLE if name not in (*OPTIONS, *without))


def setting(command: str, names: tuple[str, ...]) -> Callable[[str], tuple[str, Any]]:
    """Return the function that reads ``NAME=VALUE`` for a command, whose parameters are `names`."""

    def read(text: str) -> tuple[str, Any]:
        given, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not given or not value:
            raise UsageError(f'--set: expected NAME=VALUE, such as --set gamma=0.1, got "{text}"')
        name = given.replace("-", "_")
        if name in names:
            is_word = TABLE[name]["forms"][0][0] == "choice"
            return name, value if is_word else _value(value)
        return _unknown(command, given, value, names)

    return read


def _unknown(command: str, given: str, value: str, names: tuple[str, ...]) -> NoReturn:
    """Raise the error of an unknown parameter, with the nearest name."""
    options = [*OPTIONS, "task", "algorithm", "classes", "target", *(["passes"] * (command == "train"))]
    name = given.replace("_", "-")
    if (near := NAMES.get(name, name)).replace("-", "_") in options:
        what = f"{near} has an option: use --{near} {value}"
    elif given in TABLE:
        what = f"{given} cannot be combined with {command}"
    else:
        known = nearest(name, [each.replace("_", "-") for each in names])
        advice = asked(known and known.replace("-", "_"))
        what = f'unknown parameter {given}{advice} (see "budgetrs {command} --help-all")'
    raise UsageError(f"--set {given}={value}: {what}")


def _value(text: str) -> Any:
    """Read a value, which the model checks: a constant, a number, a JSON object of labels, or text."""
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    with suppress(ValueError, AttributeError):
        weights = json.loads(text)
        return dict(zip(as_labels(weights), weights.values(), strict=True))
    return text


def described(names: tuple[str, ...]) -> list[Action]:
    """Return the parameters as arguments of a parser, for its help."""
    return [Action([], dest=name, metavar=name, help=_help(name)) for name in names]


def _help(name: str) -> str:
    """Return the help of a parameter: its description, its values, when it applies, and its default."""
    row = TABLE[name]
    text = row["description"].split(". ")[0].removesuffix(".").replace("`", "")
    parts = [_in_lower_case(text[0].lower() + text[1:]) + _MORE.get(name, ""), _valid(name)]
    if row["applies_with"]:
        parts.append(f"for {_in_lower_case(row['applies_with'])}")
    return ("; ".join(parts) + _defaults(name)).replace("%", "%%")


def _defaults(name: str) -> str:
    """Return the default of a parameter, for the default algorithm and for the other algorithms."""
    # The choices that are a part of the algorithm have its default; a sentence of `_MORE` says the default.
    if name in ("maintenance", "loss", *_MORE):
        return ""
    usual = TABLE[name]["default"]
    own = [native().params for native in TASKS.values()]
    by_task = list(dict.fromkeys(params[name] for params in own if name in params)) or [usual]
    parts = [", for regression ".join(map(written, by_task))]
    if by_task != [usual] and is_published(name):
        parts.append(f"of the published algorithms {written(usual)}")
    return f" (default {'; '.join(parts)})"


def written(value: Any) -> str:
    """Return how the value of a parameter is written on the command line."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else quoted(value)


def _valid(name: str) -> str:
    """Return the valid values of a parameter, as text; a dict is a JSON object."""
    return _in_lower_case(_DICT.sub(r'a JSON object of \1, such as {"a": 2}', TABLE[name]["valid"]))


def _in_lower_case(text: str) -> str:
    """Return a text with None, True and False as the command line writes them."""
    return _CONSTANT.sub(lambda found: found[0].lower(), text)


def option(name: str) -> str:
    """Return the option of an argument or of a parameter."""
    return f"--set {name}" if name in TABLE and name not in OPTIONS else f"--{name.replace('_', '-')}"


def in_options(text: str) -> str:
    """Return a message of a native class with options in place of arguments of Python."""

    def given(found: re.Match[str]) -> str:
        if found[1] not in TABLE and found[1] != "algorithm":
            return found[0]
        way = option(found[1])
        return f"{way}{'=' if way.startswith('--set') else ' '}{found[2].strip(chr(34))}"

    text = _ASSIGNED.sub(given, text.removeprefix("Classifier: ").removeprefix("Regressor: "))
    return f"--{text.replace('_', '-', 1)}" if text.startswith("max_memory ") else text


def new_model(args: Namespace, rows: Callable[[], int] | None = None) -> Any:
    """Return an untrained model with the parameters that the arguments give; of `compare` several models.

    Some parameters need the length of the stream: `rows` counts the rows of a file; None for a pipe.
    """
    given = dict(args.settings)
    if args.scaling is not None:
        given["scaling"] = args.scaling
    if numbers := [float(text) for text in args.missing_values if is_finite_number(text)]:
        given["missing_values"] = numbers
    given |= {name: getattr(args, name) for name in ("budget", "seed") if hasattr(args, name)}
    is_automatic = given.get("rate") == "auto"
    needs_rows = is_automatic or given.get("average", "polynomial") not in ("polynomial", False)
    if needs_rows and "stream_length" not in given:
        if rows is not None:
            given["stream_length"] = rows() * (getattr(args, "passes", None) or 1)
        elif is_automatic:
            raise UsageError(
                "--set rate=auto: expected --set stream_length=N too, the number of rows of the stream, "
                f"because {name_of(args.data)} can be read only once"
            )
    try:
        return args.make(args, given)
    except (ValueError, TypeError, OverflowError) as error:
        raise rejected(error) from error


_IN_SHELL = {
    "a name in budgetrs.ALGORITHMS": "an algorithm (train --help-all lists all)",
    'OnlineKernelClassifier ("online-kernel")': "online-kernel",
    'OnlineKernelRegressor ("online-kernel")': "online-kernel",
    "BSGDClassifier": "bsgd-merge",
    "BSGDRegressor": "bsgd-merge",
}
"""What messages about parameters say of Python, in words of the command line."""


def rejected(error: Exception) -> UsageError:
    """Convert an error about a parameter into a `UsageError` about its option."""
    message = _in_lower_case(str(error))
    for python, shell in _IN_SHELL.items():
        message = message.replace(python, shell)
    name = error.parameter if isinstance(error, ParameterError) else None
    if name == "algorithm" or name in TABLE:
        return UsageError(f"{option(name)}{message.removeprefix(name)}")
    return UsageError(message)


@contextmanager
def warnings_shown(shown: Any, known: set[str], *more: str | None) -> Iterator[None]:
    """Show the warnings of native methods, and `more` after them, unless they are `known`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for given in filter(None, [*(each.message for each in caught), *more]):
        text = getattr(given, "shell", "") or in_options(str(given))
        key = getattr(given, "column", "") or text
        if key not in known:
            known.add(key)
            shown.warn(text)


def located(name: str, batch: Batch, error: Exception, model: Any) -> DataError:
    """Convert an error of a native method about a batch of the file `name` into one with FILE:LINE."""
    row, about = (error.row, error.parameter) if isinstance(error, ParameterError) else (None, None)
    where = batch.where(row or 0)
    if about == "X" and row is not None and (column := batch.missing_in(row)) is not None:
        return DataError.at(
            where,
            f"expected a number in column {column}, got a missing value; --scaling online --set "
            "missing=mean replaces it by the mean, and so does --algorithm online-kernel",
        )
    # The command line has no `add_features`.
    text = in_options(str(error)).partition("; learn(")[0]
    text = text.replace(f" at row {row}", "", 1).replace("X must have", "expected")
    if about == "y":
        what = "targets" if isinstance(model, _core.Regressor) else "labels"
        text = f"the {what} {text.removeprefix('y ')}"
        if "Regressor" in text:
            return DataError(
                f"{name}: expected class labels, got fractions; --task regression predicts numbers, "
                "--target NAME chooses another column"
            )
        if row is not None and isinstance(batch.y, Labels):
            if text.startswith("the labels contains"):
                classes = ", ".join(map(str, getattr(model, "classes_", ())))
                got = batch.y.names[batch.y.codes[row]]
                text = f"expected one of the classes {classes} (--classes), got {got}"
            text += "; --classes A,B,... names all classes"
    elif isinstance(batch.X, Table) and row is None and about == "X":
        new = set(batch.X.names).difference(getattr(model, "feature_names_in_", batch.X.names))
        hint = f"; if this is the target: --target {quote(*new)}" if len(new) == 1 else ""
        return DataError(f"{name}: {text}{hint}")
    return DataError.at(where, text.removeprefix("X "))
