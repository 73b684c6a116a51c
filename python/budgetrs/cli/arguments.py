"""The command line's arguments."""

import argparse

from .. import _core
from . import apply, compare, demo, info, predict, train, values
from .learning import DTYPE, WARMUP_ROWS
from .parameters import add_parameters
from .rows import FORMATS

_DATA = """
DATA is LIBSVM or CSV text, plain or compressed (gzip, xz or bzip2, recognised by its first bytes), a NumPy
.npy matrix with the labels in one column, an .npz with arrays X and y, or "-" for standard input. The label
of CSV and .npy is in the last column unless --label-column names another. Data are read in pieces, so memory
does not grow with the file. The exception is a Fortran-ordered matrix in an .npz, in a compressed file or
from a pipe: it is read as a whole.
"""

_TRAIN = """
The rows are learned in the order of the file. A file is first scanned for its classes, its number of
features and, with --standardize, its mean and deviation. A pipe can be read only once: its first
--warmup-rows rows are buffered and scanned instead. Classes that appear later are added, unless --classes
gives all of them. So are LIBSVM features, and gamma remains that of the first rows (with --gamma auto, and
with --gamma scale before row 1024, they are an error). The model file is written at the end, or on Ctrl-C or
SIGTERM with the rows learned so far.

With --resume MODEL, a saved model learns the rows of DATA as if they had followed its own: it becomes what
one run over both would have made. The rows are not scanned first; classes and LIBSVM features that are new to
the model are added. The counts of progressive errors go on too.

With --task regression the labels are targets from -1e15 to 1e15. Reported are the root mean squared error
(RMSE), the mean absolute error (MAE) and, for a test, R^2.
"""

_COMPARE = """
One model for each budget learns all rows in one pass, in the order of the file. Each row is predicted by
every model just before it is learned: the error rate so far is the progressive error (Crammer, Kandola and
Singer 2003 choose the size of their cache by it). The output is the error at some checkpoints and at the end,
the budget with the lowest error, and the smallest budget within one standard error of it. The standard error
is the binomial one, sqrt(p (1 - p) / n) for the progressive error p after n rows. With --task regression the
error is the mean absolute error. Each model is the same as that of "train".

A file is first scanned for its classes, its number of features and, with --standardize, its mean and
deviation. A pipe can be read only once: its first --warmup-rows rows are buffered and scanned instead. On
Ctrl-C or SIGTERM the results for the rows so far are written.
"""

_SCORE = """
The rows are in the same form as for "train": a scaling is part of the model. CSV and NumPy files must have as
many features as the model. LIBSVM rows may have more; those features are taken as zero in all rows that the
model has learned.
"""

_EPILOG = """
Exit codes: 0 success (also when the reader of an output pipe closes it); 1 the data cannot be read or do not
fit the model, or the output cannot be written; 2 invalid arguments; 3 the model file cannot be read or
written; 130 stopped by Ctrl-C, 143 by SIGTERM (a message then says what was saved).
"""


class _Paragraphs(argparse.HelpFormatter):
    """Wraps each paragraph of a description separately."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        return "\n\n".join(fill(paragraph, width, indent) for paragraph in text.split("\n\n"))


def parser() -> argparse.ArgumentParser:
    """Create the parser; each command sets ``run``."""
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

    show = _command(commands, "info", "print the contents of a model file")
    show.add_argument("model", metavar="MODEL", help="a model file")
    _json(show)
    show.set_defaults(run=info.info)

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


def _command(commands, name: str, summary: str, *more: str) -> argparse.ArgumentParser:
    description = "\n\n".join([f"{summary[0].upper()}{summary[1:]}.", *more])
    return commands.add_parser(
        name, help=summary, description=description, epilog=_EPILOG, formatter_class=_Paragraphs
    )


def _train(commands) -> None:
    command = _command(commands, "train", "learn a model from a file or from standard input", _TRAIN, _DATA)
    command.add_argument("data", metavar="DATA", help="the training data")
    command.add_argument("-o", "--output", required=True, metavar="MODEL", help="the model file to write")
    command.add_argument("--test", metavar="FILE", help="a labelled file to test the model on")
    command.add_argument(
        "--resume",
        metavar="MODEL",
        help="a model file to go on with, which keeps its algorithm, parameters, scaling and type; options "
        "that say these are refused; the result is written to -o, which may be the same file",
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
    _reading(command)
    command.set_defaults(run=train.run)


def _compare(commands) -> None:
    command = _command(commands, "compare", "compare several budgets in one pass", _COMPARE, _DATA)
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
    _reading(command)
    command.set_defaults(run=compare.run)


def _stream(command: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """Add the options of the stream, except the number of passes."""
    stream = command.add_argument_group("the stream")
    stream.add_argument(
        "--standardize",
        action="store_true",
        help="standardize the features: mean 0, standard deviation 1; not with --scale online, the default "
        "of online-kernel (give --scale none)",
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


def _apply(commands) -> None:
    command = _command(commands, "predict", "write the prediction of each row, one per line", _SCORE, _DATA)
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
    _reading(command)
    command.set_defaults(run=predict.predict)

    evaluate = _command(
        commands, "evaluate", "measure how well a model predicts a labelled file", _SCORE, _DATA
    )
    evaluate.add_argument("model", metavar="MODEL", help="a model file")
    evaluate.add_argument("data", metavar="DATA", help="the labelled rows")
    _reading(evaluate)
    evaluate.set_defaults(run=apply.evaluate)


def _reading(command: argparse.ArgumentParser) -> None:
    reading = command.add_argument_group("reading the data")
    reading.add_argument(
        "--format", choices=FORMATS, help="file format (default: from the name or the content)"
    )
    reading.add_argument(
        "--label-column",
        type=values.label_column,
        default=-1,
        metavar="N",
        help="label column of CSV and .npy: 0 is the first, -1 (default) the last",
    )
    reading.add_argument(
        "--delimiter",
        type=values.delimiter,
        default=",",
        metavar="C",
        help='field separator of CSV (default ",")',
    )
    command.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    _json(command)


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--json",
        action="store_true",
        help="print one object in JSON a line instead of text: progress as it comes, unless --quiet, and the "
        "results at the end (docs/json.md lists the keys)",
    )
