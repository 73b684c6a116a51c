"""The command line's arguments, and the nearest names for mistakes in them."""

import argparse
import re
import sys
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Mapping, Sequence
from textwrap import fill, wrap
from typing import Any, NoReturn

from .. import _core
from . import compare, demo, info, parameters, plot, predict, train
from . import parameters as values
from .errors import UsageError
from .files import FORMATS
from .parameters import NAMES, OTHER_OPTIONS, TASKS, asked, nearest

DATA = """
DATA is a CSV, LIBSVM, Parquet, Arrow (Feather), .npy or .npz file, or "-" for standard input. Text may
be compressed (gzip, xz, bzip2 or zstd). Text columns are one-hot encoded.
"""

TRAIN = """
Train a model on a file or standard input.

The model learns the rows in the order of the file and is saved at the end, or on Ctrl-C. If the order means
nothing, give --shuffle: several passes in random order are more accurate. Rows that are sorted by label must
be shuffled.
"""

COMPARE = """
Compare several budgets in one pass.

One pass over DATA trains one model per budget. Each model predicts each row before learning it. The share of
wrong predictions is the progressive error; in regression it is the mean absolute error. The output is the
error of each budget, the budget with the lowest error, and the smallest budget whose error is within one
standard error of the lowest.
"""

PREDICT = "Write the prediction of each row, one per line."

SCORE = "\n\nDATA has the same columns as the training data; LIBSVM data may have more features."

EVALUATE = """
Measure how well a model predicts labelled data.

Classification reports accuracy, balanced accuracy, macro F1 and the confusion matrix, the AUC for two
classes, and the log loss of models with probabilities. Regression reports RMSE, MAE and R^2.
"""

INFO = "Print the contents of a model file."

PLOT = """
Draw a model.

A model of one feature is drawn as a curve, a model of two features as decision regions or contours with its
support vectors. For more features the picture shows the importance of each feature, or, for a model without
a learned metric, the weights of the support vectors.
"""

DEMO = "Train on a million generated rows and on scikit-learn's digits, and draw the model."

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

_MODEL = """
--task NAME: classification or regression (default classification)
--algorithm NAME: the algorithm (default online-kernel); --help-all lists all of them
"""
_TRAIN_BUDGET = "--budget N: largest number of support vectors, or none (default 500)\n"
_COMPARE_BUDGETS = "--budget N,N,...: numbers of support vectors, or none (default %(default)s)\n"
_LEARNING = """
--scaling NAME: standardize features by the rows so far (online) or not (none) (default: the algorithm's;
  online-kernel: online)
--classes A,B,...: all class labels (default: classes as they appear)
--seed N: seed of all random choices (default 0)
--shuffle: learn the rows in random order, a new one in each pass, seeded by --seed; holds all rows of the
  file in memory; train then learns as `fit` of the Python classes
--set NAME=VALUE: another parameter, such as --set gamma=0.1; may be repeated; --help-all lists all of them
--dtype NAME: float32 or float64 (default float32)
"""
_PASSES = """
--passes N: passes over the file (default 1; with --shuffle up to 3, as `fit` of the Python classes)
"""
_READING = """
--target NAME|N: the column of labels or targets, by name or by number: 0 is the first, -1 (default) the last
--format NAME: libsvm, csv, npy, parquet or arrow (default: by the name or the content)
--delimiter C: the field separator of CSV (default ","; of .tsv files a tab); " ": runs of blanks
--decimal C: the decimal sign of numbers in CSV, "." (default) or ","
--missing-values VALUE,...: values that mean missing in addition to the usual ones, such as -999,unknown
--zero-based WHEN: whether indices of LIBSVM text start at 0: auto (default; yes if index 0 occurs in the
  first 256 KiB), yes or no
--max-features N: the largest number of features (default 16,777,216)
--max-memory SIZE: the largest size of a full model in bytes, such as 500M or 8G (default 4G)
"""
_CATEGORICAL = """
--categorical NAME,...: columns of CSV to one-hot encode although their values are numbers or dates, such as
  zip codes
"""
_QUIET = "-q --quiet: show no progress\n"
_JSON = "--json: print progress and results as JSON, one object per line\n"
_MODEL_FILE = "MODEL: a model file\n"
_TRAIN = """
DATA: the training data; "-" is standard input
-o --output MODEL: the model file to write
--test FILE: labelled data to test the model on
--resume MODEL: continue training this model, which keeps its algorithm, parameters, scaling and dtype
"""
_COMPARE = """
DATA: the training data; "-" is standard input
--csv FILE: write all curves as CSV
--figure FILE: plot all curves as .png, .pdf or .svg (needs matplotlib)
"""
_PREDICT = """
DATA: the rows, with or without labels; "-" is standard input
-o --output OUT: output file (default: standard output)
"""
_FORMS = """
--scores: write decision scores: one number per row, or with three classes or more one per class
--proba: write CSV with the probability of each class; for online-kernel and loss=log_loss
--interval COVERAGE: write CSV with the columns prediction, lower and upper: a prediction interval that covers
  this share of the targets, such as 0.9; for regression with online-kernel
--prediction-set COVERAGE: write CSV with 1 for each class in the prediction set, else 0: the sets cover this
  share of the labels, such as 0.9; for classification with online-kernel
"""
_EVALUATE = 'DATA: the labelled rows; "-" is standard input\n'
_PLOT = """
-o --output FILE: the picture: .png, .pdf or .svg (needs matplotlib)
--data FILE: rows whose range is drawn (default: the range of the support vectors); if the rows are labelled,
  they are drawn too; "-" is standard input
"""
_DEMO = """
-o --output DIR: output directory (default %(default)s)
--rows N: number of rows (default 1,000,000)
--csv FILE: write an example for train instead, 4,000 rows of x and sin(x)
"""

