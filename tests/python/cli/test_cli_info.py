"""`info`, and the help."""

import json
import shlex

import numpy as np
import pytest

from budgetrs import ALGORITHMS, Classifier, Regressor
from budgetrs.cli import main
from budgetrs.cli.arguments import EXAMPLES, WHICH, parse
from conftest import blobs, board


def info(model, tmp_path, capsys):
    model.save(tmp_path / "model")
    capsys.readouterr()
    assert main(["info", str(tmp_path / "model")]) == 0
    return dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())


def test_scaling_and_counts(tmp_path, capsys):
    X, y = board(300)
    online = Classifier(budget=20).learn(X, y)
    said = info(online, tmp_path, capsys)
    assert said["scaling"] == "online"
    assert said["gamma in use"] == f"{online.gamma_:.6g}"
    assert said["support vectors"] == str(online.n_support_vectors_)
    assert (said["rows learned"], said["drifts"]) == ("300", str(online.n_drifts_))
    assert (said["number of classes"], said["classes"]) == ("2", ", ".join(map(str, online.classes_)))

    assert info(Regressor(budget=20).learn(X, y), tmp_path, capsys)["scaling"] == "online"

    plain = Classifier("bsgd-merge", budget=20)
    assert info(plain, tmp_path, capsys)["scaling"] == "none"
    said = info(plain.learn(X, y), tmp_path, capsys)
    assert said["scaling"] == "none"
    assert "drifts" not in said
    fixed = Classifier("bsgd-merge", budget=20)
    fixed.set_scaling([0.0, 1.0], [1.0, 2.0])
    assert info(fixed.learn(X, y), tmp_path, capsys)["scaling"] == "fixed"
    shifted = Classifier("bsgd-random", kernel="poly", budget=20)
    shifted.set_scaling([0.0, 1.0], [1.0, 2.0])
    assert info(shifted.learn(X, y), tmp_path, capsys)["scaling"] == "fixed"


def test_metadata(tmp_path, capsys):
    metadata = {"offsets": {"partition 0": [17, 2**70]}, "né\n": None}
    for model in (Classifier(budget=20), Classifier(budget=20).learn(*board(50))):
        assert "metadata" not in info(model, tmp_path, capsys)
        model.metadata = metadata
        said = info(model, tmp_path, capsys)["metadata"]
        assert json.loads(said) == metadata
        assert said.isascii()
        assert main(["info", str(tmp_path / "model"), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["metadata"] == metadata


@pytest.mark.parametrize("changes", [2, 30])
def test_the_rows_of_the_last_drifts(changes, tmp_path, capsys):
    X, _ = board(2000 * (changes + 1))
    flips = np.arange(len(X)) // 2000 % 2
    model = Classifier(budget=20).learn(X, (X[:, 0] > 0) ^ flips.astype(bool))
    said = info(model, tmp_path, capsys)
    rows = model.drift_rows_.tolist()
    name = "rows" if changes == 2 else "the last at rows"
    assert len(rows) == min(16, model.n_drifts_)
    assert said["drifts"] == f"{model.n_drifts_} ({name} {', '.join(map(str, rows))})"
    assert main(["info", str(tmp_path / "model"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["drifts"], result["drift_rows"]) == (model.n_drifts_, rows)
    assert result["recent_accuracy"] == 1 - model.recent_error_


@pytest.mark.parametrize("n_classes", [20, 21])
def test_twenty_classes_are_listed(n_classes, tmp_path, capsys):
    X, y = blobs(500, n_classes)
    model = Classifier("bsgd-merge", budget=20, classes=np.arange(n_classes)).learn(X, y)
    said = info(model, tmp_path, capsys)
    assert said["number of classes"] == str(n_classes)
    listed = ", ".join(map(str, range(20)))
    assert said["classes"] == (listed if n_classes == 20 else f"{listed}, ...")


def test_a_regression_model_has_no_classes(tmp_path, capsys):
    X, y = board(300)
    said = info(Regressor().learn(X, y.astype(float)), tmp_path, capsys)
    assert "classes" not in said
    assert "progressive RMSE" in said


@pytest.mark.parametrize("command", ["train", "compare", "predict", "evaluate", "info", "plot", "demo"])
def test_help_ends_with_an_example(command, capsys):
    assert main([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert said.endswith(f"Example:\n\n  {EXAMPLES[command]}\n")
    words = shlex.split(EXAMPLES[command])
    assert words[:2] == ["budgetrs", command]
    assert parse(words[1:]).command == command


def test_help_says_which_algorithm(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert WHICH.split('"budgetrs')[0] in said
    assert all(len(line) <= 80 for line in said.splitlines())
    named = [line[2:18].split(",") for line in WHICH.splitlines() if line[:2] == "  " and line[2] != " "]
    names = [name.strip() for part in named for name in part]
    assert len(names) == 5
    assert set(names) <= set(ALGORITHMS)
    assert names[0] == Classifier().algorithm
