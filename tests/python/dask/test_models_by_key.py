"""Models by key over Dask workers: those of one process, whatever the partitions, shards and lost workers."""

import contextlib
import itertools
import json
import os
import shutil
import signal
import threading
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client

import budgetrs
from budgetrs import Classifier, ParameterError, Regressor
from budgetrs.dask import KeyedModels, _shards
from conftest import but_nightly
from dask import delayed


@pytest.fixture(scope="module")
def client():
    with Client(
        processes=False, dashboard_address=":0", n_workers=1, threads_per_worker=2, set_as_default=False
    ) as client:
        yield client


@pytest.fixture(autouse=True)
def _current(client):
    """Make it the current client of each test here; tests of other files run in between."""
    with client.as_current():
        yield


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


@pytest.mark.parametrize(
    ("words", "shards", "at_once"),
    but_nightly(
        [(words, *sizes) for words in (False, True) for sizes in ((1, 1), (7, 3), (7, 100), (30, 4))],
        often=[(True, 7, 3)],
    ),
)
def test_models_are_those_of_one_process(client, tmp_path, words, shards, at_once):
    data = frame(words=words)
    parts = dd.from_pandas(data.drop(columns="weight"), npartitions=6)
    models = KeyedModels(tmp_path, Classifier("bsgd-merge", budget=10), key="user", n_shards=shards)
    models.learn(parts, "y", partitions_per_step=at_once)
    full = dd.from_pandas(data, npartitions=6)
    expected = locally(data, full, Classifier("bsgd-merge", budget=10))
    assert same(models, expected)
    assert models.n_partitions_seen_ == 6
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
    named = KeyedModels(tmp_path / "a", make, key="user", n_shards=4).learn(
        parts, "y", sample_weight="weight"
    )
    assert same(named, expected)
    series = KeyedModels(tmp_path / "b", lambda: make, key="user", n_shards=4)
    series.learn(parts.drop(columns=["y", "weight"]), parts.y, sample_weight=parts.weight)
    assert same(series, expected)
    delayed = KeyedModels(tmp_path / "c", make, key="user", n_shards=4)
    delayed.learn(list(parts.to_delayed()), "y", sample_weight="weight")
    assert same(delayed, expected)


def test_a_new_call_goes_on_from_the_folder(client, tmp_path):
    data = frame().drop(columns="weight")
    parts = dd.from_pandas(data, npartitions=6)
    make = Classifier(budget=10)
    KeyedModels(tmp_path, make, key="user", n_shards=3).learn(parts.partitions[:2], "y")
    again = KeyedModels(tmp_path, key="user")
    assert again.n_partitions_seen_ == 2
    again.learn(parts.partitions[again.n_partitions_seen_ :], "y")
    whole = KeyedModels(tmp_path.with_name("whole"), make, key="user", n_shards=5).learn(parts, "y")
    assert same(again, whole)
    shards = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert len(shards) <= 4, "folders of before are removed"


def test_numbers_and_a_prior(client, tmp_path):
    data = frame().drop(columns="weight").assign(y=lambda data: data.a * (1 + data.user % 3))
    parts = dd.from_pandas(data, npartitions=3)
    prior = Regressor(budget=20).learn(data[["a", "b", "c"]], data.y)
    models = KeyedModels(tmp_path, prior, key="user", n_shards=3).learn(parts, "y")
    new = parts.drop(columns="y").assign(user=10**6)
    predicted = models.predict(new)
    assert predicted.dtype == np.float64
    assert predicted.compute().to_numpy().tolist() == prior.predict(data[["a", "b", "c"]]).tolist()


def test_types_of_keys_do_not_matter(client, tmp_path):
    data = frame().drop(columns="weight")
    make = Classifier("bsgd-merge", budget=10)
    models = KeyedModels(tmp_path / "a", make, key="user", n_shards=5)
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
    models = KeyedModels(tmp_path / "b", make, key="user", n_shards=5)
    for dtype in ("object", "category"):
        models.learn(dd.from_pandas(words.assign(user=words.user.astype(dtype)), npartitions=2), "y")
    assert len(models) == 40
    assert "user 3" in models


