"""The parameters of a model as options of the command line."""

import re
from argparse import SUPPRESS, ArgumentParser, Namespace
from typing import Any

from .. import _core
from . import values
from .errors import UsageError
from .source import is_rewindable, name_of
from .task import TASKS

_OPTIONS: dict[str, dict[str, Any]] = {
    "maintenance": {"metavar": "NAME", "help": "instead of the algorithm's own, e.g. random, project"},
    "n_neighbors": {
        "type": int,
        "metavar": "N",
        "help": 'with maintenance "nn" (default 1) or "project-nn" (default 4), how many',
    },
    "newcomer_may_leave": {
        "action": "store_true",
        "help": 'with maintenance "simple", where that costs less',
    },
    "rate": {
        "type": values.rate,
        "metavar": "X",
        "help": "NBSGD's beta: over budget, maintenance is due with probability X / t at row t; "
        '"auto" is 0.6 times the rows there will be',
    },
    "max_size": {
        "type": int,
        "metavar": "N",
        "help": "with --rate, most support vectors (default: no limit)",
    },
    "loss": {
        "metavar": "NAME",
        "help": "of classes hinge, of passive-aggressive rules squared_hinge or ramp, of SGD log_loss; "
        "of numbers epsilon_insensitive, of SGD squared_error, absolute_error, huber or quantile",
    },
    "epsilon": {
        "type": float,
        "metavar": "X",
        "help": "of epsilon_insensitive: smaller residuals cost nothing (default 0.1)",
    },
    "delta": {
        "type": float,
        "metavar": "X",
        "help": "of huber: the residual from which it is linear (default 1)",
    },
    "quantile": {"type": float, "metavar": "X", "help": "of quantile: which one, in (0, 1) (default 0.5)"},
    "alpha": {"type": float, "metavar": "X", "help": "regularisation, the papers' lambda (default 1e-4)"},
    "ball": {"action": "store_true", "help": "project on the ball after each update"},
    "average": {
        "type": values.average,
        "nargs": "?",
        "const": True,
        "metavar": "X",
        "help": "predict by the mean of the models of the last share X of the rows (0.001 to 1; without X "
        '0.5), or by one of the later half that is drawn ("random"); what is removed is lost to the mean: '
        "it goes with projection",
    },
    "stream_length": {
        "type": values.positive,
        "metavar": "N",
        "help": "rows there will be, for --rate auto and --average (default: those of DATA, times --passes)",
    },
    "grad_tol": {
        "type": float,
        "metavar": "X",
        "help": "of log_loss: shorter derivatives are none (default 1e-3)",
    },
    "C": {
        "type": float,
        "metavar": "X",
        "help": "cap on passive-aggressive steps and those of MIRA (default 1)",
    },
    "margin": {
        "type": float,
        "metavar": "X",
        "help": "Crammer's beta, of Perceptron and MIRA (default 0 or 0.01)",
    },
    "eta": {
        "type": float,
        "metavar": "X",
        "help": "largest distance that Projectrons project (default 0.3)",
    },
    "eta0": {"type": float, "metavar": "X", "help": "step of bogd (default 0.2)"},
    "clip": {
        "type": float,
        "metavar": "X",
        "help": "largest coefficient of bogd, in steps (default 10)",
    },
    "kernel": {"metavar": "NAME", "help": "rbf (default), laplacian, poly, linear, sigmoid or cosine"},
    "gamma": {"type": values.gamma, "metavar": "X", "help": 'number, "scale" (default) or "auto"'},
    "degree": {"type": int, "metavar": "N", "help": "of poly (default 3)"},
    "coef0": {"type": float, "metavar": "X", "help": "of poly and sigmoid (default 0)"},
    "seed": {"type": int, "metavar": "N", "help": "of all random choices (default 0)"},
}

PARAMETERS = ("budget", *_OPTIONS)
"""The names of all options that are parameters of the model."""


def add_parameters(command: ArgumentParser, *, without: tuple[str, ...] = (), **budget: Any) -> None:
    """Add the task, the algorithm and its parameters; ``--budget`` is as the command has it."""
    command.add_argument(
        "--task",
        choices=tuple(TASKS),
        default="classification",
        help="classification of labels (the default) or regression of targets",
    )
    defaults = ", for regression ".join(task.algorithm for task in TASKS.values())
    command.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"one of {', '.join(_core.ALGORITHMS)} (default {defaults})",
    )
    # Parameters that are not given keep the defaults of the algorithm.
    model = command.add_argument_group("the model", argument_default=SUPPRESS)
    model.add_argument("--budget", **budget)
    for name, how in _OPTIONS.items():
        if name not in without:
            model.add_argument(_option(name), **how)


def algorithm(args: Namespace) -> str:
    """Return the named algorithm, or the default of the task."""
    return args.algorithm or TASKS[args.task].algorithm


def parameters(args: Namespace, rows: int = 1) -> dict[str, Any]:
    """Return the parameters given by options; the others keep the defaults of the algorithm.

    If a parameter needs the length of the stream, it is that of a file with `rows` rows.
    """
    given = {name: getattr(args, name) for name in PARAMETERS if hasattr(args, name)}
    is_automatic = given.get("rate") == "auto"
    if "stream_length" in given or not (is_automatic or "average" in given):
        return given
    if is_rewindable(args.data):
        return {**given, "stream_length": rows * getattr(args, "passes", 1)}
    if is_automatic:
        raise UsageError(
            "--rate auto: expected --stream-length N, the number of rows there will be, "
            f"for {name_of(args.data)} can be read only once"
        )
    return given


def refused(error: Exception) -> UsageError:
    """Convert an error about a parameter into a `UsageError` about its option."""
    message = str(error)
    if unknown := re.match(r'unexpected keyword argument "(\w+)"; the parameters of (.*) are (.*)', message):
        name, of, legal = unknown.groups()
        return UsageError(f"{_option(name)}: no parameter of {of}, which has {legal}")
    named = re.match(r"(\w+)(?= must | = )", message)
    if named and named[1] in ("algorithm", *PARAMETERS):
        return UsageError(f"{_option(named[1])}{message[named.end() :]}")
    return UsageError(message)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
