"""The parameters of a model as options of the command line."""

import re
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable
from typing import Any

from .. import _core
from .._documents import TABLE, is_published, quoted
from .._errors import ParameterError
from .errors import UsageError
from .source import is_rewindable, name_of
from .task import TASKS, Task

DEFAULT_TASK = "classification"

# Sentences of options in addition to the table.
_MORE = {
    "average": "; without a value 0.5",
    "stream_length": "; without it the rows of DATA, times --passes",
}


def add_parameters(command: ArgumentParser, *, without: tuple[str, ...] = (), **budget: Any) -> None:
    """Add the task, the algorithm and its parameters; ``--budget`` is as the command has it."""
    command.add_argument(
        "--task",
        choices=tuple(TASKS),
        help="classification of labels (the default) or regression of targets",
    )
    command.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"one of {', '.join(_core.ALGORITHMS)} (default {_core.Classifier().algorithm})",
    )
    # Parameters that are not given keep the defaults of the algorithm.
    model = command.add_argument_group("the model", argument_default=SUPPRESS)
    model.add_argument("--budget", **budget)
    for name in TABLE:
        if name != "budget" and name not in without:
            model.add_argument(option(name), help=_help(name), **_reading(name))


def _help(name: str) -> str:
    """Return the help of a parameter: its description, its values, and when it applies."""
    row = TABLE[name]
    text = row["description"].split(". ")[0].removesuffix(".").replace("`", "").replace("None", '"none"')
    parts = [text[0].lower() + text[1:] + _MORE.get(name, "")]
    if row["forms"] != [("flag",)]:
        parts.append(_legal(name))
    if row["applies_with"]:
        parts.append(f"for {row['applies_with']}")
    return ("; ".join(parts) + _defaults(name)).replace("%", "%%")


def _defaults(name: str) -> str:
    """Return the default of an option, for the default algorithm and for the other algorithms."""
    # The choices that are a part of the algorithm have its default.
    if name in ("maintenance", "loss"):
        return ""
    usual = TABLE[name]["default"]
    own = [task.native().params for task in TASKS.values()]
    by_task = list(dict.fromkeys(params[name] for params in own if name in params)) or [usual]
    parts = [", for regression ".join(map(_written, by_task))]
    if by_task != [usual] and is_published(name):
        parts.append(f"of the published algorithms {_written(usual)}")
    return "" if parts in (["none"], ["False"]) else f" (default {'; '.join(parts)})"


def _written(value: Any) -> str:
    """Return how a value is written after an option."""
    return "none" if value is None else value if isinstance(value, str) else quoted(value)


def _legal(name: str) -> str:
    """Return the valid values of an option, as text."""
    legal = TABLE[name]["legal"].replace("False, True, ", '"false", ')
    return f'{legal.removesuffix("None")}"none"' if legal.endswith("or None") else legal


def _reading(name: str) -> dict[str, Any]:
    """Return the arguments of `add_argument` that read the value of an option."""
    forms = TABLE[name]["forms"]
    kinds = {kind for kind, *_ in forms}
    if kinds == {"flag"}:
        return {"action": BooleanOptionalAction}
    metavar = "N" if "count" in kinds else "X" if "number" in kinds or "seed" in kinds else "NAME"
    read: dict[str, Any] = {"type": _reader(name), "metavar": metavar}
    # An option that is true or a number is true if no number follows.
    return {**read, "nargs": "?", "const": True} if "bool" in kinds else read


def _reader(name: str) -> Callable[[str], Any]:
    """Return the function that reads the value of an option; the model checks its range."""
    row = TABLE[name]
    kinds = {kind: of for kind, *of in row["forms"]}
    words = [of[0] for kind, *of in row["forms"] if kind == "word"]

    def read(text: str) -> Any:
        if "choice" in kinds or text in words:
            return text
        # None, and False for an option that is true or a number.
        for kind, word, value in (("none", "none", None), ("bool", "false", False)):
            if kind in kinds and text.lower() == word:
                return value
        try:
            value = int(text) if "count" in kinds else float(text)
        except ValueError:
            value = None
        if value is None or ("bool" in kinds and not kinds["number"][0] <= value <= kinds["number"][1]):
            # The argument after an option without a value would be read as its value.
            alone = "; alone it stands before another option" if "bool" in kinds else ""
            raise ArgumentTypeError(f"expected {_legal(name)}, got {text!r}{alone}")
        return value

    return read


def task(args: Namespace) -> Task:
    """Return the task of a new model."""
    return TASKS[args.task or DEFAULT_TASK]


def algorithm(args: Namespace) -> str:
    """Return the named algorithm, or the default of the native class."""
    return args.algorithm or task(args).native().algorithm


def parameters(args: Namespace, rows: int = 1) -> dict[str, Any]:
    """Return the parameters given by options; the others keep the defaults of the algorithm.

    A file has `rows` rows, from which the length of the stream follows if a parameter needs it.
    """
    given = {name: getattr(args, name) for name in TABLE if hasattr(args, name)}
    is_automatic = given.get("rate") == "auto"
    if "stream_length" in given or not (
        is_automatic or given.get("average", "polynomial") not in ("polynomial", False)
    ):
        return given
    if is_rewindable(args.data):
        return {**given, "stream_length": rows * getattr(args, "passes", 1)}
    if is_automatic:
        raise UsageError(
            "--rate auto: expected --stream-length N, the number of rows there will be, "
            f"for {name_of(args.data)} can be read only once"
        )
    return given


def new_learner(args: Namespace, make: Callable[[dict[str, Any]], Any], rows: int) -> Any:
    """Create a learner by `make` from the parameters given by options; a file has `rows` rows.

    Raises
    ------
    UsageError
        If a parameter is invalid, or cannot be combined with another one.
    """
    given = parameters(args, rows)
    try:
        learner = make(given)
    except (ValueError, TypeError, OverflowError) as error:
        raise refused(error) from error
    if args.standardize and learner.params["scaling"] == "online":
        raise UsageError(
            f"--standardize: expected none with {algorithm(args)}, which scales rows itself "
            "(--scaling online); --scaling none takes them as they are"
        )
    return learner


def refused(error: Exception) -> UsageError:
    """Convert an error about a parameter into a `UsageError` about its option."""
    message = re.sub(r"\bNone\b", '"none"', str(error))
    name = error.parameter if isinstance(error, ParameterError) else None
    if name == "algorithm" or name in TABLE:
        return UsageError(option(name) + message.removeprefix(name))
    return UsageError(message)


def option(name: str) -> str:
    """Return the option of a parameter."""
    return f"--{name.replace('_', '-')}"
