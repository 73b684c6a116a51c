"""A worker process, which runs cases, and the watch over it."""

import contextlib
import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
import traceback
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .cases import FOLDER, Draw, module

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
        self.part, self.seed, self.seconds, self.keep = part, seed, seconds, keep
        self.process: Any = None
        # In memory, where the system has a folder there; workers are killed, so they cannot remove it.
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.TemporaryDirectory(prefix="budgetrs-fuzz-", dir=shared)
        self.errors = Path(self.folder.name, "errors")
        # Arrow's own allocator, and an arena for each thread, reserve more than some workers may have.
        os.environ |= {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.folder.cleanup()

    def run(self, case: int | Path) -> dict[str, Any]:
        """Run a case by its number, or a file that was kept: what the worker says, or how it went down."""
        if self.process is None:
            self.start()
        with contextlib.suppress(BrokenPipeError):
            self.pipe.send(case)
        return self.answer(self.seconds) or {"ok": False, "kind": self.end(), "error": self.said()}

    def start(self) -> None:
        """Start the process, and wait until it can take cases."""
        spawn = multiprocessing.get_context("spawn")
        self.pipe, end = spawn.Pipe()
        given = (end, self.part, self.seed, self.keep, self.folder.name, self.errors)
        self.process = spawn.Process(target=work, args=given)
        self.process.start()
        end.close()
        if not self.answer(START):
            self.end()
            raise RuntimeError(f"the worker did not start:\n{self.said()}")

    def answer(self, seconds: float) -> Any:
        """Wait for an answer; None says that none came, in time or ever."""
        with contextlib.suppress(EOFError, ConnectionResetError):
            return self.pipe.recv() if self.pipe.poll(seconds) else None

    def said(self) -> str:
        """The end of what the process wrote of its errors."""
        return self.errors.read_text(errors="replace")[-6000:] if self.errors.exists() else ""

    def end(self) -> str:
        """Say how the process went down, or end it if it is deaf."""
        # A process that crashes closes its pipe just before it is gone.
        self.process.join(1)
        code = self.process.exitcode
        self.stop()
        if code is None:
            return f"no answer within {self.seconds:g} seconds"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit with code {code}"

    def stop(self) -> None:
        """End the process and all that it started."""
        if self.process:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None


def work(pipe: Connection, part: str, seed: int, keep: Path | None, folder: str, errors: Path) -> None:
    """Run cases in a group of its own: their numbers come in, and an answer for each goes out."""
    os.setsid()
    os.environ[FOLDER] = folder
    # What cases print, and what a crash says, goes to the errors.
    output = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    faulthandler.enable()
    warnings.simplefilter("ignore")
    run = module(part)
    if run.MEMORY:
        limit(run.MEMORY)
    pipe.send("ready")
    while True:
        case = pipe.recv()
        draw = Draw(part, seed, case if isinstance(case, int) else 0, keep)
        try:
            run.case(draw) if isinstance(case, int) else run.again(draw, case)
            answer = {"ok": True}
        except BaseException as error:
            kind = f"{type(error).__name__}: {error}"
            answer = {"ok": False, "kind": kind, "error": traceback.format_exc()}
        pipe.send(answer)


def limit(more: int) -> None:
    """Bound the address space to what is in use now and so many bytes more."""
    if sys.platform == "linux":
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))
