"""Classification: each row has a class label."""

from argparse import Namespace
from typing import Any, ClassVar

import numpy as np

from ... import _core
from .. import report
from ..batch import Batch
from ..errors import DataError
from ..labels import ClassTable, class_array
from ..number_text import MISSING_NUMBERS, is_date, main_notation, notation
from ..report import RECENT, Line
from ..scan import Scan
from .accuracy import SHOWN, Accuracy, Measures, baselines
from .base import Score, TargetEncoder, Task


class Classification(Task):
    """Predicts class labels."""

    name = "classification"
    native: ClassVar[type[_core.Classifier] | type[_core.Regressor]] = _core.Classifier

    def new_model(self, algorithm: str, classes: np.ndarray | None, params: dict[str, Any]) -> Any:  # noqa: D102
        return _core.Classifier(algorithm, classes=classes, **params)

    def targets(self, args: Namespace, found: Scan, name: str, *, is_whole: bool) -> TargetEncoder:  # noqa: D102
        known = args.classes_from if args.classes is not None else f"the first {found.n_rows:,} rows"
        classes = class_array(found.labels) if args.classes is None else args.classes
        if is_whole and len(classes) < 2:
            raise DataError(
                f"{name}: expected two or more classes in {found.n_rows:,} rows, "
                f"got only {', '.join(map(str, classes.tolist()))}; --classes A,B,... names all classes"
            )
        may_grow = args.classes is None and not is_whole
        advice = "; --classes A,B,... names all classes"
        return _Classes(classes, known, advice if args.classes_from == "--classes" else "", may_grow=may_grow)

    def advice(self, args: Namespace, found: Scan, name: str) -> str | None:  # noqa: D102
        if args.classes is not None:
            return None
        labels, count = found.labels, len(found.labels)
        texts = [label for label in labels if isinstance(label, str)]
        if len(texts) == 1 and count > 1 and texts[0] in MISSING_NUMBERS:
            raise DataError(
                f"{name}: expected a label in each row, got {texts[0]!r}, which means missing among numbers; "
                f"remove the rows without a label, or name all classes by --classes"
            )
        if args.task is not None:
            return None
        if texts and (count > SHOWN or 2 * count > found.n_rows):
            _reject_text(labels, found.n_rows, name, args.decimal)
        fractions = [label for label in labels if isinstance(label, float)]
        are_numbers = not any(isinstance(label, str) for label in labels)
        if count <= SHOWN or not are_numbers or (2 * len(fractions) <= count and 2 * count <= found.n_rows):
            return None
        return (
            f"the labels are {count:,} distinct numbers in {found.n_rows:,} rows, such as "
            f"{(fractions or labels)[0]}, each taken as a class; --task regression predicts numbers, "
            "--target NAME chooses another column"
        )

    def resumed(self, model: _core.Classifier) -> TargetEncoder:  # noqa: D102
        return _Classes(model.classes_, "the model", may_grow=True)

    def progressive(self, model: _core.Classifier) -> list[Line]:  # noqa: D102
        accuracy, recent = 1 - model.progressive_error_, 1 - model.recent_error_
        return [
            Line("progressive accuracy", report.percent(accuracy, 1), {"progressive_accuracy": accuracy}),
            Line(RECENT.format("accuracy"), report.percent(recent, 1), {"recent_accuracy": recent}),
            *baselines(1 - model.majority_error_, 1 - model.no_change_error_),
        ]

    def status(self, model: _core.Classifier) -> list[Line]:  # noqa: D102
        line = self.progressive(model)[0]
        return [line._replace(value=f"{line.key} {line.value}")]

    def score(self, model: _core.Classifier) -> Score:  # noqa: D102
        return Accuracy(model.classes_)

    def measures(self, model: _core.Classifier) -> Score:  # noqa: D102
        return Measures(model)

    def described(self, model: _core.Classifier) -> list[Line]:  # noqa: D102
        if not hasattr(model, "classes_"):
            return []
        classes = model.classes_
        shown = ", ".join([*map(str, classes[:SHOWN].tolist()), *(["..."] if len(classes) > SHOWN else [])])
        return [
            Line("number of classes", len(classes), {"n_classes": len(classes)}),
            Line("classes", shown, {"classes": classes}),
        ]


def _reject_text(labels: list[Any], rows: int, name: str, decimal: str) -> None:
    """Raise if most labels look like numbers or dates, which the reader has not read as numbers."""
    texts = [label for label in labels if isinstance(label, str)]
    found, dates = main_notation(texts, decimal), [text for text in texts if is_date(text)]
    if found and 2 * (found[1] + len(labels) - len(texts)) > len(labels):
        text = next(text for text in texts if notation(text, decimal) is found[0])
        what, advice = f"with {found[0].what}", f"{found[0].in_file}, and --task regression predicts numbers"
    elif 2 * len(dates) > len(labels):
        text, what, advice = dates[0], "a date or time", "--target NAME chooses another column"
    else:
        return
    raise DataError(
        f"{name}: expected class labels, got {len(labels):,} distinct values in {rows:,} rows, such as "
        f"{text!r}, {what}; {advice}; --task classification takes each value as a class"
    )


class _Classes(TargetEncoder):
    """The class of each row; other labels are new classes, or rejected."""

    def __init__(self, classes: np.ndarray, known: str, advice: str = "", *, may_grow: bool) -> None:
        # With a single class the list is left open: the model adds classes as they appear.
        self.classes = classes if len(classes) > 1 else None
        self._table = ClassTable(classes)
        self._known = known
        self._advice = advice
        self._may_grow = may_grow

    def of(self, batch: Batch) -> np.ndarray:
        indices = self._table.indices(batch.y)
        if self._may_grow and (indices < 0).any():
            self.new = (*self.new, *self._table.add(batch.y))
            indices = self._table.indices(batch.y)
        if (indices < 0).any():
            row = int(np.argmax(indices < 0))
            raise DataError(
                f"{batch.where(row)}: expected {self._expected()}, got {batch.y.of(row)}{self._advice}",
                located=True,
            )
        return self._table.classes[indices]

    def _expected(self) -> str:
        """Return the text of the valid labels."""
        if self._may_grow:
            return f"{self._table.kind()}, as all classes of {self._known}"
        return f"one of the classes {self._table.named()} ({self._known})"
