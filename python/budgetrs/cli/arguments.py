"""The command line's arguments, and the nearest names for mistakes in them."""

import argparse
import re
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from textwrap import fill, wrap
from typing import Any, NoReturn

from .. import _core
from . import compare, demo, info, parameters, plot, predict, train
from . import parameters as values
from .errors import UsageError
from .files import FORMATS
from .parameters import TASKS, asked, nearest

_DTYPES = ("float32", "float64")

DATA = """
DATA is a CSV, LIBSVM, Parquet, Arrow (Feather), .npy or .npz file, or "-" for standard input. Text may
be compressed (gzip, xz, bzip2 or zstd). Text columns are one-hot encoded.
"""

TRAIN = """
The model learns the rows in the order of the file and is saved at the end, or on Ctrl-C. If the order means
nothing, give --shuffle: several passes in random order are more accurate. Rows that are sorted by label must
be shuffled.
"""

COMPARE = """
One pass over DATA trains one model per budget. Each model predicts each row before learning it. The share of
wrong predictions is the progressive error; in regression it is the mean absolute error. The output is the
error of each budget, the budget with the lowest error, and the smallest budget whose error is within one
standard error of the lowest.
"""

SCORE = """
DATA has the same columns as the training data; LIBSVM data may have more features.
"""

EVALUATE = """
Classification reports accuracy, balanced accuracy, macro F1 and the confusion matrix, the AUC for two
classes, and the log loss of models with probabilities. Regression reports RMSE, MAE and R^2.
"""

PLOT = """
A model of one feature is drawn as a curve, a model of two features as decision regions or contours with its
support vectors. For more features the picture shows the importance of each feature, or, for a model without
a learned metric, the weights of the support vectors.
"""

EXIT_CODES = """
Exit codes: 0 success; 1 invalid data; 2 invalid arguments; 3 the model file cannot be read or written;
130 stopped by Ctrl-C, 143 by SIGTERM.
"""

WHICH = """
Which algorithm?

  online-kernel   the default: no feature scaling, no tuning, adapts to drift,
                  probabilities
  bsgd-merge      sparse rows with thousands of features; probabilities with
                  loss=log_loss; quantile regression with loss=quantile
  bpa-nn          regression on sparse rows with thousands of features
  pegasos, pa     no budget: memory grows with the data

"budgetrs train --help-all" lists all algorithms and parameters.
"""

EXAMPLES = {
    "train": "budgetrs train data.csv --budget 200 --test test.csv -o model",
    "compare": "budgetrs compare data.csv --budget 50,100,200 --figure curves.png",
    "predict": "budgetrs predict model new.csv -o labels.txt",
    "evaluate": "budgetrs evaluate model test.csv",
    "info": "budgetrs info model",
    "plot": "budgetrs plot model -o model.png --data data.csv",
    "demo": "budgetrs demo --rows 100000 -o demo",
}
"""An example of each command."""

_COMMANDS = {
    "classify": "predict",
    "describe": "info",
    "fit": "train",
    "learn": "train",
    "score": "evaluate",
    "show": "info",
    "test": "evaluate",
}

_NUMBER = re.compile(r"-(\d+|\d*\.\d+)")
_START_OF_NUMBER = re.compile(r"-[\d.]")


class _Formatter(argparse.HelpFormatter):
    """Wraps each paragraph of a description separately, except indented ones, and never at a hyphen."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        options: Any = {"width": width, "initial_indent": indent, "subsequent_indent": indent}
        return "\n\n".join(
            part.rstrip()
            if part.startswith("  ")
            else fill(" ".join(part.split()), break_on_hyphens=False, **options)
            for part in text.strip("\n").split("\n\n")
        )


class _Parser(argparse.ArgumentParser):
    """Raises a `UsageError`, whose message is one line: the usage of a command is longer than a screen."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, formatter_class=_Formatter, allow_abbrev=False, **options)
        self._hidden: dict[argparse.Action, str] = {}

    def error(self, message: str) -> NoReturn:
        required = message.removeprefix("the following arguments are required: ")
        if required != message:
            raise UsageError(f'missing {required} (see "{self.prog} --help")')
        message = message.removeprefix("argument ").replace("expected one argument", "expected a value")
        raise UsageError(message.replace(": not allowed with argument", " cannot be combined with"))

    def hide(self, action: argparse.Action) -> None:
        """Show an option in the help of ``--help-all`` only."""
        self._hidden[action] = action.help or ""
        action.help = argparse.SUPPRESS

    def format_everything(self) -> str:
        """Return the help with all options, and the parameters that ``--set`` takes."""
        for action, text in self._hidden.items():
            action.help = text
        formatter = self._get_formatter()
        formatter.start_section("algorithms for --algorithm NAME")
        formatter.add_text(", ".join(_core.ALGORITHMS))
        formatter.end_section()
        formatter.start_section("parameters for --set NAME=VALUE")
        formatter.add_arguments(parameters.described(self.get_default("parameters")))
        formatter.end_section()
        return f"{self.format_help()}\n{formatter.format_help()}"


