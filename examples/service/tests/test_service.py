"""The service: its answers, its limits, and what survives. Copy this file with the service."""

import json
import re
import sqlite3
import threading
import time
import warnings
from collections import deque

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

import budgetrs
from budgetrs import Classifier, Regressor, set_memory_limit

from .. import models, storage, worker
from ..app import create_app
from ..settings import Settings

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


def ask(client, *rows, status=200, **more):
    answer = client.post("/predict", json={"rows": list(rows), **more})
    assert answer.status_code == status, answer.text
    return answer.json()["predictions"] if status == 200 else answer.json()["detail"]


def tell(client, id_, label, status=200, **more):
    """Send one label; return its position, or why it was refused."""
    answer = client.post("/labels", json={"labels": [{"id": id_, "label": label, **more}]})
    if answer.status_code != 200:
        assert answer.status_code == status, answer.text
        return answer.json()["detail"]
    (result,) = answer.json()["results"]
    assert result["id"] == id_
    assert result.get("status", 200) == status, result
    return result["position"] if status == 200 else result["detail"]


def teach(client, rows):
    """Predict rows one by one, each labelled at once; return the last position."""
    for features in rows:
        (answer,) = ask(client, features)
        position = tell(client, answer["id"], truth(features))
    return position


def offline(rows, position, budget=20, **more):
    """The file of a model that learns the rows one by one."""
    model = Classifier(budget=budget)
    for features in rows:
        model.learn_one(features, truth(features))
    return model.to_bytes(metadata={"promoted": 1, "position": position, **more})


def of_log(folder, model, after=0, **metadata):
    """The file of a model that learns the log after a position."""
    with sqlite3.connect(folder / "log.db") as log:
        found = log.execute("SELECT features, label FROM log WHERE position > ? ORDER BY position", (after,))
        for features, label in found.fetchall():
            model.learn_one(json.loads(features), json.loads(label))
    log.close()
    return model.to_bytes(metadata=metadata)


def saved(folder, name="main"):
    return (folder / "models" / f"{name}.safetensors").read_bytes()


def about(client, name="main"):
    found = client.get("/models").json()
    return found["champion"], {model["name"]: model for model in found["models"]}.get(name)


def metrics(client):
    lines = client.get("/metrics").text.splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line[0] != "#"}


def served(what, model="main", role="champion"):
    return f'service_served_{what}_total{{model="{model}",role="{role}"}}'


def until(condition):
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


class Blocked:
    """Holds the writer up."""

    def __init__(self, client):
        self.event = threading.Event()
        self.thread = threading.Thread(
            target=client.portal.call, args=(client.app.state.worker.do, self.event.wait)
        )

    def __enter__(self):
        self.thread.start()
        time.sleep(0.2)

    def __exit__(self, *_):
        self.event.set()
        self.thread.join()


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
        assert tell(client, first["id"], truth(row(0))) == 40
        name, found = about(client)
    assert name == "main"
    assert sorted(found.pop("classes")) == ["no", "yes"]
    assert found.pop("saved_position") <= 40
    assert found == {
        "name": "main",
        "algorithm": "online-kernel",
        "budget": 20,
        "features": ["a", "b"],
        "rows_learned": 40,
    }
    # The end saved the model.
    assert saved(tmp_path) == offline([row(at + 1) for at in order] + [row(0)], 40)


def test_many_labels_of_one_request(tmp_path):
    with serve(tmp_path) as client:
        rows = [*map(row, range(100))]
        answers = ask(client, *rows)
        pairs = [*zip(answers, rows, strict=True)]
        labels = [{"id": answer["id"], "label": truth(features)} for answer, features in pairs]
        labels[50:50] = [{"id": "unknown", "label": "yes"}, labels[0]]
        results = client.post("/labels", json={"labels": labels}).json()["results"]
        assert [result["id"] for result in results] == [label["id"] for label in labels]
        assert [results[50]["status"], results[51]["status"]] == [404, 409]
        positions = [result["position"] for result in results if "position" in result]
        assert positions == [*range(1, 101)]
        shown = metrics(client)
        assert shown["service_rows_learned_total"] == 100
        assert shown['service_labels_refused_total{status="404"}'] == 1
        assert shown['service_labels_refused_total{status="409"}'] == 1
    assert saved(tmp_path) == offline(rows, 100)


def test_an_id_is_labelled_once(tmp_path):
    with serve(tmp_path) as client:
        (answer,) = ask(client, row(0))
        assert tell(client, answer["id"], "yes") == 1
        for label in ("yes", "no"):
            assert "label already, at position 1" in tell(client, answer["id"], label, 409)
        assert "no features wait" in tell(client, "0" * 32, "yes", 404)
    with serve(tmp_path) as client:
        assert "at position 1" in tell(client, answer["id"], "yes", 409)


