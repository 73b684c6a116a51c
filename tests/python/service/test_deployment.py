"""The files around the example service: what they name exists, and Prometheus' own tool accepts them."""

import json
import re
import shutil
import subprocess
import sys
import warnings

import pytest

from budgetrs import set_memory_limit
from conftest import ROOT

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")
pytest.importorskip("yaml")

sys.path.insert(0, str(ROOT))

import yaml
from examples.service.app import create_app
from examples.service.settings import PREFIX, Settings
from prometheus_client.parser import text_string_to_metric_families

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Using `httpx`")  # Starlette would like its successor
    from fastapi.testclient import TestClient

EXTRAS = ROOT / "examples/service/extras"
SUFFIXES = {
    "counter": ["_total"],
    "histogram": ["_bucket", "_count", "_sum"],
    "info": ["_info"],
    "gauge": [""],
}
SELECTOR = re.compile(r"\b((?:service|process)_\w+)(?:\{([^}]*)\})?")


def read(name):
    return (EXTRAS / name).read_text(encoding="utf-8")


def documents(name, scorer=False):
    """The documents of a YAML file, with the lines for a scorer if they are asked for."""
    text = read(name)
    return list(yaml.safe_load_all(text.replace("#| ", "") if scorer else text))


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The application, and its metrics after a few requests of each kind."""
    before = set_memory_limit(None)
    settings = Settings(data=tmp_path_factory.mktemp("data"), token="secret", budget=20)
    app = create_app(settings)
    with TestClient(app) as client:
        for i in range(20):
            body = {"rows": [{"a": i % 3, "city": "Rome" if i % 2 else "Oslo"}]}
            (answer,) = client.post("/predict", json=body).json()["predictions"]
            labels = {"labels": [{"id": answer["id"], "label": "yes" if i % 2 else "no"}]}
            assert client.post("/labels", json=labels).status_code == 200
        assert client.post("/labels", json=labels).json()["results"][0]["status"] == 409
        client.get("/readyz")
        text = client.get("/metrics").text
    set_memory_limit(before)
    return app, text


@pytest.fixture(scope="module")
def exported(service):
    """The names of the exported series, each with its labels if it has values already."""
    found = {}
    for family in text_string_to_metric_families(service[1]):
        for suffix in SUFFIXES[family.type]:
            name = family.name + suffix
            labels = [set(sample.labels) for sample in family.samples if sample.name == name]
            found[name] = set.union(*labels) if labels else None
    return found


def rules():
    (file,) = documents("alerts.yaml")
    return [rule for group in file["groups"] for rule in group["rules"]]


def expressions(name):
    if name == "alerts.yaml":
        return [rule["expr"] for rule in rules()]
    panels = json.loads(read(name))["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", [])]


@pytest.mark.parametrize("name", ["alerts.yaml", "dashboard.json"])
def test_series_and_labels_of_expressions_are_exported(name, exported):
    seen = set()
    for expression in expressions(name):
        for series, selector in SELECTOR.findall(expression):
            assert series in exported, expression
            seen.add(series)
            labels = set(re.findall(r"\b(\w+)\s*[!=]~?\s*\"", selector)) - {"job", "instance"}
            if exported[series] is not None:
                assert labels <= exported[series], expression
        by = {
            one.strip() for group in re.findall(r"\bby \(([^)]*)\)", expression) for one in group.split(",")
        }
        used = [exported[series] or set() for series, _ in SELECTOR.findall(expression) if exported[series]]
        if used:
            assert by <= set.union({"job", "instance", "le"}, *used), expression
    assert len(seen) > 15


def test_statuses_and_paths_of_expressions_are_what_the_service_answers(service):
    app, _ = service
    routes = {route.path for route in app.routes}
    for name in ("alerts.yaml", "dashboard.json"):
        for paths in re.findall(r'path!?=~?\\?"([^"\\]+)', "\n".join(expressions(name))):
            assert set(paths.split("|")) <= routes


def test_each_alert_says_how_long_how_bad_and_why():
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    alerts = [rule for rule in rules() if "alert" in rule]
    assert len({alert["alert"] for alert in alerts}) == len(alerts)
    for alert in alerts:
        assert re.fullmatch("[1-9][0-9]*[mh]", alert["for"])
        assert alert["labels"]["severity"] in {"page", "ticket"}
        assert set(alert["annotations"]) == {"summary", "why"}
    for expression in expressions("alerts.yaml"):
        assert set(re.findall(r"\bservice:\w+:\w+", expression)) <= recorded
    (queue,) = [alert for alert in alerts if alert["alert"] == "QueueAlmostFull"]
    assert queue["expr"] == f"service_queued_labels > {Settings().queue // 2}"


def test_dashboard_has_rows_and_panels_of_one_data_source():
    board = json.loads(read("dashboard.json"))
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(at["x"] + i, at["y"] + j) for i in range(at["w"]) for j in range(at["h"])}
        assert max(x for x, _ in cells) < 24
        assert not taken & cells, panel["title"]
        taken |= cells
        if panel["type"] != "row":
            assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    assert [one["name"] for one in board["templating"]["list"]] == ["datasource", "job"]


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", "kubernetes.yaml", "alerts.yaml"])
def test_variables_are_settings(name):
    found = re.findall(rf"{PREFIX}(\w+)", read(name))
    assert found
    assert {one.lower() for one in found} <= set(Settings.model_fields)


def container(name):
    """One container of the pod; the scorer's is there if its lines are used."""
    stateful, _ = documents("kubernetes.yaml", scorer=name == "scorer")
    pod = stateful["spec"]["template"]["spec"]
    (found,) = [one for one in pod["containers"] if one["name"] == name]
    return pod, found


