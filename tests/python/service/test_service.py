"""The example service: its answers, its limits, and what survives."""

import asyncio
import doctest
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import tomllib
import warnings
from collections import deque

import numpy as np
import pytest

import budgetrs
from budgetrs import Classifier, Regressor, set_memory_limit
from conftest import ROOT, board

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")
pytest.importorskip("uvicorn")
pytest.importorskip("pyarrow")

sys.path.insert(0, str(ROOT))

import httpx
import pyarrow as pa
from examples.service import load
from examples.service.app import create_app
from examples.service.settings import Settings
from measure.service_process import Service
from prometheus_client.parser import text_string_to_metric_families
from tests.fuzz.service import model_of_log

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Using `httpx`")  # Starlette would like its successor
    from fastapi.testclient import TestClient

TOKEN = {"Authorization": "Bearer secret"}


@pytest.fixture(autouse=True)
def memory_limit():
    before = set_memory_limit(None)
    yield
    set_memory_limit(before)


def serve(folder, **settings):
    """The application in this process; the context manager starts and ends it."""
    settings = {"token": "secret", "budget": 20, **settings}
    return TestClient(create_app(Settings(data=folder, **settings)))


def row(i, **more):
    return {"a": float(np.sin(i)), "b": float(np.cos(3 * i)), **more}


def truth(features):
    return "yes" if features["a"] * features["b"] > 0 else "no"


def ask(client, *rows, status=200):
    answer = client.post("/predict", json={"rows": list(rows)})
    assert answer.status_code == status, answer.text
    return answer.json()["predictions"] if status == 200 else answer.json()["detail"]


def tell(client, id_, label, status=200):
    answer = client.post("/label", json={"id": id_, "label": label})
    assert answer.status_code == status, answer.text
    return answer.json()["position"] if status == 200 else answer.json()["detail"]


def teach(client, rows):
    """Predict rows one by one, each labelled at once; return the last position."""
    for features in rows:
        (answer,) = ask(client, features)
        position = tell(client, answer["id"], truth(features))
    return position


def metrics(client):
    lines = client.get("/metrics").text.splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line[0] != "#"}


def saved(folder):
    """The model file of a folder, which is alone there, and its position."""
    (path,) = folder.glob("model-*")
    return path.read_bytes(), int(path.stem.removeprefix("model-"))


def test_labels_that_arrive_later_are_learned_in_the_order_of_their_arrival(tmp_path):
    with serve(tmp_path) as client:
        (first,) = ask(client, row(0))
        assert first == {"id": first["id"], "label": None, "probabilities": {}}
        answers = ask(client, *map(row, range(1, 40)))
        order = np.random.default_rng(0).permutation(39)
        for position, at in enumerate(order, 1):
            assert tell(client, answers[at]["id"], truth(row(at + 1))) == position
        (last,) = ask(client, row(40))
        assert last["label"] in {"yes", "no"}
        assert sum(last["probabilities"].values()) == pytest.approx(1)
        assert last["probabilities"][last["label"]] == max(last["probabilities"].values())
        assert tell(client, first["id"], "yes") == 40
        about = client.get("/model").json()
    assert about.pop("saved_position") <= 40
    assert about == {
        "algorithm": "online-kernel",
        "budget": 20,
        "features": ["a", "b"],
        "classes": about["classes"],
        "rows_learned": 40,
        "position": 40,
    }
    assert sorted(about["classes"]) == ["no", "yes"]
    # The end saved the model; it is the model of all rows as one batch.
    learned = [row(at + 1) for at in order] + [row(0)]
    labels = [truth(features) for features in learned[:-1]] + ["yes"]
    offline = Classifier(budget=20).learn(pa.Table.from_pylist(learned), labels)
    assert saved(tmp_path) == (offline.to_bytes(), 40)


def test_an_id_is_labelled_once(tmp_path):
    with serve(tmp_path) as client:
        (answer,) = ask(client, row(0))
        assert tell(client, answer["id"], "yes") == 1
        for label in ("yes", "no"):
            assert "label already, at position 1" in tell(client, answer["id"], label, 409)
        assert "no features wait" in tell(client, "0" * 32, "yes", 404)
        assert metrics(client)["service_log_position"] == 1
    with serve(tmp_path) as client:
        assert "at position 1" in tell(client, answer["id"], "yes", 409)


