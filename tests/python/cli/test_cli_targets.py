"""The command line's outputs: checked before the work, never the input, whole or as they were."""

import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from budgetrs import Classifier
from budgetrs.cli import main
from conftest import board, csv_text, libsvm_text, run

SMALL = ["--algorithm", "bsgd-merge", "--budget", "20", "--set", "gamma=2", "-q"]


@pytest.fixture
def files(tmp_path):
    """A training file, a test file and a model in a folder of their own."""
    folder = tmp_path / "files"
    folder.mkdir()
    train, test, model = folder / "train.libsvm", folder / "test.libsvm", folder / "model"
    train.write_text(libsvm_text(*board(300)))
    test.write_text(libsvm_text(*board(100, 1)))
    assert main(["train", str(train), "-o", str(model), *SMALL]) == 0
    return train, test, model


def shell(command, **more):
    """Run a shell command in which `budgetrs` is the program."""
    program = f'budgetrs() {{ "{sys.executable}" -m budgetrs "$@"; }}\n'
    return subprocess.run(
        ["bash", "-c", program + command], capture_output=True, text=True, timeout=120, **more
    )


@pytest.mark.parametrize("link", ["itself", "symlink", "hardlink"])
def test_inputs_are_never_outputs(link, files, capsys, tmp_path):
    train, test, model = files
    for victim, arguments in (
        (train, ["train", train, *SMALL]),
        (test, ["train", train, "--test", test, *SMALL]),
        (test, ["predict", model, test]),
        (model, ["predict", model, test]),
    ):
        output = victim
        if link != "itself":
            output = tmp_path / "link"
            output.symlink_to(victim) if link == "symlink" else output.hardlink_to(victim)
        before = victim.read_bytes()
        code, out, err = run(capsys, *arguments, "-o", output)
        assert (code, out) == (2, "")
        assert err == f"budgetrs: {output}: expected an output file, got the input {victim}\n"
        assert victim.read_bytes() == before
        if link != "itself":
            output.unlink()


def test_appending_predictions_to_the_data_is_refused(files):
    _, test, model = files
    before = test.read_bytes()
    done = shell(
        'budgetrs predict "$1" "$2" >> "$2"; echo $?'.replace("$1", str(model)).replace("$2", str(test))
    )
    assert "standard output: expected an output file" in done.stderr
    assert test.read_bytes() == before


