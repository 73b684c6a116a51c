"""``budgetrs train``: train a model from a file or a stream."""

import json
import os
from argparse import Namespace
from dataclasses import replace
from typing import Any

from . import measures, output, report
from .advice import listed
from .bytes import Source, is_rewindable, name_of, status_of
from .columns import Layout, layout_of
from .errors import OK, DataError, InterruptionError, UsageError, shielded
from .files import Data
from .learn import Learning, check_arguments
from .parameters import TASKS, new_model, option, task_of
from .predict import evaluate_file, reject_unlabelled, report_score
from .progress import Progress
from .report import Line

# Options of a new model in addition to its parameters; a saved model has these settings already.
_OF_NEW = ("task", "algorithm", "scaling", "dtype", "classes", "categorical")


def new(args: Namespace, given: dict[str, Any]) -> Any:
    """Return an untrained model with these parameters."""
    task = args.task or "classification"
    more = {"classes": args.classes} if task == "classification" else {}
    return TASKS[task](*([] if args.algorithm is None else [args.algorithm]), **more, **given)


def run(args: Namespace) -> int:
    """Train, save, and print the results."""
    check_arguments(args)
    model = None if args.resume is None else _resumed(args)
    _check_files(args)
    if model is None:
        new_model(args, (lambda: 1) if is_rewindable(args.data) else None)
    task = (args.task or "classification") if model is None else task_of(model)
    layout = layout_of(args, task=task, model=model)
    with Data(args.data, layout, like=model) as data:
        if not data.labelled:
            raise DataError(f"{data.name}: expected labels to train on, got only feature columns")
        job = Learning(args, data, _status, model=model, fits=args.shuffle)
        # The test file is read as the data.
        layout = replace(layout, zero_based=data.file.zero_based)
        if layout.zero_based and args.zero_based == "auto":
            Progress("").warn(
                f"the indices of {data.name} start at 0, which the model does not store: give --zero-based "
                "yes with each later file"
            )
        _check_test(args.test, layout, data)
        before = None if model is None else (model.n_features_encoded_, len(getattr(model, "classes_", ())))
        try:
            job.learn()
            output.save_model(job.model, args.output)
        except KeyboardInterrupt as stop:
            rows = job.rows_learned()
            saved = f"no row was learned yet; {args.output} was not written"
            with shielded():
                if rows:
                    output.save_model(job.model, args.output)
                    saved = f"the model of the first {rows:,} rows is saved in {args.output}"
            if rows:
                _report(job, layout, before, job.seconds())
            raise InterruptionError(stop, saved) from stop
        _report(job, layout, before, job.seconds(), args.test)
    return OK


def _status(model: Any) -> list[Line]:
    return [*measures.status(model), report.support_vectors(model)]


def _report(
    job: Learning, layout: Layout, before: tuple[int, int] | None, seconds: float, test: str | None = None
) -> None:
    """Print the results of training, of a model that has been saved; `before`: its features and classes."""
    rows, model = job.rows_learned(), job.model
    report.line("rows read", rows, rows_read=rows)
    if before is not None:
        width, n_classes = before
        known = model.n_samples_seen_ - rows
        report.line("rows learned before", known, rows_learned_before=known)
        if new := model.n_features_encoded_ - width:
            report.line("new features", f"{new:,} of {model.n_features_encoded_:,}", new_features=new)
        if added := model.classes_[n_classes:].tolist() if n_classes else []:
            report.line("new classes", ", ".join(map(str, added)), new_classes=added)
    report.line("support vectors", model.n_support_vectors_, support_vectors=model.n_support_vectors_)
    report.lines([*report.drifts(model), *measures.progressive(model)])
    try:
        if test:
            score = measures.score_of(model, brief=True)
            _, unseen = evaluate_file(model, score, test, layout, quiet=job.args.quiet)
            report_score(score, unseen)
    except KeyboardInterrupt as stop:
        saved = f"the test is incomplete; the model is saved in {job.args.output}"
        raise InterruptionError(stop, saved) from stop
    finally:
        report.pace(rows, seconds)
        report.memory()
        report.file("model", job.args.output)


def _resumed(args: Namespace) -> Any:
    """Load the model whose training continues, after a check that no option would change it."""
    given = [name for name, _ in args.settings]
    given += [name for name in ("budget", "seed") if hasattr(args, name)]
    given += [name for name in _OF_NEW if getattr(args, name) is not None]
    why = f"{args.resume} keeps its algorithm, parameters, scaling and dtype"
    if args.shuffle:
        given, why = ["shuffle"], f"shuffle the rows of {args.data} before, such as by shuf"
    if given:
        raise UsageError(f"{option(given[0])} cannot be combined with --resume: {why}")
    model = output.load_fitted(args.resume)
    if model.metadata:
        names = listed(map(json.dumps, model.metadata))
        Progress("").warn(
            f"{args.output} keeps the metadata of {args.resume} ({names}), which say nothing about the rows "
            f"of {args.data}; change them by model.metadata in Python"
        )
    return model


def _check_files(args: Namespace) -> None:
    """Check before the work that the model can be written and overwrites no input."""
    output.check_model(args.output)
    output.reject_sources(args.output, args.data, args.test)
    once = not is_rewindable(args.data)
    if once and (args.passes or 1) > 1:
        what = f"expected a file that can be read again, got {name_of(args.data)}"
        raise UsageError(f"--passes {args.passes}: {what}")
    if args.test is None:
        return
    if is_rewindable(args.test):
        Source(args.test).__exit__()
    elif once and os.path.samestat(status_of(args.data), status_of(args.test)):
        what = "expected a file other than DATA, because a pipe can be read only once"
        raise UsageError(f"--test {args.test}: {what}")


def _check_test(path: str | None, layout: Layout, data: Data) -> None:
    """Check before the work that the test file has labels and the columns of the data."""
    if path is None or not is_rewindable(path):
        return
    with Data(path, layout) as test:
        reject_unlabelled(test)
        names, other = data.names or [], test.names or []
        if names and other and set(other) != set(names):
            got = [f'no column "{name}"' for name in sorted(set(names) - set(other))]
            got += [f'the new column "{name}"' for name in sorted(set(other) - set(names))]
            raise DataError(f"{test.name}: expected the columns of {data.name}, got {', '.join(got[:5])}")
