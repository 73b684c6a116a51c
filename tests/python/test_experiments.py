"""The experiments: their committed results are read, and missing data are reported."""

import importlib
import os
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT))  # the experiments are no part of the package

from experiments.common.cells import read_records, write_records

RESULTS = sorted(path.relative_to(ROOT) for path in ROOT.glob("experiments/*/results/*.csv"))


def run(module, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_records_are_read_as_they_were_written(tmp_path):
    records = [
        {"set": "usps", "budget": None, "score": 0.25, "points": [{"rows": 1, "at": None}], "sd": 1.0},
        {"set": "dna-1400", "budget": 100, "score": float("inf"), "points": [], "eta": 0.5},
    ]
    path = tmp_path / "folder" / "file.csv"
    write_records(records, path)
    assert read_records(path) == records
    assert read_records(tmp_path / "none.csv") == []


@pytest.mark.parametrize("path", RESULTS, ids=str)
def test_committed_results_are_reported(path, capsys):
    reports = (ROOT / path.parent.parent).glob("report*.py")
    module = next(report for report in reports if f'"{path.name}"' in report.read_text())
    name = ".".join(module.relative_to(ROOT).with_suffix("").parts)
    importlib.import_module(name).show(read_records(ROOT / path))
    assert len(capsys.readouterr().out.splitlines()) > 3


@pytest.mark.nightly
def test_missing_data_are_reported(tmp_path):
    done = run(
        "experiments.calibration.run",
        "--models",
        "merge",
        "--jobs",
        "1",
        "--out",
        str(tmp_path),
        BUDGETRS_DATA="/no",
    )
    assert done.returncode == 0, done.stderr
    assert "1 cells were left out: /no/a9a.train.libsvm.xz is missing (set BUDGETRS_DATA" in done.stdout
    assert not list(tmp_path.iterdir())


def test_a_report_without_results_says_so(tmp_path):
    done = run("experiments.calibration.report", str(tmp_path / "none.csv"))
    assert done.returncode == 1
    assert "holds no results" in done.stderr
    assert run("experiments.calibration.report", str(tmp_path / "none.csv"), "--if-any").returncode == 0
