"""The command line's errors: one line on standard error, the right exit code, never a traceback."""

import gzip
import re

import numpy as np
import pytest

from budgetrs.cli import main
from conftest import board, csv_text, libsvm_text

SMALL = ["--algorithm", "bsgd-merge", "--budget", "20", "--set", "gamma=2", "-q"]
X, y = board(100)
GOOD = libsvm_text(X, y)


def failing(capsys, *arguments):
    """Run a command that fails: its exit code and what it wrote to standard error."""
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert out == ""
    return code, err.strip()


@pytest.fixture
def model(tmp_path, capsys):
    path = tmp_path / "good.libsvm"
    path.write_text(GOOD)
    assert main(["train", str(path), "-o", str(tmp_path / "model"), *SMALL]) == 0
    capsys.readouterr()
    return tmp_path / "model"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.libsvm", GOOD + "1 1:x\n", r"FILE:101:\d+: .*x.*"),
        ("a.libsvm", GOOD + "1 1:1 1:2\n", r"FILE:101:\d+: .+"),
        ("a.libsvm", "1 1:1\n" + GOOD + "0 1:nan\n", r"FILE:102:\d+: .*nan.*"),
        ("a.libsvm", GOOD + "1 1:1e300\n", "FILE:101.*"),
        ("a.libsvm", GOOD + "1" * (1 << 25), r"FILE:101:\d+: .+"),
        ("a.libsvm", "", "budgetrs: FILE: expected rows, got an empty file"),
        ("a.libsvm", "\n\n# nothing\n", "budgetrs: FILE: expected rows, got only comments"),
        (
            "a.csv",
            "first,second,label\n",
            "budgetrs: FILE: expected rows, got only the header first,second,label",
        ),
        ("a.csv", "a,b,y", "budgetrs: FILE: expected rows, got only the header a,b,y"),
        ("a", "\ufeffa,b,y\n\n", "budgetrs: FILE: expected rows, got only the header a,b,y"),
        ("a.csv", f"{'a' * 90},y\n", f"budgetrs: FILE: expected rows, got only the header {'a' * 80}..."),
        ("a", "", "budgetrs: FILE: expected rows, got an empty file"),
        (
            "a.libsvm",
            "1 1:1\n1 1:2\n",
            r"budgetrs: FILE: expected two or more classes in 2 rows, got only 1; --classes.*",
        ),
        ("a.csv", "1,2,3\n0,2\n", "FILE:2: expected 3 fields, got 2"),
        ("a.csv", "1,2,3\n0,x,2\n", r"FILE:2:\d+: .*x.*"),
        (
            "a.txt",
            "some words\n",
            r"budgetrs: FILE: the format is unknown; give --format, one of libsvm, csv, arff, npy, "
            "parquet, arrow",
        ),
        ("a.npy", "words", "budgetrs: FILE: expected an array in .npy format.*"),
        ("a.npz", "PK\x03\x04 and words", "budgetrs: FILE: damaged .npz file.*"),
    ],
    ids=range(18),
)
def test_bad_data(name, text, message, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(text)
    code, said = failing(capsys, "train", path, "-o", tmp_path / "model", *SMALL)
    assert code == 1
    assert re.fullmatch(message.replace("FILE", re.escape(str(path))), said)
    assert not (tmp_path / "model").exists()


def test_bad_arrays(tmp_path, capsys):
    bad = np.column_stack([X, y])
    bad[41, 1] = np.nan
    cases = {
        "nan.npy": (
            bad,
            r"FILE:row 42: expected finite float32 numbers, got nan in feature 2; --scaling online .*",
        ),
        "flat.npy": (np.arange(5.0), r"budgetrs: FILE: expected a matrix of numbers, got shape \(5,\).*"),
        "words.npy": (np.array([["a", "b"]]), r"budgetrs: FILE: expected a matrix of numbers.*"),
        "complex.npy": (
            bad.astype(complex),
            r"budgetrs: FILE: expected an array of numbers, got dtype complex.*",
        ),
        "column.npy": (
            bad[:, :0],
            r"budgetrs: FILE: expected the target in column -1 \(--target\), got 0 columns",
        ),
    }
    for name, (array, message) in cases.items():
        path = tmp_path / name
        np.save(path, array)
        code, said = failing(capsys, "train", path, "-o", tmp_path / "model", *SMALL)
        assert code == 1, name
        assert re.fullmatch(message.replace("FILE", re.escape(str(path))), said), said
    np.savez(tmp_path / "no.npz", A=bad)
    assert (
        "expected an array named X, got A.npy"
        in failing(capsys, "train", tmp_path / "no.npz", "-o", tmp_path / "m")[1]
    )
    np.savez(tmp_path / "short.npz", X=X, y=y[:-1])
    assert (
        "expected y of shape (100,), got (99,)"
        in failing(capsys, "train", tmp_path / "short.npz", "-o", tmp_path / "m")[1]
    )
    (tmp_path / "p.npz.gz").write_bytes(gzip.compress((tmp_path / "no.npz").read_bytes()))
    assert (
        "must be an uncompressed file"
        in failing(capsys, "train", tmp_path / "p.npz.gz", "-o", tmp_path / "m")[1]
    )
    whole = (tmp_path / "nan.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-10])
    assert (
        "expected 2,400 bytes of numbers, got 2,390"
        in failing(capsys, "train", tmp_path / "cut.npy", "-o", tmp_path / "m")[1]
    )


def test_nothing_to_score(tmp_path, capsys, model):
    """A file without rows is an error for every command, and no output is made of it."""
    np.save(tmp_path / "empty.npy", np.empty((0, 3)))
    np.savez(tmp_path / "empty.npz", X=np.empty((0, 2)), y=np.empty(0))
    for name, data in (("a.csv", b""), ("a.libsvm", b"# none\n"), ("a", b"\n"), ("a.gz", gzip.compress(b""))):
        (tmp_path / name).write_bytes(data)
    for name in ("a.csv", "a.libsvm", "a", "a.gz", "empty.npy", "empty.npz"):
        path = tmp_path / name
        for arguments in (
            ["train", path, "-o", tmp_path / "m"],
            ["evaluate", model, path],
            ["predict", model, path, "-o", tmp_path / "m"],
            ["predict", model, path],
        ):
            got = (
                "a table of 0 rows" if "np" in name else "only comments" if "svm" in name else "an empty file"
            )
            said = f"budgetrs: {path}: expected rows, got {got}"
            assert failing(capsys, *arguments) == (1, said), arguments
            assert not (tmp_path / "m").exists()


def test_files_that_cannot_be_read(tmp_path, capsys, model):
    absent = tmp_path / "absent"
    for arguments in (
        ["train", absent, "-o", tmp_path / "m"],
        ["train", tmp_path, "-o", tmp_path / "m"],
        ["train", tmp_path / "good.libsvm", "--test", absent, "-o", tmp_path / "m"],
        ["evaluate", model, absent],
        ["predict", model, absent],
    ):
        code, said = failing(capsys, *arguments)
        assert code == 1
        assert re.fullmatch(
            r"budgetrs: \S+: (no such file; check the path, or give - for standard input|Is a directory)",
            said,
        ), said


@pytest.mark.parametrize("keep", [200, -4])
def test_cut_compressed_data(keep, tmp_path, capsys):
    path = tmp_path / "data.libsvm.gz"
    path.write_bytes(gzip.compress(GOOD.encode())[:keep])
    code, said = failing(capsys, "train", path, "-o", tmp_path / "model", *SMALL)
    assert code == 1
    assert said.startswith(f"budgetrs: {path}: damaged or truncated compressed data")


def test_a_late_class(tmp_path, capsys):
    path = tmp_path / "data.libsvm"
    path.write_text("# comment\n" + GOOD + "\n5 1:1\n" + GOOD)
    code, said = failing(capsys, "train", path, "-o", tmp_path / "model", "--classes", "0,1", *SMALL)
    assert code == 1
    assert said.startswith(f"{path}:103: expected one of the classes 0, 1 (--classes), got 5; --classes")
    assert main(["train", str(path), "-o", str(tmp_path / "model"), *SMALL]) == 0


def test_rows_that_do_not_fit_the_model(tmp_path, capsys, model):
    table = tmp_path / "wide.csv"
    table.write_text(csv_text(np.hstack([X, X]), y))
    code, said = failing(capsys, "predict", model, table)
    assert (code, said) == (1, f"budgetrs: {table}: expected 2 columns, or 3 with the target, got 5")
    np.save(tmp_path / "wide.npy", np.hstack([X, X, X]))
    code, said = failing(capsys, "predict", model, tmp_path / "wide.npy")
    assert (code, said) == (
        1,
        f"budgetrs: {tmp_path / 'wide.npy'}: expected 2 columns, or 3 with the target, got 6",
    )
    bare = tmp_path / "bare.csv"
    bare.write_text("1,2\n3,4\n")
    code, said = failing(capsys, "evaluate", model, bare)
    assert (code, said) == (1, f"budgetrs: {bare}: expected labels to compare with, got 2 feature columns")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--budget", "0"], "budget"),
        (["--budget", "many"], "--budget: expected an integer >= 1 or none, got 'many'"),
        (["--set", "gamma=wide"], "--set gamma: expected"),
        (["--set", "gamma=-1"], "gamma"),
        (["--set", "alpha=0"], "alpha"),
        (["--set", "alpha=x"], "--set alpha: expected"),
        (["--set", "kernel=linear"], "merge"),
        (["--set", "kernel=nothing"], "kernel"),
        (["--set", "maintenance=nothing"], "maintenance"),
        (["--algorithm", "nothing"], "--help-all"),
        (["--classes", "1"], "--classes: expected two or more labels"),
        (["--passes", "0"], "--passes"),
        (["--scan-rows", "0"], "--scan-rows"),
        (["--delimiter", "::"], "--delimiter: must be a single character of ASCII"),
        (["--delimiter", ""], "--delimiter: must be a single character of ASCII"),
        (["--delimiter", "é"], "--delimiter: must be a single character of ASCII"),
        (["--delimiter", "7"], "--delimiter: must be a byte that is no letter, digit"),
        (["--delimiter", "\n"], "--delimiter: must be a byte that is no letter, digit"),
        (["--target", "x"], "--target x: expected CSV with a header"),
        (["--target", "9" * 30], "--target: expected the number of a column"),
        (["--scan-rows", "x"], "--scan-rows: expected an integer >= 1, got 'x'"),
        (["--seed", "9" * 30], "seed"),
        (["--dtype", "float16"], "--dtype"),
        (["--nothing"], "--nothing"),
    ],
    ids=str,
)
def test_wrong_arguments(options, message, tmp_path, capsys):
    (tmp_path / "good.libsvm").write_text(GOOD)
    code, said = failing(capsys, "train", tmp_path / "good.libsvm", "-o", tmp_path / "model", *options)
    assert code == 2
    assert message in said


