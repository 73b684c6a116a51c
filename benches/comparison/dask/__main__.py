"""Scoring and learning on Dask workers, processes of this machine, beside one process.

    python -m benches.comparison.dask    # scores 20 million rows, learns 100 partitions of Parquet: minutes
    python -m benches.comparison.dask --rows 1e6 --learn-rows 2e5 --kills 5

Scoring: rows per second on 1 and 2 workers of one thread each, the peak resident memory of a worker, and
whether the predictions equal local ones. Workers generate the rows, partition by partition, and return a
digest of the predictions. Learning: a folder of Parquet files, by a loop in this process, then on 2 workers;
with `--kills`, workers are killed at random times, the learner's and the other one in turn.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from benches.comparison.kept import Shown
from benches.comparison.memory import peak_memory
from distributed import Client, LocalCluster

import budgetrs.dask
from budgetrs import Classifier

FEATURES = 20
CHUNK = 100_000


def rows_of(number: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A partition, which depends on its number only: six classes, decided by three of the features."""
    rng = np.random.default_rng(number)
    X = rng.normal(size=(rows, FEATURES)).astype(np.float32)
    y = (np.floor(X[:, 0]) + 3 * (X[:, 1] * X[:, 2] > 0)) % 6
    return X, y.astype(np.int64)


def made(block_info: Any = None) -> np.ndarray:
    """One chunk of the array that is scored."""
    place = block_info[None]
    return rows_of(place["chunk-location"][0], place["chunk-shape"][0])[0]


def digest_of(block: np.ndarray) -> np.ndarray:
    """The digest of one chunk of predictions, as an array of one."""
    return np.array([hashlib.sha256(np.ascontiguousarray(block)).hexdigest()])


def peaks(client: Client) -> str:
    """The highest resident memory of each worker so far."""
    found = client.run(lambda: peak_memory(os.getpid()))
    return ", ".join(f"{peak:,.0f} MB" for peak in found.values())


def cluster(workers: int) -> LocalCluster:
    return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0)


def score(show: Shown, rows: int, budget: int) -> None:
    """Print the table of scoring."""
    X, y = rows_of(10**6, 50_000)
    model = Classifier(budget=budget).learn(X, y)
    chunks = (tuple(min(CHUNK, rows - start) for start in range(0, rows, CHUNK)), (FEATURES,))
    collection = da.map_blocks(made, chunks=chunks, dtype=np.float32, meta=np.empty((0, 0), np.float32))
    model.n_jobs = 1
    began = time.perf_counter()
    expected = [digest_of(model.predict(rows_of(at, size)[0]))[0] for at, size in enumerate(chunks[0])]
    local = time.perf_counter() - began
    show(f"scoring {rows:,} rows of {FEATURES} features, budget {budget}, {os.cpu_count()} processors")
    show("| where | rows/s | of 1 worker | bits | peak memory of each worker |")
    show("|---|---:|---:|---|---|")
    show(f"| one thread, no Dask | {rows / local:,.0f} | | | |")
    first = 0.0
    for workers in (1, 2):
        with cluster(workers) as local_cluster, Client(local_cluster) as client:
            predicted = budgetrs.dask.predict(model, collection)
            digests = predicted.map_blocks(digest_of, dtype="<U64", chunks=((1,) * len(chunks[0]),))
            # A warm-up: workers import, and have the model.
            digests[: 2 * workers].compute()
            began = time.perf_counter()
            found = digests.compute()
            seconds = time.perf_counter() - began
            first = first or seconds
            same = "equal" if found.tolist() == expected else "NOT EQUAL"
            where = f"{workers} worker{'s'[: workers - 1]}"
            ratio = f"{first / seconds:.2f}"
            show(f"| {where} | {rows / seconds:,.0f} | {ratio} | {same} | {peaks(client)} |")
    show()


def write(folder: Path, rows: int, partitions: int) -> None:
    for at in range(partitions):
        X, y = rows_of(at, rows // partitions)
        frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(FEATURES)]).assign(y=y)
        frame.to_parquet(folder / f"{at:04}.parquet", index=False)


def learned_locally(folder: Path, model: Classifier) -> tuple[Classifier, float, float]:
    """The model of a loop over the files; seconds of the loop, and of `learn` alone."""
    began, learning = time.perf_counter(), 0.0
    for path in sorted(folder.iterdir()):
        frame = pd.read_parquet(path)
        X = frame.drop(columns="y")
        start = time.perf_counter()
        model.learn(X, frame["y"])
        learning += time.perf_counter() - start
    return model, time.perf_counter() - began, learning


