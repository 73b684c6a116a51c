"""Two SQLite files: rows that wait for their label, and the log of labelled rows.

SQLite has one writer per file, and a commit that survives a power failure takes milliseconds: with one file,
predictions would wait for the commits of labels.
"""

from __future__ import annotations

import contextlib
import json
import queue
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .metrics import Metrics
from .worker import Worker

Label = bool | int | str
Features = dict[str, float | str | None]
encode = json.JSONEncoder(ensure_ascii=False).encode
RECENT_SECONDS = 10.0  # in which a failed commit makes the service unready
CHECKPOINT_SECONDS = 10.0
WAL_BYTES = 32_000_000  # of the write-ahead log, above which it begins anew
CLEAN_SECONDS = (1.0, 0.1)  # between two cleanings; the second while there is more to delete
CLEAN_ROWS = 1_000  # deleted at once, in about 10 ms


class Answer(NamedTuple):
    """What a model said of a row; the champion's is what the client got."""

    model: str
    label: Label
    probability: float
    rows_learned: int
    is_champion: bool


class Row(NamedTuple):
    time: float  # of the prediction
    features: Features
    answers: list[Answer]  # none before the first learned row
    texts: tuple[str, str] | None = None  # features and answers as JSON, if there are already


class Waiting(Worker):
    """Rows without a label, by id. They age while the service runs, whatever the clock of the machine says.

    A commit survives the end of the process. A power failure may lose the newest rows: their ids are unknown.
    """

    def __init__(self, folder: Path, keep_days: float, metrics: Metrics, cleans: bool = True) -> None:
        super().__init__("waiting")
        self.keep_days, self.metrics, self.cleans = keep_days, metrics, cleans
        # Another process that holds the file, such as a backup, delays requests by this timeout at most.
        self._path = folder / "waiting.db"
        self._file = _open(self._path, "NORMAL", timeout=0.25)
        self._file.execute("PRAGMA wal_autocheckpoint = 0")  # `after` does it
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS waiting"
            " (id TEXT PRIMARY KEY, time REAL, features TEXT, answers TEXT, stored REAL)"
        )
        self._file.execute("CREATE INDEX IF NOT EXISTS waiting_by_age ON waiting (stored)")
        self._file.execute("CREATE TABLE IF NOT EXISTS state AS SELECT 0.0 AS clock, 0 AS position")
        # The thread that learns reads with its own connection, which never waits for a commit.
        self._reader = sqlite3.connect(self._path, 0.25, check_same_thread=False)
        self._labelled: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
        self._failed_at = -1e9
        self._cleaned_at = self._checkpointed_at = time.monotonic()
        self._has_more = False

    async def add(self, rows: dict[str, Row]) -> None:
        """Store rows by id; a row with the same id is replaced."""
        await self.do(
            [(id_, row.time, encode(row.features), encode(row.answers)) for id_, row in rows.items()]
        )

    def get(self, ids: list[str]) -> dict[str, Row]:
        query = f"SELECT id, time, features, answers FROM waiting WHERE id IN ({_places(ids)})"
        rows = {}
        for id_, at, *texts in self._reader.execute(query, ids):
            features, answers = map(json.loads, texts)
            rows[id_] = Row(at, features, [Answer(*answer) for answer in answers], tuple(texts))
        return rows

    def count(self) -> int:
        """Count the rows, at about 10 million a second, with a separate connection."""
        with contextlib.closing(sqlite3.connect(self._path)) as file:
            return file.execute("SELECT count(*) FROM waiting").fetchone()[0]

    def position(self) -> int:
        """Return the position of the last label whose row was deleted."""
        return self._reader.execute("SELECT position FROM state").fetchone()[0]

    def remove(self, positions: dict[str, int]) -> None:
        """Delete rows, which are in the log at these positions, with one of the next commits."""
        for pair in positions.items():
            self._labelled.put(pair)

    def trouble(self) -> str | None:
        has_failed = time.monotonic() - self._failed_at < RECENT_SECONDS
        return "the last commit to waiting.db failed" if has_failed else super().trouble()

    def stop(self) -> None:
        super().stop()
        self._file.close()
        self._reader.close()

    def work(self, jobs: list[list[tuple]]) -> list[sqlite3.Error | None]:
        rows = [row for job in jobs for row in job]
        labelled = dict(self._labelled.get() for _ in range(self._labelled.qsize()))
        failure = None
        try:
            with self._file:
                self._file.executemany("DELETE FROM waiting WHERE id = ?", [(id_,) for id_ in labelled])
                last = max(labelled.values(), default=0)
                self._file.execute("UPDATE state SET position = ? WHERE position < ?", (last, last))
                query = "INSERT OR REPLACE INTO waiting SELECT ?, ?, ?, ?, clock FROM state"
                self._file.executemany(query, rows)
            if rows:
                self._failed_at = -1e9
        except sqlite3.Error as error:  # such as a full disk
            failure, self._failed_at = error, time.monotonic()
            self.metrics.count("insert_failures")
            self.remove(labelled)
        return [failure] * len(jobs)

    def after(self, is_last: bool) -> None:  # noqa: ARG002
        now = time.monotonic()
        with contextlib.suppress(sqlite3.Error, FileNotFoundError):  # later, then
            if self.cleans and now - self._cleaned_at >= CLEAN_SECONDS[self._has_more]:
                self._clean(now)
            if now - self._checkpointed_at >= CHECKPOINT_SECONDS:
                self._checkpointed_at = now
                self._checkpoint()

    def _checkpoint(self) -> None:
        """Move the write-ahead log into the file; the pragma PASSIVE waits for nobody."""
        self._file.execute("PRAGMA wal_checkpoint(PASSIVE)")
        if self._path.with_name("waiting.db-wal").stat().st_size > WAL_BYTES:
            # Beside a scorer there is always a newer row, so other writers must wait.
            self._file.execute("PRAGMA busy_timeout = 20")
            self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._file.execute("PRAGMA busy_timeout = 250")

    def _clean(self, now: float) -> None:
        """Delete some of the rows that are too old."""
        with self._file:
            self._file.execute("UPDATE state SET clock = clock + ?", (now - self._cleaned_at,))
            self._cleaned_at = now
            old = "SELECT waiting.rowid FROM waiting, state WHERE stored < clock - ? ORDER BY stored LIMIT ?"
            query, keep = f"DELETE FROM waiting WHERE rowid IN ({old})", self.keep_days * 86_400
            deleted = self._file.execute(query, (keep, CLEAN_ROWS)).rowcount
        self._has_more = deleted == CLEAN_ROWS
        self.metrics.count("features_expired", by=deleted)


