"""One model per key learns a topic: ``python -m examples.streams.keyed_consumer localhost:9092 rows folder``.

Start as many processes as you like, with one folder: each owns some partitions of the topic. The key of a
message is the key of its model; Kafka's producers send equal keys to one partition. A message is JSON: the
numbers of FEATURES and a "label".
"""

import json
import sys
import time
from pathlib import Path

from budgetrs import Classifier, KeyedModels

from . import INVALID

FEATURES, CLASSES = ("price", "age"), ("no", "yes")
LARGEST = 1e60  # of the absolute values of features; models refuse rows with |x|^2 > 1e140


def parsed(key, value):
    """Return features, label and key of a message; the models can learn whatever this function accepts."""
    row = json.loads(value)
    x, label = [float(row[name]) for name in FEATURES], row["label"]
    if label not in CLASSES or not all(abs(value) <= LARGEST for value in x):
        raise ValueError(f"invalid row: {row}")
    return x, label, key.decode()


class Partition:
    """The models of a partition, their file, and the messages that are learned with the next save."""

    def __init__(self, path):
        template = Classifier("bsgd-merge", budget=20, classes=CLASSES)
        self.models = KeyedModels.load(path) if path.exists() else KeyedModels(template)
        self.path, self.messages = path, []

    def learn_and_save(self):
        """Learn the messages, then save the models and the next offset in one atomic step."""
        if not self.messages:
            return
        messages, self.messages = self.messages, []  # at most once, even if learning or saving fails
        rows, skipped = [], self.models.metadata.get("skipped", 0)
        for offset, key, value in messages:
            try:
                rows.append(parsed(key, value))
            except INVALID as error:
                print(f"{self.path.stem}, offset {offset}: {error!r}", file=sys.stderr)
                skipped += 1
        if rows:
            self.models.learn(*zip(*rows, strict=True))
        self.models.save(self.path, metadata={"offset": messages[-1][0] + 1, "skipped": skipped})


class Partitions:
    """The partitions that this process owns; the log calls the first three methods."""

    def __init__(self, folder):
        self.folder, self.owned = Path(folder), {}
        self.folder.mkdir(parents=True, exist_ok=True)

    def assigned(self, partition):
        """Load the models of a partition; return the offset to read from, None for the beginning."""
        self.owned[partition] = Partition(self.folder / f"{partition}.budgetrs")
        return self.owned[partition].models.metadata.get("offset")

    def revoked(self, partition):
        """Save and forget a partition: Kafka gives it to another process when this method has returned."""
        if partition in self.owned:
            self.owned.pop(partition).learn_and_save()

    def lost(self, partition):
        """Forget a partition that another process owns already, and which repeats what was not saved."""
        self.owned.pop(partition, None)


def run(log, partitions, save_rows=10_000, save_seconds=10.0):
    """Learn the messages of `log.read(partitions)`, which yields None while there are none."""
    saved = time.monotonic()
    for message in log.read(partitions):
        if message:
            name, *rest = message
            partitions.owned[name].messages.append(rest)
            if len(partitions.owned[name].messages) >= save_rows:
                partitions.owned[name].learn_and_save()
        if time.monotonic() - saved >= save_seconds:
            for each in partitions.owned.values():
                each.learn_and_save()
            saved = time.monotonic()


if __name__ == "__main__":
    from .kafka import Group

    servers, topic, folder = sys.argv[1:]
    run(Group(servers, topic, "learners"), Partitions(folder))