def test_concurrent_labels_of_one_id(tmp_path):
    with serve(tmp_path) as client:
        (answer,) = ask(client, row(0))
        found = []
        body = {"labels": [{"id": answer["id"], "label": "yes"}]}

        def label():
            (result,) = client.post("/labels", json=body).json()["results"]
            found.append(result.get("status", 200))

        threads = [threading.Thread(target=label) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == [200] + 7 * [409]


def test_ids_of_the_client(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(10)))
        ids = ["order 1", "ordér 2"]
        assert [answer["id"] for answer in ask(client, row(1), row(2), ids=ids)] == ids
        ask(client, row(3), ids=ids[:1])  # asked again: the last row and answer count
        assert tell(client, ids[0], truth(row(3))) == 11
        assert tell(client, ids[1], truth(row(2))) == 12
        assert "10 different" not in ask(client, row(1), row(2), ids=["x", "x"], status=422)
        assert "ids" in ask(client, row(1), row(2), ids=["x"], status=422)
        assert "ids" in ask(client, row(1), ids=[""], status=422)
    assert saved(tmp_path) == offline(map(row, [*range(10), 3, 2]), 12)


def test_features_and_label_in_one_request(tmp_path):
    with serve(tmp_path) as client:
        labels = [{"features": row(i), "label": truth(row(i))} for i in range(50)]
        labels[0]["id"] = "first"
        results = client.post("/labels", json={"labels": labels}).json()["results"]
        assert [result["position"] for result in results] == [*range(1, 51)]
        assert len({result["id"] for result in results}) == 50
        assert "already" in tell(client, "first", "yes", 409, features=row(0))
        # A row that waits was answered: it counts, not the features of the label.
        ask(client, row(50), ids=["waits"])
        assert tell(client, "waits", truth(row(50)), features=row(0)) == 51
        shown = metrics(client)
        assert shown[served("labels")] == shown["service_label_delay_seconds_count"] == 1
    assert saved(tmp_path) == offline(map(row, range(51)), 51)


def test_corrections(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(9)))
        (answer,) = ask(client, row(9))
        id_, label = answer["id"], truth(row(9))
        wrong = {"yes": "no", "no": "yes"}[label]
        assert "no label to correct" in tell(client, id_, label, 404, corrects=True)
        assert tell(client, id_, wrong) == 10
        assert tell(client, id_, label, corrects=True) == 11
        assert "at position 11" in tell(client, id_, label, 409, corrects=True)
        assert "at position 11" in tell(client, id_, wrong, 409)
        shown = metrics(client)
        assert shown["service_corrections_total"] == 1
        assert shown[served("labels")] == 9  # a row is served once
    model = Classifier(budget=20)
    for i in range(9):
        model.learn_one(row(i), truth(row(i)))
    for known in (wrong, label):
        model.learn_one(row(9), known)
    assert saved(tmp_path) == model.to_bytes(metadata={"promoted": 1, "position": 11})


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


def test_inputs_are_counted_before_their_labels(tmp_path):
    towns = ("Oslo", "Rome", "Lima")
    rows = [row(i, town=towns[(i * i) % 3], c=None if i % 5 == 1 else 1.0) for i in range(60)]
    with serve(tmp_path) as client:
        teach(client, rows)
        time.sleep(0.1)
        before = metrics(client)
        ask(client, row(1, town=None, c=None), row(2, town="Paris", c=None), row(3, town="Rome", c=True))
        assert "numbers" in ask(client, row(1, town=1.0, c=1.0), status=422)
        change = {name: value - before.get(name, 0) for name, value in metrics(client).items()}
    assert change['service_missing_values_total{feature="c"}'] == 2
    assert change['service_missing_values_total{feature="town"}'] == 1
    assert change['service_unseen_categories_total{feature="town"}'] == 1
    assert change["service_top_probability_count"] == 3
    labels = [f'service_predictions_total{{label="{label}"}}' for label in ("yes", "no")]
    assert sum(change[label] for label in labels) == 3
    assert saved(tmp_path) == offline(rows, 60)


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
        ('{"rows": [{"a": 1, "b": 1}], "ids": ["\\ud800"]}', 422, ""),
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
    ("label", "reason"),
    [
        ({"id": "x", "label": 1.5}, "valid integer; body.labels.0.label.constrained-str: Input should be a"),
        ({"id": "x", "label": None}, "body.labels.0.label"),
        ({"id": "x", "label": ""}, "at least 1 character"),
        ({"id": "x", "label": "y" * 201}, "at most 200 characters"),
        ({"id": 1, "label": "y"}, "body.labels.0.id"),
        ({"id": "x"}, "body.labels.0.label"),
        ({"id": "x", "label": "y", "more": 1}, "body.labels.0.more"),
        ({"id": "x", "label": "y", "features": {f"f{i}": 1.0 for i in range(201)}}, "at most 200 features"),
        ({"id": "x", "label": "y", "features": {"a": float("nan")}}, "finite"),
        ({"id": "x", "label": "y", "corrects": 1}, "body.labels.0.corrects"),
    ],
)
def test_invalid_labels(tmp_path, label, reason):
    with serve(tmp_path) as client:
        for labels in ([label], [{"id": "y", "label": "y"}, label]):
            answer = client.post("/labels", content=json.dumps({"labels": labels}), headers=JSON)
            assert answer.status_code == 422
            expected = reason.replace("labels.0", f"labels.{len(labels) - 1}")
            assert expected in answer.json()["detail"]


