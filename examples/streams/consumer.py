"""One model learns a topic: ``python -m examples.streams.consumer localhost:9092 rows model.safetensors``.

A message is JSON: the features of a row by name, and its "label".
"""

import fcntl
import json
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from budgetrs import Classifier

from . import INVALID

SCHEMA = 1  # of the messages; a model file of another schema stops the program


@contextmanager
def lock(path):
    """Hold a lock, so that a second consumer of this model does not start."""
    with Path(f"{path}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"another process writes {path}; one model needs one consumer")
        yield


def run(log, path, save_rows=10_000, save_seconds=10.0):
    """Learn the messages of `log.read(offsets)`, which yields lists of messages from these offsets on."""
    path = Path(path)
    with lock(path):
        return learn(log, path, save_rows, save_seconds)


def learn(log, path, save_rows, save_seconds):
    model = Classifier.load(path) if path.exists() else Classifier(budget=100)
    state = model.metadata or {"schema": SCHEMA, "offsets": {}, "skipped": 0}
    if state.get("schema") != SCHEMA:
        found = state.get("schema", "unknown")
        sys.exit(f"{path} has learned messages of schema {found}, this program reads {SCHEMA}")
    rows, saved = 0, time.monotonic()
    for messages in log.read(state["offsets"]):
        for partition, offset, _, value in messages:
            try:
                row = json.loads(value)
                label = row.pop("label")
                model.learn_one(row, label)
            except INVALID as error:  # the model has not changed
                print(f"{partition}, offset {offset}: {error!r}", file=sys.stderr)
                state["skipped"] += 1
            state["offsets"][partition] = offset + 1
        if state["skipped"] >= 100 and model.n_samples_seen_ <= 1:
            sys.exit(f"{path}: 100 messages are invalid, and at most one is valid; see docs/streams.md")
        rows += len(messages)
        if rows >= save_rows or (rows and time.monotonic() - saved >= save_seconds):
            model.save(path, metadata=state)  # model and offsets, in one atomic step
            rows, saved = 0, time.monotonic()
    model.save(path, metadata=state)  # only a log that ends comes here
    return model


if __name__ == "__main__":
    from .kafka import Topics

    servers, topic, file = sys.argv[1:]
    run(Topics(servers, topic), file)
