"""Prefetching: a thread produces the next items while the caller works on the current one."""

import sys
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, Self, TypeVar

# How many items the thread is ahead: while the caller works on one, one waits and one is being produced.
_LEAD = 2

# Seconds after which a wait polls for signals: a signal just before the wait does not end it.
_WAIT = 0.1

Item = TypeVar("Item")


class Prefetch(Generic[Item]):
    """Iterates over items that a thread produces a few ahead, in order, and then raises the thread's error.

    `interrupt` ends the thread's wait for input; `close` ends the thread. Two queues, of items and of permits
    to produce more, replace locks, which an interruption could leave locked.
    """

    def __init__(self, items: Iterable[Item], interrupt: Callable[[], object] = lambda: None) -> None:
        self._interrupt = interrupt
        self._made: SimpleQueue[tuple[Item | None, BaseException | None]] = SimpleQueue()
        self._permits: SimpleQueue[bool] = SimpleQueue()
        for _ in range(_LEAD):
            self._permits.put(True)
        # On Windows a read of a pipe cannot be interrupted, so the process does not wait for the thread.
        self._waits = sys.platform != "win32"
        self._thread = Thread(target=self._make, args=(iter(items),), daemon=not self._waits)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the thread; items that were not consumed are dropped."""
        self._permits.put(False)
        self._interrupt()
        if self._waits:
            self._thread.join()

    def __iter__(self) -> Iterator[Item]:
        while True:
            try:
                item, end = self._made.get(timeout=_WAIT)
            except Empty:
                continue
            if isinstance(end, StopIteration):
                return
            if end is not None:
                raise end
            self._permits.put(True)
            yield item  # pyright: ignore[reportReturnType]

    def _make(self, items: Any) -> None:
        try:
            while self._permits.get():
                self._made.put((next(items), None))
        except BaseException as end:
            self._made.put((None, end))
        finally:
            if hasattr(items, "close"):
                items.close()
