"""SIGKILL while the example service learns: every acknowledged label is in the model, to the bit."""

import json
import sqlite3
import tempfile
import threading
from pathlib import Path

import httpx
from measure.service_process import Service

import budgetrs

from .cases import Draw, expect

SECONDS = 120.0
KILLS = 4
BUDGET = 30


def case(draw: Draw) -> None:
    """Kill the service a few times in one folder, at random moments of predictions, labels and saves."""
    with tempfile.TemporaryDirectory() as name:
        folder, acknowledged = Path(name), {}
        rows = draw.rng.normal(size=(20_000, 3)).tolist()
        towns = ["Oslo", "Rome", "Lima", "Bern", "Kyiv"] if draw.chance(0.5) else None
        for _ in range(KILLS):
            save_rows = draw.choice((1, 3, 20, 1000))
            with Service(folder, budget=BUDGET, save_rows=save_rows) as service:
                after = draw.random.uniform(0, 1.0)
                draw.note(f"killed after {after:.4f} s, save_rows={save_rows}, towns={bool(towns)}")
                kill = threading.Timer(after, service.process.kill)
                kill.start()
                threads = [
                    threading.Thread(target=load, args=(service, rows, towns, acknowledged)) for _ in range(3)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                kill.join()
        check(folder, acknowledged)


def load(service: Service, rows: list, towns: list | None, acknowledged: dict) -> None:
    """Predict and label until the service is gone."""
    try:
        with service.client() as client:
            while True:
                some = [dict(zip("abc", rows.pop(), strict=True)) for _ in range(5)]
                if towns:
                    for row in some:
                        row["town"] = towns[int(abs(row["a"] * 1000)) % len(towns)]
                answers = client.post("/predict", json={"rows": some}).json()["predictions"]
                for row, answer in zip(some, answers, strict=True):
                    label = "yes" if row["a"] * row["b"] > 0 else "no"
                    told = client.post("/label", json={"id": answer["id"], "label": label})
                    if told.status_code == 200:
                        acknowledged[answer["id"]] = told.json()["position"]
    except httpx.TransportError:
        pass  # killed


def check(folder: Path, acknowledged: dict[str, int]) -> None:
    """Expect that a start and an end leave the model of the log, which has all that was acknowledged."""
    with Service(folder, budget=BUDGET) as service:
        code = service.end()
        expect(code in (0, -15), f"the service ends in order, got {code}:\n{service.logs()}")
    log = sqlite3.connect(folder / "log.db")
    positions = dict(log.execute("SELECT id, position FROM log"))
    log.close()
    lost = {id_: at for id_, at in acknowledged.items() if positions.get(id_) != at}
    expect(not lost, f"every acknowledged label is in the log at its position, lost: {lost}")
    expect(sorted(positions.values()) == list(range(1, len(positions) + 1)), "positions are 1, 2, 3, ...")
    files = sorted(path.name for path in folder.glob("*") if ".db" not in path.name)
    if not positions:
        expect(not files, f"nothing is saved before the first row: {files}")
        return
    expect(files == [f"model-{len(positions):012}.safetensors"], f"one model file is left, got {files}")
    same = (folder / files[0]).read_bytes() == model_of_log(folder, BUDGET)
    expect(same, "the model is the model of the log, learned row by row")
    expect(not list(folder.glob("*-wal")), "the files of SQLite are closed")


def model_of_log(
    folder: Path, budget: int = 0, base: budgetrs.Classifier | None = None, after: int = 0
) -> bytes:
    """Learn the rows of a log offline and return the model file."""
    model = base or budgetrs.Classifier(budget=budget)
    log = sqlite3.connect(folder / "log.db")
    rows = log.execute("SELECT row, label FROM log WHERE position > ? ORDER BY position", (after,))
    for row, label in rows:
        model.learn_one(json.loads(row), json.loads(label))
    log.close()
    return model.to_bytes()