def test_missing_arguments(capsys):
    for arguments in (["train", "x"], ["predict", "x"], ["nothing"]):
        assert failing(capsys, *arguments)[0] == 2


def test_model_files(tmp_path, capsys, model):
    good = tmp_path / "good.libsvm"
    bad = tmp_path / "bad"
    whole = model.read_bytes()
    bad.write_bytes(whole[:50] + bytes([whole[50] ^ 1]) + whole[51:])
    for path in (tmp_path / "absent", good, bad, tmp_path):
        for arguments in (["evaluate", path, good], ["predict", path, good], ["info", path]):
            code, said = failing(capsys, *arguments)
            assert code == 3
            assert said.startswith(f"budgetrs: {path}: ")
    for target in (tmp_path, tmp_path / "absent" / "model"):
        code, said = failing(capsys, "train", good, "-o", target, *SMALL)
        assert code == 3
        assert said.startswith(f"budgetrs: {target}: ")


def test_a_model_that_has_not_learned(tmp_path, capsys):
    from budgetrs import Classifier

    path = tmp_path / "fresh"
    Classifier().save(path)
    (tmp_path / "good.libsvm").write_text(GOOD)
    code, said = failing(capsys, "predict", path, tmp_path / "good.libsvm")
    assert (code, said) == (
        3,
        f"budgetrs: {path}: expected a trained model, got one that has learned no rows",
    )
    assert main(["info", str(path)]) == 0
    assert "rows learned: 0" in capsys.readouterr().out


def test_what_was_not_foreseen_is_one_line(tmp_path, capsys, monkeypatch):
    (tmp_path / "good.libsvm").write_text(GOOD)

    def broken(*_):
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("budgetrs.cli.labels.ClassTable.indices", broken)
    code, said = failing(capsys, "train", tmp_path / "good.libsvm", "-o", tmp_path / "model", *SMALL)
    assert code == 1
    assert said == "budgetrs: internal error: unforeseen; BUDGETRS_TRACEBACK=1 shows the traceback"
