"""``budgetrs train --resume``: training of a saved model continues."""

from argparse import Namespace
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from . import modelfile, report
from .batch import Batch
from .errors import DataError, UsageError
from .layout import layout_of
from .learning import Learning
from .parameters import option
from .report import Line
from .rows import Rows
from .task import Task, task_of
from .task.base import TargetEncoder

# Options of a new model in addition to its parameters; a saved model has these settings already.
_OF_NEW = ("task", "algorithm", "scaling", "dtype", "classes", "scan_rows", "categorical")


class Resuming(Learning):
    """Training of a saved model, which keeps its parameters, scaling and dtype.

    The rows are not scanned before. New features and classes are added, as in a stream.
    """

    def __init__(
        self, args: Namespace, model: Any, status: Callable[[Any], list[Line]], passes: int = 1
    ) -> None:
        layout = layout_of(args, model, task_of(model).name)
        super().__init__(args, layout, begin=lambda *_: model, status=status, passes=passes, learner=model)
        self._before = model.n_samples_seen_
        self._width = self._known_width = model.n_features_encoded_
        self._known, self._advice = "in the model", ""
        self.targets: TargetEncoder = self.task.resumed(model)

    @property
    def task(self) -> Task:  # noqa: D102
        return task_of(self.learner)

    def rows_learned(self) -> int:  # noqa: D102
        return self.learner.n_samples_seen_ - self._before

    def print_stream(self) -> None:  # noqa: D102
        report.line("rows learned before", self._before, rows_learned_before=self._before)
        super().print_stream()

    def _opened(self) -> Rows:
        rows = Rows(self.args.data, self.layout, like=self.learner)
        if not rows.labelled:
            rows.__exit__()
            raise DataError(
                f"{rows.name}: expected labels to train on, got {rows.columns.count} feature columns"
            )
        self._read_alike(rows)
        return rows

    def _start(self, rows: Rows, stack: ExitStack) -> tuple[Rows, Iterable[Batch]]:  # noqa: ARG002
        return rows, rows


def load(args: Namespace) -> Any:
    """Load the model, after a check that no option would change it."""
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
    return modelfile.load_fitted(args.resume)
