"""Models by key, beside models that learn the rows of their key alone."""

import datetime
import os
import pickle
import signal
from functools import partial
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from budgetrs import Classifier, KeyedModels, ParameterError, Regressor
from conftest import alarm, together


def stream(rows=1500, keys=25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    of = rng.integers(0, keys, rows) ** 2 // keys
    y = np.where(X[:, 0] * X[:, 1] > (of - keys / 2) / keys, "a", "b")
    return X, y, of


@pytest.mark.parametrize("memory", [1, 60_000, 2**30])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_model_equals_one_that_is_alone(memory, n_jobs, tmp_path):
    X, y, of = stream()
    models = KeyedModels(Classifier(budget=10), max_memory=memory, spill_dir=tmp_path, n_jobs=n_jobs)
    for part in np.array_split(np.arange(1500), [1, 2, 400, 700]):
        assert models.learn(X[part], y[part], of[part]) is models
        assert models.memory_used_ <= memory
    assert models.keys().tolist() == list(dict.fromkeys(of.tolist())) == list(models)
    predicted = models.predict(X, of)
    for key in models:
        alone = Classifier(budget=10).learn(X[of == key], y[of == key])
        assert models[key].to_bytes() == alone.to_bytes()
        assert (predicted[of == key] == alone.predict(X[of == key])).all()
    assert not list(tmp_path.iterdir())  # the file has no name


def test_a_saved_file_continues(tmp_path):
    X, y, of = stream()
    names = np.array([f"shop {key}" for key in of])
    models = KeyedModels(Classifier("bsgd-merge", budget=10), max_memory=30_000).learn(
        X[:700], y[:700], names[:700]
    )
    models.save(tmp_path / "shops")
    again = KeyedModels.load(tmp_path / "shops", max_memory=30_000)
    assert again.n_in_memory_ == 0
    assert len(again) == len(models)
    for some in (models, again):
        some.learn(X[700:], y[700:], names[700:])
    again.save(tmp_path / "shops")
    again = KeyedModels.load(tmp_path / "shops")
    for key in models:
        alone = Classifier("bsgd-merge", budget=10).learn(X[names == key], y[names == key])
        assert again[key].to_bytes() == models[key].to_bytes() == alone.to_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["shops"]


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_fit_equals_the_fit_of_each_key_alone(kind):
    X, y, of = stream(900, 9)
    y = X[:, 0] * X[:, 1] if kind is Regressor else y
    models = KeyedModels(kind(budget=10)).fit(X[:600], y[:600], of[:600]).learn(X[600:], y[600:], of[600:])
    for key in models:
        first, later = of[:600] == key, of[600:] == key
        alone = kind(budget=10).fit(X[:600][first], y[:600][first]).learn(X[600:][later], y[600:][later])
        assert models[key].to_bytes() == alone.to_bytes()
    with pytest.raises(ParameterError, match=rf"keys must be new for fit .*, got {of[600]} at row 0"):
        models.fit(X[600:], y[600:], of[600:])


def test_keys_are_a_column_of_a_frame():
    X, y, of = stream(400, 4)
    columns = {"device": [f"d{key}" for key in of], "t": X[:, 0], "u": X[:, 1]}
    frames = [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]
    expected = KeyedModels(Classifier(budget=10)).learn(X[:, :2], y, columns["device"])
    for frame in frames:
        models = KeyedModels(Classifier(budget=10), key="device").learn(frame, y)
        assert (models.predict(frame) == expected.predict(X[:, :2], columns["device"])).all()
        assert models["d1"].feature_names_in_.tolist() == ["t", "u"]
        with pytest.raises(ParameterError, match='key must be a column of X, got "other"'):
            KeyedModels(Classifier(), key="other").learn(frame, y)


def test_words_are_those_of_all_keys():
    frame = pd.DataFrame(
        {
            "key": [1, 2, 1, 2, 1, 2],
            "x": np.arange(6.0),
            "colour": ["red", "red", "blue", "red", "blue", "red"],
        }
    )
    y = [0, 1, 1, 0, 0, 1]
    models = KeyedModels(Classifier(budget=5), key="key")
    models.learn(frame[:2], y[:2]).learn(frame[2:3], y[2:3])
    assert models[1].get_feature_names_out().tolist() == ["x", "colour=red", "colour=blue"]
    assert models[2].get_feature_names_out().tolist() == ["x", "colour=red"]
    assert models.predict(frame).shape == (6,)  # the model of 2 does not know blue yet
    models.learn(frame[3:], y[3:])
    assert models[2].get_feature_names_out().tolist() == ["x", "colour=red", "colour=blue"]


def test_regression_and_probabilities():
    X, y, of = stream()
    target = X[:, 0] * of
    models = KeyedModels(lambda: Regressor(budget=10)).learn(X, target, of)
    alone = Regressor(budget=10).learn(X[of == 3], target[of == 3])
    assert (models.predict(X[of == 3], of[of == 3]) == alone.predict(X[of == 3])).all()
    models = KeyedModels(Classifier(budget=10, classes=["a", "b"]))
    models.learn(X, y, of)
    alone = Classifier(budget=10, classes=["a", "b"]).learn(X[of == 3], y[of == 3])
    some = (X[of == 3], of[of == 3])
    assert (models.predict_proba(*some) == alone.predict_proba(some[0])).all()
    assert (models.decision_function(*some) == alone.decision_function(some[0])).all()
    with pytest.raises(ValueError, match="need the same classes in all models"):
        KeyedModels(Classifier()).learn(X, y, of).predict_proba(X, of)


def test_a_prior_and_single_rows():
    X, y, _of = stream()
    prior = Classifier(budget=10).learn(X[:500], y[:500])
    models = KeyedModels(prior)
    assert models.predict_one(X[3], "new") == prior.predict_one(X[3])
    alone = Classifier.from_bytes(prior.to_bytes())
    for x, label in zip(X[500:600], y[500:600], strict=True):
        models.learn_one(x, label, "ann")
        alone.learn_one(x, label)
    assert models["ann"].to_bytes() == alone.to_bytes()
    assert "ann" in models
    assert "bob" not in models
    assert 3 not in models
    with pytest.raises(KeyError):
        models["bob"]


def test_single_rows_go_by_their_names():
    X, y, of = stream(400, 4)
    names = ["t", "u", "v", "w"]
    frame = pd.DataFrame(X, columns=names).assign(town=np.where(X[:, 0] > 0, "Oslo", "Rome"))
    models = KeyedModels(Classifier(budget=10)).learn(frame, y, of)
    row = frame.iloc[[7]]
    expected = models.predict(row, [1])[0]
    mixed = row[["town", "w", "v", "u", "t"]]
    for one in (row, mixed, mixed.iloc[0], mixed.iloc[0].to_dict()):
        assert models.predict_one(one, 1) == expected
    again = KeyedModels(Classifier(budget=10)).learn(frame, y, of).learn(row, y[7:8], [1])
    assert models.learn_one(mixed.iloc[0], y[7], 1)[1].to_bytes() == again[1].to_bytes()
    plain = KeyedModels(Classifier(budget=10)).learn(X, y, of)
    assert plain.predict_one(pd.Series(X[7]), 1) == plain.predict_one(X[7], 1)
    with pytest.raises(ParameterError, match="x must be a single row, got 2 rows"):
        models.predict_one(frame[:2], 1)
    # The native class takes rows by their order, so a series of other names is refused.
    model = Classifier(budget=10).learn(frame[names], y)
    series = frame[names].iloc[7]
    assert model.predict_one(series) == model.predict(frame[names].iloc[[7]])[0]
    with pytest.raises(ParameterError, match="x must be a row in the order of feature_names_in_"):
        model.predict_one(series[::-1])
    with pytest.raises(ParameterError, match="x must be a row in the order of feature_names_in_"):
        model.learn_one(series[::-1], "a")


def test_no_rows_have_the_shapes_of_some():
    X, y, of = stream()
    none = (X[:0], of[:0])
    models = KeyedModels(Classifier(budget=10)).learn(X, y, of)
    assert models.predict(*none).dtype.kind == models.predict(X[:0], []).dtype.kind == "U"
    for classes, shape in ((["a", "b"], (0,)), (["a", "b", "c"], (0, 3))):
        models = KeyedModels(Classifier(budget=10, classes=classes)).learn(X, y, of)
        assert models.decision_function(*none).shape == shape
        assert models.predict_proba(*none).shape == (0, len(classes))
        assert models.predict(*none).dtype.kind == "U"
    models = KeyedModels(Regressor(budget=10)).learn(X, X[:, 0], of)
    assert models.predict(*none).shape == (0,)


def test_errors_of_a_row_have_its_number_in_the_batch():
    X, y, of = stream(300, 3)
    models = KeyedModels(Classifier(budget=10)).learn(X, y, of)
    broken = X.copy()
    broken[200, 1] = np.inf
    with pytest.raises(ParameterError, match="X contains infinity at row 200, column 1") as found:
        models.predict(broken, of)
    assert (found.value.parameter, found.value.row) == ("X", 200)
    with pytest.raises(ParameterError, match="X must have 4 features, as the rows learned before, got 3"):
        models.predict(X[:, :3], of)


@pytest.mark.filterwarnings("ignore:column")
def test_threads_whose_words_are_new():
    rng = np.random.default_rng(0)
    models = KeyedModels(Classifier("bsgd-merge", budget=5), n_jobs=1)

    def learning(name):
        for number in range(60):
            frame = pd.DataFrame({"x": rng.normal(size=2), "word": [f"{name}{number}", "both"]})
            models.learn(frame, [0, 1], [0, 1])
            models.predict(frame, [0, 1])

    together(lambda: learning("a"), lambda: learning("b"))
    assert models[0].n_samples_seen_ == models[1].n_samples_seen_ == 120


def test_a_key_is_deleted(tmp_path):
    X, y, of = stream(2000)
    models = KeyedModels(Classifier(budget=10)).learn(X, y, of)
    keys, key = list(models), of[0]
    rows = of != key
    expected = models.predict(X[rows], of[rows])
    del models[key]
    assert key not in models
    assert set(models) == {*keys} - {key}
    with pytest.raises(KeyError):
        del models[key]
    with pytest.raises(ParameterError, match="keys must be"):
        models.predict(X[~rows], of[~rows])
    models.save(tmp_path / "models")
    for others in (models, KeyedModels.load(tmp_path / "models")):
        assert len(others) == len(keys) - 1
        np.testing.assert_array_equal(others.predict(X[rows], of[rows]), expected)


class OneByOne:
    """The oracle: a dict of models, which learn row by row."""

    def __init__(self, make):
        self.make, self.models, self.last, self.n_rows = make, {}, {}, 0

    def learn(self, X, y, keys):
        for x, label, key in zip(X, y.tolist(), keys, strict=True):
            self.models.setdefault(key, self.make()).learn_one(x, label)
            self.n_rows += 1
            self.last[key] = self.n_rows

    def remove_unseen(self, rows):
        unseen = [key for key, last in self.last.items() if last <= self.n_rows - rows]
        for key in unseen:
            del self.models[key], self.last[key]
        return len(unseen)

    def counts(self):
        models = self.models.values()
        rows = [model.n_samples_seen_ for model in models]
        regression = isinstance(self.make(), Regressor)
        if regression:
            errors = [model.mean_squared_error_ for model in models] * np.array(rows)
        else:
            errors = [model.n_mistakes_ for model in models]
        return {
            "key": list(self.models),
            "rows": rows,
            "squared_error" if regression else "mistakes": errors,
            "last_row": list(self.last.values()),
        }

    def check(self, models):
        assert models.n_samples_seen_ == self.n_rows
        counts, expected = models.counts(), self.counts()
        assert list(counts) == list(expected)
        for name, column in counts.items():
            np.testing.assert_allclose(column, expected[name]) if column.dtype.kind == "f" else (
                np.testing.assert_array_equal(column, expected[name])
            )
        for key, model in self.models.items():
            assert models[key].to_bytes() == model.to_bytes()


@pytest.mark.parametrize("kind", [Classifier, Regressor])
@pytest.mark.parametrize("memory", [1, 60_000, 2**30])
def test_counts_and_removal_equal_those_of_single_models(kind, memory, tmp_path):
    rng = np.random.default_rng(3)
    X, names = rng.normal(size=(1500, 4)), [f"n{key}" for key in range(60)]
    y = X[:, 0] * X[:, 1]
    y = y if kind is Regressor else np.where(y > 0, "a", "b")
    # Keys come and go.
    keys = np.array(names)[(np.arange(1500) // 40 + rng.integers(0, 20, 1500)) % 60]
    make = partial(kind, "bsgd-merge", budget=10)
    models, oracle, removed = KeyedModels(make(), max_memory=memory), OneByOne(make), 0
    for step, part in enumerate(np.array_split(np.arange(1500), [1, 2, 300, 500, 501, 900, 1300])):
        models.learn(X[part], y[part], keys[part])
        oracle.learn(X[part], y[part], keys[part].tolist())
        found = models.remove_unseen(200)
        assert found == oracle.remove_unseen(200)
        removed += found
        oracle.check(models)
        if step % 3 == 2:
            models.save(tmp_path / "models")
            models = KeyedModels.load(tmp_path / "models", max_memory=memory)
            oracle.check(models)
    assert removed > 30
    assert len(models) < 60


def test_removing_frees_the_memory_and_the_next_file():
    X, y, of = stream(3000, 300)
    models = KeyedModels(Classifier(budget=10)).learn(X, y, of)
    models.learn(X[:10], y[:10], np.full(10, of[0]))
    used = models.memory_used_
    assert models.remove_unseen(10) == len(set(of)) - 1
    assert list(models) == [of[0]]
    assert models.memory_used_ < used / 50
    for rows in (0, -1, 1.5, "10", None, True):
        with pytest.raises(ParameterError, match=r"^rows must be an integer of at least 1, got "):
            models.remove_unseen(rows)
    assert len(models) == 1
    assert models.remove_unseen(np.int64(10)) == 0


def test_counts_of_fit_and_of_weights_of_0():
    X, y, of = stream(600, 5)
    models = KeyedModels(Classifier(budget=10)).fit(X, y, of, passes=3)
    assert models.n_samples_seen_ == 600
    assert models.counts()["rows"].sum() == 600
    assert sum(model.n_samples_seen_ for model in map(models.__getitem__, models)) == 1800
    models = KeyedModels(Classifier(budget=10)).learn(X, y, of, sample_weight=np.arange(600) % 2)
    assert models.n_samples_seen_ == 600
    assert models.counts()["rows"].sum() == 300
    assert {name: column.tolist() for name, column in KeyedModels(Classifier()).counts().items()} == {
        "key": [],
        "rows": [],
        "mistakes": [],
        "last_row": [],
    }


KEY_COLUMNS = {
    "pandas": lambda X, keys: (pd.DataFrame(X, columns=list("abcd")), pd.Series(keys)),
    "pandas, strings": lambda X, keys: (pd.DataFrame(X, columns=list("abcd")), pd.Series(keys).astype(str)),
    "pandas, categorical": lambda X, keys: (
        pd.DataFrame(X, columns=list("abcd")),
        pd.Series(keys).astype(str).astype("category"),
    ),
    "polars": lambda X, keys: (pl.DataFrame(X, schema=list("abcd")), pl.Series(keys)),
    "polars, strings": lambda X, keys: (pl.DataFrame(X, schema=list("abcd")), pl.Series(map(str, keys))),
    "pyarrow": lambda X, keys: (pa.table(dict(zip("abcd", X.T, strict=True))), pa.array(keys)),
    "pyarrow, chunks": lambda X, keys: (
        pa.table(dict(zip("abcd", X.T, strict=True))),
        pa.chunked_array([list(map(str, keys[:100])), list(map(str, keys[100:]))]),
    ),
    "array": lambda X, keys: (X, keys),
    "list": lambda X, keys: (X, keys.astype(str).tolist()),
}


@pytest.mark.parametrize("form", KEY_COLUMNS)
@pytest.mark.parametrize("memory", [30_000, 2**30])
def test_keys_scattered_over_a_batch_equal_row_by_row(form, memory):
    """Neighbouring rows have different keys, as in the order of time; sorted rows give equal models."""
    X, y, _ = stream(900)
    keys = np.tile(np.random.default_rng(1).permutation(30), 30)
    frame, of = KEY_COLUMNS[form](X, keys)
    models = KeyedModels(Classifier(budget=10), max_memory=memory).learn(frame, y, of)
    by_key = np.argsort(keys, kind="stable")
    frame, of_sorted = KEY_COLUMNS[form](X[by_key], keys[by_key])
    sorted_models = KeyedModels(Classifier(budget=10), max_memory=memory).learn(frame, y[by_key], of_sorted)
    oracle = OneByOne(lambda: Classifier(budget=10))
    oracle.learn(X, y, keys.tolist())
    kind = type(models.keys().tolist()[0])
    for key, model in oracle.models.items():
        learned = models[kind(key)]
        assert learned.to_bytes() == sorted_models[kind(key)].to_bytes()
        # The model of a frame also has the names of its columns.
        np.testing.assert_array_equal(learned.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(learned.support_vectors_, model.support_vectors_)
        assert (learned.n_samples_seen_, learned.n_mistakes_) == (30, model.n_mistakes_)


def test_errors_of_arguments(tmp_path):
    X, y, of = stream(100, 3)
    models = KeyedModels(Classifier).learn(X, y, of)
    before = models[0].to_bytes()
    for strange in (2**63, "\udc80", 1.5, None, (1,)):
        assert strange not in models
        with pytest.raises(KeyError):
            models[strange]
    for call, message in [
        (lambda: KeyedModels(3), "model must be a Classifier or a Regressor"),
        (lambda: KeyedModels(lambda: "model"), "model must be a Classifier or a Regressor"),
        (lambda: models.learn(X, y), "keys must be the key of each row, got None: pass learn"),
        (
            lambda: models.learn(X, y, of + 0.5),
            r"keys must have integers or strings, got floats \(integers that",
        ),
        (lambda: models.learn(X, y, of > 0), "keys must have integers or strings, got bools"),
        (
            lambda: KeyedModels(Classifier(), key=["user"]),
            r"key must be the name of a column, got \['user'\]",
        ),
        (lambda: models.predict(X[:3], [0, 1, 77]), "got 77 at row 2"),
        (
            lambda: KeyedModels(Classifier(), max_memory=0),
            "max_memory must be a number of bytes of at least 1",
        ),
        (
            lambda: KeyedModels(Classifier(), spill_dir="nowhere/at/all"),
            "spill_dir must be an existing directory",
        ),
        (lambda: KeyedModels(Classifier(), n_jobs=0), "n_jobs must be"),
    ]:
        with pytest.raises(ParameterError, match=message):
            call()
    with pytest.raises(TypeError, match="call save"):
        pickle.dumps(models)
    with pytest.raises(FileNotFoundError):
        KeyedModels.load("nowhere/at/all")
    for call in (models.save, KeyedModels.load):
        with pytest.raises(IsADirectoryError):
            call(tmp_path)
    assert models[0].to_bytes() == before
    assert len(models) == len(set(of))


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs a signal by a clock")
def test_interrupts_leave_whole_models():
    def press():
        raise KeyboardInterrupt

    rng = np.random.default_rng(0)
    X, of = rng.normal(size=(400_000, 8)), rng.integers(0, 4000, 400_000)
    y = (X[:, 0] > 0).astype(int)
    models = KeyedModels(Classifier(budget=20), n_jobs=2)

    def learn_until_pressed():
        for _ in range(100):
            models.learn(X, y, of)

    with pytest.raises(KeyboardInterrupt), alarm(0.5, press):
        learn_until_pressed()
    assert len(models) == len(np.unique(of))
    learned = [key for key in range(4000) if hasattr(models[key], "n_features_in_")]
    assert all(models[key].n_samples_seen_ % (of == key).sum() == 0 for key in learned[:50])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_a_fork_leaves_the_file_alone():
    X, y, of = stream()
    models = KeyedModels(Classifier("bsgd-merge", budget=10), max_memory=1, n_jobs=1).learn(X, y, of)
    child = os.fork()
    if child == 0:
        code = 3
        try:
            models.learn(X, y, of)
        except ValueError as error:
            code = 0 if "in a file of the process that this one was forked from" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for key in models:
        alone = Classifier("bsgd-merge", budget=10).learn(X[of == key], y[of == key])
        assert models[key].to_bytes() == alone.to_bytes()


@pytest.mark.parametrize(
    ("key", "advice"),
    [
        (b"ann", r"b'ann' at row 1: pass key.decode\(\) for text, key.hex\(\) for other bytes"),
        (UUID(int=7), r"UUID\(.*: pass str\(key\)"),
        (datetime.date(2024, 1, 2), r"pass key.isoformat\(\)"),
        (datetime.datetime(2024, 1, 2), r"pass key.isoformat\(\)"),
        (np.datetime64("2024-01-02"), r"pass str\(key\)"),
        (None, "leave out the rows without a key"),
        (frozenset(), "a string that identifies it"),
    ],
)
def test_a_key_of_another_type_is_named_with_what_to_pass(key, advice):
    X, y, _ = stream(2, 1)
    models = KeyedModels(Classifier)
    with pytest.raises(ParameterError, match=f"^keys must hold integers or strings, got .*{advice}"):
        models.learn(X, y, ["ann", key])
    with pytest.raises(ParameterError, match=r"keys must hold integers or strings, got .* at row 0"):
        models.learn_one(X[0], y[0], key)
    with pytest.raises(ParameterError, match=r"keys must hold integers or strings, got .* at row 0"):
        models.learn(X, y, np.array([key, key]))
    assert len(models) == 0


def test_a_prior_takes_labels_as_a_model_does():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    prior = Classifier(budget=10).learn(X, y)
    models = KeyedModels(prior).learn(X, y.astype(float), y)
    models.learn(X, y, y)
    alone = Classifier.from_bytes(prior.to_bytes()).learn(X[y == 1], y[y == 1].astype(float))
    assert models[1].to_bytes() == alone.learn(X[y == 1], y[y == 1]).to_bytes()
