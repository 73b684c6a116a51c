"""Signals, calls within calls, and forks: the native classes go on or say why not, and never hang."""

import itertools
import os
import signal
import threading
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

from budgetrs import Classifier, Regressor, _core
from conftest import ALL, SMALL, alarm, board, but_nightly

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and forks are those of Unix")

FEATURES = 500
BUDGET = 500  # a projection onto so many rows takes most of a millisecond
FORKS = 20 if ALL else 4
# Far above what a look for signals takes on a busy machine, far below what the whole calls take.
PROMPT = 10.0


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, FEATURES)).astype(np.float32), rng.integers(0, 2, n)


@pytest.fixture(scope="module")
def large():
    """Give a model that takes most of a millisecond for a row: noise is remembered whole."""
    X, y = rows(4000)
    return Classifier("pegasos", alpha=1e-6, gamma=0.1 / FEATURES).learn(X, y)


class Interrupt:
    """Ctrl-C by a clock, and how long it took to be heeded."""

    def __call__(self):
        self.pressed = time.perf_counter()
        raise KeyboardInterrupt


def latency(after, call):
    """Say how many seconds after the signal the call ended, and that it ended by it."""
    interrupt = Interrupt()
    start = time.perf_counter()
    with alarm(after, interrupt), pytest.raises(KeyboardInterrupt):
        call()
    return time.perf_counter() - start - after


@pytest.mark.parametrize(
    ("method", "jobs"),
    but_nightly(
        itertools.product(("predict", "decision_function"), (None, 2)),
        often=[("predict", None), ("decision_function", 2)],
    ),
)
def test_ctrl_c_ends_a_prediction(large, method, jobs):
    X = np.tile(rows(1000, seed=1)[0], (80, 1))
    large.n_jobs = jobs
    assert latency(0.1, lambda: getattr(large, method)(X)) < PROMPT
    assert large.predict(X[:10]).shape == (10,)


@pytest.mark.parametrize("maintenance", but_nightly(["none", "project"], often=["none"]))
def test_ctrl_c_leaves_the_rows_learned_so_far(large, maintenance):
    X, y = rows(30_000, seed=2)
    model = Classifier.from_bytes(large.to_bytes()) if maintenance == "none" else projecting(X[:600], y[:600])
    begun = Classifier.from_bytes(model.to_bytes())
    assert latency(0.3, lambda: model.learn(X, y)) < PROMPT
    learned = model.n_samples_seen_ - begun.n_samples_seen_
    assert 0 < learned < 30_000
    assert model.to_bytes() == begun.learn(X[:learned], y[:learned]).to_bytes()


def test_ctrl_c_in_a_fit_leaves_the_model():
    X, y = rows(30_000, seed=2)
    model = Classifier("pegasos", alpha=1e-6, gamma=0.1 / FEATURES)
    before = model.to_bytes()
    assert latency(0.3, lambda: model.fit(X, y)) < PROMPT
    assert model.to_bytes() == before


def test_ctrl_c_in_the_ridge_regression_of_a_fit_leaves_the_model():
    X = np.random.default_rng(0).normal(size=(10_000, 8))
    model = Regressor(budget=1500)
    before = model.to_bytes()
    with (
        alarm(60, Interrupt()),
        pytest.raises(KeyboardInterrupt),
    ):  # The ridge regression takes about two seconds.
        model.fit(
            X, X[:, 0] * X[:, 1], passes=1, on_pass=lambda *_: signal.setitimer(signal.ITIMER_REAL, 0.05)
        )
    assert model.to_bytes() == before


def projecting(X, y):
    """Give a model that takes most of a millisecond to learn a row."""
    return Classifier("bsgd-project", budget=BUDGET, gamma=0.1 / FEATURES).learn(X, y)


def test_calls_within_a_call_that_learns():
    X, y = rows(2600)
    model = projecting(X[:600], y[:600])
    before = model.to_bytes()
    expected = model.predict(X[:20]).tolist()
    found = []

    def handler():
        for call in (
            lambda: model.learn(X[:100], y[:100]),
            lambda: model.learn_one(X[0], 1),
            lambda: model.add_features(FEATURES),
        ):
            try:
                call()
                found.append("learned")
            except RuntimeError as error:
                found.append(str(error))
        # What readers see is the model before the call.
        found.append(model.predict(X[:20]).tolist())
        found.append(model.to_bytes() == before)

    with alarm(0.1, handler):
        model.learn(X[600:], y[600:])
    assert found[3:] == [expected, True]
    assert all("call of the same thread" in message for message in found[:3])
    # The call in which all this happened went on.
    assert model.to_bytes() == Classifier.from_bytes(before).learn(X[600:], y[600:]).to_bytes()


