"""Logs in files, in place of Kafka, and the programs of examples/streams that learn them in a process.

A partition is a file of messages, a line each, that grows while a program reads it. The file "end" says that
nothing more will come.
"""

import contextlib
import fcntl
import json
import random
import sys
import time
from pathlib import Path

from examples.streams import consumer, keyed_consumer, late_labels

# Offsets have gaps, as in a log that is compacted: the message of index i has the offset STRIDE * i + 1.
STRIDE = 3


def offset(index: int) -> int:
    return STRIDE * index + 1


def index_from(position: int) -> int:
    """The index of the first message whose offset is at least `position`."""
    return -(-(position - 1) // STRIDE) if position else 0


class Partitions:
    """The partitions of a folder, read in small batches."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, random.Random(seed)
        self.at: dict[str, int] = {}

    def lines(self, name: str) -> list[bytes]:
        whole, _, _ = (self.folder / f"{name}.log").read_bytes().rpartition(b"\n")
        return whole.split(b"\n") if whole else []

    def some(self, name: str) -> list[tuple]:
        """The next messages of a partition."""
        first, count = self.at[name], self.random.randrange(1, 40)
        lines = self.lines(name)[first : first + count]
        self.at[name] += len(lines)
        time.sleep(self.random.uniform(0, 0.002))
        return [message(name, first + i, line) for i, line in enumerate(lines)]

    def has_ended(self) -> bool:
        is_last = (self.folder / "end").exists()  # looked at before the partitions
        return is_last and all(len(self.lines(name)) == at for name, at in self.at.items())


def message(name: str, index: int, line: bytes) -> tuple:
    key, _, value = line.partition(b"\t")
    return name, offset(index), key, value


class Topics(Partitions):
    """All partitions, interleaved at random; the file "order" has the messages in the order they were read.

    A program that starts again has learned the messages before its offsets. They are the first ones of the
    order, or else messages were learned twice or left out.
    """

    def read(self, offsets):
        names = sorted(path.stem for path in self.folder.glob("*.log"))
        self.at = {name: index_from(offsets.get(name, 0)) for name in names}
        path = self.folder / "order"
        order = path.read_text().splitlines() if path.exists() else []
        learned = order[: sum(self.at.values())]
        counts = {name: learned.count(name) for name in names}
        assert counts == self.at, f"the offsets {self.at} are of no prefix of the order, which has {counts}"
        path.write_text("".join(f"{name}\n" for name in learned))
        print("ready", flush=True)
        with path.open("a") as file:
            while not self.has_ended():
                messages = self.some(self.random.choice(names))
                file.write("".join(f"{name}\n" for name, *_ in messages))
                file.flush()
                yield messages


class Group(Partitions):
    """The partitions that the file "owners" assigns to a member, in a group whose members never share one.

    As in Kafka, a partition is assigned when its last owner has been called back or is dead: a lock tells.
    """

    def __init__(self, folder: Path, seed: int, member: str) -> None:
        super().__init__(folder, seed)
        self.member, self.locks = member, {}

    def read(self, models):
        print("ready", flush=True)
        while True:
            self.rebalance(models, json.loads((self.folder / "owners").read_text()))
            if self.has_ended() and self.at:
                break
            messages = self.some(self.random.choice(sorted(self.at))) if self.at else []
            yield from messages or [None]
        self.rebalance(models, {})

    def rebalance(self, models, owners: dict[str, str]) -> None:
        for name in [name for name in self.locks if owners.get(name) != self.member]:
            models.revoked(name)
            del self.at[name]
            self.locks.pop(name).close()
        for name in [name for name in owners if owners[name] == self.member and name not in self.locks]:
            lock = (self.folder / f"{name}.lock").open("w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.close()  # the last owner has it still
                continue
            self.locks[name] = lock
            self.at[name] = index_from(models.assigned(name) or 0)


def main() -> None:
    program, folder, seed, member = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    save_rows = random.Random(seed).choice((1, 30, 300))
    with contextlib.redirect_stderr(None):  # what is skipped
        if program == "consumer":
            consumer.run(Topics(folder, seed), folder / "model", save_rows, 0.05)
        elif program == "keyed":
            partitions = keyed_consumer.Partitions(folder)
            keyed_consumer.run(Group(folder, seed, member), partitions, save_rows, 0.05)
        else:
            join = late_labels.Join(folder / "state.db", send=lambda *_: None)
            late_labels.run(Topics(folder, seed), join, save_rows, 0.05)


if __name__ == "__main__":
    main()