class _HelpAll(argparse.Action):
    """Prints the help with all options and parameters, and exits."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        assert isinstance(parser, _Parser)
        sys.stdout.write(parser.format_everything())
        parser.exit()


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments, by default the arguments of the process.

    Raises
    ------
    UsageError
        If an argument is unknown, invalid or missing.
    """
    top, commands = _parser()
    args, rest = top.parse_known_args(_spelled(sys.argv[1:] if argv is None else argv, top, commands))
    if rest:
        raise UsageError(f'unexpected argument {rest[0]} (see "budgetrs {args.command} --help")')
    return args


def _parser() -> tuple[_Parser, dict[str, _Parser]]:
    """Create the parser and the parsers of the commands, each of which sets ``run``."""
    top = _Parser(
        prog="budgetrs",
        description="Kernel machines that learn from a stream with a bounded number of support vectors.",
        epilog="\n\n".join(text.strip("\n") for text in (WHICH, EXIT_CODES)),
    )
    top.add_argument("--version", action="version", version=f"budgetrs {_core.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    _train(commands)
    _compare(commands)
    _predict(commands)
    _evaluate(commands)
    _info(commands)
    _plot(commands)
    _demo(commands)
    commands.add_parser("help", help="describe a command: budgetrs help COMMAND")
    return top, commands.choices


def _command(commands: Any, name: str, summary: str, *more: str) -> _Parser:
    description = "\n\n".join([f"{summary[0].upper()}{summary[1:]}.", *more])
    epilog = f"{EXIT_CODES}\nExample:\n\n  {EXAMPLES[name]}"
    return commands.add_parser(name, help=summary, description=description, epilog=epilog)


def _train(commands: Any) -> None:
    command = _command(commands, "train", "train a model on a file or standard input", TRAIN, DATA)
    command.add_argument("data", metavar="DATA", help='the training data; "-" is standard input')
    command.add_argument("-o", "--output", required=True, metavar="MODEL", help="the model file to write")
    command.add_argument("--test", metavar="FILE", help="labelled data to test the model on")
    command.add_argument(
        "--resume",
        metavar="MODEL",
        help="continue training this model, which keeps its algorithm, parameters, scaling and dtype",
    )
    model = _model(command)
    model.add_argument(
        "--budget",
        type=values.budget,
        default=argparse.SUPPRESS,
        metavar="N",
        help="largest number of support vectors, or none (default 500)",
    )
    _learning(command, model)
    model.add_argument(
        "--passes",
        type=values.integer(1),
        metavar="N",
        help="passes over the file (default 1; with --shuffle up to 3, as `fit` of the Python classes)",
    )
    _reading_to_learn(command)
    _output(command)
    command.set_defaults(run=train.run, make=train.new)


def _compare(commands: Any) -> None:
    command = _command(commands, "compare", "compare several budgets in one pass", COMPARE, DATA)
    command.add_argument("data", metavar="DATA", help='the training data; "-" is standard input')
    command.add_argument("--csv", metavar="FILE", help="write all curves as CSV")
    command.add_argument(
        "--figure", metavar="FILE", help="plot all curves as .png, .pdf or .svg (needs matplotlib)"
    )
    model = _model(command)
    model.add_argument(
        "--budget",
        dest="budgets",
        type=values.budgets,
        default="50,100,200,500",
        metavar="N,N,...",
        help="numbers of support vectors, or none (default %(default)s)",
    )
    _learning(command, model, without=("average",))
    _reading_to_learn(command)
    _output(command)
    command.set_defaults(run=compare.run, make=compare.new)


def _model(command: _Parser) -> Any:
    """Add the group of options of a new model, with the task and the algorithm."""
    model = command.add_argument_group("the model")
    model.add_argument(
        "--task",
        type=values.one_of(tuple(TASKS)),
        metavar="NAME",
        help=f"{' or '.join(TASKS)} (default classification)",
    )
    model.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"the algorithm (default {_core.Classifier().algorithm}); --help-all lists all of them",
    )
    return model


