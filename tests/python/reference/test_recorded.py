"""The results of the oracles belong to the oracles that are here."""

from recorded import MESSAGE, digest, results


def test_the_results_are_of_these_sources():
    assert results()["digest"] == digest(), f"an oracle or its data changed: {MESSAGE}"
