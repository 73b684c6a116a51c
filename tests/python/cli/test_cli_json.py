"""`--json`: an object a line on standard output, with documented keys."""

import json
import re

import numpy as np
import pytest

from budgetrs import Classifier, Regressor, compare_budgets
from budgetrs.cli import main, progress
from conftest import ROOT, blobs, board, csv_text

DOCUMENTED = {
    key
    for line in (ROOT / "docs" / "json.md").read_text().splitlines()
    if line.startswith("| `")
    for key in re.findall(r"`(\w+)`", line.split("|")[1])
}
SMALL = ["--budget", "20"]


def keys_of(found):
    """The keys of an object and of the objects in it, except of those that are data."""
    for key, value in found.items():
        yield key
        if key == "budgets":
            for one in value:
                yield from set(one) - {"budget", "error", "standard_error"}


def objects(capsys, *arguments, code=0):
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == code
    out, err = capsys.readouterr()
    assert code or err == ""
    found = [json.loads(line, parse_constant=pytest.fail) for line in out.splitlines()]
    for one in found:
        assert set(keys_of(one)) <= DOCUMENTED
        assert one["event"] in ("progress", "result")
    assert [one["event"] for one in found].count("result") == 1
    assert found[-1]["command"] == arguments[0]
    return found[:-1], found[-1]


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr("budgetrs.cli.progress.Objects.interval", 0.0)


@pytest.fixture
def files(tmp_path):
    X, y = board(700)
    (tmp_path / "train.csv").write_text(csv_text(X[:500], y[:500]))
    (tmp_path / "test.csv").write_text(csv_text(X[500:], y[500:]))
    return tmp_path / "train.csv", tmp_path / "test.csv", tmp_path / "model"


def test_train_evaluate_predict_info(often, files, tmp_path, capsys):
    train, test, model = files
    X, y = board(700)
    native = Classifier(budget=20).learn(X[:500], y[:500])
    accuracy = np.mean(native.predict(X[500:]) == y[500:])
    shown, result = objects(capsys, "train", train, "--test", test, "-o", model, *SMALL)
    assert {one["stage"] for one in shown} == {"training", "testing"}
    learning = [one for one in shown if one["stage"] == "training"][-1]
    assert (learning["fraction"], learning["rows"]) == (1.0, 500)
    assert learning["support_vectors"] == native.n_support_vectors_
    assert learning["rows_per_second"] > 0
    assert learning["progressive_accuracy"] == 1 - native.n_mistakes_ / 500
    assert result["progressive_accuracy"] == 1 - native.n_mistakes_ / 500
    assert result["recent_accuracy"] == 1 - native.recent_error_
    assert result["majority_accuracy"] == 1 - native.majority_error_
    assert result["no_change_accuracy"] == 1 - native.no_change_error_
    assert "majority_accuracy" not in learning
    assert (result["rows_read"], result["support_vectors"]) == (500, native.n_support_vectors_)
    assert (result["model"], result["model_bytes"]) == (str(model), model.stat().st_size)
    assert result["test_accuracy"] == pytest.approx(accuracy, rel=1e-12)
    assert (result["drifts"], result["drift_rows"], result["peak_memory_bytes"] > 1e6) == (0, [], True)

    _, result = objects(capsys, "evaluate", model, test)
    assert result["test_accuracy"] == pytest.approx(accuracy, rel=1e-12)
    assert 0 < result["log_loss"] < 1
    assert 0.5 < result["auc"] <= 1
    assert result["auc_is_exact"] is True
    confusion = result["confusion"]
    assert confusion["labels"] == confusion["classes"] == [0, 1]
    assert np.trace(confusion["counts"]) == round(200 * accuracy)

    shown, result = objects(capsys, "predict", model, test, "-o", tmp_path / "out")
    assert shown[-1]["stage"] == "predicting"
    assert (result["rows_read"], result["predictions"]) == (200, str(tmp_path / "out"))

    shown, result = objects(capsys, "info", model)
    assert shown == []
    assert (result["task"], result["algorithm"]) == ("classification", "online-kernel")
    assert (result["classes"], result["n_features"], result["dtype"]) == ([0, 1], 2, "float32")
    assert result["gamma"] == native.gamma_
    assert result["parameters"]["budget"] == 20
    assert result["parameters"]["missing"] == "mean"
    assert result["scaling"] == "online"