JSON = {"Content-Type": "application/json"}


def test_too_many_labels(tmp_path):
    with serve(tmp_path, max_rows=3) as client:
        answer = client.post("/labels", json={"labels": [{"id": "x", "label": "y"}] * 4})
        assert (answer.status_code, answer.json()) == (422, {"detail": "at most 3 labels, got 4"})


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
            client.get("/nothing"),
        ]
        tell(client, "unknown", "yes", 404)
    assert [answer.status_code for answer in found] == [411, 413, 422, 405, 404]
    assert found[2].json() == {"detail": "the header must be: Content-Type: application/json"}
    assert found[3].headers["Allow"] == "POST"
    logged = [record for record in caplog.records if record.message == "refused"]
    expected = [(answer.status_code, answer.json()["detail"]) for answer in found]
    assert [(line.status, line.detail) for line in logged[:-1]] == expected
    assert (logged[-1].status, logged[-1].count) == (404, 1)


def test_too_many_requests(tmp_path):
    with serve(tmp_path, max_requests=1) as client, Blocked(client):
        client.app.state.worker.metrics.open_requests += 1
        assert "1 requests are open" in ask(client, row(0), status=503)
        for path in ("/livez", "/readyz", "/metrics"):
            assert client.get(path).status_code == 200
        client.app.state.worker.metrics.open_requests -= 1
        assert metrics(client)['service_requests_total{path="/predict",status="503"}'] == 1
        ask(client, row(0))


def test_features_are_stored_as_they_came(tmp_path):
    with serve(tmp_path) as client:
        ask(client, {"tówn": "🏠" * 200})
        with sqlite3.connect(tmp_path / "waiting.db") as file:
            (stored,) = file.execute("SELECT length(CAST(features AS BLOB)) FROM waiting")
        file.close()
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
            label = {"features": row(i), "label": f"class {i}"}
            (result,) = client.post("/labels", json={"labels": [label]}).json()["results"]
            if "status" in result:
                break
        assert result["status"] == 422
        assert "max_memory" in result["detail"]
        ask(client, row(0))


def count(client):
    """The number of rows that wait."""
    return client.app.state.worker.waiting.count()


def test_features_are_deleted_after_their_time_a_few_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "CLEAN_SECONDS", (1e9, 1e9))
    monkeypatch.setattr(storage, "CLEAN_ROWS", 3)
    with serve(tmp_path, keep_days=1e-9) as client:
        answers = ask(client, *map(row, range(7)))
        waiting = client.app.state.worker.waiting
        for left in (4, 1, 0, 0):
            waiting._clean(time.monotonic())
            assert count(client) == left
            shown = metrics(client)
            assert (shown["service_features_expired_total"], shown["service_waiting_rows"]) == (
                7 - left,
                left,
            )
        assert "no features wait" in tell(client, answers[0]["id"], "yes", 404)


@pytest.mark.parametrize("jump", [31 * 86_400, -31 * 86_400])
def test_the_clock_of_the_machine_deletes_nothing(tmp_path, monkeypatch, jump):
    """Rows age while the service runs, however wrong the clock was or is."""
    clock = time.time
    for wrong in ((0, jump), (jump, 0)):
        folder = tmp_path / str(wrong[0])
        for change in wrong:
            monkeypatch.setattr(time, "time", lambda change=change: clock() + change)
            with serve(folder) as client:
                ask(client, row(0))
                time.sleep(1.2)  # a cleaning
        with serve(folder) as client:
            assert count(client) == 2
    with sqlite3.connect(folder / "waiting.db") as file:
        ((running,),) = file.execute("SELECT clock FROM state")
        assert 1 < running < 1_000
        file.execute("UPDATE state SET clock = clock + 31 * 86400")
    file.close()
    with serve(folder) as client:
        until(lambda: count(client) == 0)


def test_rows_whose_label_was_logged_just_before_a_kill_are_deleted(tmp_path):
    with serve(tmp_path) as client:
        teach(client, [row(0)])
        until(lambda: count(client) == 0)
    with sqlite3.connect(tmp_path / "log.db") as file:
        (id_,) = file.execute("SELECT id FROM log").fetchone()
    file.close()
    with sqlite3.connect(tmp_path / "waiting.db") as file:
        file.execute("INSERT INTO waiting VALUES (?, 0.0, '{}', '[]', 0.0)", (id_,))
    file.close()
    with serve(tmp_path) as client:
        until(lambda: count(client) == 0)


