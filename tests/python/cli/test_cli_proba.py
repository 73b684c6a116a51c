"""`predict --proba`: a column of probabilities for each class."""

import csv

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, Regressor
from budgetrs.cli import main
from conftest import blobs, board, csv_text


@pytest.fixture
def saved(tmp_path):
    def save(model):
        model.save(tmp_path / "model")
        return str(tmp_path / "model")

    return save


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
def test_probabilities_are_those_of_the_model(params, n_classes, dtype, saved, tmp_path, capsys):
    X, y = blobs(400, n_classes, dtype=dtype)
    names = np.array(["b", 'a "quoted", one', "c c"])[y]
    model = Classifier(**params).learn(X, names)
    table, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    table.write_text(csv_text(X, ["label"] * 400))
    assert main(["predict", saved(model), str(table), "--proba", "-o", str(out), "-q"]) == 0
    with out.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == model.classes_.tolist()
    np.testing.assert_array_equal(np.array(rows, dtype=dtype), model.predict_proba(X))
    found = pd.read_csv(out)
    assert found.shape == (400, n_classes)
    assert (found.columns[found.to_numpy().argmax(axis=1)] == model.predict(X)).all()
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "model"), str(table), "--proba"]) == 0
    assert capsys.readouterr().out == out.read_text()


@pytest.mark.parametrize("algorithm", ["bsgd-merge", "bpa-s", "perceptron"])
def test_a_model_without_probabilities(algorithm, saved, tmp_path, capsys):
    X, y = board(100)
    path = saved(Classifier(algorithm).learn(X, y))
    (tmp_path / "rows.csv").write_text(csv_text(X, y))
    assert main(["predict", path, str(tmp_path / "rows.csv"), "--proba", "-o", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        "budgetrs: --proba: expected a model with probabilities, of --algorithm online-kernel or --set "
        f"loss=log_loss; {path} is {algorithm}"
    )
    assert not (tmp_path / "out").exists()


def test_a_regression_model(saved, tmp_path, capsys):
    X, y = board(100)
    path = saved(Regressor().learn(X, y.astype(float)))
    (tmp_path / "rows.csv").write_text(csv_text(X, y))
    assert main(["predict", path, str(tmp_path / "rows.csv"), "--proba"]) == 2
    assert "--proba: expected a classification model" in capsys.readouterr().err


def test_not_with_scores(saved, tmp_path, capsys):
    path = saved(Classifier().learn(*board(100)))
    assert main(["predict", path, "rows.csv", "--proba", "--scores"]) == 2
    assert "--scores cannot be combined with --proba" in capsys.readouterr().err