def test_refusals_leave_what_was_learned(client, tmp_path):
    data = frame().drop(columns="weight")
    parts = dd.from_pandas(data, npartitions=4)
    with pytest.raises(ParameterError, match="model must be given"):
        KeyedModels(tmp_path / "none", key="user")
    with pytest.raises(ParameterError, match="n_shards must be"):
        KeyedModels(tmp_path / "none", Classifier(), key="user", n_shards=0)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(ValueError, match="folder must be empty or a directory"):
        KeyedModels(tmp_path / "other", Classifier(), key="user")
    begin, path = "begin-0123456789ab", tmp_path / "other" / "state.json"
    state = {"begin": begin, "key": "user", "partitions": 0, "shards": [begin], "facts": {}}
    others = [{**state, "begin": "../other"}, {**state, "shards": ["../other"]}, {**state, "shards": []}]
    others += [{**state, "partitions": "0"}, {**state, "facts": {"name": 1}}, {"partitions": 0}, [], {}]
    for text in (*map(json.dumps, others), "", "{", "\0"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"folder must be a directory of budgetrs.dask.KeyedModels"):
            KeyedModels(tmp_path / "other", key="user")
    models = KeyedModels(tmp_path / "models", Classifier(budget=10), key="user", n_shards=4)
    with pytest.raises(ValueError, match="no model has learned yet"):
        models.predict(parts)
    models.learn(parts, "y")
    before = {key: models[key].to_bytes() for key in models}
    broken = data.assign(a=np.where(data.index == 2900, np.inf, data.a))
    with pytest.raises(ValueError, match="finite"):
        models.learn(dd.from_pandas(broken, npartitions=4), "y")
    with pytest.raises(ParameterError, match="key must be a column of X"):
        models.learn(parts.drop(columns="user"), "y")
    with pytest.raises(ParameterError, match="partitions_per_step must be"):
        models.learn(parts, "y", partitions_per_step=0)
    with pytest.raises(TypeError, match="X must be a dask data frame"):
        models.learn(data, "y")
    assert models.n_partitions_seen_ == 4
    assert {key: models[key].to_bytes() for key in models} == before


PAIR = Classifier("bsgd-merge", budget=10)
lazy = delayed(lambda part: part)
LENGTHS = {"longer": lambda part: pd.concat([part, part[:1]]), "shorter": lambda part: part[1:]}


@pytest.mark.parametrize("name", ["y", "sample_weight"])
@pytest.mark.parametrize("length", LENGTHS)
def test_targets_and_weights_of_another_length_are_refused(client, tmp_path, name, length):
    parts = dd.from_pandas(frame(rows=120), npartitions=3)
    X = parts.drop(columns=["y", "weight"])
    series = {"y": parts.y, "sample_weight": parts.weight}
    series[name] = series[name].map_partitions(LENGTHS[length], meta=series[name]._meta)
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=4)
    with pytest.raises(
        ValueError, match=f"^{name} must have as many rows as its partition of X, 40"
    ) as caught:
        models.learn(X, **series)
    assert caught.value.__notes__ == ["in partition 0 of 3, counted from 0"]
    assert len(models) == models.n_partitions_seen_ == 0


@pytest.mark.parametrize("kind", ["array", "list", "column"])
def test_targets_of_delayed_pairs_are_arrays_and_lists(client, tmp_path, kind):
    data = frame(rows=200)
    of = {"array": np.asarray, "list": list, "column": lambda values: values.to_frame()}[kind]
    pieces = [data[:90], data[90:]]
    X = [part.drop(columns=["y", "weight"]) for part in pieces]
    pairs = [lazy((x, of(part.y), of(part.weight))) for x, part in zip(X, pieces, strict=True)]
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=4).learn(pairs, None)
    expected = budgetrs.KeyedModels(PAIR, key="user")
    for x, part in zip(X, pieces, strict=True):
        expected.learn(x, part.y, sample_weight=part.weight)
    assert same(models, expected)
    with pytest.raises(ValueError, match=r"^y must have as many rows as its partition of X, 90, got 1\n"):
        models.learn([lazy((X[0], of(data.y[:1])))], None)


def test_shards_that_are_no_models_any_more_are_closed(client, tmp_path):
    data = frame(rows=400).drop(columns="weight")
    parts = dd.from_pandas(data, npartitions=2)
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=3)
    for _ in range(3):
        models.learn(parts, "y").predict(parts.drop(columns="y")).compute()
    assert {*_shards.opened(str(tmp_path), 2**30)._models} == {*models._state().shards}
    files = Path("/proc/self/fd")
    if files.exists():
        open_now = [str(file.readlink()) for file in files.iterdir() if file.is_symlink()]
        assert sum(path.startswith(str(tmp_path)) for path in open_now) == 3