def test_a_full_queue_asks_to_come_later(tmp_path):
    with serve(tmp_path, queue=3) as client:
        learner = client.app.state.worker
        ids = [answer["id"] for answer in ask(client, *map(row, range(8)))]
        found = []

        def label(some):
            found.append(
                client.post("/labels", json={"labels": [{"id": id_, "label": "yes"} for id_ in some]})
            )

        with Blocked(client):
            threads = [threading.Thread(target=label, args=[some]) for some in (ids[:2], ids[2:3])]
            for thread in threads:
                thread.start()
            until(lambda: learner.queued_labels == 3)
            assert "almost full" in client.get("/readyz").json()["detail"]
            answer = client.post("/labels", json={"labels": [{"id": ids[3], "label": "yes"}]})
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
            assert answer.json() == {"detail": "3 labels are waiting already"}
            ask(client, row(9))  # predictions do not wait for the writer
        for thread in threads:
            thread.join()
        assert [answer.status_code for answer in found] == [200, 200]
        label(ids[3:])  # more than the queue may have, but it is empty
        assert found[-1].json()["results"][-1]["position"] == 8
        assert client.get("/readyz").status_code == 200


def test_labels_that_cannot_be_stored_are_not_learned(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(30)))
        learner = client.app.state.worker
        learner._log.file.execute(
            "CREATE TEMP TRIGGER full BEFORE INSERT ON main.log WHEN new.position > 31"
            " BEGIN SELECT RAISE(FAIL, 'disk is full'); END"
        )
        answers = ask(client, row(30), row(31))
        labels = [{"id": answer["id"], "label": "yes"} for answer in answers]
        before = metrics(client)
        answer = client.post("/labels", json={"labels": labels})
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert "disk is full" in answer.json()["detail"]
        assert "log.db failed" in client.get("/readyz").json()["detail"]
        after = metrics(client)
        assert after["service_commit_failures_total"] == before["service_commit_failures_total"] + 1
        for name in (
            "service_rows_learned_total",
            served("labels"),
            served("mistakes"),
            "service_log_position",
        ):
            assert after[name] == before[name]
        learner._log.file.execute("DROP TRIGGER full")
        results = client.post("/labels", json={"labels": labels}).json()["results"]
        assert [result["position"] for result in results] == [31, 32]
        assert client.get("/readyz").status_code == 200
    assert saved(tmp_path) == of_log(tmp_path, Classifier(budget=20), promoted=1, position=32)


def test_a_log_that_another_process_holds(tmp_path, monkeypatch):
    with serve(tmp_path) as client:
        teach(client, map(row, range(3)))
        monkeypatch.setattr(client.app.state.worker, "_restore", lambda: 1 / 0)  # nothing was learned
        (answer,) = ask(client, row(3))
        other = sqlite3.connect(tmp_path / "log.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        assert "locked" in tell(client, answer["id"], "yes", 503)
        assert time.monotonic() - start < 3
        assert "log.db failed" in client.get("/readyz").json()["detail"]
        other.close()
        assert tell(client, answer["id"], "yes") == 4


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
        monkeypatch.setattr(storage, "RECENT_SECONDS", 0.0)
        assert client.get("/readyz").status_code == 200  # it is worth another try
        monkeypatch.undo()
        other.close()
        assert teach(client, [row(4)]) == 4
        assert client.get("/readyz").json() == {"ready": True}
        assert metrics(client)["service_insert_failures_total"] >= 1


def test_a_reader_of_the_waiting_rows_holds_nothing_up(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "CHECKPOINT_SECONDS", 0.0)
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
    new = Classifier(budget=10)
    for i in range(9):
        new.learn_one(row(i), truth(row(i)))
    with serve(tmp_path, save_rows=1) as client:
        teach(client, [row(0), row(1)])
        learner = client.app.state.worker
        failures = []
        monkeypatch.setattr(learner, "on_failure", lambda: failures.append(True))
        monkeypatch.setattr(learner, "_restore", lambda: 1 / 0)
        learner._log.file.execute(
            "CREATE TEMP TRIGGER full BEFORE INSERT ON main.log BEGIN SELECT RAISE(FAIL, 'disk is full'); END"
        )
        (answer,) = ask(client, row(2))
        assert "'writer' has ended" in tell(client, answer["id"], "yes", 503)
        learner._thread.join()
        assert failures == [True]
        assert learner.has_failed()
        assert "restart" in client.get("/readyz").json()["detail"]
        assert client.put("/models/new", content=new.to_bytes(), headers=TOKEN).status_code == 503
        assert "restart" in tell(client, answer["id"], "yes", 503)
    with serve(tmp_path) as client:
        assert tell(client, answer["id"], "yes") == 3
    assert saved(tmp_path) == of_log(tmp_path, Classifier(budget=20), promoted=1, position=3)


def test_the_thread_of_waiting_rows_ends_the_service_if_it_fails(tmp_path, monkeypatch):
    with serve(tmp_path) as client:
        waiting = client.app.state.worker.waiting
        failures = []
        monkeypatch.setattr(waiting, "on_failure", lambda: failures.append(True))
        monkeypatch.setattr(waiting, "work", lambda _jobs: 1 / 0)
        assert "'waiting' has ended" in ask(client, row(0), status=503)
        waiting._thread.join()
        assert failures == [True]
        assert client.app.state.worker.has_failed()
        assert "'waiting' has ended" in client.get("/readyz").json()["detail"]


def test_a_gap_in_the_log_is_an_error(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(9)))
    with sqlite3.connect(tmp_path / "log.db") as log:
        log.execute("DELETE FROM log WHERE position < 5")
    log.close()
    with serve(tmp_path) as client:
        assert metrics(client)["service_log_position"] == 9
    (tmp_path / "models" / "main.safetensors").unlink()
    with pytest.raises(RuntimeError, match="no row 1"), serve(tmp_path):
        pass


