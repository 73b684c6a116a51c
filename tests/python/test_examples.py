"""The Python example of active learning runs, and says what it promises."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT


@pytest.mark.nightly
def test_active_learning_buys_less_and_learns_the_same():
    command = [sys.executable, ROOT / "examples" / "active_learning.py"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "bit-identical to the model with all labels: True" in told
    bought, rows = re.search(r"bought ([\d,]+) of ([\d,]+) labels", told).groups()
    assert int(bought.replace(",", "")) < 0.6 * int(rows.replace(",", ""))
    assert float(re.search(r"accuracy: ([\d.]+)%", told)[1]) > 97
