"""Models by key on Dask workers are the models of one process."""

import itertools

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client

import budgetrs
from budgetrs import Classifier, Regressor
from budgetrs.dask import KeyedModels, _shards
from conftest import but_nightly
from dask import delayed

SMALL = Classifier("bsgd-merge", budget=10)


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


def frame(rows=3000, keys=40, text=False):
    rng = np.random.default_rng(3)
    of = rng.integers(0, keys, rows)
    data = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc")).assign(user=of)
    data["y"] = np.where((data.a > 0) == (of % 2 == 0), "buys", "goes")
    return data.assign(user=[f"user {key}" for key in of]) if text else data


def lazy(part):
    return delayed(lambda: part)()


def locally(model, *parts):
    """Learn the partitions in one process."""
    models = budgetrs.KeyedModels(model, key="user", n_jobs=1)
    for part in parts:
        X = part.drop(columns=["y", "weight"], errors="ignore")
        models.learn(X, part.y, sample_weight=part.get("weight"))
    return models


def same(models, expected):
    assert sorted(models) == sorted(expected)
    assert len(models) == len(expected)
    return all(models[key].to_bytes() == expected[key].to_bytes() for key in expected)


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("text", "shards", "per_step"),
    but_nightly(
        [(text, *sizes) for text in (False, True) for sizes in ((1, 1), (7, 3), (7, 100), (30, 4))],
        often=[(True, 7, 3)],
    ),
)
def test_models_are_those_of_one_process(tmp_path, text, shards, per_step):
    data = frame(text=text)
    parts = dd.from_pandas(data, npartitions=6)
    KeyedModels(SMALL, key="user", folder=tmp_path, n_shards=shards).learn(parts.partitions[:2], "y")
    # Another call continues.
    models = KeyedModels(key="user", folder=tmp_path)
    assert models.n_partitions_seen_ == 2
    models.learn(parts.partitions[2:], "y", partitions_per_step=per_step)
    assert models.n_partitions_seen_ == 6
    expected = locally(SMALL, *(part.compute() for part in parts.partitions))
    assert same(models, expected)
    assert len([*tmp_path.glob("shard-*")]) <= shards + 1  # one without keys
    predicted = models.predict(parts.drop(columns="y"))
    assert predicted.npartitions == 6
    found = predicted.compute()
    assert found.index.equals(data.index)
    assert found.tolist() == expected.predict(data.drop(columns="y")).tolist()
    none = parts[parts.a > 1e9].drop(columns="y")
    assert (len(models.predict(none).compute()), models.predict(none).dtype) == (0, found.dtype)


@pytest.mark.parametrize("kind", ["names", "series", "delayed", "arrays", "lists", "columns"])
def test_weights_and_kinds_of_partitions(tmp_path, kind):
    data = frame(600).assign(weight=np.random.default_rng(0).uniform(0.5, 2, 600))
    pieces = [data[:0], data[:200], data[200:400], data[:0], data[400:]]
    parts, columns = dd.from_pandas(data, npartitions=3), ["y", "weight"]
    models = KeyedModels(lambda: SMALL, key="user", folder=tmp_path, n_shards=4)
    if kind == "names":
        models.learn(parts, "y", sample_weight="weight")
    elif kind == "series":
        models.learn(parts.drop(columns=columns), parts.y, sample_weight=parts.weight)
    elif kind == "delayed":
        models.learn([lazy(part) for part in pieces], "y", sample_weight="weight", partitions_per_step=1)
    else:
        of = {"arrays": np.asarray, "lists": list, "columns": pd.Series.to_frame}[kind]
        pairs = [lazy((part.drop(columns=columns), of(part.y), of(part.weight))) for part in pieces]
        models.learn(pairs, None)
    assert same(models, locally(SMALL, *(part for part in pieces if len(part))))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_regression_and_trained_templates(tmp_path, dtype):
    data = frame(600).astype(dict.fromkeys("abc", dtype))
    data["y"] = data.a * (1 + data.user % 3)
    template, X = Regressor(budget=20), data[["a", "b", "c"]]
    parts, new = dd.from_pandas(data, npartitions=3), dd.from_pandas(data.drop(columns="y"), npartitions=3)
    predicted = KeyedModels(template, key="user", folder=tmp_path / "new").learn(parts, "y").predict(new)
    assert predicted.dtype == predicted.compute().dtype == dtype
    # A trained template predicts for unknown keys, also before the first rows.
    template = template.learn(X, data.y)
    models = KeyedModels(template, key="user", folder=tmp_path / "trained", n_shards=3)
    for _ in range(2):
        predicted = models.predict(new.assign(user=10**6))
        assert predicted.dtype == dtype
        assert predicted.compute().tolist() == template.predict(X).tolist()
        models.learn(parts, "y")


