"""The streams that the oracles and the library learn.

Of the kernel expansions: a PA step sets the margin of its example to exactly 1, so that an exact duplicate
soon after it has a hinge of zero to rounding, and any implementation may judge it either way. MIRA does the
same at beta, and opposite Perceptron steps at duplicates cancel. Rows on which some decision of the reference
falls that near to a tie say nothing about the library and are shown to neither. The same holds for rows that
make a system worse conditioned than what results are promised for.
"""

from __future__ import annotations

import numpy as np

LENGTHS = {"all": 400, "long": 300, "short": 160}  # of the streams of expansions
N_MERGE = 100  # of the short ones where vectors are merged: the reference of merging is the slowest
N_TEST = 100


def of_case(case):
    """The rows, targets and weights of a case of cases.py, and the rows that are predicted."""
    n = LENGTHS[case["rows"]]
    if case["rows"] == "all":
        x, y = imbalanced_clusters(case["n_classes"], case["seed"], case["imbalanced"])
    elif "n_classes" in case:
        x, y = clusters(case["n_classes"], case["seed"])
    else:
        x, y = wave(case["seed"])
    if case.get("zeros", case["rows"] != "all" and case.get("kernel") in ("linear", "cosine")):
        x[20:n:40] = 0.0  # k_tt = 0: no update
    tested = x[-60:] if case["rows"] == "short" else x[-N_TEST:]
    if case["rows"] == "short" and case["maintenance"].startswith("merge"):
        n = N_MERGE
    weights = np.ones(n)
    if case.get("weighted"):
        rng = np.random.default_rng(case["seed"])
        weights = rng.choice([0.0, 0.5, 1.0, 1.0, 2.5], size=LENGTHS["long"])[:n]
    return x[:n], y[:n], weights, tested


def imbalanced_clusters(n_classes, seed, imbalanced):
    """Overlapping clusters; every sixth row repeats an earlier one, every sixth comes 1e-3 beside one.

    A fifth of the repeated rows carries another label.
    """
    rng = np.random.default_rng(seed)
    n, n_features = LENGTHS["all"], 5
    centres = 1.1 * rng.normal(size=(2 * n_classes, n_features))
    share = np.array([1.0] + [0.15 if imbalanced else 1.0] * (n_classes - 1))
    y = rng.choice(n_classes, p=share / share.sum(), size=n + N_TEST)
    place = centres[y + n_classes * rng.integers(0, 2, size=len(y))]
    x = place + 0.8 * rng.normal(size=(len(y), n_features))
    for i in range(10, n):
        kind = rng.integers(0, 6)
        if kind < 2:
            j = rng.integers(0, i)
            x[i] = x[j] + kind * rng.choice([-1e-3, 1e-3], size=n_features)
            y[i] = y[j] if rng.uniform() < 0.8 else rng.integers(0, n_classes)
    y[:n_classes] = np.arange(n_classes)
    return x, y


def clusters(n_classes, seed, n_features=4):
    """Overlapping clusters with repeated rows, two fifths of which get a label of their own."""
    rng = np.random.default_rng(seed)
    n = LENGTHS["long"] + N_TEST
    centres = 1.1 * rng.normal(size=(2 * n_classes, n_features))
    y = rng.integers(0, n_classes, n)
    x = centres[y + n_classes * rng.integers(0, 2, n)] + 0.8 * rng.normal(size=(n, n_features))
    own = rng.integers(0, n_classes, n)
    for i, j in repeat(x, rng):
        y[i] = y[j] if rng.uniform() < 0.6 else own[i]
    y[:n_classes] = np.arange(n_classes)
    return x, y


