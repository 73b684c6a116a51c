"""What fails around the example service, and what its clients see of it."""

import asyncio
import contextlib
import json
import random
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from examples.service.learner import Item, Learner
from examples.service.metrics import Metrics
from examples.service.settings import Settings
from examples.service.storage import Row

from budgetrs import Classifier

from ..cells import Options, Output, replace
from ..service_clients import LATE, MEMORY, RATE, SCRAPE_SECONDS, Load, read, served, stream, waiting_rows
from ..service_process import Service

SLOW_SECONDS = 1.0
DAY = 86_400
PROBES = ("/metrics 503", "/livez 503")
Found = tuple[Load | None, list[str], str]  # the clients, defects, and a remark
HEAD = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


@contextlib.contextmanager
def loaded(folder: Path, options: Options, **more: object) -> Iterator[tuple[Service, Load]]:
    """A service with clients, which have labels acknowledged before the block and run on after it."""
    with Service(folder, token="secret", **more) as service, Load(service, folder) as load:
        until = time.monotonic() + 60
        while len(load.acknowledged) < LATE:
            if time.monotonic() > until:
                raise RuntimeError(f"no labels are acknowledged:\n{service.logs()}")
            time.sleep(0.05)
        yield service, load
        time.sleep(options.seconds / 5)


def nothing(folder: Path, options: Options) -> Found:
    with loaded(folder, options) as (_, load):
        time.sleep(options.seconds)
    return load, [], ""


def locked(name: str, begin: str, folder: Path, options: Options) -> Found:
    """Hold a transaction open: a reading one for longer, because checkpoints come every 10 seconds."""
    with loaded(folder, options) as (_, load), contextlib.closing(sqlite3.connect(folder / name)) as file:
        file.execute(begin)
        file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        time.sleep(options.seconds * (2.4 if begin == "BEGIN" else 1.0))
        file.rollback()
    return load, [], ""


def backup(folder: Path, options: Options) -> Found:
    """Copy the files while labels arrive, and send the labels again to a service with the copies."""
    waiting_rows(folder, options.waiting, age=DAY)
    copy = folder.with_name("copy")
    with loaded(folder, options) as (_, load):
        shutil.copytree(folder / "models", copy / "models")
        for name in ("waiting.db", "log.db"):
            time.sleep(options.seconds / 2)  # as long as a slow disk takes
            acknowledged = list(load.acknowledged)
            with contextlib.closing(sqlite3.connect(folder / name)) as file:
                file.execute(f"VACUUM INTO '{copy / name}'")
    sent: Counter[object] = Counter()
    with Service(copy) as service, service.client() as client:
        for id_ in acknowledged:
            sent[(load.label(client, id_) or {"status": "failed"}).get("status", "learned")] += 1
    load.lost += sum(sent.values()) - sent[409] - sent["learned"]
    return load, [], "sent again: " + ", ".join(f"{n} {status}" for status, n in sent.items())


def sockets(n: int, head: bytes, folder: Path, options: Options) -> Found:
    """Open connections that send some bytes and then nothing."""
    with loaded(folder, options) as (service, load), contextlib.ExitStack() as opened:
        for _ in range(n):
            address = ("127.0.0.1", int(service.url.rpartition(":")[2]))
            opened.enter_context(socket.create_connection(address)).sendall(head)
        time.sleep(options.seconds)
    return load, [probe for probe in PROBES if load.failed[probe]], ""


def clock(days: tuple[int, ...], folder: Path, options: Options) -> Found:
    """Set the clock of the service to some days from now, one after the other."""
    waiting_rows(folder, LATE, age=60.0)
    file = folder.with_name("clock")
    replace(file, str(DAY * days[0]))
    environment = {"MEASURE_CLOCK": str(file)}
    with loaded(folder, options, module="measure.service_clock", environment=environment) as (_, load):
        for day in days:
            replace(file, str(DAY * day))
            time.sleep(options.seconds / 2)
    load.deleted += (
        LATE - read(folder / "waiting.db", "SELECT count(*) FROM waiting WHERE id LIKE 'old%'")[0][0]
    )
    return load, [], ""


def expired(folder: Path, options: Options) -> Found:
    waiting_rows(folder, options.expired, age=31 * DAY)
    with loaded(folder, options) as (_, load):
        time.sleep(options.seconds)
    deleted = load.scrape["service_features_expired_total"]
    return load, [], f"{deleted:,.0f} of {options.expired:,} rows deleted"


