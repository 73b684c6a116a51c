"""Learning from Dask collections: the model of a loop over the partitions, also if workers are killed."""

import gc
import inspect
import itertools
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest
from dask._expr import HLGExpr

import budgetrs
import budgetrs.dask
import dask
from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, ParameterError, Regressor
from budgetrs.dask import _learner, _learning, _run
from budgetrs.dask._batches import Packed, partitions
from conftest import board, but_nightly

ROWS, PARTS = 2400, 12
SIZE = ROWS // PARTS


def rows():
    X, y = board(ROWS)
    return X, np.where(y > 0, "even", "odd")


def frame():
    rng = np.random.default_rng(1)
    X, y = rows()
    data = pd.DataFrame(X, columns=["a", "b"])
    return data.assign(town=rng.choice(["Oslo", "Rome"], ROWS), weight=rng.uniform(0, 2, ROWS), y=y)


def locally(model, X, y, weight=None, classes=None):
    """The loop that a cluster must repeat."""
    learn = model.partial_fit if hasattr(model, "partial_fit") else model.learn
    more = {} if classes is None else {"classes": classes}
    for start in range(0, ROWS, SIZE):
        part = slice(start, start + SIZE)
        learn(X[part], y[part], sample_weight=None if weight is None else weight[part], **more)
        more = {} if not hasattr(model, "partial_fit") else more
    return model


def same(model, other):
    native, others = (getattr(one, "_model", one) for one in (model, other))
    return type(model) is type(other) and native.to_bytes() == others.to_bytes()


def small():
    return Classifier(budget=20)


def wait_for_both(client):
    """Wait for others in the place of workers that were killed."""
    client.wait_for_workers(2, timeout=120)


@pytest.fixture
def learn(dask_client):
    """Learn on the two workers."""

    return partial(budgetrs.dask.learn, client=dask_client)


@pytest.mark.parametrize("by", ["name", "series"])
def test_frames(learn, by):
    data = frame()
    expected = locally(small(), data[["a", "b", "town"]], data.y, data.weight)
    parts = dd.from_pandas(data, npartitions=PARTS)
    if by == "name":
        model = learn(small(), parts, "y", sample_weight="weight")
    else:
        model = learn(small(), parts[["a", "b", "town"]], parts.y, sample_weight=parts.weight)
    assert same(model, expected)
    assert model.feature_names_in_.tolist() == ["a", "b", "town"]


def test_a_folder_of_parquet(learn, tmp_path):
    data = frame().drop(columns="town").astype({"weight": np.float32})
    for at in range(PARTS):
        data[at * SIZE : (at + 1) * SIZE].to_parquet(tmp_path / f"{at:03}.parquet")
    expected = locally(small(), data[["a", "b"]], data.y, data.weight)
    model = learn(small(), dd.read_parquet(tmp_path), "y", sample_weight="weight")
    assert same(model, expected)
    assert model.dtype == np.float32
    read = [dask.delayed(pd.read_parquet)(path) for path in sorted(tmp_path.glob("*.parquet"))]
    assert same(learn(small(), read, "y", sample_weight="weight"), expected)
    pairs = [dask.delayed(lambda part: (part[["a", "b"]], part["y"], part["weight"]))(part) for part in read]
    assert same(learn(small(), pairs), expected)


def test_bags(learn):
    data = frame().drop(columns="weight")
    records = data.to_dict("records")
    for row in records[3 * SIZE : 5 * SIZE]:
        del row["town"]
    asked = data.astype({"a": float, "b": float, "town": object})
    asked.loc[3 * SIZE : 5 * SIZE - 1, "town"] = None
    expected = locally(small(), asked[["a", "b", "town"]], asked.y)
    assert same(learn(small(), db.from_sequence(records, npartitions=PARTS), "y"), expected)


RAGGED = "the rows of X must be sequences of numbers, all of one length, got "


@pytest.mark.parametrize(
    ("records", "kind", "message"),
    [
        ([1, 2], TypeError, r"must be dicts to be learned, got builtins\.int at row 0"),
        (
            [{"a": 1.0, "y": 1}, (1, 2)],
            TypeError,
            r"must be dicts to be learned, got builtins\.tuple at row 1",
        ),
        ([{"a": 1.0, "y": 1}, None], TypeError, "must be dicts to be learned, got None at row 1"),
        ([{"a": 1.0, "y": 1}, {"a": 2.0}], ValueError, r"bag must all have 'y', row 1 has \['a'\]"),
    ],
)
def test_rows_of_a_bag_that_are_refused(learn, records, kind, message):
    with pytest.raises(kind, match=message):
        learn(small(), db.from_sequence(records, npartitions=1), "y")


