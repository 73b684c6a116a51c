"""Sparse rows at the cost of their entries, against the same rows stored densely."""

import numpy as np
import pytest
import scipy.sparse as sp

from budgetrs import Classifier, Regressor

COLUMNS, ROWS = 150, 1_300


def stream(dtype, rows=ROWS):
    """Rows of few entries, an offset column, a column that is rarely zero, and outliers."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, COLUMNS)) * (rng.random((rows, COLUMNS)) < 0.06)
    X[:, 5] = 20 + rng.normal(size=rows)
    X[::260, 5] = 0
    X[::97, 7] = 1e4 * (1 + rng.random(len(X[::97])))
    # The unit of a column changes within a block.
    X[ROWS - 50 :, 11] *= 1e5
    return X.astype(dtype), X[:, 0] + X[:, 1] + 0.1 * X[:, 5] - 2


MODELS = {
    "two classes": lambda **options: Classifier(budget=40, **options),
    "three classes": lambda **options: Classifier(budget=40, **options),
    "intervals": lambda **options: Regressor(budget=40, **options),
    "hashed": lambda **options: Classifier(budget=40, hash_features=90, **options),
    "missing": lambda **options: Classifier(budget=40, missing_values=[9.0], **options),
    "without metric": lambda **options: Classifier(budget=40, metric_learning="none", **options),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", MODELS)
def test_predictions_equal_the_predictions_of_dense_rows(kind, dtype):
    X, target = stream(dtype)
    if kind == "missing":
        X[::5, 3], X[::7, 5] = np.nan, 9.0
    y = target if kind == "intervals" else np.digitize(target, [0, 0.5] if kind == "three classes" else [0])
    # Statistics change within a block, and most of all in the first rows.
    for learned in (40, 1_090, ROWS):
        model = MODELS[kind]().learn(X[:learned], y[:learned])
        rows = sp.csr_array(X)
        scores = [model.predict if kind == "intervals" else model.decision_function]
        if kind == "intervals":
            scores.append(lambda X, model=model: model.predict_interval(X, coverage=0.9))
        for score in scores:
            dense, sparse = score(X), score(rows)
            tolerance = 1e-4 if dtype == np.float32 else 1e-10
            np.testing.assert_allclose(sparse, dense, rtol=tolerance, atol=tolerance * np.abs(dense).max())
            one_by_one = [score(rows[[i]])[0] for i in range(0, ROWS, 50)]
            np.testing.assert_array_equal(np.array(one_by_one), sparse[::50])


def test_empty_rows_have_the_score_of_zeros():
    X, target = stream(np.float64)
    model = Classifier(budget=40).learn(sp.csr_array(X), (target > 0).astype(int))
    empty = sp.csr_array((2, COLUMNS))
    np.testing.assert_allclose(
        model.decision_function(empty), model.decision_function(np.zeros((2, COLUMNS))), rtol=1e-10
    )


@pytest.mark.parametrize("algorithm", ["bsgd-merge", "pa-merge", "mira-merge"])
def test_mergers_of_sparse_rows_equal_mergers_of_dense_rows(algorithm):
    X, target = stream(np.float64, 300)
    X[:, 5] = 0
    X[:, 7] = np.minimum(X[:, 7], 1)
    y = (target > np.median(target)).astype(int)
    options = {"budget": 30, "gamma": 0.05}
    dense = Classifier(algorithm, **options).learn(X, y)
    sparse = Classifier(algorithm, **options).learn(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.support_vectors_, dense.support_vectors_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(sparse.dual_coef_, dense.dual_coef_, rtol=1e-6, atol=1e-6)
    loaded = type(sparse).from_bytes(sparse.to_bytes())
    assert loaded.learn(X, y).to_bytes() == sparse.learn(X, y).to_bytes()