@pytest.mark.nightly
def test_short_calls_within_a_call_that_learns_a_small_model():
    # Signals are looked for every 40 ms, and the half of this call is some times that on any machine.
    X, y = board(1_000_000)
    before = Classifier("bsgd-merge", budget=300, gamma=2.0).learn(X[:400], y[:400]).to_bytes()
    start = time.perf_counter()
    alone = Classifier.from_bytes(before).learn(X, y).to_bytes()
    half = (time.perf_counter() - start) / 2
    for _ in range(50):
        model, learned, refused = Classifier.from_bytes(before), [], []

        def handler(model=model, learned=learned, refused=refused):
            # What is learned here would be lost, so it is refused, each time.
            for n, learn in (
                (1, lambda: model.learn_one(X[0], 1)),
                (5, lambda: model.learn(X[:5], y[:5])),
                (5000, lambda: model.learn(X[:5000], y[:5000])),
            ) * 2:
                try:
                    learn()
                    learned.append(n)
                except RuntimeError as error:
                    refused.append(str(error))

        with alarm(half, handler):
            model.learn(X, y)
        # A signal that comes before the call, or after it, is no matter.
        assert model.n_samples_seen_ == 400 + len(X) + sum(learned)
        if len(refused) == 6:
            break
    assert len(refused) == 6
    assert all("call of the same thread" in message for message in refused)
    assert model.to_bytes() == alone


def test_calls_within_a_call_that_predicts(large):
    X, y = rows(1000, seed=3)
    model = Classifier.from_bytes(large.to_bytes())
    expected = model.decision_function(X)
    with alarm(0.03, lambda: model.learn_one(X[0], y[0])):
        scores = model.decision_function(X)
    # The prediction ends with the model that it began with.
    np.testing.assert_array_equal(scores, expected)
    assert model.n_samples_seen_ == large.n_samples_seen_ + 1


class Reentering:
    """An array that learns when it is converted."""

    def __init__(self, model, X, y):
        self.model, self.X, self.y = model, X, y

    def __array__(self, dtype=None, copy=None):
        self.model.learn(self.X, self.y)
        return self.X if dtype is None else self.X.astype(dtype)


def test_an_array_may_learn_when_it_is_converted():
    X, y = board(100, dtype=np.float64)
    model = Classifier(**SMALL).learn(X, y)
    model.learn(Reentering(model, X, y), y)
    expected = Classifier(**SMALL)
    for _ in range(3):
        expected.learn(X, y)
    assert model.to_bytes() == expected.to_bytes()


def test_ctrl_c_ends_a_wait_for_another_thread():
    X, y = rows(3000)
    model = projecting(X[:600], y[:600])
    worker = threading.Thread(target=model.learn, args=(X, y))
    worker.start()
    time.sleep(0.05)
    latency(0.1, lambda: model.learn(X, y))
    assert worker.is_alive()
    worker.join()
    assert model.n_samples_seen_ == 3600


def in_child(work, seconds=30):
    """Run work in a forked child; give what it returned, a small number, or None when it hung."""
    with warnings.catch_warnings():
        # Python warns of forking beside threads; that it does no harm here is what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


@contextmanager
def busy(*works):
    """Repeat some calls in threads of their own."""
    done = threading.Event()

    def repeat(work):
        while not done.is_set():
            work()

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_a_fork_within_a_long_call_has_the_model_before_it():
    X, y = rows(3000)
    model = projecting(X[:600], y[:600])
    before = model.to_bytes()
    after = Classifier.from_bytes(before).learn(X[:20], y[:20]).to_bytes()
    worker = threading.Thread(target=model.learn, args=(X, y))
    worker.start()
    time.sleep(0.1)

    def child():
        whole = model.to_bytes() == before
        return 1 if whole and model.learn(X[:20], y[:20]).to_bytes() == after else 2

    assert in_child(child) == 1
    assert worker.is_alive()
    worker.join()
    assert model.n_samples_seen_ == 3600


def test_a_fork_within_a_short_call_has_the_model_or_says_that_it_is_lost(large):
    X, y = rows(63, seed=4)
    model, other = Classifier.from_bytes(large.to_bytes()), projecting(X, y)

    def child():
        other.predict(X[:3])
        other.learn_one(X[0], y[0])
        try:
            model.predict(X[:3])
            model.learn_one(X[0], y[0])
        except RuntimeError as error:
            return 2 if "this model is lost" in str(error) else 3
        return 1

    # Short calls change the model itself, so a child may be forked in the middle of a change.
    with busy(lambda: model.learn(X, y)):
        codes = {in_child(child) for _ in range(3 * FORKS)}
    assert codes <= {1, 2}
    assert in_child(child) == 1


def test_a_fork_while_threads_predict_in_parallel():
    X, y = board(5000)
    model = Classifier("bsgd-merge", budget=100, gamma=2.0, n_jobs=2).learn(X, y)
    expected = model.predict(X).tolist()

    def other_jobs():
        other = Classifier.from_bytes(model.to_bytes(), n_jobs=3)
        other.predict(X[:500])

    with busy(lambda: model.predict(X), other_jobs):
        codes = [in_child(lambda: 1 if model.predict(X).tolist() == expected else 2) for _ in range(FORKS)]
    assert codes == [1] * FORKS


def test_a_fork_while_a_reader_is_fed():
    text = b"".join(b"%d 1:%d 2:3.25\n" % (i % 2, i) for i in range(20_000))
    reader = _core.Reader("libsvm")

    def feed():
        reader.feed(text)
        reader.take()

    def child():
        try:
            reader.feed(b"1 1:2\n")
            return 1 if reader.n_ready >= 0 else 3
        except RuntimeError as error:
            return 2 if "forked" in str(error) else 3
        except ValueError:
            # Between the bytes of another thread these make no sense.
            return 1

    with busy(feed):
        codes = [in_child(child) for _ in range(FORKS)]
    assert set(codes) <= {1, 2}