class Log:
    """The labelled rows at positions 1, 2, 3, ...; what is committed survives a power failure."""

    def __init__(self, folder: Path) -> None:
        # A lock that ends with the process: a second writer, such as another worker, would spoil the log.
        self._only = sqlite3.connect(folder / "lock.db", timeout=0, check_same_thread=False)
        try:
            self._only.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise RuntimeError(f"another process uses the folder {folder}: start one worker only") from None
        self._path = folder / "log.db"
        self.file = _open(self._path, "FULL", timeout=0.5)  # `with log.file` is a transaction
        self.file.execute(
            "CREATE TABLE IF NOT EXISTS log (position INTEGER PRIMARY KEY, id TEXT, time REAL, features TEXT,"
            " answers TEXT, label TEXT)"
        )
        self.file.execute("CREATE INDEX IF NOT EXISTS log_by_id ON log (id)")

    def append(self, position: int, id_: str, row: Row, label: Label) -> None:
        texts = row.texts or (encode(row.features), encode(row.answers))
        self.file.execute(
            "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)", (position, id_, row.time, *texts, encode(label))
        )

    def get(self, ids: list[str]) -> dict[str, tuple[int, Label, Features]]:
        """Return the last position, label and features of each id that was labelled."""
        query = (
            f"SELECT id, position, label, features FROM log WHERE id IN ({_places(ids)}) ORDER BY position"
        )
        found = self.file.execute(query, ids)
        return {id_: (at, json.loads(label), json.loads(features)) for id_, at, label, features in found}

    def last_position(self) -> int:
        return self.file.execute("SELECT max(position) FROM log").fetchone()[0] or 0

    def last(self, most: int) -> dict[str, int]:
        """Return the last ids and their positions."""
        return dict(self.file.execute("SELECT id, position FROM log ORDER BY position DESC LIMIT ?", (most,)))

    def after(self, position: int) -> Iterator[tuple[int, Features, Label]]:
        """Yield the committed rows after a position, in order."""
        rows = "SELECT position, features, label FROM log WHERE position > ? ORDER BY position"
        with contextlib.closing(sqlite3.connect(self._path)) as file:
            for at, features, label in file.execute(rows, (position,)):
                yield at, json.loads(features), json.loads(label)

    def close(self) -> None:
        self.file.close()
        self._only.close()


def _places(values: list[str]) -> str:
    return ", ".join("?" * len(values))


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
