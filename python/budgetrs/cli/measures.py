"""The measures of models, from batches, in memory that does not grow with the rows."""

import math
from abc import ABC, abstractmethod
from collections import Counter
from typing import Any

import numpy as np

from .. import _core
from .advice import SHOWN, listed
from .batch import Batch, Labels, label_of
from .errors import DataError
from .report import Line, percent

EXACT_ROWS = 1 << 22
"""The number of rows whose scores are kept for the area under the curve; more rows go to a histogram."""

# The leading bits of a score that select its bin: the sign, the exponent and 11 bits of the mantissa.
_BIN_BITS = 20

# The number of most frequent errors that are listed.
_PAIRS = 10


def progressive(model: Any) -> list[Line]:
    """Return the progressive accuracy or errors, and two predictions that need no model."""
    if isinstance(model, _core.Classifier):
        recent = 1 - model.recent_error_
        return [
            _share("progressive accuracy", "progressive_accuracy", 1 - model.progressive_error_),
            _share("progressive accuracy, last 1,000 rows", "recent_accuracy", recent),
            *_baselines(1 - model.majority_error_, 1 - model.no_change_error_),
        ]
    return [
        *_errors("progressive", model.mean_squared_error_, model.mean_absolute_error_),
        _number("progressive MAE, last 1,000 rows", "recent_mae", model.recent_error_),
        *_rmse_baselines(model.constant_error_, model.no_change_error_),
    ]


def status(model: Any) -> list[Line]:
    """Return short lines on the progressive accuracy or errors, the most important first."""
    return _shortly(progressive(model)[: 1 if isinstance(model, _core.Classifier) else 2])


def _shortly(lines: list[Line]) -> list[Line]:
    """Return lines for a display of progress, which shows only values."""
    return [line._replace(value=f"{line.key} {line.value}") for line in lines]


def _share(key: str, name: str, part: float) -> Line:
    return Line(key, percent(part, 1), {name: part})


def _number(key: str, name: str, value: float) -> Line:
    return Line(key, f"{value:.6g}", {name: value})


def _errors(prefix: str, square: float, absolute: float) -> list[Line]:
    return [
        _number(f"{prefix} RMSE", f"{prefix}_rmse", math.sqrt(square)),
        _number(f"{prefix} MAE", f"{prefix}_mae", absolute),
    ]


def _baselines(majority: float, no_change: float) -> list[Line]:
    return [
        _share("baseline accuracy, most frequent class", "majority_accuracy", majority),
        _share("baseline accuracy, previous label", "no_change_accuracy", no_change),
    ]


def _rmse_baselines(constant: float, no_change: float) -> list[Line]:
    return [
        _number("baseline RMSE, mean target", "constant_rmse", math.sqrt(constant)),
        _number("baseline RMSE, previous target", "no_change_rmse", math.sqrt(no_change)),
    ]


class Score(ABC):
    """How well the rows of a labelled file are predicted; a brief score has fewer measures."""

    rows = 0
    methods: tuple[str, ...] = ("predict",)
    """The methods of the model whose results `add` takes."""

    @abstractmethod
    def add(self, batch: Batch, *found: np.ndarray) -> None:
        """Add the predictions of a batch."""

    @abstractmethod
    def lines(self) -> list[Line]:
        """Return the lines to print at the end."""

    @abstractmethod
    def status(self) -> list[Line]:
        """Return short lines on the progress, the most important first."""


def score_of(model: Any, *, brief: bool = False) -> Score:
    """Return an empty score for a model."""
    return (Hits if isinstance(model, _core.Classifier) else Residuals)(model, brief=brief)


class Places:
    """The places of labels: the class of the model, or after the classes the other labels in order."""

    def __init__(self, classes: np.ndarray) -> None:
        self._as_text = classes.dtype.kind == "U"
        self.names: list[Any] = classes.tolist()
        self.n_classes: int = len(self.names)
        self._places = {name: at for at, name in enumerate(self.names)}

    def of(self, labels: Labels) -> np.ndarray:
        """Return the place of each label."""
        return np.array([self._place(name) for name in labels.names], np.int64)[labels.codes]

    def _place(self, name: Any) -> int:
        key = str(name) if self._as_text else name
        if key not in self._places:
            self._places[key] = len(self.names)
            self.names.append(name)
        return self._places[key]

    def listed(self) -> str:
        """List the classes for a message."""
        return listed(self.names[: self.n_classes], 30)