# How arguments are read, and their defaults; other options are flags, or texts that are None if absent.
_KINDS: dict[str, dict[str, Any]] = {
    "--budget N": {"type": values.budget, "default": SUPPRESS},
    "--budget N,N,...": {"type": values.budgets, "default": "50,100,200,500", "dest": "budgets"},
    "--categorical NAME,...": {"type": values.names},
    "--classes A,B,...": {"type": values.classes},
    "--decimal C": {"type": values.one_of((".", ",")), "default": "."},
    "--delimiter C": {"type": values.delimiter, "default": ","},
    "--dtype NAME": {"type": values.one_of(("float32", "float64"))},
    "--format NAME": {"type": values.one_of(FORMATS)},
    "--interval COVERAGE": {"type": values.coverage},
    "--max-features N": {"type": values.integer(1, (1 << 31) - 1), "default": 1 << 24},
    "--max-memory SIZE": {"type": values.size, "default": 4 << 30},
    "--missing-values VALUE,...": {"type": values.missing_values, "default": ()},
    "--output DIR": {"default": "budgetrs-demo", "dest": "out"},
    "--output FILE": {"required": True},
    "--output MODEL": {"required": True},
    "--passes N": {"type": values.integer(1)},
    "--prediction-set COVERAGE": {"type": values.coverage},
    "--rows N": {"type": values.integer(1), "default": 1_000_000},
    "--scaling NAME": {"type": values.one_of(("online", "none"))},
    "--seed N": {"type": values.integer(0), "default": SUPPRESS},
    "--set NAME=VALUE": {"action": "append", "default": [], "dest": "settings"},
    "--target NAME|N": {"type": values.target, "default": -1},
    "--task NAME": {"type": values.one_of(tuple(TASKS))},
    "--zero-based WHEN": {"type": values.one_of(("auto", "yes", "no")), "default": "auto"},
}

# Options of `train` and `compare` that only --help-all shows.
_HIDDEN = ("dtype", "max_features", "max_memory")

_NUMBER = re.compile(r"-[\d.]")

_ONE_FILE = "; give one file, and train --resume continues with the next"

_OTHER_NAMES = {
    "classify": "predict",
    "describe": "info",
    "fit": "train",
    "learn": "train",
    "score": "evaluate",
    "show": "info",
    "test": "evaluate",
}