def test_a_log_shorter_than_the_model_is_an_error(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(9)))
    with sqlite3.connect(tmp_path / "log.db") as log:
        log.execute("DELETE FROM log WHERE position > 4")
    log.close()
    (tmp_path / "waiting.db").unlink()
    ends = r"log\.db ends at position 4, but the model 'main' is at 9"
    with pytest.raises(RuntimeError, match=ends), serve(tmp_path):
        pass
    model = Classifier.load(tmp_path / "models" / "main.safetensors")
    (tmp_path / "new" / "models").mkdir(parents=True)
    model.save(tmp_path / "new" / "models" / "main.safetensors", metadata={})
    with serve(tmp_path / "new") as client:
        assert teach(client, [row(9)]) == 1
        assert about(client)[1]["rows_learned"] == 10


def test_a_log_shorter_than_what_was_acknowledged_is_an_error(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(9)))
        until(lambda: client.app.state.worker.waiting.position() == 9)
    (tmp_path / "log.db").unlink()
    (tmp_path / "models" / "main.safetensors").unlink()
    with (
        pytest.raises(RuntimeError, match=r"log\.db ends at position 0, not 9: restore log\.db"),
        serve(tmp_path),
    ):
        pass


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


def trained(rows, budget=10):
    model = Classifier(budget=budget)
    for i in rows:
        model.learn_one(row(i), truth(row(i)))
    return model


def put(client, name, model, status=200, **metadata):
    data = model if isinstance(model, bytes) else model.to_bytes(metadata=metadata)
    answer = client.put(f"/models/{name}", content=data, headers=TOKEN)
    assert answer.status_code == status, answer.text
    return answer.json()["position" if status == 200 else "detail"]


def test_the_champion_is_replaced_while_the_log_goes_on(tmp_path):
    new = trained(range(50, 100))
    with serve(tmp_path, save_rows=5) as client:
        assert teach(client, map(row, range(12))) == 12
        assert put(client, "main", new, git="abc") == 12
        name, found = about(client)
        assert (name, found["budget"], found["rows_learned"]) == ("main", 10, 50)
        shown = metrics(client)
        gauge = 'service_model_rows{model="main",role="champion"}'
        assert (shown[gauge], shown["service_rows_learned_total"]) == (50, 12)
        assert saved(tmp_path) == new.to_bytes(metadata={"git": "abc", "position": 12, "promoted": 1})
        assert teach(client, map(row, range(12, 21))) == 21
    expected = of_log(tmp_path, new, after=12, git="abc", position=21, promoted=1)
    assert saved(tmp_path) == expected
    with serve(tmp_path) as client:
        assert about(client)[1]["rows_learned"] == 59


def test_a_challenger_learns_the_log_is_compared_and_promoted(tmp_path):
    with serve(tmp_path, save_rows=7) as client:
        teach(client, map(row, range(40)))
        # It was trained on the first 25 rows of the log; the service teaches it the rest.
        assert put(client, "wide", trained(range(25), budget=35), position=25) == 40
        assert about(client)[0] == "main"
        assert about(client, "wide")[1]["rows_learned"] == 40
        asked = [*map(row, range(40, 60))]
        answers = ask(client, *asked)
        challenger = trained(range(40), budget=35)
        wrong = sum(challenger.predict_one(features) != truth(features) for features in asked)
        assert client.post("/models/wide/promote", headers=TOKEN).json() == {"position": 40}
        assert about(client)[0] == "wide"
        for answer, features in zip(answers, asked, strict=True):
            tell(client, answer["id"], truth(features))
        shown = metrics(client)
        assert shown[served("labels")] == 20 + 39  # the champion's, when it answered
        assert shown[served("labels", "wide", "challenger")] == 20
        assert shown[served("mistakes", "wide", "challenger")] == wrong
        assert 'service_model_rows{model="main",role="challenger"}' in shown
        with sqlite3.connect(tmp_path / "log.db") as log:
            (text,) = log.execute("SELECT answers FROM log WHERE position = 41").fetchone()
        log.close()
        assert [(answer[0], *answer[3:]) for answer in json.loads(text)] == [
            ("main", 40, True),
            ("wide", 40, False),
        ]
    with serve(tmp_path) as client:
        assert about(client)[0] == "wide"
        assert teach(client, [row(60)]) == 61
        client.post("/models/main/promote", headers=TOKEN)  # back again
    with serve(tmp_path) as client:
        assert about(client)[0] == "main"
        answer = client.delete("/models/main", headers=TOKEN)
        assert (answer.status_code, "champion" in answer.json()["detail"]) == (409, True)
        assert saved(tmp_path, "wide") == trained(range(61), 35).to_bytes(
            metadata={"position": 61, "promoted": 2}
        )
        assert client.delete("/models/wide", headers=TOKEN).status_code == 200
        assert about(client, "wide") == ("main", None)
        for answer in (
            client.delete("/models/wide", headers=TOKEN),
            client.post("/models/wide/promote", headers=TOKEN),
        ):
            assert answer.status_code == 404
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["main.safetensors"]
    assert saved(tmp_path) == trained(range(61), 20).to_bytes(metadata={"position": 61, "promoted": 3})


