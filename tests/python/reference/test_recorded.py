"""The results of the oracles belong to the oracles that are here."""

from recorded import MESSAGE, REGISTERED, digest, register, results


def test_the_results_are_of_these_sources():
    assert results()["digest"] == digest(), f"an oracle or its data changed: {MESSAGE}"


def test_no_results_are_left_over():
    register()
    keys = {f"{name}{case!r}" for name, (_, cases) in REGISTERED.items() for case in cases}
    assert results()["steps"].keys() == keys
