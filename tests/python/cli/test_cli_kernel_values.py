"""The warning about kernel values that are nearly all 0 or 1."""

import re

import numpy as np
import pytest

from budgetrs import Classifier
from budgetrs._core import KERNELS
from budgetrs._kernel_values import DISTANCES
from budgetrs.cli import kernel_values, main
from budgetrs.cli.batch import Batch, Csr
from conftest import DISTANCE_KERNELS, blobs, board, csv_text, libsvm_text

SMALL = ["--algorithm", "bsgd-random", "--budget", "50"]
WARNING = (
    r"budgetrs: warning: (\d+)% of the kernel values of the first rows with support vectors are "
    r"(below 0\.001|above 0\.999): gamma = (\S+) is too (large|small); try --set gamma=(\S+?)"
    r"(, --scaling fixed|), or --algorithm online-kernel, which scales features itself"
)


def trained(capsys, data, *options, command="train"):
    """What training writes to standard error."""
    output = ["-o", str(data.parent / "model")] if command == "train" else []
    capsys.readouterr()
    assert main([command, str(data), *output, "-q", *map(str, options)]) == 0
    return capsys.readouterr().err


@pytest.fixture
def raw(tmp_path):
    """Rows of which one feature is much larger than the other, far from the origin."""
    X, y = board(1500, dtype=np.float64)
    (tmp_path / "raw.csv").write_text(csv_text(X * [1000, 1] + [5000, 0], y))
    return tmp_path / "raw.csv"


@pytest.mark.parametrize("kernel", DISTANCE_KERNELS)
@pytest.mark.parametrize(("gamma", "kind"), [(1e6, "below 0.001"), (1e-9, "above 0.999"), (1, None)])
def test_every_kernel(kernel, gamma, kind, tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text(csv_text(*board(1500)))
    err = trained(capsys, data, *SMALL, "--set", f"kernel={kernel}", "--set", f"gamma={gamma}")
    if kind is None:
        assert err == ""
        return
    found = re.fullmatch(WARNING, err.strip())
    assert found.group(2) == kind
    assert found.group(3) == f"{gamma:.4g}"
    assert int(found.group(1)) >= 95
    better = found.group(5)
    assert 0.1 < float(better) < 10
    assert trained(capsys, data, *SMALL, "--set", f"kernel={kernel}", "--set", f"gamma={better}") == ""


def test_raw_features(raw, capsys):
    err = trained(capsys, raw, *SMALL, "--set", "gamma=1")
    assert "is too large" in err
    assert err.count("\n") == 1
    assert ", --scaling fixed, or" in err
    assert trained(capsys, raw, *SMALL, "--set", "gamma=1", "--scaling", "fixed") == ""
    err = trained(capsys, raw, *SMALL, "--set", "gamma=1e-9", "--scaling", "fixed")
    assert "is too small" in err
    assert "--scaling" not in err
    better = re.fullmatch(WARNING, err.strip()).group(5)
    assert trained(capsys, raw, *SMALL, "--set", f"gamma={better}", "--scaling", "fixed") == ""
    assert trained(capsys, raw) == ""
    assert trained(capsys, raw, "--set", "gamma=1e9") == ""


@pytest.mark.parametrize("rows", [9, 10, 1023, 1024])
@pytest.mark.parametrize("passes", [1, 2])
def test_after_so_many_rows_or_the_first_pass(rows, passes, tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text(csv_text(*board(rows)))
    said = trained(capsys, data, *SMALL, "--set", "gamma=1e6", "--passes", passes)
    assert said.count("warning") == (rows >= kernel_values.MIN_ROWS)
    assert trained(capsys, data, *SMALL, "--set", "gamma=1", "--passes", passes) == ""


def test_other_kernels_and_metrics(tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text(csv_text(*board(1500)))
    assert trained(capsys, data, *SMALL, "--set", "kernel=poly", "--set", "gamma=1e-9") == ""
    assert trained(capsys, data, *SMALL, "--set", "kernel=linear") == ""
    assert trained(capsys, data, *SMALL, "--set", "metric_learning=diagonal", "--set", "gamma=1e6") == ""


def test_compare_warns_too(raw, capsys):
    options = ["--algorithm", "bsgd-random", "--budget", "20,50", "--set", "gamma=1"]
    err = trained(capsys, raw, *options, command="compare")
    assert re.fullmatch(WARNING, err.strip())


def test_sparse_rows_are_as_dense_ones(tmp_path, capsys):
    X, y = blobs(1500, 2, n_features=5)
    (tmp_path / "a.csv").write_text(csv_text(X, y))
    (tmp_path / "a.libsvm").write_text(libsvm_text(X, y))
    options = [*SMALL, "--set", "gamma=1000"]
    dense, sparse = (trained(capsys, tmp_path / name, *options) for name in ("a.csv", "a.libsvm"))
    assert re.fullmatch(WARNING, dense.strip())
    assert dense == sparse


def batches(X, size):
    for start in range(0, len(X), size):
        yield Batch(X[start : start + size], None, None)


@pytest.mark.parametrize("size", [1, 100, 2000])
def test_rows_come_in_batches_of_any_size(size):
    X, y = board(2000)
    for gamma, expected in ((1e6, 1), (1.0, 0)):
        model = Classifier("bsgd-random", budget=20, gamma=gamma)
        check = kernel_values.SimilarityCheck(model)
        said = []
        for batch, labels in zip(batches(X, size), batches(y, size), strict=True):
            model.learn(batch.X, labels.X)
            said.append(check.add(batch))
        assert len([text for text in said if text]) == expected


def test_very_wide_rows_are_left_alone():
    width = kernel_values._MAX_SIZE // 100
    indices = np.arange(2048, dtype=np.int64)
    X = Csr(np.arange(2049, dtype=np.int64), indices, np.ones(2048, np.float32), (2048, width))
    model = Classifier("bsgd-random", budget=5, gamma=100.0)
    check = kernel_values.SimilarityCheck(model)
    model.learn(X, indices % 2)
    assert check.add(Batch(X, None, None)) is None
    assert check._rows == []


def test_every_sum_of_a_kernel_is_a_distance_or_a_product():
    assert {*KERNELS.values()} == {*DISTANCES, "x . x'"}


@pytest.mark.parametrize("kernel", DISTANCE_KERNELS)
@pytest.mark.parametrize("scales", [False, True])
def test_the_values_are_those_of_the_model(kernel, scales):
    X, y = board(60, dtype=np.float64)
    model = Classifier("bsgd-random", budget=None, maintenance="none", kernel=kernel, gamma=0.7)
    if scales:
        model.set_scaling([1.0, 2.0], [3.0, 0.1])
    values = model.learn(X, y)._kernel_values(X)
    np.testing.assert_allclose(values @ model.dual_coef_.ravel(), model.decision_function(X), atol=1e-12)
    assert 0 <= values.min() <= values.max() <= 1