def test_concurrent_labels_of_one_id(tmp_path):
    with serve(tmp_path) as client:
        (answer,) = ask(client, row(0))
        found = []
        body = {"id": answer["id"], "label": "yes"}
        threads = [
            threading.Thread(target=lambda: found.append(client.post("/label", json=body).status_code))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == [200] + 7 * [409]


@pytest.mark.parametrize("label", [True, 3, "né"])
def test_labels_of_each_type(tmp_path, label):
    with serve(tmp_path) as client:
        tell(client, ask(client, row(0))[0]["id"], label)
        (answer,) = ask(client, row(1))
        assert answer["label"] == label
        assert type(answer["label"]) is type(label)
        key = label if isinstance(label, str) else json.dumps(label)
        assert answer["probabilities"][key] > 0
        (other,) = ask(client, row(2))
        assert tell(client, other["id"], 1 if isinstance(label, str) else "another", 422).startswith("y ")
        # The label was wrong, not the row.
        assert tell(client, other["id"], label) == 2


def test_rows_with_text_and_missing_values(tmp_path):
    towns = ("Oslo", "Rome", "Lima")
    rows = [row(i, town=towns[(i * i) % 3], c=None if i % 5 == 1 else 1.0) for i in range(60)]
    with serve(tmp_path) as client:
        teach(client, rows)
        ask(client, row(1, town=None, c=True), row(2, town="Paris", c=None))  # Paris is new: no category
        assert "numbers" in ask(client, row(1, town=1.0, c=1.0), status=422)
    # Row by row: new categories of a batch take effect at its beginning.
    offline = Classifier(budget=20)
    for features in rows:
        offline.learn(pa.Table.from_pylist([features]), [truth(features)])
    assert saved(tmp_path) == (offline.to_bytes(), 60)


def invalid(features):
    return json.dumps({"rows": [features]})


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (invalid({"a": 1.0, "b": float("inf")}), 422, "body.rows.0.b.float: Input should be a finite number"),
        (invalid({"a": 1.0, "b": float("nan")}), 422, "finite"),
        ('{"rows": [{"a": 1e999, "b": 1}]}', 422, "finite"),
        (invalid({"a": 1.0, "b": 10**400}), 422, "body.rows.0.b"),
        (invalid({"a": 1.0, "tówn": 2.0}), 422, "tówn"),
        (invalid({"": 1.0}), 422, "at least 1 character"),
        (invalid({"a": 1.0}), 422, 'got no column "b"'),
        (invalid({"a": 1.0, "b": 2.0, "c": 3.0}), 422, 'new columns "c"'),
        (invalid({"a": 1.0, "c": 3.0}), 422, "columns"),
        (invalid({"a": 1.0, "b": "x"}), 422, 'numbers in the column "b"'),
        (invalid({}), 422, ""),
        (invalid({"a": 1.0, "b": [float("inf")]}), 422, "body.rows"),
        (invalid({"a": 1.0, "b": "x" * 201}), 422, "String should have at most 200 characters"),
        (invalid({"a": 1.0, "b": "1" * 201}), 422, "String should have at most 200 characters"),
        (invalid({"a": 1.0, "b" * 201: 1.0}), 422, "body.rows"),
        (invalid({f"f{i}": 1.0 for i in range(201)}), 422, "at most 200 features, got 201"),
        ('{"rows": [{"a": 1, "b": 1}, {"a": 1}]}', 422, "row 1: x must have"),
        ('{"rows": [{"a": 1, "b": 1}, {"a": 1, "b": "x"}]}', 422, ""),
        (json.dumps({"rows": [row(0)] * 257}), 422, "at most 256 rows, got 257"),
        ('{"rows": []}', 422, "body.rows"),
        ('{"rows": {"a": 1}}', 422, "body.rows"),
        ('{"rows": [{"a": 1, "b": 1}], "more": 1}', 422, "body.more"),
        ('{"rows": [{"a": 1, "b": "\\ud800"}]}', 422, ""),
        ('{"rows": [{"a": 1, "\\ud800": 1}]}', 422, ""),
        ('{"rows": [{"a": 1, "b": ' + "1" * 5000 + "}]}", 400, ""),
        ('{"rows": ' + "[" * 100_000 + "]" * 100_000 + "}", (400, 422), ""),
        ("{", 422, "JSON"),
        ("", 422, "required"),
        (b"\xff\xfe", (400, 422), ""),
        (" " * 1_000_001, 413, "at most 1000000 bytes"),
    ],
)
def test_invalid_rows(tmp_path, body, status, reason):
    with serve(tmp_path) as client:
        teach(client, [row(0), row(1)])
        answer = client.post("/predict", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (status if isinstance(status, tuple) else (status,)), answer.text
        assert reason in answer.json()["detail"]
        assert len(answer.text) < 1000
        assert teach(client, [row(2)]) == 3


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            {"id": "x", "label": 1.5},
            "valid integer; body.label.constrained-str: Input should be a valid string",
        ),
        ({"id": "x", "label": None}, "body.label"),
        ({"id": "x", "label": ""}, "at least 1 character"),
        ({"id": "x", "label": "y" * 201}, "at most 200 characters"),
        ({"id": 1, "label": "y"}, "body.id"),
        ({"id": "x"}, "body.label"),
        ({"id": "x", "label": "y", "more": 1}, "body.more"),
    ],
)
def test_invalid_labels(tmp_path, body, reason):
    with serve(tmp_path) as client:
        answer = client.post("/label", json=body)
        assert answer.status_code == 422
        assert reason in answer.json()["detail"]


def test_a_label_beyond_64_bits(tmp_path):
    with serve(tmp_path) as client:
        (answer,) = ask(client, row(0))
        tell(client, answer["id"], 10**30, 422)
        assert tell(client, answer["id"], 10) == 1


