"""Learning from Dask collections gives the model of a loop over the partitions."""

import os
import subprocess
import sys
import time
from functools import partial

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest

import budgetrs
import budgetrs.dask
import dask
from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, ParameterError, Regressor
from budgetrs.dask import _learning, _partitions
from conftest import board

ROWS, PARTS = 2400, 12
SIZE = ROWS // PARTS
SLICES = [slice(start, start + SIZE) for start in range(0, ROWS, SIZE)]
COLUMNS = ["a", "b", "town"]
X, y = board(ROWS)
y = np.where(y > 0, "even", "odd")
WEIGHT = np.random.default_rng(0).uniform(0, 2, ROWS)
FRAME = pd.DataFrame(X, columns=COLUMNS[:2]).assign(
    town=np.random.default_rng(1).choice(["Oslo", "Rome"], ROWS), weight=WEIGHT, y=y
)
ARRAYS = da.from_array(X, chunks=(SIZE, 1)), da.from_array(y, chunks=SIZE)


def small():
    return Classifier(budget=20)


def estimator():
    return OnlineKernelClassifier(budget=20, random_state=0)


def locally(model, X, y, weight=None, **more):
    """Learn in a loop over the partitions."""
    learn = model.partial_fit if hasattr(model, "partial_fit") else model.learn
    for part in SLICES:
        learn(X[part], y[part], sample_weight=None if weight is None else weight[part], **more)
    return model


def same(model, other):
    native, others = (getattr(one, "_model", one) for one in (model, other))
    return type(model) is type(other) and native.to_bytes() == others.to_bytes()


def delayed_parts(load):
    return [dask.delayed(load, pure=False)(number) for number in range(PARTS)]


@pytest.fixture
def learn(dask_client):
    return partial(budgetrs.dask.learn, client=dask_client)


@pytest.mark.parametrize("kind", ["names", "series", "persisted", "parquet", "delayed", "pairs", "bag"])
def test_frames_and_bags(learn, dask_client, tmp_path, kind):
    frame, parts = FRAME, dd.from_pandas(FRAME, npartitions=PARTS)
    args, weight = (parts, "y"), "weight"
    if kind == "series":
        args, weight = (parts[COLUMNS], parts.y), parts.weight
    elif kind == "persisted":
        args = dask_client.persist(parts), "y"
    elif kind == "parquet":
        for number, part in enumerate(SLICES):
            FRAME[part].to_parquet(tmp_path / f"{number:02}.parquet")
        args = dd.read_parquet(tmp_path), "y"
    elif kind == "delayed":
        args = [dask.delayed(FRAME[part]) for part in SLICES], "y"
    elif kind == "pairs":
        args, weight = (
            ([dask.delayed((FRAME[part][COLUMNS], y[part], WEIGHT[part])) for part in SLICES],),
            None,
        )
    elif kind == "bag":
        rows = FRAME.to_dict("records")
        for row in rows[3 * SIZE : 5 * SIZE]:
            del row["town"]  # a missing value
        args = db.from_sequence(rows, npartitions=PARTS), "y"
        frame = FRAME.astype({"a": float, "b": float, "town": object})
        frame.loc[3 * SIZE : 5 * SIZE - 1, "town"] = None
    assert same(learn(small(), *args, sample_weight=weight), locally(small(), frame[COLUMNS], y, WEIGHT))


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
    parts = [dask.delayed((X[y == "even"], y[y == "even"])), dask.delayed((X, y))]
    with pytest.raises(ValueError, match="classes must be passed"):
        learn(estimator(), parts)
    assert learn(estimator(), parts, classes=["even", "odd"]).n_samples_seen_ == (y == "even").sum() + ROWS
    known = small().learn(X, y, classes=["even", "odd"])
    assert learn(known, parts[1:], classes=["odd", "even"]).n_samples_seen_ == 2 * ROWS
    with pytest.raises(ParameterError, match="equal to the classes of the first call"):
        learn(known, parts, classes=["even", "odd", "none"])


def test_empty_partitions_and_unknown_lengths(learn):
    kept = X[:, 0] > 0.995
    assert min(kept[part].sum() for part in SLICES) == 0
    some = ARRAYS[0][:, 0] > 0.995
    model, expected = learn(small(), ARRAYS[0][some], ARRAYS[1][some]), small()
    for part in SLICES:
        if kept[part].any():
            expected.learn(X[part][kept[part]], y[part][kept[part]])
    assert same(model, expected)
    none = ARRAYS[0][:, 0] > 2
    assert not hasattr(learn(small(), ARRAYS[0][none], ARRAYS[1][none]), "n_features_in_")


