"""Handling of SIGINT (Ctrl-C) and SIGTERM."""

import io
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from .errors import Terminated

_STOPPING = (signal.SIGINT, signal.SIGTERM)

# A descriptor that becomes readable when a signal arrives.
_came: int | None = None


@contextmanager
def stoppable() -> Iterator[None]:
    """Make SIGTERM raise `Terminated`, unless it has a handler, and let signals interrupt reads of pipes."""
    if not _is_main():
        yield
        return

    def stop(*_: Any) -> None:
        raise Terminated

    with ExitStack() as stack:
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            stack.enter_context(_handled({signal.SIGTERM: stop}))
        if sys.platform != "win32":
            stack.enter_context(_woken())
        yield


@contextmanager
def shielded() -> Iterator[None]:
    """Ignore signals while output is being written."""
    if not _is_main():
        yield
        return
    with _handled(dict.fromkeys(_STOPPING, signal.SIG_IGN)):
        yield


class Pipe(io.RawIOBase):
    """An unbuffered pipe whose reads are interrupted by signals, even by a signal just before the read.

    Otherwise such a signal would be handled only when more data arrive. Signals reach the main thread only;
    `interrupt` ends reads of other threads.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        # If `select` supports pipes: a pipe that becomes readable at the interruption.
        self._ended = os.pipe() if sys.platform != "win32" else None

    def readable(self) -> bool:  # noqa: D102
        return True

    def interrupt(self) -> None:
        """End a read that waits for data, and all later ones, as if the data ended."""
        if self._ended is not None:
            os.write(self._ended[1], b"\0")

    def close(self) -> None:
        """Close the descriptors of `interrupt`; the pipe itself stays open."""
        if not self.closed and self._ended is not None:
            for descriptor in self._ended:
                os.close(descriptor)
        super().close()

    def readinto(self, buffer: Any) -> int:  # noqa: D102
        if self._ended is not None and not self._has_data(self._ended[0]):
            return 0
        data = os.read(self._descriptor, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _has_data(self, ended: int) -> bool:
        """Wait for data, or for their end; False after an interruption."""
        came = _came if _is_main() else None
        others = [ended] if came is None else [ended, came]
        while True:
            ready = select.select([self._descriptor, *others], [], [])[0]
            if ended in ready:
                return False
            if self._descriptor in ready:
                return True
            if came is not None:
                os.read(came, 1 << 10)  # between this and the next step the interpreter calls the handler


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def _handled(handlers: dict[signal.Signals, Any]) -> Iterator[None]:
    old = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


@contextmanager
def _woken() -> Iterator[None]:
    global _came
    came, coming = os.pipe()
    os.set_blocking(coming, False)
    before, _came = _came, came
    old = signal.set_wakeup_fd(coming, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(old)
        _came = before
        os.close(came)
        os.close(coming)
