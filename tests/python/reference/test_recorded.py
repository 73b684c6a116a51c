"""The results of the oracles belong to the oracles that are here."""

from pathlib import Path

import pytest

from recorded import MESSAGE, digest, module_of, results

TESTS = [
    path.stem
    for path in sorted(Path(__file__).parent.glob("test_oracle*.py"))
    if "\n@recorded(" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", TESTS)
def test_the_results_are_of_these_sources(module):
    assert results()["digests"].get(module) == digest(module), f"its oracle or data changed: {MESSAGE}"


def test_no_results_are_left_over():
    assert {module_of(key) for key in results()["steps"]} == set(results()["digests"]) == set(TESTS)
