"""Reading ahead: a thread makes the next items while the last one is worked on."""

import sys
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, Self, TypeVar

# The items that are made before they are asked for: while one is worked on, one waits and one is being made.
_AHEAD = 2

# Seconds after which a wait looks for signals: one that comes just before the wait does not end it.
_WAIT = 0.1

Item = TypeVar("Item")


class Ahead(Generic[Item]):
    """The same items in the same order, and after them the same error, made by a thread that is a few ahead.

    `interrupt` ends a wait of the thread for its input; the thread ends with `close`. There are no locks that
    an interruption could leave locked: the one queue has the items, the other the permits to make more.
    """

    def __init__(self, items: Iterable[Item], interrupt: Callable[[], object] = lambda: None) -> None:
        self._interrupt = interrupt
        self._made: SimpleQueue[tuple[Item | None, BaseException | None]] = SimpleQueue()
        self._permits: SimpleQueue[bool] = SimpleQueue()
        for _ in range(_AHEAD):
            self._permits.put(True)
        # On Windows a read of a pipe cannot be interrupted: the process does not wait for it at its end.
        self._waits = sys.platform != "win32"
        self._thread = Thread(target=self._make, args=(iter(items),), daemon=not self._waits)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the thread; what it has made is dropped."""
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