def test_each_refused_request_is_logged(tmp_path, caplog):
    caplog.set_level("INFO")
    with serve(tmp_path) as client:
        found = [
            client.post("/predict", content=iter([b"{}"])),
            client.post("/predict", content=b" " * 1_000_001),
            client.post("/predict", content=b"{}", headers={"Content-Type": ""}),
            client.get("/predict"),
            client.get("/docs"),
            client.get("/openapi.json"),
        ]
    assert [answer.status_code for answer in found] == [411, 413, 422, 405, 404, 404]
    assert found[2].json() == {"detail": "the header must be: Content-Type: application/json"}
    assert found[3].headers["Allow"] == "POST"
    logged = [record.fields for record in caplog.records if record.message == "refused"]
    expected = [(answer.status_code, answer.json()["detail"]) for answer in found]
    assert [(line["status"], line["detail"]) for line in logged] == expected


def test_features_are_stored_as_they_came(tmp_path):
    with serve(tmp_path) as client:
        ask(client, {"tówn": "🏠" * 200})
        waiting = client.app.state.learner.waiting
        (stored,) = waiting.file.execute("SELECT length(CAST(row AS BLOB)) FROM waiting")
        assert stored[0] < 820


def test_classes_are_limited_and_an_answer_has_the_best(tmp_path):
    with serve(tmp_path, max_classes=12) as client:
        for i in range(12):
            tell(client, ask(client, row(i))[0]["id"], i)
        (answer,) = ask(client, row(0))
        assert "12 classes already, without 12" in tell(client, answer["id"], 12, 422)
        assert tell(client, answer["id"], 0) == 13
        best = list(answer["probabilities"].values())
        assert len(best) == 10
        assert best == sorted(best, reverse=True)
        assert answer["label"] == int(next(iter(answer["probabilities"])))


def test_classes_cannot_fill_the_memory(tmp_path):
    with serve(tmp_path, max_model=100_000, max_classes=1000) as client:
        for i in range(1000):
            (answer,) = ask(client, row(i))
            told = client.post("/label", json={"id": answer["id"], "label": f"class {i}"})
            if told.status_code != 200:
                break
        assert told.status_code == 422
        assert "max_memory" in told.json()["detail"]
        ask(client, row(0))


def until(condition):
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


def count(client):
    """The number of rows that wait."""
    learner = client.app.state.learner
    with sqlite3.connect(learner.settings.data / "waiting.db") as file:
        (found,) = file.execute("SELECT count(*) FROM waiting").fetchone()
    file.close()
    return found


def test_features_are_deleted_after_their_time_a_few_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("examples.service.storage.CLEAN_SECONDS", 1e9)
    monkeypatch.setattr("examples.service.storage.CLEAN_ROWS", 3)
    with serve(tmp_path, keep_days=1e-9) as client:
        answers = ask(client, *map(row, range(7)))
        waiting = client.app.state.learner.waiting
        for left in (4, 1, 0, 0):
            waiting._clean()
            assert count(client) == left
            assert metrics(client)["service_features_expired_total"] == 7 - left
        assert "no features wait" in tell(client, answers[0]["id"], "yes", 404)


@pytest.mark.parametrize("jump", [31 * 86_400, -31 * 86_400])
def test_nothing_is_deleted_after_a_jump_of_the_clock(tmp_path, monkeypatch, caplog, jump):
    monkeypatch.setattr("examples.service.storage.CLEAN_SECONDS", 1e9)
    clock = time.time
    with serve(tmp_path, keep_days=1e-9 if jump < 0 else 30) as client:
        ask(client, row(0))
        waiting = client.app.state.learner.waiting
        monkeypatch.setattr("examples.service.storage.time.time", lambda: clock() + jump)
        for _ in range(2):
            waiting._clean()
        monkeypatch.setattr("examples.service.storage.time.time", clock)
        for _ in range(2):
            waiting._clean()
        assert count(client) == 1
        jumps = [record.fields["jump_seconds"] for record in caplog.records if "jumped" in record.message]
        assert jumps == pytest.approx([jump, -jump], abs=1)
        if jump < 0:  # and afterwards the old rows are deleted
            waiting._hold_until = 0.0
            waiting._clean()
            assert count(client) == 0


def test_rows_whose_label_was_logged_just_before_a_kill_are_deleted(tmp_path):
    with serve(tmp_path) as client:
        teach(client, [row(0)])
        until(lambda: count(client) == 0)
    with sqlite3.connect(tmp_path / "log.db") as file:
        (id_,) = file.execute("SELECT id FROM log").fetchone()
    file.close()
    with sqlite3.connect(tmp_path / "waiting.db") as file:
        file.execute("INSERT INTO waiting VALUES (?, '{}', 'null', NULL, 0)", (id_,))
    file.close()
    with serve(tmp_path) as client:
        until(lambda: count(client) == 0)