@pytest.mark.parametrize(
    ("ragged", "message"),
    [
        ([[1.0, 2.0], [1.0, 2.0], [1.0]], RAGGED + "1 values at row 2, 2 values at row 0"),
        ([[1.0, 2.0], {"a": 1.0}], RAGGED + r"builtins\.dict at row 1, 2 values at row 0"),
        ([[1.0, [2.0]], [1.0, 2.0]], RAGGED),
    ],
)
def test_ragged_rows_are_refused(learn, ragged, message):
    with pytest.raises(ParameterError, match=message) as found:
        learn(small(), [dask.delayed((ragged, list(range(len(ragged)))))])
    assert found.value.parameter == "X"


def test_estimators(learn):
    X, y = rows()
    rows_, labels = da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE)
    for make in (
        lambda: OnlineKernelClassifier(budget=20, random_state=0),
        lambda: budgetrs.BSGDClassifier(budget=20, random_state=0, class_weight={"even": 2.0, "odd": 1.0}),
    ):
        new = make()
        model = learn(new, rows_, labels, classes=["odd", "even"])
        assert same(model, locally(make(), X, y, classes=["odd", "even"]))
        assert not hasattr(new, "n_features_in_")
        assert model.get_params() == new.get_params()
    data = frame()
    parts = dd.from_pandas(data[["a", "town"]].assign(y=data.a), npartitions=PARTS)
    model = learn(OnlineKernelRegressor(budget=20, random_state=0), parts, "y")
    expected = locally(OnlineKernelRegressor(budget=20, random_state=0), data[["a", "town"]], data.a)
    assert same(model, expected)
    assert model.feature_names_in_.tolist() == ["a", "town"]


def test_class_weights_of_a_native_model(learn):
    X, y = rows()
    by_class = {"even": 2.0, "odd": 0.0}
    make = lambda: Classifier(budget=20, class_weight=by_class)  # noqa: E731
    model = learn(make(), da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE))
    assert same(model, locally(make(), X, y))
    assert model.params["class_weight"] == by_class


def test_an_estimator_whose_first_partition_holds_one_class(learn):
    X, y = rows()
    even = y == "even"
    parts = [dask.delayed((X[even], y[even])), dask.delayed((X, y))]
    with pytest.raises(ValueError, match="one class only") as found:
        learn(OnlineKernelClassifier(budget=20), parts)
    assert "pass classes= to learn: the first partition holds one class only" in found.value.__notes__
    with pytest.raises(ValueError, match="finite") as found:
        learn(OnlineKernelClassifier(budget=20), [dask.delayed((X * np.inf, y))])
    assert found.value.__notes__ == ["in partition 0 of 1, counted from 0"]
    assert (
        learn(OnlineKernelClassifier(budget=20), parts, classes=["even", "odd"]).n_samples_seen_
        == even.sum() + ROWS
    )


def test_classes_of_a_model_that_has_learned(learn):
    X, y = rows()
    parts = [dask.delayed((X[:SIZE], y[:SIZE]))]
    grown, whole = small().learn(X, y), small().learn(X, y, classes=["even", "odd"])
    estimator = OnlineKernelClassifier(budget=20).partial_fit(X, y)
    with pytest.raises(ParameterError, match="passed in the first call to learn"):
        learn(grown, parts, classes=["even", "odd"])
    with pytest.raises(ParameterError, match="equal to the classes of the first call"):
        learn(whole, parts, classes=["even", "odd", "none"])
    with pytest.raises(ValueError, match="as in the first call"):
        learn(estimator, parts, classes=["even", "odd", "none"])
    for model in (whole, estimator):
        assert learn(model, parts, classes=["odd", "even"]).n_samples_seen_ == ROWS + SIZE


def test_empty_partitions_and_unknown_lengths(learn):
    X, y = rows()
    rows_, labels = da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE)
    kept = X[:, 0] > 0.995
    assert min(kept[at : at + SIZE].sum() for at in range(0, ROWS, SIZE)) == 0
    some = rows_[:, 0] > 0.995
    model, expected = learn(small(), rows_[some], labels[some]), small()
    for at in range(0, ROWS, SIZE):
        part = np.flatnonzero(kept[at : at + SIZE]) + at
        if len(part):
            expected.learn(X[part], y[part])
    assert same(model, expected)
    none = learn(small(), rows_[rows_[:, 0] > 2], labels[rows_[:, 0] > 2])
    assert not hasattr(none, "n_features_in_")


def test_one_worker_is_enough():
    from distributed import Client

    X, y = rows()
    model = small()
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0"):
        rows_, labels = da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE)
        assert same(budgetrs.dask.learn(model, rows_, labels, prefetch_bytes=1), locally(small(), X, y))
    assert not hasattr(model, "n_features_in_")


