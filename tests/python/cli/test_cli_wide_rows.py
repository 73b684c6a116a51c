"""One warning about feature numbers that make budget maintenance slow."""

import numpy as np
import pytest

from conftest import run


def wide(path, most, rows=60):
    rng = np.random.default_rng(0)
    lines = [f"{i % 2} {1 + i % 2}:1 {rng.integers(3, 50)}:1" for i in range(rows)]
    path.write_text("\n".join([*lines, f"1 1:1 {most}:0.5", "0 2:1\n"]))
    return path


@pytest.mark.parametrize(
    ("most", "options", "warns"),
    [
        (1_000_000, ["--algorithm", "bsgd-merge"], "the strategy merge of bsgd-merge works on all features"),
        (200_000, ["--algorithm", "bpa-nn"], "the strategy nn of bpa-nn works on all features"),
        (200_000, ["--set", "metric_learning=none"], "--scaling online makes every row dense"),
        (1_000_000, ["--algorithm", "bsgd-random"], None),
        (1_000_000, ["--algorithm", "pegasos"], None),
        (1_000_000, ["--algorithm", "bsgd-merge", "--set", "hash_features=64"], None),
        (5_000, ["--algorithm", "bsgd-merge"], None),
    ],
)
def test_wide_rows(most, options, warns, tmp_path, capsys):
    data = wide(tmp_path / "data.libsvm", most)
    budget = [] if "pegasos" in options else ["--budget", "5"]
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "m", "-q", *budget, *options)
    found = [line for line in err.splitlines() if "has feature numbers up to" in line]
    assert (code, len(found)) == (0, int(warns is not None)), err
    assert warns is None or (warns in err and "hash_features=16384" in err)
