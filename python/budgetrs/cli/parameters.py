"""The parameters of a model: some have options, all others are set by ``--set NAME=VALUE``."""

import json
import re
from argparse import Action, Namespace
from collections.abc import Callable
from typing import Any

from .._errors import ParameterError
from .._table import TABLE, is_published, quoted
from .errors import UsageError
from .labels import label_of
from .number_text import is_number
from .source import is_rewindable, name_of
from .spelling import NAMES, asked, nearest
from .task import TASKS, Task

DEFAULT_TASK = "classification"

OPTIONS = ("budget", "scaling", "seed", "missing_values")
"""The parameters that have options."""

SCALINGS = ("online", "fixed", "none")
"""The values of ``--scaling``; "fixed" is the mean and deviation of the scanned rows."""

_DICT = re.compile(r"a dict of ([^,]*)")
_CONSTANT = re.compile(r"\b(None|True|False)\b")

# Sentences in addition to the table.
_MORE = {"stream_length": "; by default, if DATA is a file, the number of rows learned in all passes"}


def settable(*, without: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the parameters that ``--set`` takes."""
    return tuple(name for name in TABLE if name not in (*OPTIONS, *without))


def setting(command: str, names: tuple[str, ...]) -> Callable[[str], tuple[str, Any]]:
    """Return the function that reads ``NAME=VALUE`` for a command, whose parameters are `names`."""

    def read(text: str) -> tuple[str, Any]:
        given, equals, value = (part.strip() for part in text.partition("="))
        name = given.replace("-", "_")
        if not equals or not name or not value:
            raise UsageError(f'--set: expected NAME=VALUE, such as --set gamma=0.1, got "{text}"')
        if name not in names:
            raise _unknown(command, given, value, names)
        return name, _value(name, value)

    return read


def _unknown(command: str, given: str, value: str, names: tuple[str, ...]) -> UsageError:
    """Return the error of an unknown parameter, with the nearest name."""
    options = (
        *OPTIONS,
        "task",
        "algorithm",
        "classes",
        "target",
        *(["passes"] if command == "train" else []),
    )
    name = given.replace("_", "-")
    if (near := NAMES.get(name, name)).replace("-", "_") in options:
        return UsageError(f"--set {given}={value}: {near} has an option: use --{near} {value}")
    if given in TABLE:
        return UsageError(f"--set {given}={value}: {given} cannot be combined with {command}")
    known = nearest(name, [each.replace("_", "-") for each in names])
    see = f'(see "budgetrs {command} --help-all")'
    return UsageError(
        f"--set {given}={value}: unknown parameter {given}{asked(known and known.replace('-', '_'))} {see}"
    )


def _value(name: str, text: str) -> Any:
    """Read the value of a parameter; the model checks its range."""
    forms = TABLE[name]["forms"]
    kinds, words = {kind for kind, *_ in forms}, [of[0] for kind, *of in forms if kind == "word"]
    if "choice" in kinds or text in words:
        return text
    if "label_weights" in kinds and text.startswith("{"):
        return _label_weights(name, text)
    lower = text.lower()
    if kinds & {"flag", "bool"} and lower in ("true", "false"):
        return lower == "true"
    if "none" in kinds and lower == "none":
        return None
    try:
        if "count" in kinds:
            return int(text)
        if "number" in kinds:
            return float(text)
    except ValueError:
        pass
    raise UsageError(f"--set {name}: expected {_valid(name)}, got {text!r}")


def _label_weights(name: str, text: str) -> dict[Any, float]:
    """Read the weights of labels from a JSON object; labels are numbers if all are."""
    try:
        weights = {key.strip(): float(value) for key, value in json.loads(text).items()}
    except (TypeError, ValueError):
        raise UsageError(f"--set {name}: expected {_valid(name)}, got {text!r}") from None
    labels = [label_of(key) for key in weights]
    are_text = any(isinstance(label, str) for label in labels)
    return dict(zip(weights if are_text else labels, weights.values(), strict=True))


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
    own = [task.native().params for task in TASKS.values()]
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


def task(args: Namespace) -> Task:
    """Return the task of a new model."""
    return TASKS[args.task or DEFAULT_TASK]


def algorithm(args: Namespace) -> str:
    """Return the named algorithm, or the default of the native class."""
    return args.algorithm or task(args).native().algorithm


def is_fixed(args: Namespace) -> bool:
    """Whether rows are scaled by the mean and deviation of the scanned rows."""
    return args.scaling == "fixed"


def given_parameters(args: Namespace) -> dict[str, Any]:
    """Return the parameters of the arguments; the others keep the defaults of the algorithm."""
    given = dict(args.settings)
    if args.scaling is not None:
        given["scaling"] = "none" if is_fixed(args) else args.scaling
    if numbers := missing_numbers(args):
        given["missing_values"] = list(numbers)
    return {**given, **{name: getattr(args, name) for name in ("budget", "seed") if hasattr(args, name)}}


def missing_numbers(args: Namespace) -> tuple[float, ...]:
    """Return the numbers among the values of ``--missing-values``; the model treats them as missing."""
    return tuple(float(text) for text in args.missing_values if is_number(text))


def parameters(args: Namespace, rows: int = 1) -> dict[str, Any]:
    """Return the parameters of the arguments, and the length of the stream if one of them needs it.

    The length is the `rows` rows of a file, times the passes.
    """
    given = given_parameters(args)
    is_automatic = given.get("rate") == "auto"
    if "stream_length" in given or not (
        is_automatic or given.get("average", "polynomial") not in ("polynomial", False)
    ):
        return given
    if is_rewindable(args.data):
        return {**given, "stream_length": rows * (getattr(args, "passes", None) or 1)}
    if is_automatic:
        raise UsageError(
            "--set rate=auto: expected --set stream_length=N too, the number of rows of the stream, because "
            f"{name_of(args.data)} can be read only once"
        )
    return given


def new_learner(args: Namespace, make: Callable[[dict[str, Any]], Any], rows: int) -> Any:
    """Return ``make(parameters)``, with the parameters that the arguments give.

    `rows` is the number of rows of the file, from which the length of the stream follows.

    Raises
    ------
    UsageError
        If a parameter is invalid, or cannot be combined with another one.
    """
    given = parameters(args, rows)
    try:
        return make(given)
    except (ValueError, TypeError, OverflowError) as error:
        raise rejected(error) from error


def rejected(error: Exception) -> UsageError:
    """Convert an error about a parameter into a `UsageError` about its option."""
    message = _in_lower_case(str(error)).replace(
        "a name in budgetrs.ALGORITHMS", "an algorithm (train --help-all lists all)"
    )
    name = error.parameter if isinstance(error, ParameterError) else None
    if name == "algorithm" or name in TABLE:
        return UsageError(f"{option(name)}{message.removeprefix(name)}")
    return UsageError(message)


def option(name: str) -> str:
    """Return the option of an argument or of a parameter."""
    return f"--set {name}" if name in TABLE and name not in OPTIONS else f"--{name.replace('_', '-')}"