class Killer:
    """Kills the worker that learns, or another one, when so many partitions were learned."""

    def __init__(self, client, monkeypatch, plan):
        self.client, self.plan, self.killed, self.starts = client, dict(plan), [], []
        heard, begin = _learning._Learning._record, _run.Run.begin

        def noting(run, model, done):
            begin(run, model, done)
            self.starts.append(done)
            self.learner = run._where

        def killing(run, report, done):
            heard(run, report, done)
            if done in self.plan:
                self.kill(self.plan.pop(done))

        monkeypatch.setattr(_run.Run, "begin", noting)
        monkeypatch.setattr(_learning._Learning, "_record", killing)

    def kill(self, whom):
        wait_for_both(self.client)
        others = [worker for worker in self.client.nthreads() if worker != self.learner]
        worker = self.learner if whom == "learner" else others[0]
        pid = self.client.run(os.getpid, workers=[worker])[worker]
        os.kill(pid, signal.SIGKILL)
        self.killed.append(whom)


@pytest.mark.nightly
@pytest.mark.parametrize(("kept", "estimator"), [("memory", False), ("folder", True)])
def test_a_worker_that_is_killed_costs_no_rows(mortal_workers, monkeypatch, tmp_path, kept, estimator):
    X, y = rows()
    # Before the first checkpoint there is none to go on from.
    plan = {1: "learner", 7: "learner"} if kept == "memory" else {3: "loader", 7: "learner"}
    killer = Killer(mortal_workers, monkeypatch, plan)
    new = OnlineKernelClassifier(budget=20, random_state=0) if estimator else small()
    wait_for_both(mortal_workers)
    model = budgetrs.dask.learn(
        new,
        da.from_array(X, chunks=(SIZE, 2)),
        da.from_array(y, chunks=SIZE),
        classes=["even", "odd"],
        checkpoint_rows=2 * SIZE + 1,
        prefetch_bytes=1,
        checkpoint_dir=tmp_path / "run" if kept == "folder" else None,
        client=mortal_workers,
    )
    wait_for_both(mortal_workers)
    # Every third partition ends with a checkpoint.
    assert (killer.killed, killer.starts) == (
        (["learner", "learner"], [0, 0, 6]) if kept == "memory" else (["loader", "learner"], [0, 6])
    )
    again = OnlineKernelClassifier(budget=20, random_state=0) if estimator else small()
    assert same(model, locally(again, X, y, classes=["even", "odd"]))
    if kept == "folder":
        names = sorted(path.name for path in (tmp_path / "run").iterdir())
        assert names == ["partitions-00000009.safetensors", "partitions-00000012.safetensors", "run.json"]


class StoppedError(Exception):
    """What ends a run in a test."""


def test_a_new_call_goes_on_from_the_folder(learn, monkeypatch, tmp_path):
    X, y = rows()
    data = (da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE))
    heard, starts, begin = _learning._Learning._record, [], _run.Run.begin

    def stopping(run, report, done):
        heard(run, report, done)
        if done == 8:
            raise StoppedError

    def noting(run, model, done):
        starts.append(done)
        begin(run, model, done)

    monkeypatch.setattr(_run.Run, "begin", noting)
    with monkeypatch.context() as patch:
        patch.setattr(_learning._Learning, "_record", stopping)
        with pytest.raises(StoppedError):
            learn(small(), *data, checkpoint_dir=tmp_path, checkpoint_rows=3 * SIZE, prefetch_bytes=1)
    model = learn(small(), *data, checkpoint_dir=tmp_path, checkpoint_rows=3 * SIZE)
    assert starts[0] == 0
    assert starts[1] in (6, 9)  # it was ahead of what it had reported
    assert same(model, locally(small(), X, y))
    # What is done is done.
    assert same(learn(small(), *data, checkpoint_dir=tmp_path), model)
    assert starts[2] == PARTS
    assert json.loads((tmp_path / "run.json").read_text())["partitions"] == PARTS
    for other, more in ((Classifier(budget=21), data), (small(), [part[:SIZE] for part in data])):
        with pytest.raises(ValueError, match="a folder of the same run"):
            learn(other, *more, checkpoint_dir=tmp_path)
    (tmp_path / "run.json").unlink()
    with pytest.raises(ValueError, match=r"an empty folder, or one with a run\.json"):
        learn(small(), *data, checkpoint_dir=tmp_path)


def parts_of(data, n=3):
    """Delayed partitions, whose names are others in every call."""
    size = len(data) // n
    return [dask.delayed(data[at : at + size]) for at in range(0, len(data), size)]


