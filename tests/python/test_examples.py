"""The Python examples run, and say what they promise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GROUPS = ("all", "narrowest third", "widest third")  # of rows, by the width of their interval


def run_example(name, *arguments):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        env={**os.environ, "BUDGETRS_DATA": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.nightly
def test_active_learning_buys_less_and_learns_the_same():
    told = run_example("active_learning.py")
    assert "the same model bit for bit: yes" in told
    rows, bought, _, buying, *_ = told.split("\n\n")[0].splitlines()[-1].replace(",", "").split()
    assert int(bought) < 0.6 * int(rows), "the ramp loss asked for nearly every label"
    assert float(buying.rstrip("%")) > 97


@pytest.mark.nightly
def test_prediction_intervals_cover_what_they_promise(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "folder" / "intervals.png"
    told = run_example("prediction_intervals.py", picture)
    lines = {line.split("  ")[0]: line.replace("%", "").split() for line in told.splitlines() if line}
    coverage, width = ({part: float(lines[part][i]) for part in GROUPS} for i in (-4, -3))
    assert all(87 < coverage[part] < 93 for part in GROUPS), told
    true = float(told.split("width of the true interval: ")[1].split()[0])
    assert abs(width["all"] - true) < 0.05 * true
    assert width["narrowest third"] < 0.5 * width["widest third"]
    assert picture.stat().st_size > 10_000
    assert "no houses" in told
