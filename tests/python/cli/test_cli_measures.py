"""What `evaluate` measures, against scikit-learn."""

import re

import numpy as np
import pytest
from sklearn import metrics

from budgetrs import Classifier
from budgetrs.cli import main, measures
from conftest import blobs, csv_text

LOG = {"algorithm": "bsgd-merge", "loss": "log_loss", "budget": 20}


def evaluated(model, X, y, tmp_path, capsys):
    """The lines of `evaluate`, and its confusion matrix as lists of words."""
    model.save(tmp_path / "model")
    (tmp_path / "test.csv").write_text(csv_text(X, y))
    capsys.readouterr()
    assert main(["evaluate", str(tmp_path / "model"), str(tmp_path / "test.csv"), "-q"]) == 0
    out = capsys.readouterr().out
    said = dict(line.split(": ", 1) for line in out.splitlines() if ": " in line)
    table = [line.split() for line in out.splitlines() if line.startswith(" ") or re.match(r"\S+  ", line)]
    return said, table


@pytest.fixture(params=["whole", "pieces"])
def pieces(request, monkeypatch):
    if request.param == "pieces":
        monkeypatch.setattr("budgetrs.cli.text.PIECE", 300)


@pytest.mark.parametrize("n_classes", [2, 3, 20])
@pytest.mark.parametrize("params", [{}, LOG, {"algorithm": "bpa-nn", "budget": 20}], ids=str)
def test_all_measures(n_classes, params, pieces, tmp_path, capsys):
    X, y = blobs(1500, n_classes)
    X = X + np.float32(2) * np.random.default_rng(1).normal(size=X.shape).astype(np.float32)
    X_test, y_test, X, y = X[500:], y[500:], X[:500], y[:500]
    names = np.array([f"class{c}" for c in range(n_classes)])
    model = Classifier(**params).learn(X, names[y])
    y_test = names[y_test]
    said, table = evaluated(model, X_test, y_test, tmp_path, capsys)
    found = model.predict(X_test)
    assert said["test accuracy"] == f"{100 * np.mean(found == y_test):.2f}%"
    frequent = np.unique(y_test, return_counts=True)[1].max() / len(y_test)
    assert said["baseline accuracy, most frequent class"] == f"{100 * frequent:.2f}%"
    previous = 1 - np.sum(y_test[1:] != y_test[:-1]) / len(y_test)
    assert said["baseline accuracy, previous label"] == f"{100 * previous:.2f}%"
    balanced = metrics.balanced_accuracy_score(y_test, found)
    assert said["balanced accuracy"] == f"{100 * balanced:.2f}%"
    f1 = metrics.f1_score(y_test, found, average="macro")
    assert float(said["macro F1"]) == pytest.approx(f1, rel=1e-5)

    classes = model.classes_.tolist()
    assert table[0] == classes
    assert [row[0] for row in table[1:]] == classes
    counts = np.array([row[1:] for row in table[1:]], dtype=int)
    np.testing.assert_array_equal(counts, metrics.confusion_matrix(y_test, found, labels=classes))

    if "loss" in params or not params:
        order = np.argsort(model.classes_)
        loss = metrics.log_loss(y_test, model.predict_proba(X_test)[:, order])
        assert float(said["log loss"]) == pytest.approx(loss, rel=1e-3)
    else:
        assert "log loss" not in said
    if n_classes == 2:
        area = metrics.roc_auc_score(y_test == classes[1], model.decision_function(X_test))
        assert float(said["AUC"]) == pytest.approx(area, rel=2e-6)
        assert 0.5 < area < 1
    else:
        assert "AUC" not in said


