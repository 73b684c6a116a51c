"""What budgetrs costs in the example service: requests per second beside a model that returns a constant.

The load goes to both services in turn. The ratios compare neighbours in time; the table has their medians.
Two processes of one program differ by up to 10%, so both are started several times. The clients are sockets
of this process, which cost less than an HTTP library.
"""

from __future__ import annotations

import argparse
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

from ..kept import Shown
from .running import Service

FEATURES = 10
LEARNED = 1_500  # rows before the measurement
LABELS = 100  # per second, while learning
SETTINGS = [(clients, learns) for clients in (1, 16) for learns in (False, True)]
CONSTANT = "benches.comparison.service.constant"


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
            received += self.some()
        head_received, _, content = received.partition(b"\r\n\r\n")
        length = int(head_received.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(content) < length:
            content += self.some()
        if not received.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(received.decode())
        return content

    def some(self) -> bytes:
        got = self.socket.recv(65_536)
        if not got:
            raise RuntimeError("the service closed the connection")
        return got


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
        connection.post("/label", json.dumps(label).encode())


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


def compare(folder: Path, stream: Stream, rounds: int, seconds: float) -> list[list[dict[str, float]]]:
    """Start both services and measure each setting of SETTINGS: the model and the constant in turn."""
    folders = [folder.with_name("model"), folder.with_name("constant")]
    for one in folders:
        shutil.copytree(folder, one)
    with Service(folders[0]) as model, Service(folders[1], CONSTANT) as constant:
        found = []
        for clients, learns in SETTINGS:
            for at in range(rounds):
                both = {}
                for of in (0, 1) if at % 2 else (1, 0):
                    both[of] = measure((model, constant)[of], stream, clients, learns, seconds)
                found.append([both[0], both[1]])
    for one in folders:
        shutil.rmtree(one)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.comparison.service", description=__doc__)
    parser.add_argument("--starts", type=int, default=10, help="of both services (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="of each setting and start (%(default)s)")
    parser.add_argument("--seconds", type=float, default=0.7, help="of one measurement (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="write the output to benches/comparison/results")
    given = parser.parse_args()
    shown, stream = Shown(), Stream(0)
    found: list[list[list[dict[str, float]]]] = [[] for _ in SETTINGS]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "learned")
        with Service(folder) as service:
            connection = Connection(service)
            for at in range(LEARNED):
                stream.teach(connection, at)
            service.end()
        for _ in range(given.starts):
            pairs = compare(folder, stream, given.rounds, given.seconds)
            for at, pair in enumerate(pairs):
                found[at // given.rounds].append(pair)
    shown(f"/predict, one row of {FEATURES} features, {LEARNED:,} rows learned, budget 100; {LABELS} labels")
    shown(f"per second if it learns; {given.starts} starts x {given.rounds} rounds of {given.seconds:g} s")
    shown()
    shown(f"{'':15}{'model':>30}   {'constant':>30}   {'model / constant':>18}")
    columns = f"{'req/s':>7}{'p50 ms':>8}{'p99 ms':>8}{'cpu':>7}"
    shown(f"{'clients':>7}{'learn':>8}{columns}   {columns}   {'req/s':>9}{'cpu':>9}")
    for (clients, learns), pairs in zip(SETTINGS, found, strict=True):
        shown(line(clients, learns, pairs))
    shown()
    shown("cpu: microseconds of the service's processor time per request")
    if given.keep:
        shown.keep("service")


def line(clients: int, learns: bool, rounds: list[list[dict[str, float]]]) -> str:
    def median(of: int, name: str) -> float:
        return statistics.median(both[of][name] for both in rounds)

    def ratio(name: str) -> float:
        return statistics.median(both[0][name] / both[1][name] for both in rounds)

    text = f"{clients:>7}{'yes' if learns else 'no':>8}"
    for of in (0, 1):
        text += f"{median(of, 'rate'):>7,.0f}{median(of, 'p50'):>8.2f}{median(of, 'p99'):>8.2f}"
        text += f"{median(of, 'processor'):>7,.0f}   "
    return f"{text}{ratio('rate'):>9.3f}{ratio('processor'):>9.3f}"


if __name__ == "__main__":
    main()
