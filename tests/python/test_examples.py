"""The Python examples run, and say what they promise."""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_active_learning_buys_less_and_learns_the_same():
    environment = {**os.environ, "BUDGETRS_DATA": ""}
    done = subprocess.run(
        [sys.executable, EXAMPLES / "active_learning.py"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "the same model bit for bit: yes" in done.stdout
    rows, bought, _, buying, *_ = done.stdout.split("\n\n")[0].splitlines()[-1].replace(",", "").split()
    assert int(bought) < 0.6 * int(rows), "the ramp loss asked for nearly every label"
    assert float(buying.rstrip("%")) > 97
