"""The versions for a report of a problem."""

from importlib.metadata import PackageNotFoundError, version
from unittest.mock import patch

import budgetrs
from budgetrs import _core


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
