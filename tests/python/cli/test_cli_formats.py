"""Zero-based LIBSVM text, and formats that are not read."""

import gzip
import io
import pickle
import tarfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.io import savemat
from scipy.sparse import csr_matrix, save_npz
from sklearn.datasets import dump_svmlight_file

from budgetrs import Classifier
from conftest import board, libsvm_text, run

X, Y = board(300)
SMALL = ["--budget", "20", "-q"]


def trained(capsys, data, *options):
    code, _, err = run(capsys, "train", data, "-o", data.with_name("model"), *SMALL, *options)
    warns = data.name == "zero.libsvm" and "yes" not in options
    assert (code, err.count("\n"), "--zero-based yes with each later file" in err) == (0, warns, warns), err
    return Classifier.load(data.with_name("model"))


def test_zero_based_indices(tmp_path, capsys):
    one, zero = tmp_path / "one.libsvm", tmp_path / "zero.libsvm"
    one.write_text(libsvm_text(X, Y))
    dump_svmlight_file(X, Y, str(zero), zero_based=True)
    expected = trained(capsys, one)
    for options in ([], ["--zero-based", "auto"], ["--zero-based", "yes"]):
        found = trained(capsys, zero, *options)
        assert found.n_features_in_ == 2
        assert np.array_equal(found.predict(X), expected.predict(X))
    assert trained(capsys, one, "--zero-based", "no").to_bytes() == expected.to_bytes()
    # Read as indices that start at 0, feature 0 is never there.
    assert trained(capsys, one, "--zero-based", "yes").n_features_in_ == 3
    code, _, err = run(capsys, "train", zero, "-o", tmp_path / "m", "--zero-based", "no")
    assert (code, "from 1 on, got `0`; --zero-based yes reads indices that start at 0" in err) == (1, True)
    # A comment is no index; the test file is read as the training file.
    one.write_text("# 0:1\n" + libsvm_text(X, Y))
    assert trained(capsys, one).to_bytes() == expected.to_bytes()
    test = tmp_path / "test.libsvm"
    test.write_text("1 1:0.5\n0 1:-0.5\n")
    code, out, _ = run(capsys, "train", zero, "-o", tmp_path / "m", *SMALL, "--test", test)
    assert (code, "unseen features" in out) == (0, False)
    # Index 0 after the first piece.
    late = tmp_path / "late.libsvm"
    late.write_text("1 1:0.5 2:1\n0 1:-0.5\n" * 80_000 + "1 0:1\n")
    code, _, err = run(capsys, "train", late, "-o", tmp_path / "m", *SMALL)
    assert (code, "--zero-based yes" in err) == (1, True)


def test_zero_based_rows_without_labels(tmp_path, capsys):
    path = tmp_path / "zero.libsvm"
    dump_svmlight_file(X, Y, str(path), zero_based=True)
    model = trained(capsys, path)
    path.write_text("".join(line.split(" ", 1)[1] for line in path.read_text().splitlines(keepends=True)))
    predicted = run(capsys, "predict", tmp_path / "model", path)[1].split()
    assert predicted == list(map(str, model.predict(X)))


