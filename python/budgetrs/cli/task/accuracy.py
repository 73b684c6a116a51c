"""Measures of a classifier: the accuracy, and for ``evaluate`` all others."""

from typing import Any

import numpy as np

from ... import _core
from .. import report
from ..batch import Batch
from ..errors import DataError
from ..labels import ClassTable
from ..report import Line
from .base import Score
from .measures import EXACT_ROWS, Area, Confusion, LogLoss

SHOWN = 20
"""The largest number of classes that are listed or have a table."""

_PAIRS = 10


def baselines(majority: float, no_change: float) -> list[Line]:
    """Return the lines of the accuracies of two predictions that need no model."""
    return [
        Line(f"baseline accuracy, {key}", report.percent(value, 1), {name: value})
        for key, name, value in (
            ("most frequent class", "majority_accuracy", majority),
            ("previous label", "no_change_accuracy", no_change),
        )
    ]


class Accuracy(Score):
    """The accuracy; rows whose label is unknown to the model count as wrong."""

    def __init__(self, classes: np.ndarray) -> None:
        self._table = ClassTable(classes)
        self._classes_only = not self._table.has_fractions()
        self._right = 0
        self._unknown = 0

    def add(self, batch: Batch, *found: np.ndarray) -> None:  # noqa: D102
        (predicted,) = found
        truth = self._table.indices(batch.y)
        self._count(batch, truth, predicted == self._table.classes[truth])

    def _count(self, batch: Batch, truth: np.ndarray, hits: np.ndarray) -> None:
        """Count the rows of a batch; `hits` is ignored in rows with unknown labels."""
        known = truth >= 0
        self._reject_numbers(batch, known)
        self.rows += len(batch)
        self._unknown += int((~known).sum())
        self._right += int(hits[known].sum())

    def _reject_numbers(self, batch: Batch, known: np.ndarray) -> None:
        """Reject a file of regression targets, which cannot be predicted by classes."""
        if not self._classes_only:
            return
        for row in np.flatnonzero(~known):
            if isinstance(label := batch.y.of(row), float):
                raise DataError(
                    f"{batch.where(int(row))}: expected one of the classes {self._table.named()} of the "
                    f"model, got the number {label}; --task regression trains regression models",
                    located=True,
                )

    def lines(self) -> list[Line]:  # noqa: D102
        lines = [self._accuracy("test accuracy", "test_accuracy")]
        if self._unknown:
            fields = {"unknown_rows": self._unknown}
            lines.append(Line("rows of unknown classes, counted as wrong", self._unknown, fields))
        return lines

    def status(self) -> list[Line]:  # noqa: D102
        line = self._accuracy("test accuracy", "test_accuracy")
        return [line._replace(value=f"{line.key} {line.value}")]

    def _accuracy(self, key: str, name: str) -> Line:
        return Line(key, report.percent(self._right, self.rows), {name: report.share(self._right, self.rows)})


class Measures(Accuracy):
    """Accuracy, balanced accuracy, macro F1, the confusion matrix, and if they exist log loss and AUC.

    Labels that are unknown to the model count as classes that it never predicts; log loss and AUC skip their
    rows.
    """

    def __init__(self, model: _core.Classifier) -> None:
        super().__init__(model.classes_)
        self.methods: tuple[str, ...] = (
            "decision_function",
            *(["predict_proba"] if model.has_probabilities else []),
        )
        self._n_classes = len(model.classes_)
        self._confusion = Confusion(self._n_classes)
        self._area = Area() if self._n_classes == 2 else None
        self._log_loss = LogLoss() if len(self.methods) == 2 else None
        self._names: list[Any] = []
        # The rows of each label of the file, the last label, and how often the label changed.
        self._counts = np.zeros(0, np.int64)
        self._last: np.ndarray = np.zeros(0, np.int64)
        self._changes = 0

    def add(self, batch: Batch, *found: np.ndarray) -> None:  # noqa: D102
        scores, *probabilities = found
        truth = self._table.indices(batch.y)
        predicted = _predicted(scores, self._n_classes)
        self._count(batch, truth, predicted == truth)
        known = truth >= 0
        self._confusion.add(np.where(known, truth, self._n_classes + batch.y.codes), predicted)
        self._names = batch.y.names
        codes = batch.y.codes.astype(np.int64)
        counts = np.bincount(codes, minlength=len(self._counts))
        counts[: len(self._counts)] += self._counts
        self._counts = counts
        self._changes += int(np.count_nonzero(np.diff(codes, prepend=self._last)))
        self._last = codes[-1:]
        if self._area is not None:
            self._area.add(truth[known], scores[known])
        if self._log_loss is not None:
            self._log_loss.add(truth[known], probabilities[0][known])

    def lines(self) -> list[Line]:  # noqa: D102
        balanced, f1 = self._confusion.balanced_accuracy(), self._confusion.macro_f1()
        lines = [
            *super().lines(),
            *baselines(self._counts.max() / self.rows, 1 - self._changes / self.rows),
            Line("balanced accuracy", report.percent(balanced, 1), {"balanced_accuracy": balanced}),
            Line("macro F1", f"{f1:.6g}", {"macro_f1": f1}),
        ]
        if self._log_loss is not None and (loss := self._log_loss.value()) is not None:
            lines.append(Line("log loss", f"{loss:.6g}", {"log_loss": loss}))
        if self._area is not None and (area := self._area.value()) is not None:
            how = (
                "" if self._area.is_exact else f" (by a histogram, because of more than {EXACT_ROWS:,} rows)"
            )
            fields = {"auc": area, "auc_is_exact": self._area.is_exact}
            lines.append(Line("AUC", f"{area:.6g}{how}", fields))
        return [*lines, *self._confused()]

    def _confused(self) -> list[Line]:
        """Return the confusion matrix, or for many classes the most frequent errors."""
        names = [*self._table.classes.tolist(), *self._names]
        labels = [*range(self._n_classes), *self._confusion.unknown()]
        if len(labels) <= SHOWN:
            counts = self._confusion.matrix(labels)
            text = _table(names, labels, self._n_classes, counts)
            fields = {
                "labels": [names[at] for at in labels],
                "classes": self._table.classes,
                "counts": counts,
            }
            return [
                Line("confusion matrix (rows: true, columns: predicted)", f"\n{text}", {"confusion": fields})
            ]
        pairs = [(names[at], names[found], rows) for at, found, rows in self._confusion.most_confused(_PAIRS)]
        text = ", ".join(f"{label} predicted as {found} ({rows:,})" for label, found, rows in pairs) or "none"
        fields = [{"label": label, "predicted": found, "rows": rows} for label, found, rows in pairs]
        return [Line("most confused", text, {"most_confused": fields})]


def _predicted(scores: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the index of the class that the scores predict, as the model does."""
    if scores.ndim == 2:
        return scores.argmax(axis=1)
    return ((scores > 0) & (n_classes > 1)).astype(np.int64)


def _table(names: list[Any], labels: list[int], n_classes: int, counts: np.ndarray) -> str:
    """Format the confusion matrix."""
    heads = [str(name) for name in names[:n_classes]]
    rows = [
        [str(names[at]), *(f"{count:,}" for count in row)]
        for at, row in zip(labels, counts.tolist(), strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(["", *heads], *rows, strict=True)]
    return "\n".join("  ".join(map(str.rjust, row, widths)) for row in (["", *heads], *rows))
