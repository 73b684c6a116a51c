"""Scoring and learning on Dask workers, processes of this machine, compared with one process."""

import hashlib
import os
import random
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

import budgetrs.dask
from budgetrs import Classifier

from ..cells import Options, Output
from ..clock import peak_memory, seconds

FEATURES, CHUNK = 20, 100_000
OPTIONS = {
    "rows": (20_000_000, "rows to score"),
    "learn_rows": (5_000_000, "rows to learn"),
    "partitions": (100, "files to learn"),
    "budget": (200, "support vectors"),
    "kills": (0, "workers to kill while learning"),
}
QUICK = {"rows": 400_000, "learn_rows": 100_000, "partitions": 10, "kills": 1}


def rows_of(number: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A partition, which depends on its number only: six classes, decided by three of the features."""
    X = np.random.default_rng(number).normal(size=(rows, FEATURES)).astype(np.float32)
    return X, ((np.floor(X[:, 0]) + 3 * (X[:, 1] * X[:, 2] > 0)) % 6).astype(np.int64)


def made(block_info: Any = None) -> np.ndarray:
    """One chunk of the array that is scored."""
    place = block_info[None]
    return rows_of(place["chunk-location"][0], place["chunk-shape"][0])[0]


def digest_of(block: np.ndarray) -> np.ndarray:
    return np.array([hashlib.sha256(np.ascontiguousarray(block)).hexdigest()])


def cluster(workers: int) -> LocalCluster:
    return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0)


def score(output: Output, rows: int, budget: int) -> None:
    model = Classifier(budget=budget).learn(*rows_of(10**6, 50_000))
    chunks = (tuple(min(CHUNK, rows - start) for start in range(0, rows, CHUNK)), (FEATURES,))
    collection = da.map_blocks(made, chunks=chunks, dtype=np.float32, meta=np.empty((0, 0), np.float32))
    model.n_jobs = 1
    began = time.perf_counter()
    expected = [digest_of(model.predict(rows_of(at, size)[0]))[0] for at, size in enumerate(chunks[0])]
    local, first = time.perf_counter() - began, 0.0
    output(f"scoring {rows:,} rows of {FEATURES} features, budget {budget}, {os.cpu_count()} processors")
    output("| where | rows/s | of 1 worker | bits | peak memory of each worker |")
    output("|---|---:|---:|---|---|")
    output(f"| one thread, no Dask | {rows / local:,.0f} | | | |")
    for workers in (1, 2):
        with cluster(workers) as local_cluster, Client(local_cluster) as client:
            predicted = budgetrs.dask.predict(model, collection)
            digests = predicted.map_blocks(digest_of, dtype="<U64", chunks=((1,) * len(chunks[0]),))
            digests[: 2 * workers].compute()  # workers import, and get the model
            began = time.perf_counter()
            same = "equal" if digests.compute().tolist() == expected else "NOT EQUAL"
            took = time.perf_counter() - began
            first = first or took
            peaks = ", ".join(f"{peak:,.0f} MB" for peak in client.run(peak_memory).values())
            where = f"{workers} worker{'s'[: workers - 1]}"
            output(f"| {where} | {rows / took:,.0f} | {first / took:.2f} | {same} | {peaks} |")
    output()


def kill(client: Client, kills: int, pause: float, killed: list[int]) -> None:
    """Kill workers at random times, and count them in a list of one number."""
    draw, alone = random.Random(0), 0
    while killed[0] < kills:
        time.sleep(draw.uniform(0.5, 1.5) * pause)
        workers = sorted(client.nthreads())
        alone = alone + 1 if len(workers) < 2 else 0
        if alone:
            if alone % 3 == 0:  # Dask does not restart a worker that is killed just as it starts
                client.cluster.scale(len(client.cluster.workers) + 1)
            continue
        for pid in client.run(os.getpid, workers=[draw.choice(workers)]).values():
            os.kill(pid, signal.SIGKILL)
        killed[0] += 1


def learn(output: Output, options: Options, folder: Path) -> None:
    rows, learning, killed = options.learn_rows, 0.0, [0]
    expected = Classifier(budget=options.budget)
    for at in range(options.partitions):
        X, y = rows_of(at, rows // options.partitions)
        frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(FEATURES)]).assign(y=y)
        frame.to_parquet(folder / f"{at:04}.parquet", index=False)
    began = time.perf_counter()
    for path in sorted(folder.iterdir()):
        frame = pd.read_parquet(path)
        learning += seconds(expected.learn, frame.drop(columns="y"), frame["y"], clock=time.perf_counter)
    loop = time.perf_counter() - began
    output(f"learning {rows:,} rows in {options.partitions} Parquet files, budget {options.budget}")
    output("| where | rows/s | of the loop | of the learner alone | bits |")
    output("|---|---:|---:|---:|---|")
    output(f"| a loop, no Dask | {rows / loop:,.0f} | 1.00 | {learning / loop:.2f} | |")
    with cluster(2) as local_cluster, Client(local_cluster) as client:
        data = dd.read_parquet(folder)
        budgetrs.dask.learn(Classifier(), data.partitions[:2], "y", client=client)  # workers import

        def run(where: str, **more: Any) -> None:
            before, began = killed[0], time.perf_counter()
            model = budgetrs.dask.learn(Classifier(budget=options.budget), data, "y", client=client, **more)
            took = time.perf_counter() - began
            same = "equal" if model.to_bytes() == expected.to_bytes() else "NOT EQUAL"
            share = f"{loop / took:.2f} | {learning / took:.2f}"
            where = where.format(killed[0] - before)
            output(f"| 2 workers{where} | {rows / took:,.0f} | {share} | {same} |")

        run("")
        kept = folder.with_name("checkpoints")
        run(", a folder of checkpoints", checkpoint_dir=kept, checkpoint_rows=rows // 10)
        if options.kills:
            given = (client, options.kills, max(1.5 * learning / options.kills, 5.0), killed)
            threading.Thread(target=kill, args=given, daemon=True).start()
            while killed[0] < options.kills:
                run(", {} killed meanwhile", checkpoint_rows=rows // 20)
            output(f"{killed[0]} workers were killed")


def main(options: Options, output: Output) -> None:
    score(output, options.rows, options.budget)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "rows"
        folder.mkdir()
        learn(output, options, folder)
