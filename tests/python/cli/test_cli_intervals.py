"""`predict --interval` and `predict --set`."""

import csv

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from budgetrs.cli import main
from conftest import blobs, csv_text


def predicted(tmp_path, model, X, *options):
    """The header and the rows that `predict` writes, also to standard output."""
    model.save(tmp_path / "model")
    (tmp_path / "rows.csv").write_text(csv_text(X, [0] * len(X)))
    out = tmp_path / "out.csv"
    arguments = ["predict", str(tmp_path / "model"), str(tmp_path / "rows.csv"), *options]
    assert main([*arguments, "-o", str(out), "-q"]) == 0
    with out.open(newline="") as file:
        header, *rows = csv.reader(file)
    return header, np.array(rows, dtype=float)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_intervals_are_those_of_the_model(dtype, tmp_path):
    X, _ = blobs(400, 3, dtype=dtype)
    y = X[:, 0] + np.random.default_rng(0).normal(size=400)
    model = Regressor(budget=20).learn(X, y)
    header, rows = predicted(tmp_path, model, X, "--interval", "0.8")
    assert header == ["prediction", "lower", "upper"]
    np.testing.assert_array_equal(rows[:, 0].astype(dtype), model.predict(X))
    np.testing.assert_array_equal(rows[:, 1:].astype(dtype), model.predict_interval(X, 0.8))


def test_sets_are_those_of_the_model(tmp_path):
    X, y = blobs(400, 3)
    model = Classifier(budget=20).learn(X, np.array(["b", "a", "c c"])[y])
    header, rows = predicted(tmp_path, model, X, "--prediction-set", "0.9")
    assert header == model.classes_.tolist()
    np.testing.assert_array_equal(rows, model.predict_set(X, 0.9))


@pytest.mark.parametrize(
    ("model", "options", "expected"),
    [
        (Regressor(), ["--prediction-set", "0.9"], "--prediction-set: expected a classification model"),
        (Classifier(), ["--interval", "0.9"], "--interval: expected a regression model"),
        (Regressor("pa"), ["--interval", "0.9"], "--interval: expected a model of --algorithm online-kernel"),
        (
            Classifier("pa"),
            ["--prediction-set", "0.9"],
            "--prediction-set: expected a model of --algorithm online-kernel",
        ),
        (Regressor(), ["--interval", "1"], "--interval: expected a number from 0.5 to 0.99, got '1'"),
        (
            Classifier(),
            ["--prediction-set", "most"],
            "--prediction-set: expected a number from 0.5 to 0.99, got 'most'",
        ),
        (Classifier(), ["--prediction-set", "0.9", "--proba"], "cannot be combined with --"),
    ],
    ids=str,
)
def test_what_is_refused(model, options, expected, tmp_path, capsys):
    X, y = blobs(50, 2)
    model.learn(X, y)
    model.save(tmp_path / "model")
    (tmp_path / "rows.csv").write_text(csv_text(X, y))
    try:
        code = main(["predict", str(tmp_path / "model"), str(tmp_path / "rows.csv"), *options])
    except SystemExit as stopped:
        code = stopped.code
    assert code == 2
    assert expected in capsys.readouterr().err