def test_a_full_queue_asks_to_come_later(tmp_path, monkeypatch):
    app = create_app(Settings(data=tmp_path, queue=1))
    with TestClient(app) as client:
        learner = app.state.learner
        ids = [answer["id"] for answer in ask(client, *map(row, range(4)))]
        found = []
        threads = []
        tried, put = threading.Semaphore(0), learner.queue.put_nowait

        def putting(job):
            try:
                put(job)
            finally:
                tried.release()

        monkeypatch.setattr(learner.queue, "put_nowait", putting)
        with learner._lock:  # the writer stops at its next group
            for id_ in ids[:3]:
                body = {"id": id_, "label": "yes"}
                threads.append(
                    threading.Thread(target=lambda body=body: found.append(client.post("/label", json=body)))
                )
                threads[-1].start()
                assert tried.acquire(timeout=60)
                time.sleep(0.1)  # the writer takes the first one
            answer = client.post("/label", json={"id": ids[3], "label": "yes"})
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
            assert "waiting already" in answer.json()["detail"]
            ask(client, row(9))  # predictions do not wait for the writer
        for thread in threads:
            thread.join()
        assert {answer.status_code for answer in found} <= {200, 503}
        assert tell(client, ids[3], "yes") == sum(answer.status_code == 200 for answer in found) + 1


def test_a_label_that_cannot_be_stored_is_not_learned(tmp_path):
    app = create_app(Settings(data=tmp_path, budget=20))
    with TestClient(app) as client:
        teach(client, map(row, range(30)))
        learner = app.state.learner
        learner._log.file.execute(
            "CREATE TEMP TRIGGER full BEFORE INSERT ON main.log BEGIN SELECT RAISE(FAIL, 'disk is full'); END"
        )
        (answer,) = ask(client, row(30))
        before = metrics(client)
        assert "disk is full" in tell(client, answer["id"], "yes", 503)
        assert "log.db failed" in client.get("/readyz").json()["detail"]
        after = metrics(client)
        assert after["service_commit_failures_total"] == before["service_commit_failures_total"] + 1
        for name in ("rows_learned", "progressive_mistakes", "served_labels", "served_mistakes"):
            assert after[f"service_{name}_total"] == before[f"service_{name}_total"]
        learner._log.file.execute("DROP TRIGGER full")
        assert tell(client, answer["id"], "yes") == 31
        assert client.get("/readyz").status_code == 200
    assert saved(tmp_path)[0] == model_of_log(tmp_path, 20)


def test_a_prediction_that_cannot_be_stored(tmp_path, monkeypatch):
    with serve(tmp_path) as client:
        teach(client, map(row, range(3)))
        other = sqlite3.connect(tmp_path / "waiting.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        assert "locked" in ask(client, row(3), status=503)
        assert time.monotonic() - start < 3  # SQLite itself waits for 5 seconds
        assert client.get("/livez").status_code == 200
        assert "waiting.db failed" in client.get("/readyz").json()["detail"]
        monkeypatch.setattr("examples.service.learner.RECENT_SECONDS", 0.0)
        assert client.get("/readyz").status_code == 200  # it is worth another try
        monkeypatch.undo()
        other.close()
        assert teach(client, [row(4)]) == 4
        assert client.get("/readyz").json() == {"ready": True}
        assert metrics(client)["service_insert_failures_total"] >= 1


def test_a_reader_of_the_waiting_rows_holds_nothing_up(tmp_path, monkeypatch):
    monkeypatch.setattr("examples.service.learner.CHECKPOINT_SECONDS", 0.0)
    with serve(tmp_path) as client:
        teach(client, map(row, range(3)))
        other = sqlite3.connect(tmp_path / "waiting.db", isolation_level=None)
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM waiting").fetchone()
        start = time.monotonic()
        teach(client, map(row, range(3, 30)))
        assert time.monotonic() - start < 5
        other.close()


def test_a_writer_that_fails_answers_and_ends_the_service(tmp_path, monkeypatch):
    new = Classifier(budget=10).learn(pa.table({"a": [0.0, 1.0], "b": [1.0, 0.0]}), ["yes", "no"])
    with serve(tmp_path, save_rows=1) as client:
        teach(client, [row(0), row(1)])
        learner = client.app.state.learner
        failures = []
        monkeypatch.setattr(learner, "on_failure", lambda: failures.append(True))
        monkeypatch.setattr(learner, "_restore", lambda: 1 / 0)
        learner._log.file.execute("PRAGMA query_only = 1")
        (answer,) = ask(client, row(2))
        assert "not stored" in tell(client, answer["id"], "yes", 503)
        learner.thread.join()
        assert failures == [True]
        assert learner.failed
        assert "restart" in client.get("/readyz").json()["detail"]
        assert client.post("/model", content=new.to_bytes(), headers=TOKEN).status_code == 503
        assert "restart" in tell(client, answer["id"], "yes", 503)
    with serve(tmp_path) as client:
        assert tell(client, answer["id"], "yes") == 3
    assert saved(tmp_path) == (model_of_log(tmp_path, 20), 3)


def test_the_exit_code_of_a_writer_that_fails(tmp_path):
    with Service(tmp_path) as service, service.client() as client:
        teach(client, [row(0)])
        (answer,) = ask(client, row(1))
        with sqlite3.connect(tmp_path / "log.db") as log:
            log.execute("DROP TABLE log")
        log.close()
        assert "not stored" in tell(client, answer["id"], "yes", 503)
        assert service.process.wait(60) == 1


def test_a_gap_in_the_log_is_an_error(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(9)))
    with sqlite3.connect(tmp_path / "log.db") as log:
        log.execute("DELETE FROM log WHERE position < 5")
    log.close()
    with serve(tmp_path) as client:
        assert client.get("/model").json()["position"] == 9
    next(tmp_path.glob("model-*")).unlink()
    with pytest.raises(RuntimeError, match="no row 1"), serve(tmp_path):
        pass


