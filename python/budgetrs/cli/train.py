"""``budgetrs train``: train a model from a file or a stream."""

import os
from argparse import Namespace
from dataclasses import replace
from typing import Any

from . import measures, output, report
from .bytes import Source, is_rewindable, name_of, status_of
from .columns import Layout, layout_of
from .errors import OK, DataError, InterruptionError, UsageError, shielded
from .files import Data
from .learn import Learning, reject_streams
from .parameters import TASKS, new_model, option, task_of
from .predict import evaluate_file, reject_unlabelled
from .progress import Progress

# Options of a new model in addition to its parameters; a saved model has these settings already.
_OF_NEW = ("task", "algorithm", "scaling", "dtype", "classes", "categorical")


def new(args: Namespace, given: dict[str, Any]) -> Any:
    """Return an untrained model with these parameters."""
    task = args.task or "classification"
    more = {"classes": args.classes} if task == "classification" else {}
    return TASKS[task](*([] if args.algorithm is None else [args.algorithm]), **more, **given)


def reject_classes(args: Namespace) -> None:
    """Raise if classes are named for regression."""
    if args.task == "regression" and args.classes is not None:
        raise UsageError("--classes cannot be combined with --task regression")


def run(args: Namespace) -> int:
    """Train, save, and print the results."""
    reject_streams(args)
    reject_classes(args)
    model = None if args.resume is None else _resumed(args)
    _check_files(args)
    if model is None:
        new_model(args, (lambda: 1) if is_rewindable(args.data) else None)
    task = (args.task or "classification") if model is None else task_of(model)
    layout = layout_of(args, task=task, model=model)
    with Data(args.data, layout, like=model) as data:
        if not data.labelled:
            raise DataError(f"{data.name}: expected labels to train on, got only feature columns")
        job = Learning(
            args,
            data,
            lambda model: [*measures.status(model), report.support_vectors(model)],
            model=model,
            passes=args.passes or ("auto" if args.shuffle else 1),
            fits=args.shuffle,
        )
        # The test file is read as the data.
        layout = replace(layout, zero_based=data.file.zero_based)
        if layout.zero_based and args.zero_based == "auto":
            Progress("").warn(
                f"the indices of {data.name} start at 0, which the model does not store: give --zero-based "
                "yes with each later file"
            )
        _check_test(args.test, layout, data)
        before = None if model is None else (model.n_features_encoded_, len(getattr(model, "classes_", ())))
        return _trained(args, job, layout, before)


def _trained(args: Namespace, job: Learning, layout: Layout, before: tuple[int, int] | None) -> int:
    try:
        job.learn()
        output.save_model(job.model, args.output)
    except KeyboardInterrupt as stop:
        with shielded():
            saved = _save_part(job)
        _report(job, layout, before, job.seconds())
        raise InterruptionError(stop, saved) from stop
    _report(job, layout, before, job.seconds(), args.test)
    return OK


def _report(
    job: Learning, layout: Layout, before: tuple[int, int] | None, seconds: float, test: str | None = None
) -> None:
    """Print the results of training; the model has been saved."""
    rows, model = job.rows_learned(), job.model
    if rows == 0:
        return
    report.line("rows read", rows, rows_read=rows)
    if before is not None:
        _report_new(model, rows, *before)
    report.line("support vectors", model.n_support_vectors_, support_vectors=model.n_support_vectors_)
    report.lines(report.drifts(model))
    report.lines(measures.progressive(model))
    try:
        if test:
            score = measures.score_of(model, brief=True)
            evaluate_file(model, score, test, layout, quiet=job.args.quiet).print()
    except KeyboardInterrupt as stop:
        raise InterruptionError(
            stop, f"the test is incomplete; the model is saved in {job.args.output}"
        ) from stop
    finally:
        report.pace(rows, seconds)
        report.memory()
        report.file("model", job.args.output)


def _report_new(model: Any, rows: int, width: int, n_classes: int) -> None:
    """Print what a model learned before, and what is new to it."""
    known = model.n_samples_seen_ - rows
    report.line("rows learned before", known, rows_learned_before=known)
    if new := model.n_features_encoded_ - width:
        report.line("new features", f"{new:,} of {model.n_features_encoded_:,}", new_features=new)
    if added := model.classes_[n_classes:].tolist() if n_classes else []:
        report.line("new classes", ", ".join(map(str, added)), new_classes=added)


def _save_part(job: Learning) -> str:
    """Save the model after an interruption, and return a message about it."""
    rows, path = job.rows_learned(), job.args.output
    if rows == 0:
        return f"no row was learned yet; {path} was not written"
    output.save_model(job.model, path)
    return f"the model of the first {rows:,} rows is saved in {path}"


def _resumed(args: Namespace) -> Any:
    """Load the model whose training continues, after a check that no option would change it."""
    given = [name for name, _ in args.settings]
    given += [name for name in ("budget", "seed") if hasattr(args, name)]
    given += [name for name in _OF_NEW if getattr(args, name) is not None]
    if args.shuffle:
        raise UsageError(
            f"--shuffle cannot be combined with --resume: shuffle the rows of {args.data} before, such as by "
            "shuf"
        )
    if given:
        raise UsageError(
            f"{option(given[0])} cannot be combined with --resume: {args.resume} keeps its algorithm, "
            "parameters, scaling and dtype"
        )
    return output.load_fitted(args.resume)


def _check_files(args: Namespace) -> None:
    """Check before the work that the model can be written and overwrites no input."""
    output.check_model(args.output)
    output.reject_sources(args.output, args.data, args.test)
    once = not is_rewindable(args.data)
    if once and (args.passes or 1) > 1:
        raise UsageError(
            f"--passes {args.passes}: expected a file that can be read again, got {name_of(args.data)}"
        )
    if args.test is None:
        return
    if is_rewindable(args.test):
        Source(args.test).__exit__()
    elif once and os.path.samestat(status_of(args.data), status_of(args.test)):
        raise UsageError(
            f"--test {args.test}: expected a file other than DATA, because a pipe can be read only once"
        )


def _check_test(path: str | None, layout: Layout, data: Data) -> None:
    """Check before the work that the test file has labels and the columns of the data."""
    if path is None or not is_rewindable(path):
        return
    with Data(path, layout) as test:
        reject_unlabelled(test)
        if data.names and test.names and set(test.names) != set(data.names):
            missing, more = (
                sorted(set(data.names) - set(test.names)),
                sorted(set(test.names) - set(data.names)),
            )
            got = [f'no column "{name}"' for name in missing] + [f'the new column "{name}"' for name in more]
            raise DataError(f"{test.name}: expected the columns of {data.name}, got {', '.join(got[:5])}")
