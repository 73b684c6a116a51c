"""What is known of the Perceptron beyond the examples of the reference implementations."""

from __future__ import annotations

import lzma

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_files

from budgetrs import Classifier


def separable(margin, n_features, n_rows, seed):
    """Points of norm 1 at the same distance from a hyperplane through 0, which is in no special place."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    along = rng.normal(size=(n_rows, n_features - 1))
    along *= np.sqrt(1 - margin**2) / np.linalg.norm(along, axis=1)[:, None]
    rotation = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
    return np.column_stack([margin * (2 * y - 1), along]) @ rotation, y


@pytest.mark.parametrize(
    ("n_features", "margin", "beta"),
    [(20, 0.1, 0.01), (20, 0.1, 0.3), (10, 0.1, 0.0), (50, 0.15, 1.0), (100, 0.15, 0.01), (5, 0.3, 0.1)],
)
def test_the_distilled_cache_keeps_its_bound(n_features, margin, beta):
    """The theorem of Crammer, Kandola and Singer (2003): at most (R^2 + 2 beta) / margin^2 vectors, R = 1."""
    x, y = separable(margin, n_features, 2000, seed=n_features)
    model = Classifier("budget-perceptron-distill", budget=None, margin=beta, kernel="linear", classes=[0, 1])
    sizes = [model.learn_one(*row).n_support_vectors_ for row in zip(x, y, strict=True)]
    assert max(sizes) <= (1 + 2 * beta) / margin**2
    assert model.n_updates_ - model.n_maintenances_ == model.n_support_vectors_
    assert model.n_maintenances_ > 0


def test_the_bound_of_the_distilled_cache_is_reached():
    # Of n orthogonal vectors each is needed: u has 1 / sqrt n of each. The bound is 1.02 n.
    n = 30
    x, y = np.eye(n), np.arange(n) % 2
    model = Classifier("budget-perceptron-distill", budget=None, kernel="linear", classes=[0, 1])
    assert model.learn(np.tile(x, (2, 1)), np.tile(y, 2)).n_support_vectors_ == n


# The kernel Perceptron on Adult, from scratch: its attributes are 0 or 1, so that all products are whole
# numbers and kernel values come from a table. No score of the pass is nearer to 0 than 7e-5, and none of the
# test set nearer than 1e-4, so that rounding decides nothing and all counts are those of exact arithmetic.


def kernel_of_indicators(a, b, gamma):
    distances = a.sum(axis=1)[:, None] + b.sum(axis=1) - 2 * (a @ b.T)
    return np.exp(-gamma * np.arange(a.shape[1] + 1))[distances.astype(int)]


def kernel_perceptron(x, signs, gamma, block=1024):
    """The rows that were kept and the number of mistakes after each row, in blocks for the sake of speed."""
    kept, mistakes, nearest = [], [], np.inf
    for start in range(0, len(x), block):
        rows = x[start : start + block]
        scores = kernel_of_indicators(rows, x[kept], gamma) @ signs[kept]
        among = kernel_of_indicators(rows, rows, gamma)
        for i, score in enumerate(scores):
            sign = signs[start + i]
            mistakes.append((score > 0) != (sign > 0))
            if kept:
                nearest = min(nearest, abs(score))
            if sign * score <= 0:
                kept.append(start + i)
                scores[i + 1 :] += sign * among[i, i + 1 :]
    return np.array(kept), np.cumsum(mistakes), nearest


@pytest.mark.nightly
def test_adult(real_data):
    files = [real_data(f"a9a.{part}.libsvm.xz") for part in ("train", "test")]
    with lzma.open(files[0]) as train, lzma.open(files[1]) as test:
        X, y, X_test, y_test = load_svmlight_files([train, test], n_features=123)
    assert set(X.data) == set(X_test.data) == {1.0}
    x, x_test = X.toarray().astype(np.float32), X_test.toarray().astype(np.float32)
    kept, mistakes, nearest = kernel_perceptron(x, y, gamma=0.01)
    parts = np.array_split(x_test, 16)
    scores = np.concatenate([kernel_of_indicators(part, x[kept], 0.01) @ y[kept] for part in parts])
    assert min(nearest, abs(scores).min()) > 1e-5
    n_right = np.count_nonzero((scores > 0) == (y_test > 0))
    assert (len(kept), mistakes[-1], n_right) == (6887, 6886, 11517)  # 70.74% of 16,281

    model = Classifier("perceptron", gamma=0.01).learn(X, y, classes=[-1, 1])
    assert model.dtype == np.float64
    assert model.n_support_vectors_ == model.n_updates_ == len(kept)
    assert model.n_mistakes_ == mistakes[-1]
    assert (model.support_vectors_ == x[kept]).all()
    assert (model.dual_coef_[0] == y[kept]).all()
    assert np.count_nonzero(model.predict(X_test) == y_test) == n_right
    np.testing.assert_allclose(model.decision_function(X_test[:1000]), scores[:1000], rtol=0, atol=1e-9)

    # Dense rows take another path.
    n = 8000
    model = Classifier("perceptron", gamma=0.01).learn(X[:n].toarray(), y[:n], classes=[-1, 1])
    assert model.n_support_vectors_ == np.count_nonzero(kept < n)
    assert model.n_mistakes_ == mistakes[n - 1]
