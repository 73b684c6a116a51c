"""Shared data for the tests."""

import bz2
import gzip
import lzma
import os
import signal
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import hypothesis
import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier
from budgetrs._core import ALGORITHMS, KERNELS, REQUIRED, applicable, load, parameters
from budgetrs.cli import main

# SciPy reads this when it is imported; without it one of scikit-learn's checks does not run.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# The examples are the same in every run; --hypothesis-profile=fuzz --hypothesis-seed=N draws others.
hypothesis.settings.register_profile("fixed", derandomize=True)
hypothesis.settings.register_profile("fuzz", database=None, print_blob=True)
hypothesis.settings.load_profile("fixed")

# `make nightly` sets it; CI leaves out what is marked `nightly`.
ALL = os.environ.get("BUDGETRS_ALL") == "1"
# They test the oracles, which only change together with their results.
collect_ignore_glob = [] if ALL else ["reference/*_by_hand.py"]

# One algorithm of each code path of the core; the contract tests in Rust run every algorithm.
FIVE = ("bsgd-merge", "bpa-nn", "projectron", "budget-mira", "online-kernel")
CODE_PATHS = tuple(ALGORITHMS) if ALL else FIVE

# The kernels of distances, and for each sum over the features one kernel with gamma.
DISTANCE_KERNELS = [name for name, of in KERNELS.items() if of.startswith("|x - x'|")]
ONE_OF_EACH_SUM = [
    *{
        of: name
        for name, of in reversed(KERNELS.items())
        if "gamma" in applicable("bsgd-random", kernel=name)
    }.values()
]

NIGHTLY = pytest.mark.nightly


def pytest_collection_modifyitems(config, items):
    """Leave out what is marked `nightly`, unless everything is asked for."""
    late = [] if ALL else [item for item in items if item.get_closest_marker("nightly")]
    if late:
        config.hook.pytest_deselected(items=late)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


def but_nightly(cases, often):
    """Parameters, of which all but some are for `make nightly`.

    Parameters
    ----------
    cases : iterable
        The values of one parameter, or tuples of several.
    often : iterable
        The cases that every run tests.
    """
    often = list(often)
    cases = list(cases)
    assert all(case in cases for case in often), "a case that every run tests is none of the cases"
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=[] if case in often else NIGHTLY)
        for case in cases
    ]


ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BUDGETRS_DATA", ROOT.parent / "shared" / "data"))


def unnamed(path):
    """Return the bytes of a model file without the name of the target, which only files have."""
    model = load(path)
    model.target_name = None
    return model.to_bytes()


def run(capsys, *arguments):
    """Run the command line in this process: its exit code and what it printed."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


def csv(path, frame, **more):
    """Write a frame as CSV, without an index."""
    frame.to_csv(path, index=False, **more)
    return path


@contextmanager
def alarm(after, handler):
    """Call the handler after some seconds, in the main thread."""
    before = signal.signal(signal.SIGALRM, lambda *_: handler())
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def together(*calls, beside=()):
    """Run calls in threads, with others that are repeated until the calls end, and raise their errors."""
    ended = threading.Event()

    def repeat(call):
        while not ended.is_set():
            call()

    with ThreadPoolExecutor(len(calls) + len(beside)) as pool:
        repeated = [pool.submit(repeat, call) for call in beside]
        try:
            for future in [pool.submit(call) for call in calls]:
                future.result(60)
        finally:
            ended.set()
        for future in repeated:
            future.result(60)


def warnings_of(call, about=""):
    """Return the messages of the warnings of a call that contain a text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught if about in str(one.message)]


def board(rows, seed=0, dtype=np.float32):
    """Points of a 2 x 2 checkerboard with labels 0 and 1."""
    X = np.random.default_rng(seed).uniform(-1, 1, (rows, 2)).astype(dtype)
    return X, (X[:, 0] * X[:, 1] > 0).astype(np.int64)


