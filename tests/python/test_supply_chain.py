"""The crates of Cargo.lock: where they come from, their licences, and the notices in the wheel."""

import importlib.util
import re
import shutil
import tomllib

import pytest

from conftest import ROOT

pytestmark = pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo tells the crates")


@pytest.fixture(scope="module")
def third_party():
    """Import the script that writes the notices."""
    spec = importlib.util.spec_from_file_location("third_party", ROOT / "scripts" / "third_party.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def metadata(third_party):
    """Ask cargo for the packages of Cargo.lock."""
    return third_party.metadata()


@pytest.fixture(scope="module")
def deny():
    """Read what cargo-deny is told."""
    return tomllib.loads((ROOT / "deny.toml").read_text())


def test_the_notices_list_the_crates_that_are_linked(third_party, metadata):
    text = third_party.NOTICES.read_text()
    packages = third_party.linked(metadata)
    crates = [f"{package['name']} {package['version']}" for package in packages]
    assert third_party.listed(text) == crates, "run scripts/third_party.py"
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    assert set(crates) <= {f"{package['name']} {package['version']}" for package in lock}
    # Each has a text of its own or shares one, and the core's own dependencies are there.
    heads = re.findall(rf"^{'=' * 80}\n(.*)\n{'=' * 80}\n\n(?=\S)", text, re.MULTILINE)
    assert sorted(crate for head in heads for crate in head.split(", ")) == crates
    assert {"pyo3", "numpy", "safetensors", "serde_json", "sha2"} <= {crate.split()[0] for crate in crates}


def test_the_notices_are_in_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "THIRD_PARTY.txt" in project["license-files"]


def test_a_crate_that_is_missing_is_found(third_party, monkeypatch, tmp_path, capsys):
    text = third_party.NOTICES.read_text()
    monkeypatch.setattr(third_party, "NOTICES", tmp_path / "THIRD_PARTY.txt")
    monkeypatch.setattr("sys.argv", ["third_party.py", "--check"])
    third_party.NOTICES.write_text(text)
    assert third_party.main() == 0
    third_party.NOTICES.write_text(re.sub(r"^sha2 .*\n", "", text, flags=re.MULTILINE))
    assert third_party.main() == 1
    assert "missing: ['sha2 " in capsys.readouterr().err


def test_every_crate_comes_from_the_registry(deny, metadata):
    allowed = {f"registry+{url}" for url in deny["sources"]["allow-registry"]}
    assert {package["source"] for package in metadata["packages"]} == {None, *allowed}
    assert deny["sources"]["unknown-registry"] == deny["sources"]["unknown-git"] == "deny"


def allowed(expression, licences):
    """Tell whether a licence expression is satisfied by some of the licences, as SPDX means it."""
    for whole in re.findall(r"\(([^()]*)\)", expression):
        if not allowed(whole, licences):
            return False
        expression = expression.replace(f"({whole})", min(licences))
    either = re.split(r" OR |/", expression)
    return any(all(name in licences for name in one.split(" AND ")) for one in either)


def test_every_licence_is_allowed(deny, metadata):
    licences = set(deny["licenses"]["allow"])
    assert not allowed("GPL-3.0-only", licences)
    assert not allowed("(MIT OR GPL-3.0-only) AND GPL-3.0-only", licences)
    assert allowed("(MIT OR GPL-3.0-only) AND Zlib", licences)
    wrong = {p["name"]: p["license"] for p in metadata["packages"] if not allowed(p["license"], licences)}
    assert wrong == {}
    # None is allowed in vain.
    used = " ".join(package["license"] for package in metadata["packages"])
    assert {licence for licence in licences if licence not in used} == set()
