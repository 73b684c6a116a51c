"""``budgetrs compare``: the progressive errors of several budgets, from one pass over the data."""

import os
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..comparison import BudgetComparison, Training, new_training
from ..comparison.curves import named
from ..comparison.table import formula, kind, shown_error
from . import picture, report, target
from .errors import OK, InterruptionError, UsageError
from .learning import Learning, layout
from .parameters import algorithm, new_learner, task
from .report import Line
from .shuffled import reject_streams
from .signals import shielded
from .source import name_of


def run(args: Namespace) -> int:
    """Train a model for each budget and report the errors."""
    _check_files(args)
    _new_training(args)
    job = Learning(
        args, layout(args), begin=lambda *found: _new_training(args, *found), status=_status, one=_first
    )
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


def _new_training(args: Namespace, classes: np.ndarray | None = None, rows: int = 1) -> Training:
    def make(given: dict[str, Any]) -> Training:
        return new_training(args.budgets, algorithm(args), task=task(args).name, classes=classes, **given)

    return new_learner(args, make, rows)


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
    task(args).reject(args)
    reject_streams(args)
    if args.figure is not None:
        picture.check("--figure", args.figure, args.data)
    if args.csv is not None:
        target.check_file("--csv", args.csv, args.data)
        if args.figure is not None and os.path.realpath(args.csv) == os.path.realpath(args.figure):
            raise UsageError(f"--csv and --figure: expected two files, got {args.csv} for both")


def _curve(comparison: BudgetComparison, at: int) -> dict[str, Any]:
    """Return the numbers of one budget, one for each checkpoint."""
    return {
        "budget": comparison.budgets[at],
        "error": comparison.error[at],
        "standard_error": comparison.standard_error[at],
        "support_vectors": comparison.n_support_vectors[at],
        "seconds": comparison.seconds[at],
    }


def _report_choice(comparison: BudgetComparison) -> None:
    """Print the best budget, and the smallest one within one standard error."""
    last = dict(zip(comparison.budgets, comparison.error[:, -1], strict=True))
    best, sufficient = comparison.best_budget, comparison.sufficient_budget
    deviation = comparison.standard_error[comparison.budgets.index(best), -1]
    report.line("best budget", f"{named(best)} ({shown_error(comparison, last[best])})", best_budget=best)
    report.line(
        "smallest budget within one standard error",
        f"{named(sufficient)} ({shown_error(comparison, last[sufficient])}; "
        f"{formula(comparison)} = {shown_error(comparison, deviation)})",
        sufficient_budget=sufficient,
    )


def _report_baselines(comparison: BudgetComparison, model: Any) -> None:
    """Print the errors of two predictions that need no model; regression compares absolute errors instead."""
    if isinstance(model, _core.Classifier):
        errors = (("most frequent class", "majority_error"), ("previous label", "no_change_error"))
        for key, name in errors:
            error = getattr(model, f"{name}_")
            report.line(f"baseline error, {key}", shown_error(comparison, error), **{name: error})


def _report(job: Learning, seconds: float, *, interrupted: bool = False) -> None:
    """Print the comparison, and write the requested files."""
    comparison: BudgetComparison = job.learner.result()
    args, rows = job.args, int(comparison.rows[-1])
    report.line("rows read", rows, rows_read=rows)
    job.print_stream()
    report.text(
        str(comparison),
        algorithm=comparison.algorithm,
        error_kind=kind(comparison),
        checkpoints=comparison.rows,
        budgets=[_curve(comparison, at) for at in range(len(comparison.budgets))],
    )
    _report_choice(comparison)
    _report_baselines(comparison, job.one(job.learner))
    report.pace(rows, seconds)
    report.memory()
    if args.csv is not None:
        target.write(args.csv, (comparison.to_csv() or "").encode())
        report.file("curves", args.csv)
    if args.figure is not None:
        from .figure import draw_comparison

        name = Path(name_of(args.data)).name
        picture.write(args.figure, draw_comparison(comparison, name, interrupted=interrupted))
        report.file("picture", args.figure)
