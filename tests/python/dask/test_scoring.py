"""Predictions of Dask collections: those of the model itself, lazily, in the chunks of the collection."""

import pickle
import subprocess
import sys

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import budgetrs
import budgetrs.dask
import dask
from budgetrs import (
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    ParameterError,
    Regressor,
)
from conftest import blobs, board

METHODS = ("predict", "predict_proba", "decision_function")


@pytest.fixture(autouse=True)
def threads():
    """Compute here; bags would start processes."""
    with dask.config.set(scheduler="synchronous"):
        yield


def models(X, y):
    return [
        Classifier(budget=30).learn(X, y),
        OnlineKernelClassifier(budget=30, random_state=0).fit(X, y),
        budgetrs.BSGDClassifier(budget=30, loss="log_loss", random_state=0).fit(X, y),
    ]


def scored(method, model, X):
    return getattr(budgetrs.dask, method)(model, X)


def table(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": rng.gamma(2, 20_000, rows),
            "town": rng.choice(["Oslo", "Rome", "Turin"], rows),
            "rooms": rng.integers(1, 9, rows),
        },
        index=pd.Index(np.arange(rows) * 2 + 7, name="house"),
    )
    label = np.where((frame.income > 30_000) == (frame.town == "Oslo"), "yes", "no")
    return frame, label


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays(method, n_classes, dtype):
    X, y = blobs(200, n_classes, dtype=dtype)
    for model in models(X, np.array(["b", "c", "a"])[y]):
        expected = getattr(model, method)(X)
        result = scored(method, model, da.from_array(X, chunks=((60, 60, 60, 20), (3, 1))))
        assert result.chunks[0] == (60, 60, 60, 20)
        assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
        assert type(result._meta) is np.ndarray
        assert result._meta.ndim == expected.ndim
        found = result.compute()
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_frames(method, n_classes):
    frame, label = table()
    label = label if n_classes == 2 else frame.town.to_numpy()
    chosen = frame if n_classes == 2 else frame[["income", "rooms"]]
    for model in (Classifier(budget=30), OnlineKernelClassifier(budget=30, random_state=0)):
        model = model.learn(chosen, label) if isinstance(model, Classifier) else model.fit(chosen, label)
        result = scored(method, model, dd.from_pandas(chosen, npartitions=3))
        assert result.divisions == dd.from_pandas(chosen, npartitions=3).divisions
        found, expected = result.compute(), getattr(model, method)(chosen)
        assert found.index.equals(frame.index)
        assert found.index.name == result._meta.index.name == "house"
        assert np.array_equal(found.to_numpy(), expected)
        if expected.ndim == 2:
            assert result.columns.tolist() == found.columns.tolist() == model.classes_.tolist()
            assert (result.dtypes == expected.dtype).all()
        else:
            assert isinstance(result, dd.Series)
            assert result.dtype == found.dtype


def test_regression():
    X, y = blobs(200)
    for model in (Regressor(budget=20).learn(X, y), OnlineKernelRegressor(budget=20).fit(X, y)):
        result = budgetrs.dask.predict(model, da.from_array(X, chunks=(70, 4)))
        assert result.dtype == np.float32
        assert result.compute().tobytes() == model.predict(X).tobytes()
        with pytest.raises(AttributeError, match="decision_function"):
            budgetrs.dask.decision_function(model, da.from_array(X, chunks=(70, 4)))


def test_bags():
    frame, label = table()
    rows = frame.to_dict("records")
    for model in (Classifier(budget=30).learn(frame, label), OnlineKernelClassifier().fit(frame, label)):
        bag = db.from_sequence(rows, npartitions=4)
        assert budgetrs.dask.predict(model, bag).npartitions == bag.npartitions
        assert budgetrs.dask.predict(model, bag).compute() == model.predict(frame).tolist()
        scores = budgetrs.dask.decision_function(model, bag).compute()
        assert scores == model.decision_function(frame).tolist()
        first = budgetrs.dask.predict_proba(model, bag).compute()[0]
        assert first == dict(zip(model.classes_.tolist(), model.predict_proba(frame)[0], strict=True))
    X, y = blobs(50)
    model = Classifier(budget=30).learn(X, y)
    bag = db.from_sequence(X.tolist(), npartitions=4).filter(lambda row: row[0] > 0)
    assert budgetrs.dask.predict(model, bag).compute() == model.predict(X[X[:, 0] > 0]).tolist()


