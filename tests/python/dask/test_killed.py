"""Workers and the learning process are killed at random times: no row is lost, and no file is left."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path

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
    return part.assign(y=part.a * part.b > 0)


def delayed_parts():
    return [dask.delayed(load, pure=False)(number) for number in range(PARTS)]


def learned(model):
    """Learn the partitions in a loop."""
    for number in range(PARTS):
        part = load(number)
        model.learn(part.drop(columns="y"), part.y)
    return model


@contextmanager
def kills(client):
    """Kill workers at random times, and yield a function that tells whether some are left to kill."""
    draw, left, ended = random.Random(0), [KILLS], threading.Event()

    def run():
        while left[0] and not ended.wait(draw.uniform(0.2, 3)):
            if len(workers := sorted(client.nthreads())) > 1:
                try:
                    (pid,) = client.run(os.getpid, workers=[draw.choice(workers)]).values()
                except OSError:  # it ended by itself
                    continue
                os.kill(pid, signal.SIGKILL)
                left[0] -= 1

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield lambda: left[0] > 0
    finally:
        ended.set()
        thread.join()


def learn_until_done(client, folder):
    """Learn, and again after Dask has given up a partition, which four workers did not survive."""
    while True:
        try:
            return budgetrs.dask.learn(
                Classifier(budget=20),
                delayed_parts(),
                "y",
                client=client,
                checkpoint_dir=folder,
                checkpoint_rows=1000,
            )
        except KilledWorker:
            continue


def test_workers_that_load(mortal_workers, tmp_path):
    expected, runs = learned(Classifier(budget=20)).to_bytes(), count()
    with kills(mortal_workers) as are_left:
        while are_left():
            folder = tmp_path / str(next(runs))
            assert learn_until_done(mortal_workers, folder).to_bytes() == expected
            (file,) = folder.iterdir()
            assert budgetrs.load(file).metadata["partitions"] == PARTS


def test_workers_that_learn_by_key(mortal_workers, tmp_path):
    expected, runs = learned(budgetrs.KeyedModels(SMALL, key="user")), count()
    with kills(mortal_workers) as are_left:
        while are_left():
            folder = tmp_path / str(next(runs))
            models = budgetrs.dask.KeyedModels(
                SMALL, key="user", folder=folder, n_shards=3, client=mortal_workers
            )
            while (done := models.n_partitions_seen_) < PARTS:
                try:
                    models.learn(delayed_parts()[done:], "y", partitions_per_step=6)
                except KilledWorker:
                    continue
            assert sorted(models) == sorted(expected)
            assert all(models[key].to_bytes() == expected[key].to_bytes() for key in expected)
            # The shards, the models without keys, the template and the state.
            assert len([*folder.iterdir()]) == 3 + 3


PROGRAM = """
import sys
from distributed import Client
from test_killed import learn_until_done
with Client(sys.argv[1]) as client:
    learn_until_done(client, sys.argv[2]).save(sys.argv[3])
"""


def test_the_process_that_learns(mortal_workers, tmp_path):
    expected, folder, draw, killed = learned(Classifier(budget=20)), tmp_path / "run", random.Random(0), 0
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    arguments = mortal_workers.scheduler.address, folder, tmp_path / "model"
    while True:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *map(str, arguments)], env={**os.environ, "PYTHONPATH": paths}
        )
        try:
            assert process.wait(timeout=draw.uniform(2.5, 5)) == 0  # imports take two seconds
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            killed += 1
    assert killed >= 1
    assert Classifier.load(tmp_path / "model").to_bytes() == expected.to_bytes()
    assert len([*folder.iterdir()]) == 1
