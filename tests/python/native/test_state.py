"""State of the native Classifier: attributes, saving, threads, processes."""

import copy
import errno
import pickle
import re
import sys
import threading
import time
import weakref

import numpy as np
import pandas as pd
import pytest

import budgetrs
from budgetrs import Classifier, Regressor, _core
from conftest import SMALL, blobs, board, together

FITTED = "classes_ n_features_in_ n_features_encoded_ dtype gamma_ support_vectors_ dual_coef_ "
FITTED += "mean_weight_degradation_ recent_error_ no_change_error_"
COUNTS = "n_support_vectors_ n_samples_seen_ n_updates_ n_mistakes_ n_queries_ n_maintenances_ n_drifts_ "
COUNTS += "n_scaling_restarts_"


def learned(rows=300, **params):
    return Classifier(**{**SMALL, **params}).learn(*board(rows))


@pytest.mark.parametrize("name", FITTED.split())
def test_attributes_exist_once_they_are_known_and_are_read_only(name):
    assert not hasattr(Classifier(), name)
    model = learned()
    before = model.to_bytes()
    with pytest.raises(AttributeError):
        setattr(model, name, 1)
    value = getattr(model, name)
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value[...] = 0
    assert model.to_bytes() == before


@pytest.mark.parametrize("name", COUNTS.split())
def test_counts_are_0_before_the_first_row(name):
    assert getattr(Classifier(), name) == 0
    if name != "n_mistakes_":
        assert getattr(Regressor(), name) == 0
    with pytest.raises(AttributeError):
        setattr(learned(), name, 1)


def test_parameters_are_a_copy():
    model = learned()
    before = model.to_bytes()
    for name in ("algorithm", "params", "anything"):
        with pytest.raises(AttributeError):
            setattr(model, name, 1)
    model.params["budget"] = 3
    assert model.to_bytes() == before


def test_the_number_of_threads_may_change_at_any_time():
    model = learned(n_jobs=None)
    assert model.n_jobs is None
    model.n_jobs = -1
    assert model.n_jobs == model.params["n_jobs"] == pickle.loads(pickle.dumps(model)).n_jobs == -1
    with pytest.raises(ValueError, match="n_jobs"):
        model.n_jobs = 0
    assert model.n_jobs == -1
    model.n_jobs = None
    assert model.params["n_jobs"] is None


def test_a_file_of_either_task_is_loaded(tmp_path):
    X, y = board(100)
    for model in (learned(), Regressor(budget=10, gamma=1.0).learn(X, y.astype(float)), Regressor()):
        model.save(tmp_path / "model")
        loaded = _core.load(tmp_path / "model", n_jobs=2)
        assert type(loaded) is type(model)
        assert loaded.to_bytes() == model.to_bytes()
        assert loaded.n_jobs == 2


@pytest.mark.parametrize(
    ("is_copied", "rows", "numbers", "vectors", "size"),
    [
        # Few rows are waited for.
        (False, 1, 2, 100, 0),
        (False, 63, 63 * 1000, 10_000, 1000),
        # A first batch: there is nothing to copy.
        (True, 64, 128, 0, 0),
        # Vectors and coefficients alone, 4 bytes a number: 64 rows take less than a millisecond, 1000 more.
        (False, 64, 64 * 20, 500, 4 * 500 * 44),
        (True, 1000, 1000 * 20, 500, 4 * 500 * 44),
        (False, 64, 64 * 54, 2000, 4 * 2000 * 80),
        (True, 1000, 1000 * 54, 2000, 4 * 2000 * 80),
        # A square of 10,000 vectors as well: 400 MB, to learn 64 rows of 2 numbers or a million.
        (False, 64, 128, 10_000, 4 * 10_000 * 10_000),
        (True, 1_000_000, 2_000_000, 10_000, 4 * 10_000 * 10_000),
        # Sparse rows are cheaper.
        (True, 100, 100 * 5000, 1000, 4 * 1000 * 5000),
        (False, 100, 100 * 5, 1000, 4 * 1000 * 5000),
        (True, 2**63, 2**63, 2**63, 2**64 - 1),
    ],
)
def test_a_large_model_is_not_copied_for_a_cheap_batch(is_copied, rows, numbers, vectors, size):
    assert _core._learns_in_copy(rows, numbers, vectors, size) is is_copied


def test_a_damaged_file_raises(tmp_path):
    whole, path = learned().to_bytes(), tmp_path / "model"
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 8]) + whole[middle + 1 :]
    for data in (b"", b"text", whole[:-1], whole + b"\0", whole[:middle], flipped):
        with pytest.raises(ValueError, match="model"):
            Classifier.from_bytes(data)
        path.write_bytes(data)
        with pytest.raises(ValueError, match="model"):
            budgetrs.from_bytes(data)
        for load in (Classifier.load, Regressor.load, _core.load, budgetrs.load):
            with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}: not a valid model: "):
                load(path)


def test_its_size_is_that_of_what_it_holds():
    X, _ = blobs(2000, n_features=20)
    y = np.random.default_rng(0).integers(0, 2, len(X))
    sizes = [sys.getsizeof(Classifier(budget=budget).learn(X, y)) for budget in (10, 100, 1000)]
    assert sys.getsizeof(Classifier()) < 1000
    assert sizes[0] > 10 * 20 * 4
    assert sizes[1] > sizes[0] + 90 * 20 * 4
    assert sizes[2] > sizes[1] + 900 * 20 * 4
    assert sizes[2] < 100 * 1000 * 20 * 4


