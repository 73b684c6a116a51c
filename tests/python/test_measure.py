"""The measurements: recorded results are reported, options are valid, and missing data are named."""

import importlib
import os
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT))  # the measurements are no part of the package

from measure.__main__ import PATHS, parse
from measure.cells import RESULTS, Output, merge, read_records, run_cells, table, write_records

RECORDED = [*sorted(RESULTS.glob("*.csv")), RESULTS / "tables.jsonl"]
PRINTED = [path for path in sorted(RESULTS.glob("*.txt")) if path.stem != "tables"]


def run(*arguments, **environment):
    command = [sys.executable, "-m", "measure", *arguments]
    more = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=more, capture_output=True, text=True, check=False)


def module_of(name):
    try:
        return importlib.import_module(f"measure.{PATHS[name].parent.name}.{name}")
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_records_are_read_as_they_were_written(tmp_path, suffix):
    records = [
        {"set": "usps", "budget": None, "score": 0.25, "points": [{"rows": 1, "at": None}], "sd": 1.0},
        {"set": "dna-1400", "budget": 100, "score": float("inf"), "points": [], "eta": 0.5},
    ]
    path = tmp_path / "folder" / f"file{suffix}"
    write_records(records, path)
    assert read_records(path) == records
    assert read_records(tmp_path / "none.csv") == []


def test_finished_cells_are_kept_and_replaced(tmp_path):
    path = tmp_path / "file.csv"
    write_records([{"set": "a", "score": 1}, {"set": "b", "score": 2}], path)
    merge([{"set": "b", "score": 3}], [{"set": "b"}], path)
    assert read_records(path) == [{"set": "a", "score": 1}, {"set": "b", "score": 3}]
    # Without a function, measuring would fail.
    assert run_cells(Output("x"), None, [{"set": "a"}], path, 1, again=False) == [{"set": "a", "score": 1}]


def test_tables_show_what_records_lack():
    columns = (("set", -5, "{set}"), ("score", 7, "{score:.1f}"))
    lines = list(table(columns, [{"set": "a", "score": 1.25}, {"set": "b"}, {"set": "c", "score": None}]))
    assert lines == ["set    score", "a        1.2", "b          -", "c          -"]


@pytest.mark.parametrize("name", sorted(PATHS))
def test_questions_have_valid_options(name, monkeypatch):
    module = module_of(name)
    monkeypatch.setattr(sys, "argv", ["measure", name, "--quick"])
    options = vars(parse(name, module))
    assert {option: options[option] for option in module.QUICK} == module.QUICK
    assert set(module.QUICK) <= set(module.OPTIONS)


@pytest.mark.parametrize(
    "path", [path for path in RECORDED if path.stem != "prototype"], ids=lambda p: p.stem
)
def test_recorded_results_are_reported(path):
    output = Output(path.stem)
    module_of(path.stem).report(read_records(path), output)
    assert len(output.lines) > 3
    if path.stem == "tables":
        assert output.lines == [
            line.rstrip(" ") for line in path.with_suffix(".txt").read_text().splitlines()
        ]


@pytest.mark.parametrize("path", PRINTED, ids=lambda p: p.stem)
def test_recorded_output_begins_with_its_command(path):
    command = path.read_text().splitlines()[0]
    name = command.removeprefix("$ python -m measure ").split()[0]
    assert name in PATHS
    assert path.stem.partition("-")[0] == name


def test_a_question_is_measured():
    done = run("wang2010_bpa", "--quick")
    assert done.returncode == 0, done.stderr
    assert "checkerboard   100 bpa-s " in done.stdout


@pytest.mark.nightly
def test_missing_data_are_reported():
    done = run("calibration", "--quick", BUDGETRS_DATA="/no")
    assert done.returncode == 77, done.stderr
    assert "missing: /no/a9a.train.libsvm.xz is missing (set BUDGETRS_DATA" in done.stdout