def test_the_folder_of_another_run_is_refused(learn, tmp_path):
    data = frame()[:600]
    model = learn(small(), parts_of(data), "y", checkpoint_dir=tmp_path, classes=["even", "odd"])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    cases = [
        (Classifier(budget=21), parts_of(data), "y", {}, "began with another model"),
        (
            small(),
            parts_of(frame()[:800], 4),
            "y",
            {},
            "learned 3 partitions, this call has 4; "
            "for more rows, load the model that is there and learn the new partitions into another folder",
        ),
        (
            small(),
            parts_of(data.drop(columns="b")),
            "y",
            {},
            "had the columns ['b'], which this call lacks",
        ),
        (
            small(),
            parts_of(data[["b", "a", "town", "weight", "y"]]),
            "y",
            {},
            "had the columns in another order",
        ),
        (small(), parts_of(data[:300]), "y", {}, "had 200 rows in its first partition, this call has 100;"),
        (
            small(),
            parts_of(data),
            "town",
            {},
            "had y='y', this call has y='town', and had the columns ['town'], which this call lacks, "
            "and lacked the columns ['y'], which this call has;",
        ),
        (
            small(),
            parts_of(data),
            "y",
            {"sample_weight": "weight"},
            "had sample_weight=None, this call has sample_weight='weight'",
        ),
        (
            small(),
            parts_of(data),
            "y",
            {"classes": None},
            "had classes=['even', 'odd'], this call has classes=None",
        ),
        (
            small(),
            dd.from_pandas(data, npartitions=3),
            "y",
            {},
            "read each partition as 'delayed', this call as",
        ),
        (small(), parts_of(data.assign(a=data.a + 1)), "y", {}, "had other rows in its first partition"),
        (small(), parts_of(data.assign(a=data.a.astype(float))), "y", {}, "had other rows in its first"),
        (small(), parts_of(data.assign(y="odd")), "y", {}, "had other targets in its first partition"),
    ]
    for other, parts, y, more, message in cases:
        with pytest.raises(
            ValueError, match="a folder of the same run, or an empty one: the run in"
        ) as found:
            learn(other, parts, y, checkpoint_dir=tmp_path, **{"classes": ["odd", "even"], **more})
        assert message in str(found.value)
    with pytest.raises(FileNotFoundError):
        learn(small(), [dask.delayed(pd.read_csv)("nothing.csv")] * 3, "y", checkpoint_dir=tmp_path)
    again = learn(small(), parts_of(data), "y", checkpoint_dir=tmp_path, classes=["odd", "even"])
    assert same(again, model)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_folder_of_other_weights_is_refused(learn, tmp_path):
    X, y = rows()
    data = da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE)
    weight = da.ones(ROWS, chunks=SIZE)
    learn(small(), *data, sample_weight=weight, checkpoint_dir=tmp_path)
    given = json.loads((tmp_path / "run.json").read_text())
    assert (given["y"], given["sample_weight"], given["columns"]) == ("array", "array", 2)
    with pytest.raises(ValueError, match="had other weights in its first partition"):
        learn(small(), *data, sample_weight=weight * 2, checkpoint_dir=tmp_path)
    with pytest.raises(ValueError, match="had sample_weight='array', this call has sample_weight=None"):
        learn(small(), *data, checkpoint_dir=tmp_path)
    # Nothing is lost where no model is there yet.
    X[0, 0] = np.inf
    with pytest.raises(ParameterError, match="finite"):
        learn(small(), da.from_array(X, chunks=(SIZE, 2)), data[1], checkpoint_dir=tmp_path / "new")
    with pytest.raises(ValueError, match=r"no model is there yet: to begin anew, remove its run\.json"):
        learn(small(), *data, checkpoint_dir=tmp_path / "new")
    (tmp_path / "run.json").write_text('{"format": 1}')
    with pytest.raises(ValueError, match="is noted in the format 1, this version reads 2"):
        learn(small(), *data, checkpoint_dir=tmp_path)


