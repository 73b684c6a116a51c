"""The algorithm that is not named: the online kernel machine, everywhere."""

import inspect

import numpy as np
import pytest

from budgetrs import Classifier, ParameterError, Regressor, _core, compare_budgets
from budgetrs.cli import main
from conftest import board, csv_text, libsvm_text

DEFAULT = "online-kernel"


@pytest.fixture
def raw_file(tmp_path):
    X, y = board(2000, dtype=np.float64)
    path = tmp_path / "raw.csv"
    path.write_text(csv_text(X * [1e6, 1e-4] + [-3e6, 70.0], y))
    return path


def test_it_is_the_same_everywhere(raw_file, tmp_path, capsys):
    assert Classifier().algorithm == Regressor().algorithm == DEFAULT
    assert inspect.signature(compare_budgets).parameters["algorithm"].default == DEFAULT
    for task, native in (("classification", Classifier), ("regression", Regressor)):
        model = tmp_path / task
        assert main(["train", str(raw_file), "--task", task, "-o", str(model), "-q"]) == 0
        loaded = native.load(model)
        assert loaded.params == native().params
        assert "(default online-kernel)" in _help(capsys, "train")
    assert main(["compare", str(raw_file), "--budget", "5,10", "-q"]) == 0
    assert f"{DEFAULT}, progressive error after" in capsys.readouterr().out


def _help(capsys, command):
    """Return the help of a command in one line."""
    capsys.readouterr()
    assert main([command, "--help-all"]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_raw_rows_are_learned_without_options(raw_file, tmp_path, capsys):
    assert main(["train", str(raw_file), "--test", str(raw_file), "-o", str(tmp_path / "m"), "-q"]) == 0
    said = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert float(said["test accuracy"].rstrip("%")) > 95


@pytest.mark.parametrize("command", ["train", "compare"])
def test_another_scaling_is_refused_before_the_file_is_read(command, raw_file, tmp_path, capsys):
    output = ["-o", str(tmp_path / "m")] if command == "train" else []
    raw_file.write_text("these are no rows\n")
    assert main([command, str(raw_file), *output, "--scaling", "onlin"]) == 2
    assert capsys.readouterr().err == (
        'budgetrs: --scaling: expected online or none, got "onlin"; did you mean online?\n'
    )


def test_booleans_are_written_in_lower_case(raw_file, tmp_path, capsys):
    train = ["train", str(raw_file), "-o", str(tmp_path / "m"), "-q"]
    assert main([*train, "--set", "C_decay=false"]) == 0
    assert Classifier.load(tmp_path / "m").params["C_decay"] is False
    capsys.readouterr()
    assert main([*train, "--set", "C0=none"]) == 2
    assert "--set C0 must be a number from 1e-20 to 1e15, got none" in capsys.readouterr().err
    assert main([*train, "--set", "C_decay=maybe"]) == 2
    assert '--set C_decay must be true or false, got "maybe"' in capsys.readouterr().err


def test_features_may_come_later_in_a_comparison(tmp_path, monkeypatch, capsys):
    X, y = board(300)
    lines = libsvm_text(X, y).splitlines()
    path = tmp_path / "wide.libsvm"
    path.write_text("\n".join([*lines[:200], *(f"{line} 5:1" for line in lines[200:])]) + "\n")
    with path.open() as pipe:
        monkeypatch.setattr("sys.stdin", pipe)
        options = ["--budget", "10", "--format", "libsvm", "-q"]
        assert main(["compare", "-", *options]) == 0
    assert "best budget: 10 " in capsys.readouterr().out


def test_the_message_names_the_gamma_that_cannot_stay():
    X, y = board(300)
    with pytest.raises(ParameterError, match=r'gamma must be a number.*got "auto" after row 300'):
        Classifier("bsgd-merge", budget=10, gamma="auto").learn(X, y).add_features(5)
    Classifier().learn(X, y).add_features(5)
    assert _core.parameters(DEFAULT)["gamma"] == "standardized"