def test_a_challenger_skips_rows_that_it_cannot_learn(tmp_path):
    other = Classifier(budget=10)
    for i in range(9):
        other.learn_one({"a": float(i)}, "yes" if i % 2 else "no")
    expected = other.to_bytes(metadata={"position": 25, "promoted": 0})
    with serve(tmp_path, save_rows=3) as client:
        teach(client, map(row, range(20)))
        put(client, "narrow", other)
        teach(client, map(row, range(20, 25)))
        assert metrics(client)['service_rows_skipped_total{model="narrow"}'] == 5
        assert served("labels", "narrow", "challenger") not in metrics(client)
    assert saved(tmp_path, "narrow") == expected
    with serve(tmp_path) as client:
        assert about(client)[0] == "main"
        assert teach(client, [row(25)]) == 26


def test_a_challenger_does_not_replace_a_champion_that_is_not_saved(tmp_path):
    with serve(tmp_path) as client:
        put(client, "a", trained(range(5)))
        files = {path.name: path.read_bytes() for path in (tmp_path / "models").iterdir()}
    for name, data in files.items():  # as after a kill
        (tmp_path / "models" / name).write_bytes(data)
    with serve(tmp_path) as client:
        assert about(client)[0] == "main"


def test_a_file_in_the_folder_is_a_model(tmp_path):
    """A trained model learns the rows logged from now on, a new one learns the whole log."""
    (tmp_path / "models").mkdir()
    trained(range(5)).save(tmp_path / "models" / "first.safetensors")
    with serve(tmp_path) as client:
        assert about(client)[0] == "first"
        teach(client, map(row, range(5, 15)))
    trained(range(7)).save(tmp_path / "models" / "a.safetensors")
    Classifier(budget=15).save(tmp_path / "models" / "b.safetensors")
    with serve(tmp_path) as client:
        assert about(client, "a")[0] == "first"
        assert [about(client, name)[1]["rows_learned"] for name in ("a", "b", "first")] == [7, 10, 15]
    assert saved(tmp_path, "a") == trained(range(7)).to_bytes(metadata={"position": 10})


def test_no_answer_is_of_a_model_that_was_not_promoted(tmp_path, monkeypatch):
    """Uploaded metadata promote nothing, not even while the file is saved."""
    with serve(tmp_path) as client:
        teach(client, map(row, range(9)))
        put(client, "b", trained(range(9)))
        client.post("/models/b/promote", headers=TOKEN)
        client.post("/models/main/promote", headers=TOKEN)
        champions, save = [], models.Models.save

        def watched(self, *args, **more):
            champions.append(self.champion)
            save(self, *args, **more)

        monkeypatch.setattr(models.Models, "save", watched)
        put(client, "main", trained(range(9)))
        put(client, "c", trained(range(9)), promoted=99)
        put(client, "c", trained(range(9)), 422, promoted="x")
        assert set(champions) == {"main"}


def test_the_columns_of_an_uploaded_champion_are_counted(tmp_path):
    rows = [{"town": "Rome" if i % 2 else "Oslo"} for i in range(9)]
    new = Classifier(budget=5)
    for i in range(9):
        new.learn_one({"city": "Rome" if i % 2 else "Oslo"}, "yes" if i % 2 else "no")
    with serve(tmp_path) as client:
        for features in rows:
            client.post("/labels", json={"labels": [{"features": features, "label": "yes"}]})
        put(client, "main", new)
        ask(client, {"city": "Lima"}, {"city": "Rome"})
        shown = metrics(client)
        assert shown['service_unseen_categories_total{feature="city"}'] == 1
        assert 'service_missing_values_total{feature="town"}' not in shown


@pytest.mark.parametrize(
    ("model", "metadata", "reason"),
    [
        (Classifier(budget=5).learn([[0.0], [1.0]], [0, 1]), {}, "column names"),
        (Classifier("bpa-s", budget=5).learn_one({"a": 1.0}, 1), {}, "predict_proba"),
        (Classifier(budget=5), {"position": "x"}, "'position'"),
    ],
)
def test_an_invalid_file_is_named(tmp_path, caplog, model, metadata, reason):
    path = tmp_path / "models" / "bad.safetensors"
    with serve(tmp_path) as client, serve(tmp_path, scorer=True) as scorer:
        teach(client, [row(0)])
        model.save(path, metadata=metadata)
        until(lambda: "the old ones stay" in caplog.text)
        assert about(scorer)[0] == "main"  # the scorer goes on
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}: .*{reason}"), serve(tmp_path):
        pass