@pytest.mark.parametrize("name", ["learner", "scorer"])
def test_probes_of_kubernetes_are_routes_and_the_pod_ends_in_time(name, service):
    app, _ = service
    routes = {route.path for route in app.routes}
    pod, found = container(name)
    ports = {port["name"]: port["containerPort"] for port in found["ports"]}
    environment = {one["name"].removeprefix(PREFIX): one.get("value", "") for one in found["env"]}
    settings = Settings.model_validate({key.lower(): value for key, value in environment.items()})
    assert settings.scorer == (name == "scorer")
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        if probe in found:
            get = found[probe]["httpGet"]
            assert get["path"] in routes
            assert ports[get["port"]] == settings.listen_port
    sleep = int(found["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] >= sleep + settings.end_seconds + 10


def test_kubernetes_runs_one_writer_on_a_volume():
    stateful, service = documents("kubernetes.yaml")
    assert stateful["kind"] == "StatefulSet"
    assert stateful["spec"]["replicas"] == 1
    pod, found = container("learner")
    assert pod["securityContext"]["runAsNonRoot"]
    assert f"USER {pod['securityContext']['runAsUser']}:" in read("Dockerfile")
    assert found["securityContext"]["readOnlyRootFilesystem"]
    folder = re.search(rf"{PREFIX}DATA=(\S+)", read("Dockerfile"))[1]
    (claim,) = stateful["spec"]["volumeClaimTemplates"]
    assert {"name": claim["metadata"]["name"], "mountPath": folder} in found["volumeMounts"]
    assert service["spec"]["selector"].items() <= stateful["spec"]["template"]["metadata"]["labels"].items()


def test_scorers_share_the_volume_of_the_learner():
    stateful, service = documents("kubernetes.yaml", scorer=True)
    learner, scorer = stateful["spec"]["template"]["spec"]["containers"]
    assert learner["volumeMounts"] == scorer["volumeMounts"]
    assert {port["targetPort"] for port in service["spec"]["ports"]} == {
        port["name"] for one in (learner, scorer) for port in one["ports"]
    }
    (compose,) = documents("compose.yaml")
    services = compose["services"]
    assert services["scorer"]["volumes"] == services["learner"]["volumes"]
    assert int(services["learner"]["stop_grace_period"].rstrip("s")) > Settings().end_seconds


def test_compose_names_files_and_targets_that_exist():
    (compose,), (prometheus,) = documents("compose.yaml"), documents("prometheus.yml")
    services = compose["services"]
    build = services["learner"]["build"]
    root = (EXTRAS / build["context"]).resolve()
    assert root == ROOT.resolve()
    assert (root / build["dockerfile"]).is_file()
    for mount in services["prometheus"]["volumes"]:
        if mount.startswith("./"):
            assert (EXTRAS / mount.split(":")[0]).is_file()
    assert all((EXTRAS / name).is_file() for name in prometheus["rule_files"])
    (job,) = prometheus["scrape_configs"]
    targets = [
        *job["static_configs"][0]["targets"],
        *(name + ":8000" for name in job["dns_sd_configs"][0]["names"]),
    ]
    assert targets == [f"{name}:{Settings().listen_port}" for name in services if name != "prometheus"]


def test_dockerfile_copies_what_exists_and_asks_for_a_route(service):
    app, _ = service
    text = read("Dockerfile")
    assert re.search(r"'GET', '(\S+)'", text)[1] in {route.path for route in app.routes}
    for copied in re.findall(r"^COPY (?!--)(\S+) ", text, re.MULTILINE):
        assert (ROOT / copied).exists()
    for line in read("Dockerfile.dockerignore").splitlines():
        if line.startswith("!"):
            assert list(ROOT.glob(line[1:])), line
    command = re.search(r"^ENTRYPOINT (\[.*\])$", text, re.MULTILINE)[1]
    assert json.loads(command) == ["python", "-m", "examples.service"]


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool, a part of Prometheus, is not on PATH")
@pytest.mark.parametrize(
    "command",
    [
        "check rules alerts.yaml",
        "check config prometheus.yml",
        "test rules alerts_test.yaml",
        "check metrics",
    ],
)
def test_promtool_accepts_the_files_and_the_metrics(command, service):
    _, text = service
    given = text if command == "check metrics" else ""
    done = subprocess.run(
        ["promtool", *command.split()], cwd=EXTRAS, input=given, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
