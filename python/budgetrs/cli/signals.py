"""What stops the program: Ctrl-C, and being asked to end by another one."""

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

# A descriptor that can be read from once a signal has come.
_came: int | None = None


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM raise `Terminated`, unless it is treated already, and let signals end waits for pipes."""
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
    """Let nothing stop what must be finished."""
    if not _is_main():
        yield
        return
    with _handled(dict.fromkeys(_STOPPING, signal.SIG_IGN)):
        yield


class Pipe(io.RawIOBase):
    """A pipe, read as it comes; a signal ends the wait for it even if it came just before the wait began.

    Without that it would be noticed only when the pipe gives more, which may be never.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def readable(self) -> bool:  # noqa: D102
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: D102
        while (
            _came is not None and self._descriptor not in select.select([self._descriptor, _came], [], [])[0]
        ):
            os.read(_came, 1 << 10)  # between this and the next step the interpreter calls the handler
        data = os.read(self._descriptor, len(buffer))
        buffer[: len(data)] = data
        return len(data)


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
