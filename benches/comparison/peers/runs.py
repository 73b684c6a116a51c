"""Measurements of models in separate processes, in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from experiments.common.data import REPOSITORY

from .data import Found
from .limits import Limits
from .models import ENTRANTS

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1"
)
Record = dict[str, Any]


class Cells:
    """The measurements by set and model; `failed` counts the cells that raised an error."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.records: dict[tuple[str, str], Record] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        self.failed = 0

    def run(self, folder: Path, found: Found, titles: tuple[str, ...]) -> None:
        """Measure models on one set, in turns."""
        found.write(folder)
        task = asdict(self.limits) | {
            "folder": str(folder),
            "stream": found.is_stream,
            "sparse": found.is_sparse,
        }
        runs: dict[str, list[Record]] = {title: [] for title in titles}
        chosen: dict[str, Record | None] = {title: self._choose(found, title, task) for title in titles}
        for number in range(1 if found.is_stream else self.limits.rounds):
            for title in titles:
                key = (found.name, title)
                if key not in self.reasons and not (number and ENTRANTS[title].once):
                    record = self._child(key, task | {"title": title, "parameters": chosen[title]})
                    runs[title] += [record] if record else []
        for title, records in runs.items():
            if records:
                medians = {name: float(np.median([r[name] for r in records])) for name in records[0]}
                kept = {"parameters": chosen[title], "runs": records}
                self.records[found.name, title] = medians | kept

    def _choose(self, found: Found, title: str, task: Record) -> Record | None:
        """The parameters of a model, or why it is left out."""
        key, entrant = (found.name, title), ENTRANTS[title]
        if entrant.most is not None and len(found.rows.x) > entrant.most:
            self.reasons[key] = f"more than {entrant.most:,} rows"
        elif entrant.grid:
            return self._child(key, task | {"title": title, "parameters": None})
        return {}

    def _child(self, key: tuple[str, str], task: Record) -> Record | None:
        command = [sys.executable, "-m", "benches.comparison.peers.measure", json.dumps(task)]
        try:
            done = subprocess.run(
                command,
                cwd=REPOSITORY,
                env={**os.environ, **ONE_THREAD},
                capture_output=True,
                text=True,
                timeout=task["seconds"],
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.reasons[key] = f"not done within {task['seconds']:g} seconds"
            return None
        if done.returncode == 0:
            return json.loads(done.stdout.splitlines()[-1])
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        self.reasons[key] = last.removeprefix("ModuleNotFoundError: ")
        self.failed += not last.startswith("ModuleNotFoundError")
        return None
