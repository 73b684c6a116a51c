"""``budgetrs train``: train a model from a file or a stream."""

import os
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import numpy as np

from . import modelfile, report, resume
from .errors import OK, InterruptionError, UsageError
from .evaluate import evaluate_file, reject_unlabelled
from .layout import Layout
from .learning import Learning, layout
from .parameters import algorithm, new_learner, task
from .report import Line
from .rows import Rows
from .shuffled import reject_streams
from .signals import shielded
from .source import Source, is_rewindable, name_of, status_of
from .target import reject_sources
from .task import Task, task_of


def run(args: Namespace) -> int:
    """Train, save, and print the results."""
    job = _job(args)
    job.check = lambda like: _check_test(args.test, job.layout, like)
    try:
        job.learn()
        modelfile.save(job.learner, args.output)
    except KeyboardInterrupt as stop:
        with shielded():
            saved = _save_part(job)
        _report(job, job.seconds())
        raise InterruptionError(stop, saved) from stop
    _report(job, job.seconds(), args.test)
    return OK


def _job(args: Namespace) -> Learning:
    """Check the arguments and prepare the training."""
    reject_streams(args)
    if args.resume is not None:
        model = resume.load(args)
        _check_files(args)
        return resume.Resuming(args, model, _status(task_of(model)), args.passes or 1)
    task(args).reject(args)
    _check_files(args)
    _new_model(args)
    return Learning(
        args,
        layout(args),
        begin=lambda *found: _new_model(args, *found),
        status=_status(task(args)),
        passes=args.passes or ("auto" if args.shuffle else 1),
        fits=args.shuffle,
    )


def _status(of: Task) -> Callable[[Any], list[Line]]:
    return lambda model: [*of.status(model), report.support_vectors(model)]


def _report(job: Learning, seconds: float, test: str | None = None) -> None:
    """Print the results of training; the model has been saved."""
    rows, model = job.rows_learned(), job.learner
    if rows == 0:
        return
    report.line("rows read", rows, rows_read=rows)
    job.print_stream()
    report.line("support vectors", model.n_support_vectors_, support_vectors=model.n_support_vectors_)
    report.lines(report.drifts(model))
    report.lines(job.task.progressive(model))
    try:
        if test:
            evaluate_file(model, job.task.score(model), test, job.layout, quiet=job.args.quiet).print()
    except KeyboardInterrupt as stop:
        raise InterruptionError(
            stop, f"the test is incomplete; the model is saved in {job.args.output}"
        ) from stop
    finally:
        report.pace(rows, seconds)
        report.memory()
        report.file("model", job.args.output)


def _save_part(job: Learning) -> str:
    """Save the model after an interruption, and return a message about it."""
    rows, path = job.rows_learned(), job.args.output
    if rows == 0:
        return f"no row was learned yet; {path} was not written"
    modelfile.save(job.learner, path)
    return f"the model of the first {rows:,} rows is saved in {path}"


def _check_files(args: Namespace) -> None:
    """Check before the work that the model can be written and overwrites no input."""
    modelfile.check_target(args.output)
    reject_sources(args.output, args.data, args.test)
    once = not is_rewindable(args.data)
    if once and (args.passes or 1) > 1:
        raise UsageError(
            f"--passes {args.passes}: expected a file that can be read again, got {name_of(args.data)}"
        )
    if args.test is None:
        return
    if is_rewindable(args.test):
        Source(args.test).close()
    elif once and os.path.samestat(status_of(args.data), status_of(args.test)):
        raise UsageError(
            f"--test {args.test}: expected a file other than DATA, because a pipe can be read only once"
        )


def _check_test(path: str | None, layout: Layout, like: Any) -> None:
    """Check before the work that the test file has the columns of the data, where these have names."""
    if path is not None and like is not None and is_rewindable(path):
        with Rows(path, layout, like=like, learns=False) as rows:
            reject_unlabelled(rows)


def _new_model(args: Namespace, classes: np.ndarray | None = None, rows: int = 1) -> Any:
    new = task(args).new_model
    return new_learner(args, lambda given: new(algorithm(args), classes, given), rows)
