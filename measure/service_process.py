"""The example service in a process of its own, on a free port of this machine.

Run as a program, this module is the example service with a model that returns a constant: the cost of
everything except budgetrs.
"""

from __future__ import annotations

import os
import re
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
CONSTANT = "measure.service_process"


class Service:
    """A running service; `settings` are the fields of examples/service/settings.py.

    It is killed at the end of a ``with`` block.
    """

    def __init__(
        self,
        folder: Path,
        module: str = "examples.service",
        environment: dict[str, str] | None = None,
        **settings: Any,
    ) -> None:
        given = {f"BUDGETRS_SERVICE_{name.upper()}": str(value) for name, value in settings.items()}
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=ROOT,
            env={
                **os.environ,
                **(environment or {}),
                "BUDGETRS_SERVICE_DATA": str(folder),
                "BUDGETRS_SERVICE_LISTEN_PORT": "0",
                **given,
            },
            stderr=self.errors,
        )
        self.url = f"http://127.0.0.1:{self._port()}"

    def _port(self) -> int:
        deadline = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < deadline:
            if found := re.search(r"running on http://127\.0\.0\.1:(\d+)", self.logs()):
                return int(found[1])
            time.sleep(0.01)
        logs = self.logs()
        self.__exit__()
        raise RuntimeError(f"the service did not start:\n{logs}")

    def logs(self) -> str:
        # At a position of its own: the process writes at the end of the same file.
        return os.pread(self.errors.fileno(), 10_000_000, 0).decode()

    def client(self, **more: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=30, trust_env=False, **more)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        """Ask it to end, and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.errors.close()


class Constant:
    """Has the attributes that the service reads; learning changes a count."""

    algorithm, has_probabilities = "constant", True
    n_drifts_, n_support_vectors_ = 0, 0
    progressive_error_, recent_error_, no_change_error_, majority_error_ = 0.0, 0.0, 0.0, 0.0
    classes_ = np.array(["yes", "no"])

    def __init__(self, budget: int) -> None:
        self.params, self.n_samples_seen_, self.metadata = {"budget": budget}, 0, {}
        self.feature_names_in_ = np.array([], str)

    @staticmethod
    def load(_path: object) -> Constant:
        return Constant(budget=100)

    def save(self, _path: object, metadata: dict) -> None:
        self.metadata = metadata

    def learn_one(self, row: dict, _label: object) -> None:
        if not self.n_samples_seen_:
            self.feature_names_in_ = np.array(list(row))
        self.n_samples_seen_ += 1

    def predict_proba_one(self, _row: object) -> dict:
        return {"yes": 0.75, "no": 0.25}

    def get_feature_names_out(self) -> np.ndarray:
        return self.feature_names_in_

    @property
    def n_features_encoded_(self) -> int:
        return len(self.feature_names_in_)


if __name__ == "__main__":
    from examples.service import models

    models.Classifier = Constant
    runpy.run_module("examples.service", run_name="__main__")
