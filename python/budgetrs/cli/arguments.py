"""The command line's arguments."""

import argparse
from typing import NoReturn

from .. import _core
from . import compare, demo, evaluate, help_texts, info, plot, predict, train, values
from .errors import USAGE
from .learning import DTYPE, WARMUP_ROWS
from .parameters import add_parameters
from .rows import FORMATS


class _Paragraphs(argparse.HelpFormatter):
    """Wraps each paragraph of a description separately, except indented paragraphs."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        return "\n\n".join(
            part.rstrip() if part.startswith("  ") else fill(part, width, indent)
            for part in text.strip("\n").split("\n\n")
        )


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line: the usage of a command is longer than a screen."""

    def error(self, message: str) -> NoReturn:
        of_value = message.startswith("argument ")
        more = "" if of_value else f"; {self.prog} --help describes all arguments"
        self.exit(USAGE, f"{self.prog}: error: {message}{more}\n")


def parser() -> argparse.ArgumentParser:
    """Create the parser; each command sets ``run``."""
    top = _Parser(
        prog="budgetrs",
        description="Kernel machines that learn from a stream with a bounded number of support vectors.",
        epilog="\n\n".join(text.strip("\n") for text in (help_texts.WHICH, help_texts.EXIT_CODES)),
        formatter_class=_Paragraphs,
    )
    top.add_argument("--version", action="version", version=f"budgetrs {_core.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _train(commands)
    _compare(commands)
    _predict_and_evaluate(commands)

    show = _command(commands, "info", "print the contents of a model file")
    show.add_argument("model", metavar="MODEL", help="a model file")
    _json(show)
    show.set_defaults(run=info.info)

    _plot(commands)

    shown = _command(
        commands, "demo", "learn a million generated examples and scikit-learn's digits, with a picture"
    )
    shown.add_argument(
        "--out", default="budgetrs-demo", metavar="DIR", help="output folder (default %(default)s)"
    )
    shown.add_argument(
        "--rows", type=values.positive, default=1_000_000, help="number of examples (default %(default)s)"
    )
    shown.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    shown.set_defaults(run=demo.run)
    return top


def _plot(commands) -> None:
    command = _command(commands, "plot", "write a picture of what a model has learned", help_texts.PLOT)
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the picture, written completely or not at all; the suffix sets the format: .png, .pdf or .svg "
        "(needs matplotlib)",
    )
    command.add_argument(
        "--data",
        metavar="FILE",
        help="rows whose range is plotted, and if they have labels or targets the rows themselves (default: "
        'the range of the support vectors); "-" is standard input',
    )
    _reading(command)
    command.set_defaults(run=plot.run)


def _command(commands, name: str, summary: str, *more: str) -> argparse.ArgumentParser:
    description = "\n\n".join([f"{summary[0].upper()}{summary[1:]}.", *more])
    epilog = f"{help_texts.EXIT_CODES}\nExample:\n\n  {help_texts.EXAMPLES[name]}"
    return commands.add_parser(
        name, help=summary, description=description, epilog=epilog, formatter_class=_Paragraphs
    )


def _train(commands) -> None:
    command = _command(
        commands,
        "train",
        "learn a model from a file or from standard input",
        help_texts.TRAIN,
        help_texts.DATA,
    )
    command.add_argument("data", metavar="DATA", help="the training data")
    command.add_argument("-o", "--output", required=True, metavar="MODEL", help="the model file to write")
    command.add_argument("--test", metavar="FILE", help="a labelled file to test the model on")
    command.add_argument(
        "--resume",
        metavar="MODEL",
        help="a model file to go on with, which keeps its algorithm, parameters, scaling and type; options "
        "that say these are refused; the result is written to -o, which may be the same file; the bits are "
        "those of one run over all rows, unless features come late (new words, LIBSVM features of higher "
        "number)",
    )
    add_parameters(
        command,
        type=values.budget,
        metavar="N",
        help='largest number of support vectors, or "none" (default 500)',
    )
    _stream(command).add_argument(
        "--passes",
        type=values.positive,
        default=1,
        metavar="N",
        help="number of passes over the file (default 1)",
    )
    _words(_reading(command))
    command.set_defaults(run=train.run)