def test_threads_share_what_is_open(client, tmp_path):
    data = frame(rows=400).drop(columns="weight")
    KeyedModels(tmp_path, PAIR, key="user", n_shards=1).learn(dd.from_pandas(data, npartitions=2), "y")
    together, found = threading.Barrier(4), []

    def look():
        together.wait()
        found.append(_shards.opened(str(tmp_path), 2**30).shard(0))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len({*map(id, found)}) == 1
    # Few folders are open at a time.
    for number in range(6):
        KeyedModels(tmp_path / f"{number}", PAIR, key="user")
        _shards.opened(str(tmp_path / f"{number}"), 2**30)
    assert str(tmp_path) not in _shards._OPENED


def test_models_that_learn_meanwhile_are_read_again(client, tmp_path, monkeypatch):
    data = frame(rows=400).drop(columns="weight")
    parts = dd.from_pandas(data, npartitions=1)
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=2).learn(parts, "y")
    stale, now = _shards.opened(str(tmp_path), 2**30), _shards.opened
    models.learn(parts, "y")
    answers = iter([stale])
    monkeypatch.setattr(_shards, "opened", lambda *what: next(answers, None) or now(*what))
    new = parts.drop(columns="y")
    assert len(models.predict(new).compute()) == 400
    _shards._OPENED.clear()
    shutil.rmtree(tmp_path / models._state().shards[0])
    # Other rows: a cluster may still hold the predictions of the ones above.
    others = dd.from_pandas(data.drop(columns="y").iloc[::-1], npartitions=1)
    with pytest.raises(FileNotFoundError):
        models.predict(others).compute()


def test_what_models_predict_is_that_of_now(client, tmp_path):
    data = frame(rows=60, keys=3).drop(columns="weight")
    X = data.drop(columns="y")
    new = dd.from_pandas(X, npartitions=1)

    def prior(label):
        return Classifier(budget=5).learn(data[["a", "b", "c"]], [label] * 60)

    for label in ("first", "second"):
        models = KeyedModels(tmp_path / "models", prior(label), key="user", n_shards=2)
        # As budgetrs.KeyedModels does, before any key has learned.
        kept = models.predict(new).persist()
        assert kept.compute().tolist() == [label] * 60
        models.learn(dd.from_pandas(data, npartitions=1), "y")
        expected = budgetrs.KeyedModels(prior(label), key="user").learn(X, data.y).predict(X)
        assert models.predict(new).compute().tolist() == expected.tolist()
        del kept
        shutil.rmtree(tmp_path / "models")


def two(change, n=40):
    """Rows of keys 0 and 1, which are in two shards of 7; those of 1 as a function changes them."""
    data = frame(rows=n, keys=1).drop(columns="weight")
    data["town"] = ["Oslo", "Rome"] * (n // 2)
    return [data, change(data.assign(user=1))]


REFUSED = {
    "columns": (
        lambda part: part.rename(columns={"c": "d"}),
        "X must have the columns .* no column 'c', and the new columns 'd'",
    ),
    "more": (
        lambda part: part.assign(**{f"x{i}": 0.0 for i in range(7)}),
        "the new columns 'x0', .* 'x4' and 2 more",
    ),
    "words": (lambda part: part.assign(a="b"), "X must have numbers in the column 'a', .* got categories"),
    "numbers": (
        lambda part: part.assign(town=1.5),
        "X must have categories in the column 'town', .* got numbers",
    ),
    "bools": (lambda part: part.assign(y=True), "y must be strings, .* got bools"),
    "integers": (lambda part: part.assign(y=1), "y must be strings, .* got integers"),
    "floats": (lambda part: part.assign(y=1.0), "y must be strings, .* got floats"),
    "keys": (lambda part: part.assign(user="ann"), "keys must be integers, .* got strings"),
    "targets": (lambda part: part.assign(y=part.a), "for regression targets use Regressor"),
    "missing keys": (
        lambda part: part.assign(user=np.where(part.a > 0, np.nan, 1)),
        "keys .* got a missing one at row",
    ),
    "other keys": (lambda part: part.assign(user=1.5), "keys must be integers or strings, got floats"),
    "large keys": (lambda part: part.assign(user=np.uint64(2**63)), "keys must be integers from -2.63"),
    "larger keys": (lambda part: part.assign(user=[2**70] * len(part)), "keys must be integers from -2.63"),
}


@pytest.mark.parametrize(
    ("what", "calls"),
    but_nightly(
        itertools.product(REFUSED, (1, 2)), often=zip(REFUSED, itertools.cycle((1, 2)), strict=False)
    ),
)
def test_what_one_process_refuses_is_refused_whatever_the_shards(client, tmp_path, what, calls):
    change, message = REFUSED[what]
    first, second = two(change)
    local = budgetrs.KeyedModels(PAIR, key="user").learn(first.drop(columns="y"), first.y)
    with pytest.raises(ValueError, match="must"):
        local.learn(second.drop(columns="y"), second.y)
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=7)
    parts = [lazy(first), lazy(second)]
    if calls == 2:
        models.learn(parts[:1], "y")
    with pytest.raises(ValueError, match=message) as caught:
        models.learn(parts[calls - 1 :], "y")
    where = f"in partition {2 - calls} of {3 - calls}, counted from 0"
    assert caught.value.__notes__ == [where]
    assert models.n_partitions_seen_ == len(models) == calls - 1


