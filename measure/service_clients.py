"""Clients of the example service: a stream of rows, the values of its metrics, and a load of requests."""

from __future__ import annotations

import collections
import contextlib
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from .service_process import Service

FEATURES = 10
LATE = 20  # rows that wait for their label beside the load
RATE = 50  # predictions a second, and labels
SCRAPE_SECONDS = 0.2
TICK_SECONDS = 0.01
MEMORY = Path("/dev/shm")  # files in it: nobody waits for the disk


def stream(rows: int, drift: int = 0, seed: int = 0) -> Iterator[tuple[dict[str, float], str]]:
    """Yield rows with their labels, which are exchanged every `drift` rows."""
    for at, row in enumerate(np.random.default_rng(seed).uniform(-1, 1, (rows, FEATURES)).tolist()):
        is_yes = (row[0] * row[1] > 0) != bool(drift and at // drift % 2)
        yield {f"x{j}": value for j, value in enumerate(row)}, "yes" if is_yes else "no"


def values(text: str) -> dict[str, float]:
    """Return the samples of a scrape by name and labels."""
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


def served(scrape: dict[str, float], what: str) -> float:
    """Return the count of "labels" or "mistakes" of the answers that all champions gave."""
    found = (name for name in scrape if name.startswith(f"service_served_{what}_total"))
    return sum(scrape[name] for name in found if 'role="champion"' in name)


def read(path: Path, query: str) -> list[tuple]:
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.text_factory = lambda text: text.decode(errors="replace")  # of damaged rows
        return file.execute(query).fetchall()


class Load:
    """Predictions, labels and probes from three clients while a ``with`` block does something to the service.

    At the end it compares what the clients were told with the files of the service.
    """

    def __init__(self, service: Service, folder: Path) -> None:
        self.service, self.folder = service, folder
        self.rows: dict[str, tuple[dict[str, float], str]] = {}  # by id
        self.wrong: dict[str, bool] = {}  # of answers that had a label
        self.pending: collections.deque[str] = collections.deque()
        self.acknowledged: dict[str, int] = {}
        self.slowest: dict[str, float] = collections.defaultdict(float)
        self.failed: collections.Counter[str] = collections.Counter()
        self.readiness: list[int] = []
        self.fallen: set[str] = set()
        self.scrape: dict[str, float] = {}
        self.stalled = 0.0  # seconds in which this process stood still, because of the machine
        self._stop = threading.Event()
        jobs = (self._predict, self._label, self._probe)
        self._threads = [threading.Thread(target=self._run, args=(job,)) for job in jobs]
        self._threads.append(threading.Thread(target=self._tick))

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        with self.service.client() as client:  # a scrape that has all labels
            self._probe(client, None)
        log = dict(read(self.folder / "log.db", "SELECT id, position FROM log"))
        waiting = {id_ for (id_,) in read(self.folder / "waiting.db", "SELECT id FROM waiting")}
        self.lost = sum(log.get(id_) != position for id_, position in self.acknowledged.items())
        self.deleted = sum(id_ not in waiting for id_ in self.pending)

    def label(self, client: httpx.Client, id_: str) -> dict[str, Any] | None:
        """Send a label; return the result, or None if the request failed."""
        body = {"labels": [{"id": id_, "label": self.rows[id_][1]}]}
        answer = self._ask(client, "POST", "/labels", json=body)
        return answer and answer.json()["results"][0]

    def _run(self, job: Any) -> None:
        period = SCRAPE_SECONDS if job == self._probe else 1 / RATE
        with self.service.client() as client:
            rows = stream(1_000_000 if job == self._predict else 1)
            while not self._stop.is_set():
                start = time.monotonic()
                job(client, rows)
                time.sleep(max(0.0, start + period - time.monotonic()))

    def _tick(self) -> None:
        while not self._stop.is_set():
            start = time.monotonic()
            time.sleep(TICK_SECONDS)
            self.stalled += max(0.0, time.monotonic() - start - 2 * TICK_SECONDS)

    def _predict(self, client: httpx.Client, rows: Iterator[tuple[dict[str, float], str]]) -> None:
        row, label = next(rows)
        if answer := self._ask(client, "POST", "/predict", json={"rows": [row]}):
            (prediction,) = answer.json()["predictions"]
            self.rows[prediction["id"]] = row, label
            if prediction["label"] is not None:
                self.wrong[prediction["id"]] = prediction["label"] != label
            self.pending.append(prediction["id"])

    def _label(self, client: httpx.Client, _: object) -> None:
        if len(self.pending) > LATE:
            result = self.label(client, id_ := self.pending.popleft())
            if result and "position" in result:
                self.acknowledged[id_] = result["position"]
                return
            if result:
                self.failed[f"label {result['status']}"] += 1
            self.pending.append(id_)  # sent again later

    def _probe(self, client: httpx.Client, _: object) -> None:
        if answer := self._ask(client, "GET", "/metrics"):
            new = values(answer.text)
            self.fallen |= {x for x in self.scrape if "_total" in x and new.get(x, 0) < self.scrape[x]}
            self.scrape = new
        self._ask(client, "GET", "/livez")
        self._ask(client, "GET", "/readyz")

    def _ask(self, client: httpx.Client, method: str, path: str, **more: Any) -> httpx.Response | None:
        start, stalled, status, answer = time.perf_counter(), self.stalled, "no answer", None
        with contextlib.suppress(httpx.HTTPError):
            answer = client.request(method, path, **more)
            status = str(answer.status_code)
        took = time.perf_counter() - start
        if took > self.slowest[path]:
            time.sleep(5 * TICK_SECONDS)  # until the last tick is counted
            self.slowest[path] = max(self.slowest[path], took - (self.stalled - stalled))
        if path == "/readyz":
            self.readiness.append(answer.status_code if answer else 0)
        elif status != "200":
            self.failed[f"{path} {status}"] += 1
        return answer if status == "200" else None


def waiting_rows(folder: Path, n: int, age: float) -> None:
    """Add rows that wait for their label to an empty folder, predicted `age` seconds ago."""
    with Service(folder) as service:
        service.end()
    row = json.dumps({f"x{j}": 0.123456789 * j for j in range(FEATURES)})
    with contextlib.closing(sqlite3.connect(folder / "waiting.db")) as file, file:
        rows = ((f"old {at}", time.time() - age, row, "[]") for at in range(n))
        file.executemany("INSERT INTO waiting VALUES (?, ?, ?, ?, 0.0)", rows)
        file.execute("UPDATE state SET clock = ?", (age,))