def test_targets_are_checked_before_anything_is_read(files, capsys, tmp_path, monkeypatch):
    model = files[2]
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o444)
    cases = [
        (tmp_path, "expected a file, got the directory"),
        (tmp_path / "absent" / "out", "no such directory"),
        (tmp_path / "old" / "out", "no such directory"),
        (tmp_path / "old", "the file is read-only"),
    ]
    # The data do not exist: a message about the target shows that they were not looked for.
    for target, message in cases:
        for code, arguments in ((3, ["train", "absent"]), (1, ["predict", model, "absent"])):
            got, out, err = run(capsys, *arguments, "-o", target, "-q")
            assert (got, out) == (code, "")
            assert err.startswith(f"budgetrs: {target}: {message}"), err
    for device in ("/dev/null", "/dev/full"):
        assert run(capsys, "train", "absent", "-o", device)[::2] == (
            3,
            f"budgetrs: {device}: expected a regular file, got a device or a pipe\n",
        )

    def read_only(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("budgetrs.cli.target._core.AtomicFile", read_only)
    code, _, err = run(capsys, "train", "absent", "-o", tmp_path / "new")
    reason = f"cannot create a file in {tmp_path}: Read-only file system"
    assert (code, err) == (3, f"budgetrs: {tmp_path / 'new'}: {reason}\n")


def test_standard_output_is_for_predictions(files, capsys):
    train, test, model = files
    code, _, err = run(capsys, "train", train, "-o", "-")
    assert (code, err) == (
        2,
        "budgetrs: -o: expected a file for the model, got - (standard output)\n",
    )
    assert run(capsys, "predict", model, test, "-o", "-") == run(capsys, "predict", model, test)


def test_predictions_replace_a_file_in_one_step(files, capsys, tmp_path):
    _, test, model = files
    out, link = tmp_path / "out", tmp_path / "link"
    out.write_text("old\n")
    out.chmod(0o640)
    link.symlink_to(out)
    bad = tmp_path / "bad.libsvm"
    bad.write_text(test.read_text() + "1 1:x\n")
    assert run(capsys, "predict", model, bad, "-o", link, "-q")[0] == 1
    assert out.read_text() == "old\n"
    assert run(capsys, "predict", model, test, "-o", link, "-q")[0] == 0
    assert len(out.read_text().split()) == 100
    assert link.is_symlink()
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert run(capsys, "predict", model, test, "-o", tmp_path / "new", "-q")[0] == 0
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o666 & ~umask
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.libsvm", "files", "link", "new", "out"]


def test_standard_streams_that_fail(files):
    train, test, model = files
    full = "standard output: No space left on device\n"
    for command, code, said in (
        (f"predict {model} {test} > /dev/full", 1, f"budgetrs: {full}"),
        (f"predict {model} {test} -o /dev/full", 1, "budgetrs: /dev/full: No space left on device\n"),
        (f"info {model} > /dev/full", 1, f"budgetrs: {full}"),
        (f"predict {model} {test} >&-", 1, "budgetrs: standard output: it is closed\n"),
        (f"info {model} >&-", 0, ""),
        (f"train - -o {model} <&-", 1, "budgetrs: <stdin>: standard input is closed\n"),
        (f"train {train} -o {model} {' '.join(SMALL[:-1])} 2>&- >&-", 0, ""),
        (f"train {train} -o {model} {' '.join(SMALL[:-1])} 2>/dev/full | tail -0", 0, ""),
        ("train absent -o m 2>/dev/full", 1, ""),
        ("train --help | head -1", 0, ""),
    ):
        for unbuffered in ("", "1"):
            done = shell(
                f"set -o pipefail; budgetrs {command}", env={**os.environ, "PYTHONUNBUFFERED": unbuffered}
            )
            assert (done.returncode, done.stderr) == (code, said), command


def test_tests_from_pipes(files, tmp_path):
    train, test, _ = files
    options = " ".join(SMALL)
    expected = shell(f"budgetrs train {train} --test {test} -o {tmp_path}/m {options} | grep ^test").stdout
    assert "test accuracy" in expected
    for command in (
        f"budgetrs train {train} --test - -o {tmp_path}/m {options} < {test}",
        f"cat {test} | budgetrs train {train} --test - -o {tmp_path}/m {options}",
        f"budgetrs train {train} --test <(gzip -c {test}) -o {tmp_path}/m {options}",
        f"budgetrs train - --test {test} -o {tmp_path}/m {options} < {train}",
        # One producer writes first one, then the other.
        f"cd {tmp_path}; mkfifo a b; (cat {train} > a; cat {test} > b) & "
        f"budgetrs train {tmp_path}/a --test {tmp_path}/b -o {tmp_path}/m {options}",
    ):
        done = shell(command)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert expected in done.stdout
    for command in (
        f"budgetrs train - --test - -o m < {train}",
        f"cat {train} | budgetrs train - --test /dev/stdin -o m",
    ):
        done = shell(command, cwd=tmp_path)
        assert done.returncode == 2
        assert "expected a file other than DATA, because a pipe can be read only once" in done.stderr
    assert shell(f"cat {train} | budgetrs train - --passes 2 -o m", cwd=tmp_path).stderr == (
        "budgetrs: --passes 2: expected a file that can be read again, got <stdin>\n"
    )


def test_names_and_labels_beyond_the_locale(tmp_path):
    data = tmp_path / os.fsdecode(b"caf\xc3\xa9\xff.csv")
    X, y = board(50)
    data.write_text(csv_text(X, np.array(["é", "n"])[y]), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    for arguments in (
        ["train", data, "-o", tmp_path / "m", *SMALL],
        ["info", tmp_path / "m"],
        ["predict", tmp_path / "m", data],
        ["predict", tmp_path / "m", data, "-o", tmp_path / "é"],
    ):
        command = [sys.executable, "-m", "budgetrs", *arguments]
        done = subprocess.run(command, capture_output=True, env=environment, timeout=120)
        assert (done.returncode, done.stderr) == (0, b""), arguments
        if arguments[0] == "predict" and len(arguments) == 3:
            printed = done.stdout.decode("utf-8")
    assert set(printed.split()) == {"é", "n"}
    assert (tmp_path / "é").read_text(encoding="utf-8") == printed
    assert Classifier.load(tmp_path / "m").classes_.tolist() == ["n", "é"]