def wave(seed, n_features=4):
    """Regression: a wave and noise, with repeated rows as above; two fifths of them higher or lower."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(LENGTHS["long"] + N_TEST, n_features))
    y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=len(x))
    for i, j in repeat(x, rng):
        y[i] = y[j] + (0.0 if rng.uniform() < 0.6 else rng.normal())
    return x, y


def repeat(x, rng):
    """Makes some rows copies of rows at most 60 before, or near copies, and gives the two indices."""
    for i in range(10, LENGTHS["long"]):
        kind = rng.integers(0, 6)
        if kind < 2:
            j = rng.integers(max(0, i - 60), i)
            x[i] = x[j] + kind * 1e-3 * rng.normal(size=x.shape[1])
            yield i, j


# Of the online kernel machine: rows, labels or targets, and weights.


def blobs(n_classes, n_rows, *, seed=7, weighted=True, units=True):
    """Three overlapping blobs to the class, some labels wrong; features in units of their own, or scaled."""
    rng = np.random.default_rng(seed)
    most = 1200  # whose first rows the shorter streams have
    centres, which = rng.normal(0, 1.2, (3 * n_classes, 5)), rng.integers(0, 3 * n_classes, most)
    X = centres[which] + rng.normal(0, 0.7, (most, 5))
    wrong = rng.random(most) < 0.05
    y = np.where(wrong, rng.integers(0, n_classes, most), which % n_classes)[:n_rows]
    X = (X * np.arange(1, 6) + 5)[:n_rows]
    if not units:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    weights = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.0], n_rows)
    return X, y, weights if weighted else np.ones(n_rows)


def overlapping(n_classes):
    """Classes that overlap: three quarters of the rows are of the first, the others weigh four times more."""
    rng, n = np.random.default_rng(n_classes), 700
    y = np.where(rng.random(n) < 0.75, 0, rng.integers(1, n_classes, n))
    X = np.vstack([np.zeros(3), np.eye(3)])[y] + rng.normal(0, 1, (n, 3))
    return X * [1.0, 10.0, 0.1], y, np.where(y == 0, 1.0, 4.0)


def drifting(change, n_classes, last=None):
    """In the second half the labels are others, or the borders turn, or more labels are wrong, or nothing
    changes; or clusters move all the time. `last` leaves out all but the last rows.
    """
    rows = {"flip": 900, "turn": 1100, "easy": 3300, "noisier": 2000, "move": 2200}[change]
    rng, now = np.random.default_rng(2), np.linspace(0, 1, rows)
    if change == "turn":
        X = rng.normal(0, 1, (rows, 5))
        turns = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) + np.maximum(now - 0.4, 0)
        y = (turns % 1 * n_classes).astype(int)
    elif change == "move":
        starts, ends = rng.normal(0, 1.5, (40, 5)), rng.normal(0, 1.5, (40, 5))
        along, y = (1 - np.cos(12 * now[:, None])) / 2, rng.integers(0, 40, rows)
        X = starts[y] + along * (ends - starts)[y] + rng.normal(0, 0.1, (rows, 5))
    else:
        centres, which = rng.normal(0, 1.2, (3 * n_classes, 5)), rng.integers(0, 3 * n_classes, rows)
        X = centres[which] + rng.normal(0, 0.4 if change == "flip" else 0.05, (rows, 5))
        y = which + ((now > 0.5) & (change == "flip"))
        if change == "noisier":
            y = y + rng.integers(1, n_classes, rows) * (rng.random(rows) < np.where(now > 0.5, 0.3, 0.1))
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], rows, p=[0.05, 0.2, 0.5, 0.25])
    return tuple(part[-(last or rows) :] for part in (X * np.arange(1, 6) + 5, y % n_classes, weights))


CHANGING = ("trend", "late", "missing")


def surface(kind, n_rows, n_features):
    """A bent surface far from zero with heavy noise; the first targets are all alike.

    The features have units of their own, or heavy tails, or they change.
    """
    rng = np.random.default_rng(7)
    X, now = rng.normal(0, 1, (n_rows, n_features)), np.linspace(0, 1, n_rows)
    y = 40 + 3 * X[:, 0] + 4 * np.sin(2 * X[:, 1]) * X[:, 2] + 0.5 * rng.standard_t(2, n_rows)
    y[:6] = 47.0
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], n_rows)
    if kind == "units":
        X = X * np.arange(1, n_features + 1) + 5
    if kind == "tails":
        X[:, :3] = np.exp(1.3 * X[:, :3])
        y = y + X[:, 0]
    if kind in CHANGING:
        X[:, :2] += 12 * now[:, None]  # trends
        X[:, 2] *= np.exp(3 * now)
        y = y + 8 * X[:, 0] - X[:, 2]
    if kind == "late":
        X[:, 3] = (now > 0.5) & (X[:, 3] > 0.8)
        X[:, 4] *= now > 0.6
        y = y + 9 * X[:, 3] + X[:, 4]
    if kind == "missing":
        X[np.random.default_rng(8).random(X.shape) < 0.2] = np.nan
    return X, y, weights


def faulty():
    """Rows of ten features, each with a different fault or peculiarity."""
    rng, n = np.random.default_rng(5), 3000
    X, now = rng.normal(size=(n, 10)), np.arange(n)
    X[:, 1] += 5
    X[rng.random(n) < 0.1, 0] = -999.0  # a sentinel, from the first row on
    X[rng.random(n) < 0.002, 1] = 1e6
    X[1200:1700, 2] = -999.0  # an outage
    X[1500:, 3] /= 1000  # a change of unit
    X[1500:, 4] += 1000 + now[1500:]
    X[:, 5] = np.exp(2 * X[:, 5])
    X[:, 6] = rng.random(n) < 0.03  # mostly constant
    X[:, 7] = np.where(now < 800, 7.0, X[:, 7])
    X[rng.random(n) < 0.3, 8] = np.nan
    X[:, 9] *= np.where(rng.random(n) < 0.3, 1.0, 1e-3)  # mostly almost constant
    return X
