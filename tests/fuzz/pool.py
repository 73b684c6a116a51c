"""A worker process and the watch over it."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .cases import FOLDER

ROOT = Path(__file__).resolve().parents[2]
# How long a worker may take to import what it needs, on a busy machine.
START = 120.0


class Worker:
    """A process that runs the cases of one part, and is replaced when it is dead or deaf.

    Parameters
    ----------
    part : str
        The name of the part.
    seed : int
        The seed of the whole run.
    seconds : float
        How long a case may take.
    keep : Path or None
        Where cases leave their files.
    """

    def __init__(self, part: str, seed: int, seconds: float, keep: Path | None = None) -> None:
        self.command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.worker", part, str(seed)]
        self.command.append(str(keep) if keep else "")
        self.seconds = seconds
        self.process: subprocess.Popen[str] | None = None
        self.errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        # In memory, where the system has a folder there; workers are killed, so they cannot remove it.
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.TemporaryDirectory(prefix="budgetrs-fuzz-", dir=shared)

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.errors.close()
        self.folder.cleanup()

    def run(self, case: int | Path) -> dict[str, Any]:
        """Run a case by its number, or a file that was kept: what the worker says, or how it went down."""
        if self.process is None:
            self.start()
        self.tell(f"{case}\n")
        line = self.answer(self.seconds)
        if line:
            return json.loads(line)
        kind = self.end()
        self.errors.seek(0)
        return {"ok": False, "kind": kind, "error": self.errors.read()[-6000:], "notes": []}

    def start(self) -> None:
        """Start the process, in a group of its own, and wait until it can take cases."""
        self.errors.seek(0)
        self.errors.truncate()
        self.process = subprocess.Popen(
            self.command,
            cwd=ROOT,
            # Arrow's own allocator, and an arena for each thread, reserve more than some workers may have.
            env={
                **os.environ,
                "ARROW_DEFAULT_MEMORY_POOL": "system",
                "MALLOC_ARENA_MAX": "2",
                FOLDER: self.folder.name,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            start_new_session=True,
        )
        if self.answer(START) != "ready\n":
            self.end()
            self.errors.seek(0)
            raise RuntimeError(f"the worker did not start:\n{self.errors.read()}")

    def tell(self, line: str) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def answer(self, seconds: float) -> str:
        """Wait for a line; an empty one says that none came, in time or ever."""
        assert self.process is not None
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return self.process.stdout.readline() if ready else ""

    def end(self) -> str:
        """Say how the process went down, or end it if it is deaf."""
        assert self.process
        deadline = time.monotonic() + 1
        # A process that crashes closes its pipe just before it is gone.
        while self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        code = self.process.poll()
        self.stop()
        if code is None:
            return f"no answer within {self.seconds:g} seconds"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit with code {code}"

    def stop(self) -> None:
        """End the process and all that it started."""
        if self.process:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(BrokenPipeError):
                    pipe and pipe.close()
            self.process = None
