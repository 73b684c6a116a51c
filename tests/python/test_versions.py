"""The versions for a report of a problem, and the versions that a release states."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from unittest.mock import patch

import pytest

import budgetrs
from budgetrs import _core
from conftest import ROOT


def said(capsys):
    budgetrs.show_versions()
    return dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())


def test_versions(capsys):
    rows = said(capsys)
    assert rows["budgetrs"] == budgetrs.__version__
    for package in ("numpy", "scipy", "scikit-learn"):
        assert rows[package] == version(package)
    assert rows["SIMD level"] == _core.isa()
    assert int(rows["threads"]) >= 1
    assert rows["platform"]


def test_what_is_not_installed(capsys):
    with patch("importlib.metadata.version", side_effect=PackageNotFoundError):
        assert said(capsys)["scikit-learn"] == "not installed"


PREPARED = {
    "Cargo.toml": '[workspace.package]\nversion = "0.2.0"\n',
    "pyproject.toml": '[project]\nurls = { Repository = "https://host/o/r" }\n',
    "CHANGELOG.md": "# Changelog\n\n## 0.2.0 (2027-03-01)\n\n- A line.\n",
    "CITATION.cff": "title: budgetrs\nversion: 0.2.0\ndate-released: 2027-03-01\nlicense:\n",
}


@pytest.mark.parametrize(
    ("tag", "changed", "expected"),
    [
        ("v0.2.0", {}, []),
        (None, {}, []),
        ("main", {}, ["the tag must be v0.2.0, got main"]),
        ("v0.2.0", {"pyproject": "[project]\n"}, ["pyproject.toml needs urls.Repository"]),
        (
            "v0.2.0",
            {"CITATION": "title: budgetrs\nversion: 0.1.0\ndate-released: 2027-02-28\n"},
            ["CITATION.cff needs version: 0.2.0", "CITATION.cff needs date-released: 2027-03-01"],
        ),
        (
            "v0.2.0",
            {"CHANGELOG": "# Changelog\n\n## 0.2.0 (unreleased)\n"},
            [
                'CHANGELOG.md needs the heading "## 0.2.0 (YYYY-MM-DD)"',
                "CITATION.cff needs date-released: YYYY-MM-DD",
            ],
        ),
    ],
)
def test_what_a_release_needs(tag, changed, expected, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from release import problems

    files = {name: changed.get(name.partition(".")[0], text) for name, text in PREPARED.items()}
    assert problems(tag, files) == expected


def test_the_files_state_one_version():
    stated = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert budgetrs.__version__ == stated
    assert f"\nversion: {stated}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {stated} (" in (ROOT / "CHANGELOG.md").read_text()