def test_what_rows_of_a_bag_lack_is_missing_in_whichever_partition_they_are():
    frame, label = table()
    model = Classifier(budget=30).learn(frame, label)
    rows = frame.to_dict("records")
    for row in rows[:100]:
        del row["town"], row["income"]
    frame = frame.astype({"town": object})
    frame.loc[frame.index[:100], ["town", "income"]] = None, np.nan
    for npartitions in (1, 2, 3):
        bag = db.from_sequence(rows, npartitions=npartitions)
        scores = budgetrs.dask.decision_function(model, bag).compute()
        assert scores == model.decision_function(frame).tolist()
    with pytest.raises(ValueError, match='"colour"'):
        budgetrs.dask.predict(model, db.from_sequence([{**rows[0], "colour": 3}])).compute()


@pytest.mark.parametrize(
    ("rows", "row", "message"),
    [
        (
            [[1, 2], [3, 4], [5]],
            None,
            "X must have rows of one length, got 1 values at row 2 after 2 values at row 0",
        ),
        ([[1, 2], {"a": 1}], 1, "X must have either dicts or sequences as rows, got both"),
        ([{"a": 1}, [1, 2]], 1, "X must have either dicts or sequences as rows, got both"),
    ],
)
def test_rows_of_a_bag_that_are_not_alike_are_refused(rows, row, message):
    X, y = blobs(50)
    model = Classifier(budget=30).learn(X[:, :2], y)
    with pytest.raises(ParameterError) as caught:
        budgetrs.dask.predict(model, db.from_sequence(rows, npartitions=1)).compute()
    assert (str(caught.value), caught.value.parameter, caught.value.row) == (message, "X", row)


def test_unknown_chunks_and_empty_partitions():
    X, y = blobs(200)
    frame = pd.DataFrame(X, columns=list("abcd"))
    for model in models(X, y):
        some = da.from_array(X, chunks=(50, 2))
        few = some[some[:, 0] > some[:, 0].max() - 1]  # of most chunks nothing is left
        expected = X[X[:, 0] > X[:, 0].max() - 1]
        for method in METHODS:
            result = scored(method, model, few)
            assert np.isnan(result.shape[0])
            assert np.array_equal(result.compute(), getattr(model, method)(expected))
        none = scored("predict", model, some[some[:, 0] > 1e9]).compute()
        assert none.shape == (0,)
        assert none.dtype == y.dtype
    for model in models(frame, y):
        parts = dd.from_pandas(frame, npartitions=4)
        few = parts[parts.a > frame.a.max() - 1]
        for method in METHODS:
            found = scored(method, model, few).compute()
            assert np.array_equal(found, getattr(model, method)(frame[frame.a > frame.a.max() - 1]))
            assert len(scored(method, model, parts[parts.a > 1e9]).compute()) == 0


def test_sparse_chunks():
    sparse = pytest.importorskip("scipy.sparse")
    X, y = blobs(100)
    model = Classifier("bsgd-merge", budget=30, gamma=0.1).learn(sparse.csr_matrix(X), y)
    rows = da.from_array(X, chunks=(40, 4)).map_blocks(sparse.csr_matrix)
    expected = model.predict(sparse.csr_matrix(X))
    assert np.array_equal(budgetrs.dask.predict(model, rows).compute(), expected)


def test_columns_of_objects():
    frame, label = table()
    model = Classifier(budget=30).learn(frame, label)
    with dask.config.set({"dataframe.convert-string": False}):
        parts = dd.from_pandas(frame.astype({"rooms": object, "town": object}), npartitions=2)
        assert np.array_equal(budgetrs.dask.predict(model, parts).compute(), model.predict(frame))


def test_what_the_model_learns_later_changes_nothing():
    X, y = blobs(300)
    for model in models(X[:100], y[:100]):
        before = model.predict(X)
        result = budgetrs.dask.predict(model, da.from_array(X, chunks=(100, 4)))
        learn = model.learn if isinstance(model, Classifier) else model.partial_fit
        learn(X[100:], (y[100:] + 1) % 3)
        assert not np.array_equal(before, model.predict(X))
        assert np.array_equal(result.compute(), before)


