"""Forks, interpreters, signals and exits while threads learn: nothing hangs or crashes, errors are clear."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from budgetrs import Classifier

from .cases import Draw, expect
from .drawn import rows
from .pool import ROOT

SECONDS = 40.0
# What a child is given, on a busy machine.
PATIENCE = 15.0

EXITS = """
import sys, threading, time, numpy as np, budgetrs
rng = np.random.default_rng(0)
model = budgetrs.Classifier("bsgd-merge", budget=300, n_jobs=2)
X, y = rng.normal(size=(20000, 20)).astype("float32"), rng.integers(0, 2, 20000)
model.learn(X[:300], y[:300])
def work():
    while True:
        model.learn(X, y)
def look():
    while True:
        model.predict(X)
for target in (work, look, look):
    threading.Thread(target=target, daemon=True).start()
time.sleep(float(sys.argv[1]))
"""

SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:  # before Python 3.13
    import _xxsubinterpreters as interpreters
import budgetrs
one = interpreters.create()
try:
    interpreters.run_string(one, '''
try:
    import budgetrs
    budgetrs.Classifier(budget=2).learn([[0.0], [1.0]], [0, 1])
    print("works")
except ImportError as error:
    print("refused:", error)
''')
except Exception as error:
    print("refused:", error)
print(budgetrs.Classifier(budget=2).learn([[0.0], [1.0]], [0, 1]).n_samples_seen_)
"""


def case(draw: Draw) -> None:
    works = (forks, forks, exits, interrupted, handled, subinterpreter, spawned)
    work = works[draw.index % len(works)]
    draw.note(work.__name__)
    work(draw)


def small(draw: Draw, n: int = 400) -> tuple[Classifier, np.ndarray, np.ndarray]:
    """Return a model that has learned, and rows for it."""
    X, y = rows(draw, n, 10, "float32"), draw.rng.integers(0, 2, n)
    return Classifier("bsgd-merge", budget=draw.choice((10, 200)), gamma=0.1).learn(X, y), X, y


def waited(pid: int) -> int:
    """Return the exit code of a child; one that hangs is killed, and fails the case."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    expect(False, "a child does not hang")
    return -1


def forks(draw: Draw) -> None:
    """Fork while other threads learn and save: children use all models but one being changed."""
    given = [small(draw) for _ in range(draw.choice((1, 3, 8)))]
    stop = threading.Event()

    def learn(model: Classifier, X: np.ndarray, y: np.ndarray) -> None:
        while not stop.is_set():
            size = draw.choice((1, 20, 400))
            model.learn(X[:size], y[:size])

    def save(path: str) -> None:
        while not stop.is_set():
            given[0][0].save(path)

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model"
        threads = [threading.Thread(target=learn, args=each) for each in given]
        threads += [threading.Thread(target=save, args=(path,))]
        for thread in threads:
            thread.start()
        codes = []
        try:
            for _ in range(10):
                time.sleep(draw.random.uniform(0, 0.005))
                pid = os.fork()
                if not pid:
                    os._exit(child(given, path))
                codes.append(waited(pid))
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    expect(set(codes) == {0}, f"children use the models or find them lost, got exit codes {codes}")


def child(given: list[tuple[Classifier, np.ndarray, np.ndarray]], path: str) -> int:
    """Use the models of the parent; return 0 if each works or is lost."""
    for model, X, y in given:
        try:
            model.predict(X)
            model.learn(X[:20], y[:20])
            model.save(path)
            Classifier.load(path)
        except RuntimeError as error:
            if "this model is lost" not in str(error):
                return 7
        except BaseException:
            return 9
    return 0


def program(text: str, *arguments: str) -> str:
    """Run a program of Python that must end well and in time."""
    command = [sys.executable, "-X", "faulthandler", "-c", text, *arguments]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE * 2, check=False
    )
    expect(ended.returncode == 0, f"exit code {ended.returncode}: {ended.stderr[-3000:]}")
    return ended.stdout


def exits(draw: Draw) -> None:
    """Leave the interpreter while threads learn and predict."""
    after = draw.random.uniform(0, 0.3)
    draw.note(f"the program ends after {after} s")
    program(EXITS, str(after))


@contextlib.contextmanager
def alarm(draw: Draw, low: float, high: float, handler: Callable[..., object]) -> Iterator[None]:
    """Send a signal once, at some time between two, and handle it so."""
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, draw.random.uniform(low, high))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def interrupted(draw: Draw) -> None:
    """Press Ctrl-C in the middle of `learn`: the model is one that learned the rows so far."""
    model, X, y = small(draw)
    X, y = np.tile(X, (2000, 1)), np.tile(y, 2000)
    start = Classifier.from_bytes(model.to_bytes())
    with contextlib.suppress(KeyboardInterrupt), alarm(draw, 0.05, 0.3, signal.default_int_handler):
        model.learn(X, y)
    learned = model.n_samples_seen_ - start.n_samples_seen_
    draw.note(f"{learned} of {len(X)} rows were learned")
    expect(
        model.to_bytes() == start.learn(X[:learned], y[:learned]).to_bytes(), "the rows so far are learned"
    )


def handled(draw: Draw) -> None:
    """Call a model from a signal handler while it learns: what would be lost is refused."""
    model, X, y = small(draw)
    start, learned = Classifier.from_bytes(model.to_bytes()), []

    def handler(*_: object) -> None:
        model.predict(X[:3])
        for n in (1, 5, 400):
            with contextlib.suppress(RuntimeError):
                model.learn(X[:n], y[:n])
                learned.append(n)

    X, y = np.tile(X, (1000, 1)), np.tile(y, 1000)
    with alarm(draw, 0.01, 0.1, handler):
        model.learn(X, y)
    draw.note(f"learned in the handler: {learned}")
    # The signal may come before the call or after it; what is accepted then counts.
    expect(
        model.n_samples_seen_ == start.n_samples_seen_ + len(X) + sum(learned), "what is learned is not lost"
    )
    if not learned:
        expect(model.to_bytes() == start.learn(X, y).to_bytes(), "the call went on")


def subinterpreter(draw: Draw) -> None:
    """Import the package in a second interpreter: it works, or an ImportError says why not."""
    if sys.version_info[:2] not in ((3, 11), (3, 12)):
        return
    said = program(SUBINTERPRETER)
    draw.note(said)
    expect(
        said.endswith("2\n") and ("works" in said or "refused" in said), f"it works or is refused: {said!r}"
    )


def spawned(draw: Draw) -> None:
    """Send a model to a process that is started afresh."""
    import multiprocessing

    model, X, _ = small(draw)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(predictions, (model, X))
    expect(found == model.predict(X).tolist(), "a model predicts the same in a process that was spawned")


def predictions(model: Classifier, X: np.ndarray) -> list[int]:
    return model.predict(X).tolist()