def blobs(rows, n_classes=3, n_features=4, seed=0, dtype=np.float32):
    """Gaussian classes that overlap a little."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, rows)
    centres = rng.normal(0, 2, (n_classes, n_features))
    return (centres[y] + rng.normal(0, 0.7, (rows, n_features))).astype(dtype), y


def moving_clusters(rows, n_classes=2, n_features=4, seed=0, dtype=np.float32):
    """Thirty clusters that swing, each at its own pace; a vote of recent rows predicts best."""
    rng = np.random.default_rng(seed)
    pace, start = rng.uniform((0.0015, 0), (0.0045, 2 * np.pi), (30, n_features, 2)).transpose(2, 0, 1)
    which = rng.integers(0, 30, rows)
    X = 2 * np.sin(pace[which] * np.arange(rows)[:, None] + start[which])
    return (X + rng.normal(0, 0.1, X.shape)).astype(dtype), which % n_classes


def libsvm_text(X, y):
    """Write rows as LIBSVM text; floats are written so that they are read back exactly."""
    rows = zip(X.tolist(), y, strict=True)
    return "".join(f"{c} {' '.join(f'{i}:{v!r}' for i, v in enumerate(x, 1))}\n" for x, c in rows)


PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def write_rows(path, X, y):
    """Write rows in the format of the file's name, with the names of the columns if they have them."""
    form = path.name.split(".")[1]
    if isinstance(X, pd.DataFrame):
        table = X.assign(y=y)
        {"csv": partial(csv, frame=table), "parquet": table.to_parquet, "arrow": table.to_feather}[form](path)
    elif form == "npz":
        np.savez(path, X=X, y=y)
    elif form == "npy":
        np.save(path, np.column_stack([X.astype(float), y]))
    else:
        text = libsvm_text(X, y) if form == "libsvm" else csv_text(X, y)
        path.write_bytes(PACK.get(path.suffix, bytes)(text.encode()))
    return path


def csv_text(X, y, *, first=False):
    """Write rows as CSV text with the label in the last or the first column."""
    rows = zip(X.tolist(), y, strict=True)
    return "".join(",".join(map(str, [c, *x] if first else [*x, c])) + "\n" for x, c in rows)


SMALL = {"algorithm": "bsgd-merge", "budget": 20, "gamma": 2.0}


def bounded(name):
    """Tell whether the named algorithm has a budget; an unbounded one has none to set."""
    return parameters(name)["budget"] is not None


def small_for(name):
    """Parameters that fit the named algorithm."""
    small = {"budget": 20} if bounded(name) else {}
    return {**small, "gamma": 2.0, **required(name)}


def required(name):
    """Parameters that the named algorithm has to be given."""
    return {parameter: {"rate": 30.0}[parameter] for parameter in REQUIRED.get(name, ())}


def learned(X=None, y=None, **params):
    """A small model that has learned, by default the checkerboard."""
    if X is None:
        X, y = board(300)
    return Classifier(**{**SMALL, **params}).learn(X, y)


@pytest.fixture(autouse=True)
def fixed_seeds():
    """Seed NumPy's global generator, from which estimators without a random_state draw."""
    np.random.seed(0)


@pytest.fixture(scope="session")
def real_data():
    """Give the path of a file of real data."""

    def find(name):
        path = DATA / name
        if not path.exists():
            pytest.skip(f"real data are missing: {path} (set BUDGETRS_DATA to their folder)")
        return path

    return find


@pytest.fixture(scope="session")
def dask_client():
    """Keep two Dask workers for all tests: in threads, with messages between them as between processes."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def mortal_workers():
    """Keep two Dask workers in processes, and start others in the place of those that are killed.

    Dask starts a worker again that is killed, but not where that happens while it starts; then another one
    is started here.
    """
    from distributed import Client, LocalCluster

    ended = threading.Event()

    def keep_two(client):
        missing = 0
        while not ended.wait(0.5):
            missing = missing + 1 if len(client.nthreads()) < 2 else 0
            if missing == 10:
                client.cluster.scale(len(client.cluster.workers) + 1)
                missing = 0

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        keeper = threading.Thread(target=keep_two, args=(client,), daemon=True)
        keeper.start()
        yield client
        ended.set()
        keeper.join()