def upload(folder: Path, options: Options) -> Found:
    with loaded(folder, options) as (service, load), service.client() as client:
        for rows in (options.learned, 10):
            model = Classifier(budget=100)
            for row, label in stream(rows, seed=rows):
                model.learn_one(row, label)
            header = {"Authorization": "Bearer secret"}
            client.put("/models/main", content=model.to_bytes(), headers=header).raise_for_status()
            time.sleep(options.seconds / 2)
    labels = [load.wrong[id_] for id_ in load.acknowledged if id_ in load.wrong]
    counted = served(load.scrape, "labels"), served(load.scrape, "mistakes")
    defects = [] if counted == (len(labels), sum(labels)) else ["counters differ from answers"]
    text = f"answers {len(labels)}, wrong {sum(labels)}; counted {counted[0]:.0f}, {counted[1]:.0f}"
    return load, defects, text


def full_disk(folder: Path, options: Options) -> Found:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(folder)]
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode:
        return None, [], f"not run: {mounted.stderr.strip()}"
    try:
        with loaded(folder, options) as (_, load):
            filler = folder / "filler"
            with contextlib.suppress(OSError), filler.open("wb", 0) as file:
                while file.write(bytes(4_096)):
                    pass
            time.sleep(options.seconds)
            defects = [] if load.readiness[-1] == 503 else ["/readyz does not say 503"]
            filler.unlink()
            before = len(load.acknowledged)
            time.sleep(options.seconds / 2)
            if load.readiness[-1] != 200 or len(load.acknowledged) == before:
                defects.append("no recovery")
        return load, defects, "/readyz says 503, then 200" if not defects else ""
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def two(folder: Path, options: Options) -> Found:
    with loaded(folder, options) as (_, load):
        try:
            Service(folder).kill()
            said = "the second process starts"
        except RuntimeError as error:
            said = str(error)
    return load, [] if "another process uses the folder" in said else [said.splitlines()[-1]], ""


def cut(data: bytearray, at: int) -> None:
    del data[at:]


def flip(data: bytearray, at: int) -> None:
    data[at] ^= 1 << at % 8


def zero(data: bytearray, at: int) -> None:
    data[at : at + 512] = bytes(len(data[at : at + 512]))


