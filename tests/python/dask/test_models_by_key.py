"""Models by key over Dask workers: those of one process, whatever the partitions, shards and lost workers."""

import os
import signal
import threading
import time

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import budgetrs
import dask
from budgetrs import Classifier, ParameterError, Regressor
from budgetrs.dask import KeyedModels


@pytest.fixture(scope="module")
def client():
    with Client(processes=False, dashboard_address=":0", n_workers=1, threads_per_worker=2) as client:
        yield client


def frame(rows=3000, keys=40, words=False):
    rng = np.random.default_rng(3)
    of = rng.integers(0, keys, rows)
    data = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc")).assign(user=of)
    data["y"] = np.where((data.a > 0) == (of % 2 == 0), "buys", "goes")
    data["weight"] = rng.uniform(0.5, 2, rows)
    return data.assign(user=[f"user {key}" for key in of]) if words else data


def locally(data, parts, make, **weights):
    """The loop that a cluster must repeat."""
    models = budgetrs.KeyedModels(make, key="user", n_jobs=1)
    for at in range(parts.npartitions):
        part = parts.partitions[at].compute()
        weight = part.weight if weights else None
        models.learn(part.drop(columns=["y", "weight"]), part.y, sample_weight=weight)
    return models


def same(models, expected):
    assert sorted(models) == sorted(expected)
    return all(models[key].to_bytes() == expected[key].to_bytes() for key in expected)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize(("shards", "at_once"), [(1, 1), (7, 3), (7, 100), (30, 4)])
def test_models_are_those_of_one_process(client, tmp_path, words, shards, at_once):
    data = frame(words=words)
    parts = dd.from_pandas(data.drop(columns="weight"), npartitions=6)
    models = KeyedModels(tmp_path, Classifier("bsgd-merge", budget=10), key="user", shards=shards)
    models.learn(parts, "y", at_once=at_once)
    full = dd.from_pandas(data, npartitions=6)
    expected = locally(data, full, Classifier("bsgd-merge", budget=10))
    assert same(models, expected)
    assert models.n_partitions_ == 6
    assert len(models) == len(expected)
    predicted = models.predict(parts.drop(columns="y"))
    assert predicted.npartitions == 6
    found = predicted.compute()
    assert found.index.equals(data.index)
    X = data.drop(columns=["y", "weight", "user"])
    assert found.tolist() == expected.predict(X, data.user.to_numpy()).tolist()


def test_weights_series_and_delayed_frames(client, tmp_path):
    data = frame()
    parts = dd.from_pandas(data, npartitions=5)
    make = Classifier("bsgd-merge", budget=10)
    expected = locally(data, parts, make, weights=True)
    named = KeyedModels(tmp_path / "a", make, key="user", shards=4).learn(parts, "y", sample_weight="weight")
    assert same(named, expected)
    series = KeyedModels(tmp_path / "b", lambda: make, key="user", shards=4)
    series.learn(parts.drop(columns=["y", "weight"]), parts.y, sample_weight=parts.weight)
    assert same(series, expected)
    delayed = KeyedModels(tmp_path / "c", make, key="user", shards=4)
    delayed.learn(list(parts.to_delayed()), "y", sample_weight="weight")
    assert same(delayed, expected)


def test_a_new_call_goes_on_from_the_folder(client, tmp_path):
    data = frame().drop(columns="weight")
    parts = dd.from_pandas(data, npartitions=6)
    make = Classifier(budget=10)
    KeyedModels(tmp_path, make, key="user", shards=3).learn(parts.partitions[:2], "y")
    again = KeyedModels(tmp_path, key="user")
    assert again.n_partitions_ == 2
    again.learn(parts.partitions[again.n_partitions_ :], "y")
    whole = KeyedModels(tmp_path.with_name("whole"), make, key="user", shards=5).learn(parts, "y")
    assert same(again, whole)
    shards = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert len(shards) <= 4, "folders of before are removed"