def test_a_log_shorter_than_the_model_is_an_error(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(9)))
    with sqlite3.connect(tmp_path / "log.db") as log:
        log.execute("DELETE FROM log WHERE position > 4")
    log.close()
    with (
        pytest.raises(RuntimeError, match=r"log\.db ends at position 4, but the model file is at 9"),
        serve(tmp_path),
    ):
        pass
    (path,) = tmp_path.glob("model-*")
    path.rename(tmp_path / "model-000000000000.safetensors")
    (tmp_path / "log.db").unlink()
    (tmp_path / "model-abc.safetensors").write_bytes(b"")  # a file of another program
    with serve(tmp_path) as client:
        assert teach(client, [row(9)]) == 1
        assert client.get("/model").json()["rows_learned"] == 10


@pytest.mark.parametrize("name", ["log.db", "waiting.db"])
def test_a_damaged_file_is_an_error(tmp_path, name):
    with serve(tmp_path) as client:
        ask(client, *(row(i, text="x" * 200) for i in range(200)))
        teach(client, (row(i, text="y" * 200) for i in range(50)))
    path = tmp_path / name
    data = bytearray(path.read_bytes())
    data[4096 : len(data) // 2] = bytes(len(data) // 2 - 4096)
    path.write_bytes(data)
    with pytest.raises(RuntimeError, match=f"{name} cannot be used, restore it"), serve(tmp_path):
        pass


def test_a_model_is_replaced_while_the_log_goes_on(tmp_path):
    X = np.array([list(row(i).values()) for i in range(50)])
    frame = pa.table({"b": X[:, 1], "a": X[:, 0]})
    new = Classifier(budget=10).learn(frame, ["no" if v > 0 else "yes" for v in X[:, 0]])
    with serve(tmp_path, save_rows=5) as client:
        assert teach(client, map(row, range(12))) == 12
        answer = client.post("/model", content=new.to_bytes(), headers=TOKEN)
        assert (answer.status_code, answer.json()) == (200, {"position": 12})
        about = client.get("/model").json()
        assert (about["budget"], about["features"], about["rows_learned"]) == (10, ["b", "a"], 50)
        shown = metrics(client)
        assert (shown["service_model_rows"], shown["service_rows_learned_total"]) == (50, 12)
        assert shown["service_progressive_mistakes_total"] <= 12
        assert saved(tmp_path) == (new.to_bytes(), 12)
        assert teach(client, map(row, range(12, 21))) == 21
    assert saved(tmp_path) == (model_of_log(tmp_path, base=new, after=12), 21)
    with serve(tmp_path) as client:
        assert client.get("/model").json()["rows_learned"] == 59


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a valid model"),
        (b"x" * 1000, "not a valid model"),
        (Classifier(budget=5).to_bytes(), "learned rows"),
        (Classifier(budget=5).learn(*board(50)).to_bytes(), "column names"),
        (Regressor(budget=5).learn(pa.table({"a": [1.0, 2.0]}), [1.0, 2.0]).to_bytes(), "egress"),
        (Classifier("bpa-s", budget=5).learn(pa.table({"a": [1.0]}), [1]).to_bytes(), "predict_proba"),
        (
            Classifier(budget=None, maintenance="none").learn(pa.table({"a": [1.0]}), [1]).to_bytes(),
            "budget",
        ),
    ],
)
def test_an_invalid_model_leaves_the_old_one(tmp_path, data, reason):
    with serve(tmp_path) as client:
        teach(client, map(row, range(10)))
        before = client.get("/model").json()
        answer = client.post("/model", content=data, headers=TOKEN)
        assert answer.status_code == 422
        assert reason in answer.json()["detail"]
        assert client.get("/model").json() == before
        assert teach(client, [row(10)]) == 11


def test_a_model_that_cannot_be_saved_is_not_used(tmp_path):
    new = Classifier(budget=10).learn(pa.table({"a": [0.0, 1.0], "b": [1.0, 0.0]}), ["yes", "no"])
    with serve(tmp_path, save_rows=3) as client:
        obstacle = tmp_path / "model-000000000003.safetensors"
        obstacle.mkdir()
        teach(client, map(row, range(3)))
        answer = client.post("/model", content=new.to_bytes(), headers=TOKEN)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert client.get("/model").json()["rows_learned"] == 3
        shown = metrics(client)
        assert (shown["service_save_failures_total"], shown["service_saved_position"]) == (2, 0)
        obstacle.rmdir()
        assert teach(client, [row(3)]) == 4  # and now it is saved
    assert saved(tmp_path) == (model_of_log(tmp_path, 20), 4)


