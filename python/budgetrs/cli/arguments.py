"""The command line's arguments."""

import argparse

from .. import _core
from . import apply, compare, demo, train, values
from .parameters import add_parameters
from .rows import FORMATS

_DATA = """
DATA is LIBSVM or CSV text, plain or compressed (gzip, xz, bzip2; told by its first bytes), "-" for standard
input, a NumPy .npy matrix with the labels in one column, or an .npz with arrays X and y. The label of CSV and
.npy stands in the last column unless --label-column names another. Data are read in pieces, so memory does
not grow with the file. One thing is read whole: a Fortran-ordered matrix in an .npz, in a compressed file or
from a pipe.
"""

_TRAIN = """
The rows are learned in the order of the file, which is first looked through for its classes, its number of
features and (--standardize) its scale. A pipe can be read only once: its first --warmup-rows rows are held
for that; LIBSVM features that come later are taken in, and --gamma scale stays that of the first rows.
The model file is written when all is learned, or with the rows learned so far on Ctrl-C or SIGTERM.

With --task regression the labels are numbers from -1e15 to 1e15; what is told is how far the predictions are
from them: the root of the mean squared error (RMSE), the mean absolute error (MAE) and, of a test, R^2.
"""

_COMPARE = """
One model for each budget learns all rows in one pass, in the order of the file. Each row is predicted by
every model just before it is learned: the share of wrong predictions so far is the progressive error
(Crammer, Kandola and Singer 2003 choose the size of their cache by it). Printed are the error after some
numbers of rows and in the end, the budget that has the lowest, and the smallest budget within one standard
error of it. That is the binomial one, sqrt(p (1 - p) / n) for the progressive error p after n rows. With
--task regression the error is the mean absolute one. Each model is the one that "train" would make.

The file is first looked through for its classes, its number of features and (--standardize) its scale. A pipe
can be read only once: its first --warmup-rows rows are held for that. On Ctrl-C or SIGTERM all that was asked
for is written of the rows so far.
"""

_SCORE = """
The rows come as they were for "train": a scaling is in the model. CSV and NumPy files have as many features
as the model; LIBSVM rows may have more, which count as zero in all rows that the model has learned.
"""

_EPILOG = """
Exit codes: 0 done (also when a pipe that was written to is closed); 1 the data cannot be read or do not fit,
or the output cannot be written; 2 wrong arguments; 3 the model file cannot be read or written; 130 stopped by
Ctrl-C, 143 by SIGTERM (a message then says what was saved).
"""


class _Paragraphs(argparse.HelpFormatter):
    """Fills each paragraph of a description by itself."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        return "\n\n".join(fill(paragraph, width, indent) for paragraph in text.split("\n\n"))


def parser() -> argparse.ArgumentParser:
    """Make the parser; each command sets ``run``."""
    top = argparse.ArgumentParser(
        prog="budgetrs",
        description="Kernel machines that learn from a stream with a bounded number of support vectors.",
        epilog=_EPILOG,
    )
    top.add_argument("--version", action="version", version=f"budgetrs {_core.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _train(commands)
    _compare(commands)
    _apply(commands)

    show = _command(commands, "info", "print what a model file holds")
    show.add_argument("model", metavar="MODEL", help="a model file")
    show.set_defaults(run=apply.info)

    shown = _command(
        commands, "demo", "learn a million generated examples and scikit-learn's digits, with a picture"
    )
    shown.add_argument(
        "--out", default="budgetrs-demo", metavar="DIR", help="where to write (default %(default)s)"
    )
    shown.add_argument(
        "--rows", type=values.positive, default=1_000_000, help="examples (default %(default)s)"
    )
    shown.add_argument("-q", "--quiet", action="store_true", help="no progress")
    shown.set_defaults(run=demo.run)
    return top


def _command(commands, name: str, summary: str, *more: str) -> argparse.ArgumentParser:
    description = "\n\n".join([f"{summary[0].upper()}{summary[1:]}.", *more])
    return commands.add_parser(
        name, help=summary, description=description, epilog=_EPILOG, formatter_class=_Paragraphs
    )


def _train(commands) -> None:
    command = _command(commands, "train", "learn a model from a file or from standard input", _TRAIN, _DATA)
    command.add_argument("data", metavar="DATA", help="the training data")
    command.add_argument("-o", "--output", required=True, metavar="MODEL", help="the model file to write")
    command.add_argument("--test", metavar="FILE", help="a labelled file to test on in the end")
    add_parameters(
        command, type=values.budget, metavar="N", help='most support vectors, or "none" (default 500)'
    )
    _stream(command).add_argument(
        "--passes", type=values.positive, default=1, metavar="N", help="over a file (default 1)"
    )
    _reading(command)
    command.set_defaults(run=train.run)


def _compare(commands) -> None:
    command = _command(
        commands, "compare", "learn with several budgets at once and tell which is enough", _COMPARE, _DATA
    )
    command.add_argument("data", metavar="DATA", help="the training data")
    command.add_argument("--csv", metavar="FILE", help="write all of the curves as CSV text")
    command.add_argument(
        "--figure",
        metavar="FILE",
        help="draw the curves; the suffix tells the format: .png, .pdf, .svg (needs matplotlib)",
    )
    add_parameters(
        command,
        dest="budgets",
        type=values.budgets,
        default="50,100,200,500",
        without=("average",),
        metavar="N,N,...",
        help='each a number of support vectors, or "none" (default %(default)s)',
    )
    _stream(command)
    _reading(command)
    command.set_defaults(run=compare.run)


def _stream(command: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """Add how the rows are taken, but for the number of passes."""
    stream = command.add_argument_group("the stream")
    stream.add_argument("--standardize", action="store_true", help="scale features by their deviation")
    stream.add_argument(
        "--dtype", choices=("float32", "float64"), default="float32", help="(default %(default)s)"
    )
    stream.add_argument("--classes", type=values.classes, metavar="A,B,...", help="all labels there will be")
    stream.add_argument(
        "--warmup-rows",
        type=values.positive,
        default=10_000,
        metavar="N",
        help="rows of standard input that are looked at before learning (default %(default)s)",
    )
    return stream


def _apply(commands) -> None:
    predict = _command(commands, "predict", "write one label or number per line for each row", _SCORE, _DATA)
    predict.add_argument("model", metavar="MODEL", help="a model file")
    predict.add_argument("data", metavar="DATA", help="the rows; labels in it are ignored")
    predict.add_argument(
        "-o", "--output", metavar="OUT", help="the file to write, whole or not at all; else standard output"
    )
    predict.add_argument("--decision", action="store_true", help="write scores: one number, or one per class")
    _reading(predict)
    predict.set_defaults(run=apply.predict)

    evaluate = _command(
        commands, "evaluate", "print how well a model predicts a labelled file", _SCORE, _DATA
    )
    evaluate.add_argument("model", metavar="MODEL", help="a model file")
    evaluate.add_argument("data", metavar="DATA", help="the labelled rows")
    _reading(evaluate)
    evaluate.set_defaults(run=apply.evaluate)


def _reading(command: argparse.ArgumentParser) -> None:
    reading = command.add_argument_group("reading the data")
    reading.add_argument("--format", choices=FORMATS, help="instead of a guess from name and content")
    reading.add_argument(
        "--label-column",
        type=values.label_column,
        default=-1,
        metavar="N",
        help="of CSV and .npy: 0 is the first, -1 (default) the last",
    )
    reading.add_argument(
        "--delimiter", type=values.delimiter, default=",", metavar="C", help='of CSV (default ",")'
    )
    command.add_argument("-q", "--quiet", action="store_true", help="no progress")
