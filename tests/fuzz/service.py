"""SIGKILL while the example service learns: every acknowledged label is in each model, to the bit."""

import contextlib
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
TOKEN = {"Authorization": "Bearer secret"}
TOWNS = ("Oslo", "Rome", "Lima", "Bern", "Kyiv")


def truth(row: dict) -> str:
    return "yes" if row["a"] * row["b"] > 0 else "no"


class Clients:
    """What the clients of one folder have sent, and what was acknowledged."""

    def __init__(self, draw: Draw) -> None:
        self.random, self.rows = draw.random, draw.rng.normal(size=(50_000, 3)).tolist()
        self.has_towns = draw.chance(0.5)
        self.labels: dict[str, list[tuple[str, int]]] = {}  # label and position, by id
        self.uploads: dict[str, list[tuple[bytes, int]]] = {"main": [(b"", 0)]}  # that a model may come from
        self.removed: set[str] = set()  # that may be missing
        self.champions = {"main"}

    def row(self) -> dict:
        row = dict(zip("abc", self.rows.pop(), strict=True))
        return row | ({"town": TOWNS[int(abs(row["a"] * 1000)) % len(TOWNS)]} if self.has_towns else {})

    def predict_and_label(self, service: Service) -> None:
        """Predict and label, also in batches, with own ids, without a prediction, and with corrections."""
        with service.client() as client:
            while True:
                rows = [self.row() for _ in range(self.random.choice((1, 2, 5, 40)))]
                ids = [f"id {self.random.getrandbits(60)}" for _ in rows]
                labels = [{"label": truth(row)} for row in rows]
                kind = self.random.choice(("service ids", "own ids", "features"))
                if kind == "features":
                    for label, row, id_ in zip(labels, rows, ids, strict=True):
                        label |= {"features": row, "id": id_}
                else:
                    own = {"ids": ids} if kind == "own ids" else {}
                    answer = client.post("/predict", json={"rows": rows, **own}).json()
                    for label, prediction in zip(labels, answer["predictions"], strict=True):
                        label["id"] = prediction["id"]
                if self.random.random() < 0.2 and self.labels:
                    id_ = self.random.choice(list(self.labels))
                    labels.append({"id": id_, "label": self.random.choice(("yes", "no")), "corrects": True})
                self.random.shuffle(labels)
                found = client.post("/labels", json={"labels": labels})
                if found.status_code == 200:
                    for label, result in zip(labels, found.json()["results"], strict=True):
                        if "position" in result:
                            pair = (label["label"], result["position"])
                            self.labels.setdefault(label["id"], []).append(pair)

    def change_models(self, service: Service) -> None:
        """Upload, promote and remove models; each upload says how much of the log it has learned."""
        with service.client(headers=TOKEN) as client:
            while True:
                names = list(self.uploads)
                kind = self.random.choice(("upload", "upload", "promote", "remove"))
                if kind == "upload":
                    name = self.random.choice((*names, f"model-{len(names)}"))
                    model = budgetrs.Classifier(budget=self.random.randint(5, 40))
                    for row in [self.row() for _ in range(self.random.choice((2, 30)))]:
                        model.learn_one(row, truth(row))
                    position = max((at for pairs in self.labels.values() for _, at in pairs), default=0)
                    data = model.to_bytes(metadata={"position": position})
                    if name not in self.uploads:
                        self.removed.add(name)  # until it is acknowledged
                    self.uploads.setdefault(name, []).append((data, position))
                    if client.put(f"/models/{name}", content=data).status_code == 200:
                        self.uploads[name] = [(data, position)]
                        self.removed.discard(name)
                name = self.random.choice(names)
                if kind == "promote":
                    self.champions.add(name)
                    if client.post(f"/models/{name}/promote").status_code == 200:
                        self.champions = {name}
                if kind == "remove" and name not in self.champions:
                    self.removed.add(name)
                    client.delete(f"/models/{name}")


def case(draw: Draw) -> None:
    """Kill the service a few times in one folder, at random moments of predictions, labels and saves."""
    with tempfile.TemporaryDirectory() as name:
        folder, clients = Path(name), Clients(draw)
        changes = draw.chance(0.7)
        settings = {"budget": BUDGET, "token": "secret", "models": 4}
        for _ in range(KILLS):
            save_rows = draw.choice((1, 3, 20, 1000))
            with Service(folder, save_rows=save_rows, **settings) as service:
                after = draw.random.uniform(0, 1.5)
                draw.note(f"killed after {after:.4f} s, save_rows={save_rows}, changes={changes}")
                kill = threading.Timer(after, service.process.kill)
                kill.start()
                runs = 3 * [clients.predict_and_label] + changes * [clients.change_models]
                threads = [threading.Thread(target=until_killed, args=(run, service)) for run in runs]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                kill.join()
        check(folder, clients, settings)


def until_killed(run, service: Service) -> None:
    with contextlib.suppress(httpx.TransportError):
        run(service)


def check(folder: Path, clients: Clients, settings: dict) -> None:
    """Expect that a start and an end leave the models of the log, which has all that was acknowledged."""
    with Service(folder, **settings) as service:
        with service.client() as client:
            champion = client.get("/models").json()["champion"]
        code = service.end()
        expect(code in (0, -15), f"the service ends in order, got {code}:\n{service.logs()}")
    expect(champion in clients.champions, f"the champion {champion} is among {clients.champions}")
    log = sqlite3.connect(folder / "log.db")
    logged = {
        at: (id_, json.loads(label)) for at, id_, label in log.execute("SELECT position, id, label FROM log")
    }
    waiting = sqlite3.connect(folder / "waiting.db")
    left = {id_ for (id_,) in waiting.execute("SELECT id FROM waiting")}
    log.close()
    waiting.close()
    lost = [
        (id_, pair)
        for id_, pairs in clients.labels.items()
        for pair in pairs
        if logged.get(pair[1]) != (id_, pair[0])
    ]
    expect(not lost, f"every acknowledged label is in the log at its position, lost: {lost}")
    expect(sorted(logged) == list(range(1, len(logged) + 1)), "positions are 1, 2, 3, ...")
    expect(not left & {id_ for id_, _ in logged.values()}, "no row waits that has its label")
    files = {path.name for path in folder.glob("models/*")}
    names = {f"{name}.safetensors" for name in clients.uploads}
    needed = {f"{name}.safetensors" for name in clients.uploads if name not in clients.removed}
    expect(needed <= files <= names, f"the files are those of the models {names}, got {files}")
    for file in files:
        found = (folder / "models" / file).read_bytes()
        bases = clients.uploads[file.removesuffix(".safetensors")]
        same = any(found == expected(folder, found, *base) for base in bases)
        expect(same, f"{file} has learned the rows of the log after its position, one by one")
    expect(not list(folder.glob("*-wal")), "the files of SQLite are closed")


def expected(folder: Path, found: bytes, base: bytes, position: int) -> bytes:
    model = budgetrs.Classifier.from_bytes(base) if base else budgetrs.Classifier(budget=BUDGET)
    metadata = budgetrs.Classifier.from_bytes(found).metadata
    return model_of_log(folder, model, position, metadata)


def model_of_log(
    folder: Path, model: budgetrs.Classifier, after: int = 0, metadata: dict | None = None
) -> bytes:
    """Learn the rows of a log offline and return the model file."""
    log = sqlite3.connect(folder / "log.db")
    rows = log.execute("SELECT features, label FROM log WHERE position > ? ORDER BY position", (after,))
    for features, label in rows:
        model.learn_one(json.loads(features), json.loads(label))
    log.close()
    return model.to_bytes(metadata=metadata)