def test_tasks_may_learn(dask_client):
    parts, expected = dd.from_pandas(FRAME[["a", "b", "y"]], PARTS), locally(small(), FRAME[["a", "b"]], y)
    # As many as there are threads.
    tasks = [dask_client.submit(budgetrs.dask.learn, small(), parts, "y", pure=False) for _ in range(2)]
    assert all(same(task.result(timeout=120), expected) for task in tasks)


@pytest.mark.parametrize("make", [small, estimator])
def test_a_call_continues_from_its_checkpoint(learn, tmp_path, make):
    log, fixed, folder = tmp_path / "log", tmp_path / "fixed", tmp_path / "run"

    def load(number):
        with log.open("a") as file:
            print(number, file=file)
        if number == 8 and not fixed.exists():
            raise OSError("no such rows")
        return X[SLICES[number]], y[SLICES[number]]

    run = partial(
        learn,
        make(),
        delayed_parts(load),
        checkpoint_dir=folder,
        checkpoint_rows=np.int64(3 * SIZE),
        prefetch=1,
    )
    with pytest.raises(OSError, match="no such rows") as found:
        run(classes=["even", "odd"])
    assert found.value.__notes__ == ["in partition 8 of 12, counted from 0"]
    (file,) = folder.iterdir()
    assert budgetrs.load(file).metadata["partitions"] == 6
    fixed.touch()
    before = log.read_text().split()
    model = run(classes=["odd", "even"])
    again = log.read_text().split()[len(before) :]
    assert {"0", "6", "11"} <= {*again}  # the first partition identifies the run
    assert {*map(str, range(1, 6))}.isdisjoint(again)
    assert same(model, locally(make(), X, y, classes=["even", "odd"]))
    (file,) = folder.iterdir()
    saved = type(model).load(file)
    assert saved.metadata["partitions"] == 12
    saved.metadata = {}
    assert same(saved, model)
    # A complete run learns nothing more.
    assert same(run(classes=["even", "odd"]), model)


def test_a_checkpoint_keeps_the_metadata_of_the_model(learn, tmp_path):
    model = small()
    model.metadata = {"schema": 2}
    expected = learn(model, *ARRAYS)
    run = partial(learn, model, *ARRAYS, checkpoint_dir=tmp_path, checkpoint_rows=2 * SIZE)
    for _ in range(2):  # the second run loads the checkpoint
        learned = run()
        assert same(learned, expected)
        assert learned.metadata == model.metadata == {"schema": 2}
    # A model file of another program has the name of the checkpoint.
    small().save(tmp_path / "checkpoint.safetensors", metadata={"offset": 1})
    with pytest.raises(ValueError, match=r"of this call, of-12-.* with another model"):
        run()


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
        {"data": FRAME[:600].drop(columns="b")},
        {"data": FRAME[:600].assign(a=FRAME.a + 1)},
        {"data": FRAME[:600].assign(y="odd")},
        {"sample_weight": "weight"},
        {"classes": None},
    ):
        with pytest.raises(ValueError, match=r"have a checkpoint of this call, of-\d+-.* with of-3-"):
            run(**more)
    assert same(run(), model)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


RUNS = """
import numpy as np, pandas as pd, pathlib, polars as pl, pyarrow as pa, sys
from scipy.sparse import csr_array
from budgetrs import OnlineKernelClassifier
from budgetrs.dask._checkpoints import Checkpoint

for last in ("Oslo", "Bonn"):
    towns = pd.Series(["Oslo", None, "Rome", last], dtype=object)
    numbers = np.array([[0.1, 2.0], [np.nan, 1.0], [0.0, 3.0], [0.0, len(set(towns))]])
    for part in (
        numbers, numbers.astype(np.float32), pd.DataFrame(numbers), csr_array(np.nan_to_num(numbers)), towns,
        numbers.tolist(), pl.DataFrame({"a": towns.tolist()}), pa.table({"a": towns.tolist()}),
        *(towns.astype(dtype).to_frame("a") for dtype in ("object", "category", "string")),
    ):
        model = OnlineKernelClassifier(random_state=0)
        print(Checkpoint(pathlib.Path(sys.argv[1]), 3, model, {"b", "a", "c"}, (part, part, None))._run)
"""


