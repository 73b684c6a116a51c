"""Load for a service on this machine: a stream that drifts, with labels that arrive later.

Prints requests per second, latencies, errors and what the service says of itself, and draws the accuracy of
the answers over time. Run it with ``python -m examples.service.load``.
"""

from __future__ import annotations

import argparse
import ipaddress
import threading
import time
from collections import Counter, deque
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np

MOST_ROWS, MOST_SECONDS, MOST_CLIENTS = 1_000_000, 3600.0, 64
NAMES = [f"x{j}" for j in range(10)]
WINDOW = 500  # rows of the accuracy in the picture
SHOWN = (
    "log_position",
    "rows_learned_total",
    "served_labels_total",
    "served_mistakes_total",
    "model_progressive_error_ratio",
    "model_drifts",
    "model_support_vectors",
    "queued_labels",
)


class Load:
    """Rows, the labels on their way, and what was measured; used by the threads of all clients."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.rng = np.random.default_rng(given.seed)
        self.lock = threading.Lock()
        self.row = 0
        self.labels: deque[tuple[str, str]] = deque()
        self.right: dict[int, bool] = {}
        self.seconds: dict[str, list[float]] = {"/predict": [], "/label": []}
        self.errors: Counter[str] = Counter()
        self.start = time.monotonic()

    def next_row(self) -> tuple[int, dict[str, float], str] | None:
        """Return a row and its label, which changes its meaning at each drift; None at the end."""
        with self.lock:
            at, given = self.row, self.given
            if at == given.rows or time.monotonic() - self.start > given.seconds:
                return None
            self.row += 1
            x = self.rng.uniform(-1, 1, len(NAMES)).tolist()
        if given.rate:
            time.sleep(max(0.0, self.start + at / given.rate - time.monotonic()))
        is_yes = (x[0] * x[1] > 0) != (at // given.drift_every % 2 == 1)
        return at, dict(zip(NAMES, x, strict=True)), "yes" if is_yes else "no"

    def ask(self, client: httpx.Client, path: str, body: dict) -> dict | None:
        """Post a request; a service that is busy is asked again."""
        for _ in range(10):
            start = time.perf_counter()
            try:
                answer = client.post(path, json=body)
            except httpx.HTTPError as error:
                self.errors[type(error).__name__] += 1
                return None
            self.seconds[path].append(time.perf_counter() - start)
            if answer.status_code == 200:
                return answer.json()
            self.errors[str(answer.status_code)] += 1
            if answer.status_code != 503:
                return None
            time.sleep(float(answer.headers["Retry-After"]))
        return None

    def run(self) -> None:
        """Predict rows, and send the label of the row that is `delay` rows back."""
        with httpx.Client(base_url=self.given.url, timeout=30, trust_env=False) as client:
            while (new := self.next_row()) and self.errors.total() < 1000:
                at, features, label = new
                answer = self.ask(client, "/predict", {"rows": [features]})
                if answer:
                    (prediction,) = answer["predictions"]
                    self.right[at] = prediction["label"] == label
                    self.labels.append((prediction["id"], label))
                with self.lock:
                    due = self.labels.popleft() if len(self.labels) > self.given.delay else None
                if due:
                    self.ask(client, "/label", {"id": due[0], "label": due[1]})


def get(url: str) -> httpx.Response:
    try:
        return httpx.get(url, timeout=30, trust_env=False).raise_for_status()
    except httpx.HTTPError as error:
        raise SystemExit(f"no answer from {url}: {error}; is the service running?") from None


def own_metrics(url: str) -> dict[str, float]:
    lines = get(f"{url}/metrics").text.splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def draw(load: Load, path: Path) -> None:
    from matplotlib.figure import Figure

    right = np.array([load.right[at] for at in sorted(load.right)], float)
    if len(right) < WINDOW:
        raise SystemExit(f"a picture needs {WINDOW} answers, got {len(right)}")
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    recent = np.convolve(right, np.full(WINDOW, 1 / WINDOW), mode="valid")
    axes.plot(np.arange(len(recent)) + WINDOW, 100 * recent, color="#d1662a", lw=2)
    for drift in range(load.given.drift_every, load.row, load.given.drift_every):
        axes.axvline(drift, color="0.6", ls=":")
    axes.set(xlabel="rows", ylabel=f"accuracy of the last {WINDOW} answers (%)", ylim=(0, 100))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def report(load: Load, before: dict[str, float]) -> None:
    took = time.monotonic() - load.start
    given = load.given
    print(f"{given.clients} clients, {load.row:,} rows, labels {given.delay:,} rows later, {took:.1f} s")
    for path, seconds in load.seconds.items():
        if seconds:
            p50, p99 = 1000 * np.quantile(seconds, [0.5, 0.99])
            rate = len(seconds) / took
            print(f"{path}: {len(seconds):,} requests, {rate:,.0f}/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms")
    print(f"errors: {dict(load.errors) or 'none'}")
    if load.right:
        print(f"accuracy of the answers: {np.mean(list(load.right.values())):.1%}")
    after = own_metrics(load.given.url)
    for name in SHOWN:
        print(f"service_{name}: {after.get(f'service_{name}', 0):g}")
    memory = "process_resident_memory_bytes"
    if memory in after:  # on Linux
        print(f"memory of the service: {before[memory] / 1e6:.1f} MB, then {after[memory] / 1e6:.1f} MB")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m examples.service.load", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="of this machine (%(default)s)")
    parser.add_argument("--rows", type=int, default=10_000, help="%(default)s, at most one million")
    parser.add_argument("--seconds", type=float, default=60.0, help="%(default)s, at most one hour")
    parser.add_argument("--clients", type=int, default=4, help="%(default)s, at most 64")
    parser.add_argument("--delay", type=int, default=200, help="rows before a label arrives (%(default)s)")
    parser.add_argument("--drift-every", type=int, default=5_000, help="rows between drifts (%(default)s)")
    parser.add_argument("--rate", type=float, help="rows per second (as many as possible)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", type=Path, help="a file for the accuracy over time")
    given = parser.parse_args()
    address = urlsplit(given.url)
    host = "127.0.0.1" if address.hostname == "localhost" else address.hostname or ""
    try:
        is_local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = False
    if not is_local or address.scheme != "http":
        parser.error(f"--url must be http:// and an address of this machine, got {given.url!r}")
    for name, most in (("rows", MOST_ROWS), ("seconds", MOST_SECONDS), ("clients", MOST_CLIENTS)):
        if not 0 < getattr(given, name) <= most:
            parser.error(f"--{name} must be between 1 and {most:g}, got {getattr(given, name):g}")
    if given.delay < 0 or given.drift_every < 1 or (given.rate is not None and given.rate <= 0):
        parser.error("--delay must be at least 0, --drift-every at least 1, --rate above 0")
    return given


def main() -> None:
    load = Load(arguments())
    features = get(f"{load.given.url}/model").json()["features"]
    if features not in ([], NAMES):
        raise SystemExit(
            f"the service has learned the features {features[:3]}: start a new one in another folder"
        )
    before = own_metrics(load.given.url)
    clients = [threading.Thread(target=load.run) for _ in range(load.given.clients)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    report(load, before)
    if load.given.picture:
        draw(load, load.given.picture)


if __name__ == "__main__":
    main()