def test_uploads_need_the_token(tmp_path):
    with serve(tmp_path) as client:
        for wrong in ({}, {"Authorization": "Bearer secre"}, {"Authorization": "Bearer é".encode("latin-1")}):
            assert client.post("/model", content=b"", headers=wrong).status_code == 401
    with serve(tmp_path, token="") as client:
        assert client.post("/model", content=b"", headers=TOKEN).status_code == 403
        assert client.post("/model", content=b"", headers={"Authorization": "Bearer "}).status_code == 403


def test_metrics_show_the_model(tmp_path):
    with serve(tmp_path, save_rows=1) as client:
        teach(client, map(row, range(30)))
        tell(client, "unknown", "yes", 404)
        client.get("/nothing/here")
        shown = metrics(client)
        assert shown['service_requests_total{path="/predict",status="200"}'] == 30
        assert shown['service_requests_total{path="/label",status="404"}'] == 1
        assert shown['service_requests_total{path="other",status="404"}'] == 1
        assert shown['service_request_duration_seconds_count{path="/label"}'] == 31
        assert shown["service_rows_predicted_total"] == 30
        assert shown["service_rows_learned_total"] == shown["service_log_position"] == 30
        assert (
            shown["service_model_progressive_error_ratio"] == shown["service_progressive_mistakes_total"] / 30
        )
        assert shown["service_model_recent_error_ratio"] == pytest.approx(
            shown["service_model_progressive_error_ratio"]
        )
        assert shown["service_model_rows"] == 30
        assert shown["service_model_support_vectors"] <= 20
        assert shown["service_model_classes"] == 2
        assert shown["service_model_drifts"] == shown["service_model_last_drift_row"] == 0
        assert shown["service_queued_labels"] == 0
        for name in ("last_save", "writer_last_step"):
            assert shown[f"service_{name}_timestamp_seconds"] == pytest.approx(time.time(), abs=10)
        assert shown["service_disk_free_bytes"] > 0
        assert shown[f'service_build_info{{version="{budgetrs.__version__}"}}'] == 1


def test_names_and_help_of_the_metrics(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(3)))
        families = list(text_string_to_metric_families(client.get("/metrics").text))
    own = [family for family in families if family.name.startswith("service_")]
    assert len(own) > 25
    assert len({family.documentation for family in own}) == len(own)
    page = (ROOT / "docs" / "example-service.md").read_text()
    for family in own:
        assert re.fullmatch(r"[A-Z][^\n]{10,}\.", family.documentation), family
        samples = {sample.name for sample in family.samples}
        assert not any(name.endswith("_created") for name in samples)
        assert family.type != "counter" or samples <= {f"{family.name}_total"}
        shown = next(iter(samples)) if family.type in ("counter", "gauge") else family.name
        assert f"`{shown}`" in page, shown


@pytest.mark.parametrize("delay", [0, 300])
def test_the_served_error_is_the_error_of_the_answers(tmp_path, delay):
    """With late labels the progressive error is smaller: it is measured when the label arrives."""
    rng = np.random.default_rng(0)
    wrong, losses, labelled, pending = 0, 0.0, 0, deque()
    with serve(tmp_path, budget=60) as client:
        learner = client.app.state.learner

        def label_one():
            nonlocal wrong, losses, labelled
            id_, answer, y = pending.popleft()
            learner.submit(id_, y).result(60)
            if answer:
                label = max(answer, key=answer.get)
                wrong += label != y
                losses -= np.log(max(answer[label] if label == y else 1 - answer[label], 1e-15))
                labelled += 1

        for i in range(3_000):
            features = dict(zip("abc", rng.uniform(-1, 1, 3).tolist(), strict=True))
            y = "yes" if (features["a"] * features["b"] > 0) != (i // 1000 % 2 == 1) else "no"
            (answer,), answers = learner.predict([features])
            (id_,) = asyncio.run(learner.waiting.add([features], answers))
            pending.append((id_, answer, y))
            if len(pending) > delay:
                label_one()
        while pending:
            label_one()
        shown = metrics(client)
        about = client.get("/model").json()
    assert about["rows_learned"] == 3_000
    assert shown["service_served_labels_total"] == labelled == 2_999 - delay
    assert shown["service_served_mistakes_total"] == wrong
    assert shown["service_served_log_loss_total"] == pytest.approx(losses)
    assert shown["service_label_delay_seconds_count"] == 3_000
    progressive = shown["service_progressive_mistakes_total"] / 3_000
    assert progressive == shown["service_model_progressive_error_ratio"]
    if delay:
        assert wrong / labelled > progressive + 0.1
    else:
        assert wrong / labelled == pytest.approx(progressive, abs=0.005)


def test_the_answer_is_logged_with_the_label(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(5)))
        (answer,) = ask(client, row(5))
        tell(client, answer["id"], "no")
    with sqlite3.connect(tmp_path / "log.db") as log:
        first, *_, last = log.execute("SELECT answer, probability, model_rows FROM log ORDER BY position")
    log.close()
    assert first == ("null", None, 0)
    assert last == (json.dumps(answer["label"]), answer["probabilities"][answer["label"]], 5)