TAKEN = {
    "other order and type": lambda part: part[["y", "town", "c", "user", "b", "a"]].astype({"a": "float32"}),
    "nothing among numbers": lambda part: part.assign(a=None),
    "nothing among words": lambda part: part.assign(town=np.nan),
    "new words": lambda part: part.assign(town="Bern"),
    "categories": lambda part: part.assign(town=part.town.astype("category")),
    "nothing among categories": lambda part: part.assign(a=pd.Categorical([None] * len(part))),
}


@pytest.mark.filterwarnings("ignore:column .* has mostly categories")
@pytest.mark.parametrize(
    ("what", "single"),
    but_nightly(
        itertools.product(TAKEN, (False, True)),
        often=zip(TAKEN, itertools.cycle((False, True)), strict=False),
    ),
)
def test_columns_are_those_of_the_first_partition(client, tmp_path, what, single):
    first, second = two(TAKEN[what])
    first = first.astype(dict.fromkeys("abc", "float32")) if single else first
    parts = [first, second, first.assign(user=1)]
    expected = budgetrs.KeyedModels(Classifier(budget=5), key="user")
    for part in parts:
        expected.learn(part.drop(columns="y"), part.y)
    models = KeyedModels(tmp_path, Classifier(budget=5), key="user", n_shards=7)
    models.learn([lazy(part) for part in parts], "y")
    for key in (0, 1):
        assert models[key].dtype == expected[key].dtype == (np.float32 if single else np.float64)
        assert models[key].feature_names_in_.tolist() == expected[key].feature_names_in_.tolist()
    if "words" not in what and "categories" not in what:
        assert same(models, expected)


