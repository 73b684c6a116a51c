"""The measures of models, from batches, in memory that does not grow with the rows."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import _core
from . import report
from .advice import SHOWN
from .batch import Batch, Labels, label_of
from .errors import DataError
from .report import RECENT, Line

EXACT_ROWS = 1 << 22
"""The number of rows whose scores are kept for the area under the curve; more rows go to a histogram."""

# The leading bits of a score that select its bin: the sign, the exponent and 11 bits of the mantissa.
_BIN_BITS = 20

# The number of most frequent errors that are listed.
_PAIRS = 10


def progressive(model: Any) -> list[Line]:
    """Return the progressive accuracy or errors, and the baselines."""
    if isinstance(model, _core.Classifier):
        accuracy, recent = 1 - model.progressive_error_, 1 - model.recent_error_
        return [
            Line("progressive accuracy", report.percent(accuracy, 1), {"progressive_accuracy": accuracy}),
            Line(RECENT.format("accuracy"), report.percent(recent, 1), {"recent_accuracy": recent}),
            *_baselines(1 - model.majority_error_, 1 - model.no_change_error_),
        ]
    errors = _errors(model.mean_squared_error_, model.mean_absolute_error_)
    return [
        *(_line("progressive", name, f"{error:.6g}", error) for name, error in errors),
        Line(RECENT.format("MAE"), f"{model.recent_error_:.6g}", {"recent_mae": model.recent_error_}),
        *_rmse_baselines(model.constant_error_, model.no_change_error_),
    ]


def status(model: Any) -> list[Line]:
    """Return short lines on the progressive accuracy or errors, the most important first."""
    if isinstance(model, _core.Classifier):
        line = progressive(model)[0]
        return [line._replace(value=f"{line.key} {line.value}")]
    rmse, mae = (error for _, error in _errors(model.mean_squared_error_, model.mean_absolute_error_))
    first = _line("progressive", "RMSE", f"progressive RMSE {rmse:.4g}", rmse)
    return [first, _line("progressive", "MAE", f"MAE {mae:.4g}", mae)]


def _baselines(majority: float, no_change: float) -> list[Line]:
    """Return the lines of the accuracies of two predictions that need no model."""
    return [
        Line(f"baseline accuracy, {key}", report.percent(value, 1), {name: value})
        for key, name, value in (
            ("most frequent class", "majority_accuracy", majority),
            ("previous label", "no_change_accuracy", no_change),
        )
    ]


def _errors(square: float, absolute: float) -> list[tuple[str, float]]:
    """Return RMSE and MAE with their names."""
    return [("RMSE", math.sqrt(square)), ("MAE", absolute)]


def _line(prefix: str, name: str, text: str, error: float | None) -> Line:
    """Return the line of an error, with its field."""
    key = "r2" if name == "R^2" else name.lower()
    return Line(f"{prefix} {name}", text, {f"{prefix}_{key}": error})


def _rmse_baselines(constant: float, no_change: float) -> list[Line]:
    """Return the lines of two predictions that need no model, from their mean squared errors."""
    errors = (("mean target", "constant_rmse", constant), ("previous target", "no_change_rmse", no_change))
    return [
        Line(f"baseline RMSE, {key}", f"{math.sqrt(square):.6g}", {name: math.sqrt(square)})
        for key, name, square in errors
    ]


class Score(ABC):
    """A measure of how well the rows of a labelled file are predicted."""

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


def score_of(model: Any) -> Score:
    """Return an empty score for a model."""
    return Accuracy(model.classes_) if isinstance(model, _core.Classifier) else Residuals(model)


def measures_of(model: Any) -> Score:
    """Return an empty score with all measures for a model."""
    return Measures(model) if isinstance(model, _core.Classifier) else AllResiduals(model)


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
        shown = [str(name) for name in self.names[: min(30, self.n_classes)]]
        return ", ".join([*shown, *(["..."] if self.n_classes > len(shown) else [])])


class Accuracy(Score):
    """The accuracy; rows whose label is unknown to the model count as wrong."""

    def __init__(self, classes: np.ndarray) -> None:
        self._places = Places(classes)
        self._n_classes = len(classes)
        # A fractional number as a class usually means a regression target.
        self._may_be_fractions = any(isinstance(label_of(str(name)), float) for name in classes.tolist())
        self._right = self._unknown = 0

    def add(self, batch: Batch, *found: np.ndarray) -> None:  # noqa: D102
        truth = self._truth(batch)
        names = np.asarray(self._places.names[: self._n_classes], found[0].dtype)
        self._count(truth, found[0] == names[np.minimum(truth, self._n_classes - 1)])

    def _truth(self, batch: Batch) -> np.ndarray:
        """Return the places of the labels; a fraction is an error, since models predict classes."""
        assert isinstance(batch.y, Labels)
        fractions = [at for at, name in enumerate(batch.y.names) if isinstance(name, float) and name % 1]
        if fractions and not self._may_be_fractions:
            row = int(np.argmax(np.isin(batch.y.codes, fractions)))
            raise DataError(
                f"{batch.where(row)}: expected one of the classes {self._places.listed()} of the model, "
                f"got the number "
                f"{batch.y.names[batch.y.codes[row]]}; --task regression trains regression models",
                located=True,
            )
        return self._places.of(batch.y)

    def _count(self, truth: np.ndarray, hits: np.ndarray) -> None:
        """Count rows; `hits` is ignored in rows with unknown labels."""
        known = truth < self._n_classes
        self.rows += len(truth)
        self._unknown += int((~known).sum())
        self._right += int((hits & known).sum())

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

    def __init__(self, model: Any) -> None:
        super().__init__(model.classes_)
        more = ["predict_proba"] if model.has_probabilities else []
        self.methods: tuple[str, ...] = ("decision_function", *more)
        self._confusion = Confusion(self._n_classes)
        self._area = Area() if self._n_classes == 2 else None
        self._log_loss = 0.0
        # The last label, and how often the label changed.
        self._last: np.ndarray = np.zeros(0, np.int64)
        self._changes = 0

    def add(self, batch: Batch, *found: np.ndarray) -> None:  # noqa: D102
        scores, *probabilities = found
        truth = self._truth(batch)
        one = (scores > 0) & (self._n_classes > 1) if scores.ndim == 1 else scores.argmax(axis=1)
        predicted = one.astype(np.int64)
        self._count(truth, predicted == truth)
        self._confusion.add(truth, predicted)
        self._changes += int(np.count_nonzero(np.diff(truth, prepend=self._last)))
        self._last = truth[-1:]
        known = truth < self._n_classes
        if self._area is not None:
            self._area.add(truth[known], scores[known])
        for each in probabilities:
            least = float(np.finfo(each.dtype).eps)
            own = each[known, truth[known]].astype(np.float64)
            self._log_loss -= float(np.log(np.clip(own, least, 1 - least)).sum())

    def lines(self) -> list[Line]:  # noqa: D102
        balanced, f1, most = (
            self._confusion.balanced_accuracy(),
            self._confusion.macro_f1(),
            self._confusion.most(),
        )
        lines = [
            *super().lines(),
            *_baselines(most / self.rows, 1 - self._changes / self.rows),
            Line("balanced accuracy", report.percent(balanced, 1), {"balanced_accuracy": balanced}),
            Line("macro F1", f"{f1:.6g}", {"macro_f1": f1}),
        ]
        if len(self.methods) == 2 and (known := self.rows - self._unknown):
            lines.append(
                Line("log loss", f"{self._log_loss / known:.6g}", {"log_loss": self._log_loss / known})
            )
        if self._area is not None and (area := self._area.value()) is not None:
            is_exact = self._area.is_exact
            how = "" if is_exact else f" (by a histogram, because of more than {EXACT_ROWS:,} rows)"
            lines.append(Line("AUC", f"{area:.6g}{how}", {"auc": area, "auc_is_exact": is_exact}))
        return [*lines, self._confused()]

    def _confused(self) -> Line:
        """Return the confusion matrix, or for many classes the most frequent errors."""
        names, n_classes = self._places.names, self._n_classes
        if len(names) <= SHOWN:
            counts = self._confusion.matrix(len(names))
            rows = [
                [str(name), *(f"{count:,}" for count in row)] for name, row in zip(names, counts, strict=True)
            ]
            table = [["", *map(str, names[:n_classes])], *rows]
            widths = [max(map(len, column)) for column in zip(*table, strict=True)]
            text = "\n".join("  ".join(map(str.rjust, row, widths)) for row in table)
            fields = {"labels": names, "classes": names[:n_classes], "counts": counts}
            return Line(
                "confusion matrix (rows: true, columns: predicted)", f"\n{text}", {"confusion": fields}
            )
        pairs = [(names[at], names[found], rows) for at, found, rows in self._confusion.most_confused(_PAIRS)]
        text = ", ".join(f"{label} predicted as {found} ({rows:,})" for label, found, rows in pairs) or "none"
        fields = [{"label": label, "predicted": found, "rows": rows} for label, found, rows in pairs]
        return Line("most confused", text, {"most_confused": fields})


class Confusion:
    """The number of rows for each pair of a label's place and a predicted class, if it occurs."""

    def __init__(self, n_classes: int) -> None:
        self._n_classes = n_classes
        self._pairs = np.empty(0, np.int64)
        self._counts = np.empty(0, np.int64)

    def add(self, truth: np.ndarray, found: np.ndarray) -> None:
        """Count the rows of a batch."""
        pairs = np.concatenate([self._pairs, truth * self._n_classes + found])
        weights = np.concatenate([self._counts, np.ones(len(truth), np.int64)])
        self._pairs, inverse = np.unique(pairs, return_inverse=True)
        self._counts = np.bincount(inverse.reshape(-1), weights).astype(np.int64)

    def matrix(self, n_labels: int) -> list[list[int]]:
        """Return the counts, a row for each label."""
        counts = np.zeros(n_labels * self._n_classes, np.int64)
        counts[self._pairs] = self._counts
        return counts.reshape(n_labels, self._n_classes).tolist()

    def most_confused(self, limit: int) -> Iterable[tuple[int, int, int]]:
        """Return label, predicted class and count of the most frequent errors."""
        truth, found = np.divmod(self._pairs, self._n_classes)
        wrong = np.flatnonzero(truth != found)
        order = wrong[np.argsort(-self._counts[wrong], kind="stable")][:limit]
        return ((int(truth[at]), int(found[at]), int(self._counts[at])) for at in order)

    def _totals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return for each label the number of rows, of predictions, and of right predictions."""
        truth, found = np.divmod(self._pairs, self._n_classes)
        size = int(max(truth.max(initial=0), found.max(initial=0))) + 1
        rows = np.bincount(truth, self._counts, size)
        predicted = np.bincount(found, self._counts, size)
        right = np.bincount(truth[truth == found], self._counts[truth == found], size)
        return rows, predicted, right

    def most(self) -> float:
        """Return the number of rows of the most frequent label."""
        return float(self._totals()[0].max())

    def balanced_accuracy(self) -> float:
        """Return the mean recall of the labels in the file."""
        rows, _, right = self._totals()
        return float(np.mean(right[rows > 0] / rows[rows > 0]))

    def macro_f1(self) -> float:
        """Return the mean F1 score of the labels that are in the file or were predicted."""
        rows, predicted, right = self._totals()
        both = rows + predicted
        return float(np.mean(2 * right[both > 0] / both[both > 0]))


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
            truth = np.concatenate([np.empty(0, bool), *(truth for truth, _ in self._kept)])
            codes = np.concatenate([np.empty(0, np.uint32), *(codes for _, codes in self._kept)])
            values, places = np.unique(codes, return_inverse=True)
            counts = _counts(places, truth, len(values))
        lower, upper = counts[:, 0].astype(np.float64), counts[:, 1].astype(np.float64)
        pairs = lower.sum() * upper.sum()
        if not pairs:
            return None
        below = np.cumsum(lower) - lower
        return float((upper * (below + lower / 2)).sum() / pairs)


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
    """RMSE, MAE and R^2, in double precision."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._mean = self._deviations = 0.0
        self._span = (math.inf, -math.inf)
        self._square = self._absolute = 0.0

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

    def lines(self) -> list[Line]:  # noqa: D102
        errors = [_line("test", name, f"{error:.6g}", error) for name, error in self._means()]
        # R^2 is undefined if all targets are equal.
        part = None if self._span[0] == self._span[1] else 1 - self._square / self._deviations
        text = "none (all targets are equal)" if part is None else f"{part:.6g}"
        return [*errors, _line("test", "R^2", text, part)]

    def status(self) -> list[Line]:  # noqa: D102
        return [_line("test", name, f"{name} {error:.4g}", error) for name, error in self._means()]

    def _means(self) -> list[tuple[str, float]]:
        rows = max(1, self.rows)
        return _errors(self._square / rows, self._absolute / rows)


class AllResiduals(Residuals):
    """RMSE, MAE, R^2, and the RMSE of two predictions that need no model."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._last = np.zeros(0)
        self._change = 0.0

    def add(self, batch: Batch, *found: np.ndarray) -> None:  # noqa: D102
        super().add(batch, *found)
        changes = np.diff(batch.targets(), prepend=self._last)
        self._change += float(changes @ changes)
        self._last = batch.targets()[-1:]

    def lines(self) -> list[Line]:  # noqa: D102
        return [*super().lines(), *_rmse_baselines(self._deviations / self.rows, self._change / self.rows)]