def values_of_all_kinds(changed):
    """The rows or targets of a partition, by kind; in one of them something is changed."""
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from scipy.sparse import csr_array

    words = pd.Series(["Oslo", None, "Rome", "Bonn" if changed else "Oslo"], dtype=object)
    numbers = np.array([[0.1, 2.0], [np.nan, 1.0], [0.0, 3.0], [0.0, 4.5 if changed else 4.0]])
    frames = {
        dtype: words.astype(dtype).to_frame("town") for dtype in ("object", "category", "string[pyarrow]")
    }
    return {
        "float64": numbers,
        "float32": numbers.astype(np.float32),
        "columns first": np.asfortranarray(numbers),
        "a frame of numbers": pd.DataFrame(numbers, columns=["a", "b"]),
        "a frame of integers": pd.DataFrame(numbers[2:].astype(int), columns=["a", "b"]).assign(c=changed),
        "no names": pd.DataFrame(numbers),
        "no rows": pd.DataFrame({"b" if changed else "a": []}),
        "lists in a column": pd.DataFrame({"a": [[1], ["b" if changed else "a"]]}),
        **frames,
        "polars": pl.DataFrame({"a": numbers[:, 1], "town": words.tolist()}),
        "arrow": pa.table({"a": numbers[:, 1], "town": words.tolist()}),
        "sparse": csr_array(np.nan_to_num(numbers)),
        "objects": words.to_numpy(),
        "strings": words.fillna("").to_numpy(str),
        "lists": numbers.tolist(),
        "a list of words": words.tolist(),
        "others": {"a": changed},
    }


def digests(changed):
    """What partitions of all kinds are recognised by: their rows, and their targets."""
    from budgetrs.dask._batches import Batch
    from budgetrs.dask._checkpoints import contents

    found = values_of_all_kinds(changed).items()
    return {name: contents(Batch(X, X, None))["digests"] for name, X in found}


def test_partitions_are_recognised_in_a_new_process():
    program = "\n".join(
        [
            *map(inspect.getsource, (values_of_all_kinds, digests)),
            "import json; print(json.dumps(digests(False)))",
        ]
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environment, check=True)
    here, changed = digests(False), digests(True)
    assert json.loads(done.stdout) == here
    for part in ("rows", "targets"):
        unchanged = [name for name in here if here[name][part] == changed[name][part]]
        assert unchanged == []
        alike = {here[name][part] for name in ("float64", "columns first")}
        assert len(alike) == 1
    assert here["float64"]["rows"] != here["float32"]["rows"]
    assert here["float64"]["weights"] is None


def test_partitions_that_are_refused_are_named(learn):
    X, y = rows()
    X[5 * SIZE + 3, 0] = np.inf
    with pytest.raises(ParameterError) as found:
        learn(small(), da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE))
    assert found.value.row == 3
    assert found.value.__notes__ == ["in partition 5 of 12, counted from 0"]
    parts = [dask.delayed(pd.read_parquet)("nothing.parquet")]
    with pytest.raises(FileNotFoundError):
        learn(small(), parts, "y")


def test_arguments_that_are_refused(learn):
    X, y = rows()
    rows_, labels = da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE)
    data = dd.from_pandas(frame(), npartitions=3)
    cases = [
        ((small(), X, y), {}, TypeError, "X must be a dask array, data frame or bag, or a list of delayed"),
        ((small(), rows_, y), {}, TypeError, "y must be a dask array, as X is, got numpy.ndarray"),
        ((small(), rows_), {}, TypeError, "y must be a dask array, as X is, got None"),
        ((small(), rows_, labels[:7]), {}, ValueError, "y must have as many rows as X, 2400, got 7"),
        ((small(), rows_[:, 0], labels), {}, ValueError, "X must have 2 dimensions, got 1"),
        ((small(), data, "z"), {}, ValueError, "y must be a column of X, one of .*, got 'z'"),
        ((small(), data, data.y.repartition(npartitions=1)), {}, ValueError, "the 3 partitions of X, got 1"),
        ((small(), db.from_sequence([{}]), 3), {}, TypeError, "y must be the name .* in the rows of the bag"),
        (("model", rows_, labels), {}, TypeError, "model must be a Classifier"),
        (
            (Regressor(), rows_, labels),
            {"classes": [1, 2]},
            TypeError,
            "classes are for classifiers, got a Regressor",
        ),
        (
            (small(), rows_, labels),
            {"checkpoint_rows": 0},
            ValueError,
            "checkpoint_rows must be an integer >= 1, got 0",
        ),
        (
            (small(), rows_, labels),
            {"checkpoint_rows": True},
            ValueError,
            "checkpoint_rows must be an integer >= 1, got True",
        ),
        (
            (small(), rows_, labels),
            {"checkpoint_rows": 2.0},
            ValueError,
            r"checkpoint_rows must be an integer >= 1, got 2\.0",
        ),
        (
            (small(), rows_, labels),
            {"prefetch_bytes": None},
            ValueError,
            "prefetch_bytes must be a number .* got None",
        ),
        (
            (small(), rows_, labels),
            {"prefetch_bytes": -1},
            ValueError,
            "prefetch_bytes must be a number .* got -1",
        ),
        (
            (small(), rows_, labels),
            {"prefetch_bytes": "-1 B"},
            ValueError,
            "prefetch_bytes must be a number .* got '-1 B'",
        ),
        (
            (small(), rows_, labels),
            {"prefetch_bytes": "many"},
            ValueError,
            "prefetch_bytes must be .* as '256 MiB', got 'many'",
        ),
        ((small(), []), {}, ValueError, "X must be .* or a list of delayed partitions, got an empty list"),
        ((small(), [dask.delayed((X, y)), X]), {}, TypeError, r"got numpy\.ndarray at place 1 of the list"),
    ]
    for given, more, kind, message in cases:
        with pytest.raises(kind, match=message):
            learn(*given, **more)
    for client in (5, "tcp://127.0.0.1:8786"):
        with pytest.raises(TypeError, match=r"client must be a distributed\.Client, got builtins\."):
            budgetrs.dask.learn(small(), rows_, labels, client=client)
    with pytest.raises(ValueError, match="No global client found") as found:
        budgetrs.dask.learn(small(), rows_, labels)
    assert found.value.__notes__ == ["start distributed.Client() first, or pass client="]


