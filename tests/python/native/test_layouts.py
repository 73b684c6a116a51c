"""Arrays, number types and labels of every kind go into the native Classifier."""

import numpy as np
import pytest
import scipy.sparse as sp

from budgetrs import BSGDClassifier, Classifier
from conftest import SMALL, blobs, board, learned


def layouts(X):
    wide = np.zeros((len(X), 5), dtype=X.dtype)
    wide[:, 1:3] = X
    misaligned = np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(X.dtype).reshape(X.shape)
    read_only = X.copy()
    read_only.flags.writeable = False
    yield "fortran", np.asfortranarray(X)
    yield "column slice", wide[:, 1:3]
    yield "row steps", np.repeat(X, 2, axis=0)[::2]
    yield "reversed", X[::-1].copy()[::-1]
    yield "byte-swapped", X.astype(X.dtype.newbyteorder())
    yield "misaligned", misaligned
    yield "read-only", read_only
    if X.dtype == np.float64:
        yield "list", X.tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layouts_do_not_matter(dtype):
    X, y = board(200, dtype=dtype)
    expected = learned(X, y)
    for name, other in layouts(X):
        before = np.array(other)
        model = learned(other, y)
        assert model.to_bytes() == expected.to_bytes(), name
        np.testing.assert_array_equal(model.predict(other), expected.predict(X), err_msg=name)
        np.testing.assert_array_equal(np.array(other), before, err_msg=name)


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


def test_type_of_the_first_batch_stays():
    X, y = board(200, dtype=np.float64)
    single = Classifier(**SMALL).learn(X[:100].astype(np.float32), y[:100])
    assert single.dtype == single.support_vectors_.dtype == single.dual_coef_.dtype == np.float32
    single.learn(X[100:], y[100:])
    assert single.decision_function(X).dtype == np.float32
    assert single.to_bytes() == learned(X.astype(np.float32), y).to_bytes()
    before = single.to_bytes()
    with pytest.raises(ValueError, match="X"):
        single.learn(np.array([[1e300, 0.0]]), [1])
    assert single.to_bytes() == before
    double = learned(X, y)
    assert double.dtype == double.decision_function(X.astype(np.float32)).dtype == np.float64


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([3, 7], "i"),
        ([-1, 1], "i"),
        (np.array([0, 255], dtype=np.uint8), "iu"),
        ([0.5, 2.5], "f"),
        ([False, True], "b"),
        (["no", "yes, that too"], "UO"),
        (np.array(["a", "b"], dtype=object), "UO"),
        (["ä", "β", "あ"], "UO"),
        ([10, 20, 30], "i"),
    ],
    ids=str,
)
def test_labels_of_any_kind(labels, kind):
    labels = np.asarray(labels)
    X, codes = board(300) if len(labels) == 2 else blobs(300, len(labels))
    reference = learned(X, codes, classes=range(len(labels)))
    model = learned(X, labels[codes], classes=labels)
    np.testing.assert_array_equal(model.classes_, labels)
    assert model.classes_.dtype.kind in kind
    np.testing.assert_array_equal(model.predict(X), labels[reference.predict(X)])
    np.testing.assert_array_equal(model.decision_function(X), reference.decision_function(X))
    one = model.predict_one(X[0])
    assert one == labels[reference.predict(X)][0]
    assert not isinstance(one, np.ndarray)
    again = Classifier.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.learn(X[:5], labels[codes[:5]].tolist()).n_samples_seen_ == 305


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows(container, index):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(300, 12)) * (rng.random((300, 12)) < 0.3)
    y = (dense[:, 0] + dense[:, 1] > 0).astype(int)
    X = container(dense)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    model = learned(X, y, gamma=0.2)
    near = learned(dense, y, gamma=0.2)
    np.testing.assert_allclose(
        model.decision_function(X), near.decision_function(dense), rtol=1e-6, atol=1e-6
    )
    assert learned(X.astype(np.float32), y, gamma=0.2).dtype == np.float32
    assert model.predict_one(X[0]) == model.predict(X)[0]
    broken = container(dense)
    broken.data[5] = np.nan
    with pytest.raises(ValueError, match="X"):
        model.learn(broken, y)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("jobs", [None, 2])
def test_long_predictions_are_those_of_their_parts(sparse, jobs):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 12)) * (rng.random((5000, 12)) < 0.3)
    model = learned(X[:300], (X[:300, 0] > 0).astype(int), gamma=0.2, n_jobs=jobs)
    rows = sp.csr_array(X) if sparse else X
    whole = model.decision_function(rows)
    parts = [model.decision_function(rows[[i]])[0] for i in range(0, 5000, 37)]
    np.testing.assert_array_equal(whole[::37], parts)
    (rows.data if sparse else rows)[-1] = np.inf
    last = np.flatnonzero(np.isinf(rows.toarray() if sparse else rows).any(axis=1))[0]
    with pytest.raises(ValueError, match=f"X contains infinity at row {last},"):
        model.predict(rows)


def test_broken_sparse_rows_are_refused():
    X = sp.random_array((50, 8), density=0.3, random_state=np.random.default_rng(0)).tocsr()
    model = learned(X.toarray(), np.arange(50) % 2)
    breaks = {
        "beyond the entries": ("indptr", -1, 10_000),
        "decreasing": ("indptr", 5, 10_000),
        "negative": ("indptr", 5, -3),
        "a column that is not there": ("indices", 3, 8),
        "a negative column": ("indices", 3, -1),
    }
    for name, (part, place, value) in breaks.items():
        broken = X.copy()
        broken.has_canonical_format = True
        getattr(broken, part)[place] = value
        with pytest.raises(ValueError, match="X must have"):
            model.predict(broken)
        with pytest.raises(ValueError, match="X must have"):
            model.learn(broken, np.arange(50) % 2)
        assert model.n_samples_seen_ == 50, name
