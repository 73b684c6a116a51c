"""Two SQLite files: rows that wait for their label, and the log of labelled rows.

SQLite has one writer per file, and a commit that survives a power failure takes milliseconds: with one file,
predictions would wait for the commits of labels.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .metrics import LOG, Metrics

Label = bool | int | str
Features = dict[str, float | str | None]
encode = json.JSONEncoder(ensure_ascii=False).encode
GROUP = 64  # requests of one commit
CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)"  # waits for nobody
CLEAN_SECONDS = 1.0
CLEAN_ROWS = 1_000  # deleted at once, in about 10 ms
MAX_JUMP = 5.0  # seconds by which the clock and the monotonic clock may differ between two cleanings
HOLD_SECONDS = 3_600.0  # after a larger difference nothing is deleted


class Answer(NamedTuple):
    """What the client was told; no label before the first learned row."""

    label: Label | None
    probability: float | None
    model_rows: int  # how many rows the model had learned


class Row(NamedTuple):
    features: Features
    answer: Answer


def take(source: queue.SimpleQueue | queue.Queue, most: int) -> list[Any]:
    """Return up to `most` entries of a queue, or none after a second; None is the last one."""
    found: list[Any] = []
    with contextlib.suppress(queue.Empty):
        found.append(source.get(timeout=1.0))
        while len(found) < most and found[-1] is not None:
            found.append(source.get_nowait())
    return found


class Waiting:
    """Rows without a label, by id; a thread stores the rows of up to 64 requests in one commit.

    A commit survives the end of the process. A power failure may lose the newest rows: their ids are unknown.
    """

    def __init__(self, folder: Path, keep_days: float, metrics: Metrics) -> None:
        self.keep_days, self.metrics = keep_days, metrics
        # Another process that holds the file, such as a backup, delays requests by this timeout at most.
        self.file = _open(folder / "waiting.db", "NORMAL", timeout=0.25)
        self.file.execute("PRAGMA wal_autocheckpoint = 0")  # `checkpoint` does it
        self.file.execute(
            "CREATE TABLE IF NOT EXISTS waiting (id TEXT PRIMARY KEY, row TEXT,"
            " answer TEXT, probability REAL, model_rows INTEGER) WITHOUT ROWID"
        )
        # The thread that learns reads with its own connection, which never waits for a commit.
        self._reader = sqlite3.connect(folder / "waiting.db", 0.25, check_same_thread=False)
        self._queue: queue.SimpleQueue[tuple[list[tuple], asyncio.Future[None]] | None] = queue.SimpleQueue()
        self._labelled: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._run, name="waiting", daemon=True)
        self._checkpoint_is_due = False
        self.stepped_at, self.failed_at = time.monotonic(), -1e9
        self._cleaned_at, self._clock, self._hold_until = self.stepped_at, time.time(), -1e9

    async def add(self, rows: list[Features], answers: list[Answer]) -> list[str]:
        """Store rows and return their ids: the time, so that old rows are adjacent, and 64 random bits."""
        now = f"{time.time_ns():016x}"
        ids = [now + secrets.token_hex(8) for _ in rows]
        stored = [
            (id_, encode(row), encode(answer.label), *answer[1:])
            for id_, row, answer in zip(ids, rows, answers, strict=True)
        ]
        done = asyncio.get_running_loop().create_future()
        self._queue.put((stored, done))
        await done
        return ids

    def get(self, id_: str) -> Row | None:
        query = "SELECT row, answer, probability, model_rows FROM waiting WHERE id = ?"
        found = self._reader.execute(query, (id_,)).fetchone()
        return found and Row(json.loads(found[0]), Answer(json.loads(found[1]), *found[2:]))

    def remove(self, id_: str) -> None:
        """Delete a row with one of the next commits."""
        self._labelled.put(id_)

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file: most of it here, while rows are added, then the rest."""
        with contextlib.suppress(sqlite3.Error):  # the next one, then
            self._reader.execute(CHECKPOINT)
        self._checkpoint_is_due = True

    def stop(self) -> None:
        """Store what is in the queue, and close the file."""
        if self.thread.ident:
            self._queue.put(None)
            self.thread.join()
        self.file.close()
        self._reader.close()

    def _run(self) -> None:
        last = False
        while not last:
            jobs = take(self._queue, GROUP)
            last = None in jobs
            self._commit([job for job in jobs if job])
            with contextlib.suppress(sqlite3.Error):  # later, then
                if time.monotonic() - self._cleaned_at >= CLEAN_SECONDS:
                    self._clean()
                if self._checkpoint_is_due:
                    self._checkpoint_is_due = False
                    self.file.execute(CHECKPOINT)
            self.stepped_at = time.monotonic()

    def _commit(self, jobs: list[tuple[list[tuple], asyncio.Future[None]]]) -> None:
        labelled = [(self._labelled.get(),) for _ in range(self._labelled.qsize())]
        failure = None
        try:
            with self.file:
                for rows, _ in jobs:
                    self.file.executemany("INSERT INTO waiting VALUES (?, ?, ?, ?, ?)", rows)
                if labelled:
                    self.file.executemany("DELETE FROM waiting WHERE id = ?", labelled)
            if jobs:
                self.failed_at = -1e9
        except Exception as error:  # of SQLite, such as a full disk
            failure, self.failed_at = error, time.monotonic()
            self.metrics.insert_failures.inc()
            for (id_,) in labelled:
                self._labelled.put(id_)
        if jobs:  # waking the event loop once per commit is cheaper than once per request
            loop = jobs[0][1].get_loop()
            loop.call_soon_threadsafe(_finish, [done for _, done in jobs], failure)

    def _clean(self) -> None:
        """Delete some of the rows that are too old, unless the clock has jumped."""
        now, clock = time.monotonic(), time.time()
        jump = (clock - self._clock) - (now - self._cleaned_at)
        self._cleaned_at, self._clock = now, clock
        if abs(jump) > MAX_JUMP:
            self._hold_until = now + HOLD_SECONDS
            fields = {"jump_seconds": round(jump, 1), "hold_seconds": HOLD_SECONDS}
            LOG.warning("the clock has jumped: no old rows are deleted", extra={"fields": fields})
        if now < self._hold_until:
            return
        oldest = f"{max(0, int((clock - self.keep_days * 86_400) * 1e9)):016x}"
        old = f"SELECT id FROM waiting WHERE id < ? ORDER BY id LIMIT {CLEAN_ROWS}"
        with self.file:
            deleted = self.file.execute(f"DELETE FROM waiting WHERE id IN ({old})", (oldest,)).rowcount
        self.metrics.features_expired.inc(deleted)