def test_readiness(tmp_path):
    app = create_app(Settings(data=tmp_path, queue=1))
    with TestClient(app) as client:
        learner = app.state.learner
        (answer,) = ask(client, row(0))
        assert client.get("/readyz").json() == {"ready": True}
        with learner._lock:
            learner.submit("a", "yes")
            until(learner.queue.empty)
            learner.submit("b", "yes")
            assert "almost full" in client.get("/readyz").json()["detail"]
        until(lambda: client.get("/readyz").status_code == 200)
        learner.stop()
        assert client.get("/livez").json() == {"live": True}
        assert client.get("/readyz").status_code == 503
        assert "restart" in tell(client, answer["id"], "yes", 503)
        ask(client, row(0))


@pytest.mark.parametrize("thread", ["writer", "thread of waiting.db"])
def test_a_silent_thread_is_not_ready(tmp_path, monkeypatch, thread):
    monkeypatch.setattr("examples.service.learner.SILENT_SECONDS", 4.0)
    with serve(tmp_path) as client:
        learner = client.app.state.learner
        time.sleep(0.1)
        assert client.get("/readyz").status_code == 200
        owner = learner if thread == "writer" else learner.waiting
        owner.stepped_at -= 4.0
        assert client.get("/readyz").json() == {"detail": f"the {thread} is silent"}
        until(lambda: client.get("/readyz").status_code == 200)  # after its next step


def test_the_tests_have_what_the_service_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "examples" / "service" / "requirements.txt").read_text().splitlines()
    assert {line for line in lines if line[0] != "#"} <= set(project["optional-dependencies"]["test"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BUDGETRS_SERVICE_BUDGET", "many"),
        ("BUDGETRS_SERVICE_BUDGET", "0"),
        ("BUDGETRS_SERVICE_QUEUE", "0"),
        ("BUDGETRS_SERVICE_SAVE_SECONDS", "-1"),
        ("BUDGETRS_SERVICE_KEEP_DAYS", "nan"),
        ("BUDGETRS_SERVICE_LISTEN_PORT", "70000"),
        ("BUDGETRS_SERVICE_TOKEN", "sécret"),
        ("BUDGETRS_SERVICE_QEUE", "5"),
    ],
)
def test_wrong_settings_are_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=f"^{name}: "):
        Settings.from_environment()


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("BUDGETRS_SERVICE_BUDGET", "7")
    assert Settings.from_environment().budget == 7


def test_variables_of_kubernetes_are_ignored(monkeypatch, caplog):
    """A Service named "budgetrs" or "budgetrs-service" sets these in every container."""
    for name in ("HOST", "PORT", "SERVICE_HOST", "SERVICE_PORT", "PORT_8000_TCP_ADDR"):
        monkeypatch.setenv(f"BUDGETRS_SERVICE_{name}", "tcp://10.0.0.1:8000")
    assert Settings.from_environment() == Settings()
    assert len([record for record in caplog.records if "is ignored" in record.message]) == 5


@pytest.mark.nightly
def test_what_is_acknowledged_survives_a_kill(tmp_path):
    acknowledged = {}
    for _ in range(2):
        with Service(tmp_path, budget=20, save_rows=15) as service, service.client() as client:
            assert client.get("/model").json()["position"] == len(acknowledged)
            waiting = ask(client, *map(row, range(40)))
            for i, answer in enumerate(waiting):
                acknowledged[answer["id"]] = tell(client, answer["id"], truth(row(i)))
            (last,) = ask(client, row(1))
    with Service(tmp_path, budget=20, end_seconds=1, connections=3) as service, service.client() as client:
        for id_, position in list(acknowledged.items())[::20]:
            assert f"at position {position}" in tell(client, id_, "yes", 409)
        assert tell(client, last["id"], "yes") == 81  # its features waited through the kill
        with pytest.raises(RuntimeError, match="another process uses the folder"):
            Service(tmp_path)
        port = int(service.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
            assert httpx.get(f"{service.url}/livez", trust_env=False).status_code == 503  # the third
            assert service.end() in (0, -15)  # a body that never ends does not hold it up
        lines = [json.loads(line) for line in service.logs().splitlines()]
        assert any(line["message"] == "model loaded" for line in lines)
    data, position = saved(tmp_path)
    assert position == 81
    assert data == model_of_log(tmp_path, 20)
    assert {path.name for path in tmp_path.iterdir()} <= {
        "model-000000000081.safetensors",
        "lock.db",
        *(f"{name}.db{end}" for name in ("log", "waiting") for end in ("", "-wal", "-shm")),
    }
    with sqlite3.connect(tmp_path / "log.db") as log:
        found = dict(log.execute("SELECT id, position FROM log"))
    log.close()
    assert found == {**acknowledged, last["id"]: 81}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (["--url", "http://192.0.2.1:8000"], "an address of this machine"),
        (["--url", "http://127.0.0.1.example.org"], "an address of this machine"),
        (["--url", "http://user@example.org"], "an address of this machine"),
        (["--url", "https://127.0.0.1"], "an address of this machine"),
        (["--rows", "1000001"], "--rows must be between 1 and"),
        (["--seconds", "3601"], "--seconds must be between 1 and 3600"),
        (["--clients", "0"], "--clients must be between"),
        (["--delay", "-1"], "--delay must be at least 0"),
    ],
)
def test_the_load_is_bounded_and_stays_on_this_machine(monkeypatch, capsys, wrong, reason):
    monkeypatch.setattr(sys, "argv", ["load", *wrong])
    with pytest.raises(SystemExit):
        load.arguments()
    assert reason in capsys.readouterr().err