def test_numbers_and_a_prior(client, tmp_path):
    data = frame().drop(columns="weight").assign(y=lambda data: data.a * (1 + data.user % 3))
    parts = dd.from_pandas(data, npartitions=3)
    prior = Regressor(budget=20).learn(data[["a", "b", "c"]], data.y)
    models = KeyedModels(tmp_path, prior, key="user", shards=3).learn(parts, "y")
    new = parts.drop(columns="y").assign(user=10**6)
    predicted = models.predict(new)
    assert predicted.dtype == np.float64
    assert predicted.compute().to_numpy().tolist() == prior.predict(data[["a", "b", "c"]]).tolist()


def test_types_of_keys_do_not_matter(client, tmp_path):
    data = frame().drop(columns="weight")
    make = Classifier("bsgd-merge", budget=10)
    models = KeyedModels(tmp_path / "a", make, key="user", shards=5)
    for dtype in ("int16", "int64", "uint8", "Int64"):
        models.learn(dd.from_pandas(data.assign(user=data.user.astype(dtype)), npartitions=2), "y")
    assert len(models) == 40
    assert 3 in models
    assert np.int8(3) in models
    assert 4000 not in models
    assert 3.5 not in models
    with pytest.raises(KeyError):
        models[4000]
    words = frame(words=True).drop(columns="weight")
    models = KeyedModels(tmp_path / "b", make, key="user", shards=5)
    for dtype in ("object", "category"):
        models.learn(dd.from_pandas(words.assign(user=words.user.astype(dtype)), npartitions=2), "y")
    assert len(models) == 40
    assert "user 3" in models


def test_refusals_leave_what_was_learned(client, tmp_path):
    data = frame().drop(columns="weight")
    parts = dd.from_pandas(data, npartitions=4)
    with pytest.raises(ParameterError, match="make must be given"):
        KeyedModels(tmp_path / "none", key="user")
    with pytest.raises(ParameterError, match="shards must be"):
        KeyedModels(tmp_path / "none", Classifier(), key="user", shards=0)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(ValueError, match="folder must be an empty one"):
        KeyedModels(tmp_path / "other", Classifier(), key="user")
    for text in ("[]", '{"partitions": 0, "shards": []}', '{"partitions": 0, "shards": ["../other"]}', "{}"):
        (tmp_path / "other" / "state.json").write_text(text)
        with pytest.raises(ValueError, match="folder must be one of KeyedModels of Dask"):
            KeyedModels(tmp_path / "other", key="user")
    models = KeyedModels(tmp_path / "models", Classifier(budget=10), key="user", shards=4)
    with pytest.raises(ValueError, match="no model has learned yet"):
        models.predict(parts)
    models.learn(parts, "y")
    before = {key: models[key].to_bytes() for key in models}
    broken = data.assign(a=np.where(data.index == 2900, np.inf, data.a))
    with pytest.raises(ValueError, match="finite"):
        models.learn(dd.from_pandas(broken, npartitions=4), "y")
    with pytest.raises(ParameterError, match="key must be a column of X"):
        models.learn(parts.drop(columns="user"), "y")
    with pytest.raises(ParameterError, match="at_once must be"):
        models.learn(parts, "y", at_once=0)
    with pytest.raises(TypeError, match="X must be a dask data frame"):
        models.learn(data, "y")
    assert models.n_partitions_ == 4
    assert {key: models[key].to_bytes() for key in models} == before


def slow(part):
    time.sleep(0.3)
    return part


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="workers are killed as Unix has it")
def test_a_worker_that_is_killed_costs_no_rows(tmp_path):
    data = frame().drop(columns="weight")
    parts = dd.from_pandas(data, npartitions=12)
    make = Classifier("bsgd-merge", budget=10)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 10}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        models = KeyedModels(tmp_path, make, key="user", shards=3, client=client)
        pid = next(iter(client.run(os.getpid).values()))
        timer = threading.Timer(0.8, os.kill, (pid, signal.SIGKILL))
        timer.start()
        models.learn(parts.map_partitions(slow, meta=parts._meta), "y", at_once=4)
        assert not timer.is_alive(), "the worker was killed while models learned"
    expected = budgetrs.KeyedModels(make).learn(data[["a", "b", "c"]], data.y, data.user.to_numpy())
    assert same(models, expected)
