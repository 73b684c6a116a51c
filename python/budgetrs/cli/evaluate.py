"""``budgetrs evaluate``, and the functions that it shares with other commands that use a trained model."""

import time
from argparse import Namespace
from dataclasses import dataclass
from typing import Any

from .. import _core
from . import modelfile, report
from .batch import Batch, Csr
from .errors import OK, DataError, row_error
from .layout import Layout, layout_of
from .progress import progress
from .rows import Rows
from .task import Score, task_of


@dataclass
class Evaluation:
    """The score of an evaluation, its duration, and the number of features that are new to the model."""

    score: Score
    seconds: float
    unseen: int

    def print(self) -> None:
        """Print the score."""
        report.lines(self.score.lines())
        print_unseen(self.unseen)


def evaluate_file(model: Any, score: Score, path: str, layout: Layout, *, quiet: bool) -> Evaluation:
    """Score the predictions of a model for a labelled file; wider rows add features to the model."""
    width = model.n_features_encoded_
    with Rows(path, layout, like=model, learns=False) as rows:
        start = time.perf_counter()
        reject_unlabelled(rows)
        with progress("testing", quiet=quiet) as shown:
            for batch in rows:
                score.add(batch, *(scores(model, method, batch) for method in score.methods))
                shown.update(rows.fraction(), score.rows, *score.status())
    return Evaluation(score, time.perf_counter() - start, model.n_features_encoded_ - width)


def reject_unlabelled(rows: Rows) -> None:
    """Raise if a file has no labels."""
    if not rows.labelled:
        raise DataError(
            f"{rows.name}: expected labels to compare with, got {rows.columns.count} feature columns"
        )


def evaluate(args: Namespace) -> int:
    """Print the score of a model on a labelled file."""
    model = modelfile.load_fitted(args.model)
    task = task_of(model)
    layout = layout_of(args, model, task.name)
    test = evaluate_file(model, task.measures(model), args.data, layout, quiet=args.quiet)
    report.line("rows read", test.score.rows, rows_read=test.score.rows)
    report.line("support vectors", model.n_support_vectors_, support_vectors=model.n_support_vectors_)
    test.print()
    report.pace(test.score.rows, test.seconds)
    report.memory()
    return OK


def print_unseen(features: int) -> None:
    """Print the number of features that are new to the model."""
    if features:
        report.line("unseen features", features, unseen_features=features)


def scores(model: _core.NativeModel, method: str, batch: Batch, *options: Any) -> Any:
    """Predict or score a batch. Features that are new to the model are zero in all rows it has learned."""
    try:
        if isinstance(batch.X, Csr) and batch.X.shape[1] > model.n_features_encoded_:
            model.add_features(batch.X.shape[1], keep_gamma=True)
        return getattr(model, method)(batch.matrix(model.n_features_encoded_), *options)
    except ValueError as error:
        raise row_error(batch.where, error) from error
