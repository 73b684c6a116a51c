"""Two SQLite files: features that wait for their label, and the log of labelled rows.

SQLite has one writer per file, and a commit that survives a power failure takes milliseconds: with one file,
predictions would wait for the commits of labels.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

Row = dict[str, float | str | None]
Label = bool | int | str
encode = json.JSONEncoder(ensure_ascii=False).encode


class Waiting:
    """Features without a label, by id.

    A commit survives the end of the process. A power failure may lose the newest rows: their ids are unknown.
    """

    def __init__(self, folder: Path) -> None:
        self._file = _open(folder / "waiting.db", "NORMAL")
        self._file.execute("PRAGMA wal_autocheckpoint = 0")  # `clean` does it, in the writer's thread
        self._file.execute("CREATE TABLE IF NOT EXISTS waiting (id TEXT PRIMARY KEY, row TEXT) WITHOUT ROWID")

    def add(self, rows: list[Row]) -> list[str]:
        """Store rows and return their ids: the time, so that old rows are adjacent, and 64 random bits."""
        now = f"{time.time_ns():016x}"
        ids = [now + secrets.token_hex(8) for _ in rows]
        with self._file:
            stored = zip(ids, map(encode, rows), strict=True)
            self._file.executemany("INSERT INTO waiting VALUES (?, ?)", stored)
        return ids

    def get(self, id_: str) -> Row | None:
        found = self._file.execute("SELECT row FROM waiting WHERE id = ?", (id_,)).fetchone()
        return json.loads(found[0]) if found else None

    def remove(self, id_: str) -> None:
        with self._file:
            self._file.execute("DELETE FROM waiting WHERE id = ?", (id_,))

    def clean(self, days: float) -> None:
        """Delete rows that are too old, a few at a time, and move the write-ahead log into the file."""
        oldest = f"{time.time_ns() - int(days * 86_400e9):016x}"
        old = "SELECT id FROM waiting WHERE id < ? ORDER BY id LIMIT 500"
        deleted = True
        while deleted:
            with self._file:
                deleted = self._file.execute(f"DELETE FROM waiting WHERE id IN ({old})", (oldest,)).rowcount
        self._file.execute("PRAGMA wal_checkpoint(PASSIVE)")  # most of it, while rows are added
        self._file.execute("PRAGMA wal_checkpoint(RESTART)")  # the rest: it may hold up a row for some ms

    def close(self) -> None:
        self._file.close()


class Log:
    """The labelled rows at positions 1, 2, 3, ...; what is committed survives a power failure."""

    def __init__(self, folder: Path) -> None:
        # A lock that ends with the process: a second writer, such as another worker, would spoil the log.
        self._only = sqlite3.connect(folder / "lock.db", timeout=0, check_same_thread=False)
        try:
            self._only.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise RuntimeError(f"another process uses the folder {folder}: start one worker only") from None
        self.file = _open(folder / "log.db", "FULL")  # `with log.file` is a transaction
        self.file.execute(
            "CREATE TABLE IF NOT EXISTS log"
            " (position INTEGER PRIMARY KEY, id TEXT UNIQUE, row TEXT, label TEXT)"
        )

    def append(self, position: int, id_: str, row: Row, label: Label) -> None:
        self.file.execute("INSERT INTO log VALUES (?, ?, ?, ?)", (position, id_, encode(row), encode(label)))

    def position_of(self, id_: str) -> int | None:
        found = self.file.execute("SELECT position FROM log WHERE id = ?", (id_,)).fetchone()
        return found[0] if found else None

    def after(self, position: int) -> Iterator[tuple[int, Row, Label]]:
        """Yield the rows after a position, in order."""
        rows = "SELECT position, row, label FROM log WHERE position > ? ORDER BY position"
        for at, row, label in self.file.execute(rows, (position,)):
            yield at, json.loads(row), json.loads(label)

    def close(self) -> None:
        self.file.close()
        self._only.close()


def _open(path: Path, synchronous: str) -> sqlite3.Connection:
    file = sqlite3.connect(path, check_same_thread=False)  # opened in one thread, then used in one other
    file.execute("PRAGMA journal_mode = WAL")
    file.execute(f"PRAGMA synchronous = {synchronous}")
    return file
