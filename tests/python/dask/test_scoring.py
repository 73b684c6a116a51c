"""Predictions of Dask collections are the predictions of the model, in the chunks of the collection."""

import pickle
import subprocess
import sys

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import budgetrs
import budgetrs.dask
import dask
from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, ParameterError, Regressor
from budgetrs.dask import predict
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
    few = X[:, 0] > X[:, 0].max() - 1  # of most chunks nothing is left
    for model in models(X, np.array(["b", "c", "a"])[y]):
        expected = getattr(model, method)(X)
        rows = da.from_array(X, chunks=((60, 60, 60, 20), (3, 1)))
        result = scored(method, model, rows)
        assert result.chunks[0] == (60, 60, 60, 20)
        assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
        assert type(result._meta) is np.ndarray
        assert result._meta.ndim == expected.ndim
        found = result.compute()
        assert (found.dtype, found.tobytes()) == (expected.dtype, expected.tobytes())
        # The number of rows is not known.
        found = scored(method, model, rows[rows[:, 0] > X[:, 0].max() - 1])
        assert np.isnan(found.shape[0])
        assert np.array_equal(found.compute(), getattr(model, method)(X[few]))
        none = scored(method, model, rows[rows[:, 0] > 1e9]).compute()
        assert (none.shape, none.dtype) == ((0, *expected.shape[1:]), expected.dtype)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_frames(method, n_classes):
    frame, label = table()
    label = label if n_classes == 2 else frame.town.to_numpy()
    chosen = frame if n_classes == 2 else frame[["income", "rooms"]]
    parts = dd.from_pandas(chosen, npartitions=3)
    for model in (Classifier(budget=30).learn(chosen, label), OnlineKernelClassifier().fit(chosen, label)):
        result, expected = scored(method, model, parts), getattr(model, method)(chosen)
        assert result.divisions == parts.divisions
        found = result.compute()
        assert found.index.equals(frame.index)
        assert found.index.name == result._meta.index.name == "house"
        assert np.array_equal(found.to_numpy(), expected)
        if expected.ndim == 2:
            assert result.columns.tolist() == found.columns.tolist() == model.classes_.tolist()
            assert (result.dtypes == expected.dtype).all()
        else:
            assert isinstance(result, dd.Series)
            assert result.dtype == found.dtype
        assert len(scored(method, model, parts[parts.income > 1e9]).compute()) == 0


def test_other_kinds_of_rows_and_models(dask_client):
    X, y = blobs(200)
    for model in (Regressor(budget=20).learn(X, y), OnlineKernelRegressor(budget=20).fit(X, y)):
        result = predict(model, da.from_array(X, chunks=(70, 4)))
        assert result.dtype == np.float32
        assert result.compute().tobytes() == model.predict(X).tobytes()
        with pytest.raises(AttributeError, match="decision_function"):
            budgetrs.dask.decision_function(model, da.from_array(X, chunks=(70, 4)))
    model = Classifier("bsgd-merge", budget=30, gamma=0.1).learn(csr_matrix(X), y)
    rows = da.from_array(X, chunks=(40, 4)).map_blocks(csr_matrix)
    assert np.array_equal(predict(model, rows).compute(), model.predict(csr_matrix(X)))
    frame, label = table()
    model = Classifier(budget=30).learn(frame, label)
    with dask.config.set({"dataframe.convert-string": False}):
        parts = dd.from_pandas(frame.astype({"rooms": object, "town": object}), npartitions=2)
        assert np.array_equal(predict(model, parts).compute(), model.predict(frame))
    with dask.config.set(scheduler=dask_client):
        assert np.array_equal(
            predict(model, dd.from_pandas(frame, npartitions=5)).compute(), model.predict(frame)
        )


def test_bags():
    frame, label = table()
    rows = frame.to_dict("records")
    for row in rows[:100]:  # missing values
        del row["town"], row["income"]
    frame = frame.astype({"town": object})
    frame.loc[frame.index[:100], ["town", "income"]] = None, np.nan
    for model in (Classifier(budget=30).learn(frame, label), OnlineKernelClassifier().fit(frame, label)):
        for npartitions in (1, 3):
            bag = db.from_sequence(rows, npartitions=npartitions)
            assert predict(model, bag).npartitions == bag.npartitions
            assert predict(model, bag).compute() == model.predict(frame).tolist()
            scores = budgetrs.dask.decision_function(model, bag).compute()
            assert scores == model.decision_function(frame).tolist()
            first = budgetrs.dask.predict_proba(model, bag).compute()[0]
            assert first == dict(zip(model.classes_.tolist(), model.predict_proba(frame)[0], strict=True))
        with pytest.raises(ValueError, match="colour"):
            predict(model, db.from_sequence([{**rows[200], "colour": 3}])).compute()
    X, y = blobs(50)
    model = Classifier(budget=30).learn(X, y)
    bag = db.from_sequence(X.tolist(), npartitions=4).filter(lambda row: row[0] > 0)
    assert predict(model, bag).compute() == model.predict(X[X[:, 0] > 0]).tolist()
    for rows, message in [
        ([[1, 2, 3, 4], [3, 4], [5]], "X must have rows of one length, got 2 values at row 1"),
        ([[1, 2], {"a": 1}], "X must have either dicts or sequences as rows, got both"),
        ([{"a": 1}, [1, 2]], "X must have either dicts or sequences as rows, got both"),
    ]:
        with pytest.raises(ParameterError, match=message):
            predict(model, db.from_sequence(rows, npartitions=1)).compute()