def _learning(command: _Parser, model: Any, *, without: tuple[str, ...] = ()) -> None:
    """Add the other options of a new model."""
    model.add_argument(
        "--scaling",
        type=values.one_of(parameters.SCALINGS),
        metavar="NAME",
        help="standardize features by the rows so far (online) or not (none) "
        "(default: the algorithm's; online-kernel: online)",
    )
    model.add_argument(
        "--classes",
        type=values.classes,
        metavar="A,B,...",
        help="all class labels (default: classes as they appear)",
    )
    model.add_argument(
        "--seed",
        type=values.integer(0),
        default=argparse.SUPPRESS,
        metavar="N",
        help="seed of all random choices (default 0)",
    )
    model.add_argument(
        "--shuffle",
        action="store_true",
        help="learn the rows in random order, a new one in each pass, seeded by --seed; holds all rows of "
        "the file in memory; train then learns as `fit` of the Python classes",
    )
    names = parameters.settable(without=without)
    model.add_argument(
        "--set",
        dest="settings",
        type=parameters.setting(command.prog.split()[-1], names),
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another parameter, such as --set gamma=0.1; may be repeated; --help-all lists all of them",
    )
    command.add_argument(
        "--help-all", action=_HelpAll, nargs=0, help="show this help message with all options and parameters"
    )
    command.hide(
        model.add_argument(
            "--dtype",
            type=values.one_of(_DTYPES),
            metavar="NAME",
            help=f"{' or '.join(_DTYPES)} (default float32)",
        )
    )
    command.set_defaults(parameters=names)


def _predict(commands: Any) -> None:
    command = _command(commands, "predict", "write the prediction of each row, one per line", SCORE)
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument(
        "data", metavar="DATA", help='the rows, with or without labels; "-" is standard input'
    )
    command.add_argument("-o", "--output", metavar="OUT", help="output file (default: standard output)")
    form = command.add_mutually_exclusive_group()
    form.add_argument(
        "--scores",
        action="store_true",
        help="write decision scores: one number per row, or with three classes or more one per class",
    )
    form.add_argument(
        "--proba",
        action="store_true",
        help="write CSV with the probability of each class; for online-kernel and loss=log_loss",
    )
    form.add_argument(
        "--interval",
        type=values.coverage,
        metavar="COVERAGE",
        help="write CSV with the columns prediction, lower and upper: a prediction interval that covers this "
        "share of the targets, such as 0.9; for regression with online-kernel",
    )
    form.add_argument(
        "--prediction-set",
        type=values.coverage,
        metavar="COVERAGE",
        help="write CSV with 1 for each class in the prediction set, else 0: the sets cover this share of "
        "the labels, such as 0.9; for classification with online-kernel",
    )
    _reading(command)
    _output(command)
    command.set_defaults(run=predict.predict)


def _evaluate(commands: Any) -> None:
    command = _command(
        commands, "evaluate", "measure how well a model predicts labelled data", EVALUATE, SCORE
    )
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument("data", metavar="DATA", help='the labelled rows; "-" is standard input')
    _reading(command)
    _output(command)
    command.set_defaults(run=predict.evaluate)


def _info(commands: Any) -> None:
    command = _command(commands, "info", "print the contents of a model file")
    command.add_argument("model", metavar="MODEL", help="a model file")
    _json(command)
    command.set_defaults(run=info.info)


def _plot(commands: Any) -> None:
    command = _command(commands, "plot", "draw a model", PLOT)
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the picture: .png, .pdf or .svg (needs matplotlib)",
    )
    command.add_argument(
        "--data",
        metavar="FILE",
        help="rows whose range is drawn (default: the range of the support vectors); if the rows are "
        'labelled, they are drawn too; "-" is standard input',
    )
    _reading(command)
    _output(command)
    command.set_defaults(run=plot.run)


def _demo(commands: Any) -> None:
    command = _command(
        commands, "demo", "train on a million generated rows and on scikit-learn's digits, and draw the model"
    )
    command.add_argument(
        "-o",
        "--output",
        dest="out",
        default="budgetrs-demo",
        metavar="DIR",
        help="output directory (default %(default)s)",
    )
    command.add_argument(
        "--rows",
        type=values.integer(1),
        default=1_000_000,
        metavar="N",
        help="number of rows (default 1,000,000)",
    )
    command.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    command.set_defaults(run=demo.run)


def _reading_to_learn(command: _Parser) -> None:
    """Add the options for reading training data."""
    reading = _reading(command, hides_more=True)
    reading.add_argument(
        "--categorical",
        type=values.names,
        metavar="NAME,...",
        help="columns of CSV to one-hot encode although their values are numbers or dates, such as zip codes",
    )


