"""``budgetrs compare``: the progressive errors of several budgets, from one pass over the data."""

import os
from argparse import Namespace
from pathlib import Path
from typing import Any

from .. import _core
from ..comparison import BudgetComparison, Training, new_training
from ..comparison.curves import named
from ..comparison.picture import draw_comparison
from ..comparison.table import formula, kind, shown_error
from . import output, report
from .bytes import is_rewindable, name_of
from .columns import layout_of
from .errors import OK, DataError, InterruptionError, UsageError, shielded
from .files import Data
from .learn import Learning, check_arguments
from .parameters import in_options, new_model
from .report import Line

_BASELINES = (("most frequent class", "majority_error"), ("previous label", "no_change_error"))


def run(args: Namespace) -> int:
    """Train a model for each budget and report the errors."""
    _check_files(args)
    new_model(args, (lambda: 1) if is_rewindable(args.data) else None)
    layout = layout_of(args, task=args.task or "classification")
    with Data(args.data, layout) as data:
        job = Learning(args, data, _status, one=_first)
        try:
            job.learn()
        except KeyboardInterrupt as stop:
            rows = job.rows_learned()
            if rows == 0:
                raise InterruptionError(stop, "no row was learned yet") from stop
            # A second Ctrl-C does not interrupt the output.
            with shielded():
                _report(job, job.seconds(), interrupted=True)
            raise InterruptionError(stop, f"the comparison covers the first {rows:,} rows") from stop
        _report(job, job.seconds())
    return OK


def new(args: Namespace, given: dict[str, Any]) -> Training:
    """Return an untrained model for each budget with these parameters."""
    algorithm = args.algorithm or _core.Classifier().algorithm
    return new_training(
        args.budgets, algorithm, task=args.task or "classification", classes=args.classes, **given
    )


def _first(training: Training) -> Any:
    return next(iter(training.models.values()))


def _status(training: Training) -> list[Line]:
    so_far = training.so_far()
    best = so_far.best_budget
    error = float(so_far.error[so_far.budgets.index(best), -1])
    text = f"progressive error {shown_error(so_far, error)} at budget {named(best)}"
    return [Line("status", text, {"progressive_error": error, "best_budget": best})]


def _check_files(args: Namespace) -> None:
    """Check before the work that all outputs can be written and overwrite no input."""
    check_arguments(args)
    if args.figure is not None:
        output.check_picture("--figure", args.figure, args.data)
    if args.csv is not None:
        output.check_file("--csv", args.csv, args.data)
        if args.figure is not None and os.path.realpath(args.csv) == os.path.realpath(args.figure):
            raise UsageError(f"--csv and --figure: expected two files, got {args.csv} for both")


def _report(job: Learning, seconds: float, *, interrupted: bool = False) -> None:
    """Print the comparison, and write the requested files."""
    try:
        comparison: BudgetComparison = job.model.result()
    except ValueError as error:
        raise DataError(f"{job.data.name}: {in_options(str(error))}") from error
    args, rows = job.args, int(comparison.rows[-1])
    report.line("rows read", rows, rows_read=rows)
    best, sufficient = comparison.best_budget, comparison.sufficient_budget
    at, last = comparison.budgets.index(best), comparison.error[:, -1]
    deviation = shown_error(comparison, comparison.standard_error[at, -1])
    smallest = shown_error(comparison, last[comparison.budgets.index(sufficient)])
    report.text(
        str(comparison),
        algorithm=comparison.algorithm,
        error_kind=kind(comparison),
        checkpoints=comparison.rows,
        budgets=[
            dict(zip(("budget", "error", "standard_error", "support_vectors", "seconds"), curve, strict=True))
            for curve in zip(
                comparison.budgets,
                comparison.error,
                comparison.standard_error,
                comparison.n_support_vectors,
                comparison.seconds,
                strict=True,
            )
        ],
    )
    report.line("best budget", f"{named(best)} ({shown_error(comparison, last[at])})", best_budget=best)
    report.line(
        "smallest budget within one standard error",
        f"{named(sufficient)} ({smallest}; {formula(comparison)} = {deviation})",
        sufficient_budget=sufficient,
    )
    model = job.one(job.model)
    # Two predictions that need no model; regression compares absolute errors instead.
    for key, name in _BASELINES if isinstance(model, _core.Classifier) else ():
        error = getattr(model, f"{name}_")
        report.line(f"baseline error, {key}", shown_error(comparison, error), **{name: error})
    report.pace(rows, seconds)
    report.memory()
    if args.csv is not None:
        output.write(args.csv, (comparison.to_csv() or "").encode())
        report.file("curves", args.csv)
    if args.figure is not None:
        name = Path(name_of(args.data)).name
        output.write_picture(args.figure, draw_comparison(comparison, name, interrupted=interrupted))
        report.file("picture", args.figure)
