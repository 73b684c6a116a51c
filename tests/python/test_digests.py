"""The comparison of digests says whether results changed, or only the names in model files."""

import runpy

import numpy as np
import pytest

from budgetrs import Classifier
from conftest import ROOT

DIGESTS = runpy.run_path(str(ROOT / "benches" / "digests.py"))


def digests(file):
    return DIGESTS["line"](DIGESTS["of_files"]([file]))


@pytest.fixture(scope="module")
def file():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return Classifier(budget=5).learn(X, X[:, 0] > 0).to_bytes()


def test_renamed_entries_change_the_file_alone(file):
    renamed = file.replace(b"learner.expansion.vectors", b"learner.expansion.support").replace(
        b"mistakes", b"failures"
    )
    assert renamed != file
    assert DIGESTS["differing"](digests(file), digests(renamed)) == {"file"}


def test_other_values_and_tensors_are_told_apart(file):
    other = file.replace(rb"\"budget\":[\"i64\",5]", rb"\"budget\":[\"i64\",6]")
    assert DIGESTS["differing"](digests(file), digests(other)) == {"file", "values"}
    other = file[:-1] + bytes([file[-1] ^ 1])
    assert DIGESTS["differing"](digests(file), digests(other)) == {"file", "tensors"}


def test_the_comparison_counts_and_names_what_differs(capsys):
    before = {"a": "file:1 tensors:1", "b": "file:1 tensors:1", "c": "refused", "gone": "refused"}
    now = [("a", "file:2 tensors:1"), ("b", "file:2 tensors:2"), ("c", "file:1 tensors:1"), ("d", "refused")]
    assert not DIGESTS["compare"](before, now)
    assert capsys.readouterr().out.splitlines() == [
        "a: names in the file differ, tensors, values and predictions are equal",
        "b: file, tensors",
        "c: no longer refused",
        "gone: is missing",
        "0 cases are equal, 1 differ in names of the file alone, 2 differ, 1 are missing, 1 are new",
    ]
    assert DIGESTS["compare"](before, before.items())
    assert DIGESTS["compare"]({"a": "file:1 tensors:1"}, now[:1])
