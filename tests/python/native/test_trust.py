"""Models of extreme rows can be loaded; values that another thread writes during a call are not learned."""

import threading
import time

import numpy as np
import pytest
from scipy import sparse

from budgetrs import Classifier, Regressor
from conftest import board


def is_loaded(model):
    """Whether a model is the same after it was saved and loaded."""
    return type(model).from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


def test_a_width_that_was_kept():
    model = Classifier("bsgd-merge", gamma="auto").learn(np.eye(4), [0, 1, 0, 1])
    model.add_features(5, keep_gamma=True)
    assert is_loaded(model)
    assert model.gamma_ == 0.25


@pytest.mark.parametrize("algorithm", ["bpa-p", "bpa-p-ramp", "bsgd-project", "bsgd-project-best", "bpa-nn"])
def test_vectors_that_a_falling_width_makes_short(algorithm):
    X = np.array([[1e-10], [1.0], [1e6], [1e6], [1e6]])
    model = Classifier(algorithm, budget=17, kernel="poly", degree=10, gamma="scale").learn(
        X, [0, 1, 0, 1, 0]
    )
    assert is_loaded(model)


def test_a_forgetron_of_values_and_weights_of_all_sizes():
    rng = np.random.default_rng(85)
    X = rng.normal(size=(60, 3)) * 10.0 ** rng.uniform(-30, 17, (60, 1))
    y = rng.integers(0, 3, 60)
    weights = 10.0 ** rng.uniform(-9, 8, 60)
    assert is_loaded(Classifier("forgetron", budget=5, kernel="linear").learn(X, y, sample_weight=weights))


def test_rows_beyond_the_reach_of_the_linear_part():
    model = Regressor("online-kernel", scaling="none", gamma=2.8, budget=1)
    for x, y in [(0.0, 1.0), (2e10, 0.0), (0.0, 0.0)]:
        model.learn([[x]], [y])
    assert is_loaded(model)
    columns = (
        [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0],
        [0, 0, 1, -5e24, 1e30, 1, 0, 0, 0, 1, 0],
        [0, 1, 1, *[0] * 3, 1, 0, 0, 1, 0],
    )
    rows = [(x, float(i == 0)) for i, x in enumerate(zip(*columns, strict=True))]
    model = Regressor("online-kernel", scaling="none", maintenance="smallest", budget=2)
    for x, y in rows:
        model.learn([[float(v) for v in x]], [float(y)])
    assert is_loaded(model)


def poisoned(form=np.asarray, late_class=False):
    """A model that learned rows whose last third became NaN meanwhile, and the error."""
    X, y = board(240_000)
    if late_class:
        y[160_000:] = 2
    # Shorter and longer waits in turn, one of which ends in the middle of the call on any machine.
    for wait in (0.05 * 2.0 ** (power if sign else -power) for power in range(8) for sign in (True, False)):
        rows, errors = form(X.copy()), []
        model = Classifier("bsgd-project", budget=100, gamma=4.0).learn(X[:100], y[:100])

        def learn(model=model, rows=rows, errors=errors):
            try:
                model.learn(rows, y)
            except ValueError as error:
                errors.append(str(error))

        thread = threading.Thread(target=learn)
        thread.start()
        time.sleep(wait)
        values = rows.data if sparse.issparse(rows) else rows
        values[len(values) * 2 // 3 :] = np.nan
        thread.join()
        if errors and "changed X during the call" in errors[0] and model.n_samples_seen_ <= 160_100:
            return model, errors[0]
    pytest.fail("no write met a call in its middle")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_an_array_that_another_thread_poisons(form):
    model, error = poisoned(form)
    assert "the rows before them are learned" in error
    assert model.n_samples_seen_ > 100
    assert is_loaded(model)
    assert np.isfinite(model.decision_function(board(50, seed=1)[0])).all()
    model.learn(*board(200, seed=2))


def test_an_array_that_is_converted_is_learned_as_it_was_checked():
    X, y = board(240_000)
    clean = Classifier("bsgd-project", budget=100, gamma=4.0).learn(X, y)

    class Rows:
        def __init__(self, array):
            self.array, self.read = array, threading.Event()

        def __array__(self, dtype=None, copy=None):
            self.read.set()
            return self.array

    # The conversion takes a millisecond, and learning a second; on a busy machine a wait may be too short.
    for wait in (0.1, 0.3, 0.6):
        model = Classifier("bsgd-project", budget=100, gamma=4.0)
        rows = Rows(X.astype(X.dtype.newbyteorder()))
        thread = threading.Thread(target=model.learn, args=(rows, y))
        thread.start()
        assert rows.read.wait(60)
        time.sleep(wait)
        rows.array[:] = np.nan
        was_learning = thread.is_alive()
        thread.join()
        if was_learning and model.to_bytes() == clean.to_bytes():
            return
    pytest.fail("the rows that are learned are not those that were checked")


def test_a_class_whose_first_row_is_poisoned_does_not_come():
    model, _ = poisoned(late_class=True)
    assert model.classes_.tolist() == [0, 1]
    assert is_loaded(model)
    assert model.learn(np.zeros((1, 2), np.float32), [2]).classes_.tolist() == [0, 1, 2]