def _reading(command: _Parser, *, hides_more: bool = False) -> Any:
    """Add the options for reading data; some may be left to ``--help-all``."""
    reading = command.add_argument_group("reading the data")
    reading.add_argument(
        "--target",
        type=values.target,
        default=-1,
        metavar="NAME|N",
        help="the column of labels or targets, by name or by number: 0 is the first, -1 (default) the last",
    )
    reading.add_argument(
        "--format",
        type=values.one_of(FORMATS),
        metavar="NAME",
        help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]} (default: by the name or the content)",
    )
    reading.add_argument(
        "--delimiter",
        type=values.delimiter,
        default=",",
        metavar="C",
        help='the field separator of CSV (default ","; of .tsv files a tab); " ": runs of blanks',
    )
    reading.add_argument(
        "--decimal",
        type=values.one_of((".", ",")),
        default=".",
        metavar="C",
        help='the decimal sign of numbers in CSV, "." (default) or ","',
    )
    reading.add_argument(
        "--missing-values",
        type=values.missing_values,
        default=(),
        metavar="VALUE,...",
        help="values that mean missing in addition to the usual ones, such as -999,unknown",
    )
    reading.add_argument(
        "--zero-based",
        type=values.one_of(("auto", "yes", "no")),
        default="auto",
        metavar="WHEN",
        help="whether indices of LIBSVM text start at 0: auto (default; yes if index 0 occurs in the first "
        "256 KiB), yes or no",
    )
    hidden = [
        reading.add_argument(
            "--max-features",
            type=values.integer(1, (1 << 31) - 1),
            default=1 << 24,
            metavar="N",
            help=f"the largest number of features (default {1 << 24:,})",
        ),
        reading.add_argument(
            "--max-memory",
            type=values.size,
            default=4 << 30,
            metavar="SIZE",
            help="the largest size of a full model in bytes, such as 500M or 8G (default 4G)",
        ),
    ]
    for option in hidden if hides_more else ():
        command.hide(option)
    return reading


def _output(command: _Parser) -> None:
    command.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    _json(command)


def _json(command: _Parser) -> None:
    command.add_argument(
        "--json", action="store_true", help="print progress and results as JSON, one object per line"
    )


def _spelled(argv: Sequence[str], top: ArgumentParser, commands: Mapping[str, ArgumentParser]) -> list[str]:
    """Return the arguments with the names of options as the parser has them.

    Without arguments, and for ``help``, they ask for help.

    Raises
    ------
    UsageError
        If there is no such command or option; the message has the nearest name.
    """
    words = list(argv)
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    if not words:
        return ["--help"]
    command = words[0]
    if command.startswith("-"):
        if command not in top._option_string_actions:
            raise UsageError(f"expected a command first, got {command}{_see(top)}")
        return words
    if command not in commands:
        near = _COMMANDS.get(command) or nearest(command, commands)
        raise UsageError(f"unknown command {command}{asked(near)}{_see(top)}")
    return [command, *_options(words[1:], commands[command])]


def _options(words: Sequence[str], command: ArgumentParser) -> list[str]:
    """Return the arguments of a command with the names of its options as the parser has them."""
    known, found = command._option_string_actions, []
    for i, word in enumerate(words):
        if word == "--":
            return [*found, *words[i:]]
        option = known.get(found[-1]) if found else None
        if option is not None and option.nargs is None and _START_OF_NUMBER.match(word):
            # A list that begins with a negative number, such as --classes -1,1, is no option.
            found[-1] += f"={word}"
            continue
        if word.startswith("--"):
            name, *value = word.split("=", 1)
            name = name.replace("_", "-")
            if name not in known:
                following = value or [each for each in words[i + 1 : i + 2] if not each.startswith("--")]
                raise _unknown(word.split("=", 1)[0], following, command)
            word = "=".join([name, *value])
        elif len(word) > 1 and word[0] == "-" and word[:2] not in known and not _NUMBER.fullmatch(word):
            raise UsageError(f"unknown option {word}{_see(command)}")
        found.append(word)
    return found


def _unknown(given: str, value: Sequence[str], command: ArgumentParser) -> UsageError:
    """Return the error of an unknown option, with the nearest option or parameter."""
    options = [name.removeprefix("--") for name in command._option_string_actions if name.startswith("--")]
    parameters: Sequence[str] = command.get_default("parameters") or ()
    name = given.removeprefix("--").replace("_", "-")
    is_off = name.startswith("no-") and name[3:].replace("-", "_") in parameters
    if is_off:
        name, value = name[3:], ["false"]
    by_option = {each.replace("_", "-"): each for each in parameters}
    exact = by_option.get(name)
    near = exact or nearest(name, [*options, *by_option])
    if near is None or near in options:
        return UsageError(f"unknown option {given}{asked(near and f'--{near}')}{_see(command)}")
    setting = f"--set {by_option.get(near, near)}={value[0] if value else 'VALUE'}"
    if exact:
        return UsageError(f"unknown option {given}; use {setting}{_see(command, 'help-all')}")
    return UsageError(f"unknown option {given}{asked(setting)}{_see(command, 'help-all')}")


def _see(command: ArgumentParser, option: str = "help") -> str:
    return f' (see "{command.prog} --{option}")'
