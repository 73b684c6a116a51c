"""The Python examples of the readme run as they stand."""

import re

import pytest

from conftest import ROOT

BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)


def test_there_are_examples():
    assert len(BLOCKS) == 5


@pytest.mark.parametrize("block", BLOCKS, ids=["estimator", "river", "native", "onnx", "comparison"])
def test_example_runs(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(block, {})
    assert capsys.readouterr().out.strip()