def test_integers_of_numpy(learn, tmp_path):
    X, y = rows()
    data = da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE)
    model = learn(
        small(), *data, checkpoint_rows=np.int64(SIZE), prefetch_bytes=np.int32(1), checkpoint_dir=tmp_path
    )
    assert same(model, locally(small(), X, y))
    assert (tmp_path / f"partitions-{PARTS - 1:08}.safetensors").exists()


def learner_of(count, every=10**6):
    return _learner.start(small(), 0, _learner.Plan(None, every, None, count))


def batches(count, size=40):
    X, y = board(count * size)
    return [_learner.Batch(X[at : at + size], y[at : at + size], None) for at in range(0, len(X), size)]


def learned(parts):
    model = small()
    for part in parts:
        model.learn(part.X, part.y)
    return model


def test_a_task_that_is_run_again_is_not_learned_again():
    learner, parts = learner_of(4), batches(4)
    (first,) = _learner.learn(learner, 0, parts[0])
    assert (first.rows, first.checkpoint) == (40, None)
    assert first.n_bytes >= parts[0].X.nbytes + parts[0].y.nbytes
    for number in (0, 3):
        with pytest.raises(_learner.LearnerLostError, match=f"has learned 1 partitions, expected {number}"):
            _learner.learn(learner, number, parts[number], [first])
    for number in (0, 2):
        with pytest.raises(_learner.LearnerLostError, match=f"has learned 1 partitions, expected {number}"):
            _learner.finish(learner, number)
    with pytest.raises(TypeError, match="stays on its worker"):
        pickle.dumps(learner)


def test_a_partition_that_is_early_is_learned_in_its_turn():
    parts = batches(6)
    expected = learned(parts)
    orders = [
        order
        for order in itertools.permutations(range(6))
        if all(set(range(number - 1)) <= set(order[:at]) for at, number in enumerate(order))
    ]
    assert len(orders) == 13  # in each, neighbours have changed places
    for order in orders:
        learner, told = learner_of(6), 0
        for number in order:
            told += len(_learner.learn(learner, number, parts[number]))
            assert told == learner.done
        assert same(_learner.finish(learner, 6), expected)


def test_one_partition_is_learned_at_a_time(monkeypatch):
    parts, draw = batches(40), random.Random(0)
    checkpoint = _learner.Learner._checkpoint

    def slow(learner):
        time.sleep(0.01 * draw.random())
        return checkpoint(learner)

    monkeypatch.setattr(_learner.Learner, "_checkpoint", slow)
    learner, finished = learner_of(40, every=1), [threading.Event() for _ in parts]
    delays = [0.01 * draw.random() for _ in parts]

    def task(number):
        for before in finished[max(0, number - 3) : max(0, number - 1)]:
            assert before.wait(60)
        time.sleep(delays[number])
        reports = _learner.learn(learner, number, parts[number])
        finished[number].set()
        return reports

    with ThreadPoolExecutor(40) as threads:
        reports = [report for found in threads.map(task, range(40)) for report in found]
    assert len(reports) == 40
    for number, report in enumerate(reports):
        assert same(pickle.loads(report.checkpoint), learned(parts[: number + 1]))


def test_an_error_names_the_partition_that_is_refused_and_not_the_one_that_came():
    parts = batches(3)
    parts[1].X[7, 0] = np.inf
    learner = learner_of(3)
    assert _learner.learn(learner, 1, parts[1]) == []
    with pytest.raises(ParameterError) as found:
        _learner.learn(learner, 0, parts[0])
    assert (found.value.row, found.value.__notes__) == (7, ["in partition 1 of 3, counted from 0"])