def test_regression(often, files, capsys):
    train, test, model = files
    X, y = board(700)
    native = Regressor(budget=20).learn(X[:500], y[:500].astype(float))
    shown, result = objects(
        capsys, "train", train, "--task", "regression", "--test", test, "-o", model, *SMALL
    )
    assert shown[-1]["test_rmse"] == result["test_rmse"]
    assert result["progressive_rmse"] == np.sqrt(native.mean_squared_error_)
    assert result["progressive_mae"] == native.mean_absolute_error_
    assert result["recent_mae"] == native.recent_error_
    assert result["constant_rmse"] == np.sqrt(native.constant_error_)
    assert result["no_change_rmse"] == np.sqrt(native.no_change_error_)
    assert result["test_r2"] < 1
    test.write_text("1,2,3\n")
    assert objects(capsys, "evaluate", model, test)[1]["test_r2"] is None


def test_compare(often, files, tmp_path, capsys):
    train = files[0]
    X, y = board(700)
    expected = compare_budgets(X[:500], y[:500], [5, 20])
    files_of = ["--csv", tmp_path / "c.csv"]
    shown, result = objects(capsys, "compare", train, "--budget", "5,20", *files_of)
    assert shown[-1]["best_budget"] == result["best_budget"] == expected.best_budget
    assert result["sufficient_budget"] == expected.sufficient_budget
    native = Classifier(budget=5).learn(X[:500], y[:500])
    baselines = result["majority_error"], result["no_change_error"]
    assert baselines == (native.majority_error_, native.no_change_error_)
    assert result["checkpoints"] == expected.rows.tolist()
    assert [one["budget"] for one in result["budgets"]] == [5, 20]
    for at, one in enumerate(result["budgets"]):
        assert one["error"] == expected.error[at].tolist()
        assert one["standard_error"] == expected.standard_error[at].tolist()
    assert result["curves"] == str(tmp_path / "c.csv")


def test_many_classes_resume_and_late_ones(often, tmp_path, capsys):
    X, y = blobs(1200, 22, n_features=3)
    data, model = tmp_path / "data.csv", tmp_path / "model"
    data.write_text(csv_text(X[y < 21], y[y < 21]))
    objects(capsys, "train", data, "-o", model, "--task", "classification", *SMALL)
    data.write_text(csv_text(X, y))
    _, result = objects(capsys, "evaluate", model, data)
    assert result["unknown_rows"] == np.sum(y == 21)
    assert len(result["most_confused"]) == 10
    assert set(result["most_confused"][0]) == {"label", "predicted", "rows"}
    _, result = objects(capsys, "train", data, "--resume", model, "-o", model)
    assert result["rows_learned_before"] == np.sum(y < 21)
    assert result["new_classes"] == [21]


def test_quiet_and_the_pace(files, capsys):
    train, _, model = files
    assert progress.Objects.interval == progress.Bar.interval
    assert objects(capsys, "train", train, "-o", model, "-q")[0] == []
    assert objects(capsys, "info", model)[1]["n_classes"] == 2


def test_predictions_and_objects_do_not_mix(files, capsys):
    train, test, model = files
    objects(capsys, "train", train, "-o", model)
    assert main(["predict", str(model), str(test), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("budgetrs: --json: expected -o OUT too")


def test_errors_are_as_without_it(files, tmp_path, capsys):
    train, test, model = files
    test.write_text("1,2,0\n1,x,0\n")
    _, result = objects(capsys, "train", train, "--test", test, "-o", model, "-q", code=1)
    assert result["rows_read"] == 500
    assert "test_accuracy" not in result
    assert main(["info", str(tmp_path / "absent"), "--json"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "no such model file" in err
