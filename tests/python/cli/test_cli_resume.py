"""`train --resume`: a saved model goes on learning as if it had never stopped."""

import subprocess
import sys

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from budgetrs.cli import main
from budgetrs.cli.learning import Learning
from conftest import blobs, board, csv_text, libsvm_text

SMALL = ["--budget", "20", "-q"]


def run(capsys, *arguments):
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, dict(line.split(": ", 1) for line in out.splitlines() if ": " in line), err


@pytest.fixture
def parts(tmp_path):
    """A file of 700 rows, and its two parts, of which gamma="scale" needs the rows of both."""
    X, y = board(700)
    paths = tmp_path / "whole.csv", tmp_path / "first.csv", tmp_path / "second.csv"
    for path, rows in zip(paths, (slice(None), slice(300), slice(300, None)), strict=True):
        path.write_text(csv_text(X[rows], y[rows]))
    return paths


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--algorithm", "bsgd-merge"],
        ["--algorithm", "bsgd-random", "--seed", "3", "--set", "average=polynomial"],
        ["--algorithm", "bpa-nn", "--task", "regression"],
        ["--task", "regression"],
        ["--dtype", "float64"],
        ["--set", "class_weight=balanced"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("same_file", [False, True])
def test_two_runs_are_one(options, same_file, parts, tmp_path, capsys):
    whole, first, second = parts
    one, half = tmp_path / "one", tmp_path / "half"
    assert run(capsys, "train", whole, "-o", one, *SMALL, *options)[0] == 0
    assert run(capsys, "train", first, "-o", half, *SMALL, *options)[0] == 0
    before, output = half.read_bytes(), half if same_file else tmp_path / "resumed"
    code, said, _ = run(capsys, "train", second, "--resume", half, "-o", output, "-q")
    assert (code, said["rows read"], said["rows learned before"]) == (0, "400", "300")
    assert output.read_bytes() == one.read_bytes()
    assert same_file or half.read_bytes() == before


def test_a_scaling_is_kept(parts, tmp_path, capsys):
    _, first, second = parts
    options = ["--algorithm", "bsgd-merge", "--scaling", "fixed", *SMALL]
    model = tmp_path / "model"
    assert run(capsys, "train", first, "-o", model, *options)[0] == 0
    going_on = Classifier.load(model)
    X, y = board(700)
    going_on.learn(X[300:], y[300:])
    assert run(capsys, "train", second, "--resume", model, "-o", model, "-q")[0] == 0
    assert model.read_bytes() == going_on.to_bytes()


def test_passes_and_test(parts, tmp_path, capsys):
    whole, first, second = parts
    model, twice = tmp_path / "model", tmp_path / "twice"
    assert run(capsys, "train", first, "-o", model, *SMALL)[0] == 0
    options = ["--resume", model, "-o", twice, "-q", "--passes", "2", "--test", whole]
    code, said, _ = run(capsys, "train", second, *options)
    assert (code, said["rows read"]) == (0, "800")
    going_on = Classifier.load(model)
    X, y = board(700)
    for number in range(2):
        going_on.learn(X[300:], y[300:], repeated=number > 0)
    assert twice.read_bytes() == going_on.to_bytes()
    assert said["test accuracy"] == f"{100 * np.mean(going_on.predict(X) == y):.2f}%"


def test_new_classes_and_features_are_those_of_a_pipe(tmp_path, capsys):
    X, y = blobs(400, 4)
    y[(y == 3) & (np.arange(400) < 250)] = 0
    lines = libsvm_text(X, y).splitlines(keepends=True)
    lines[300:] = [line.replace("\n", " 9:0.5\n") for line in lines[300:]]
    first, second, one, model = (tmp_path / name for name in ("1.libsvm", "2.libsvm", "one", "model"))
    first.write_text("".join(lines[:200]))
    second.write_text("".join(lines[200:]))
    command = [sys.executable, "-m", "budgetrs", "train", "-", "-o", str(one), *SMALL]
    pipe = [*command, "--scan-rows", "200"]
    subprocess.run(pipe, input="".join(lines), text=True, check=True, capture_output=True, timeout=120)
    assert run(capsys, "train", first, "-o", model, *SMALL)[0] == 0
    code, said, _ = run(capsys, "train", second, "--resume", model, "-o", model, "-q")
    assert (code, said["new classes"], said["new features"]) == (0, "3", "5 of 9")
    assert model.read_bytes() == one.read_bytes()


REFUSED = [
    ["--budget", "30"],
    ["--set", "gamma=2"],
    ["--set", "kernel=rbf"],
    ["--set", "C0=3"],
    ["--seed", "1"],
    ["--set", "C_decay=false"],
    ["--set", "class_weight=balanced"],
    ["--algorithm", "online-kernel"],
    ["--task", "classification"],
    ["--dtype", "float32"],
    ["--classes", "0,1"],
    ["--scaling", "fixed"],
    ["--scan-rows", "10"],
]


@pytest.mark.parametrize("options", REFUSED, ids=lambda options: options[0])
def test_options_of_a_new_model_are_refused(options, parts, tmp_path, capsys):
    _, first, second = parts
    model = tmp_path / "model"
    assert run(capsys, "train", first, "-o", model, *SMALL)[0] == 0
    before = model.read_bytes()
    code, said, err = run(capsys, "train", second, "--resume", model, "-o", model, *options)
    assert (code, said) == (2, {})
    name = options[1].partition("=")[0]
    option = f"--set {name}" if options[0] == "--set" else options[0]
    assert err.startswith(f"budgetrs: {option} cannot be combined with --resume: {model} keeps its algorithm")
    assert model.read_bytes() == before


def test_data_that_do_not_fit_leave_the_model(parts, tmp_path, capsys):
    _, first, _ = parts
    model, bad = tmp_path / "model", tmp_path / "bad.csv"
    assert run(capsys, "train", first, "-o", model, *SMALL)[0] == 0
    before = model.read_bytes()
    for text, message in (
        ("1,2,3,0\n", f"budgetrs: {bad}: expected 2 columns, or 3 with the target, got 4\n"),
        ("1,2\n3,4\n", f"budgetrs: {bad}: expected labels to train on, got 2 feature columns\n"),
        ("1,2,0\n" * 50 + "1,inf,0\n", f"{bad}:51:"),
        ("1,2,0\n1,2,0.5\n", f"{bad}:2: expected an integer from"),
    ):
        bad.write_text(text)
        code, said, err = run(capsys, "train", bad, "--resume", model, "-o", model, "-q")
        assert (code, said) == (1, {})
        assert err.startswith(message)
        assert "--classes" not in err
        assert model.read_bytes() == before


@pytest.mark.parametrize("command", [["train", "--resume"], ["evaluate"], ["predict"]], ids=lambda c: c[0])
@pytest.mark.parametrize("width", [1, 3, 9])
def test_an_archive_of_another_width_is_refused(command, width, parts, tmp_path, capsys):
    _, first, _ = parts
    model, bad, out = tmp_path / "model", tmp_path / "bad.npz", tmp_path / "out"
    assert run(capsys, "train", first, "-o", model, *SMALL)[0] == 0
    np.savez(bad, X=np.zeros((4, width)), y=np.arange(4) % 2)
    given = [bad, *command[1:], model, "-o", out] if command[0] == "train" else [model, bad]
    code, said, err = run(capsys, command[0], *given)
    assert (code, said, out.exists()) == (1, {}, False)
    assert err == f"budgetrs: {bad}: expected 2 columns, got {width}\n"


def test_models_that_cannot_go_on(parts, tmp_path, capsys):
    first = parts[1]
    fresh, absent, output = tmp_path / "fresh", tmp_path / "absent", tmp_path / "out"
    Regressor().save(fresh)
    for path, message in (
        (fresh, "expected a trained model, got one that has learned no rows"),
        (absent, "no such model file"),
    ):
        code, _, err = run(capsys, "train", first, "--resume", path, "-o", output)
        assert (code, output.exists()) == (3, False)
        assert err.startswith(f"budgetrs: {path}: {message}")


def test_a_stop_saves_the_rows_so_far(parts, tmp_path, capsys, monkeypatch):
    _, first, second = parts
    model, X, y = tmp_path / "model", *board(700)
    assert run(capsys, "train", first, "-o", model, *SMALL)[0] == 0
    expected = Classifier.load(model)
    monkeypatch.setattr("budgetrs.cli.source.PIECE", 2000)
    learn, seen = Learning._learn_batch, []

    def stopping(job, batch):
        if len(seen) == 2:
            raise KeyboardInterrupt
        learn(job, batch)
        seen.append(len(batch))

    before = model.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Learning, "_learn_batch", lambda *_: _stop())
        code, said, err = run(capsys, "train", second, "--resume", model, "-o", model, "-q")
    assert (code, said, model.read_bytes()) == (130, {}, before)
    assert err == f"budgetrs: interrupted; no row was learned yet; {model} was not written\n"
    monkeypatch.setattr(Learning, "_learn_batch", stopping)
    code, said, err = run(capsys, "train", second, "--resume", model, "-o", model, "-q")
    rows = sum(seen)
    assert 0 < rows < 400
    assert (code, said["rows read"]) == (130, str(rows))
    assert err == f"budgetrs: interrupted; the model of the first {rows} rows is saved in {model}\n"
    assert model.read_bytes() == expected.learn(X[300 : 300 + rows], y[300 : 300 + rows]).to_bytes()


def _stop():
    raise KeyboardInterrupt