def test_the_model_is_one_key_of_the_graph():
    frame, label = table()
    X, y = blobs(300)
    collections = [
        (Classifier(budget=100).learn(X, y), da.from_array(X, chunks=(10, 4))),
        (OnlineKernelClassifier(budget=100).fit(X, y), da.from_array(X, chunks=(10, 4))),
        (Classifier(budget=100).learn(frame, label), dd.from_pandas(frame, npartitions=30)),
        (Classifier(budget=100).learn(X, y), db.from_sequence(X.tolist(), npartitions=30)),
    ]
    for model, collection in collections:
        result = budgetrs.dask.predict(model, collection)
        assert result.__dask_keys__() == budgetrs.dask.predict(model, collection).__dask_keys__()
        (result,) = dask.optimize(result)
        graph = dict(result.__dask_graph__())
        ours = [key for key in graph if "budgetrs-model" in str(key)]
        assert len(ours) == 1
        size = len(pickle.dumps(model))
        rest = [len(pickle.dumps(task)) for key, task in graph.items() if key not in ours]
        assert len(rest) >= 30
        assert sorted(rest)[-2] < size / 2  # one may hold the rows


def test_tasks_predict_in_one_thread():
    X, y = blobs(100)
    for model in (Classifier(budget=30, n_jobs=4).learn(X, y), OnlineKernelClassifier(n_jobs=4).fit(X, y)):
        graph = budgetrs.dask.predict(model, da.from_array(X, chunks=(50, 4))).__dask_graph__()
        (key,) = [key for key in graph if "budgetrs-model" in str(key)]
        assert graph[key]().n_jobs == 1
        assert model.n_jobs == 4


@pytest.mark.parametrize("estimator", [False, True])
def test_refusals_are_those_of_the_model(estimator):
    X, y = blobs(100)
    frame, label = table()
    new = OnlineKernelClassifier if estimator else Classifier
    learn = new.fit if estimator else new.learn
    by_number, by_name = learn(new(), X, y), learn(new(), frame, label)
    rows, parts = da.from_array(X, chunks=(50, 4)), dd.from_pandas(frame, npartitions=2)
    cases = [
        (by_number, rows[:, :3], X[:1, :3]),
        (by_number, rows[:, 0], X[:1, 0]),
        (by_name, parts[["income", "town"]], frame[["income", "town"]]),
        (by_name, parts.assign(more=1), frame.assign(more=1)),
        (by_name, parts.assign(income="much"), frame.assign(income="much")),
        (new(), rows, X),
        (new(), parts, frame),
    ]
    for model, collection, local in cases:
        with pytest.raises((ValueError, AttributeError, TypeError)) as expected:
            model.predict(local)
        with pytest.raises(expected.type) as found:
            budgetrs.dask.predict(model, collection)
        assert str(found.value).splitlines()[0] == str(expected.value).splitlines()[0]
    with pytest.raises(AttributeError, match=r"learned any rows|not fitted"):
        budgetrs.dask.predict(new(), db.from_sequence([{"a": 1}]))


def test_what_is_no_model_or_no_collection_is_refused():
    X, y = blobs(100)
    model = Classifier("bsgd-merge", budget=10, gamma=1.0).learn(X, y)
    for wrong in (X, X.tolist(), pd.DataFrame(X), dd.from_pandas(pd.Series(y), npartitions=1)):
        with pytest.raises(TypeError, match="X must be a dask array, data frame or bag, got "):
            budgetrs.dask.predict(model, wrong)
    with pytest.raises(TypeError, match=r"or an estimator of budgetrs, got builtins\.str"):
        budgetrs.dask.predict("model", da.from_array(X))
    with pytest.raises((AttributeError, ValueError), match="log_loss"):
        budgetrs.dask.predict_proba(model, da.from_array(X))
    with pytest.raises(AttributeError, match="log_loss"):
        budgetrs.dask.predict_proba(budgetrs.BSGDClassifier().fit(X, y), da.from_array(X))


def test_workers_predict_with_what_they_were_sent(dask_client):
    X, y = board(2000)
    model = OnlineKernelClassifier(budget=30, random_state=0).fit(X, y)
    rows = da.from_array(X, chunks=(100, 2))
    with dask.config.set(scheduler=dask_client):
        assert np.array_equal(budgetrs.dask.predict(model, rows).compute(), model.predict(X))
        frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]), npartitions=5)
        native = Classifier(budget=30).learn(pd.DataFrame(X, columns=["a", "b"]), y)
        assert np.array_equal(budgetrs.dask.predict(native, frame).compute(), native.predict(frame.compute()))


def test_without_dask_the_extra_is_named():
    program = (
        "import sys\n"
        "sys.modules['distributed'] = None\n"
        "try:\n    import budgetrs.dask\nexcept ImportError as e:\n    print(e)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 'pip install "budgetrs[dask]"' in done.stdout
    program = "import budgetrs, sys; print('dask' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
