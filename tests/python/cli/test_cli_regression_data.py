"""Numbers in data files of every format, as ``--task regression`` reads them."""

import gzip
import lzma
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from budgetrs import Regressor
from budgetrs._core import Reader
from budgetrs.cli import main
from conftest import csv_text, libsvm_text, unnamed
from test_cli import run
from test_cli_regression import BPA, SMALL, errors, of_test, waves


def test_every_format_says_the_same(tmp_path, capsys):
    X, y = waves(500)
    text, sparse = csv_text(X, y.tolist()), libsvm_text(X, y.tolist())
    content = {
        "plain.csv": ("first,second,number\n" + text).encode(),
        "packed.csv.xz": lzma.compress(text.encode()),
        "first.csv": csv_text(X, y.tolist(), first=True).replace(",", ";").encode(),
        "quoted.csv": re.sub(r",([^,\n]+)\n", r',"\1"\n', text).encode(),
        "data.libsvm": sparse.encode(),
        "packed.libsvm.gz": gzip.compress(sparse.encode()),
    }
    for name, data in content.items():
        (tmp_path / name).write_bytes(data)
    np.save(tmp_path / "matrix.npy", np.column_stack([X, y]))
    np.savez(tmp_path / "arrays.npz", X=X, y=y)
    more = {"first.csv": ["--target", "0", "--delimiter", ";"]}
    for path in sorted(tmp_path.iterdir()):
        options = more.get(path.name, [])
        model = tmp_path / "model"
        code, said = run(capsys, "train", path, "-o", model, *SMALL, *BPA, *options, "--test", path)
        # Sparse rows are summed in another order.
        rows = scipy.sparse.csr_array(X) if "libsvm" in path.name else X
        rows = pd.DataFrame(X, columns=["first", "second"]) if path.name == "plain.csv" else rows
        native = Regressor("bpa-nn", budget=20, gamma=2.0, epsilon=0.01).learn(rows, y)
        assert (code, of_test(said)) == (0, errors(native.predict(rows), y)), path.name
        assert unnamed(model) == native.to_bytes()


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32, bool])
def test_arrays_of_other_types(kind, tmp_path, capsys):
    X, _ = waves(300)
    y = np.random.default_rng(0).integers(0, 2 if kind is bool else 200, 300).astype(kind)
    np.savez(tmp_path / "data.npz", X=X, y=y)
    assert run(capsys, "train", tmp_path / "data.npz", "-o", tmp_path / "model", *SMALL)[0] == 0
    native = Regressor("bsgd-merge", budget=20, gamma=2.0).learn(X, y.astype(float))
    assert Regressor.load(tmp_path / "model").to_bytes() == native.to_bytes()


def test_spellings_of_numbers(tmp_path, capsys):
    spelt = ["+1", "1.", ".5", "-2.5E-1", "1e3", "00012.500", "123456789012345678901e-20", "-0", "4.9e-324"]
    y = list(map(float, spelt))
    X = np.arange(2 * len(y)).reshape(-1, 2) / 7
    for name, text in (("a.csv", csv_text(X, spelt)), ("a.libsvm", libsvm_text(X, spelt))):
        (tmp_path / name).write_text(text)
        options = [*SMALL, "--dtype", "float64", "--budget", "9"]
        assert run(capsys, "train", tmp_path / name, "-o", tmp_path / "model", *options)[0] == 0
        native = Regressor("bsgd-merge", budget=9, gamma=2.0).learn(X, y)
        np.testing.assert_allclose(
            Regressor.load(tmp_path / "model").dual_coef_, native.dual_coef_, rtol=1e-9
        )


def test_numbers_are_no_labels(tmp_path, capsys):
    """More different numbers than there may be labels, from text and from arrays."""
    rows = 70_000
    x = np.arange(rows, dtype=np.float32) / rows
    text = "".join(f"{i}.5 1:{v!r}\n" for i, v in enumerate(x.tolist()))
    (tmp_path / "many.libsvm").write_text(text)
    np.save(tmp_path / "many.npy", np.column_stack([x, np.arange(rows) + 0.5]))
    for name in ("many.libsvm", "many.npy"):
        path, model = tmp_path / name, tmp_path / "model"
        assert main(["train", str(path), "-o", str(model), "-q"]) == 1
        said = capsys.readouterr().err
        place = f"{path}:65537:1" if name == "many.libsvm" else f"{path}:row 65537"
        assert said.startswith(
            f"{place}: expected at most 65536 distinct labels (is this a regression target?)"
        )
        code, said = run(capsys, "train", path, "-o", model, *SMALL)
        assert (code, said["rows read"]) == (0, "70,000")
    reader = Reader("libsvm", task="regression")
    reader.feed(text.encode())
    assert reader.labels == []
    assert reader.take()[4].tolist() == (np.arange(rows) + 0.5).tolist()


def test_standardize(tmp_path, capsys):
    """Inputs are scaled as for classes; the numbers are left alone."""
    X, y = waves(500)
    raw = X * np.float32([1, 1000]) + np.float32([5, 0])
    (tmp_path / "raw.csv").write_text(csv_text(raw, y.tolist()))
    model = tmp_path / "model"
    assert run(capsys, "train", tmp_path / "raw.csv", "-o", model, *SMALL, *BPA, "--scaling", "fixed")[0] == 0
    native = Regressor("bpa-nn", budget=20, gamma=2.0, epsilon=0.01)
    native.set_scaling(raw.mean(axis=0, dtype=np.float64), raw.std(axis=0, dtype=np.float64))
    native.learn(raw, y)
    np.testing.assert_allclose(Regressor.load(model).predict(raw), native.predict(raw), rtol=1e-4)


def test_numbers_that_are_all_equal(tmp_path, capsys):
    X, _ = waves(100)
    (tmp_path / "flat.csv").write_text(csv_text(X, [0.1] * 100))
    code, said = run(
        capsys, "train", tmp_path / "flat.csv", "-o", tmp_path / "m", *SMALL, "--test", tmp_path / "flat.csv"
    )
    assert (code, said["test R^2"]) == (0, "none (all targets are equal)")


def test_large_numbers_that_differ_little(tmp_path, capsys):
    """R^2 is that of double precision: the deviation is a billionth of the mean."""
    X, y = waves(300)
    y = 1e9 + y
    np.savez(tmp_path / "far.npz", X=X.astype(np.float64), y=y)
    options = [*SMALL, *BPA, "--dtype", "float64", "--set", "C=1e10"]
    path, model = tmp_path / "far.npz", tmp_path / "model"
    code, said = run(capsys, "train", path, "-o", model, *options, "--test", path)
    residuals = Regressor.load(model).predict(X.astype(np.float64)) - y
    expected = 1 - np.mean(residuals**2) / np.mean((y - y.mean()) ** 2)
    assert (code, float(said["test R^2"])) == (0, pytest.approx(expected, rel=1e-5))