def test_the_write_ahead_log_is_bounded_beside_a_scorer(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "WAL_BYTES", 100_000)
    monkeypatch.setattr(storage, "CHECKPOINT_SECONDS", 0.0)
    with serve(tmp_path) as client, serve(tmp_path, scorer=True) as scorer:
        end = time.monotonic() + 4

        def load(one):
            while time.monotonic() < end:
                ask(one, *map(row, range(50)))

        threads = [threading.Thread(target=load, args=[one]) for one in (client, scorer)]
        for thread in threads:
            thread.start()
        sizes = []
        while time.monotonic() < end:
            sizes.append((tmp_path / "waiting.db-wal").stat().st_size)
            time.sleep(0.02)
        for thread in threads:
            thread.join()
        assert count(client) > 1_000
        assert max(sizes) < 1_000_000


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a valid model"),
        (b"x" * 1000, "not a valid model"),
        (Classifier(budget=5).to_bytes(), "learned rows"),
        (Classifier(budget=5).learn([[0.0], [1.0]], [0, 1]).to_bytes(), "column names"),
        (Regressor(budget=5).learn_one({"a": 1.0}, 1.0).to_bytes(), "egress"),
        (Classifier("bpa-s", budget=5).learn_one({"a": 1.0}, 1).to_bytes(), "predict_proba"),
        (Classifier(budget=None, maintenance="none").learn_one({"a": 1.0}, 1).to_bytes(), "budget"),
        (trained([1]).to_bytes(metadata={"position": 11}), "'position'"),
        (trained([1]).to_bytes(metadata={"position": "1"}), "'position'"),
    ],
)
def test_an_invalid_model_leaves_the_old_one(tmp_path, data, reason):
    with serve(tmp_path) as client:
        teach(client, map(row, range(10)))
        before = client.get("/models").json()
        assert reason in put(client, "main", data, 422)
        assert client.get("/models").json() == before
        assert teach(client, [row(10)]) == 11


def test_the_number_and_names_of_models_are_limited(tmp_path):
    with serve(tmp_path, models=2) as client:
        teach(client, map(row, range(3)))
        put(client, "b", trained(range(3)))
        assert "at most 2 models" in put(client, "c", trained(range(3)), 409)
        put(client, "b", trained(range(4)))
        assert "from 0 to 3" in put(client, "b", trained(range(3)), 422, position=4)
        for name in ("B", "a.b", "é", "x" * 51):
            assert "path.name" in put(client, name, trained(range(3)), 422)


def test_a_model_that_cannot_be_saved_is_not_used(tmp_path, monkeypatch):
    with serve(tmp_path, save_rows=3) as client:
        save = models.Models.save

        def failing(*_, **__):
            raise OSError("no space")

        monkeypatch.setattr(models.Models, "save", failing)
        teach(client, map(row, range(3)))
        answer = client.put("/models/main", content=trained(range(9)).to_bytes(), headers=TOKEN)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert about(client)[1]["rows_learned"] == 3
        shown = metrics(client)
        assert shown["service_save_failures_total"] >= 2
        assert shown["service_saved_position"] == 0
        monkeypatch.setattr(models.Models, "save", save)
        assert teach(client, [row(3)]) == 4  # and now it is saved
    assert saved(tmp_path) == offline(map(row, range(4)), 4)


def test_changes_of_models_need_the_token(tmp_path):
    with serve(tmp_path) as client:
        for wrong in ({}, {"Authorization": "Bearer secre"}, {"Authorization": "Bearer é".encode("latin-1")}):
            assert client.put("/models/x", content=b"", headers=wrong).status_code == 401
            assert client.delete("/models/main", headers=wrong).status_code == 401
            assert client.post("/models/main/promote", headers=wrong).status_code == 401
    with serve(tmp_path, token="") as client:
        for headers in (TOKEN, {"Authorization": "Bearer "}):
            assert client.put("/models/x", content=b"", headers=headers).status_code == 403


def test_a_scorer_follows_the_learner(tmp_path):
    with serve(tmp_path, save_rows=1) as client, serve(tmp_path, scorer=True) as scorer:
        assert ask(scorer, row(0))[0]["label"] is None
        teach(client, map(row, range(30)))
        until(lambda: about(scorer)[1]["rows_learned"] == 30)
        (answer,) = ask(scorer, row(30))
        assert answer["probabilities"] == ask(client, row(30))[0]["probabilities"]
        assert "only predicts" in tell(scorer, answer["id"], "yes", 403)
        assert scorer.delete("/models/main", headers=TOKEN).status_code == 403
        assert tell(client, answer["id"], truth(row(30))) == 31  # the learner has the row and the answer
        assert metrics(client)[served("labels")] == 30
        put(client, "other", trained(range(40)))
        client.post("/models/other/promote", headers=TOKEN)
        until(lambda: about(scorer)[0] == "other")
        assert scorer.get("/readyz").status_code == 200
        until(lambda: metrics(scorer)["service_waiting_rows"] == 2)


