"""Estimators as files and as bytes."""

import copy
import io
import pickle
import re

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.exceptions import NotFittedError

import budgetrs
from budgetrs import (
    ALGORITHMS,
    BPAClassifier,
    BPARegressor,
    BSGDClassifier,
    BudgetMIRA,
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    Regressor,
    _core,
)
from budgetrs.cli import main
from budgetrs.estimators._names import estimator_name
from conftest import blobs, board, csv_text, small_for
from kinds import CLASSIFIERS, KINDS, data_for, scores, small


def by_joblib(model):
    memory = io.BytesIO()
    joblib.dump(model, memory)
    memory.seek(0)
    return joblib.load(memory)


def by_skops(model):
    data = skops.io.dumps(model)
    return skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))


WAYS = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "cloudpickle": lambda model: pickle.loads(cloudpickle.dumps(model)),
    "joblib": by_joblib,
    "skops": by_skops,
}


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_round_trips(kind, way):
    X, y = data_for(kind)
    frame = pd.DataFrame(X, columns=["a", "b"])
    estimator = small(kind, max_iter=2).fit(frame, y)
    other = WAYS[way](estimator)
    assert other.get_params() == estimator.get_params()
    assert other.feature_names_in_.tolist() == ["a", "b"]
    assert other.n_iter_ == 2
    np.testing.assert_array_equal(scores(other, frame), scores(estimator, frame))
    for model in (other, estimator):
        model.partial_fit(frame, y)
    assert other._model.to_bytes() == estimator._model.to_bytes()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("labels", [[False, True], ["no", "yes"], [1.0, 2.0]], ids=str)
def test_streams_go_on(labels, way):
    X, y = board(1500)
    estimator = small(BSGDClassifier).partial_fit(X[:600], np.take(labels, y[:600]))
    other = WAYS[way](estimator.partial_fit(X[600:1500], np.take(labels, y[600:1500])))
    assert other._monitor.baseline._counts == estimator._monitor.baseline._counts
    assert {type(label) for label in other._monitor.baseline._counts} == {type(labels[0])}
    assert other.partial_fit(X, np.take(labels, y)).n_samples_seen_ == 3000


