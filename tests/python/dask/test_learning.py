"""Learning from Dask collections gives the model of a loop over the partitions."""

import gc
import os
import subprocess
import sys
import time
from functools import partial

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import budgetrs
import budgetrs.dask
import dask
from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, ParameterError, Regressor
from budgetrs.dask import _learning
from conftest import board

ROWS, PARTS = 2400, 12
SIZE = ROWS // PARTS
X, y = board(ROWS)
y = np.where(y > 0, "even", "odd")
WEIGHT = np.random.default_rng(0).uniform(0, 2, ROWS)
FRAME = pd.DataFrame(X, columns=["a", "b"]).assign(
    town=np.random.default_rng(1).choice(["Oslo", "Rome"], ROWS), weight=WEIGHT, y=y
)
ARRAYS = da.from_array(X, chunks=(SIZE, 1)), da.from_array(y, chunks=SIZE)


def small():
    return Classifier(budget=20)


def estimator():
    return OnlineKernelClassifier(budget=20, random_state=0)


def slices():
    return [slice(start, start + SIZE) for start in range(0, ROWS, SIZE)]


def locally(model, X, y, weight=None, **more):
    """Learn in a loop over the partitions."""
    learn = model.partial_fit if hasattr(model, "partial_fit") else model.learn
    for part in slices():
        learn(X[part], y[part], sample_weight=None if weight is None else weight[part], **more)
    return model


def same(model, other):
    native, others = (getattr(one, "_model", one) for one in (model, other))
    return type(model) is type(other) and native.to_bytes() == others.to_bytes()


def delayed_parts(load, count=PARTS):
    return [dask.delayed(load, pure=False)(number) for number in range(count)]


@pytest.fixture
def learn(dask_client):
    return partial(budgetrs.dask.learn, client=dask_client)


def collections(kind, client, folder):
    """Return X, y and sample_weight as arguments."""
    parts, columns = dd.from_pandas(FRAME, npartitions=PARTS), ["a", "b", "town"]
    if kind == "names":
        return (parts, "y"), "weight"
    if kind == "series":
        return (parts[columns], parts.y), parts.weight
    if kind == "persisted":
        return (client.persist(parts), "y"), "weight"
    if kind == "parquet":
        for number, part in enumerate(slices()):
            FRAME[part].to_parquet(folder / f"{number:03}.parquet")
        return (dd.read_parquet(folder), "y"), "weight"
    if kind == "delayed":
        return ([dask.delayed(FRAME[part]) for part in slices()], "y"), "weight"
    if kind == "pairs":
        return ([dask.delayed((FRAME[part][columns], y[part], WEIGHT[part])) for part in slices()],), None
    return (db.from_sequence(FRAME.to_dict("records"), npartitions=PARTS), "y"), "weight"


@pytest.mark.parametrize("kind", ["names", "series", "persisted", "parquet", "delayed", "pairs", "bag"])
def test_frames_and_bags(learn, dask_client, tmp_path, kind):
    frame = FRAME.astype({"a": float, "b": float}) if kind == "bag" else FRAME
    expected = locally(small(), frame[["a", "b", "town"]], y, WEIGHT)
    args, weight = collections(kind, dask_client, tmp_path)
    assert same(learn(small(), *args, sample_weight=weight), expected)


def test_names_that_rows_of_a_bag_lack_are_missing(learn):
    records = FRAME.drop(columns="weight").to_dict("records")
    for row in records[3 * SIZE : 5 * SIZE]:
        del row["town"]
    frame = FRAME.astype({"a": float, "b": float, "town": object})
    frame.loc[3 * SIZE : 5 * SIZE - 1, "town"] = None
    expected = locally(small(), frame[["a", "b", "town"]], y)
    assert same(learn(small(), db.from_sequence(records, npartitions=PARTS), "y"), expected)


