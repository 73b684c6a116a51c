"""Arrays of any layout, type and index type are learned alike; the labels of other types: test_labels.py."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from budgetrs import BSGDClassifier, Classifier, Regressor
from conftest import SMALL, board, learned


def misaligned(X):
    return np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(X.dtype).reshape(X.shape)


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


# Fortran order and steps: test_doors.py.
LAYOUTS = {
    "reversed": lambda X: X[::-1].copy()[::-1],
    "byte-swapped": lambda X: X.astype(X.dtype.newbyteorder()),
    "misaligned": misaligned,
    "read-only": read_only,
    "list": lambda X: X.tolist() if X.dtype == np.float64 else X,
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_changes_nothing(layout, dtype):
    X, y = board(200, dtype=dtype)
    other = LAYOUTS[layout](X)
    before = np.array(other)
    expected, model = learned(X, y), learned(other, y)
    assert model.to_bytes() == expected.to_bytes()
    np.testing.assert_array_equal(model.predict(other), expected.predict(X))
    np.testing.assert_array_equal(np.array(other), before)


@pytest.mark.parametrize(
    "kind", ["int8", "uint8", "int32", "int64", "uint64", "bool", "float16", "longdouble", "object"]
)
def test_other_numbers_are_float64(kind):
    X = np.random.default_rng(0).integers(0, 2 if kind == "bool" else 9, (200, 3)).astype(kind)
    y = (X[:, 0].astype(float) > X[:, 1]).astype(int)
    model = learned(X, y)
    assert model.dtype == np.float64
    assert model.to_bytes() == learned(X.astype(np.float64), y).to_bytes()
    assert BSGDClassifier(budget=20, gamma=2.0).fit(X, y).support_vectors_.dtype == np.float64


def test_the_first_batch_decides_the_type():
    X, y = board(200, dtype=np.float64)
    single = Classifier(**SMALL).learn(X[:100].astype(np.float32), y[:100])
    assert single.dtype == single.support_vectors_.dtype == single.dual_coef_.dtype == np.float32
    single.learn(X[100:], y[100:])
    assert single.decision_function(X).dtype == np.float32
    assert single.to_bytes() == learned(X.astype(np.float32), y).to_bytes()
    double = learned(X, y)
    assert double.dtype == double.decision_function(X.astype(np.float32)).dtype == np.float64


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows(container, index):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(300, 12)) * (rng.random((300, 12)) < 0.3)
    y = (dense[:, 0] + dense[:, 1] > 0).astype(int)
    X = container(dense)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    model, near = learned(X, y, gamma=0.2), learned(dense, y, gamma=0.2)
    np.testing.assert_allclose(
        model.decision_function(X), near.decision_function(dense), rtol=1e-6, atol=1e-6
    )
    assert learned(X.astype(np.float32), y, gamma=0.2).dtype == np.float32
    assert model.predict_one(X[0]) == model.predict(X)[0]


@pytest.mark.parametrize(
    ("part", "place", "value"),
    [
        ("indptr", -1, 10_000),
        ("indptr", 5, 10_000),
        ("indptr", 5, -3),
        ("indices", 3, 8),
        ("indices", 3, -1),
    ],
)
def test_invalid_sparse_rows_raise(part, place, value):
    X = sp.random_array((50, 8), density=0.3, random_state=np.random.default_rng(0)).tocsr()
    model = learned(X.toarray(), np.arange(50) % 2)
    X.has_canonical_format = True
    getattr(X, part)[place] = value
    for call in (model.predict, lambda X: model.learn(X, np.arange(50) % 2)):
        with pytest.raises(ValueError, match="X must have"):
            call(X)
    assert model.n_samples_seen_ == 50


def test_targets_and_weights_may_be_a_column():
    X, _ = board(60)
    targets = X[:, 0].astype(float)
    expected = Regressor(budget=5).learn(X, targets, sample_weight=targets**2).to_bytes()
    for column in (targets[:, None], pd.DataFrame({"y": targets}), pl.DataFrame({"y": targets})):
        model = Regressor(budget=5).learn(X, column, sample_weight=np.asarray(column) ** 2)
        assert model.to_bytes() == expected
