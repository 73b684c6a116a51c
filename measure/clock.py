"""Seconds, memory, and measurements in a separate process."""

import resource
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np


class LeftOutError(Exception):
    """The reason why a measurement is left out."""


def seconds(call: Callable, *arguments: Any, clock: Callable[[], float] = time.process_time) -> float:
    """The seconds of a call, of processor time by default."""
    began = clock()
    call(*arguments)
    return clock() - began


def deviation(values: list[float]) -> float:
    """The standard deviation of a sample; 0 of a single value."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def reset_peak() -> None:
    """Reset the peak memory of this process, where the system can."""
    path = Path("/proc/self/clear_refs")
    if path.exists():
        path.write_text("5")


def peak_memory() -> float:
    """The peak resident memory of this process so far, in MB."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024


def in_new_process(work: Callable, *given: Any, limit: float | None = None) -> Any:
    """Call a function in a new process, which is killed after `limit` seconds, and return its result."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, work, given))
    process.start()
    sender.close()  # else the end of the process would go unnoticed
    try:
        if not receiver.poll(limit):
            raise LeftOutError(f"not done within {limit:g} seconds")
        result = receiver.recv()
    finally:
        process.kill()
        process.join()
    if isinstance(result, Exception):
        raise result
    return result


def _send(sender: Connection, work: Callable, given: tuple) -> None:
    try:
        sender.send(work(*given))
    except Exception as error:
        sender.send(error)