@pytest.mark.parametrize("kind", KINDS)
def test_the_state_is_plain(kind):
    estimator = small(kind).fit(*data_for(kind))
    assert not any("__reduce__" in vars(base) for base in kind.__mro__ if base is not object)
    stored = estimator.__getstate__()["_model"]
    assert stored.dtype == np.uint8
    assert stored.tobytes() == estimator._model.to_bytes()
    assert "_model" not in small(kind).__getstate__()
    assert not hasattr(WAYS["skops"](small(kind)), "n_samples_seen_")
    untrusted = skops.io.get_untrusted_types(data=skops.io.dumps(estimator))
    assert untrusted == [f"budgetrs.estimators.{kind.__module__.rpartition('.')[2]}.{kind.__name__}"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_native_round_trips(kind, way):
    X, y = board(300)
    model = kind(budget=15).learn(X, y)
    other = WAYS[way](model)
    assert other.to_bytes() == model.to_bytes()
    np.testing.assert_array_equal(other.predict(X), model.predict(X))


@pytest.mark.parametrize(("kind", "other"), [(Classifier, Regressor), (Regressor, Classifier)])
def test_a_state_goes_into_a_new_model_alone(kind, other):
    X, y = board(300)
    model = kind(budget=15, n_jobs=2).learn(X, y)
    new = kind()
    new.__setstate__(model.__getstate__())
    assert (new.to_bytes(), new.n_jobs) == (model.to_bytes(), 2)
    for occupied in (new, other()):
        with pytest.raises(ValueError, match="the state needs a new model of the class"):
            occupied.__setstate__(model.__getstate__())
    with pytest.raises(ValueError, match="model"):
        kind().__setstate__({"model": b"nonsense", "n_jobs": None})


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_save_and_load(kind, tmp_path):
    X, y = data_for(kind)
    estimator = small(kind, max_iter=2).fit(X, y)
    estimator.save(tmp_path / "model")
    loaded, native = kind.load(tmp_path / "model"), kind._native.load(tmp_path / "model")
    assert type(loaded) is kind
    assert loaded.n_features_in_ == 2
    for name, value in native.params.items():
        if name in kind().get_params() and name != "margin":
            assert getattr(loaded, name) == value
    if kind in CLASSIFIERS:
        assert loaded.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(scores(loaded, X), scores(estimator, X))
    np.testing.assert_array_equal(native.predict(X), estimator.predict(X))
    for model in (loaded, estimator):
        model.partial_fit(X, y)
    assert loaded._model.to_bytes() == estimator._model.to_bytes()


def test_saving_needs_a_fit(tmp_path):
    with pytest.raises(NotFittedError, match="save"):
        BSGDClassifier().save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


NATIVE = [(Classifier, name) for name in ALGORITHMS]
NATIVE += [(Regressor, name) for name in ALGORITHMS if _core.parameters(name).get("loss") == "hinge"]


@pytest.mark.parametrize(("native", "name"), NATIVE, ids=str)
def test_every_algorithm_has_one_estimator(native, name, tmp_path):
    X, y = board(100)
    given = small_for(name)
    if name == "online-kernel":
        del given["gamma"]
    model = native(name, **given).learn(X, y)
    model.save(tmp_path / "model")
    member = getattr(budgetrs, estimator_name(model.params, regression=native is Regressor))
    loaded = member.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    # The parameters say the same as the file.
    algorithm, given = loaded._native_params()
    again = native(algorithm, seed=0, **({"classes": [0, 1]} if native is Classifier else {}), **given)
    np.testing.assert_array_equal(again.learn(X, y).predict(X), model.predict(X))
    for other in set(KINDS) - {member}:
        with pytest.raises(ValueError, match=rf"{member.__name__}\.load reads it") as caught:
            other.load(tmp_path / "model")
        assert str(caught.value).startswith(
            f"{tmp_path / 'model'}: expected a model for {other.__name__}, got a "
        )


def test_parameters_that_an_estimator_does_not_have_raise(tmp_path):
    X, y = board(100)
    Classifier(kernel="rbf").learn(X, y).save(tmp_path / "model")
    with pytest.raises(
        ValueError,
        match=r"which has kernel='rational-quadratic', got kernel='rbf'; budgetrs\.Classifier\.load reads it",
    ):
        OnlineKernelClassifier.load(tmp_path / "model")


def test_a_model_that_has_learned_nothing_raises(tmp_path):
    Classifier(classes=[0, 1]).save(tmp_path / "empty")
    Classifier().learn(np.ones((2, 1)), [3, 3]).save(tmp_path / "one")
    for name in ("empty", "one"):
        with pytest.raises(
            ValueError, match="expected a model that has learned rows, of at least two classes"
        ):
            OnlineKernelClassifier.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        OnlineKernelClassifier.load(tmp_path / "none")
    (tmp_path / "text").write_text("no model")
    with pytest.raises(ValueError, match=rf"^{re.escape(str(tmp_path / 'text'))}: not a valid model"):
        OnlineKernelClassifier.load(tmp_path / "text")


def test_a_fit_after_loading_has_a_stream_of_its_own(tmp_path):
    X, y = board(400, dtype=np.float64)
    params = {"budget": 10, "rate": "auto", "average": 0.5, "maintenance": "project-nn", "gamma": "scale"}
    estimator = BSGDClassifier(**params, random_state=0).fit(X, y)
    estimator.save(tmp_path / "model")
    loaded = BSGDClassifier.load(tmp_path / "model")
    assert loaded.stream_length is None
    assert loaded.gamma == estimator.gamma_
    loaded.partial_fit(X, y)
    assert loaded._model.to_bytes() == estimator.partial_fit(X, y)._model.to_bytes()
    loaded.set_params(warm_start=True).fit(X, y)
    assert loaded._model.params["stream_length"] == 400
    loaded.set_params(warm_start=False).fit(X[:100], y[:100])
    assert loaded._model.params["stream_length"] == 100


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_that_came_as_they_come_are_sorted(n_classes, tmp_path):
    X, y = blobs(300, n_classes)
    names = np.array(["c", "b", "a"])[:n_classes]
    X, labels = (
        np.concatenate([X[np.argsort(y, kind="stable")], X]),
        np.concatenate([np.sort(names[y])[::-1], names[y]]),
    )
    model = Classifier(budget=20).learn(X, labels)
    assert model.classes_.tolist() == sorted(names, reverse=True)
    model.save(tmp_path / "model")
    loaded = OnlineKernelClassifier.load(tmp_path / "model")
    assert loaded.classes_.tolist() == sorted(names)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X)[:, ::-1])

    def turned(values, axis):
        """The one output of two classes changes its sign; else the classes change places."""
        return -values if n_classes == 2 else np.flip(values, axis)

    raw = model.decision_function(X)
    np.testing.assert_array_equal(loaded.decision_function(X), turned(raw, 1))
    attributes = {"dual_coef_": "dual_coef_", "linear_coef_": "coef_", "linear_intercept_": "intercept_"}
    for name, native in attributes.items():
        np.testing.assert_array_equal(getattr(loaded, name), turned(getattr(model, native), 0))
    # Weights go to their classes, and the list is whole.
    expected = Classifier.load(tmp_path / "model").learn(
        X, labels, sample_weight=np.where(labels == "c", 5.0, 1.0)
    )
    loaded.set_params(class_weight={"c": 5.0}).partial_fit(X, labels)
    assert loaded._model.to_bytes() == expected.to_bytes()
    with pytest.raises(ValueError, match=r'y contains "d" at row 1; the classes are \['):
        loaded.partial_fit(X[:2], [names[0], "d"])