def test_types_of_keys_do_not_matter(tmp_path):
    for text, dtypes in ((True, ("object", "category")), (False, ("int16", "int64", "uint8", "Int64"))):
        data = frame(600, text=text)
        models = KeyedModels(SMALL, key="user", folder=tmp_path / str(text), n_shards=5)
        for dtype in dtypes:
            models.learn(dd.from_pandas(data.astype({"user": dtype}), npartitions=2), "y")
        assert len(models) == 40
    local = locally(SMALL, data)
    for key in (3, np.int8(3), np.uint8(2), True, np.True_, (1,), 3.5, None, 2**70, 4000, "1", b"1"):
        assert (key in models) == (key in local)
        if key in local:
            assert models[key].n_samples_seen_ == 4 * local[key].n_samples_seen_
        else:
            with pytest.raises(KeyError):
                models[key]


def two(change=lambda part: part, n=40):
    """Return rows of keys 0 and 1, which are in two shards of 7; a function changes the rows of 1."""
    assert len({*_shards.shard_of([0, 1], 7)}) == 2
    data = frame(n, keys=1).assign(town=["Oslo", "Rome"] * (n // 2))
    return [data, change(data.assign(user=1))]


INVALID = {
    "other columns": lambda part: part.rename(columns={"c": "d"}),
    "text among numbers": lambda part: part.assign(a="b"),
    "numbers among text": lambda part: part.assign(town=1.5),
    "bool labels": lambda part: part.assign(y=True),
    "integer labels": lambda part: part.assign(y=1),
    "infinity": lambda part: part.assign(a=np.where(part.index == 17, np.inf, part.a)),
    "text as keys": lambda part: part.assign(user="ann"),
    "float keys": lambda part: part.assign(user=1.5),
    "large keys": lambda part: part.assign(user=np.uint64(2**63)),
    "larger keys": lambda part: part.assign(user=[2**70] * len(part)),
    "bytes as keys": lambda part: part.assign(user=[1] * 30 + [b"1"] * 10),
}


@pytest.mark.parametrize(
    ("what", "calls"),
    but_nightly(
        itertools.product(INVALID, (1, 2)), often=zip(INVALID, itertools.cycle((1, 2)), strict=False)
    ),
)
def test_errors_are_those_of_one_process_whatever_the_shards(tmp_path, what, calls):
    first, second = two(INVALID[what])
    with pytest.raises((ValueError, TypeError)) as expected:
        locally(SMALL, first, second)
    models = KeyedModels(SMALL, key="user", folder=tmp_path, n_shards=7)
    parts = [lazy(first), lazy(second)]
    if calls == 2:
        models.learn(parts[:1], "y")
    before = content(tmp_path)
    with pytest.raises(expected.type) as caught:
        models.learn(parts[calls - 1 :], "y")
    assert str(caught.value) == str(expected.value)
    assert caught.value.__notes__ == [f"in partition {2 - calls} of {3 - calls}, counted from 0"]
    assert content(tmp_path) == before
    assert models.n_partitions_seen_ == len(models) == calls - 1


VALID = {
    "other order and type": lambda part: part[["y", "town", "c", "user", "b", "a"]].astype({"a": "float32"}),
    "nothing among numbers": lambda part: part.assign(a=None),
    "nothing among text": lambda part: part.assign(town=np.nan),
    "categories": lambda part: part.assign(town=part.town.astype("category")),
    "nothing among categories": lambda part: part.assign(a=pd.Categorical([None] * len(part))),
    "labels as categories": lambda part: part.assign(y=part.y.astype("category")),
}


@pytest.mark.filterwarnings("ignore:column .* has mostly categories")
@pytest.mark.parametrize(
    ("what", "dtype"),
    but_nightly(
        itertools.product(VALID, ("float32", "float64")),
        often=zip(VALID, itertools.cycle(("float32", "float64")), strict=False),
    ),
)
def test_the_first_partition_determines_the_columns(tmp_path, what, dtype):
    first, second = two(VALID[what])
    first = first.astype(dict.fromkeys("abc", dtype))
    parts, model = [first, second, first.assign(user=1)], Classifier(budget=5)
    models = KeyedModels(model, key="user", folder=tmp_path, n_shards=7).learn(
        [lazy(part) for part in parts], "y"
    )
    assert same(models, locally(model, *parts))


def test_labels_that_are_objects_have_one_type_in_all_shards(tmp_path):
    part = pd.concat(two()).drop(columns="town")
    part["y"] = [*[0, 1] * 20, *[0.0, 1.0] * 20]
    part["y"] = part.y.astype(object).where(part.user == 1, part.y.astype(int).astype(object))
    models = KeyedModels(SMALL, key="user", folder=tmp_path, n_shards=7).learn([lazy(part)], "y")
    assert same(models, locally(SMALL, part))


@pytest.mark.filterwarnings("ignore:column .* has mostly categories")
def test_new_categories_are_features_of_their_shard(tmp_path):
    parts = [lazy(part) for part in two(lambda part: part.assign(town="Bern"))]
    models = KeyedModels(Classifier(budget=5), key="user", folder=tmp_path, n_shards=7).learn(parts, "y")
    assert [len(models[key].get_feature_names_out()) for key in (0, 1)] == [5, 6]


def test_columns_without_names_and_known_classes(tmp_path):
    template = Classifier("bsgd-merge", budget=10, classes=[0.0, 1.0])
    first, second = (part.drop(columns="town") for part in two())
    parts = [first.assign(y=1), second.rename(columns={"a": 0, "b": 1, "c": 2}).assign(y=0.0)]
    models, expected = (
        KeyedModels(template, key="user", folder=tmp_path, n_shards=7),
        budgetrs.KeyedModels(template),
    )
    for part in parts:
        expected.learn(part.drop(columns=["y", "user"]), part.y, part.user.to_numpy())
    models.learn([lazy((part.drop(columns="y"), part.y)) for part in parts], None)
    assert same(models, expected)
    assert models.predict(dd.from_pandas(first.drop(columns="y"), npartitions=1)).dtype == np.float64


def test_parameters(tmp_path):
    KeyedModels(SMALL, key="user", folder=tmp_path / "models", n_shards=4)
    for again in (SMALL, lambda: Classifier("bsgd-merge", budget=10, n_jobs=1), None):
        assert "0 keys in 4 shards" in repr(KeyedModels(again, key="user", folder=tmp_path / "models"))
    for name, file, text in (("other", "file", ""), ("damaged", "state.json", '{"partitions": 0}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(text)
        SMALL.save(tmp_path / name / "template.safetensors")
    for folder, more, message in [
        ("models", {"n_shards": 5}, "n_shards must be 4, as in the directory .*, got 5"),
        (
            "models",
            {"model": Classifier("bsgd-merge", budget=11)},
            r"equal to .*budget=10\).*another one.*=11",
        ),
        ("models", {"key": "name"}, "key must be 'user', .* got \"name\""),
        ("new", {"model": 3}, "model must be a Classifier or a Regressor"),
        ("new", {"model": lambda: Classifier}, "model must be a Classifier or a Regressor"),
        ("new", {"model": None}, "model must be given"),
        ("new", {"max_memory": 0}, "max_memory must be a number of bytes of at least 1, got 0"),
        ("new", {"key": ["a"]}, r"key must be the name of a column, got \['a'\]"),
        ("new", {"n_shards": 0}, "n_shards must be an integer >= 1, got 0"),
        ("other", {}, "folder must be empty or a directory of Dask models by key, got .*other"),
        ("damaged", {}, "folder must be a directory of Dask models by key, got .*damaged"),
    ]:
        with pytest.raises(ValueError, match=message):
            KeyedModels(folder=tmp_path / folder, **{"model": SMALL, "key": "user", **more})
    assert not (tmp_path / "new").exists()
    parts, models = (
        dd.from_pandas(frame(60), npartitions=1),
        KeyedModels(key="user", folder=tmp_path / "models"),
    )
    with pytest.raises(ValueError, match="no model has learned yet"):
        models.predict(parts)
    for X, more, message in [
        (parts.drop(columns="user"), {}, "key must be a column of X"),
        (frame(60), {}, "X must be a dask array, data frame or bag, or a list of delayed partitions"),
        (parts, {"y": "user"}, 'key must be a column of X in addition to y and sample_weight, .* got "user"'),
        (parts, {"partitions_per_step": 0}, "partitions_per_step must be an integer >= 1, got 0"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            models.learn(X, **{"y": "y", **more})


def not_read(part, number):
    if number in part.index:
        raise OSError("not read")
    return part


def test_missing_arguments_are_shown_in_a_call():
    for arguments in ((SMALL,), ("folder", SMALL)):
        with pytest.raises(TypeError, match=r'KeyedModels\(Classifier\(\), key="user", folder="models"\)$'):
            KeyedModels(*arguments)


def test_errors_name_the_partition(tmp_path):
    data = frame(120).astype(dict.fromkeys("abc", "float32"))
    parts, models = (
        dd.from_pandas(data, npartitions=6),
        KeyedModels(SMALL, key="user", folder=tmp_path, n_shards=4),
    )
    pieces = parts.to_delayed()
    missing = data.assign(user=data.user.astype("Int64").where(data.index != 47))
    infinite = data.assign(a=np.where(data.index == 65, np.inf, data.a))
    large = data.astype({"a": float}).assign(a=1e50)  # in the range of float64
    for X, y, message, number in [
        (parts.map_partitions(not_read, 30, meta=parts._meta), "y", "not read", 1),
        (dd.from_pandas(missing, npartitions=6), "y", "got a missing one at row 7", 2),
        (dd.from_pandas(infinite, npartitions=6), "y", 'infinity at row 5, column "a"', 3),
        ([*pieces[:4], lazy(data.drop(columns="user")), pieces[5]], "y", "key must be a column", 4),
        ([*pieces[:5], lazy(large)], "y", "within the range of float32", 5),
        ([lazy((3, [1]))] * 6, None, r"a partition must be a data frame, got builtins\.int", 0),
        ([lazy((data.drop(columns="y"), [1]))] * 6, None, "^y must have 120 entries, got 1", 0),
    ]:
        before = models.n_partitions_seen_
        with pytest.raises((OSError, ValueError, TypeError), match=message) as caught:
            models.learn(X, y, partitions_per_step=2)
        assert caught.value.__notes__ == [f"in partition {number} of 6, counted from 0"]
        assert models.n_partitions_seen_ == before + number // 2 * 2


class Stopped(Client):
    """A client at which Ctrl-C is pressed when the shards are written."""

    def gather(self, futures, **more):
        super().gather(futures, **more)
        raise KeyboardInterrupt


def test_an_interrupt_leaves_what_was_learned(client, tmp_path):
    parts = dd.from_pandas(frame(200), npartitions=2)
    KeyedModels(SMALL, key="user", folder=tmp_path, n_shards=3).learn(parts, "y")
    before = content(tmp_path)
    with Stopped(client.scheduler.address, set_as_default=False) as stopped:
        models = KeyedModels(key="user", folder=tmp_path, client=stopped)
        with pytest.raises(KeyboardInterrupt):
            models.learn(parts, "y")
    assert content(tmp_path) == before


def test_predictions_are_those_of_the_current_models(tmp_path, monkeypatch):
    data = frame(60, keys=3)
    X = data.drop(columns="y")
    parts, new = dd.from_pandas(data, npartitions=1), dd.from_pandas(X, npartitions=1)
    models, expected = KeyedModels(SMALL, key="user", folder=tmp_path, n_shards=2), locally(SMALL)
    kept = []
    for labels in (data.y, ["goes"] * 60):
        models.learn(parts.assign(y=pd.Series(labels)), "y")
        assert _shards.opened.cache_info().currsize == 0
        expected.learn(X, labels)
        kept.append(models.predict(new).persist())
        assert kept[-1].compute().tolist() == expected.predict(X).tolist()
    # The models are replaced after a task has read their names.
    stale, read = models._state(), _shards.State.read
    models.learn(parts, "y")
    states = iter([models._state(), stale])
    monkeypatch.setattr(_shards.State, "read", lambda folder: next(states, None) or read(folder))
    assert len(models.predict(dd.from_pandas(X.iloc[::-1], npartitions=1)).compute()) == 60
    for name in models._state().shards:
        (tmp_path / name).unlink()
    _shards.opened.cache_clear()
    with pytest.raises(FileNotFoundError):
        models.predict(dd.from_pandas(X[:50], npartitions=1)).compute()


def learn_in_a_task(folder, parts):
    return len(
        KeyedModels(SMALL, key="user", folder=folder, n_shards=3).learn(parts, "y", partitions_per_step=1)
    )


def test_tasks_may_learn(dask_client, tmp_path):
    parts, folders = dd.from_pandas(frame(800), npartitions=2), [tmp_path / "a", tmp_path / "b"]
    # As many as there are threads.
    found = [dask_client.submit(learn_in_a_task, folder, parts) for folder in folders]
    assert [future.result(timeout=120) for future in found] == [40, 40]