@pytest.mark.parametrize(
    ("model", "has"),
    [
        (Classifier("bsgd-merge", loss="log_loss"), True),
        (Classifier("bsgd-merge"), False),
        (Classifier(), True),
        (Classifier("pa"), False),
        (Regressor(), False),
    ],
    ids=str,
)
def test_has_probabilities(model, has):
    X, y = board(30)
    assert model.has_probabilities is has
    assert model.learn(X, y).has_probabilities is has
    if has:
        assert model.predict_proba(X).shape == (30, 2)
    elif isinstance(model, Classifier):
        with pytest.raises(ValueError, match=r"^predict_proba.*online-kernel"):
            model.predict_proba(X)


def test_files_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "file").chmod(0o444)
    model = learned()
    for call, path, like in (
        (Classifier.load, tmp_path / "absent", "r"),
        (model.save, tmp_path / "absent" / "model", "w"),
        (Classifier.load, tmp_path / "file" / "model", "r"),
        (Classifier.load, tmp_path, "r"),
        (budgetrs.load, tmp_path / "absent", "r"),
        (budgetrs.load, tmp_path, "r"),
        (model.save, tmp_path, "w"),
    ):
        with pytest.raises(OSError, match=r".+") as expected:
            path.open(like)
        with pytest.raises(type(expected.value)) as found:
            call(path)
        assert found.value.errno == expected.value.errno
        assert found.value.filename == str(path)
        assert found.value.strerror
    # The superuser may write what is read-only; a model is kept all the same.
    with pytest.raises(PermissionError) as found:
        model.save(tmp_path / "file")
    assert (found.value.errno, found.value.filename) == (errno.EACCES, str(tmp_path / "file"))
    with pytest.raises(TypeError):
        Classifier.from_bytes("text")


def test_learning_lets_other_threads_run():
    # Labels without a pattern, so that the budget is restored at nearly every row: some tenths of a second.
    X = blobs(60_000, n_features=30)[0]
    y = np.random.default_rng(1).integers(0, 3, 60_000)
    model = Classifier("bsgd-merge", budget=200, gamma=0.02)
    model.learn(X[:1000], y[:1000])
    worker = threading.Thread(target=model.learn, args=(X, y))
    ticks = 0
    start = time.perf_counter()
    worker.start()
    while worker.is_alive() and time.perf_counter() - start < 120:
        ticks += 1
        time.sleep(0.0005)
    worker.join()
    assert model.n_samples_seen_ == 61_000
    # With the interpreter held there would be one tick before and one after.
    assert ticks > 5


def test_predictions_while_learning_come_from_a_whole_model():
    X, y = board(30_000)
    X_test = board(200, seed=1)[0]
    model = Classifier("bsgd-merge", budget=50, gamma=2.0).learn(X[:500], y[:500])
    cuts = range(500, 30_000, 500)
    serial = Classifier.from_bytes(model.to_bytes())
    states, seen = {serial.decision_function(X_test).tobytes()}, set()
    for start in cuts:
        serial.learn(X[start : start + 500], y[start : start + 500])
        states.add(serial.decision_function(X_test).tobytes())

    def watch():
        seen.add(model.decision_function(X_test).tobytes())
        assert model.n_support_vectors_ <= 50

    def learn():
        for start in cuts:
            model.learn(X[start : start + 500], y[start : start + 500])

    together(learn, beside=[watch, watch])
    assert seen <= states
    assert model.to_bytes() == serial.to_bytes()


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_a_weak_reference_ends_with_the_model(kind):
    model = kind()
    reference = weakref.ref(model)
    assert reference() is model
    del model
    assert reference() is None


def test_the_name_of_the_target_is_saved():
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    model, plain = Classifier(budget=5), Classifier(budget=5)
    for each in (model, plain):
        each.learn(rows, np.arange(40) % 2)
    model.target_name = "größe"
    assert model.to_bytes() != plain.to_bytes()
    combined, _ = _core.combine([model, plain], None, [2, 1])
    for again in (
        Classifier.from_bytes(model.to_bytes()),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        assert (again.target_name, again.to_bytes()) == ("größe", model.to_bytes())
    assert (combined.target_name, plain.target_name) == ("größe", None)
    with pytest.raises(ValueError, match="target_name must be at most 4096 bytes, got 4098 bytes"):
        model.target_name = "ö" * 2049
    with pytest.raises(TypeError):
        model.target_name = 3
    assert model.target_name == "größe"
    model.target_name = None
    assert model.to_bytes() == plain.to_bytes()


def test_a_scaling_without_rows_is_saved(tmp_path):
    X, y = board(300, dtype=np.float64)
    for make, target in ((Classifier, y), (Regressor, X[:, 0])):
        model = make("bsgd-merge", budget=20)
        model.set_scaling([1.0, -2.0], [3.0, 0.5])
        model.save(tmp_path / "model")
        others = [make.load(tmp_path / "model"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
        expected = model.learn(X, target).to_bytes()
        plain = make("bsgd-merge", budget=20).learn(X, target).to_bytes()
        assert [other.learn(X, target).to_bytes() for other in others] == [expected] * 3 != [plain] * 3
