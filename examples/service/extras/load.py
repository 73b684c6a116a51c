"""Load for a service on this machine: a stream that drifts, with labels that arrive later.

Prints requests per second, latencies, errors and what the service says of itself. Run it with
``python -m examples.service.extras.load``.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections import Counter, deque
from urllib.parse import urlsplit

import httpx
import numpy as np

MOST = {"rows": 1_000_000, "seconds": 3600.0, "clients": 64}
SHOWN = (
    "served_",
    "rows_learned",
    "log_position",
    "queued_labels",
    "open_",
    "process_resident",
    "model_drifts",
)


class Load:
    """Rows, the labels on their way, and what was measured; used by the threads of all clients."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.rng, self.lock = given, np.random.default_rng(given.seed), threading.Lock()
        self.rows, self.right, self.start = 0, 0, time.monotonic()
        self.labels: deque[tuple[str, str]] = deque()
        self.seconds: dict[str, list[float]] = {"/predict": [], "/labels": []}
        self.errors: Counter[str] = Counter()

    def next_row(self) -> tuple[dict[str, float], str] | None:
        """Return a row and its label, which changes its meaning at each drift; None at the end."""
        with self.lock:
            at, given = self.rows, self.given
            if at >= given.rows or time.monotonic() - self.start > given.seconds:
                return None
            self.rows += 1
            x = self.rng.uniform(-1, 1, 10).tolist()
        if given.rate:
            time.sleep(max(0.0, self.start + at / given.rate - time.monotonic()))
        is_yes = (x[0] * x[1] > 0) != (at // given.drift_every % 2 == 1)
        return {f"x{j}": value for j, value in enumerate(x)}, "yes" if is_yes else "no"

    def ask(self, client: httpx.Client, path: str, body: dict) -> list[dict]:
        """Post a request; a service that is busy is asked again."""
        start = time.perf_counter()
        answer = client.post(path, json=body)
        self.seconds[path].append(time.perf_counter() - start)
        if answer.status_code == 200:
            (found,) = [value for value in answer.json().values() if isinstance(value, list)]
            self.errors.update(str(one["status"]) for one in found if "status" in one)
            return found
        self.errors[str(answer.status_code)] += 1
        if answer.status_code != 503 or self.errors.total() > 1000:
            answer.raise_for_status()
        time.sleep(float(answer.headers["Retry-After"]))
        return self.ask(client, path, body)

    def run(self) -> None:
        """Predict rows, and send the label of the row that is `delay` rows back."""
        with httpx.Client(base_url=self.given.url, timeout=30, trust_env=False) as client:
            while new := self.next_row():
                features, label = new
                (prediction,) = self.ask(client, "/predict", {"rows": [features]})
                self.right += prediction["label"] == label
                self.labels.append((prediction["id"], label))
                if len(self.labels) > self.given.delay + self.given.clients:
                    id_, label = self.labels.popleft()
                    self.ask(client, "/labels", {"labels": [{"id": id_, "label": label}]})

    def report(self) -> None:
        took, given = time.monotonic() - self.start, self.given
        print(f"{given.clients} clients, {self.rows:,} rows, labels {given.delay:,} rows later, {took:.1f} s")
        for path, seconds in self.seconds.items():
            if n := len(seconds):
                p50, p99 = 1000 * np.quantile(seconds, [0.5, 0.99])
                print(f"{path}: {n:,} requests, {n / took:,.0f}/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms")
        print(f"errors: {dict(self.errors) or 'none'}\naccuracy of the answers: {self.right / self.rows:.1%}")
        for line in httpx.get(f"{given.url}/metrics", trust_env=False).text.splitlines():
            if line[0] != "#" and any(name in line for name in SHOWN):
                print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="of this machine (%(default)s)")
    parser.add_argument("--rows", type=int, default=10_000, help="%(default)s, at most one million")
    parser.add_argument("--seconds", type=float, default=60.0, help="%(default)s, at most one hour")
    parser.add_argument("--clients", type=int, default=4, help="%(default)s, at most 64")
    parser.add_argument("--delay", type=int, default=200, help="rows before a label arrives (%(default)s)")
    parser.add_argument("--drift-every", type=int, default=5_000, help="rows between drifts (%(default)s)")
    parser.add_argument("--rate", type=float, help="rows per second (as many as possible)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if urlsplit(given.url).hostname not in {"127.0.0.1", "localhost", "::1"}:
        parser.error(f"--url must be an address of this machine, got {given.url!r}")
    for name, most in MOST.items():
        if not 0 < getattr(given, name) <= most:
            parser.error(f"--{name} must be above 0 and at most {most:g}, got {getattr(given, name):g}")
    try:
        httpx.get(f"{given.url}/livez", trust_env=False)
    except httpx.HTTPError as error:
        raise SystemExit(f"no answer from {given.url}: {error}; is the service running?") from None
    load = Load(given)
    clients = [threading.Thread(target=load.run) for _ in range(given.clients)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    load.report()


if __name__ == "__main__":
    main()