@pytest.mark.parametrize(
    ("is_first", "single"),
    but_nightly(itertools.product((False, True), repeat=2), often=[(True, False), (False, True)]),
)
def test_columns_without_names_go_by_their_places(client, tmp_path, is_first, single):
    first, second = (part.drop(columns="town") for part in two(pd.DataFrame.copy))
    first = first.astype(dict.fromkeys("abc", "float32")) if single else first

    def unnamed(part):
        return part.rename(columns={"a": 0, "b": 1, "c": 2})

    parts = [unnamed(first), second] if is_first else [first, unnamed(second)]
    expected = budgetrs.KeyedModels(PAIR)
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=7)
    for part in parts:
        expected.learn(part.drop(columns=["y", "user"]), part.y, part.user.to_numpy())
        models.learn([lazy((part.drop(columns="y"), part.y))], None)
    assert same(models, expected)
    for X, message in [
        (unnamed(second).drop(columns=2), "X must have 3 features, .* got 2"),
        (
            second.assign(c="x"),
            "X must have numbers, .* categories in the column 'c'" if is_first else "got categories",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            models.learn([lazy((X.drop(columns="y"), X.y))], None)


def test_columns_of_words_have_names(client, tmp_path):
    first, second = two(lambda part: part.drop(columns="town").rename(columns={"a": 0, "b": 1, "c": 2}))
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=7).learn([lazy(first)], "y")
    with pytest.raises(ValueError, match=r"X must have the columns 'a', .* got columns without names"):
        models.learn([lazy((second.drop(columns="y"), second.y))], None)


def test_classes_that_are_given_take_labels_of_every_kind(client, tmp_path):
    parts = [
        part.assign(y=(part.a > 0).astype(kind))
        for part, kind in zip(two(pd.DataFrame.copy), (int, float), strict=True)
    ]
    make = Classifier("bsgd-merge", budget=10, classes=[0.0, 1.0])
    models = KeyedModels(tmp_path, make, key="user", n_shards=7).learn([lazy(part) for part in parts], "y")
    assert len(models) == 2
    assert models.predict(dd.from_pandas(parts[0].drop(columns="y"), npartitions=1)).dtype == np.float64


def test_settings_are_those_of_the_folder(client, tmp_path):
    make = Classifier("bsgd-merge", budget=10)
    KeyedModels(tmp_path, make, key="user", n_shards=4)
    for again in (make, lambda: Classifier("bsgd-merge", budget=10, n_jobs=1), None):
        assert repr(KeyedModels(tmp_path, again, key="user", n_shards=4)) == repr(
            KeyedModels(tmp_path, key="user")
        )
    for more, message in [
        ({"n_shards": 5}, "n_shards must be left out or 4, .* got 5"),
        (
            {"model": Classifier("bsgd-merge", budget=11)},
            "model must be left out or .* begin as, budget=10, got budget=11",
        ),
        ({"model": Classifier("bsgd-smallest", budget=10)}, "begin as, .*bsgd-merge.*, got .*bsgd-smallest"),
        (
            {"model": Classifier("bsgd-merge", budget=10, classes=[0, 1])},
            "begin as, with its classes .*, got another",
        ),
        ({"model": 3}, "model must be a Classifier or a Regressor"),
        ({"key": "name"}, "key must be 'user', .* got 'name'"),
    ]:
        with pytest.raises(ParameterError, match=message):
            KeyedModels(tmp_path, **{"key": "user", **more})
    assert len(KeyedModels(tmp_path / "new", make, key="user")._state().shards) == 64


def test_wrong_settings_make_no_folder(tmp_path):
    for more, message in [
        ({"max_memory": 0}, "max_memory must be a number of bytes of at least 1, got 0"),
        ({"key": ["a"]}, r"key must be the name of a column, got \['a'\]"),
        ({"model": lambda: "model"}, "model must be a Classifier or a Regressor"),
        ({"model": lambda: Classifier}, "model must be a Classifier or a Regressor"),
        ({"n_shards": True}, "n_shards must be an integer between 1 and 100000, got True"),
    ]:
        with pytest.raises(ParameterError, match=message):
            KeyedModels(tmp_path / "models", **{"model": PAIR, "key": "user", **more})
    assert not (tmp_path / "models").exists()


def test_what_is_no_key_has_no_model(client, tmp_path):
    data = frame(rows=60, keys=3).drop(columns="weight")
    parts = dd.from_pandas(data, npartitions=1)
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=4).learn(parts, "y")
    local = budgetrs.KeyedModels(PAIR, key="user").learn(data.drop(columns="y"), data.y)
    for key in (True, np.True_, (1,), 3.5, None, 2**70, "1", np.uint8(2), b"1"):
        assert (key in models) == (key in local)
        if key in local:
            assert models[key].to_bytes() == local[key].to_bytes()
        else:
            with pytest.raises(KeyError):
                models[key]
    for name in ("y", "sample_weight"):
        with pytest.raises(ParameterError, match=f"{name} must differ from the column of keys, got 'user'"):
            models.learn(parts, **{"y": "y", name: "user"})


def test_numbers_are_of_the_type_of_the_rows(client, tmp_path):
    data = frame(rows=60, keys=3).drop(columns=["weight", "y"]).astype(dict.fromkeys("abc", "float32"))
    parts = dd.from_pandas(data.assign(y=data.a), npartitions=1)
    models = KeyedModels(tmp_path, Regressor(budget=10), key="user", n_shards=4).learn(parts, "y")
    local = budgetrs.KeyedModels(Regressor(budget=10), key="user").learn(data, data.a)
    predicted = models.predict(parts.drop(columns="y"))
    assert predicted.dtype == predicted.compute().dtype == np.float32
    assert (predicted.compute() == local.predict(data)).all()