def test_files_of_the_command_line(tmp_path, capsys):
    X, y = blobs(200)
    data, model, back = tmp_path / "data.csv", tmp_path / "model", tmp_path / "back"
    data.write_text(csv_text(X, y))
    assert main(["train", str(data), "--budget", "20", "-o", str(model), "-q"]) == 0
    estimator = OnlineKernelClassifier.load(model)
    assert estimator.budget == 20
    np.testing.assert_array_equal(estimator.predict(X), Classifier.load(model).predict(X))
    estimator.partial_fit(X, y).save(back)
    capsys.readouterr()
    assert main(["predict", str(back), str(data), "-q"]) == 0
    assert capsys.readouterr().out.split() == estimator.predict(X).astype(str).tolist()
    options = ["--task", "regression", "--algorithm", "bpa-nn", "--budget", "20", "--scaling", "online"]
    assert main(["train", str(data), *options, "-o", str(model), "-q"]) == 0
    reg = BPARegressor.load(model)
    np.testing.assert_array_equal(reg.predict(X), Regressor.load(model).predict(X))
    with pytest.raises(
        ValueError, match=r"got a Regressor with the algorithm 'bpa-nn'; BPARegressor\.load reads it"
    ):
        BPAClassifier.load(model)


def test_the_margin_of_mira_is_that_of_the_file(tmp_path):
    X, y = board(100)
    for given, margin in (({}, 0.01), ({"margin": 0.5}, 0.5)):
        Classifier("mira-merge", budget=20, **given).learn(X, y).save(tmp_path / "model")
        assert BudgetMIRA.load(tmp_path / "model").margin == margin


def test_subclasses_load_too(tmp_path):
    class Mine(OnlineKernelRegressor):
        pass

    X, y = data_for(OnlineKernelRegressor)
    small(Mine).fit(X, y).save(tmp_path / "model")
    assert type(Mine.load(tmp_path / "model")) is Mine