def test_an_error_of_a_partition_that_cannot_be_loaded_names_it(learn):
    X, y = board(40)

    def load(number):
        if number == 5:
            error = ValueError("no such rows")
            error.add_note("in partition 3 of the disk")
            raise error
        return X, y

    with pytest.raises(ValueError, match="no such rows") as found:
        learn(small(), [dask.delayed(load)(number) for number in range(12)])
    assert found.value.__notes__ == ["in partition 3 of the disk", "in partition 5 of 12, counted from 0"]


def test_a_checkpoint_that_fails_names_its_partition():
    class Full:
        def save(self, model, done):
            raise OSError("no space left")

    parts = batches(3)
    learner = _learner.start(small(), 0, _learner.Plan(Full(), 80, None, 3))
    _learner.learn(learner, 0, parts[0])
    with pytest.raises(OSError, match="no space left") as found:
        _learner.learn(learner, 1, parts[1])
    assert found.value.__notes__ == ["in partition 1 of 3, counted from 0"]


def test_a_partition_that_is_slow_holds_up_all_but_the_one_after_it(monkeypatch):
    X, y = board(12 * 40)
    begin, starts = _run.Run.begin, []

    def load(number):
        time.sleep(1.5 if number == 6 else 0.0)
        return X[40 * number : 40 * (number + 1)], y[40 * number : 40 * (number + 1)]

    def noting(run, model, done):
        starts.append(done)
        begin(run, model, done)

    monkeypatch.setattr(_run.Run, "begin", noting)
    parts = [dask.delayed(load, pure=False)(number) for number in range(12)]
    with distributed.Client(
        n_workers=2, threads_per_worker=3, processes=False, dashboard_address=":0"
    ) as client:
        model = budgetrs.dask.learn(small(), parts, client=client)
    assert starts == [0]
    assert same(model, learned(batches(12)))


def test_a_partition_that_never_comes_is_a_loss(learn, monkeypatch):
    X, y = rows()
    starts, begin = [], _run.Run.begin

    def noting(run, model, done):
        starts.append(done)
        begin(run, model, done)

    def without_third(run, futures, results=_run.Run._results_of):
        found = results(run, futures)
        if len(starts) == 1 and run._n_fetched + len(futures) > 3:
            found = [[]] * len(found)
        return found

    monkeypatch.setattr(_run.Run, "begin", noting)
    monkeypatch.setattr(_run.Run, "_results_of", without_third)
    model = learn(small(), da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE))
    assert starts == [0, 0]
    assert same(model, locally(small(), X, y))


def test_nothing_is_left_on_the_scheduler(learn, dask_client):
    X, y = board(400)

    def load(number):
        time.sleep(0.4 if number % 4 == 3 else 0.0)
        return X[number * 40 :][:40], y[number * 40 :][:40]

    def tasks(dask_scheduler):
        return {str(key) for key in dask_scheduler.tasks if "budgetrs" in str(key)}

    def left():
        return dask_client.run_on_scheduler(tasks) - before

    gc.collect()
    # Other tests use the same scheduler.
    before = dask_client.run_on_scheduler(tasks)
    gc.disable()
    try:
        learn(small(), [dask.delayed(load, pure=False)(number) for number in range(10)])
        deadline = time.monotonic() + 30
        while left() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert left() == set()
    finally:
        gc.enable()


def test_what_several_partitions_need_is_as_urgent_as_the_first_of_them():
    shared = dask.delayed(board)(400)
    parts = [
        dask.delayed(lambda data, at: (data[0][at:][:40], data[1][at:][:40]))(shared, at) for at in range(4)
    ]
    graphs = []

    class Recorder:
        def get(self, graph, keys, *, sync):
            graphs.append(graph)
            return [SimpleNamespace(key=key) for key in keys]

    plan = _learner.Plan(None, 1, None, 4)
    run = _run.Run(Recorder(), plan, partitions(parts, None, None), packs=True)
    run._where, run._loaders, run._learner = "here", ["there"], SimpleNamespace(key="learner")
    run._first = run._next = run._n_fetched = 0
    run.submit_to(3)
    (graph,) = graphs
    assert HLGExpr(graph).__dask_annotations__()["priority"][shared.key] == 0


