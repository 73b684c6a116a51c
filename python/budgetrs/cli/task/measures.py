"""Measures of a classifier, from batches, in memory that does not grow with the rows."""

import numpy as np

EXACT_ROWS = 1 << 22
"""The number of rows whose scores are kept for the area under the curve; more rows go to a histogram."""

# The leading bits of a score that select its bin: the sign, the exponent and 11 bits of the mantissa.
_BIN_BITS = 20


class Confusion:
    """The number of rows for each pair of a label of the file and a predicted class.

    Labels that are no classes of the model have indices after the indices of the classes. Only pairs that
    occur are stored.
    """

    def __init__(self, n_classes: int) -> None:
        self._n_classes = n_classes
        self._pairs = np.empty(0, np.int64)
        self._counts = np.empty(0, np.int64)

    def add(self, truth: np.ndarray, found: np.ndarray) -> None:
        """Count the rows of a batch, from indices of labels and of classes."""
        pairs = np.concatenate([self._pairs, truth * self._n_classes + found])
        weights = np.concatenate([self._counts, np.ones(len(truth), np.int64)])
        self._pairs, inverse = np.unique(pairs, return_inverse=True)
        self._counts = np.zeros(len(self._pairs), np.int64)
        np.add.at(self._counts, inverse, weights)

    def unknown(self) -> list[int]:
        """Return the indices of the labels that are no classes."""
        labels = np.unique(self._pairs // self._n_classes)
        return labels[labels >= self._n_classes].tolist()

    def matrix(self, labels: list[int]) -> np.ndarray:
        """Return the counts of some labels, shape (n_labels, n_classes)."""
        counts = dict(zip(self._pairs.tolist(), self._counts.tolist(), strict=True))
        rows = [
            [counts.get(label * self._n_classes + k, 0) for k in range(self._n_classes)] for label in labels
        ]
        return np.array(rows, np.int64)

    def most_confused(self, limit: int) -> list[tuple[int, int, int]]:
        """Return label, predicted class and count of the most frequent errors."""
        truth, found = np.divmod(self._pairs, self._n_classes)
        wrong = np.flatnonzero(truth != found)
        order = wrong[np.argsort(-self._counts[wrong], kind="stable")][:limit]
        return [(int(truth[at]), int(found[at]), int(self._counts[at])) for at in order]

    def _totals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return for each label the number of rows, of predictions, and of right predictions."""
        truth, found = np.divmod(self._pairs, self._n_classes)
        size = int(max(truth.max(initial=0), found.max(initial=0))) + 1
        rows = np.bincount(truth, self._counts, size)
        predicted = np.bincount(found, self._counts, size)
        right = np.bincount(truth[truth == found], self._counts[truth == found], size)
        return rows, predicted, right

    def balanced_accuracy(self) -> float:
        """Return the mean recall of the labels in the file."""
        rows, _, right = self._totals()
        return float(np.mean(right[rows > 0] / rows[rows > 0]))

    def macro_f1(self) -> float:
        """Return the mean F1 score of the labels that are in the file or were predicted."""
        rows, predicted, right = self._totals()
        both = rows + predicted
        return float(np.mean(2 * right[both > 0] / both[both > 0]))


class LogLoss:
    """The mean negative logarithm of the probability of the true class, in nats."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0.0

    def add(self, truth: np.ndarray, probabilities: np.ndarray) -> None:
        """Add a batch of rows whose labels are classes of the model."""
        least = float(np.finfo(probabilities.dtype).eps)
        own = probabilities[np.arange(len(truth)), truth].astype(np.float64)
        self._sum -= float(np.log(np.clip(own, least, 1 - least)).sum())
        self._rows += len(truth)

    def value(self) -> float | None:
        """Return the mean; None if there are no rows."""
        return self._sum / self._rows if self._rows else None


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