def test_what_the_model_learns_later_changes_nothing():
    X, y = blobs(300)
    for model in models(X[:100], y[:100]):
        before = model.predict(X)
        result = predict(model, da.from_array(X, chunks=(100, 4)))
        (model.learn if isinstance(model, Classifier) else model.partial_fit)(X[100:], (y[100:] + 1) % 3)
        assert not np.array_equal(before, model.predict(X))
        assert np.array_equal(result.compute(), before)


def test_the_model_is_one_key_of_the_graph_and_predicts_in_one_thread():
    frame, label = table()
    X, y = blobs(300)
    for model, collection in [
        (Classifier(budget=100, n_jobs=4).learn(X, y), da.from_array(X, chunks=(10, 4))),
        (OnlineKernelClassifier(budget=100, n_jobs=4).fit(X, y), da.from_array(X, chunks=(10, 4))),
        (Classifier(budget=100, n_jobs=4).learn(frame, label), dd.from_pandas(frame, npartitions=30)),
        (Classifier(budget=100, n_jobs=4).learn(X, y), db.from_sequence(X.tolist(), npartitions=30)),
    ]:
        result = predict(model, collection)
        assert result.__dask_keys__() == predict(model, collection).__dask_keys__()
        (result,) = dask.optimize(result)
        graph = dict(result.__dask_graph__())
        (ours,) = [key for key in graph if "budgetrs-model" in str(key)]
        assert (graph[ours]().n_jobs, model.n_jobs) == (1, 4)
        rest = [len(pickle.dumps(task)) for key, task in graph.items() if key != ours]
        assert len(rest) >= 30
        assert sorted(rest)[-2] < len(pickle.dumps(model)) / 2  # one may hold the rows


@pytest.mark.parametrize("new", [Classifier, OnlineKernelClassifier])
def test_errors_are_those_of_the_model(new):
    X, y = blobs(100)
    frame, label = table()
    learn = new.learn if new is Classifier else new.fit
    by_number, by_name = learn(new(), X, y), learn(new(), frame, label)
    rows, parts = da.from_array(X, chunks=(50, 4)), dd.from_pandas(frame, npartitions=2)
    for model, collection, local in [
        (by_number, rows[:, :3], X[:1, :3]),
        (by_number, rows[:, 0], X[:1, 0]),
        (by_name, parts[["income", "town"]], frame[["income", "town"]]),
        (by_name, parts.assign(more=1), frame.assign(more=1)),
        (by_name, parts.assign(income="much"), frame.assign(income="much")),
        (new(), rows, X),
        (new(), parts, frame),
    ]:
        with pytest.raises((ValueError, AttributeError, TypeError)) as expected:
            model.predict(local)
        with pytest.raises(expected.type) as found:
            predict(model, collection)
        assert str(found.value).splitlines()[0] == str(expected.value).splitlines()[0]
    with pytest.raises(AttributeError, match=r"learned any rows|not fitted"):
        predict(new(), db.from_sequence([{"a": 1}]))


def test_invalid_arguments():
    X, y = board(100)
    model = Classifier("bsgd-merge", budget=10, gamma=1.0).learn(X, y)
    for wrong in (X, X.tolist(), pd.DataFrame(X), dd.from_pandas(pd.Series(y), npartitions=1)):
        with pytest.raises(TypeError, match="X must be a dask array, data frame or bag, got "):
            predict(model, wrong)
    with pytest.raises(TypeError, match=r"or an estimator of budgetrs, got builtins\.str"):
        predict("model", da.from_array(X))
    for without in (model, budgetrs.BSGDClassifier().fit(X, y)):
        with pytest.raises((AttributeError, ValueError), match="log_loss"):
            budgetrs.dask.predict_proba(without, da.from_array(X))


def test_without_dask_the_extra_is_named():
    program = "import sys; sys.modules['distributed'] = None; import budgetrs.dask"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert 'pip install "budgetrs[dask]"' in done.stderr
    program = "import budgetrs, sys; print('dask' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program]) == b"False\n"