@pytest.mark.parametrize("kind", ["matrix", "columns", "float32"])
def test_numbers_are_aligned_where_they_arrive(kind):
    X, y = board(200)
    data = pd.DataFrame(X, columns=["a", "b"]).astype(np.float32 if kind == "float32" else np.float64)
    if kind == "columns":
        data = data.assign(town=pd.Categorical(np.where(X[:, 0] > 0, "Oslo", "Rome")), c=np.arange(200))
    packed, buffers = Packed.of(data), []
    message = pickle.dumps(packed, protocol=5, buffer_callback=buffers.append)
    odd = [memoryview(b"\0" + buffer.raw().tobytes())[1:] for buffer in buffers]
    assert not np.frombuffer(odd[0], dtype=np.float32).flags.aligned
    arrived = pickle.loads(message, buffers=odd)
    columns = [column[0] if isinstance(column, tuple) else column for column in arrived.columns or ()]
    numbers = columns if arrived.matrix is None else [arrived.matrix]
    assert all(column.flags.aligned for column in numbers)
    assert same(small().learn(arrived.unpacked(), y), small().learn(packed.unpacked(), y))


def test_what_was_persisted(learn, dask_client):
    X, y = rows()
    weight = np.random.default_rng(0).uniform(0, 2, ROWS)
    arrays = [
        dask_client.persist(da.from_array(data, chunks=SIZE if data.ndim == 1 else (SIZE, 2)))
        for data in (X, y, weight)
    ]
    assert same(learn(small(), *arrays[:2], sample_weight=arrays[2]), locally(small(), X, y, weight))
    data = pd.DataFrame(X, columns=["a", "b"]).astype(float).assign(y=y)
    expected = locally(small(), data[["a", "b"]], data.y)
    for parts in (
        dd.from_pandas(data, npartitions=PARTS),
        db.from_sequence(data.to_dict("records"), npartitions=PARTS),
    ):
        assert same(learn(small(), dask_client.persist(parts), "y"), expected)


@pytest.mark.parametrize("ahead", but_nightly([1, 2, 3, 5], often=[1, 3]))
def test_prefetching_is_bounded_by_bytes(learn, monkeypatch, ahead):
    X, y = rows()
    done, most = 0, []
    submit, heard = _run.Run.submit_to, _learning._Learning._record

    def submitting(run, end):
        most.append(end - done - 1)
        submit(run, end)

    def hearing(run, report, number):
        nonlocal done
        done = number
        heard(run, report, number)

    monkeypatch.setattr(_run.Run, "submit_to", submitting)
    monkeypatch.setattr(_learning._Learning, "_record", hearing)
    size = SIZE // 4
    data = da.from_array(X, chunks=(size, 2)), da.from_array(y, chunks=size)
    one = X[:size].nbytes + y[:size].nbytes  # without what Python's objects have around them
    learn(small(), *data, prefetch_bytes=int((ahead + 0.5) * one))
    assert most[0] == 1  # sizes are not known yet
    assert max(most) == ahead
    most.clear()
    learn(small(), *data, prefetch_bytes="1 B")
    assert max(most) == 1


def test_partitions_are_loaded_in_order(tmp_path):
    def load(number):
        with (tmp_path / "loaded").open("a") as file:
            print(number, file=file)
        rng = np.random.default_rng(number)
        return rng.normal(size=(20, 2)), rng.integers(0, 2, 20)

    parts = [dask.delayed(load, pure=False)(number, dask_key_name=f"rows-{number}") for number in range(30)]
    with distributed.Client(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as one:
        model = budgetrs.dask.learn(small(), parts, client=one)
    assert (tmp_path / "loaded").read_text().split() == [str(number) for number in range(30)]
    assert model.n_samples_seen_ == 600


def test_progress_is_a_line(learn, monkeypatch, capsys):
    X, y = rows()
    data = (da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE))
    monkeypatch.setattr("budgetrs.cli.progress.Lines.interval", 0.0)
    learn(small(), *data, progress=True)
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("learning: 100%  2,400 rows  ")
    assert line.endswith("20 support vectors")
    learn(small(), *data)
    assert capsys.readouterr().err == ""


def test_the_dashboard_shows_plain_names(learn, dask_client):
    X, y = rows()
    learn(small(), da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE))
    spans = dask_client.run_on_scheduler(lambda dask_scheduler: sorted(dask_scheduler.task_prefixes))
    assert {"budgetrs-load", "budgetrs-learn"} <= set(spans)


def test_losses_without_progress_come_to_an_end(learn, monkeypatch):
    X, y = rows()
    starts = []

    def lost(run, model, done):
        starts.append(done)
        raise _learner.LearnerLostError("the worker was lost")

    monkeypatch.setattr(_run.Run, "begin", lost)
    with pytest.raises(RuntimeError, match="the worker was lost") as found:
        learn(small(), da.from_array(X, chunks=(SIZE, 2)), da.from_array(y, chunks=SIZE))
    assert starts == [0] * 10
    assert found.value.__notes__ == ["at partition 0 of 12, 10 times"]