def test_estimators_and_class_weights(learn):
    weights = {"even": 2.0, "odd": 1.0}
    for make in (
        estimator,
        lambda: budgetrs.BSGDClassifier(budget=20, random_state=0, class_weight=weights),
        lambda: Classifier(budget=20, class_weight=weights),
    ):
        new = make()
        model = learn(new, *ARRAYS, sample_weight=da.from_array(WEIGHT, chunks=SIZE), classes=["odd", "even"])
        assert same(model, locally(make(), X, y, WEIGHT, classes=["odd", "even"]))
        assert not hasattr(new, "n_features_in_")
        assert isinstance(new, Classifier) or model.get_params() == new.get_params()
    numbers = FRAME[["a", "town"]].assign(y=FRAME.a)
    model = learn(OnlineKernelRegressor(budget=20, random_state=0), dd.from_pandas(numbers, PARTS), "y")
    expected = locally(OnlineKernelRegressor(budget=20, random_state=0), numbers[["a", "town"]], numbers.y)
    assert same(model, expected)


def test_classes(learn):
    even = [dask.delayed((X[y == "even"], y[y == "even"])), dask.delayed((X, y))]
    with pytest.raises(ValueError, match="classes must be passed"):
        learn(estimator(), even)
    assert learn(estimator(), even, classes=["even", "odd"]).n_samples_seen_ == (y == "even").sum() + ROWS
    with pytest.raises(ParameterError, match="passed in the first call to learn"):
        learn(small().learn(X, y), even, classes=["even", "odd"])
    known = small().learn(X, y, classes=["even", "odd"])
    with pytest.raises(ParameterError, match="equal to the classes of the first call"):
        learn(known, even, classes=["even", "odd", "none"])
    assert learn(known, even[1:], classes=["odd", "even"]).n_samples_seen_ == 2 * ROWS


def test_empty_partitions_and_unknown_lengths(learn):
    kept = X[:, 0] > 0.995
    assert min(kept[part].sum() for part in slices()) == 0
    some = ARRAYS[0][:, 0] > 0.995
    model, expected = learn(small(), ARRAYS[0][some], ARRAYS[1][some]), small()
    for part in slices():
        if kept[part].any():
            expected.learn(X[part][kept[part]], y[part][kept[part]])
    assert same(model, expected)
    none = learn(small(), ARRAYS[0][ARRAYS[0][:, 0] > 2], ARRAYS[1][ARRAYS[0][:, 0] > 2])
    assert not hasattr(none, "n_features_in_")


def test_tasks_may_learn(dask_client):
    parts = dd.from_pandas(FRAME.drop(columns=["town", "weight"]), npartitions=PARTS)
    # As many as there are threads.
    tasks = [dask_client.submit(budgetrs.dask.learn, small(), parts, "y", pure=False) for _ in range(2)]
    expected = locally(small(), FRAME[["a", "b"]], y)
    assert all(same(task.result(timeout=120), expected) for task in tasks)


def fails_once(number, marker, log):
    """Load a partition; the first attempt to load the eighth one fails."""
    with log.open("a") as file:
        print(number, file=file)
    if number == 8 and not marker.exists():
        marker.touch()
        raise OSError("no such rows")
    return X[slices()[number]], y[slices()[number]]


@pytest.mark.parametrize("make", [small, estimator])
def test_a_call_continues_from_its_checkpoint(learn, tmp_path, make):
    log = tmp_path / "log"
    parts = delayed_parts(partial(fails_once, marker=tmp_path / "marker", log=log))
    more = {"checkpoint_dir": tmp_path / "run", "checkpoint_rows": np.int64(3 * SIZE), "prefetch": 1}
    with pytest.raises(OSError, match="no such rows") as found:
        learn(make(), parts, classes=["even", "odd"], **more)
    assert found.value.__notes__ == ["in partition 8 of 12, counted from 0"]
    (file,) = (tmp_path / "run").iterdir()
    assert file.name.startswith("partitions-00000006-of-12-")
    before = log.read_text().split()
    model = learn(make(), parts, classes=["odd", "even"], **more)
    again = log.read_text().split()[len(before) :]
    assert {"0", "6", "11"} <= {*again}  # the first partition identifies the run
    assert {*map(str, range(1, 6))}.isdisjoint(again)
    assert same(model, locally(make(), X, y, classes=["even", "odd"]))
    (file,) = (tmp_path / "run").iterdir()
    assert same(type(model).load(file), model)
    # A complete run learns nothing more.
    assert same(learn(make(), parts, classes=["even", "odd"], **more), model)