class Hits(Score):
    """Accuracy, balanced accuracy, macro F1, the confusion matrix, and if they exist log loss and AUC.

    Labels that are unknown to the model count as classes that it never predicts; log loss and AUC skip their
    rows.
    """

    def __init__(self, model: Any, *, brief: bool) -> None:
        self._places = Places(model.classes_)
        self._n_classes = len(model.classes_)
        # A fractional number as a class usually means a regression target.
        self._may_be_fractions = any(isinstance(label_of(str(name)), float) for name in self._places.names)
        more = ["predict_proba"] if model.has_probabilities and not brief else []
        self.methods: tuple[str, ...] = ("decision_function", *more)
        self._brief, self._right, self._log_loss = brief, 0, 0.0
        # The rows of each pair of a label's place and a predicted class.
        self._pairs: Counter[tuple[int, int]] = Counter()
        self._area = Area() if self._n_classes == 2 and not brief else None
        # The last label, and how often the label changed.
        self._last: np.ndarray = np.zeros(0, np.int64)
        self._changes = 0

    def add(self, batch: Batch, *found: np.ndarray) -> None:  # noqa: D102
        scores, *probabilities = found
        truth = self._truth(batch)
        one = (scores > 0) & (self._n_classes > 1) if scores.ndim == 1 else scores.argmax(axis=1)
        predicted = one.astype(np.int64)
        self.rows += len(truth)
        self._right += int((predicted == truth).sum())
        codes, counts = np.unique(truth * self._n_classes + predicted, return_counts=True)
        places = (divmod(code, self._n_classes) for code in codes.tolist())
        self._pairs.update(dict(zip(places, counts.tolist(), strict=True)))
        self._changes += int(np.count_nonzero(np.diff(truth, prepend=self._last)))
        self._last = truth[-1:]
        known = truth < self._n_classes
        if self._area is not None:
            self._area.add(truth[known], scores[known])
        for each in probabilities:
            least = float(np.finfo(each.dtype).eps)
            own = each[known, truth[known]].astype(np.float64)
            self._log_loss -= float(np.log(np.clip(own, least, 1 - least)).sum())

    def _truth(self, batch: Batch) -> np.ndarray:
        """Return the places of the labels; a fraction is an error, since models predict classes."""
        assert isinstance(batch.y, Labels)
        fractions = [at for at, name in enumerate(batch.y.names) if isinstance(name, float) and name % 1]
        if fractions and not self._may_be_fractions:
            row = int(np.argmax(np.isin(batch.y.codes, fractions)))
            raise DataError.at(
                batch.where(row),
                f"expected one of the classes {self._places.listed()} of the model, got "
                f"the number {batch.y.names[batch.y.codes[row]]}; --task regression trains regression models",
            )
        return self._places.of(batch.y)

    def status(self) -> list[Line]:  # noqa: D102
        return _shortly([_share("test accuracy", "test_accuracy", self._right / max(1, self.rows))])

    def lines(self) -> list[Line]:  # noqa: D102
        # The rows of each label, the predictions of each class, and the right predictions.
        rows, predicted, right = np.zeros((3, len(self._places.names)))
        for (truth, found), count in self._pairs.items():
            rows[truth] += count
            predicted[found] += count
            right[truth] += count if truth == found else 0
        lines = [_share("test accuracy", "test_accuracy", self._right / self.rows)]
        if unknown := int(rows[self._n_classes :].sum()):
            lines.append(
                Line("rows of unknown classes, counted as wrong", unknown, {"unknown_rows": unknown})
            )
        if self._brief:
            return lines
        either = rows + predicted > 0
        f1 = float(np.mean(2 * right[either] / (rows + predicted)[either]))
        recall = float(np.mean(right[rows > 0] / rows[rows > 0]))
        lines += [
            *_baselines(float(rows.max()) / self.rows, 1 - self._changes / self.rows),
            _share("balanced accuracy", "balanced_accuracy", recall),
            _number("macro F1", "macro_f1", f1),
        ]
        if len(self.methods) == 2 and self.rows > unknown:
            lines.append(_number("log loss", "log_loss", self._log_loss / (self.rows - unknown)))
        if self._area is not None and (area := self._area.value()) is not None:
            is_exact = self._area.is_exact
            how = "" if is_exact else f" (by a histogram, because of more than {EXACT_ROWS:,} rows)"
            lines.append(Line("AUC", f"{area:.6g}{how}", {"auc": area, "auc_is_exact": is_exact}))
        return [*lines, self._confused()]

    def _confused(self) -> Line:
        """Return the confusion matrix, or for many classes the most frequent errors."""
        names, classes = self._places.names, self._places.names[: self._n_classes]
        if len(names) <= SHOWN:
            counts = [
                [self._pairs[truth, found] for found in range(len(classes))] for truth in range(len(names))
            ]
            rows = [[name, *(f"{count:,}" for count in row)] for name, row in zip(names, counts, strict=True)]
            table = [list(map(str, row)) for row in (["", *classes], *rows)]
            widths = [max(map(len, column)) for column in zip(*table, strict=True)]
            text = "\n".join("  ".join(map(str.rjust, row, widths)) for row in table)
            fields = {"labels": names, "classes": classes, "counts": counts}
            key = "confusion matrix (rows: true, columns: predicted)"
            return Line(key, f"\n{text}", {"confusion": fields})
        wrong = [(-count, truth, found) for (truth, found), count in self._pairs.items() if truth != found]
        pairs = [(names[truth], names[found], -count) for count, truth, found in sorted(wrong)[:_PAIRS]]
        text = ", ".join(f"{label} predicted as {found} ({rows:,})" for label, found, rows in pairs) or "none"
        fields = [{"label": label, "predicted": found, "rows": rows} for label, found, rows in pairs]
        return Line("most confused", text, {"most_confused": fields})


