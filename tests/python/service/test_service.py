"""The example service as a process: kills, exit codes, its page, and the load generator."""

import doctest
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import tomllib
import warnings

import pytest

from budgetrs import Classifier
from conftest import ROOT

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")
pytest.importorskip("pythonjsonlogger")
pytest.importorskip("uvicorn")

sys.path.insert(0, str(ROOT))

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Using `httpx`")  # Starlette would like its successor
    from examples.service.tests.test_service import about, ask, metrics, row, saved, serve, teach, tell, truth

from examples.service.extras import load
from measure.service_process import Service
from prometheus_client.parser import text_string_to_metric_families
from tests.fuzz.service import model_of_log

PAGE = ROOT / "docs" / "example-service.md"


def test_the_exit_code_of_a_writer_that_fails(tmp_path):
    with Service(tmp_path) as service, service.client() as client:
        teach(client, [row(0)])
        (answer,) = ask(client, row(1))
        with sqlite3.connect(tmp_path / "log.db") as log:
            log.execute("DROP TABLE log")
        log.close()
        assert "not stored" in tell(client, answer["id"], "yes", 503)
        with sqlite3.connect(tmp_path / "log.db") as log:
            log.execute("CREATE TABLE log (id TEXT, position INTEGER, label TEXT, features TEXT)")
        log.close()
        (tmp_path / "models" / "main.safetensors").write_bytes(b"damaged")
        assert "'writer' has ended" in tell(client, answer["id"], "yes", 503)
        assert service.process.wait(60) == 1


def test_the_tests_have_what_the_service_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "examples" / "service" / "requirements.txt").read_text().splitlines()
    assert {line for line in lines if line[0] != "#"} <= set(project["optional-dependencies"]["test"])


def test_the_page_names_each_metric(tmp_path):
    with serve(tmp_path) as client:
        teach(client, map(row, range(3)))
        families = list(text_string_to_metric_families(client.get("/metrics").text))
    page = PAGE.read_text()
    for family in families:
        if family.name.startswith("service_"):
            end = {"counter": "_total", "info": "_info"}.get(family.type, "")
            assert f"`{family.name}{end}`" in page, family.name


@pytest.mark.nightly
def test_what_is_acknowledged_survives_a_kill(tmp_path):
    acknowledged = {}
    for _ in range(2):
        with Service(tmp_path, budget=20, save_rows=15) as service, service.client() as client:
            assert metrics(client)["service_log_position"] == len(acknowledged)
            waiting = ask(client, *map(row, range(40)))
            for i, answer in enumerate(waiting):
                acknowledged[answer["id"]] = tell(client, answer["id"], truth(row(i)))
            (last,) = ask(client, row(1))
    with Service(tmp_path, budget=20, end_seconds=1) as service, service.client() as client:
        for id_, position in list(acknowledged.items())[::20]:
            assert f"at position {position}" in tell(client, id_, "yes", 409)
        assert tell(client, last["id"], "yes") == 81  # its features waited through the kill
        with pytest.raises(RuntimeError, match="another process uses the folder"):
            Service(tmp_path)
        port = int(service.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
            assert service.end() in (0, -15)  # a body that never ends does not hold it up
        lines = [json.loads(line) for line in service.logs().splitlines()]
        assert any(line["message"] == "models loaded" for line in lines)
    metadata = {"promoted": 1, "position": 81}
    assert saved(tmp_path) == model_of_log(tmp_path, Classifier(budget=20), metadata=metadata)
    assert {path.name for path in tmp_path.iterdir()} <= {
        "models",
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
        (["--rows", "1000001"], "--rows must be above 0 and at most"),
        (["--seconds", "3601"], "--seconds must be above 0 and at most 3600"),
        (["--clients", "0"], "--clients must be above 0"),
    ],
)
def test_the_load_is_bounded_and_stays_on_this_machine(monkeypatch, capsys, wrong, reason):
    monkeypatch.setattr(sys, "argv", ["load", *wrong])
    with pytest.raises(SystemExit):
        load.main()
    assert reason in capsys.readouterr().err


def test_the_load_needs_a_service(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["load", "--url", "http://127.0.0.1:9"])
    with pytest.raises(SystemExit, match="is the service running"):
        load.main()


@pytest.mark.nightly
def test_the_load_reports(tmp_path, monkeypatch, capsys):
    with Service(tmp_path) as service:
        monkeypatch.setattr(sys, "argv", ["load", "--url", service.url, "--rows", "200", "--delay", "20"])
        load.main()
    printed = capsys.readouterr().out
    times = r"requests, [\d,]+/s, p50 [\d.]+ ms, p99 [\d.]+ ms$"
    assert re.search(f"^/predict: 200 {times}", printed, re.MULTILINE)
    assert re.search(f"^/labels: 176 {times}", printed, re.MULTILINE)
    assert re.search(r"^errors: none$", printed, re.MULTILINE)
    assert re.search(r"^service_log_position 176.0$", printed, re.MULTILINE)


# The options of curl that the page uses; some machines have no curl.
CURL = """
import argparse, sys, httpx
parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("url")
parser.add_argument("-s", action="store_true", required=True)
parser.add_argument("-X")
parser.add_argument("-T")
parser.add_argument("-H", action="append", default=[])
parser.add_argument("-d")
given = parser.parse_args()
body = open(given.T, "rb").read() if given.T else given.d
headers = dict(header.split(": ", 1) for header in given.H)
method = given.X or ("PUT" if given.T else "POST" if body else "GET")
answer = httpx.request(method, given.url, content=body, headers=headers, trust_env=False)
sys.stdout.write(answer.text)
"""


def test_the_page_shows_what_the_service_answers(tmp_path):
    """The first block starts the service; the others are its clients, with CURL as curl."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "curl").write_text(f"#!{sys.executable}\n{CURL}")
    (tmp_path / "bin" / "curl").chmod(0o755)
    first, *blocks = re.findall(
        r"^```bash\n(.*?)^```(?:\n\n```text\n(.*?)\n```)?", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    assert "BUDGETRS_SERVICE_TOKEN=secret python -m examples.service" in first[0]
    blocks = [block for block in blocks if "127.0.0.1:8000" in block[0]]
    assert len(blocks) >= 5
    new = Classifier(budget=30)
    for income, town, label in [(31_000, "Rome", "no"), (64_000, "Oslo", "yes"), (28_000, "Rome", "no")]:
        new.learn_one({"income": income, "town": town}, label)
    new.save(tmp_path / "new.safetensors")
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
        with service.client() as client:
            assert about(client)[0] == "wide"
