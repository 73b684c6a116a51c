"""Models by key, beside models that learn the rows of their key alone."""

import os
import pickle
import signal

import numpy as np
import pytest

from budgetrs import Classifier, KeyedModels, ParameterError, Regressor
from conftest import alarm


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
    models = KeyedModels(Classifier(budget=10), memory=memory, spill_folder=tmp_path, n_jobs=n_jobs)
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


def test_a_folder_goes_on(tmp_path):
    X, y, of = stream()
    names = np.array([f"shop {key}" for key in of])
    models = KeyedModels(Classifier("bsgd-merge", budget=10), memory=30_000).learn(
        X[:700], y[:700], names[:700]
    )
    models.save(tmp_path / "shops")
    again = KeyedModels.load(tmp_path / "shops", memory=30_000)
    assert again.n_in_memory_ == 0
    assert len(again) == len(models)
    for some in (models, again):
        some.learn(X[700:], y[700:], names[700:])
    again.save(tmp_path / "shops")
    again = KeyedModels.load(tmp_path / "shops")
    for key in models:
        alone = Classifier("bsgd-merge", budget=10).learn(X[names == key], y[names == key])
        assert again[key].to_bytes() == models[key].to_bytes() == alone.to_bytes()
    # One model to the record, which is a model file.
    assert len(list((tmp_path / "shops").iterdir())) == 2


def test_keys_are_a_column_of_a_frame():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    X, y, of = stream(400, 4)
    columns = {"device": [f"d{key}" for key in of], "t": X[:, 0], "u": X[:, 1]}
    frames = [pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)]
    expected = KeyedModels(Classifier(budget=10)).learn(X[:, :2], y, columns["device"])
    for frame in frames:
        models = KeyedModels(Classifier(budget=10), key="device").learn(frame, y)
        assert (models.predict(frame) == expected.predict(X[:, :2], columns["device"])).all()
        assert models["d1"].feature_names_in_.tolist() == ["t", "u"]
        with pytest.raises(ParameterError, match="key must be a column of X, got 'other'"):
            KeyedModels(Classifier(), key="other").learn(frame, y)


def test_words_are_those_of_all_keys():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "key": [1, 2, 1, 2, 1, 2],
            "x": np.arange(6.0),
            "colour": ["red", "red", "blue", "red", "blue", "red"],
        }
    )
    y = [0, 1, 1, 0, 0, 1]
    models = KeyedModels(Classifier(budget=5), key="key")
    models.learn(frame[:2], y[:2]).learn(frame[2:3], y[2:3])
    assert models[1].feature_names_.tolist() == ["x", "colour=red", "colour=blue"]
    assert models[2].feature_names_.tolist() == ["x", "colour=red"]
    assert models.predict(frame).shape == (6,)  # the model of 2 does not know blue yet
    models.learn(frame[3:], y[3:])
    assert models[2].feature_names_.tolist() == ["x", "colour=red", "colour=blue"]


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
    with pytest.raises(ValueError, match="need classes that all models have: give the model its classes"):
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


def test_refusals():
    X, y, of = stream(100, 3)
    for make in (3, lambda: "model", Classifier):
        if make is not Classifier:
            with pytest.raises(ParameterError, match="make must be a Classifier or a Regressor"):
                KeyedModels(make)
    models = KeyedModels(Classifier).learn(X, y, of)
    before = models[0].to_bytes()
    with pytest.raises(ParameterError, match="keys must be given, unless key names a column of X"):
        models.learn(X, y)
    with pytest.raises(ParameterError, match="keys must have integers or strings"):
        models.learn(X, y, of + 0.5)
    with pytest.raises(ParameterError, match="got 77 at row 2"):
        models.predict(X[:3], [0, 1, 77])
    with pytest.raises(ParameterError, match="memory must be a number of bytes of at least 1"):
        KeyedModels(Classifier(), memory=0)
    with pytest.raises(ParameterError, match="spill_folder must be a folder that exists"):
        KeyedModels(Classifier(), spill_folder="nowhere/at/all")
    with pytest.raises(ParameterError, match="n_jobs must be"):
        KeyedModels(Classifier(), n_jobs=0)
    with pytest.raises(TypeError, match="save them in a folder"):
        pickle.dumps(models)
    with pytest.raises(FileNotFoundError):
        KeyedModels.load("nowhere/at/all")
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
    learned = [key for key in range(4000) if hasattr(models[key], "n_seen_")]
    assert all(models[key].n_seen_ % (of == key).sum() == 0 for key in learned[:50])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_a_fork_leaves_the_file_alone():
    X, y, of = stream()
    models = KeyedModels(Classifier("bsgd-merge", budget=10), memory=1, n_jobs=1).learn(X, y, of)
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