# The options of curl that the page uses; some machines have no curl.
CURL = """
import argparse, sys, httpx
parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("url")
parser.add_argument("-s", action="store_true", required=True)
parser.add_argument("-H", action="append", default=[])
parser.add_argument("-d")
parser.add_argument("--data-binary")
given = parser.parse_args()
body = open(given.data_binary[1:], "rb").read() if given.data_binary else given.d
headers = dict(header.split(": ", 1) for header in given.H)
answer = httpx.request("POST" if body else "GET", given.url, content=body, headers=headers, trust_env=False)
sys.stdout.write(answer.text)
"""


@pytest.mark.nightly
def test_the_load_reports_and_draws(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(load, "WINDOW", 50)
    picture = tmp_path / "folder" / "accuracy.png"
    with Service(tmp_path) as service:
        options = ["--url", service.url, "--rows", "200", "--delay", "20", "--picture", str(picture)]
        monkeypatch.setattr(sys, "argv", ["load", *options])
        load.main()
    printed = capsys.readouterr().out
    assert re.search(
        r"^/predict: 200 requests, [\d,]+/s, p50 [\d.]+ ms, p99 [\d.]+ ms$", printed, re.MULTILINE
    )
    assert re.search(r"^errors: none$", printed, re.MULTILINE)
    learned = re.search(r"^service_log_position: (\d+)$", printed, re.MULTILINE)
    assert learned
    assert 160 <= int(learned[1]) <= 200
    assert picture.stat().st_size > 5_000


def test_the_load_needs_a_new_service(monkeypatch):
    def get(url, **_):
        return httpx.Response(200, json={"features": ["a", "b"]}, request=httpx.Request("GET", url))

    monkeypatch.setattr(sys, "argv", ["load", "--url", "http://127.0.0.1:9"])
    with pytest.raises(SystemExit, match="is the service running"):
        load.main()
    monkeypatch.setattr(httpx, "get", get)
    with pytest.raises(SystemExit, match=r"has learned the features \['a', 'b'\]"):
        load.main()


def test_the_newest_model_of_a_folder(tmp_path):
    text = (ROOT / "docs" / "example-service.md").read_text()
    (code,) = re.findall(r"```python\n([^`]*class Newest.*?)^Classifier\(", text, re.DOTALL | re.MULTILINE)
    exec(code, found := {})
    newest = found["Newest"](tmp_path)
    assert newest.model is None
    for i in range(3):
        with serve(tmp_path) as client:
            teach(client, [row(i)])
        newest.reload()
        assert newest.model.n_samples_seen_ == client.app.state.learner.position
    (path,) = tmp_path.glob("model-*")
    path.rename(tmp_path / "moved")
    newest.reload()
    assert newest.model.n_samples_seen_ == 3


def test_the_page_shows_what_the_service_answers(tmp_path):
    """The first block starts the service; the others are its clients, with CURL as curl."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "curl").write_text(f"#!{sys.executable}\n{CURL}")
    (tmp_path / "bin" / "curl").chmod(0o755)
    text = (ROOT / "docs" / "example-service.md").read_text()
    first, *blocks = re.findall(
        r"^```bash\n(.*?)^```(?:\n\n```text\n(.*?)\n```)?", text, re.DOTALL | re.MULTILINE
    )
    assert "BUDGETRS_SERVICE_TOKEN=secret python -m examples.service" in first[0]
    assert len(blocks) == 4
    frame = pa.table({"income": [31_000.0, 64_000.0], "town": ["Rome", "Oslo"]})
    Classifier(budget=30).learn(frame, ["no", "yes"]).save(tmp_path / "new.safetensors")
    with Service(tmp_path / "data", token="secret") as service:
        for commands, expected in blocks:
            commands = commands.replace("127.0.0.1:8000", service.url)
            done = subprocess.run(
                ["bash", "-c", f"set -e\n{commands}"],
                cwd=tmp_path,
                env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
                capture_output=True,
                text=True,
                check=True,
            )
            assert doctest.OutputChecker().check_output(expected, done.stdout, doctest.ELLIPSIS), done.stdout
