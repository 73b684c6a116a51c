"""Predict rows of one topic, learn from labels of another: ``python -m examples.streams.late_labels
localhost:9092 features labels state.db``.

A message of "features" is JSON with the "id", the "time" in seconds and the "row", a message of "labels" the
"id", "time" and "label". They are joined in any order. One transaction of SQLite has the rows that wait for
labels, the model and the offsets of both topics, so that all of them are of the same moment.
"""

import json
import math
import sqlite3
import sys
import time

from budgetrs import Classifier

from . import INVALID

KEEP = 7 * 86_400  # seconds that a row waits for its label, or a label for its row

TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS model (one INTEGER PRIMARY KEY, file BLOB);
CREATE TABLE IF NOT EXISTS waiting (id TEXT PRIMARY KEY, time REAL, row TEXT, answer TEXT, label TEXT);
CREATE INDEX IF NOT EXISTS by_time ON waiting (time);
"""
HALF = "SELECT row, answer, label FROM waiting WHERE id = ? AND time >= ?"
NEW = {"offsets": {}, "answered": 0, "mistakes": 0, "skipped": 0, "time": 0.0}  # time: of the newest label


class Join:
    """The model, and the rows and labels that wait for each other."""

    def __init__(self, path, send):
        self.db, self.send = sqlite3.connect(path, isolation_level=None), send
        self.db.executescript(TABLES)
        self.db.execute("BEGIN EXCLUSIVE")  # until the end of the process: no second consumer starts
        saved = self.db.execute("SELECT file FROM model").fetchone()
        self.model = Classifier.from_bytes(saved[0]) if saved else Classifier(budget=100)
        self.state = self.model.metadata or json.loads(json.dumps(NEW))

    def add(self, message):
        id_, time_ = str(message["id"]), float(message["time"])
        if not math.isfinite(time_):
            raise ValueError(f"time must be finite, got {time_}")
        if "row" in message:
            row = message["row"]
            answer = self.model.predict_one(row) if self.model.n_samples_seen_ else None
            self.send(id_, answer)
            self.meet(id_, time_, json.dumps(row), json.dumps(answer), None)
        else:
            label = json.dumps(message["label"])
            self.state["time"] = max(self.state["time"], time_)
            self.meet(id_, time_, None, None, label)

    def meet(self, id_, time_, *new):
        """Keep one half of an example, or learn it if the other half is here."""
        old = self.db.execute(HALF, (id_, self.state["time"] - KEEP)).fetchone()
        row, answer, label = (a or b for a, b in zip(old or (None,) * 3, new, strict=True))
        if row and label:
            self.learn(json.loads(row), json.loads(answer), json.loads(label))
            self.db.execute("DELETE FROM waiting WHERE id = ?", (id_,))
        elif not old:
            self.db.execute("INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?, ?)", (id_, time_, *new))

    def learn(self, row, answer, label):
        self.model.learn_one(row, label)
        if answer is not None:
            self.state["answered"] += 1
            self.state["mistakes"] += answer != label  # of the answer that was sent

    def save(self):
        self.db.execute("DELETE FROM waiting WHERE time < ?", (self.state["time"] - KEEP,))
        file = self.model.to_bytes(metadata=self.state)
        self.db.execute("INSERT OR REPLACE INTO model VALUES (1, ?)", (file,))
        self.db.execute("COMMIT")
        self.db.execute("BEGIN EXCLUSIVE")


def run(log, join, save_rows=10_000, save_seconds=1.0):
    rows, saved = 0, time.monotonic()
    for messages in log.read(join.state["offsets"]):
        for partition, offset, _, value in messages:
            try:
                join.add(json.loads(value))
            except INVALID as error:
                print(f"{partition}, offset {offset}: {error!r}", file=sys.stderr)
                join.state["skipped"] += 1
            join.state["offsets"][partition] = offset + 1
        rows += len(messages)
        if rows >= save_rows or (rows and time.monotonic() - saved >= save_seconds):
            join.save()
            rows, saved = 0, time.monotonic()
    join.save()  # only a log that ends comes here


if __name__ == "__main__":
    from .kafka import Topics

    servers, features, labels, file = sys.argv[1:]
    run(Topics(servers, features, labels), Join(file, send=print))