def _compare(commands) -> None:
    command = _command(
        commands, "compare", "compare several budgets in one pass", help_texts.COMPARE, help_texts.DATA
    )
    command.add_argument("data", metavar="DATA", help="the training data")
    command.add_argument("--csv", metavar="FILE", help="write all curves as CSV")
    command.add_argument(
        "--figure",
        metavar="FILE",
        help="plot the curves; the suffix sets the format: .png, .pdf or .svg (needs matplotlib)",
    )
    add_parameters(
        command,
        dest="budgets",
        type=values.budgets,
        default="50,100,200,500",
        without=("average",),
        metavar="N,N,...",
        help='budgets: numbers of support vectors, or "none" (default %(default)s)',
    )
    _stream(command)
    _words(_reading(command))
    command.set_defaults(run=compare.run)


def _stream(command: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """Add the options of the stream, except the number of passes."""
    stream = command.add_argument_group("the stream")
    stream.add_argument(
        "--standardize",
        action="store_true",
        help="standardize the features: mean 0, standard deviation 1; not with --scaling online, the default "
        "of online-kernel (give --scaling none)",
    )
    stream.add_argument("--dtype", choices=("float32", "float64"), help=f"(default {DTYPE})")
    stream.add_argument(
        "--classes", type=values.classes, metavar="A,B,...", help="all class labels of the stream"
    )
    stream.add_argument(
        "--warmup-rows",
        type=values.positive,
        metavar="N",
        help=f"rows of standard input that are scanned before learning (default {WARMUP_ROWS})",
    )
    return stream


def _predict_and_evaluate(commands) -> None:
    command = _command(
        commands,
        "predict",
        "write the prediction of each row, one per line",
        help_texts.SCORE,
        help_texts.DATA,
    )
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument("data", metavar="DATA", help="the rows; their labels are ignored")
    command.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="output file, written completely or not at all (default: standard output)",
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument(
        "--decision",
        action="store_true",
        help='write scores: one number per row, or one per class with spaces between, in the order of "info"',
    )
    form.add_argument(
        "--proba",
        action="store_true",
        help="write CSV with the probability of each class: the first line names the classes, one to a "
        'column, in the order of "info"; for models of online-kernel and of --loss log_loss',
    )
    form.add_argument(
        "--interval",
        type=values.coverage,
        metavar="COVERAGE",
        help="write CSV with the prediction and a prediction interval, in which a share COVERAGE of the "
        "targets lies, such as 0.9: prediction,lower,upper; for regression models of online-kernel",
    )
    form.add_argument(
        "--set",
        type=values.coverage,
        metavar="COVERAGE",
        help="write CSV with a prediction set, in which a share COVERAGE of the labels lies, such as 0.9: 1 "
        "for each class in the set, else 0, with a first line as for --proba; for classification models of "
        "online-kernel",
    )
    _reading(command)
    command.set_defaults(run=predict.predict)

    command = _command(
        commands,
        "evaluate",
        "measure how well a model predicts a labelled file",
        help_texts.SCORE,
        help_texts.DATA,
    )
    command.add_argument("model", metavar="MODEL", help="a model file")
    command.add_argument("data", metavar="DATA", help="the labelled rows")
    _reading(command)
    command.set_defaults(run=evaluate.evaluate)


def _words(reading: "argparse._ArgumentGroup") -> None:
    reading.add_argument(
        "--word-columns",
        type=values.names,
        default=(),
        metavar="NAME,...",
        help="columns of CSV with a header that hold words, although they look like numbers, as zip codes do "
        "(others hold words if their first value is no number)",
    )


def _reading(command: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    reading = command.add_argument_group("reading the data")
    reading.add_argument(
        "--format", choices=FORMATS, help="file format (default: from the name or the content)"
    )
    reading.add_argument(
        "--label-column",
        type=values.label_column,
        default=-1,
        metavar="NAME|N",
        help="label column of CSV, .npy, Parquet and Arrow: its name where columns have names, or its "
        "number, where 0 is the first and -1 (default) the last; an integer is always a number",
    )
    reading.add_argument(
        "--delimiter",
        type=values.delimiter,
        default=",",
        metavar="C",
        help='field separator of CSV (default ",", of .tsv files a tab)',
    )
    reading.add_argument(
        "--max-features",
        type=values.features,
        default=1 << 24,
        metavar="N",
        help="refuse data with more features, for example those of a LIBSVM index that is a mistake "
        "(default %(default)s)",
    )
    reading.add_argument(
        "--max-memory",
        type=values.size,
        default=4 << 30,
        metavar="SIZE",
        help="refuse data for which a model would take more bytes when it is full; a number, or one with K, "
        "M or G such as 8G (default 4G)",
    )
    command.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    _json(command)
    return reading


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--json",
        action="store_true",
        help="print one object in JSON a line instead of text: progress as it comes, unless --quiet, and the "
        "results at the end (docs/json.md lists the keys)",
    )
