"""SIGKILL while the programs of examples/streams learn: each message is learned exactly once, to the bit."""

import contextlib
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from examples.streams import keyed_consumer, late_labels

import budgetrs
from budgetrs import Classifier, KeyedModels

from .cases import Draw, expect
from .pool import ROOT
from .stream_log import message, offset

SECONDS = 600.0
KILLS = 50
PROGRAMS = ("consumer", "keyed", "late")
PARTITIONS, ROWS, KEYS = 4, 400, 40  # rows are added before each start


def case(draw: Draw) -> None:
    """Kill one of the programs KILLS times at random moments."""
    program = PROGRAMS[draw.index % len(PROGRAMS)]
    draw.note(f"{program}, {KILLS} kills")
    with tempfile.TemporaryDirectory() as name:
        kill_and_compare(program, Path(name), draw.random, KILLS)


def kill_and_compare(program: str, folder: Path, rng: random.Random, kills: int) -> int:
    """Kill a program so many times, let it end, and compare; return the number of rows."""
    source = Source(program, folder, rng)
    members = ("a", "b") if program == "keyed" else ("a",)
    running: dict[str, subprocess.Popen] = {}
    with contextlib.ExitStack() as stack:
        for _ in range(kills):
            source.add(ROWS)
            source.assign(members)
            for member in members:
                if member not in running:
                    running[member] = start(program, folder, rng, member, stack)
            for _ in range(rng.randrange(1, 4)):  # in the keyed case, partitions change hands
                time.sleep(rng.uniform(0, 0.06))
                source.assign(members)
            process = running.pop(rng.choice(members))
            expect(process.poll() is None, f"{program} runs until it is killed")
            process.kill()
            process.wait()
        (folder / "end").touch()
        for process in running.values():
            process.kill()
            process.wait()
        source.assign(("a",))
        ended = start(program, folder, rng, "a", stack).wait(120)
        expect(ended == 0, f"{program} ends, got {ended}")
    COMPARE[program](folder, source.messages)
    return sum(map(len, source.messages.values()))