def test_metrics_show_the_model(tmp_path):
    with serve(tmp_path, save_rows=1) as client:
        teach(client, map(row, range(30)))
        tell(client, "unknown", "yes", 404)
        client.get("/nothing/here")
        until(lambda: metrics(client)["service_saved_position"] == 30)
        shown = metrics(client)
        model = '{model="main",role="champion"}'
        assert shown['service_requests_total{path="/predict",status="200"}'] == 30
        assert shown['service_requests_total{path="/labels",status="200"}'] == 31
        assert shown['service_requests_total{path="other",status="404"}'] == 1
        assert shown['service_request_duration_seconds_count{path="/labels"}'] == 31
        assert shown["service_rows_predicted_total"] == 30
        assert shown["service_rows_learned_total"] == shown["service_log_position"] == 30
        assert 0 < shown[f"service_model_progressive_error_ratio{model}"] < 1
        assert shown[f"service_model_rows{model}"] == 30
        assert shown[f"service_model_support_vectors{model}"] <= 20
        assert shown[f"service_model_drifts{model}"] == 0
        assert shown["service_queued_labels"] == 0
        for name in ("last_save", "last_step"):
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
    for family in own:
        assert re.fullmatch(r"[A-Z][^\n]{6,}\.", family.documentation), family
        samples = {sample.name for sample in family.samples}
        assert not any(name.endswith("_created") for name in samples)
        assert family.type != "counter" or samples <= {f"{family.name}_total"}


@pytest.mark.parametrize("delay", [0, 300])
def test_the_served_error_is_the_error_of_the_answers(tmp_path, delay):
    """With late labels the progressive error is smaller: it is measured when the label arrives."""
    rng = np.random.default_rng(0)
    wrong, losses, labelled, pending = 0, 0.0, 0, deque()
    with serve(tmp_path, budget=60) as client:

        def label(n):
            nonlocal wrong, losses, labelled
            some = [pending.popleft() for _ in range(n)]
            labels = [{"id": answer["id"], "label": y} for answer, y in some]
            assert client.post("/labels", json={"labels": labels}).status_code == 200
            for answer, y in some:
                if answer["label"]:
                    probability = answer["probabilities"][answer["label"]]
                    wrong += answer["label"] != y
                    losses -= np.log(max(probability if answer["label"] == y else 1 - probability, 1e-15))
                    labelled += 1

        for i in range(300):  # ten rows at once
            rows = [dict(zip("abc", x, strict=True)) for x in rng.uniform(-1, 1, (10, 3)).tolist()]
            truths = ["yes" if (x["a"] * x["b"] > 0) != (i // 100 % 2 == 1) else "no" for x in rows]
            pending.extend(zip(ask(client, *rows), truths, strict=True))
            if len(pending) > delay:
                label(10)
        while pending:
            label(10)
        shown = metrics(client)
    assert shown["service_log_position"] == 3_000
    assert shown[served("labels")] == labelled == 2_990 - delay
    assert shown[served("mistakes")] == wrong
    assert shown[served("log_loss")] == pytest.approx(losses)
    progressive = shown['service_model_progressive_error_ratio{model="main",role="champion"}']
    if delay:
        assert wrong / labelled > progressive + 0.1
    else:
        assert wrong / labelled == pytest.approx(progressive, abs=0.02)


def test_readiness(tmp_path):
    with serve(tmp_path) as client:
        (answer,) = ask(client, row(0))
        assert client.get("/readyz").json() == {"ready": True}
        client.app.state.worker.stop()
        assert client.get("/livez").json() == {"live": True}
        assert client.get("/readyz").status_code == 503
        assert "restart" in tell(client, answer["id"], "yes", 503)


@pytest.mark.parametrize("thread", ["writer", "waiting"])
def test_a_silent_thread_is_not_ready(tmp_path, monkeypatch, thread):
    monkeypatch.setattr(worker, "SILENT_SECONDS", 4.0)
    with serve(tmp_path) as client:
        learner = client.app.state.worker
        time.sleep(0.1)
        assert client.get("/readyz").status_code == 200
        owner = learner if thread == "writer" else learner.waiting
        owner.stepped_at -= 4.0
        assert client.get("/readyz").json() == {"detail": f"the thread {thread!r} is silent"}
        until(lambda: client.get("/readyz").status_code == 200)  # after its next step


def test_the_schema_has_each_request_and_answer(tmp_path):
    with serve(tmp_path) as client:
        schema = client.get("/openapi.json").json()
    for path, methods in schema["paths"].items():
        for method, one in methods.items():
            if (method, path) in {("post", "/predict"), ("post", "/labels"), ("put", "/models/{name}")}:
                assert one["requestBody"]["content"]
                assert "$ref" in one["responses"]["200"]["content"]["application/json"]["schema"]
    assert {"/predict", "/labels", "/models", "/models/{name}/promote"} <= schema["paths"].keys()


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
