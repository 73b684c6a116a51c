"""Workers and the process that learns are killed at random times: no row is lost, and no file is left."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial

import numpy as np
import pandas as pd
import pytest
from distributed.scheduler import KilledWorker

import budgetrs
import budgetrs.dask
import dask
from budgetrs import Classifier

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed as Unix does it"),
]
KILLS, PARTS = 20, 24
SMALL = Classifier("bsgd-merge", budget=10)


def load(number):
    """Load a partition, slowly."""
    time.sleep(0.2)
    rng = np.random.default_rng(number)
    part = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc")).assign(user=rng.integers(0, 20, 400))
    return part.assign(y=(part.a * part.b > 0))


def delayed_parts():
    return [dask.delayed(load, pure=False)(number) for number in range(PARTS)]


@contextmanager
def kills(client, count):
    """Kill workers at random times, and yield a function that tells whether some are left to kill."""
    draw, left, ended = random.Random(0), [count], threading.Event()

    def run():
        while left[0] and not ended.wait(draw.uniform(0.2, 3)):
            if len(workers := sorted(client.nthreads())) == 2:
                try:
                    (pid,) = client.run(os.getpid, workers=[draw.choice(workers)]).values()
                except OSError:  # it ended by itself
                    continue
                os.kill(pid, signal.SIGKILL)
                left[0] -= 1

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield lambda: left[0] > 0
    ended.set()
    thread.join()


def test_workers_that_load(mortal_workers, tmp_path):
    learn = partial(budgetrs.dask.learn, Classifier(budget=20), y="y", client=mortal_workers)
    expected = Classifier(budget=20)
    for number in range(PARTS):
        expected.learn(load(number).drop(columns="y"), load(number).y)
    runs = 0
    with kills(mortal_workers, KILLS) as are_left:
        while are_left():
            while True:
                try:
                    model = learn(delayed_parts(), checkpoint_dir=tmp_path / str(runs), checkpoint_rows=1000)
                    break
                except KilledWorker:  # a partition was lost four times: continue from the checkpoint
                    continue
            assert model.to_bytes() == expected.to_bytes()
            (file,) = (tmp_path / str(runs)).iterdir()
            assert file.name.startswith(f"partitions-{PARTS:08}-of-{PARTS}-")
            runs += 1


def test_workers_that_learn_by_key(mortal_workers, tmp_path):
    expected = budgetrs.KeyedModels(SMALL, key="user")
    for number in range(PARTS):
        expected.learn(load(number).drop(columns="y"), load(number).y)
    runs = 0
    with kills(mortal_workers, KILLS) as are_left:
        while are_left():
            folder = tmp_path / str(runs)
            models = budgetrs.dask.KeyedModels(folder, SMALL, key="user", n_shards=3, client=mortal_workers)
            while (done := models.n_partitions_seen_) < PARTS:
                try:
                    models.learn(delayed_parts()[done:], "y", partitions_per_step=6)
                except KilledWorker:
                    continue
            assert sorted(models) == sorted(expected)
            assert all(models[key].to_bytes() == expected[key].to_bytes() for key in expected)
            names = {path.name for path in folder.iterdir()}
            assert len(names) == 3 + 1 + 2, names  # shards, models without keys, template and state
            runs += 1


PROGRAM = """
import sys
from distributed import Client
from test_killed import Classifier, budgetrs, delayed_parts
with Client(sys.argv[1]) as client:
    model = budgetrs.dask.learn(
        Classifier(budget=20), delayed_parts(), "y", checkpoint_dir=sys.argv[2], checkpoint_rows=1000
    )
    model.save(sys.argv[3])
"""


def test_the_process_that_learns(mortal_workers, tmp_path):
    expected = Classifier(budget=20)
    for number in range(PARTS):
        expected.learn(load(number).drop(columns="y"), load(number).y)
    draw, killed, folder = random.Random(0), 0, tmp_path / "run"
    paths = os.pathsep.join([os.path.dirname(__file__), *sys.path])  # noqa: PTH120
    arguments = [mortal_workers.scheduler.address, str(folder), str(tmp_path / "model")]
    while True:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments], env={**os.environ, "PYTHONPATH": paths}
        )
        try:
            # Imports take two seconds.
            assert process.wait(timeout=draw.uniform(3, 9)) == 0
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            killed += 1
            assert len(list(folder.iterdir() if folder.exists() else [])) <= 2
    assert killed >= 1
    assert budgetrs.Classifier.load(tmp_path / "model").to_bytes() == expected.to_bytes()
    assert len(list(folder.iterdir())) == 1