class Area:
    """The area under the ROC curve of the scores of two classes, rounded to float32.

    The area is exact up to `EXACT_ROWS` rows. For more rows, scores go into a histogram by their leading
    bits, so that scores of one bin, whose relative difference is at most 1/2048, count as equal.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[np.ndarray, np.ndarray]] = []
        self._rows = 0
        self._bins: np.ndarray | None = None

    @property
    def is_exact(self) -> bool:
        """Whether all scores are kept."""
        return self._bins is None

    def add(self, truth: np.ndarray, scores: np.ndarray) -> None:
        """Add the scores of a batch; `truth` is 1 for rows of the second class, else 0."""
        self._kept.append((truth.astype(bool), _ordered(scores)))
        self._rows += len(truth)
        if self._bins is None and self._rows > EXACT_ROWS:
            self._bins = np.zeros((1 << _BIN_BITS, 2), np.int64)
        if self._bins is not None:
            for truth, codes in self._kept:
                self._bins += _counts(codes >> np.uint32(32 - _BIN_BITS), truth, 1 << _BIN_BITS)
            self._kept = []

    def value(self) -> float | None:
        """Return the area; None unless there are rows of both classes."""
        counts = self._bins
        if counts is None:
            truth, codes = map(np.concatenate, zip(*self._kept, strict=True))
            values, places = np.unique(codes, return_inverse=True)
            counts = _counts(places, truth, len(values))
        lower, upper = counts.T.astype(np.float64)
        pairs = lower.sum() * upper.sum()
        below = np.cumsum(lower) - lower
        return float((upper * (below + lower / 2)).sum() / pairs) if pairs else None


def _counts(places: np.ndarray, truth: np.ndarray, size: int) -> np.ndarray:
    """Count the rows of both classes at each place, shape (size, 2)."""
    return np.bincount(places.astype(np.int64) * 2 + truth, minlength=2 * size).reshape(size, 2)


def _ordered(scores: np.ndarray) -> np.ndarray:
    """Return 32-bit integers in the order of the scores in float32."""
    with np.errstate(over="ignore"):  # a double that overflows to infinity is the largest anyway
        single = scores.astype(np.float32) + np.float32(0)  # so that -0 and 0 are equal
    bits = single.view(np.uint32)
    return np.where(np.signbit(single), ~bits, bits | np.uint32(1 << 31))


class Residuals(Score):
    """RMSE, MAE and R^2 in double precision, and the RMSE of two predictions that need no model."""

    def __init__(self, model: Any, *, brief: bool) -> None:
        self._model, self._brief = model, brief
        self._mean = self._deviations = self._square = self._absolute = self._change = 0.0
        self._span = (math.inf, -math.inf)
        self._last = np.zeros(0)

    def add(self, batch: Batch, *found: np.ndarray) -> None:  # noqa: D102
        y: Any = batch.y
        # Targets out of range raise here as in training.
        self._model.validate(batch.X, y)
        residuals = y - found[0].astype(np.float64)
        self._square += float(residuals @ residuals)
        self._absolute += float(np.abs(residuals).sum())
        # The sum of squared deviations from the mean, by Chan's method.
        total, delta = self.rows + len(y), float(y.mean()) - self._mean
        self._deviations += float(((y - y.mean()) ** 2).sum()) + delta**2 * self.rows * len(y) / total
        self._mean += delta * len(y) / total
        self.rows = total
        self._span = (min(self._span[0], y.min()), max(self._span[1], y.max()))
        changes = np.diff(y, prepend=self._last)
        self._change += float(changes @ changes)
        self._last = y[-1:]

    def lines(self) -> list[Line]:  # noqa: D102
        lines = _errors("test", self._square / self.rows, self._absolute / self.rows)
        # R^2 is undefined if all targets are equal.
        part = None if self._span[0] == self._span[1] else 1 - self._square / self._deviations
        text = "none (all targets are equal)" if part is None else f"{part:.6g}"
        baselines = _rmse_baselines(self._deviations / self.rows, self._change / self.rows)
        return [*lines, Line("test R^2", text, {"test_r2": part}), *([] if self._brief else baselines)]

    def status(self) -> list[Line]:  # noqa: D102
        rows = max(1, self.rows)
        return _shortly(_errors("test", self._square / rows, self._absolute / rows))