def test_labels_that_the_model_does_not_know(tmp_path, capsys):
    X, y = blobs(900, 4)
    model = Classifier(**LOG).learn(X[y < 2], y[y < 2])
    said, table = evaluated(model, X, y, tmp_path, capsys)
    found, known = model.predict(X), y < 2
    assert said["rows of unknown classes, counted as wrong"] == str(np.sum(~known))
    assert said["balanced accuracy"] == f"{100 * metrics.balanced_accuracy_score(y, found):.2f}%"
    f1 = metrics.f1_score(y, found, average="macro")
    assert float(said["macro F1"]) == pytest.approx(f1, rel=1e-5)
    labels = [int(row[0]) for row in table[1:]]
    assert sorted(labels) == [0, 1, 2, 3]
    for label, row in zip(labels, table[1:], strict=True):
        expected = [np.sum((y == label) & (found == c)) for c in model.classes_]
        assert [int(count) for count in row[1:]] == expected
    order = np.argsort(model.classes_)
    probabilities = model.predict_proba(X[known])[:, order]
    assert float(said["log loss"]) == pytest.approx(metrics.log_loss(y[known], probabilities), rel=1e-3)
    truth = y[known] == model.classes_[1]
    area = metrics.roc_auc_score(truth, model.decision_function(X[known]))
    assert float(said["AUC"]) == pytest.approx(area, rel=2e-6)


def test_many_classes_have_no_table_but_the_most_confused_pairs(tmp_path, capsys):
    X, y = blobs(2000, 21, n_features=3)
    model = Classifier("bsgd-merge", budget=30).learn(X, y)
    said, _ = evaluated(model, X, y, tmp_path, capsys)
    assert "confusion matrix" not in said
    counts = metrics.confusion_matrix(y, model.predict(X))
    np.fill_diagonal(counts, 0)
    pairs = re.findall(r"(\d+) predicted as (\d+) \((\d+)\)", said["most confused"])
    assert len(pairs) == 10
    assert [int(rows) for *_, rows in pairs] == np.sort(counts.ravel())[:-11:-1].tolist()
    for label, predicted, rows in pairs:
        assert counts[int(label), int(predicted)] == int(rows)


def test_one_class_has_no_area(tmp_path, capsys):
    X, y = blobs(300, 2)
    model = Classifier(**LOG).learn(X, y)
    said, _ = evaluated(model, X[y == 0], y[y == 0], tmp_path, capsys)
    assert "AUC" not in said
    assert said["balanced accuracy"] == said["test accuracy"]
    said, _ = evaluated(Classifier().learn(X, np.ones(300, int)), X, y, tmp_path, capsys)
    assert said["test accuracy"] == f"{100 * np.mean(y == 1):.2f}%"


def area(truth, scores, size):
    measure = measures.Area()
    for start in range(0, len(truth), size):
        measure.add(truth[start : start + size], scores[start : start + size])
    return measure


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_area_is_exact_with_ties_and_by_histogram_beyond_the_bound(dtype, monkeypatch):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 3000)
    tied = np.round(rng.normal(size=3000) + truth, 1).astype(dtype)
    tied[:20] = -0.0
    scores = (rng.normal(size=3000) * 10 + 7 * truth).astype(dtype)
    exact = metrics.roc_auc_score(truth, scores)
    for size in (1, 700, 3000):
        assert area(truth, tied, size).value() == pytest.approx(metrics.roc_auc_score(truth, tied), rel=1e-12)
        assert area(truth, scores, size).value() == pytest.approx(exact, rel=1e-7)
    monkeypatch.setattr(measures, "EXACT_ROWS", 1000)
    for size in (300, 3000):
        found = area(truth, scores, size)
        assert not found.is_exact
        assert found.value() == pytest.approx(exact, abs=1e-4)
        assert found.value() != exact


def test_the_histogram_is_reported(tmp_path, capsys, monkeypatch):
    X, y = blobs(300, 2)
    model = Classifier(**LOG).learn(X, y)
    assert "(" not in evaluated(model, X, y, tmp_path, capsys)[0]["AUC"]
    monkeypatch.setattr(measures, "EXACT_ROWS", 200)
    assert (
        "(by a histogram, because of more than 200 rows)"
        in evaluated(model, X, y, tmp_path, capsys)[0]["AUC"]
    )