def start(program: str, folder: Path, rng: random.Random, member: str, stack: contextlib.ExitStack):
    """Start a program and wait until it reads its log."""
    seed = str(rng.getrandbits(32))
    command = [sys.executable, "-m", "tests.fuzz.stream_log", program, str(folder), seed, member]
    process = stack.enter_context(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
    stack.callback(process.kill)
    expect(process.stdout and process.stdout.readline() == "ready\n", f"{program} starts")
    return process


class Source:
    """Messages of random rows, some of them damaged."""

    def __init__(self, program: str, folder: Path, rng: random.Random) -> None:
        self.program, self.folder, self.rng = program, folder, rng
        topics = ("features", "labels") if program == "late" else ("rows",)
        names = [f"{topic}-{i}" for topic in topics for i in range(PARTITIONS // len(topics))]
        self.messages: dict[str, list[tuple]] = {name: [] for name in names}
        self.labels: list[dict] = []
        self.time = 0.0

    def assign(self, members: tuple[str, ...]) -> None:
        new = self.folder / "owners.new"
        new.write_text(json.dumps({name: self.rng.choice(members) for name in self.messages}))
        new.replace(self.folder / "owners")

    def add(self, rows: int) -> None:
        lines: dict[str, list[str]] = {name: [] for name in self.messages}
        for _ in range(rows):
            row = {"price": self.rng.uniform(-1, 1), "age": self.rng.uniform(-1, 1)}
            label = "yes" if row["price"] * row["age"] > 0 else "no"
            if self.program == "late":
                self.add_late(lines, row, label)
                continue
            key = self.rng.randrange(KEYS)
            text = json.dumps({**row, "label": label})
            if self.rng.random() < 0.02:
                text = self.rng.choice((text[:-3], "[]", json.dumps(row), text.replace("age", "size")))
            lines[f"rows-{key % PARTITIONS}"].append(f"{key}\t{text}")
        for name, added in lines.items():
            with (self.folder / f"{name}.log").open("a") as file:
                file.write("".join(f"{line}\n" for line in added))
            first = len(self.messages[name])
            self.messages[name] += [message(name, first + i, t.encode()) for i, t in enumerate(added)]

    def add_late(self, lines: dict[str, list[str]], row: dict, label: str) -> None:
        """Features at once, their label later: in another order, twice, too late or never."""
        self.time += late_labels.KEEP / 1000
        id_ = f"{self.time:.0f}"
        of_id = {"id": id_, "time": self.time}
        late = self.rng.choice((0, 30, 900, 1100)) * late_labels.KEEP / 1000
        self.labels += [{**of_id, "time": self.time + late, "label": label}] * self.rng.choice(
            (0, 1, 1, 1, 2)
        )
        at = {topic: f"{topic}-{int(self.time) % (PARTITIONS // 2)}" for topic in ("features", "labels")}
        if self.rng.random() < 0.02:
            lines[at["features"]].append(self.rng.choice(("\t{", "\t[]", "\t" + json.dumps(of_id))))
        lines[at["features"]].append("\t" + json.dumps({**of_id, "row": row}))
        for due in [each for each in self.labels if each["time"] <= self.time]:
            self.labels.remove(due)
            lines[at["labels"]].append("\t" + json.dumps(due))


def in_order(folder: Path, messages: dict[str, list[tuple]]) -> list[bytes]:
    """The values of all messages in the order in which they were learned."""
    following = {name: iter(each) for name, each in messages.items()}
    order = [next(following[name]) for name in (folder / "order").read_text().split()]
    expect(len(order) == sum(map(len, messages.values())), "all messages were read")
    return [value for _, _, _, value in order]


def ends(messages: dict[str, list[tuple]]) -> dict[str, int]:
    return {name: offset(len(each) - 1) + 1 for name, each in messages.items() if each}


def compare_consumer(folder: Path, messages: dict[str, list[tuple]]) -> None:
    model, skipped = Classifier(budget=100), 0
    for value in in_order(folder, messages):
        row = None
        with contextlib.suppress(ValueError):
            row = json.loads(value)
        if isinstance(row, dict) and row.keys() == {"price", "age", "label"}:
            model.learn_one({"price": row["price"], "age": row["age"]}, row["label"])
        else:
            skipped += 1
    saved = Classifier.load(folder / "model")
    total = sum(map(len, messages.values()))
    expect(saved.n_samples_seen_ == total - skipped, f"each of {total} rows is learned once, got {saved}")
    expect(saved.metadata == {"schema": 1, "offsets": ends(messages), "skipped": skipped}, saved.metadata)
    expect(saved.to_bytes(metadata={}) == model.to_bytes(), "the model is the offline model")


def compare_keyed(folder: Path, messages: dict[str, list[tuple]]) -> None:
    for name, each in messages.items():
        alone: dict[str, list] = {}
        skipped = 0
        for _, _, key, value in each:
            try:
                x, label, _ = keyed_consumer.parsed(key, value)
                alone.setdefault(key.decode(), []).append((x, label))
            except (ValueError, TypeError, KeyError):
                skipped += 1
        saved = KeyedModels.load(folder / f"{name}.budgetrs")
        expect(saved.metadata == {"offset": ends(messages)[name], "skipped": skipped}, saved.metadata)
        expect(set(saved) == set(alone), f"{name} has the keys of its messages")
        for key, rows in alone.items():
            model = Classifier("bsgd-merge", budget=20, classes=keyed_consumer.CLASSES)
            model.learn(np.array([x for x, _ in rows]), [label for _, label in rows])
            expect(saved[key].n_samples_seen_ == len(rows), f"each row of key {key} is learned once")
            expect(saved[key].to_bytes() == model.to_bytes(), f"the model of {key} is the offline model")


def compare_late(folder: Path, messages: dict[str, list[tuple]]) -> None:
    model, now, answered, mistakes, skipped = Classifier(budget=100), 0.0, 0, 0, 0
    rows: dict[str, tuple] = {}
    labels: dict[str, tuple] = {}
    for value in in_order(folder, messages):
        if value in (b"{", b"[]") or not (b'"row"' in value or b'"label"' in value):
            skipped += 1
            continue
        new = json.loads(value)
        id_ = new["id"]
        now = now if "row" in new else max(now, new["time"])
        rows = {k: v for k, v in rows.items() if v[0] >= now - late_labels.KEEP}
        labels = {k: v for k, v in labels.items() if v[0] >= now - late_labels.KEEP}
        if "row" in new:
            answer = model.predict_one(new["row"]) if model.n_samples_seen_ else None
            rows[id_] = (new["time"], new["row"], answer)
        else:
            labels.setdefault(id_, (new["time"], new["label"]))
        if id_ in rows and id_ in labels:
            (_, row, answer), (_, label) = rows.pop(id_), labels.pop(id_)
            answered += answer is not None
            mistakes += answer not in (None, label)
            model.learn_one(row, label)
    db = sqlite3.connect(folder / "state.db")
    saved = budgetrs.from_bytes(db.execute("SELECT file FROM model").fetchone()[0])
    waiting = {row[0] for row in db.execute("SELECT id FROM waiting")}
    db.close()
    state = {"answered": answered, "mistakes": mistakes, "skipped": skipped, "time": now}
    expect(saved.metadata == {"offsets": ends(messages), **state}, f"{saved.metadata}, not {state}")
    unmet = {id_ for id_, (at, *_) in [*rows.items(), *labels.items()] if at >= now - late_labels.KEEP}
    expect(waiting == unmet, "what has not met waits, and nothing else")
    expect(saved.to_bytes(metadata={}) == model.to_bytes(), "the model is the offline model")
    expect(rows and answered and mistakes and skipped, "some rows wait, some answers are wrong")


COMPARE = {"consumer": compare_consumer, "keyed": compare_keyed, "late": compare_late}