class _Formatter(argparse.HelpFormatter):
    """Wraps each paragraph of a description separately, except indented ones, and never at a hyphen."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(text, width, break_on_hyphens=False)

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
        # A list that begins with a negative number, such as --classes -1,1, is no option.
        self._negative_number_matcher = _NUMBER
        self.parameters: tuple[str, ...] = ()
        """The parameters that ``--set`` takes."""

    def error(self, message: str) -> NoReturn:
        required = message.removeprefix("the following arguments are required: ")
        if required != message:
            what = required.replace("-o/--output", "-o/--output, the file to write")
            if what == "DATA":
                what = "DATA, a file of rows, or - for standard input"
            raise UsageError(f'missing {what} (see "{self.prog} --help")')
        message = message.removeprefix("argument ").replace("expected one argument", "expected a value")
        raise UsageError(message.replace(": not allowed with argument", " cannot be combined with"))

    def add(self, group: Any, options: str) -> None:
        """Add the options of a text with lines such as ``-o --output FILE: help``, which may be continued."""
        for option in filter(None, options.replace("\n  ", " ").split("\n")):
            head, _, text = option.partition(": ")
            *flags, metavar = head.split()
            if metavar.startswith("-"):
                group.add_argument(*flags, metavar, action="store_true", help=text)
            else:
                kind = _KINDS.get(" ".join([*flags[-1:], metavar]), {})
                group.add_argument(*(flags or [metavar.lower()]), metavar=metavar, help=text, **kind)

    def add_help_all(self, names: tuple[str, ...]) -> None:
        """Add ``--help-all``, which shows the options that ``--help`` omits, and the parameters `names`."""
        self.parameters = names
        self.add_argument(
            "--help-all",
            action=_HelpAll,
            nargs=0,
            help="show this help message with all options and parameters",
        )
        for action in self._actions:
            if action.dest == "settings":
                action.type = parameters.setting(self.prog.split()[-1], names)
            if action.dest in _HIDDEN:
                action.shown, action.help = action.help, SUPPRESS  # pyright: ignore[reportAttributeAccessIssue]


class _HelpAll(argparse.Action):
    """Prints the help with all options and parameters, and exits."""

    def __call__(self, parser: Any, *_: Any) -> None:
        for action in parser._actions:
            action.help = getattr(action, "shown", action.help)
        formatter = parser._get_formatter()
        formatter.start_section("algorithms for --algorithm NAME")
        formatter.add_text(", ".join(_core.ALGORITHMS))
        formatter.end_section()
        formatter.start_section("parameters for --set NAME=VALUE")
        formatter.add_arguments(parameters.described(parser.parameters))
        formatter.end_section()
        print(f"{parser.format_help()}\n{formatter.format_help()}", end="")
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
        advice = "; commas separate the values of an option" if rest[0].isdigit() else _ONE_FILE
        raise UsageError(f'unexpected argument {rest[0]}{advice} (see "budgetrs {args.command} --help")')
    return args


def _parser() -> tuple[_Parser, Mapping[str, _Parser]]:
    """Create the parser and the parsers of the commands, each of which sets ``run``."""
    top = _Parser(
        prog="budgetrs",
        description="Kernel machines that learn from a stream with a bounded number of support vectors.",
        epilog="\n\n".join(text.strip("\n") for text in (WHICH, EXIT_CODES)),
    )
    top.add_argument("--version", action="version", version=f"budgetrs {_core.__version__}")
    commands: Any = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def add(name: str, run: Any, description: str, *parts: tuple[str, str]) -> _Parser:
        summary = description.strip().split(".")[0]
        command = commands.add_parser(
            name,
            help=summary[0].lower() + summary[1:],
            description=description,
            epilog=f"{EXIT_CODES}\nExample:\n\n  {EXAMPLES[name]}",
        )
        for title, options in parts:
            command.add(command.add_argument_group(title) if title else command, options)
        command.set_defaults(run=run)
        return command

    model, reading = "the model", "reading the data"
    output = ("", _QUIET + _JSON)
    command = add(
        "train",
        train.run,
        TRAIN + DATA,
        ("", _TRAIN),
        (model, _MODEL + _TRAIN_BUDGET + _LEARNING + _PASSES),
        (reading, _READING + _CATEGORICAL),
        output,
    )
    command.set_defaults(make=train.new)
    command.add_help_all(parameters.settable())
    command = add(
        "compare",
        compare.run,
        COMPARE + DATA,
        ("", _COMPARE),
        (model, _MODEL + _COMPARE_BUDGETS + _LEARNING),
        (reading, _READING + _CATEGORICAL),
        output,
    )
    command.set_defaults(make=compare.new)
    command.add_help_all(parameters.settable(without=("average",)))
    command = add("predict", predict.predict, PREDICT + SCORE, ("", _MODEL_FILE + _PREDICT))
    command.add(command.add_mutually_exclusive_group(), _FORMS)
    command.add(command.add_argument_group(reading), _READING)
    command.add(command, _QUIET + _JSON)
    add(
        "evaluate",
        predict.evaluate,
        EVALUATE.rstrip() + SCORE,
        ("", _MODEL_FILE + _EVALUATE),
        (reading, _READING),
        output,
    )
    add("info", info.info, INFO, ("", _MODEL_FILE + _JSON))
    add("plot", plot.run, PLOT, ("", _MODEL_FILE + _PLOT), (reading, _READING), output)
    add("demo", demo.run, DEMO, ("", _DEMO + _QUIET))
    commands.add_parser("help", help="describe a command: budgetrs help COMMAND")
    return top, commands.choices


def _spelled(argv: Sequence[str], top: ArgumentParser, commands: Mapping[str, _Parser]) -> list[str]:
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
    name = words[0]
    if name.startswith("-"):
        if name not in top._option_string_actions:
            raise UsageError(f"expected a command first, got {name}{_see(top)}")
        return words
    if name not in commands:
        near = _OTHER_NAMES.get(name) or nearest(name, commands)
        raise UsageError(f"unknown command {name}{asked(near)}{_see(top)}")
    command = commands[name]
    for i, word in enumerate(words):
        if word == "--":
            break
        if not word.startswith("-") or word == "-" or _NUMBER.match(word):
            continue
        given, equals, value = word.partition("=")
        option = given.replace("_", "-")
        if word.startswith("--") and option in command._option_string_actions:
            words[i] = f"{option}{equals}{value}"
        elif given in OTHER_OPTIONS:
            raise UsageError(f"unknown option {given}; {OTHER_OPTIONS[given]}{_see(command)}")
        elif word.startswith("--"):
            following = [value] if equals else [each for each in words[i + 1 : i + 2] if each[:2] != "--"]
            raise _unknown(given, following, command)
        elif word[:2] not in command._option_string_actions:
            raise UsageError(f"unknown option {word}{_see(command)}")
    return words


def _unknown(given: str, value: Sequence[str], command: _Parser) -> UsageError:
    """Return the error of an unknown option, with the nearest option or parameter."""
    options = [name.removeprefix("--") for name in command._option_string_actions if name.startswith("--")]
    by_option = {each.replace("_", "-"): each for each in command.parameters}
    name = given.removeprefix("--").replace("_", "-")
    if (positive := name.removeprefix("no-")) != name and positive in by_option:
        name, value = positive, ["false"]
    near = name if name in by_option else nearest(name, [*options, *by_option])
    if near not in by_option:
        return UsageError(f"unknown option {given}{asked(near and f'--{near}')}{_see(command)}")
    # Another name may mean another unit.
    setting = f"--set {by_option[near]}={value[0] if value and name not in NAMES else 'VALUE'}"
    advice = f"; use {setting}" if near == name else asked(setting)
    return UsageError(f"unknown option {given}{advice}{_see(command, 'help-all')}")


def _see(command: ArgumentParser, option: str = "help") -> str:
    return f' (see "{command.prog} --{option}")'
