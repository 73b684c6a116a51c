"""Loading of partitions ahead, and errors that name a partition."""

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import distributed

from ._partitions import Partitions, kind_of


@contextmanager
def client_of_call(client: Any) -> Iterator[Any]:
    """Yield the given client or the current one. A task leaves its thread to other tasks meanwhile."""
    if client is None:
        try:
            distributed.get_worker()
        except ValueError:  # this is no task
            try:
                client = distributed.get_client()
            except ValueError:
                advice = (
                    "start one first: with distributed.Client(processes=False): ..., or pass client=client"
                )
                raise ValueError(f"client must be a distributed.Client, got none: {advice}") from None
        else:
            with distributed.worker_client() as client:
                yield client
            return
    elif not isinstance(client, distributed.Client):
        raise TypeError(f"client must be a distributed.Client, got {kind_of(client)}")
    yield client


@contextmanager
def named_in_errors(number: int, count: int) -> Iterator[None]:
    """Add a note with the number of a partition to errors."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in partition {number} of {count}, counted from 0")
        raise


def loaded(client: Any, parts: Partitions, first: int, prefetch: int) -> Generator[tuple[int, Any]]:
    """Yield the partitions from `first` on, in order, while the next ones are loaded."""
    todo, waiting = iter(range(first, len(parts))), deque[Any]()
    with ThreadPoolExecutor(1) as thread:  # fetches the next partition while the caller works
        try:
            for number in range(first, len(parts)):
                while len(waiting) <= prefetch and (ahead := next(todo, None)) is not None:
                    future = parts.load(client, ahead)
                    waiting.append((future, thread.submit(future.result)))
                with named_in_errors(number, len(parts)):
                    part = waiting[0][1].result()
                waiting.popleft()[0].release()
                yield number, part
        finally:
            for future, _ in waiting:
                future.release()