class Kills:
    """Kills workers at random times."""

    def __init__(self, client: Client, count: int, pause: float) -> None:
        self.client, self.left, self.pause, self.count = client, count, pause, 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Kills:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def label(self) -> Callable[[], str]:
        """Return the label of a run that begins now, with the number of workers killed until its end."""
        before = self.count
        return lambda: f"2 workers, {self.count - before} killed meanwhile"

    def _run(self) -> None:
        draw, alone = random.Random(0), 0
        while self.left and not self._stop.wait(draw.uniform(0.5, 1.5) * self.pause):
            workers = sorted(self.client.nthreads())
            if len(workers) < 2:
                # One that is killed just as it starts is not started again by Dask; then another one is.
                alone += 1
                if alone % 3 == 0:
                    self.client.cluster.scale(len(self.client.cluster.workers) + 1)
                continue
            alone = 0
            learners = self.client.run_on_scheduler(learner_of)
            others = [worker for worker in workers if worker not in learners]
            chosen = learners if self.left % 2 and learners else others
            pids = self.client.run(os.getpid, workers=chosen[:1])
            for pid in pids.values():
                os.kill(pid, signal.SIGKILL)
            self.left, self.count = self.left - 1, self.count + 1


def learner_of(dask_scheduler: Any) -> list[str]:
    """The worker that has the learner."""
    tasks = [task for key, task in dask_scheduler.tasks.items() if str(key).startswith("budgetrs-start")]
    return [state.address for task in tasks for state in task.who_has or ()]


def learn(show: Shown, rows: int, partitions: int, budget: int, kills: int) -> None:
    """Print the table of learning."""
    with tempfile.TemporaryDirectory() as name:
        folder, kept = Path(name) / "rows", Path(name) / "kept"
        folder.mkdir()
        write(folder, rows, partitions)
        expected, seconds, learning = learned_locally(folder, Classifier(budget=budget))
        show(f"learning {rows:,} rows in {partitions} Parquet files, budget {budget}")
        show("| where | rows/s | of the loop | of the learner alone | bits |")
        show("|---|---:|---:|---:|---|")
        show(f"| a loop, no Dask | {rows / seconds:,.0f} | 1.00 | {learning / seconds:.2f} | |")
        with cluster(2) as local_cluster, Client(local_cluster) as client:
            data = dd.read_parquet(folder)

            def run(what: Callable[[], str], **more: Any) -> None:
                began = time.perf_counter()
                model = budgetrs.dask.learn(Classifier(budget=budget), data, "y", client=client, **more)
                taken = time.perf_counter() - began
                same = "equal" if model.to_bytes() == expected.to_bytes() else "NOT EQUAL"
                share = f"{seconds / taken:.2f} | {learning / taken:.2f}"
                show(f"| {what()} | {rows / taken:,.0f} | {share} | {same} |")

            budgetrs.dask.learn(Classifier(), data.partitions[:2], "y", client=client)  # workers import
            run(lambda: "2 workers")
            run(lambda: "2 workers, a folder of checkpoints", checkpoint_dir=kept, checkpoint_rows=rows // 10)
            if kills:
                pause = 1.5 * learning / kills
                with Kills(client, kills, max(pause, 5.0)) as killer:
                    while killer.left:
                        run(killer.label(), checkpoint_rows=rows // 20)
                show(f"{killer.count} workers were killed")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benches.comparison.dask",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=float, default=20e6, metavar="N", help="to score (20e6)")
    parser.add_argument("--learn-rows", type=float, default=5e6, metavar="N", help="to learn (5e6)")
    parser.add_argument("--partitions", type=int, default=100, metavar="N", help="to learn (100)")
    parser.add_argument("--budget", type=int, default=200, metavar="B", help="(200)")
    parser.add_argument(
        "--kills", type=int, default=0, metavar="N", help="workers to kill while learning (0)"
    )
    parser.add_argument(
        "--keep", action="store_true", help="write what is printed to benches/comparison/results"
    )
    options = parser.parse_args()
    show = Shown()
    if options.rows:
        score(show, int(options.rows), options.budget)
    if options.learn_rows:
        learn(show, int(options.learn_rows), options.partitions, options.budget, options.kills)
    if options.keep:
        show.keep("dask")


if __name__ == "__main__":
    main()