def test_a_run_is_recognised_in_a_new_process(tmp_path):
    command, paths = [sys.executable, "-c", RUNS, tmp_path], {"PYTHONPATH": os.pathsep.join(sys.path)}
    runs = [
        subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": seed, **paths}).split()
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
    bag = partial(db.from_sequence, npartitions=1)
    for parts, name, message in [
        ([dask.delayed(([[1.0, 2.0], [1.0, 2.0], [1.0]], [0, 1, 2]))], None, "got 1 values at row 2"),
        ([dask.delayed(FRAME[["a"]])], "y", r"must have the column 'y', got \['a'\]"),
        ([dask.delayed(3)], None, r"must be a data frame, with y the name .* got builtins\.int"),
        (bag([{"a": 1.0, "y": 1}, (1, 2)]), "y", r"must be dicts, got builtins\.tuple at row 1"),
        (bag([{"a": 1.0, "y": 1}, {"a": 2.0}]), "y", r"bag must all have 'y', row 1 has \['a'\]"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message) as found:
            learn(small(), parts, name)
        assert found.value.__notes__ == ["in partition 0 of 1, counted from 0"]

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(_learning.Checkpoint, "save", full)
    with pytest.raises(OSError, match="no space left") as found:
        learn(small(), *ARRAYS, checkpoint_dir=tmp_path, checkpoint_rows=2 * SIZE)
    assert found.value.__notes__ == ["in partition 1 of 12, counted from 0"]


def test_invalid_arguments(learn):
    parts, bag = dd.from_pandas(FRAME, npartitions=3), db.from_sequence([{}])
    rows, labels = ARRAYS
    for given, more, message in [
        ((X, y), {}, "X must be a dask array, data frame or bag, or a list of delayed"),
        ((rows, y), {}, "y must be a dask array, as X is, got numpy.ndarray"),
        ((rows,), {}, "y must be a dask array, as X is, got None"),
        ((rows, labels[:7]), {}, "y must have as many rows as X, 2400, got 7"),
        ((rows, rows), {}, "y must have 1 dimension, got 2"),
        ((rows[:, 0], labels), {}, "X must have 2 dimensions, got 1"),
        ((parts, "z"), {}, "y must be a column of X, one of .*, got 'z'"),
        ((parts, parts.y.repartition(npartitions=1)), {}, "y must have the 3 partitions of X, got 1"),
        ((bag,), {}, "y must be a key of the dicts of the bag, got None"),
        (([dask.delayed(3)], 3), {}, "y must be a column of the partitions, got builtins"),
        (([],), {}, "X must be .* or a list of delayed partitions, got a list with nothing"),
        (([dask.delayed((X, y)), X],), {}, r"got a list with numpy\.ndarray at place 1"),
        (ARRAYS, {"model": "model"}, r"model must be a Classifier, .* got builtins\.str"),
        (ARRAYS, {"model": Regressor(), "classes": [1]}, "unexpected keyword argument 'classes'"),
        (ARRAYS, {"checkpoint_rows": 0}, "checkpoint_rows must be an integer >= 1, got 0"),
        (ARRAYS, {"prefetch": True}, "prefetch must be an integer >= 1, got True"),
        (ARRAYS, {"client": 5}, r"client must be a distributed\.Client, got builtins\.int"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            learn(more.pop("model", small()), *given, **more)


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_left_on_the_scheduler(learn, dask_client, fails):
    def tasks(dask_scheduler):
        return [key for key in dask_scheduler.tasks if str(key).startswith("budgetrs-load")]

    def load(number):
        if fails and number == 5:
            raise OSError("not read")
        return X[:40], y[:40]

    error = None
    try:
        learn(small(), delayed_parts(load))
    except OSError as caught:
        error = caught  # keeps its frames
    assert (error is not None) is fails
    deadline = time.monotonic() + 30
    while dask_client.run_on_scheduler(tasks) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert dask_client.run_on_scheduler(tasks) == []


@pytest.mark.parametrize("prefetch", [1, 3])
def test_a_window_of_partitions_is_loaded_ahead_in_order(learn, monkeypatch, prefetch):
    begun, ahead, learn_rows, load = [], [], _learning._learn_rows, _partitions.Partitions.load

    def loading(parts, client, number):
        begun.append(number)
        return load(parts, client, number)

    def learning(*args):
        ahead.append(len(begun) - len(ahead) - 1)
        return learn_rows(*args)

    monkeypatch.setattr(_partitions.Partitions, "load", loading)
    monkeypatch.setattr(_learning, "_learn_rows", learning)
    learn(small(), *ARRAYS, prefetch=prefetch)
    assert begun == [*range(PARTS)]
    assert ahead == [min(prefetch, PARTS - 1 - number) for number in range(PARTS)]


def test_partitions_are_loaded_in_order(tmp_path):
    def load(number):
        with (tmp_path / "log").open("a") as file:
            print(number, file=file)
        return X[SLICES[number]], y[SLICES[number]]

    one = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with distributed.Client(**one, set_as_default=False) as client:
        budgetrs.dask.learn(small(), delayed_parts(load), client=client, prefetch=8)
    assert (tmp_path / "log").read_text().split() == [str(number) for number in range(PARTS)]


def test_progress_is_a_line(learn, monkeypatch, capsys):
    monkeypatch.setattr("budgetrs.cli.progress.Lines.interval", 0.0)
    learn(small(), *ARRAYS, progress=True)
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("learning: 100%  2,400 rows  20 support vectors  ")
    learn(small(), *ARRAYS)
    assert capsys.readouterr().err == ""
