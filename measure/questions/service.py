"""Requests per second of the example service, beside a model that returns a constant; labels a second."""

import json
import os
import shutil
import socket
import statistics
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from ..cells import Options, Output
from ..service_process import CONSTANT, Service

FEATURES, LABELS = 10, 100  # labels per second, while learning
SETTINGS = [(clients, learns) for clients in (1, 16) for learns in (False, True)]
OPTIONS = {
    "starts": (10, "starts of both services"),
    "rounds": (2, "rounds of each setting and start"),
    "seconds": (0.7, "seconds of one measurement"),
    "learned": (1_500, "rows learned before the measurement"),
}
QUICK = {"starts": 1, "rounds": 1, "seconds": 0.3, "learned": 100}


class Connection:
    """One connection that is kept open."""

    def __init__(self, service: Service) -> None:
        self.socket = socket.create_connection(("127.0.0.1", int(service.url.rpartition(":")[2])))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, path: str, body: bytes) -> bytes:
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        self.socket.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._receive()
        head_received, _, content = received.partition(b"\r\n\r\n")
        length = int(head_received.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(content) < length:
            content += self._receive()
        if not received.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(received.decode())
        return content

    def _receive(self) -> bytes:
        received = self.socket.recv(65_536)
        if not received:
            raise RuntimeError("the service closed the connection")
        return received


class Stream:
    """Rows of numbers whose label is the sign of a product."""

    def __init__(self, seed: int) -> None:
        rows = np.random.default_rng(seed).uniform(-1, 1, (2_000, FEATURES))
        self.labels = ["yes" if row[0] * row[1] > 0 else "no" for row in rows]
        self.bodies = [
            json.dumps({"rows": [{f"x{j}": value for j, value in enumerate(row)}]}).encode()
            for row in rows.tolist()
        ]

    def teach(self, connection: Connection, at: int) -> None:
        at %= len(self.bodies)
        answer = json.loads(connection.post("/predict", self.bodies[at]))
        label = {"id": answer["predictions"][0]["id"], "label": self.labels[at]}
        connection.post("/labels", json.dumps({"labels": [label]}).encode())


def processor_seconds(service: Service) -> float:
    fields = Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(service: Service, stream: Stream, clients: int, learns: bool, seconds: float) -> dict[str, float]:
    """Send predictions for some seconds: requests per second, latencies, microseconds of the processor."""
    stop = threading.Event()
    latencies: list[list[float]] = [[] for _ in range(clients)]

    def predict(own: list[float], connection: Connection, at: int) -> None:
        while not stop.is_set():
            start = time.perf_counter()
            connection.post("/predict", stream.bodies[at % len(stream.bodies)])
            own.append(time.perf_counter() - start)
            at += 1

    def teach(connection: Connection) -> None:
        start, at = time.perf_counter(), 0
        while not stop.is_set():
            stream.teach(connection, at)
            at += 1
            time.sleep(max(0.0, start + at / LABELS - time.perf_counter()))

    threads = [
        threading.Thread(target=predict, args=(own, Connection(service), 100 * at))
        for at, own in enumerate(latencies)
    ]
    if learns:
        threads.append(threading.Thread(target=teach, args=(Connection(service),)))
    before, start = processor_seconds(service), time.perf_counter()
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    took, used = time.perf_counter() - start, processor_seconds(service) - before
    all_latencies = np.concatenate(latencies)
    p50, p99 = 1e3 * np.quantile(all_latencies, [0.5, 0.99])
    n = len(all_latencies)
    return {"rate": n / took, "p50": p50, "p99": p99, "processor": 1e6 * used / n}


def label_rate(service: Service, stream: Stream, batch: int, labels: int) -> float:
    """Labels per second of one client, in requests of `batch` labels whose rows wait already."""
    connection, ids = Connection(service), []
    rows = [json.loads(body)["rows"][0] for body in stream.bodies]
    while len(ids) < labels:
        some = json.dumps({"rows": [rows[at % len(rows)] for at in range(len(ids), len(ids) + 250)]})
        answer = json.loads(connection.post("/predict", some.encode()))
        ids += [prediction["id"] for prediction in answer["predictions"]]
    pairs = [{"id": ids[at], "label": stream.labels[at % len(rows)]} for at in range(labels)]
    bodies = [json.dumps({"labels": pairs[at : at + batch]}).encode() for at in range(0, labels, batch)]
    start = time.perf_counter()
    for body in bodies:
        connection.post("/labels", body)
    return labels / (time.perf_counter() - start)


def line(clients: int, learns: bool, pairs: list[list[dict[str, float]]]) -> str:
    """The medians of both, and the medians of the ratios."""
    text = f"{clients:>7}{'yes' if learns else 'no':>8}"
    for i in (0, 1):
        rate, p50, p99, processor = (
            statistics.median(pair[i][name] for pair in pairs) for name in pairs[0][0]
        )
        text += f"{rate:>7,.0f}{p50:>8.2f}{p99:>8.2f}{processor:>7,.0f}   "
    ratios = (statistics.median(a[name] / b[name] for a, b in pairs) for name in ("rate", "processor"))
    return text + "".join(f"{ratio:>9.3f}" for ratio in ratios)


def main(options: Options, output: Output) -> None:
    stream, pairs, rates = Stream(0), {setting: [] for setting in SETTINGS}, []
    with tempfile.TemporaryDirectory() as name:
        learned = Path(name, "learned")
        with Service(learned) as service:
            connection = Connection(service)
            for at in range(options.learned):
                stream.teach(connection, at)
            service.end()
        for start in range(options.starts):
            folders = [Path(name, f"{kind}-{start}") for kind in ("model", "constant")]
            for folder in folders:
                shutil.copytree(learned, folder)
            with Service(folders[0]) as model, Service(folders[1], CONSTANT) as constant:
                for setting, found in pairs.items():
                    for at in range(options.rounds):
                        order = (model, constant)[:: 1 if at % 2 else -1]
                        two = {s: measure(s, stream, *setting, options.seconds) for s in order}
                        found.append([two[model], two[constant]])
                # Many labels in a batch, so that each commit has the same share of the disk.
                rates.append([label_rate(model, stream, 256, 5_120), label_rate(model, stream, 1, 256)])
    about = f"/predict, one row of {FEATURES} features, {options.learned:,} rows learned, budget 100"
    output(f"{about}; {LABELS} labels")
    rounds = f"{options.starts} starts x {options.rounds} rounds of {options.seconds:g} s"
    output(f"per second if it learns; {rounds}\n")
    output(f"{'':15}{'model':>30}   {'constant':>30}   {'model / constant':>18}")
    columns = f"{'req/s':>7}{'p50 ms':>8}{'p99 ms':>8}{'cpu':>7}"
    output(f"{'clients':>7}{'learn':>8}{columns}   {columns}   {'req/s':>9}{'cpu':>9}")
    for setting, found in pairs.items():
        output(line(*setting, found))
    output("\ncpu: microseconds of the service's processor time per request\n")
    many, single = (statistics.median(pair[i] for pair in rates) for i in (0, 1))
    ratio = statistics.median(a / b for a, b in rates)
    output(
        f"labels per second of one client: {single:,.0f} in single requests, {many:,.0f} in batches of 256,"
    )
    output(f"{ratio:.1f} times as many (median of {options.starts} pairs)")
