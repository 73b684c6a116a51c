"""`predict --proba`, `--interval` and `--prediction-set`: the CSV that they write."""

import csv

import numpy as np
import pandas as pd
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
    np.testing.assert_array_equal(rows[:, 1:].astype(dtype), model.predict_interval(X, coverage=0.8))


def test_sets_are_those_of_the_model(tmp_path):
    X, y = blobs(400, 3)
    model = Classifier(budget=20).learn(X, np.array(["b", "a", "c c"])[y])
    header, rows = predicted(tmp_path, model, X, "--prediction-set", "0.9")
    assert header == model.classes_.tolist()
    np.testing.assert_array_equal(rows, model.predict_set(X, coverage=0.9))


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"algorithm": "bsgd-merge", "loss": "log_loss"},
        {"algorithm": "bsgd-smallest", "loss": "log_loss", "budget": 10},
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities_are_those_of_the_model(params, n_classes, dtype, tmp_path, capsys):
    X, y = blobs(400, n_classes, dtype=dtype)
    names = np.array(["b", 'a "quoted", one', "c c"])[y]
    model = Classifier(**params).learn(X, names)
    header, rows = predicted(tmp_path, model, X, "--proba")
    assert header == model.classes_.tolist()
    np.testing.assert_array_equal(rows.astype(dtype), model.predict_proba(X))
    found = pd.read_csv(tmp_path / "out.csv")
    assert (found.columns[found.to_numpy().argmax(axis=1)] == model.predict(X)).all()
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "model"), str(tmp_path / "rows.csv"), "--proba"]) == 0
    assert capsys.readouterr().out == (tmp_path / "out.csv").read_text()