def files():
    """Yield files of other programs: the name of the format and the bytes."""
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": [0, 1]})
    yield "pickle", pickle.dumps(frame)
    yield "pickle", pickle.dumps([1, 2], protocol=2)
    yield "JSON lines", frame.to_json(orient="records", lines=True).encode()
    yield "JSON", frame.to_json(orient="records", indent=2).encode()
    yield "JSON", frame.to_json().encode()
    yield "JSON", b"[[1, 2], [3, 4]]"
    yield "HTML", frame.to_html().encode()
    yield "HTML", b"<!DOCTYPE html>\n<html>"
    yield "XML", b'<?xml version="1.0"?>\n<rows/>'
    yield "XML", b"<rows>\n  <row><a>1</a></row>\n</rows>"
    yield "UTF-16 text", frame.to_csv(index=False).encode("utf-16")
    yield "UTF-16 text", frame.to_csv(index=False).encode("utf-16-le")
    yield "UTF-16 text", frame.to_csv(index=False).encode("utf-16-be")
    yield "UTF-32 text", frame.to_csv(index=False).encode("utf-32")
    out = io.BytesIO()
    frame.to_stata(out)
    yield "Stata", out.getvalue()
    out = io.BytesIO()
    savemat(out, {"X": np.eye(3)})
    yield "MATLAB", out.getvalue()
    out = io.BytesIO()
    frame.to_orc(out)
    yield "ORC", out.getvalue()
    out = io.BytesIO()
    with pa.ipc.new_stream(out, pa.table(frame).schema) as stream:
        stream.write_table(pa.table(frame))
    yield "Arrow stream", out.getvalue()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("data.csv"))
    yield "tar archive", out.getvalue()
    yield "tar archive", gzip.compress(out.getvalue())
    yield "Excel", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    yield "Excel", b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml"
    yield "OpenDocument", b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument"
    yield "HDF5", b"\x89HDF\r\n\x1a\n" + bytes(99)
    yield "Avro", b"Obj\x01\x04\x16avro.schema"
    yield "SPSS", b"$FL2@(#) SPSS DATA FILE"
    yield "SAS", b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!"
    yield "pointer of Git LFS", b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"
    yield "printed data frame of pandas", frame.to_string().encode()
    yield "TFRecord", b"\x12" + bytes(7) + b"abcd\n\x10"
    yield "R workspace", gzip.compress(b"RDX3\nX\n\0\0\0\x03")
    yield "R", gzip.compress(b"X\n\0\0\0\x03\0\x04")
    yield "PDF", b"%PDF-1.7\n"
    yield "LZ4", b"\x04\x22\x4d\x18\x64\x40"
    yield "Vowpal Wabbit", b"1 |f price:.23 sqft:.25\n0 |f price:.3\n"
    yield "picture", b"\x89PNG\r\n\x1a\n" + bytes(50)
    yield "budgetrs model", Classifier(budget=5).learn(X, Y).to_bytes()


FILES = list(files())


@pytest.mark.parametrize(("kind", "data"), FILES, ids=[kind for kind, _ in FILES])
def test_other_formats_are_named(kind, data, tmp_path, capsys):
    for name in ("data.bin", "data.csv", "data.libsvm"):
        path = tmp_path / name
        path.write_bytes(data)
        form = [] if name == "data.bin" else ["--format", name[5:]]
        code, out, err = run(capsys, "train", path, "-o", tmp_path / "m", *SMALL, *form)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert (
            f"budgetrs: {path}: expected CSV, LIBSVM text, ARFF, NumPy, Parquet or Arrow, got {kind}; " in err
        )


@pytest.mark.parametrize(
    "text",
    ["<NA>,1,a\n2,<NA>,b\n", "ORC,b,y\n1,2,0\n2,3,1\n", "1 | 2 | 0\n1 | 2 | 1\n", "[a],b,y\n1,2,0\n3,2,1\n"],
)
def test_text_that_begins_like_another_format(text, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text(text)
    delimiter = "|" if "|" in text else ","
    assert run(capsys, "train", path, "-o", tmp_path / "m", *SMALL, "--delimiter", delimiter)[0] == 0


def test_an_unknown_binary_file_and_columns_of_blanks(tmp_path, capsys):
    path = tmp_path / "data.bin"
    path.write_bytes(np.random.default_rng(0).bytes(5000) + bytes(9))
    code, _, err = run(capsys, "train", path, "-o", tmp_path / "m", *SMALL)
    assert (code, "got a binary file of an unknown format" in err) == (1, True)
    path.write_text(" 0.1  2.0  1\n 0.2  3.0  0\n")
    code, _, err = run(capsys, "train", path, "-o", tmp_path / "m", *SMALL)
    assert (code, "by blanks: give --format csv --delimiter ' '" in err) == (1, True), err


@pytest.mark.parametrize(
    ("name", "save", "said"),
    [
        (
            "a.npz",
            lambda path: save_npz(path, csr_matrix(X)),
            "load_npz(FILE), y, 'data.libsvm', zero_based=False)",
        ),
        (
            "a.npz",
            lambda path: np.savez(path, data=X, target=Y),
            "got data.npy, target.npy; save it by numpy.savez(",
        ),
        ("a.npy", lambda path: np.save(path, X.astype(str)), "; convert numbers by astype(float), labels"),
        ("a.npy", lambda path: np.save(path, X.astype(object)), "; convert numbers by astype(float), labels"),
        (
            "a.csv",
            lambda path: path.write_text("1 1:2 5:3\n0 2:1\n"),
            "like LIBSVM text: give --format libsvm",
        ),
        ("a.svm", lambda path: path.write_text("a,b,y\n1,2,0\n"), "like CSV: give --format csv"),
    ],
)
def test_other_contents_are_named_with_advice(name, save, said, tmp_path, capsys):
    save(tmp_path / name)
    code, _, err = run(capsys, "train", tmp_path / name, "-o", tmp_path / "m", *SMALL)
    assert (code, said in err) == (1, True), err