class Stopped:
    """A client at which Ctrl-C is pressed when the shards are written."""

    def __init__(self, client):
        self._client = client

    def get(self, *args, sync=True, **more):
        got = self._client.get(*args, sync=sync, **more)
        return self._press() if sync else got

    def gather(self, futures):
        self._client.gather(futures)
        self._press()

    def _press(self):
        raise KeyboardInterrupt


def test_an_interrupt_leaves_what_was_learned(client, tmp_path):
    parts = dd.from_pandas(frame(rows=200).drop(columns="weight"), npartitions=2)
    KeyedModels(tmp_path, PAIR, key="user", n_shards=3).learn(parts, "y")
    before = sorted(tmp_path.iterdir())
    models = KeyedModels(tmp_path, PAIR, key="user", client=Stopped(client))
    with pytest.raises(KeyboardInterrupt):
        models.learn(parts, "y")
    assert sorted(tmp_path.iterdir()) == before
    assert models.n_partitions_seen_ == 2


def not_read(part, number):
    if number in part.index:
        raise OSError("not read")
    return part


def test_errors_say_which_partition_it_was(client, tmp_path):
    data = frame(rows=120).drop(columns="weight")
    parts = dd.from_pandas(data, npartitions=6)
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=4)
    pieces = parts.to_delayed()
    infinite = data.assign(a=np.where(data.index == 65, np.inf, data.a))
    for X, error, message, number in [
        (parts.map_partitions(not_read, 30, meta=parts._meta), OSError, "not read", 1),
        (dd.from_pandas(infinite, npartitions=6), ValueError, 'infinity at row 5, column "a"', 3),
        ([*pieces[:5], lazy(data.drop(columns="y"))], ValueError, "no column 'y'", 5),
        (
            [*pieces[:4], lazy(data.drop(columns="user")), pieces[5]],
            ParameterError,
            "key must be a column",
            4,
        ),
        (
            [lazy((3, [1])), *[lazy((3, [1]))] * 5],
            TypeError,
            "a partition must be a data frame, got int",
            0,
        ),
    ]:
        y = None if error is TypeError else "y"
        with pytest.raises(error, match=message) as caught:
            models.learn(X, y, partitions_per_step=2)
        assert caught.value.__notes__ == [f"in partition {number} of 6, counted from 0"]
        assert models.n_partitions_seen_ % 2 == 0
    assert models.n_partitions_seen_ == 0 + 2 + 4 + 4 + 0


def test_what_only_a_model_refuses_says_which_partition_it_was(client, tmp_path):
    data = frame(rows=40, keys=1).drop(columns="weight").astype(dict.fromkeys("abc", "float32"))
    large = data.assign(a=1e50, user=1)  # as float64 it is none too much
    models = KeyedModels(tmp_path, PAIR, key="user", n_shards=7)
    with pytest.raises(ValueError, match="contains infinity") as caught:
        models.learn([lazy(data), lazy(large)], "y")
    assert caught.value.__notes__ == ["in partition 1 of 2, counted from 0"]


def learn_in_a_task(folder, parts):
    return (
        KeyedModels(folder, PAIR, key="user", n_shards=3)
        .learn(parts, "y", partitions_per_step=1)
        .n_partitions_seen_
    )


def test_tasks_may_learn(dask_client, tmp_path):
    parts = dd.from_pandas(frame(rows=80).drop(columns="weight"), npartitions=2)
    folders = [tmp_path / "a", tmp_path / "b"]  # as many as there are threads
    found = [dask_client.submit(learn_in_a_task, folder, parts) for folder in folders]
    assert [future.result(timeout=120) for future in found] == [2, 2]


def fatal(part, marker):
    """Kill the worker that loads a partition, the first time."""
    if 1500 in part.index:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
    return part


@pytest.mark.nightly
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="workers are killed as Unix has it")
def test_a_worker_that_is_killed_costs_no_rows(mortal_workers, tmp_path):
    data = frame().drop(columns="weight")
    parts, marker = dd.from_pandas(data, npartitions=12), tmp_path / "killed"
    make = Classifier("bsgd-merge", budget=10)
    models = KeyedModels(tmp_path / "models", make, key="user", n_shards=3, client=mortal_workers)
    models.learn(parts.map_partitions(fatal, marker, meta=parts._meta), "y", partitions_per_step=4)
    assert marker.exists()
    mortal_workers.wait_for_workers(2, timeout=120)
    expected = budgetrs.KeyedModels(make).learn(data[["a", "b", "c"]], data.y, data.user.to_numpy())
    assert same(models, expected)
