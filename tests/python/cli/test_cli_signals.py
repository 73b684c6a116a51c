"""Stopping the command line: what is saved, what is not, and what it says; and its progress on a terminal."""

import os
import pty
import signal
import subprocess
import sys
from contextlib import contextmanager
from unittest.mock import Mock

import pytest

from budgetrs import Classifier
from budgetrs.cli import main
from conftest import board, libsvm_text, run

SMALL = ["--algorithm", "bsgd-merge", "--budget", "20", "--set", "gamma=2"]

# Shows its progress at once, and can be interrupted even where the tests run in the background of a shell
# that ignores SIGINT.
TALKATIVE = """
import signal, sys
from budgetrs.cli import main, progress
signal.signal(signal.SIGINT, signal.default_int_handler)
progress.Lines.interval = 0.0
sys.exit(main(sys.argv[1:]))
"""
STOPS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


@contextmanager
def interruptible():
    """Let SIGINT raise even where the tests run in the background of a shell that ignores it."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, old)


@pytest.fixture
def files(tmp_path):
    """A training file, a model and a pipe to which 400 rows can be written."""
    train, model, pipe = tmp_path / "train.libsvm", tmp_path / "model", tmp_path / "pipe"
    train.write_text(libsvm_text(*board(300)))
    assert main(["train", str(train), "-o", str(model), *SMALL, "-q"]) == 0
    os.mkfifo(pipe)
    return train, model, pipe


def stopped(number, pipe, word, *arguments):
    """Run a command that reads from a pipe which never ends, and stop it once it shows a line with `word`."""
    command = [sys.executable, "-c", TALKATIVE, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with pipe.open("w") as feed:
        feed.write(libsvm_text(*board(1200)))
        feed.flush()
        while word not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
    assert "Traceback" not in err
    return process.returncode, out, err.splitlines()[-1]


@pytest.mark.parametrize(("number", "code"), STOPS)
def test_training(number, code, files, tmp_path):
    _, _, pipe = files
    new = tmp_path / "new"
    options = [pipe, "-o", new, *SMALL]
    got, out, said = stopped(number, pipe, "training", "train", *options)
    learned = Classifier.load(new).n_samples_seen_
    assert 0 < learned <= 1200
    assert (got, said) == (
        code,
        f"budgetrs: interrupted; the model of the first {learned:,} rows is saved in {new}",
    )
    assert f"rows read: {learned:,}\n" in out


@pytest.mark.parametrize(("number", "code"), STOPS)
def test_testing(number, code, files, tmp_path):
    train, model, pipe = files
    new = tmp_path / "new"
    options = [train, "--test", pipe, "-o", new, *SMALL]
    got, out, said = stopped(number, pipe, "testing", "train", *options)
    assert (got, said) == (
        code,
        f"budgetrs: interrupted; the test is incomplete; the model is saved in {new}",
    )
    assert new.read_bytes() == model.read_bytes()
    assert "test accuracy" not in out
    assert f"model: {new}" in out


@pytest.mark.parametrize(("number", "code"), STOPS)
def test_predicting(number, code, files, tmp_path):
    _, model, pipe = files
    before = sorted(tmp_path.iterdir())
    got, out, said = stopped(number, pipe, "predicting", "predict", model, pipe, "-o", tmp_path / "out")
    assert (got, out) == (code, "")
    assert said == f"budgetrs: interrupted; {tmp_path / 'out'} was not written"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("command", "option", "said"), [("train", "-o", "; {} was not written"), ("compare", "--csv", "")]
)
def test_before_anything_was_learned(command, option, said, files, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.files.Data.find_width", Mock(side_effect=KeyboardInterrupt))
    new = tmp_path / "new"
    found = run(capsys, command, files[0], option, new, *SMALL)
    assert found == (130, "", f"budgetrs: interrupted; no row was learned yet{said.format(new)}\n")
    assert not new.exists()


def test_what_saves_nothing_says_nothing_of_it(files):
    _, model, pipe = files
    assert stopped(signal.SIGINT, pipe, "testing", "evaluate", model, pipe) == (
        130,
        "",
        "budgetrs: interrupted",
    )


def test_a_second_stop_waits_for_the_saving(files, tmp_path, capsys, monkeypatch):
    train, _, _ = files
    new = tmp_path / "new"

    def save_interrupted(model, path):
        signal.raise_signal(signal.SIGINT)
        model.save(path)

    monkeypatch.setattr("budgetrs.cli.output.save_model", save_interrupted)
    with interruptible():
        assert main(["train", str(train), "-o", str(new), *SMALL, "-q"]) == 130
    said = f"budgetrs: interrupted; the model of the first 300 rows is saved in {new}\n"
    assert capsys.readouterr().err == said
    assert Classifier.load(new).n_samples_seen_ == 300


def test_signals_are_left_as_they_were(files):
    before = [signal.getsignal(number) for number, _ in STOPS]
    assert main(["info", str(files[1])]) == 0
    assert [signal.getsignal(number) for number, _ in STOPS] == before


def test_a_terminal_shows_a_bar_and_leaves_none(files):
    train, _, _ = files
    main_end, terminal = pty.openpty()
    code = TALKATIVE.replace("Lines.interval", "Bar.interval")
    environment = {**os.environ, "TERM": "xterm"}
    command = [sys.executable, "-c", code, "train", str(train), "-o", str(train.with_name("new"))]
    with subprocess.Popen(
        [*command, *SMALL], stderr=terminal, stdout=subprocess.PIPE, env=environment
    ) as process:
        process.communicate(timeout=120)
    os.close(terminal)
    shown = os.read(main_end, 1 << 16).decode()
    os.close(main_end)
    assert process.returncode == 0
    assert "100%  300 rows" in shown
    assert shown.endswith("\r\x1b[K")