class Log:
    """The labelled rows at positions 1, 2, 3, ...; what is committed survives a power failure."""

    def __init__(self, folder: Path) -> None:
        # A lock that ends with the process: a second writer, such as another worker, would spoil the log.
        self._only = sqlite3.connect(folder / "lock.db", timeout=0, check_same_thread=False)
        try:
            self._only.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise RuntimeError(f"another process uses the folder {folder}: start one worker only") from None
        self.file = _open(folder / "log.db", "FULL", timeout=5.0)  # `with log.file` is a transaction
        self.file.execute(
            "CREATE TABLE IF NOT EXISTS log (position INTEGER PRIMARY KEY, id TEXT UNIQUE, row TEXT,"
            " label TEXT, answer TEXT, probability REAL, model_rows INTEGER)"
        )

    def append(self, position: int, id_: str, row: Row, label: Label) -> None:
        features, answer = row
        values = (position, id_, encode(features), encode(label), encode(answer.label), *answer[1:])
        self.file.execute("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def position_of(self, id_: str) -> int | None:
        found = self.file.execute("SELECT position FROM log WHERE id = ?", (id_,)).fetchone()
        return found[0] if found else None

    def last_position(self) -> int:
        return self.file.execute("SELECT max(position) FROM log").fetchone()[0] or 0

    def last_ids(self, most: int) -> list[str]:
        found = self.file.execute("SELECT id FROM log ORDER BY position DESC LIMIT ?", (most,))
        return [id_ for (id_,) in found]

    def after(self, position: int) -> Iterator[tuple[int, Features, Label]]:
        """Yield the rows after a position, in order."""
        rows = "SELECT position, row, label FROM log WHERE position > ? ORDER BY position"
        for at, row, label in self.file.execute(rows, (position,)):
            yield at, json.loads(row), json.loads(label)

    def close(self) -> None:
        self.file.close()
        self._only.close()


def _finish(waiting: list[asyncio.Future[None]], failure: Exception | None) -> None:
    for done in waiting:
        if not done.done():  # it is if the client has gone
            done.set_exception(failure) if failure else done.set_result(None)


def seconds_since(id_: str) -> float:
    """Return the time since the prediction of an id; 0 if the clock went back."""
    return max(0.0, time.time() - int(id_[:16], 16) / 1e9)


def _open(path: Path, synchronous: str, timeout: float) -> sqlite3.Connection:
    # Opened in one thread, then used in one other.
    file = sqlite3.connect(path, timeout, check_same_thread=False)
    try:
        (found,) = file.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:  # such as a locked file
        raise
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        file.close()
        raise RuntimeError(f"{path} cannot be used, restore it from a backup: {found}")
    file.execute("PRAGMA journal_mode = WAL")
    file.execute(f"PRAGMA synchronous = {synchronous}")
    file.execute("PRAGMA journal_size_limit = 67108864")  # a long backup makes the write-ahead log grow
    return file