async def write(folder: Path, rows: int) -> set[tuple[str, ...]]:
    """Write files as a killed service leaves them, with write-ahead logs; return what was acknowledged."""
    left, stored = folder.with_name("left"), set()
    for has_ended in (False, True):  # what the first process wrote is in the files, and in the model
        worker = Learner(Settings(data=folder), Metrics())
        worker.start()
        for at, (row, label) in enumerate(stream(rows // 2, seed=has_ended)):
            id_ = f"{has_ended} {at}"
            await worker.waiting.add({id_: Row(time.time(), row, [])})
            if at % 4:
                (result,) = await worker.learn([Item(id_, label, {}, False)])
                stored.add((id_, json.dumps(row), json.dumps(label), result["position"]))
            else:
                stored.add((id_, json.dumps(row)))
        if has_ended:
            shutil.copytree(folder, left)
        await asyncio.to_thread(worker.stop)
    shutil.rmtree(folder)
    left.rename(folder)
    return stored


def start(folder: Path, stored: set[tuple[str, ...]]) -> str:
    """Start with damaged files, and compare what is stored with what was acknowledged."""
    worker = Learner(Settings(data=folder), Metrics())
    try:
        worker.start()
    except (RuntimeError, ValueError, sqlite3.Error):  # with the reason
        return "refused"
    worker.stop()
    there = set(read(folder / "log.db", "SELECT id, features, label, position FROM log"))
    there |= set(read(folder / "waiting.db", "SELECT id, features FROM waiting"))
    found = {(row[0], len(row)) for row in there}
    missing = {len(row) for row in stored if (row[0], len(row)) not in found}
    if missing:
        return "LABELS MISSING" if 4 in missing else "FEATURES MISSING"
    return "CHANGED VALUES" if stored - there else "complete"


def damage(name: str, folder: Path, options: Options) -> Found:
    stored = asyncio.run(write(folder, options.damaged))
    draw, found = random.Random(0), Counter[str]()
    for change in [None, *([cut, flip, zero] * options.damages if name != "lock.db" else [])]:
        path = Path(shutil.copytree(folder, folder.with_name("damaged"))) / name
        data = bytearray(path.read_bytes())
        path.unlink()
        if change:
            change(data, draw.randrange(len(data)))
            path.write_bytes(data)
        how = change.__name__ if change else "removed"
        result = start(folder.with_name("damaged"), stored)
        found[result if result.islower() else f"{result} ({how})"] += 1
        shutil.rmtree(folder.with_name("damaged"))
    defects = [f"{n} {result}" for result, n in sorted(found.items()) if not result.islower()]
    return None, defects, f"{found['refused']} refused, {found['complete']} complete"


SCENARIOS: dict[str, tuple[str, Callable[[Path, Options], Found]]] = {
    "nothing": ("nothing", nothing),
    "waiting_reader": ("a reader holds waiting.db", partial(locked, "waiting.db", "BEGIN")),
    "waiting_writer": ("a writer holds waiting.db", partial(locked, "waiting.db", "BEGIN IMMEDIATE")),
    "log_writer": ("a writer holds log.db", partial(locked, "log.db", "BEGIN IMMEDIATE")),
    "backup": ("backup; labels sent to its copy", backup),
    "idle": ("250 idle connections", partial(sockets, 250, HEAD)),
    "half": ("300 requests with half a body", partial(sockets, 300, POST + b"x" * 500)),
    "clock_ahead": ("clock 31 days ahead, and back", partial(clock, (0, 31, 0))),
    "clock_behind": ("clock 31 days behind, then right", partial(clock, (-31, 0))),
    "clock_start": ("clock 31 days ahead at the start", partial(clock, (31,))),
    "expired": ("expired rows at the start", expired),
    "upload": ("upload of a model, then of 10 rows", upload),
    "full": ("full disk, then space", full_disk),
    "two": ("second process in the folder", two),
    "damage_model": ("model file damaged", partial(damage, "models/main.safetensors")),
    "damage_log": ("log.db damaged", partial(damage, "log.db")),
    "damage_wal": ("log.db-wal damaged", partial(damage, "log.db-wal")),
    "damage_waiting": ("waiting.db damaged", partial(damage, "waiting.db")),
    "damage_lock": ("lock.db removed", partial(damage, "lock.db")),
}
OPTIONS = {
    "scenarios": (tuple(SCENARIOS), "scenarios"),
    "seconds": (5.0, "seconds of a failure"),
    "waiting": (100_000, "rows in waiting.db during the backup"),
    "expired": (600_000, "expired rows in waiting.db"),
    "learned": (50_000, "rows of the first uploaded model"),
    "damaged": (600, "rows in the files that are damaged"),
    "damages": (10, "random damages of each kind"),
}
QUICK = {"scenarios": ["log_writer", "damage_log"], "seconds": 0.5, "damaged": 80, "damages": 1}
ABOUT = f"""
During each failure {RATE} predictions and {RATE} labels a second, a label {LATE} rows after its prediction,
and /metrics, /livez and /readyz every {SCRAPE_SECONDS} s. Files are in memory: no request waits for a disk.
slowest: milliseconds of the slowest request, without the time in which the clients' process stood still
fell: counters (*_total) that fell from one scrape to the next
lost: acknowledged labels that are not in the log; deleted: rows without a label that are gone
damaged: removed, cut, one bit flipped, or 512 bytes set to zero, at random places; then the service starts
complete: all acknowledged labels and all rows without a label are stored as they were sent
"""


def main(options: Options, output: Output) -> None:
    if MEMORY.is_dir():
        tempfile.tempdir = str(MEMORY)
    output.print(ABOUT.strip().splitlines())
    output(f"\n{'failure':35}{'slowest':>8} {'of':9}{'fell':>5}{'lost':>5}{'deleted':>8}  verdict")
    for name in options.scenarios:
        text, run = SCENARIOS[name]
        with tempfile.TemporaryDirectory() as folder:
            load, defects, remark = run(Path(folder, "data"), options)
        line, failed = f"{'-':>8} {'-':9}{'-':>5}{'-':>5}{'-':>8}", {}
        if load:
            path, seconds = max(load.slowest.items(), key=lambda item: item[1])
            line = f"{1e3 * seconds:>8,.0f} {path:9}{len(load.fallen):>5}"
            line += f"{load.lost:>5}{load.deleted:>8}"
            is_slow = seconds > SLOW_SECONDS
            checks = {"slow": is_slow, "fell": load.fallen, "lost": load.lost, "deleted": load.deleted}
            defects += [check for check, is_found in checks.items() if is_found]
            failed = load.failed
        verdict = f"DEFECT: {', '.join(defects)}" if defects else "" if "not run" in remark else "ok"
        output(f"{text:35}{line}  {'; '.join(filter(None, (verdict, remark)))}")
        for what, n in sorted(failed.items()):
            output(f"{'':35} {n} requests failed: {what}")