def test_a_checkpoint_of_another_call_raises(learn, tmp_path):
    def run(model=None, data=FRAME[:600], y="y", n=3, **more):
        parts = [dask.delayed(data[at : at + len(data) // n]) for at in range(0, len(data), len(data) // n)]
        return learn(
            model or small(), parts, y, checkpoint_dir=tmp_path, **{"classes": ["even", "odd"], **more}
        )

    model = run()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for more in (
        {"model": Classifier(budget=21)},
        {"model": OnlineKernelClassifier(budget=20)},
        {"data": FRAME[:800], "n": 4},
        {"data": FRAME[:300]},
        {"data": FRAME[:600].drop(columns="b")},
        {"data": FRAME[:600][["b", "a", "town", "weight", "y"]]},
        {"data": FRAME[:600].assign(a=FRAME.a + 1)},
        {"data": FRAME[:600].assign(town="Rome")},
        {"data": FRAME[:600].assign(y="odd")},
        {"y": "town"},
        {"sample_weight": "weight"},
        {"classes": None},
    ):
        expected = r"checkpoint_dir must be empty or have a checkpoint of this call, of-\d+-.* with of-3-"
        with pytest.raises(ValueError, match=expected):
            run(**more)
    assert same(run(), model)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


RUNS = """
import numpy as np, pandas as pd, pathlib, polars as pl, pyarrow as pa, sys
from scipy.sparse import csr_array
from budgetrs import OnlineKernelClassifier
from budgetrs.dask._checkpoints import Checkpoints

for last in ("Oslo", "Bonn"):
    towns = pd.Series(["Oslo", None, "Rome", last], dtype=object)
    numbers = np.array([[0.1, 2.0], [np.nan, 1.0], [0.0, 3.0], [0.0, len(set(towns))]])
    for part in (
        numbers, numbers.astype(np.float32), pd.DataFrame(numbers), csr_array(np.nan_to_num(numbers)), towns,
        numbers.tolist(), pl.DataFrame({"a": towns.tolist()}), pa.table({"a": towns.tolist()}),
        *(towns.astype(dtype).to_frame("a") for dtype in ("object", "category", "string")),
    ):
        model = OnlineKernelClassifier(random_state=0)
        print(Checkpoints(pathlib.Path(sys.argv[1]), 3, model, {"b", "a", "c"}, (part, part, None))._run)
"""


def test_a_run_is_recognised_in_a_new_process(tmp_path):
    runs = [
        subprocess.run(
            [sys.executable, "-c", RUNS, tmp_path],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert len({*runs[0]}) == len(runs[0]) == 22


def test_errors_name_the_partition(learn, tmp_path, monkeypatch):
    infinite = X.copy()
    infinite[5 * SIZE + 3, 0] = np.inf
    with pytest.raises(ParameterError, match="infinity") as found:
        learn(small(), da.from_array(infinite, chunks=(SIZE, 2)), ARRAYS[1])
    assert (found.value.row, found.value.__notes__) == (3, ["in partition 5 of 12, counted from 0"])
    with pytest.raises(ParameterError, match="rows of one length, got 1 values at row 2"):
        learn(small(), [dask.delayed(([[1.0, 2.0], [1.0, 2.0], [1.0]], [0, 1, 2]))])
    for records, kind, message in [
        ([{"a": 1.0, "y": 1}, (1, 2)], TypeError, r"must be dicts, got builtins\.tuple at row 1"),
        ([{"a": 1.0, "y": 1}, {"a": 2.0}], ValueError, r"bag must all have 'y', row 1 has \['a'\]"),
    ]:
        with pytest.raises(kind, match=message):
            learn(small(), db.from_sequence(records, npartitions=1), "y")
    for part, name, kind, message in [
        (FRAME.drop(columns="y"), "y", ValueError, "must have the column 'y', got"),
        (3, None, TypeError, r"must be a data frame, with y the name .* got builtins\.int"),
    ]:
        with pytest.raises(kind, match=message) as found:
            learn(small(), [dask.delayed(part)], name)
        assert found.value.__notes__ == ["in partition 0 of 1, counted from 0"]

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(_learning.Checkpoints, "save", full)
    with pytest.raises(OSError, match="no space left") as found:
        learn(small(), *ARRAYS, checkpoint_dir=tmp_path, checkpoint_rows=2 * SIZE)
    assert found.value.__notes__ == ["in partition 1 of 12, counted from 0"]


def test_invalid_arguments(learn):
    parts = dd.from_pandas(FRAME, npartitions=3)
    rows, labels = ARRAYS
    cases = [
        ((small(), X, y), {}, TypeError, "X must be a dask array, data frame or bag, or a list of delayed"),
        ((small(), rows, y), {}, TypeError, "y must be a dask array, as X is, got numpy.ndarray"),
        ((small(), rows), {}, TypeError, "y must be a dask array, as X is, got None"),
        ((small(), rows, labels[:7]), {}, ValueError, "y must have as many rows as X, 2400, got 7"),
        ((small(), rows, rows), {}, ValueError, "y must have 1 dimension, got 2"),
        ((small(), rows[:, 0], labels), {}, ValueError, "X must have 2 dimensions, got 1"),
        ((small(), parts, "z"), {}, ValueError, "y must be a column of X, one of .*, got 'z'"),
        ((small(), parts, parts.y.repartition(npartitions=1)), {}, ValueError, "3 partitions of X, got 1"),
        (
            (small(), db.from_sequence([{}])),
            {},
            TypeError,
            "y must be a key of the dicts of the bag, got None",
        ),
        (
            (small(), [dask.delayed(3)], 3),
            {},
            TypeError,
            "y must be a column of the partitions, got builtins",
        ),
        (("model", rows, labels), {}, TypeError, "model must be a Classifier"),
        ((Regressor(), rows, labels), {"classes": [1]}, TypeError, "unexpected keyword argument 'classes'"),
        (
            (small(), rows, labels),
            {"checkpoint_rows": 0},
            ValueError,
            "checkpoint_rows must be an integer >= 1",
        ),
        (
            (small(), rows, labels),
            {"prefetch": True},
            TypeError,
            "prefetch must be an integer >= 1, got True",
        ),
        ((small(), []), {}, ValueError, "X must be .* or a list of delayed partitions, got an empty list"),
        ((small(), [dask.delayed((X, y)), X]), {}, TypeError, r"got numpy\.ndarray at place 1 of the list"),
        ((small(), rows, labels), {"client": 5}, TypeError, r"client must be a distributed\.Client, got"),
    ]
    for given, more, kind, message in cases:
        with pytest.raises(kind, match=message):
            learn(*given, **more)


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_left_on_the_scheduler(learn, dask_client, fails):
    def load(number):
        if fails and number == 5:
            raise OSError("not read")
        return X[:40], y[:40]

    def left():
        return dask_client.run_on_scheduler(tasks) - before

    def tasks(dask_scheduler):
        return {str(key) for key in dask_scheduler.tasks if "budgetrs" in str(key)}

    gc.collect()
    before, error = dask_client.run_on_scheduler(tasks), None
    try:
        learn(small(), delayed_parts(load, 10))
    except OSError as caught:
        error = caught  # with its frames
    assert (error is not None) is fails
    deadline = time.monotonic() + 30
    while left() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left() == set()


@pytest.mark.parametrize("prefetch", [1, 3])
def test_a_window_of_partitions_is_loaded_ahead_in_order(learn, monkeypatch, prefetch):
    begun, ahead, learn_rows = [], [], _learning._learn_rows
    load = budgetrs.dask._partitions.Partitions.load

    def noting(parts, client, number):
        begun.append(number)
        return load(parts, client, number)

    def learning(*args):
        ahead.append(len(begun) - len(ahead) - 1)
        return learn_rows(*args)

    monkeypatch.setattr(budgetrs.dask._partitions.Partitions, "load", noting)
    monkeypatch.setattr(_learning, "_learn_rows", learning)
    learn(small(), *ARRAYS, prefetch=prefetch)
    assert begun == [*range(PARTS)]
    assert ahead == [min(prefetch, PARTS - 1 - number) for number in range(PARTS)]


def test_progress_is_a_line(learn, monkeypatch, capsys):
    monkeypatch.setattr("budgetrs.cli.progress.Lines.interval", 0.0)
    learn(small(), *ARRAYS, progress=True)
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("learning: 100%  2,400 rows  ")
    assert line.endswith("20 support vectors")
    learn(small(), *ARRAYS)
    assert capsys.readouterr().err == ""
